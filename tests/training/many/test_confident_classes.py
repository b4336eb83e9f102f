"""Classes that share their mistakes by a rule that knows how sure it is: AROW and CW with the top rival, as
ten naive lines have them (Crammer, Dredze & Kulesza 2009)."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import Learner, Perceptron, load, rules, save
from rosenblatt.errors import BadInput
from tests.rules import naive_confident

SHARED = {"multiclass": "ultraconservative", "order": "given"}


def naive(rule, X, y, epochs):
    """W after each look, a class in each row, and the mistakes."""
    X = np.column_stack([X, np.ones(len(X))])
    k, found, mistakes, step = y.max() + 1, [], 0, getattr(naive_confident, type(rule).__name__.lower())
    W, S = np.zeros((k, X.shape[1])), np.ones((k, X.shape[1]))
    for i in list(range(len(X))) * epochs:
        x, own, scores = X[i], y[i], W @ X[i]
        rival = max((r for r in range(k) if r != own), key=lambda r: scores[r])
        m, v = scores[own] - scores[rival], (S[own] + S[rival]) @ (x * x)
        mistakes += m <= 0
        made = step(rule, m, v, 1.0)
        if made is not None:
            alpha, beta = made
            W[own] += alpha * S[own] * x
            W[rival] -= alpha * S[rival] * x
            for c in (own, rival):
                S[c] -= beta * (S[c] * x) ** 2
        found.append(W.copy())
    return np.array(found), mistakes


@pytest.fixture(scope="module")
def data():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(80, 5)) * (generator.random((80, 5)) < 0.7)
    return X, np.argmax(X[:, :3] + 0.4 * generator.normal(size=(80, 3)), axis=1)


def weights_of(model):
    return np.column_stack([model.coef_, model.intercept_])


@pytest.mark.parametrize(
    ("rule", "rows", "keep"),
    [
        (rules.Arow(0.7), np.asarray, "last"),
        (rules.Arow(0.7), sp.csr_array, "averaged"),
        (rules.ConfidenceWeighted(0.8), sp.csr_array, "last"),
        pytest.param(rules.ConfidenceWeighted(0.8), np.asarray, "averaged", marks=pytest.mark.matrix),
    ],
)
def test_the_loop_follows_the_formula(rule, rows, keep, data):
    X, y = data
    model = Perceptron(rule=rule, keep=keep, epochs=2, **SHARED).fit(rows(X), y)
    looks, mistakes = naive(rule, X, y, 2)
    wanted = looks[-1] if keep == "last" else looks.mean(axis=0)
    np.testing.assert_allclose(weights_of(model), wanted, rtol=1e-10, atol=1e-12)
    assert model.mistakes_ == mistakes


def test_a_file_has_the_variances_of_all_classes(data, tmp_path):
    X, y = data
    twice = Perceptron(rule="arow", **SHARED).partial_fit(X, y).partial_fit(X, y)
    save(Perceptron(rule="arow", **SHARED).partial_fit(X, y), tmp_path / "once")
    again = load(tmp_path / "once").partial_fit(X, y)
    np.testing.assert_array_equal(again.coef_, twice.coef_)
    again._state.variance[0, 0] = 2.0
    save(again, tmp_path / "damaged")
    with pytest.raises(BadInput, match="variance: a variance is not between 0 and 1"):
        load(tmp_path / "damaged")


def test_initial_variances_take_no_space_in_a_file(tmp_path):
    X = sp.csr_array((np.ones(3), ([0, 1, 2], [0, 1, 2])), shape=(3, 100_000))
    model = Perceptron(rule="arow", **SHARED).fit(X, ["a", "b", "c"])
    save(model, tmp_path / "model")
    assert (tmp_path / "model").stat().st_size < model._state.variance.nbytes
    np.testing.assert_array_equal(load(tmp_path / "model")._state.variance, model._state.variance)


def test_a_feature_that_comes_late_begins_at_the_prior(data):
    X, y = data
    X = np.where(np.arange(5) <= np.arange(len(X))[:, None] // 5, X, 0.0)
    learner = Learner(rule=rules.Arow(0.7), multiclass="ultraconservative", classes=[0, 1, 2])
    for x, label in zip(X, y.tolist(), strict=True):
        learner.learn({f"x{j}": value for j, value in enumerate(x) if value}, label)
    looks, mistakes = naive(rules.Arow(0.7), X, y, 1)
    assert learner.mistakes == mistakes
    for c, wanted in enumerate(looks[-1]):
        found = learner.weights[c]
        np.testing.assert_allclose([found[f"x{j}"] for j in range(5)], wanted[:-1], rtol=1e-10, atol=1e-12)


def test_a_class_that_comes_late_begins_at_the_prior(data):
    X, y = data
    state = Perceptron(rule="arow", allow_new_classes=True, **SHARED).partial_fit(X, y)._state
    before = state.variance.copy()
    state.add_columns(2)
    np.testing.assert_array_equal(state.variance[:3], before)
    np.testing.assert_array_equal(state.variance[3:], 1.0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"rule": rules.Arow(1.0, "full")},
            "Σ would have a number for each pair of weights of all classes",
        ),
        (
            {"rule": "arow", "sharing": "uniform"},
            "'arow' learns from the top rival alone; use sharing='worst'",
        ),
        ({"rule": "adagrad"}, "'adagrad' does not suit multiclass='ultraconservative': it stores a sum"),
    ],
)
def test_a_meaningless_setting_is_refused(settings, message, data):
    with pytest.raises(BadInput, match=message):
        Perceptron(**SHARED, **settings).fit(*data)
