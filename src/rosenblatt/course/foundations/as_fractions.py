"""Numbers as exact fractions, and their roots as doubles."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any

from rosenblatt.errors import BadInput

Number = Fraction | float


def is_exact(value: Any) -> bool:
    """Return whether a number is an integer, fraction or decimal, as opposed to a rounded float.

    Examples
    --------
    >>> is_exact(Fraction(1, 3)), is_exact(1 / 3)
    (True, False)
    """
    return isinstance(value, (Rational, Decimal))


def exactly(value: Any, what: str) -> Fraction:
    """Return a number as a fraction; a float becomes its exact binary value.

    Examples
    --------
    >>> exactly(0.5, "x"), exactly(3, "x")
    (Fraction(1, 2), Fraction(3, 1))
    """
    if isinstance(value, Integral):
        return Fraction(int(value))  # NumPy's integers would overflow inside a Fraction
    if isinstance(value, (Rational, Decimal, Real)) and math.isfinite(value):
        return Fraction(value) if isinstance(value, (Rational, Decimal)) else Fraction(float(value))
    raise BadInput(f"{what}: expected a finite number, got {value!r}")


def as_float(value: Fraction) -> float:
    """Return the nearest double.

    Examples
    --------
    >>> as_float(Fraction(10**400))
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: a result is beyond the largest double; divide the numbers by a large one
    """
    try:
        return float(value)
    except OverflowError as error:
        raise BadInput(
            "a result is beyond the largest double; divide the numbers by a large one"
        ) from error


def root(square: Fraction) -> float:
    """Return the square root as a double, correct to the last bit for arbitrarily small and large squares.

    Examples
    --------
    >>> root(Fraction(1, 4)), root(Fraction(1, 10**400)) == 1e-200
    (0.5, True)
    """
    up, down = square.as_integer_ratio()
    places = max(0, 64 - (up.bit_length() - down.bit_length()) // 2)
    return as_float(Fraction(math.isqrt((up << 2 * places) // down), 1 << places))
