"""A trace has the mistakes and bits of `Perceptron.fit`."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt import Perceptron, trace

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


@pytest.mark.parametrize(
    "order", ["first_mistake", "worst_mistake", tuple(range(ROWS))[::-1], (4, 4, 7, 0, 21)]
)
@pytest.mark.parametrize("rule", ["rosenblatt", "margin", "passive_aggressive_1", "alma"])
def test_in_other_orders(noisy, rule, order):
    X, y = noisy
    settings = {"rule": rule, "epochs": 4, "order": order}
    sees_all = isinstance(order, str) or len(set(order)) == ROWS
    assert_same_run(trace(X, y, **settings), Perceptron(**settings).fit(X, y), sees_all)


@pytest.mark.parametrize("tie", ["mistake", "negative", "positive"])
@pytest.mark.parametrize("init", ["zeros", "unit", (np.arange(1.0, FEATURES + 1), -3.0)])
def test_from_any_start_and_for_any_tie(noisy, tie, init):
    X, y = noisy
    settings = {"tie": tie, "init": init, "epochs": 3, "order": "given"}
    assert_same_run(trace(X, y, **settings), Perceptron(**settings).fit(X, y))
