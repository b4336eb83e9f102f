"""Conversions of doubles to integers, and roots rounded to the safe side, against fractions."""

from __future__ import annotations

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rosenblatt.numeric.integers import as_dyadic, root_above, root_below, to_doubles

LARGEST = sys.float_info.max
SMALLEST = 5e-324

finite = st.floats(allow_nan=False, allow_infinity=False)
whole = st.one_of(
    st.integers(0, 10**6),
    st.integers(0, 2**400),
    st.builds(lambda m, k: m << k, st.integers(0, 9), st.integers(0, 3000)),
)
positive = whole.filter(bool)


@given(st.lists(finite, min_size=0, max_size=6))
@example([SMALLEST, LARGEST, -0.0])
@example([-LARGEST, -SMALLEST, sys.float_info.min])
@example([-0.0, 0.0])
def test_doubles_are_whole_numbers_over_one_power_of_two(values):
    integers, exponent = as_dyadic(values)
    assert all(type(number) is int for number in integers)
    assert [number * Fraction(2) ** exponent for number in integers] == [Fraction(v) for v in values]


@given(st.lists(finite.filter(bool), min_size=1, max_size=6))
def test_the_common_power_of_two_is_the_largest(values):
    integers, _ = as_dyadic(values)
    assert any(number % 2 for number in integers)


@given(numerator=whole, denominator=positive, exponent=st.integers(-2200, 2200))
@example(2, 1, 0)
@example(1, 3, -1074)  # between 0 and the smallest double
@example(1, 1, -1074)  # the smallest double itself
@example(1, 4, -1073)
@example(1, 1, 1024)  # just above the largest double
@example(((1 << 53) - 1) ** 2, 1, 971)  # the largest double itself
@example(((1 << 53) - 1) ** 2 + 1, 1, 971)
@example((1 << 106) - 1, 1, 0)  # a root just below a power of two
@example((1 << 106) + 1, 1, 0)
@example(0, 7, 5)
def test_roots_are_the_doubles_next_to_the_true_root(naive, numerator, denominator, exponent):
    square = Fraction(numerator, denominator) * Fraction(4) ** exponent
    below, above = (
        root_below(numerator, denominator, exponent),
        root_above(numerator, denominator, exponent),
    )
    assert naive.is_largest_double_below(below, square)
    assert naive.is_smallest_double_above(above, square)
    assert below == above or above == math.nextafter(below, math.inf)


@given(st.integers(1, (1 << 53) - 1), st.integers(1, 10**9), st.integers(-1074, 900))
def test_an_exact_square_has_one_root_from_both_sides(root, factor, exponent):
    numerator, denominator = (root * factor) ** 2, factor**2
    expected = math.ldexp(float(root), exponent)
    assert root_below(numerator, denominator, exponent) == expected
    assert root_above(numerator, denominator, exponent) == expected


@pytest.mark.parametrize(
    ("exponent", "below", "above"),
    [
        *((exponent, LARGEST, math.inf) for exponent in (1024, 5000)),
        *((exponent, 0.0, SMALLEST) for exponent in (-1080, -5000)),
    ],
)
def test_a_root_beyond_all_doubles_is_between_the_two_last_ones(exponent, below, above):
    assert (root_below(3, 1, exponent), root_above(3, 1, exponent)) == (below, above)


@given(st.lists(st.one_of(st.integers(), st.integers(-(2**1100), 2**1100), st.just(2**3000)), max_size=6))
@example([2**3000, 1, -(2**1999)])
@example([2**1024 - 1])
def test_whole_numbers_of_any_size_become_doubles_in_the_same_proportion(numbers):
    doubles = to_doubles(numbers)
    assert np.isfinite(doubles).all()
    shift = max(0, max((abs(n).bit_length() for n in numbers), default=0) - 1000)
    for number, double in zip(numbers, doubles.tolist(), strict=True):
        wanted = Fraction(number, 1 << shift)
        # half a unit in the last place, or half the smallest double
        assert abs(Fraction(double) - wanted) <= max(abs(wanted) / 2**53, Fraction(SMALLEST) / 2)
