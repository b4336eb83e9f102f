"""Classes that share their mistakes by a rule that knows how sure it is: AROW and CW with the top rival, as
ten naive lines have them (Crammer, Dredze & Kulesza 2009)."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import Learner, Perceptron, load, rules, save
from rosenblatt.errors import BadInput

SHARED = {"multiclass": "ultraconservative", "order": "given"}


def cw(m, v, eta):
    phi = NormalDist().inv_cdf(eta)
    if m >= phi * np.sqrt(v):
        return None
    alpha = -m * (1 + phi**2 / 2) + np.sqrt(m**2 * phi**4 / 4 + v * phi**2 * (1 + phi**2))
    alpha /= v * (1 + phi**2)
    root = (-alpha * v * phi + np.sqrt(alpha**2 * v**2 * phi**2 + 4 * v)) / 2
    return alpha, alpha * phi / (root + v * alpha * phi)


STEPS = {
    rules.Arow(0.7): lambda m, v, c: ((1 - m) / (v + 0.7 / c), 1 / (v + 0.7 / c)) if m < 1 else None,
    rules.ConfidenceWeighted(0.8): lambda m, v, c: cw(m, v, 0.8),
}


def naive(step, X, y, epochs, weights=None):
    """W after each look, a class in each row, and the mistakes."""
    X = np.column_stack([X, np.ones(len(X))])
    k, found, mistakes = y.max() + 1, [], 0
    W, S = np.zeros((k, X.shape[1])), np.ones((k, X.shape[1]))
    for i in list(range(len(X))) * epochs:
        x, own, scores = X[i], y[i], W @ X[i]
        rival = max((r for r in range(k) if r != own), key=lambda r: scores[r])
        m, v = scores[own] - scores[rival], (S[own] + S[rival]) @ (x * x)
        mistakes += m <= 0
        made = step(m, v, 1.0 if weights is None else weights[i])
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
def test_the_loop_learns_what_the_formula_says(rule, rows, keep, data):
    X, y = data
    model = Perceptron(rule=rule, keep=keep, epochs=2, **SHARED).fit(rows(X), y)
    looks, mistakes = naive(STEPS[rule], X, y, 2)
    wanted = looks[-1] if keep == "last" else looks.mean(axis=0)
    np.testing.assert_allclose(weights_of(model), wanted, rtol=1e-10, atol=1e-12)
    assert model.mistakes_ == mistakes


def test_a_weight_divides_r_here_too(data):
    X, y = data
    weights = np.random.default_rng(1).choice([0.25, 1.0, 3.0], len(y))
    model = Perceptron(rule=rules.Arow(0.7), epochs=1, **SHARED).fit(X, y, sample_weight=weights)
    wanted, _ = naive(STEPS[rules.Arow(0.7)], X, y, 1, weights)
    np.testing.assert_allclose(weights_of(model), wanted[-1], rtol=1e-10, atol=1e-12)


def test_a_file_has_the_variances_of_all_classes(data, tmp_path):
    X, y = data
    twice = Perceptron(rule="arow", **SHARED).partial_fit(X, y).partial_fit(X, y)
    save(Perceptron(rule="arow", **SHARED).partial_fit(X, y), tmp_path / "once")
    again = load(tmp_path / "once").partial_fit(X, y)
    np.testing.assert_array_equal(again.coef_, twice.coef_)
    again._state.variance[0, 0] = 2.0
    save(again, tmp_path / "damaged")
    with pytest.raises(BadInput, match="variance: a variance is not above 0 and at most 1"):
        load(tmp_path / "damaged")


def test_a_feature_that_comes_late_begins_at_the_prior(data):
    X, y = data
    X = np.where(np.arange(5) <= np.arange(len(X))[:, None] // 5, X, 0.0)
    learner = Learner(rule=rules.Arow(0.7), multiclass="ultraconservative", classes=[0, 1, 2])
    for x, label in zip(X, y.tolist(), strict=True):
        learner.learn({f"x{j}": value for j, value in enumerate(x) if value}, label)
    looks, mistakes = naive(STEPS[rules.Arow(0.7)], X, y, 1)
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
    ("settings", "said"),
    [
        (
            {"rule": rules.Arow(1.0, "full")},
            "Σ would have a number for each pair of weights of all classes",
        ),
        (
            {"rule": "arow", "sharing": "uniform"},
            "'arow' learns from the top rival alone; use sharing='worst'",
        ),
        ({"rule": "adagrad"}, "'adagrad' does not suit multiclass='ultraconservative': it keeps how far"),
    ],
)
def test_what_has_no_meaning_is_refused(settings, said, data):
    with pytest.raises(BadInput, match=said):
        Perceptron(**SHARED, **settings).fit(*data)
