"""Check the parameters of kernels, and compute `gamma` from rows."""

from __future__ import annotations

import math
import numbers
from typing import Any, Literal

import numpy as np

from rosenblatt.errors import BadInput, bad_value, whole_number
from rosenblatt.numeric.compiling import jit
from rosenblatt.numeric.row_batches import Rows, Sparse, n_features, n_rows

GAMMAS = ("scale", "auto")
CANCELLED = 1e-6  # a variance below this fraction of the squared mean is summed again


def build_kernel(cls: Any, parameters: dict[str, Any], rows: Rows | None) -> Any:
    """Build a kernel from the parameters that it accepts, after checking them; ignore all others."""
    found: dict[str, Any] = {}
    for name in cls._fields:
        value = parameters[name]
        if name == "degree":
            found[name] = whole_number("degree", value, 1)
        elif name == "gamma":
            found[name] = width(value, rows)
        else:
            if not _is_real(value) or not 0.0 <= value < math.inf:
                raise bad_value(
                    "coef0",
                    value,
                    "a finite number of at least 0 (below 0 the kernel is not an inner product)",
                )
            found[name] = float(value)
    return cls(**found)


def width(gamma: float | Literal["scale", "auto"], rows: Rows | None) -> float:
    """Return gamma as a number; "scale" and "auto" are computed from the rows.

    Parameters
    ----------
    gamma : float, "scale" or "auto"
        A number above 0; "auto" is 1/d for rows of d features, "scale" is 1/(d·variance of all numbers of
        the rows).
    rows : Dense, Sparse or None
        The rows; needed only for "scale" and "auto".

    Returns
    -------
    float
        The value of gamma.

    Raises
    ------
    BadInput
        If gamma is out of range, or the variance under- or overflows.

    Examples
    --------
    >>> from rosenblatt.examples import as_rows
    >>> width("auto", as_rows([[1.0, 2.0], [3.0, 4.0]])), width("scale", as_rows([[1.0, 2.0], [3.0, 4.0]]))
    (0.5, 0.4)
    """
    if isinstance(gamma, str) and gamma in GAMMAS:
        if rows is None:
            raise bad_value(
                "gamma", gamma, "a finite number above 0, because there are no rows to compute it from"
            )
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
    """Return whether a value is a number that fits in a double."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def _variance(rows: Rows) -> float:
    """Return the variance of all entries, including zeros; it is equal for dense and sparse rows."""
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


@jit
def _moments(values, shift):
    """Return Σ (v − shift) and Σ (v − shift)² over the nonzero numbers, and their count."""
    first, second, present = 0.0, 0.0, 0
    for k in range(values.size):
        if values[k] != 0.0:
            v = np.float64(values[k]) - shift
            first += v
            second += v * v
            present += 1
    return first, second, present
