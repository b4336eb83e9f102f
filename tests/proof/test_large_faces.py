"""Quasi-separation of data too large for exact arithmetic on all rows."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, vstack

from rosenblatt import separate, verify


def test_without_offset_the_origin_is_the_only_row_that_is_not_separated():
    rng = np.random.default_rng(0)
    X = rng.integers(-5, 6, (4000, 300)).astype(float)
    w = rng.normal(size=300)
    y = np.where(X @ w > 0, 1, -1)
    X[17] = 0.0
    verdict = separate(X, y, offset=False)
    assert verdict.kind == "quasi-separable"
    assert verdict.support.tolist() == [17]
    assert verdict.separated.tolist() == [i for i in range(4000) if i != 17]
    assert verify(verdict, X, y).kind == "quasi-separable"


def test_a_word_of_one_class_only_is_a_quasi_separation_however_wide_the_data():
    """20,000 rows of 20,000 columns: too wide for facial reduction, but a column decides."""
    rng = np.random.default_rng(1)
    n = 20_000
    columns = rng.integers(0, n - 1, (n, 3))
    columns[:2] = [1, 2, 3]
    y = rng.integers(0, 2, n)
    y[:2] = [0, 1]
    columns[5] = [10, 11, n - 1]  # nobody else has the last word
    X = csr_array((np.ones(3 * n), columns.ravel(), np.arange(0, 3 * n + 1, 3)), shape=(n, n))
    X.sum_duplicates()
    verdict = separate(X, y)
    assert verdict.kind == "quasi-separable"
    assert verdict.support.tolist() == [0, 1]
    assert len(verdict.separated) >= 1
    assert verify(verdict, X, y).kind == "quasi-separable"


def test_data_too_wide_for_the_question_are_still_proved_not_separable():
    """Every column is used by both classes on both sides, and there are too many for more."""
    n = 17_000
    places = np.arange(n)
    half = csr_array((np.ones(n), (places, places)), shape=(n, n))
    X = vstack([half, half], format="csr")
    y = np.repeat([0, 1], n)
    verdict = separate(X, y)
    assert verdict.separable is False
    assert verdict.ended == "size"
    assert "too large" in str(verdict)
    assert verify(verdict, X, y).kind == "not separable"
