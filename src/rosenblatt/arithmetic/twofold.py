"""Numbers of twice the precision of a double: the unevaluated sum of two of them.

A polynomial through many points has large terms that cancel: evaluated in doubles it misses its own points.
With about 106 bits for every sum and product the result is right to the last bit or two of a double, as
long as the terms are not 10¹⁵ times larger than their sum. Everything here works on whole arrays.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

SPLITTER = 134217729.0  # 2²⁷ + 1 cuts a double into two halves of 26 bits, whose products are exact

Doubles = NDArray[np.float64]


class Twofold(NamedTuple):
    """high + low, where low is what high was rounded by."""

    high: Doubles
    low: Doubles


def exact_sum(a: Any, b: Any) -> Twofold:
    """Return a + b without any rounding (Knuth).

    Examples
    --------
    >>> exact_sum(np.array([1.0]), np.array([2.0**-70])).low.item() == 2.0**-70
    True
    """
    high = a + b
    of_b = high - a
    return Twofold(high, (a - (high - of_b)) + (b - of_b))


def exact_product(a: Any, b: Any) -> Twofold:
    """Return a·b without any rounding (Dekker), while it neither overflows nor underflows.

    Examples
    --------
    >>> exact_product(np.array([1 + 2.0**-30]), np.array([1 + 2.0**-30])).low.item() == 2.0**-60
    True
    """
    high = a * b
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    return Twofold(high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2)


def exact_multiple(a: Any, b: Any) -> Twofold:
    """Return a·b without any rounding, for doubles of any size whose product a double can hold.

    Examples
    --------
    >>> exact_multiple(3.0, np.array([1e300, 0.1])).high.tolist()
    [3e+300, 0.30000000000000004]
    """
    (of_a, power_a), (of_b, power_b) = np.frexp(a), np.frexp(b)
    high, low = exact_product(of_a, of_b)
    return Twofold(np.ldexp(high, power_a + power_b), np.ldexp(low, power_a + power_b))


def _halves(a: Any) -> tuple[Any, Any]:
    scaled = SPLITTER * a
    upper = scaled - (scaled - a)
    return upper, a - upper


def _renewed(high: Any, low: Any) -> Twofold:
    """Return the same sum with |low| at most half a last bit of high."""
    total = high + low
    return Twofold(total, low - (total - high))


def add(a: Twofold, b: Twofold) -> Twofold:
    """Return a + b.

    Examples
    --------
    >>> one = Twofold(np.array([1.0]), np.array([2.0**-80]))
    >>> add(one, Twofold(-one.high, np.array([0.0]))).high.item() == 2.0**-80
    True
    """
    high, carry = exact_sum(a.high, b.high)
    low, rest = exact_sum(a.low, b.low)
    high, carry = _renewed(high, carry + low)
    return _renewed(high, carry + rest)


def multiply(a: Twofold, b: Twofold) -> Twofold:
    """Return a·b.

    Examples
    --------
    >>> third = divide(Twofold(np.array([1.0]), np.array([0.0])), 3.0)
    >>> multiply(third, Twofold(np.array([3.0]), np.array([0.0]))).high.item()
    1.0
    """
    high, low = exact_product(a.high, b.high)
    return _renewed(high, low + (a.high * b.low + a.low * b.high))


def divide(a: Twofold, b: Any) -> Twofold:
    """Return a/b for a double b.

    Examples
    --------
    >>> divide(Twofold(np.array([1.0]), np.array([0.0])), 4.0).high.item()
    0.25
    """
    quotient = a.high / b
    product, error = exact_product(quotient, b)
    return _renewed(quotient, ((a.high - product) - error + a.low) / b)
