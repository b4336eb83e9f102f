"""Kernels K(x, z), one per file, by name."""

from __future__ import annotations

from typing import Any, Literal

from rosenblatt.errors import BadInput, bad_choice
from rosenblatt.kernels.custom import Custom
from rosenblatt.kernels.gaussian_kernel import Gaussian
from rosenblatt.kernels.kernel_hooks import Kernel, pair
from rosenblatt.kernels.kernel_parameters import build_kernel, width
from rosenblatt.kernels.laplacian import Laplacian
from rosenblatt.kernels.linear import Linear
from rosenblatt.kernels.monomials import Monomials, n_monomials
from rosenblatt.kernels.polynomial import Polynomial
from rosenblatt.kernels.products import Products
from rosenblatt.numeric.row_batches import Rows

KERNELS: dict[str, type] = {
    "linear": Linear,
    "polynomial": Polynomial,
    "gaussian": Gaussian,
    "laplacian": Laplacian,
}
"""Every built-in kernel by its name. Custom kernels are passed as functions."""

ELSEWHERE = {"rbf": "gaussian", "poly": "polynomial"}
"""scikit-learn's names for kernels."""

__all__ = [
    "KERNELS",
    "Custom",
    "Gaussian",
    "Kernel",
    "Laplacian",
    "Linear",
    "Monomials",
    "Polynomial",
    "Products",
    "as_kernel",
    "keeps_whole",
    "n_monomials",
    "name_of",
    "pair",
    "width",
]


def as_kernel(
    kernel: Any,
    degree: int = 3,
    gamma: float | Literal["scale", "auto"] = 1.0,
    coef0: float = 1.0,
    rows: Rows | None = None,
) -> Any:
    """Return a kernel object, given its name, a kernel object or a function; parameters are checked.

    Parameters
    ----------
    kernel : str, Kernel or callable
        A name in `KERNELS`, a kernel object, or a function of two matrices that returns K of all pairs of
        their rows.
    degree : int, default=3
        The degree of a polynomial kernel.
    gamma : float, "auto" or "scale", default=1.0
        The factor of x·z or of the distance. "auto" is 1/d for rows of d features; "scale" is
        1/(d·variance of all numbers of `rows`).
    coef0 : float, default=1.0
        The constant of a polynomial kernel.
    rows : Dense or Sparse, default=None
        The rows from which "auto" and "scale" are computed.

    Returns
    -------
    Kernel
        The kernel, with its parameters as numbers; parameters that do not apply to it are ignored.

    Raises
    ------
    BadInput
        If the name is unknown or a parameter is out of range.

    Examples
    --------
    >>> as_kernel("polynomial", degree=2)
    Polynomial(degree=2, gamma=1.0, coef0=1.0)
    >>> as_kernel("gaussian", gamma=0.0)
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: gamma: expected a finite number above 0, 'scale' or 'auto', got 0.0
    """
    if type(kernel) in KERNELS.values():
        return build_kernel(type(kernel), kernel._asdict(), rows)
    if isinstance(kernel, Custom):
        return kernel
    if isinstance(kernel, str):
        if kernel not in KERNELS:
            refusal = str(bad_choice("kernel", kernel, (*KERNELS, "a function of two matrices")))
            other = ELSEWHERE.get(kernel)
            raise BadInput(refusal + (f"; {kernel!r} is called {other!r} here" if other else ""))
        return build_kernel(KERNELS[kernel], {"degree": degree, "gamma": gamma, "coef0": coef0}, rows)
    if callable(kernel):
        return Custom(kernel)
    raise BadInput(
        f"kernel: got {kernel!r}, expected a name ({', '.join(KERNELS)}), a kernel object such as "
        "rosenblatt.kernels.Gaussian(gamma=0.1), or a function of two matrices"
    )


def name_of(kernel: Any) -> str:
    """Return the name by which `as_kernel` accepts a kernel, or the name of a custom function.

    Parameters
    ----------
    kernel : Kernel
        A kernel object.

    Returns
    -------
    str
        The name of the kernel.

    Examples
    --------
    >>> name_of(Gaussian())
    'gaussian'
    """
    known = next((name for name, cls in KERNELS.items() if cls is type(kernel)), None)
    return known or str(getattr(kernel.function, "__name__", "custom"))


def keeps_whole(kernel: Kernel) -> bool:
    """Return whether the kernel maps integer rows to integers.

    Parameters
    ----------
    kernel : Kernel
        A kernel object.

    Returns
    -------
    bool
        True for the linear kernel and for polynomials with integer `gamma` and `coef0`.

    Examples
    --------
    >>> keeps_whole(Polynomial(degree=2)), keeps_whole(Gaussian())
    (True, False)
    """
    if isinstance(kernel, Linear):
        return True
    return isinstance(kernel, Polynomial) and kernel.gamma.is_integer() and kernel.coef0.is_integer()
