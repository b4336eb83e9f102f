"""Kernels given as a function of two matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.errors import BadInput
from rosenblatt.kernels.vectors import of_all_pairs
from rosenblatt.numeric.blocks import spread
from rosenblatt.numeric.row_batches import Rows, n_rows, take

FEW = 16  # K(x, x) is read from the diagonals of matrices of this many rows
ASSUMED_ERROR = 1e-11
ASYMMETRY = 1e-8


class Custom(NamedTuple):
    """Wrap a function of two matrices as a kernel.

    Decisions are based on the value of the function for a single pair of rows. Values computed for many
    pairs together are assumed to differ from this value by at most 1e-11·√(K(x, x)·K(z, z)), which cannot
    be checked for an unknown function.

    Parameters
    ----------
    function : callable
        A function of two float64 matrices with n and m rows that returns an array of shape (n, m). The
        matrices are CSR if the rows are sparse and have more than 16,384 features.

    Examples
    --------
    >>> Custom(lambda X, Z: np.minimum(X[:, None, :], Z[None, :, :]).sum(axis=2)).matrix(
    ...     np.array([[1.0, 2.0]]), np.array([[2.0, 1.0], [0.0, 5.0]]), None, None, None)
    array([[2., 2.]])
    >>> Custom(lambda X, Z: np.minimum(X[:, None, :], Z[None, :, :]).sum(axis=2))([1, 2], [2, 1])
    2.0
    """

    function: Callable[[Any, Any], Any]

    def __call__(self, x: ArrayLike, z: ArrayLike) -> float | NDArray[np.float64]:
        """Return K(x, z) of two vectors; for a matrix, one value per row."""

        def one_row(left: Rows, i: int, right: Rows, values: NDArray[np.float64]) -> None:
            alone = take(left, np.array([i]))
            for j in range(values.size):
                values[j] = self.of_one_pair(alone, take(right, np.array([j])))

        return of_all_pairs(x, z, one_row)

    def of_one_pair(self, left: Rows, right: Rows) -> float:
        """Return K of two rows, each a matrix with one row; the sign of a score is decided by these values.

        Parameters
        ----------
        left, right : Dense or Sparse
            One row each.

        Returns
        -------
        float
            K of the two rows.
        """
        return float(self.matrix(_matrix(left), _matrix(right), None, None, None)[0, 0])

    def matrix(self, X: Any, Z: Any, x2: Any, z2: Any, backend: Any) -> NDArray[np.float64]:
        """Return K for all pairs of rows; see `Kernel.matrix`."""
        shape = (X.shape[0], Z.shape[0])
        is_one = X is Z
        X = X.astype(np.float64, copy=False)
        Z = X if is_one else Z.astype(np.float64, copy=False)
        found = self.function(X, Z)
        try:
            values = np.array(found.toarray() if hasattr(found, "toarray") else found, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise BadInput(f"kernel: expected an array of numbers of shape {shape}, got {error}") from error
        if values.shape != shape:
            raise BadInput(
                f"kernel: returned shape {values.shape} for {shape[0]} and {shape[1]} rows; it must return "
                f"K(X[i], Z[j]) for all pairs, shape {shape}"
            )
        if not np.isfinite(values).all():
            i, j = np.argwhere(~np.isfinite(values))[0]
            raise BadInput(
                f"kernel: K is {values[i, j]} for one pair of rows; it must be finite for all "
                "(scale the features, or clip what overflows)"
            )
        if is_one:
            _refuse_asymmetric(values)
        return values

    def is_of_products(self, largest2: float) -> bool:
        """Return whether K can be computed from inner products; see `Kernel.is_of_products`."""
        return False

    def diagonal(self, X: Any, x2: Any, backend: Any) -> NDArray[np.float64]:
        """Return K(x, x) of each row; see `Kernel.diagonal`."""
        parts = [X[start : start + FEW] for start in range(0, X.shape[0], FEW)]
        return np.concatenate([self.matrix(part, part, None, None, backend).diagonal() for part in parts])

    def roots(self, diagonal: NDArray[Any]) -> NDArray[Any]:
        """Return root(x) of each row for the error bound; see `Kernel.roots`."""
        return np.sqrt(np.abs(diagonal))

    def error(self, n_features: int, largest2: float) -> float:
        """Return the factor `error` of the error bound; see `Kernel.error`."""
        return ASSUMED_ERROR


def _matrix(rows: Rows) -> Any:
    return spread(rows, slice(0, n_rows(rows)))


def _refuse_asymmetric(values: NDArray[np.float64]) -> None:
    apart = np.abs(values - values.T)
    worst = np.unravel_index(int(apart.argmax()), apart.shape) if apart.size else (0, 0)
    if apart.size and apart[worst] > ASYMMETRY * np.abs(values).max():
        i, j = int(worst[0]), int(worst[1])
        raise BadInput(
            f"kernel: not symmetric: K(x, z) = {values[i, j]:.6g} but K(z, x) = {values[j, i]:.6g} for one "
            "pair of rows; a kernel is an inner product, so it must be the same both ways"
        )
