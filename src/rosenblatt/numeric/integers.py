"""Floats as exact integers times powers of two, and square roots with directed rounding.

A double is an integer times a power of two. So a vector of doubles is a vector of Python integers times one
common power of two, and all sums and products computed from it are exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

MANY = 1 << 20  # above any exponent of a double
SMALLEST_EXPONENT = -1074  # the smallest positive double is 2^-1074


class Dyadic(NamedTuple):
    """Hold the numbers integers[k]·2^exponent."""

    integers: list[int]
    exponent: int


def as_dyadic(values: Iterable[float] | NDArray[Any]) -> Dyadic:
    """Return finite doubles as exact integers times the largest common power of two.

    Examples
    --------
    >>> as_dyadic([0.5, 3.0, 0.0])
    Dyadic(integers=[1, 6, 0], exponent=-1)
    """
    odd, powers = _odd_parts(np.asarray(values, np.float64))
    there = odd != 0
    common = int(powers[there].min(initial=MANY)) if there.any() else 0
    shifts = np.where(there, powers - common, 0)
    return Dyadic([m << s for m, s in zip(odd.tolist(), shifts.tolist(), strict=True)], common)


def common_exponent(values: NDArray[np.float64]) -> int:
    """Return the exponent that `as_dyadic` would choose.

    Examples
    --------
    >>> common_exponent(np.array([0.5, 3.0, 0.0]))
    -1
    """
    odd, powers = _odd_parts(values)
    return int(powers[odd != 0].min(initial=MANY)) if odd.any() else 0


def _odd_parts(values: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (odd, power) arrays such that each double is odd·2^power; odd is 0 for 0."""
    fractions, exponents = np.frexp(values)
    mantissas = (fractions * 2.0**53).astype(np.int64)
    lowest_bit = (mantissas & -mantissas).astype(np.float64)
    lowest_bit[lowest_bit == 0.0] = 1.0
    zeros = np.frexp(lowest_bit)[1] - 1
    return mantissas >> zeros, exponents.astype(np.int64) - 53 + zeros


def as_doubles(integers: list[int]) -> list[float] | None:
    """Return the integers divided by one power of two, as doubles; None if a double would be rounded.

    Examples
    --------
    >>> as_doubles([3, 1 << 2000]), as_doubles([1, (1 << 60) + 1])
    (None, None)
    >>> as_doubles([3 << 2000, 1 << 2000])
    [3.0, 1.0]
    """
    factor = math.gcd(*integers)
    shift = (factor & -factor).bit_length() - 1 if factor else 0
    small = [number >> shift for number in integers]
    if any(number.bit_length() > 1000 for number in small):
        return None
    doubles = [float(number) for number in small]
    return doubles if all(int(x) == number for x, number in zip(doubles, small, strict=True)) else None


def divide_by_gcd(integers: list[int]) -> list[int]:
    """Return the integers divided by their greatest common divisor.

    Examples
    --------
    >>> divide_by_gcd([6, -4, 0])
    [3, -2, 0]
    """
    factor = math.gcd(*integers)
    return [number // factor for number in integers] if factor > 1 else integers


def to_doubles(integers: Iterable[int]) -> NDArray[np.float64]:
    """Return the doubles nearest to integers of any size, divided by one power of two if necessary."""
    integers = list(integers)
    bits = max((abs(number).bit_length() for number in integers), default=0)
    shift = max(0, bits - 1000)
    return np.array([_scaled_down(number, shift) for number in integers])


def _scaled_down(number: int, shift: int) -> float:
    # small numbers take the fast path: the quotient of two huge integers is slow
    return math.ldexp(float(number), -shift) if number.bit_length() < 1000 else number / (1 << shift)


def root_below(numerator: int, denominator: int, exponent: int = 0) -> float:
    """Return the largest double that is at most √(numerator/denominator)·2^exponent.

    Examples
    --------
    >>> root_below(1, 4), root_below(2, 1) < math.sqrt(2) + 1e-15
    (0.5, True)
    """
    return _cut(*_root(numerator, denominator), exponent, up=False)


def root_above(numerator: int, denominator: int, exponent: int = 0) -> float:
    """Return the smallest double that is at least √(numerator/denominator)·2^exponent."""
    return _cut(*_root(numerator, denominator), exponent, up=True)


def _root(numerator: int, denominator: int) -> tuple[int, int, bool]:
    """Return √(numerator/denominator) as (r, k, exact).

    r = ⌊√(numerator/denominator)·2^k⌋ has at least 128 bits; `exact` is True if nothing was cut off.
    """
    k = max(0, (257 - numerator.bit_length() + denominator.bit_length()) // 2)
    quotient, rest = divmod(numerator << (2 * k), denominator)
    r = math.isqrt(quotient)
    return r, k, rest == 0 and r * r == quotient


def _cut(r: int, k: int, exact: bool, exponent: int, up: bool) -> float:
    """Return r·2^(exponent−k) rounded to a double: upwards if `up`, otherwise towards zero."""
    if r == 0:
        return 0.0
    power = exponent - k
    lost = max(r.bit_length() - 53, SMALLEST_EXPONENT - power)
    kept = r >> lost if lost > 0 else r << -lost
    if up and (not exact or (lost > 0 and kept << lost != r)):
        kept += 1
    try:
        return math.ldexp(float(kept), power + lost)
    except OverflowError:
        return math.inf if up else float(np.finfo(np.float64).max)
