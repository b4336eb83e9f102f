"""`overlap`: whether a logistic regression has a finite estimate (Albert and Anderson 1984)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array

from rosenblatt import overlap, verify


def check(naive, found, X, y, offset=True):
    """The direction has no row on the wrong side, and the rows named are those off its hyperplane."""
    facts = verify(found.proof.to_json(), X, y)
    assert facts.kind == found.kind
    if found.finite:
        assert found.direction is None
        assert len(found.rows) == len(found.features) == 0
        assert "has a finite estimate" in str(found)
        return
    w, b = found.direction
    signs = naive.agreements(X, y, w.tolist(), b)
    assert min(signs) >= 0
    assert [i for i, sign in enumerate(signs) if sign > 0] == found.rows.tolist()
    assert len(found.rows) > 0
    assert offset or b == 0
    assert (found.kind == "separable") == (len(found.rows) == len(y))
    assert found.features == tuple(np.flatnonzero(w).tolist())
    assert "has no finite estimate" in str(found)


# ---------------------------------------------------------------- the statistician's classics


TREATED = [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("died", "finite", "rows"),
    [
        ([0, 1, 0, 0, 1, 1], True, []),  # no empty cell
        ([0, 1, 0, 0, 0, 0], False, [3, 4, 5]),  # nobody who was treated died
        ([0, 0, 0, 0, 1, 1], False, [0, 1, 2]),  # everybody who was not treated lived
        ([0, 0, 0, 1, 1, 1], False, [0, 1, 2, 3, 4, 5]),  # two empty cells
    ],
)
def test_a_two_by_two_table_has_a_finite_odds_ratio_when_no_cell_is_empty(naive, died, finite, rows):
    X = np.array(TREATED, float)[:, None]
    found = overlap(X, died)
    assert found.finite is finite
    assert found.rows.tolist() == rows
    check(naive, found, X, died)


def test_of_one_class_only_the_intercept_grows():
    found = overlap([[1.0], [2.0]], ["alive", "alive"])
    assert (found.finite, found.features) == (False, ())
    assert found.rows.tolist() == [0, 1]
    w, b = found.direction
    assert w[0] == 0
    assert b > 0
    assert "0 coefficients" not in str(found)


# ---------------------------------------------------------------- names and words


def test_features_have_the_names_of_their_columns():
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"age": [1, 2, 3, 4, 1, 3, 2], "rare level": [0, 0, 0, 0, 1, 1, 1]})
    y = pandas.Series([0, 1, 0, 1, 1, 1, 1], index=list("gfedcba"))
    found = overlap(X, y)
    assert found.features == ("rare level",)
    assert found.rows.tolist() == [4, 5, 6]
    assert "rare level" in str(found)


def test_without_time_it_is_not_decided():
    found = overlap([[0.0], [1.0], [2.0]], [0, 1, 0], time_limit=0)
    assert (found.finite, found.kind, found.direction) == (None, "undecided", None)
    assert str(found).startswith("Not decided")
    assert "finite estimate" not in str(found)


# ---------------------------------------------------------------- against a linear program


def separated_by_lp(X, y, offset):
    """The rows that some direction has off its hyperplane: maximise Σ min(1, yᵢ(w·xᵢ+b)), all ≥ 0.

    Whatever rows can be off it can be so at once (add the directions) and by 1 (scale them), so at the
    optimum each sᵢ is 0 or 1.
    """
    signs = np.where(np.asarray(y) == np.max(y), 1.0, -1.0)
    rows = np.asarray(X, float)
    rows = np.column_stack([rows, np.ones(len(rows))]) if offset else rows
    signed = rows * signs[:, None]
    n, d = signed.shape
    result = linprog(
        np.concatenate([np.zeros(d), -np.ones(n)]),
        A_ub=np.hstack([-signed, np.eye(n)]),
        b_ub=np.zeros(n),
        bounds=[(None, None)] * d + [(0, 1)] * n,
        method="highs",
    )
    assert result.status == 0
    slack = result.x[d:]
    assert np.minimum(slack, 1 - slack).max() < 1e-6
    return np.flatnonzero(slack > 0.5).tolist()


@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize(("n", "d", "high"), [(6, 1, 2), (8, 2, 1), (10, 3, 1), (12, 4, 1), (25, 6, 1)])
def test_it_names_the_rows_that_a_linear_program_finds(naive, n, d, high, offset):
    """Small whole numbers, so that many rows are on the hyperplanes; labels nearly by a hyperplane."""
    rng = np.random.default_rng([n, d, offset])
    kinds = set()
    for k in range(25):
        X = rng.integers(-high, high + 1, (n, d))
        scores = X @ rng.integers(-2, 3, d) + (rng.integers(-1, 2) if offset else 0)
        y = np.where(scores == 0, rng.integers(0, 2, n), scores > 0).astype(int)
        if k % 3 == 0:
            y = np.where(rng.random(n) < 0.15, 1 - y, y)
        if len(set(y)) < 2:
            y[0] = 1 - y[0]
        found = overlap(X, y, offset=offset)
        assert found.rows.tolist() == separated_by_lp(X, y, offset)
        check(naive, found, X, y, offset)
        kinds.add(found.kind)
    assert "quasi-separable" in kinds
    assert len(kinds) >= 2


@st.composite
def small_data(draw):
    d, n = draw(st.integers(1, 3)), draw(st.integers(2, 9))
    X = draw(st.lists(st.lists(st.integers(-2, 2), min_size=d, max_size=d), min_size=n, max_size=n))
    y = draw(st.lists(st.sampled_from(["no", "yes"]), min_size=n, max_size=n))
    assume(len(set(y)) == 2)
    return np.array(X, float), y, draw(st.booleans())


@given(small_data())
def test_sparse_or_turned_round_it_is_the_same_answer(naive, data):
    X, y, offset = data
    found = overlap(X, y, offset=offset)
    check(naive, found, X, y, offset)
    assert found.rows.tolist() == separated_by_lp(X, np.array(y) == "yes", offset)
    sparse = overlap(csr_array(X), y, offset=offset)
    turned = overlap(X, ["no" if label == "yes" else "yes" for label in y], offset=offset)
    for other in (sparse, turned):
        assert (other.finite, other.kind) == (found.finite, found.kind)
        assert other.rows.tolist() == found.rows.tolist()
