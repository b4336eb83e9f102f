"""The interface of every kernel: parameters in a NamedTuple, and K(x, z) computed in two ways.

`pair` computes K for one pair of rows by a plain loop; decisions are defined by this value. `matrix`
computes K for many pairs at the speed of a matrix product, and may differ from `pair` by

    |matrix − pair| ≤ error·root(x)·root(z),   |K(x, z)| ≤ root(x)·root(z),

so `pair` is needed only if this error could change the sign of a score. The squared norms ‖x‖² of the rows
are arguments, since most kernels need them.

A kernel works on numpy arrays, scipy's CSR arrays and torch tensors alike: `backend` supplies the
functions.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.numeric.compiling import dispatch_by_class, jit


class Kernel(Protocol):
    """Define the methods of a kernel.

    Examples
    --------
    >>> from rosenblatt.kernels import Gaussian
    >>> kernel: Kernel = Gaussian(gamma=0.5)
    >>> kernel([1, 2], [1, 2])
    1.0
    """

    def __call__(self, x: ArrayLike, z: ArrayLike) -> float | NDArray[np.float64]:
        """Return K(x, z) of two vectors, computed by `pair`; for a matrix, one value per row."""

    def matrix(self, X: Any, Z: Any, x2: Any, z2: Any, backend: Any) -> Any:
        """Return K(xᵢ, zⱼ) for all pairs of rows of two matrices.

        Parameters
        ----------
        X, Z : ndarray, csr_array or Tensor
            Rows of the same width.
        x2, z2 : ndarray or Tensor
            The squared norms ‖xᵢ‖² and ‖zⱼ‖².
        backend : Backend
            The array functions to use.

        Returns
        -------
        ndarray or Tensor of shape (rows of X, rows of Z)
            The values, which differ from `pair` by at most the bound of `error`.
        """

    def is_of_products(self, largest2: float) -> bool:
        """Return whether `from_products` can compute the kernel for rows with ‖x‖² ≤ largest2.

        Parameters
        ----------
        largest2 : float
            An upper bound on ‖x‖².

        Returns
        -------
        bool
            Whether K can be computed from x·z and the squared norms alone.
        """

    def diagonal(self, X: Any, x2: Any, backend: Any) -> Any:
        """Return K(xᵢ, xᵢ) of each row.

        Parameters
        ----------
        X : ndarray, csr_array or Tensor
            The rows.
        x2 : ndarray or Tensor
            Their squared norms.
        backend : Backend
            The array functions to use.

        Returns
        -------
        ndarray or Tensor of shape (n_rows,)
            One value per row.
        """

    def roots(self, diagonal: NDArray[Any]) -> NDArray[Any]:
        """Return root(xᵢ) in the error bound, computed from K(xᵢ, xᵢ).

        Parameters
        ----------
        diagonal : ndarray of shape (n_rows,)
            K(xᵢ, xᵢ).

        Returns
        -------
        ndarray of shape (n_rows,)
            The values root(xᵢ).
        """

    def error(self, n_features: int, largest2: float) -> float:
        """Return the factor `error` in the error bound of `matrix`, for rows with ‖x‖² ≤ largest2.

        Parameters
        ----------
        n_features : int
            The width of the rows.
        largest2 : float
            An upper bound on ‖x‖².

        Returns
        -------
        float
            `error` in the bound on |matrix − pair|.
        """


@dispatch_by_class
def pair(kernel, left, i, right, j):
    """Return K(xᵢ, zⱼ) by the plain loop: features in increasing order, one rounding per operation.

    Parameters
    ----------
    kernel : Kernel
        The kernel object.
    left : Dense or Sparse
        The rows that contain x.
    i : int
        The index of x.
    right : Dense or Sparse
        The rows that contain z.
    j : int
        The index of z.

    Returns
    -------
    float
        K(xᵢ, zⱼ).

    Examples
    --------
    >>> from rosenblatt.examples import as_rows
    >>> from rosenblatt.kernels import Linear
    >>> rows = as_rows([[1.0, 2.0], [3.0, -1.0]])
    >>> float(pair(Linear(), rows, 0, rows, 1))
    1.0
    """


@dispatch_by_class
def from_products(kernel, values, x2, z2, work):
    """Replace values[j] = x·zⱼ by K(x, zⱼ), given ‖x‖² and ‖zⱼ‖², within the error of `matrix`.

    Only kernels for which `is_of_products` is true register this function. `work` is scratch space of the
    same size as `values`.
    """


@jit
def pairs(kernel, support, chosen, rows, i, out):
    """Compute out[k] = K(support row k, row i) for the chosen support rows by the plain loop."""
    for c in range(chosen.size):
        out[chosen[c]] = pair(kernel, support, chosen[c], rows, i)
