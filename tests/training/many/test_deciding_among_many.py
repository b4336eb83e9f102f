"""Predicted classes and signs of decision values are exact for every row layout."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rosenblatt import Perceptron
from tests.training.many import naive_many as naive

LAYOUTS = {"dense": np.asarray, "single": lambda X: X.astype(np.float32), "sparse": sparse.csr_array}


def given_weights(W, b=None, classes=None):
    """A model that has these weights: it begins there, and its one row of zeros teaches nothing."""
    k, d = W.shape
    model = Perceptron(init=(W, np.zeros(k) if b is None else b), tie="negative", offset=b is not None)
    model.partial_fit(np.zeros((1, d)), [0], classes=range(k), sample_weight=[1e-300])
    np.testing.assert_array_equal(model.coef_, W)
    return model


@given(
    seed=st.integers(0, 2**32),
    size=st.sampled_from([0, 0, 0, 30, 38, -30, 100, -100, 160]),
    row_size=st.sampled_from([0, 0, 0, -5, -30, 30, -160]),
)
def test_the_largest_score_wins_and_the_first_of_equals(seed, size, row_size):
    generator = np.random.default_rng(seed)
    nearly = [0.0, 2.0**-52, 2.0**-30, -(2.0**-24), 1e-8]
    W = generator.integers(-2, 3, size=(5, 3)) * (1.0 + generator.choice(nearly, size=(5, 3))) * 10.0**size
    W[3] = W[1]
    X = generator.integers(-2, 3, size=(8, 3)).astype(np.float32) * np.float32(10.0 ** max(row_size, -30))
    X = X.astype(np.float64) * (10.0 ** (row_size + 30) if row_size < -30 else 1.0)
    model = given_weights(W)
    want = [naive.winner(W, np.zeros(5), x) for x in X]
    signs = [[np.sign(float(_sign(w, x))) for w in W] for x in X]
    for name, layout in LAYOUTS.items():
        if name == "single" and row_size < -30:
            continue
        assert model.predict(layout(X)).tolist() == want, name
        assert np.sign(model.decision_function(layout(X))).tolist() == signs, name


def _sign(w, x):
    total = sum((Fraction(float(a)) * Fraction(float(b)) for a, b in zip(w, x, strict=True)), Fraction(0))
    return (total > 0) - (total < 0)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_lead_below_all_rounding_is_still_a_lead(layout):
    """2⁶⁰·x₀ − 2⁶⁰·x₁ cancels; a third feature decides by 1 in 10¹⁸."""
    W = np.array([[2.0**60, -(2.0**60), 0.0], [2.0**60, -(2.0**60), 1.0], [2.0**60, -(2.0**60), 0.5]])
    rows = LAYOUTS[layout](np.array([[1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [3.0, 1.0, 2.0]]))
    assert given_weights(W).predict(rows).tolist() == [1, 0, 1]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_decision_value_of_two_columns_is_positive_where_the_second_leads(layout):
    """2⁶¹ + 2 is 2⁶¹ in doubles, so the difference of the rounded values is 0."""
    W = np.array([[2.0**60, -(2.0**60), 0.0], [2.0**60, -(2.0**60), 1.0]])
    model = Perceptron(init=W, allow_new_classes=True, offset=False)
    model.partial_fit(np.zeros((1, 3)), [0], classes=[0, 1], sample_weight=[1e-300])
    rows = LAYOUTS[layout](np.array([[3.0, 1.0, 2.0], [3.0, 1.0, -2.0], [3.0, 1.0, 0.0]]))
    assert (model.decision_function(rows) > 0.0).tolist() == [True, False, False]
    assert model.predict(rows).tolist() == [1, 0, 0]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_weight_beyond_single_precision_wins_only_if_it_should(layout):
    W = np.array([[1e39, -3e38], [0.0, 0.0], [-1e39, 3e38]])
    rows = LAYOUTS[layout](np.array([[1e-5, 1e-4], [1e-4, 1e-5]]))
    assert given_weights(W).predict(rows).tolist() == [2, 0]


def test_in_parts_or_whole_the_answers_are_the_same(monkeypatch, crowd):
    from rosenblatt.training import column_decisions

    X, y = crowd
    model = Perceptron(random_state=0).fit(X, y)
    for layout in LAYOUTS.values():
        rows = layout(np.vstack([X] * 3))
        answers, values = model.predict(rows), model.decision_function(rows)
        with monkeypatch.context() as patch:
            patch.setattr(column_decisions, "BLOCK_NUMBERS", 1)
            assert (model.predict(rows) == answers).all()
            np.testing.assert_allclose(model.decision_function(rows), values, rtol=1e-12)


@pytest.mark.parametrize("tie", ["mistake", "negative", "positive"])
def test_the_training_error_of_labels_is_the_part_of_all_labels(tie, whole):
    X, y = whole
    Y = naive.table(y)
    model = Perceptron(track_error=True, random_state=0, epochs=3, tie=tie).fit(X, Y)
    values = model.decision_function(X)
    wrong = np.where(values == 0, True if tie == "mistake" else (tie == "positive") != Y, (values > 0) != Y)
    assert (values == 0).any()
    assert model.training_error(X, Y) == wrong.mean() == model.history_[-1].training_error


def test_more_uncertain_rows_than_are_decided_together_have_the_first_of_equal_classes():
    generator = np.random.default_rng(0)
    W = np.eye(3)[[0, 1, 2, 1, 0]]
    X = generator.integers(-2, 3, size=(400, 3)).astype(np.float64)
    model = Perceptron(init=(W, np.zeros(5)), keep="averaged", tie="negative")
    model.partial_fit(np.zeros((1, 3)), [0], classes=range(5), sample_weight=[1e-300])
    want = [naive.winner(W, np.zeros(5), x) for x in X]
    assert want.count(1) > 100
    assert model.predict(sparse.csr_array(X)).tolist() == want
