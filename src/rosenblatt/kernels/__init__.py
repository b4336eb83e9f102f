"""Kernels K(x, z), one per file, by name."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from rosenblatt.compiling import compiled
from rosenblatt.errors import BadInput, bad_choice, bad_value
from rosenblatt.examples import Rows, Sparse, n_features, n_rows
from rosenblatt.kernels.custom import Custom
from rosenblatt.kernels.gaussian import Gaussian
from rosenblatt.kernels.laplacian import Laplacian
from rosenblatt.kernels.linear import Linear
from rosenblatt.kernels.polynomial import Polynomial
from rosenblatt.kernels.shape import Kernel, pair

KERNELS: dict[str, type] = {
    "linear": Linear,
    "polynomial": Polynomial,
    "gaussian": Gaussian,
    "laplacian": Laplacian,
}
"""Every kernel by its name. One of your own needs no name: pass the function."""

ELSEWHERE = {"rbf": "gaussian", "poly": "polynomial"}
"""Names that scikit-learn has for them."""

GAMMAS = ("scale", "auto")
CANCELLED = 1e-6  # of the square of the mean: a variance below it is summed again

__all__ = [
    "KERNELS",
    "Custom",
    "Gaussian",
    "Kernel",
    "Laplacian",
    "Linear",
    "Polynomial",
    "as_kernel",
    "keeps_whole",
    "name_of",
    "pair",
    "width",
]


def as_kernel(
    kernel: Any, degree: Any = 3, gamma: Any = 1.0, coef0: Any = 1.0, rows: Rows | None = None
) -> Any:
    """A kernel object from a name, an object or a callable, with every parameter in its range.

    gamma: a number; "auto", 1/d for rows of d features; or "scale", 1/(d·variance of all numbers of
    `rows`).

    >>> as_kernel("polynomial", degree=2)
    Polynomial(degree=2, gamma=1.0, coef0=1.0)
    >>> as_kernel("gaussian", gamma=0.0)
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: gamma: expected a finite number above 0, 'scale' or 'auto', got 0.0
    """
    if type(kernel) in KERNELS.values():
        return _checked(type(kernel), kernel._asdict(), rows)
    if isinstance(kernel, Custom):
        return kernel
    if isinstance(kernel, str):
        if kernel not in KERNELS:
            refusal = str(bad_choice("kernel", kernel, (*KERNELS, "a function of two matrices")))
            other = ELSEWHERE.get(kernel)
            raise BadInput(refusal + (f"; {kernel!r} is called {other!r} here" if other else ""))
        return _checked(KERNELS[kernel], {"degree": degree, "gamma": gamma, "coef0": coef0}, rows)
    if callable(kernel):
        return Custom(kernel)
    raise BadInput(
        f"kernel: got {kernel!r}, expected a name ({', '.join(KERNELS)}), a kernel object such as "
        "rosenblatt.kernels.Gaussian(gamma=0.1), or a function of two matrices"
    )


def name_of(kernel: Any) -> str:
    """The name that `as_kernel` knows it by, or the function's own."""
    known = next((name for name, cls in KERNELS.items() if cls is type(kernel)), None)
    return known or str(getattr(kernel.function, "__name__", "custom"))


def keeps_whole(kernel: Any) -> bool:
    """Whether K of rows of whole numbers is a whole number."""
    if isinstance(kernel, Linear):
        return True
    return isinstance(kernel, Polynomial) and kernel.gamma.is_integer() and kernel.coef0.is_integer()


def _checked(cls: Any, parameters: dict[str, Any], rows: Rows | None) -> Any:
    """An object of this class, with those of the parameters that it has."""
    checked: dict[str, Any] = {}
    for name in cls._fields:
        value = parameters[name]
        if name == "degree":
            if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 1:
                raise bad_value("degree", value, "a whole number of at least 1")
            checked[name] = int(value)
        elif name == "gamma":
            checked[name] = width(value, rows)
        else:
            if not _is_real(value) or not 0.0 <= value < math.inf:
                raise bad_value(
                    "coef0", value, "a finite number of at least 0 (below 0 the kernel is no inner product)"
                )
            checked[name] = float(value)
    return cls(**checked)


def width(gamma: Any, rows: Rows | None) -> float:
    """gamma as a number; "scale" and "auto" ask the rows.

    >>> from rosenblatt.examples import as_rows
    >>> width("auto", as_rows([[1.0, 2.0], [3.0, 4.0]])), width("scale", as_rows([[1.0, 2.0], [3.0, 4.0]]))
    (0.5, 0.4)
    """
    if isinstance(gamma, str) and gamma in GAMMAS:
        if rows is None:
            raise bad_value("gamma", gamma, "a finite number above 0: there are no rows yet to measure")
        if gamma == "auto":
            return 1.0 / n_features(rows)
        variance = _variance(rows)
        found = 1.0 / (n_features(rows) * variance) if variance else 1.0
        if not 0.0 < found < math.inf:
            raise BadInput(
                "gamma: 'scale' needs the variance of X, which is too small or too large for a double; "
                "divide the features by their largest value first (sklearn.preprocessing.MaxAbsScaler does)"
            )
        return found
    if not _is_real(gamma) or not 0.0 < float(gamma) < math.inf:
        raise bad_value("gamma", gamma, "a finite number above 0, 'scale' or 'auto'")
    return float(gamma)


def _is_real(value: Any) -> bool:
    """Whether it is a number that a double can stand for."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def _variance(rows: Rows) -> float:
    """Of all numbers of the rows, zeros included; the same bits for dense and sparse rows."""
    count = float(n_rows(rows)) * n_features(rows)
    values = rows.values[: int(rows.starts[-1])] if isinstance(rows, Sparse) else rows.values.ravel()
    first, second, present = _moments(values, 0.0)
    if second == 0.0 and present:
        return math.nan  # the squares underflow
    mean = first / count
    if second / count < (1.0 + CANCELLED) * mean * mean:  # sum again around the mean
        first, second, present = _moments(values, mean)
        first -= (count - present) * mean
        second += (count - present) * mean * mean
    return max(0.0, float(second / count - (first / count) ** 2)) if math.isfinite(second) else math.nan


@compiled
def _moments(values, shift):
    """Σ (v − shift) and Σ (v − shift)² over the numbers that are not 0, one after another, and how many."""
    first, second, present = 0.0, 0.0, 0
    for k in range(values.size):
        if values[k] != 0.0:
            v = np.float64(values[k]) - shift
            first += v
            second += v * v
            present += 1
    return first, second, present
