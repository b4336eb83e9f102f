"""Checks of a probability table, and numbers and arrays made from one."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.course.foundations.as_fractions import Number, is_exact
from rosenblatt.course.foundations.bayes import as_fraction
from rosenblatt.course.foundations.distributions.checked_numbers import real
from rosenblatt.errors import BadInput, bad_value

Outcome = Hashable
ROUNDING = 1e-12  # tolerance of the sum of normalised floats


def probabilities(table: Any) -> dict[Outcome, Any]:
    """Return a table after checking it, with all probabilities as fractions or all as floats.

    Examples
    --------
    >>> probabilities({0: "1/2", 1: "1/3"})
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: table: the probabilities add up to 5/6, expected 1; thirds and the like are exact as text: "1/3"
    """  # noqa: E501
    if not isinstance(table, Mapping) or not table:
        raise bad_value("table", table, "a probability for each outcome, as a dict")
    found = {outcome: _probability(value, f"P({outcome})") for outcome, value in table.items()}
    total = sum((Fraction(p) for p in found.values()), Fraction(0))
    exact = all(map(is_exact, found.values()))
    if abs(total - 1) > (0 if exact else ROUNDING):
        raise BadInput(
            f"table: the probabilities add up to {total if exact else float(total)}, expected 1; "
            'thirds and the like are exact as text: "1/3"'
        )
    return found if exact else {outcome: float(p) for outcome, p in found.items()}


def _probability(value: Any, parameter: str) -> Number:
    is_float = isinstance(value, Real) and not is_exact(value)
    found = real(parameter, value) if is_float else as_fraction(value, parameter)
    if not 0 <= found <= 1:
        raise bad_value(parameter, value, "a probability, from 0 to 1")
    return found


def outcomes(data: Any) -> list[Any]:
    """Return observations as a list of Python numbers; rows of an array become tuples."""
    if isinstance(data, np.ndarray):
        return [tuple(row) if isinstance(row, list) else row for row in data.tolist()]
    if isinstance(data, str) or not isinstance(data, Iterable):
        raise bad_value("data", data, "a list of outcomes")
    return list(data)


def as_array(values: list[Any]) -> NDArray[Any]:
    """Return outcomes as an array, with dtype object unless another dtype holds all of them unchanged."""
    alike = all(isinstance(v, str) for v in values) or all(type(v) in (int, float, bool) for v in values)
    natural = np.array(values) if alike else None
    if natural is not None and natural.tolist() == values:
        return natural
    return np.fromiter(values, dtype=object, count=len(values))


def logarithm(p: Fraction) -> float:
    """Return ln p for 0 ≤ p ≤ 1, accurate even if p is close to 1 or too small for a double.

    Examples
    --------
    >>> logarithm(1 - Fraction(1, 10**20)), round(logarithm(Fraction(1, 10**400)), 3)
    (-1e-20, -921.034)
    """
    if p == 0:
        return -math.inf
    if p > Fraction(1, 2):
        return math.log1p(float(p - 1))
    return math.log(p.numerator) - math.log(p.denominator)


def number_text(value: Number) -> str:
    """Return a fraction as a/b, or a float with six digits."""
    return str(value) if is_exact(value) else f"{value:.6g}"
