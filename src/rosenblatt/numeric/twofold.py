"""Products of arrays of doubles without rounding, as the unevaluated sum of two doubles."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

SPLITTER = 134217729.0  # 2²⁷ + 1 cuts a double into two halves of 26 bits, whose products are exact

Doubles = NDArray[np.float64]


class Twofold(NamedTuple):
    """Hold high + low, where low is the rounding error of high."""

    high: Doubles
    low: Doubles


def exact_product(a: Any, b: Any) -> Twofold:
    """Return a·b without rounding (Dekker), provided that nothing overflows or underflows.

    Examples
    --------
    >>> exact_product(np.array([1 + 2.0**-30]), np.array([1 + 2.0**-30])).low.item() == 2.0**-60
    True
    """
    high = a * b
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    return Twofold(high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2)


def exact_multiple(a: Any, b: Any) -> Twofold:
    """Return a·b without rounding, for any doubles whose product fits into a double.

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
