"""Signs of w·x + b are exact for weights of any size and rows of any scale."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from rosenblatt.data.labels import as_labels
from rosenblatt.numeric import digits
from rosenblatt.numeric.agreements import agreement_signs
from rosenblatt.numeric.row_batches import Batch, as_rows


def make_batch(X, y):
    return Batch(as_rows(X), as_labels(y), np.empty(0))


weights = (
    st.integers(-3, 3) | st.integers(-(2**70), 2**70) | st.sampled_from([2**3000, -(2**3000), 2**999 + 1])
)
doubles = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-5, 5).map(float)


def expected_signs(X, y, w):
    totals = [
        label * (sum(Fraction(x) * wj for x, wj in zip(row, w[:-1], strict=True)) + w[-1])
        for row, label in zip(np.asarray(X).tolist(), y, strict=True)
    ]
    return [(total > 0) - (total < 0) for total in totals]


@given(draw=st.data(), n=st.integers(1, 5), d=st.integers(1, 4))
def test_signs_of_any_doubles_and_any_whole_weights_are_exact(draw, n, d):
    X = np.array(draw.draw(st.lists(doubles, min_size=n * d, max_size=n * d))).reshape(n, d)
    y = draw.draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    w = draw.draw(st.lists(weights, min_size=d + 1, max_size=d + 1))
    for form in (X, csr_array(X)):
        assert agreement_signs(make_batch(form, y), w).tolist() == expected_signs(X, y, w)


@given(
    row=st.lists(st.integers(-(2**26) + 1, 2**26 - 1), min_size=1, max_size=6),
    draw=st.data(),
    constant=st.integers(-(2**200), 2**200),
)
def test_digits_give_the_sign_of_the_sum_of_whole_numbers(row, draw, constant):
    w = draw.draw(st.lists(weights, min_size=len(row), max_size=len(row)))
    total = sum(x * wj for x, wj in zip(row, w, strict=True))
    matrix = np.array([row, row, row], float)
    for added in (constant, -total, 1 - total, -1 - total):
        sign = (total + added > 0) - (total + added < 0)
        assert digits.signs(matrix, w, added).tolist() == [sign] * 3
        assert digits.signs(csr_array(matrix), w, added).tolist() == [sign] * 3


@pytest.mark.parametrize("width", [1, 2, 3, 100, 4095, 4096])
def test_the_widest_numbers_of_all_signs_fill_a_digit_without_rounding(width):
    """Every entry at the largest it may be, so that each sum of digits is as large as it can be."""
    largest = 2**digits.WIDEST - 1
    w = [2**300 - 1] * width
    matrix = np.full((1, width), float(largest))
    total = largest * width * (2**300 - 1)
    assert digits.fits(matrix.ravel(), 0, width)
    for added, sign in ((-total, 0), (1 - total, 1), (-1 - total, -1)):
        assert digits.signs(matrix, w, added).tolist() == [sign]
        assert digits.signs(-matrix, w, -added).tolist() == [-sign]


def test_wider_numbers_do_not_fit_digits():
    assert digits.fits(np.array([2.0**26 - 1]), 0, 1)
    assert not digits.fits(np.array([2.0**26]), 0, 1)
    assert digits.fits(np.array([0.0]), -1074, 1)
    assert not digits.fits(np.array([1.0]), -26, 1)
    assert digits.fits(np.array([1.0]), -25, 1)
    assert not digits.fits(np.array([1.0]), 0, 1 << 24)


def test_a_sum_whose_sign_doubles_get_wrong_has_the_sign_of_the_whole_numbers():
    """2⁵³ + 3 − (2⁵³ + 4) + ¼ is −¾; in doubles 2⁵³ + 3 is 2⁵³ + 4, so that ¼ is left."""
    orders = list(permutations([2.0**53, 3.0, -(2.0**53) - 4.0, 0.25]))
    assert any(sum(row) > 0 for row in orders)
    for form in (np.array(orders), csr_array(np.array(orders))):
        assert agreement_signs(make_batch(form, [1] * 24), [1, 1, 1, 1, 0]).tolist() == [-1] * 24


def test_rows_over_many_blocks_keep_their_places():
    rng = np.random.default_rng(1)
    X = rng.integers(-3, 4, (30_000, 50)).astype(float)
    w = rng.integers(-2, 3, 50)
    y = rng.choice([-1, 1], 30_000)
    expected = np.sign(X @ w - 1) * y
    for form in (X, csr_array(X), X.astype(np.float32)):
        assert np.array_equal(agreement_signs(make_batch(form, y), [*w.tolist(), -1]), expected)
