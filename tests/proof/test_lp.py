"""`halfspace_by_lp` checks the result of the solver in exact arithmetic."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csc_array, csr_array

from rosenblatt import halfspace_by_lp, separate


@st.composite
def small_data(draw):
    d, n = draw(st.integers(1, 4)), draw(st.integers(1, 10))
    X = draw(st.lists(st.lists(st.integers(-3, 3), min_size=d, max_size=d), min_size=n, max_size=n))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    return np.array(X, float), np.array(y), draw(st.booleans())


@given(small_data())
def test_it_agrees_with_separate_on_whole_numbers(naive, data):
    X, y, offset = data
    line, verdict = halfspace_by_lp(X, y, offset=offset), separate(X, y, offset=offset)
    assert line.found is line.consistent is verdict.separable
    if line.found:
        assert min(naive.agreements(X, y, line.w.tolist(), line.b)) > 0
        assert offset or line.b == 0


@given(small_data())
def test_sparse_rows_have_the_same_answer(naive, data):
    X, y, offset = data
    dense = halfspace_by_lp(X, y, offset=offset)
    for kind in (csr_array, csc_array, coo_array):
        sparse = halfspace_by_lp(kind(X), y, offset=offset)
        assert (sparse.found, sparse.consistent) == (dense.found, dense.consistent)
        assert sparse.w.shape == dense.w.shape == (X.shape[1],)
        if sparse.found:
            assert min(naive.agreements(X, y, sparse.w.tolist(), sparse.b)) > 0


# ---------------------------------------------------------------- a status code proves nothing


def answering(monkeypatch, status, x):
    answer = SimpleNamespace(status=status, x=None if x is None else np.array(x), message="so it says")
    monkeypatch.setattr(scipy.optimize, "linprog", lambda *_, **__: answer)


X, Y = [[0.0], [1.0]], [0, 1]


@pytest.mark.parametrize(
    ("solution", "consistent"),
    [
        ([2.0, -1.0], True),
        ([1.0, -1.0], False),  # row 1 is on the line
        ([1.0, 0.0], False),  # row 0 is
        ([1.0, -1.0 + 2**-53], True),  # by half a unit of the last place
        ([1.0, -5e-324], True),
        ([-1.0, 0.5], False),
        ([0.0, 0.0], False),
        ([0.0, 1.0], False),
        ([np.nan, 1.0], False),
        ([np.inf, -1.0], False),
        ([1e308, -1e-308], True),
    ],
)
def test_consistent_is_decided_exactly_and_not_by_the_solver(monkeypatch, solution, consistent):
    answering(monkeypatch, 0, solution)
    line = halfspace_by_lp(X, Y)
    assert (line.found, line.consistent, line.status) == (True, consistent, "so it says")


def test_consistent_is_correct_even_if_rounding_hides_the_side(monkeypatch):
    """w·x is 1 + 2^−60 in fractions and 1 in doubles."""
    rows = [[1.0, 2.0**-60], [1.0, -(2.0**-60)]]
    answering(monkeypatch, 0, [1.0, 1.0, -1.0])
    assert halfspace_by_lp(rows, [1, 0]).consistent
    assert not halfspace_by_lp(rows, [0, 1]).consistent


@pytest.mark.parametrize(("status", "found"), [(2, False), (1, None), (4, None), (3, None)])
def test_a_result_the_solver_did_not_find_is_not_consistent(monkeypatch, status, found):
    answering(monkeypatch, status, None)
    line = halfspace_by_lp(X, Y)
    assert (line.found, line.consistent) == (found, False)
    assert not line.w.any()
