"""Covariance and correlation of two columns of numbers."""

from __future__ import annotations

import math
from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.course.foundations.as_fractions import Number, exactly, is_exact, root
from rosenblatt.course.foundations.distributions.checked_numbers import observations
from rosenblatt.course.foundations.distributions.gaussian import mean_of
from rosenblatt.errors import BadInput

Doubles = NDArray[np.float64]


def covariance(x: ArrayLike, y: ArrayLike) -> Number:
    """Return the covariance (1/n) Σ (xᵢ − x̄)(yᵢ − ȳ) of two columns.

    The covariance of a column with itself is its variance. The sum is divided by n, as in maximum
    likelihood; `numpy.cov` and `statistics.covariance` divide by n − 1.

    Parameters
    ----------
    x, y : array-like of shape (n_rows,)
        The columns.

    Returns
    -------
    Fraction or float
        An exact fraction if all numbers are integers, fractions or decimals, otherwise a float.

    Raises
    ------
    BadInput
        If the columns differ in length or the product overflows.

    Examples
    --------
    >>> covariance([1, 2, 3, 4], [2, 4, 6, 9])
    Fraction(23, 8)
    >>> covariance([0.5, 1.5], [1.0, 4.0])
    0.75
    """
    first, second = _columns(x, y)
    if isinstance(first, list) and isinstance(second, list):
        return _exact(first, second)
    with np.errstate(over="ignore"):
        found = mean_of(_away(first) * _away(second))
    if not math.isfinite(found):
        raise BadInput("x, y: their product overflows; divide the columns by a large number")
    return found


def correlation(x: ArrayLike, y: ArrayLike) -> float:
    """Return the correlation cov(x, y)/(σₓσᵧ), a number from −1 to 1.

    Parameters
    ----------
    x, y : array-like of shape (n_rows,)
        The columns.

    Returns
    -------
    float
        The correlation.

    Raises
    ------
    BadInput
        If the columns differ in length or one is constant.

    Examples
    --------
    >>> correlation([1, 2, 3], [5, 3, 1]), round(correlation([1, 2, 3, 4], [2, 4, 6, 9]), 6)
    (-1.0, 0.994377)
    """
    first, second = _columns(x, y)
    for name, column in (("x", first), ("y", second)):
        if min(column) == max(column):
            raise BadInput(
                f"{name}: all numbers are the same, so its variance is 0 and there is no correlation"
            )
    if isinstance(first, list) and isinstance(second, list):
        exact = _exact(first, second)
        size = root(exact**2 / (_exact(first, first) * _exact(second, second)))
        return -size if exact < 0 else size
    a, b = (away / np.abs(away).max() for away in (_away(first), _away(second)))
    along = math.fsum((a * b).tolist())
    found = along / math.sqrt(math.fsum((a * a).tolist()) * math.fsum((b * b).tolist()))
    return max(-1.0, min(1.0, found))


def _exact(first: list[Any], second: list[Any]) -> Fraction:
    """Return (n Σxy − Σx Σy)/n², which equals the covariance but needs no means."""
    n = len(first)
    product = sum(a * b for a, b in zip(first, second, strict=True))
    return Fraction(n * product - sum(first) * sum(second)) / n**2


def _away(column: list[Any] | Doubles) -> Doubles:
    numbers = np.asarray(column, dtype=np.float64)
    away: Doubles = numbers - mean_of(numbers)
    return away


def _columns(x: ArrayLike, y: ArrayLike) -> tuple[list[Any] | Doubles, list[Any] | Doubles]:
    first, second = _column("x", x), _column("y", y)
    if len(first) != len(second):
        raise BadInput(f"x, y: columns of different length, {len(first)} and {len(second)} numbers")
    return first, second


def _column(name: str, given: Any) -> list[Any] | Doubles:
    """Return a column as a list if its numbers are exact, otherwise as an array of doubles."""
    values = given.tolist() if hasattr(given, "tolist") else given
    if isinstance(values, (list, tuple)) and values and all(map(is_exact, values)):
        return [int(value) if isinstance(value, Integral) else exactly(value, name) for value in values]
    try:
        return observations(given)
    except BadInput as error:
        raise BadInput(str(error).replace("data:", f"{name}:", 1)) from error
