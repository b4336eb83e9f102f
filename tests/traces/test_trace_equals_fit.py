"""A trace is the run that `Perceptron.fit` makes: the same mistakes, the same bits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from rosenblatt import Perceptron, rules, trace

ROWS, FEATURES = 30, 5


@pytest.fixture(scope="module")
def noisy():
    """Real numbers that no hyperplane separates, so that updates never stop."""
    generator = np.random.default_rng(3)
    X = generator.normal(size=(ROWS, FEATURES))
    y = np.where(X @ generator.normal(size=FEATURES) + 0.5 * generator.normal(size=ROWS) > 0.2, 1, -1)
    return X, y


def assert_same_run(steps, model, sees_all=True):
    assert steps.mistakes == model.mistakes_
    assert steps.updates == model.updates_
    assert len(steps) == model.examples_seen_
    assert steps.weights.tobytes() == model.coef_[0].tobytes()
    assert steps.offset == model.intercept_[0]
    assert steps.separated == (model.converged_ and sees_all)
    per_pass = [sum(s.mistake for s in steps if s.epoch == e.epoch) for e in model.history_]
    assert per_pass == [e.mistakes for e in model.history_]


@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize(
    "rule",
    [
        "rosenblatt",
        "margin",
        "uneven_margin",
        "passive_aggressive",
        "passive_aggressive_1",
        "alma",
        "romma",
        "forgetting",
        "arow",
        rules.Arow(0.5, "full"),
    ],
)
def test_in_the_given_order(noisy, rule, offset):
    X, y = noisy
    settings = {"rule": rule, "offset": offset, "epochs": 6, "order": "given"}
    assert_same_run(trace(X, y, **settings), Perceptron(**settings).fit(X, y))


@pytest.mark.parametrize(
    "order", ["first_mistake", "worst_mistake", tuple(range(ROWS))[::-1], (4, 4, 7, 0, 21)]
)
@pytest.mark.parametrize("rule", ["rosenblatt", "margin", "passive_aggressive_1", "alma"])
def test_in_other_orders(noisy, rule, order):
    X, y = noisy
    settings = {"rule": rule, "epochs": 4, "order": order}
    sees_all = isinstance(order, str) or len(set(order)) == ROWS
    assert_same_run(trace(X, y, **settings), Perceptron(**settings).fit(X, y), sees_all)


@pytest.mark.parametrize("random_state", [0, 11])
def test_shuffled_by_the_same_seed(noisy, random_state):
    X, y = noisy
    settings = {"order": "shuffled", "random_state": random_state, "epochs": 4}
    assert_same_run(trace(X, y, **settings), Perceptron(**settings).fit(X, y))


@pytest.mark.parametrize("tie", ["mistake", "negative", "positive"])
@pytest.mark.parametrize("init", ["zeros", "unit", (np.arange(1.0, FEATURES + 1), -3.0)])
def test_from_any_start_and_for_any_tie(noisy, tie, init):
    X, y = noisy
    settings = {"tie": tie, "init": init, "epochs": 3, "order": "given"}
    assert_same_run(trace(X, y, **settings), Perceptron(**settings).fit(X, y))


@pytest.mark.parametrize("rows", [csr_array, lambda X: X.astype(np.float32)], ids=["sparse", "float32"])
def test_on_any_rows(noisy, rows):
    X, y = noisy
    settings = {"epochs": 3, "order": "given"}
    assert_same_run(trace(rows(X), y, **settings), Perceptron(**settings).fit(rows(X), y))


def test_sparse_rows_that_name_a_column_twice(noisy):
    doubled = csr_array((np.array([1.0, 1.0, 3.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    for rule in ("rosenblatt", "passive_aggressive"):
        settings = {"rule": rule, "epochs": 2, "order": "given"}
        steps = trace(doubled, [1, -1], **settings)
        assert steps[0].x == (2, 0)
        assert_same_run(steps, Perceptron(**settings).fit(doubled, [1, -1]))


def test_with_sample_weights(noisy):
    X, y = noisy
    weight = np.random.default_rng(4).choice([0.0, 0.3, 1.0, 2.5], size=ROWS)
    for order in ("given", "first_mistake", (3, 1, 4, 1, 5, 9, 2, 6)):
        steps = trace(X, y, order=order, epochs=3, sample_weight=weight)
        model = Perceptron(order=order, epochs=3).fit(X, y, sample_weight=weight)
        assert_same_run(steps, model)


@pytest.mark.parametrize("epochs", [None, 3, 100])
def test_until_separated(epochs):
    generator = np.random.default_rng(5)
    X = generator.normal(size=(ROWS, 3))
    y = np.where(X @ [1.0, 2.0, -1.0] > 0.1, 1, -1)
    settings = {"until": "separated", "epochs": epochs, "order": "given"}
    assert_same_run(trace(X, y, **settings), Perceptron(**settings).fit(X, y))


@pytest.mark.parametrize("keep", ["averaged", "voted", "pocket"])
def test_the_keeper_does_not_change_the_run(noisy, keep):
    X, y = noisy
    steps = trace(X, y, keep=keep, epochs=3)
    assert steps.steps == trace(X, y, epochs=3).steps
    assert steps.mistakes == Perceptron(keep=keep, order="given", epochs=3).fit(X, y).mistakes_


def test_with_string_labels(noisy):
    X, y = noisy
    names = np.where(y > 0, "spam", "ham")
    settings = {"epochs": 3, "order": "given"}
    assert_same_run(trace(X, names, **settings), Perceptron(**settings).fit(X, names))


@given(
    st.lists(st.tuples(st.floats(-1e100, 1e100), st.floats(-1e-100, 1e-100)), min_size=2, max_size=6),
    st.integers(1, 2**31),
)
def test_on_numbers_of_very_different_size(points, bits):
    X = np.array(points)
    y = np.array([1 if bits >> i & 1 else -1 for i in range(len(points))])
    y[:2] = 1, -1
    settings = {"epochs": 4, "order": "given", "rule": rules.Rosenblatt()}
    assert_same_run(trace(X, y, **settings), Perceptron(**settings).fit(X, y))
