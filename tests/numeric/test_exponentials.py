"""e^x of many numbers at once is within 5 roundings of the true one."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.numeric.exponentials import LEAST, exponentials
from rosenblatt.numeric.rows import ROUNDING


def exponentials_of(numbers: list[float]) -> np.ndarray:
    values = np.array(numbers)
    exponentials(values, np.empty(len(numbers)))
    return values


def off_by(numbers: list[float]) -> float:
    """The largest error as a part of the true value, in roundings."""
    with localcontext() as context:
        context.prec = 40
        true = [Decimal(x).exp() for x in numbers]
        return max(
            float(abs(Decimal(float(value)) - e) / e) / ROUNDING
            for value, e in zip(exponentials_of(numbers), true, strict=True)
        )


@given(st.lists(st.floats(LEAST, 0.0), min_size=1, max_size=20))
def test_of_numbers_of_any_size(numbers):
    assert off_by(numbers) < 5.0


def test_where_the_series_is_longest():
    """Half way between two multiples of ln 2, on either side, whatever the multiple."""
    halves = [(k + 0.5) * math.log(2.0) for k in range(-1020, 0)]
    assert off_by([np.nextafter(x, side) for x in halves for side in (-np.inf, 0.0)]) < 5.0


def test_of_zero_and_next_to_it():
    assert exponentials_of([0.0, -0.0, -5e-324, -1e-17]).tolist() == [1.0] * 4


def test_values_far_below_the_maximum_are_negligible():
    assert (exponentials_of([LEAST, -745.0, -1e300, -np.inf]) == exponentials_of([LEAST])[0]).all()
    assert 0.0 < exponentials_of([LEAST])[0] < 1e-307
