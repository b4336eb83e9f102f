"""Continued learning: `warm_start` and `partial_fit`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from rosenblatt import Perceptron
from rosenblatt.rules import Arow

FAMILY = [
    *({"keep": keep} for keep in ("averaged", "voted", "pocket")),
    {"keep": "averaged", "rule": "alma"},
    {"order": "worst_mistake"},
    {"order": [5, 5, *range(90)], "keep": "voted"},
    {"rule": "romma", "keep": "voted"},
    {"rule": Arow(2.0, "full")},
]


def settings_text(settings: dict[str, Any]) -> str:
    return " ".join("listed" if isinstance(value, list) else str(value) for value in settings.values())


def facts(model: Perceptron) -> dict[str, Any]:
    names = (
        "mistakes_",
        "false_positives_",
        "false_negatives_",
        "updates_",
        "examples_seen_",
        "exact_decisions_",
        "epochs_",
        "converged_",
    )
    return {name: getattr(model, name) for name in names}


def same_bits(one: Perceptron, other: Perceptron, X: Any) -> bool:
    return one.decision_function(X).tolist() == other.decision_function(X).tolist()


# ---------------------------------------------------------------- warm_start


@pytest.mark.parametrize("settings", FAMILY, ids=settings_text)
def test_five_passes_and_five_more_are_ten(settings, noisy):
    X, y = noisy
    ten = Perceptron(**settings, epochs=10, random_state=0).fit(X, y)
    five = Perceptron(**settings, epochs=5, random_state=0, warm_start=True).fit(X, y)
    half_way = five.mistakes_
    five.fit(X, y)
    assert same_bits(five, ten, X)
    assert half_way < five.mistakes_
    assert [record[:4] for record in five.history_] == [record[:4] for record in ten.history_[-5:]]
    assert facts(five) == facts(ten)


def test_a_warm_run_stops_at_once_where_everything_is_right_already(separable):
    model = Perceptron(epochs=None, until="separated", random_state=0, warm_start=True).fit(*separable)
    passes = model.epochs_
    model.fit(*separable)
    assert model.epochs_ == passes + 1
    assert [record.mistakes for record in model.history_] == [0]


def test_a_warm_fit_continues_from_partial_fit(noisy):
    X, y = noisy
    model = Perceptron(order="given", epochs=3, warm_start=True).partial_fit(X, y).fit(X, y)
    assert same_bits(model, Perceptron(order="given", epochs=4).fit(X, y), X)
    assert model.epochs_ == 4


def test_a_pocket_filled_by_partial_fit_is_emptied_by_a_better_vector(separable):
    # the ratchet must not take "not counted" for "no errors"
    X, y = separable
    model = Perceptron(keep="pocket", warm_start=True, epochs=None, until="separated", random_state=0)
    model.partial_fit(X, 1 - y)
    assert model.training_error(X, y) > 0.5
    model.fit(X, y)
    assert model.converged_
    assert model.training_error(X, y) == 0.0


def test_other_classes_are_refused_when_learning_continues(noisy):
    X, y = noisy
    model = Perceptron(warm_start=True).fit(X, np.array(["a", "b"])[y])
    with pytest.raises(ValueError, match="y: classes"):
        model.fit(X, np.array(["c", "d"])[y])
    with pytest.raises(ValueError, match=r"classes: got \['a', 'c'\], learning began with"):
        model.partial_fit(X[:1], ["a"], classes=["a", "c"])


def test_passes_are_numbered_over_warm_fits():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(300, 4))
    y = np.where(X @ [1, 2, -1, 0.5] + 0.8 * generator.normal(size=300) > 0, 1, -1)
    model = Perceptron(epochs=5, warm_start=True, validation=0.2, random_state=0).fit(X, y)
    first = model.best_epoch_
    model.fit(X, y)
    assert 1 <= first <= 5 < model.best_epoch_ <= 10


# ---------------------------------------------------------------- partial_fit


@pytest.mark.parametrize("order", ["given", "shuffled", "first_mistake", "worst_mistake", [3, 3, 1]])
def test_partial_fit_is_one_pass_in_row_order_whatever_the_order_is(order, noisy):
    X, y = noisy
    model = Perceptron(order=order, epochs=7, random_state=0).partial_fit(X, y)
    once = Perceptron(order="given", epochs=1).fit(X, y)
    assert same_bits(model, once, X)
    assert facts(model) == facts(once)


def test_each_counter_has_its_own_meaning(noisy):
    X, y = noisy
    model = Perceptron(rule="margin").partial_fit(X[:30], y[:30]).partial_fit(X[30:100], y[30:100])
    assert (model.epochs_, model.examples_seen_) == (2, 100)
    record = model.history_[-1]
    assert len(model.history_) == 1
    assert (record.epoch, record.examples_seen) == (2, 70)
    assert 0 < record.mistakes < record.updates < 70
    assert record.mistakes < model.mistakes_ < model.updates_
    assert model.converged_ == (record.mistakes == 0)


def test_the_class_that_comes_later_can_be_announced(noisy):
    X, y = noisy
    positive, negative = X[y == 1][:5], X[y == 0][:5]
    model = Perceptron().partial_fit(positive, ["spam"] * 5, classes=["spam", "ham"])
    assert model.classes_.tolist() == ["ham", "spam"]
    model.partial_fit(negative, ["ham"] * 5)  # announced once is enough
    both = np.vstack([positive, negative])
    at_once = Perceptron(order="given", epochs=1).fit(both, ["spam"] * 5 + ["ham"] * 5)
    assert same_bits(model, at_once, both)


@pytest.mark.parametrize("keep", ["last", "averaged", "voted"])
@pytest.mark.parametrize("goes_on", ["partial_fit", "warm fit"])
def test_rows_may_come_dense_first_and_sparse_later(goes_on, keep, noisy):
    X, y = noisy
    settings = {"keep": keep, "order": "given", "epochs": 1, "warm_start": True}
    learn = "fit" if goes_on == "warm fit" else "partial_fit"
    mixed, dense = Perceptron(**settings), Perceptron(**settings)
    for rows, labels in (
        (X[:60], y[:60]),
        (csr_array(X[60:]), y[60:]),
        (X[:60].astype(np.float32), y[:60]),
    ):
        getattr(mixed, learn)(rows, labels)
        getattr(dense, learn)(rows.toarray() if isinstance(rows, csr_array) else rows, labels)
    assert same_bits(mixed, dense, X)
    assert mixed.mistakes_ == dense.mistakes_


def test_a_batch_may_be_changed_or_freed_after_it_was_learned_from(noisy):
    X, y = noisy
    batch = X.copy()
    model = Perceptron(keep="voted", random_state=0).fit(batch, y)
    before = model.decision_function(X)
    batch[:] = np.nan
    assert (model.decision_function(X) == before).all()
