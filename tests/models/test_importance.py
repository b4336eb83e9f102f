"""Weights of examples and classes scale the update, and weight 0 means that the row is absent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from rosenblatt import Perceptron

LAYOUTS = [np.asarray, csr_array]


def weights(model: Perceptron) -> list[float]:
    return np.append(model.coef_, model.intercept_).tolist()


# ---------------------------------------------------------------- sample_weight


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_weight_of_an_example_scales_its_step(layout, noisy):
    X, y = noisy
    weight = np.random.default_rng(0).integers(1, 9, len(y)) / 4
    labels, lifted = 2 * y - 1, np.column_stack([X, np.ones(len(y))])
    w = np.zeros(X.shape[1] + 1)
    for _ in range(3):
        for x, label, importance in zip(lifted, labels, weight, strict=True):
            if label * (w @ x) <= 0:
                w = w + importance * label * x
    model = Perceptron(order="given", epochs=3).fit(layout(X), y, sample_weight=weight)
    assert np.allclose(weights(model), w, rtol=1e-12)


@pytest.mark.parametrize("form", [1.0, np.ones(120), [1] * 120, np.ones(120, np.float32)])
def test_a_weight_of_one_is_no_weight(form, noisy):
    X, y = noisy
    plain = Perceptron(random_state=0).fit(X, y)
    assert weights(Perceptron(random_state=0).fit(X, y, sample_weight=form)) == weights(plain)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"order": "given"},
        {"order": "first_mistake"},
        {"order": "worst_mistake"},
        {"keep": "averaged"},
        {"keep": "voted"},
        {"keep": "pocket"},
        {"rule": "passive_aggressive_1"},
        {"class_weight": "balanced"},
        {"validation": 0.2},
        {"track_error": True},
    ],
    ids=str,
)
def test_weight_zero_means_that_the_row_is_absent(settings, layout, noisy):
    X, y = noisy
    absent = np.arange(len(y)) % 3 == 1
    y = np.where(absent, 1 - y, y)  # where an absent row counts after all, it does harm
    zero = Perceptron(**settings, epochs=4, random_state=0)
    zero.fit(layout(X), y, sample_weight=np.where(absent, 0.0, 1.0))
    gone = Perceptron(**settings, epochs=4, random_state=0).fit(layout(X[~absent]), y[~absent])
    assert zero.decision_function(X).tolist() == gone.decision_function(X).tolist()
    assert (zero.mistakes_, zero.updates_) == (gone.mistakes_, gone.updates_)
    assert zero.examples_seen_ == gone.examples_seen_ == sum(r.examples_seen for r in gone.history_)
    assert [record.training_error for record in zero.history_] == [
        record.training_error for record in gone.history_
    ]
    assert [record.validation_error for record in zero.history_] == [
        record.validation_error for record in gone.history_
    ]


def test_a_listed_row_of_weight_zero_is_passed_over(noisy):
    X, y = noisy
    weight = np.ones(len(y))
    weight[[3, 4]] = 0.0
    listed = Perceptron(order=[5, 3, 6, 4, 4, 7], epochs=2).fit(X, y, sample_weight=weight)
    shorter = Perceptron(order=[5, 6, 7], epochs=2).fit(X, y)
    assert weights(listed) == weights(shorter)
    assert listed.examples_seen_ == 6


def test_the_values_of_rows_of_weight_zero_may_be_anything(noisy):
    X, y = noisy
    weight = (np.arange(len(y)) != 7).astype(float)
    plain = Perceptron(track_error=True, random_state=0).fit(X, y, sample_weight=weight)
    X = np.where(np.arange(len(y))[:, None] == 7, np.nan, X)
    model = Perceptron(track_error=True, random_state=0).fit(X, y, sample_weight=weight)
    assert weights(model) == weights(plain)
    assert model.history_[-1].training_error == plain.history_[-1].training_error


# ---------------------------------------------------------------- class_weight


@pytest.mark.parametrize("class_weight", [{0: 0.5, 1: 4.0}, {1: 4.0}, {}])
def test_a_class_weight_is_a_sample_weight_of_its_rows(class_weight, noisy):
    X, y = noisy
    each = np.array([class_weight.get(0, 1.0), class_weight.get(1, 1.0)])[y]
    by_class = Perceptron(class_weight=class_weight, random_state=0).fit(X, y)
    by_row = Perceptron(random_state=0).fit(X, y, sample_weight=each)
    assert weights(by_class) == weights(by_row)
    by_class = Perceptron(class_weight=class_weight).partial_fit(X, y)
    by_row = Perceptron().partial_fit(X, y, sample_weight=each)
    assert weights(by_class) == weights(by_row)


def rare_class(noisy: Any) -> Any:
    X, y = noisy
    rows = np.sort(np.concatenate([np.flatnonzero(y == 0)[:48], np.flatnonzero(y == 1)[:16]]))
    return X[rows], y[rows]


def test_balanced_counts_sample_weights(noisy):
    X, y = rare_class(noisy)
    weight = np.where(y == 1, 3.0, 1.0)  # 48 against 48: balanced already
    balanced = Perceptron(class_weight="balanced", random_state=0).fit(X, y, sample_weight=weight)
    assert weights(balanced) == weights(Perceptron(random_state=0).fit(X, y, sample_weight=weight))


def test_in_a_stream_balanced_counts_what_was_seen_so_far(noisy):
    X, y = noisy
    parts = Perceptron(class_weight="balanced")
    by_hand = Perceptron()
    seen = np.zeros(2)
    for rows in (slice(0, 10), slice(10, 60), slice(60, 120)):
        seen += np.bincount(y[rows], minlength=2)
        weight = (seen.sum() / (2 * seen))[y[rows]]
        parts.partial_fit(X[rows], y[rows])
        by_hand.partial_fit(X[rows], y[rows], sample_weight=weight)
        assert weights(parts) == weights(by_hand)


def test_a_class_that_is_not_seen_yet_does_not_unbalance_a_stream(noisy):
    X, y = noisy
    negative, positive = X[y == 0][:6], X[y == 1][:2]
    parts = Perceptron(class_weight="balanced")
    parts.partial_fit(negative, np.zeros(6), classes=[0, 1])  # all there is: weight 6/(2·6)
    by_hand = Perceptron().partial_fit(negative, np.zeros(6), classes=[0, 1], sample_weight=[0.5] * 6)
    assert weights(parts) == weights(by_hand)
    parts.partial_fit(positive, [1, 1])
    by_hand.partial_fit(positive, [1, 1], sample_weight=[8 / (2 * 2)] * 2)
    assert weights(parts) == weights(by_hand)


def test_after_fit_balanced_weights_count_what_fit_has_seen(noisy):
    X, y = noisy
    weight = np.linspace(0.5, 3.0, len(y))
    whole = Perceptron(class_weight="balanced").fit(X, y, sample_weight=weight)
    stream = Perceptron(class_weight="balanced").partial_fit(X, y, sample_weight=weight)
    assert np.allclose(whole._class_totals, stream._class_totals)
