"""The long accumulator: sums of products without rounding, rounded once at the end."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.numeric.exact import LIMBS, add_product, round_total

any_finite = st.floats(allow_nan=False, allow_infinity=False)
pairs = st.lists(st.tuples(any_finite, any_finite), min_size=1, max_size=12)


def exact_dot(a, b) -> float:
    """The double nearest to Σ aⱼ·bⱼ, from two sequences of finite numbers."""
    total = np.zeros(LIMBS, np.int64)
    for x, z in zip(a, b, strict=True):
        add_product(total, float(x), float(z))
    return float(round_total(total))


def nearest(total: Fraction) -> float:
    """The double nearest to a fraction; but what is not 0 must not become 0."""
    if total == 0:
        return 0.0
    try:
        rounded = float(total)
    except OverflowError:
        rounded = math.inf
        return rounded if total > 0 else -rounded
    return rounded or math.copysign(5e-324, total)


@given(pairs)
@example([(1e300, 1e300), (1.0, 1.0), (-1e300, 1e300)])
@example([(0.1, 1.0), (0.2, 1.0), (-0.3, 1.0)])
@example([(5e-324, 5e-324)])
@example([(1.7976931348623157e308, 1.7976931348623157e308)] * 6)
@example([(2.0**-1000, 2.0**-74), (2.0**-1000, 2.0**-75)])
@example([(1.0, 1.0), (2.0**-53, 1.0)])
@example([(1.0, 1.0), (2.0**-53, 1.0), (5e-324, 1.0)])
def test_equals_the_fraction_rounded_once(terms):
    a, b = zip(*terms, strict=True)
    total = sum((Fraction(x) * Fraction(z) for x, z in terms), Fraction(0))
    assert exact_dot(a, b) == nearest(total)
