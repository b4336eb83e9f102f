"""Runs over several classes: counters, validation and memory."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from rosenblatt import Perceptron
from rosenblatt.errors import BadInput

WAYS = [{}, {"multiclass": "ultraconservative"}, {"rule": "alma"}, {"keep": "pocket"}]


@pytest.mark.parametrize("settings", WAYS, ids=str)
def test_the_parts_of_the_mistakes_add_up(settings, crowd):
    X, y = crowd
    model = Perceptron(epochs=3, random_state=0, **settings).fit(X, y)
    assert model.mistakes_per_class_.shape == (5,)
    assert model.mistakes_per_class_.sum() == model.mistakes_ == sum(e.mistakes for e in model.history_)
    for kind in ("false_positives", "false_negatives"):
        parts, total = getattr(model, f"{kind}_per_class_"), getattr(model, f"{kind}_")
        assert parts.sum() == total == sum(getattr(epoch, kind) for epoch in model.history_)
    both = model.false_positives_ + model.false_negatives_
    assert both == model.mistakes_ * (2 if "multiclass" in settings else 1)  # a shared one is one of each
    assert model.updates_ == sum(epoch.updates for epoch in model.history_)
    assert model.examples_seen_ == 3 * 90 == sum(epoch.examples_seen for epoch in model.history_)
    assert model.epochs_ == len(model.history_) == 3


def test_the_same_for_labels_held_out(tagged_rows):
    X, Y = tagged_rows
    model = Perceptron(epochs=5, validation=0.2, random_state=1).fit(X, sparse.csr_array(Y))
    dense = Perceptron(epochs=5, validation=0.2, random_state=1).fit(X, Y)
    assert (model.coef_ == dense.coef_).all()
    assert model.examples_seen_ == 5 * 40
    assert [e.validation_error for e in model.history_] == [e.validation_error for e in dense.history_]
    assert {round(e.validation_error * 70, 9) % 1 for e in model.history_} == {0.0}  # of 10 rows, 7 labels


def test_validation_of_another_kind_is_refused(crowd, tagged_rows):
    X, y = crowd
    with pytest.raises(BadInput, match="validation: y: label 9 in row 0"):
        Perceptron(validation=(X[:2], [9, 0])).fit(X, y)
    with pytest.raises(BadInput, match="validation: "):
        Perceptron(validation=(X[:2], np.eye(5, dtype=int)[:2])).fit(X, y)
    X, Y = tagged_rows
    with pytest.raises(BadInput, match="validation: "):
        Perceptron(validation=(X[:2], Y[:2, :3])).fit(X, Y)
    with pytest.raises(BadInput, match="validation: "):
        Perceptron(validation=(X[:2], Y[:2, 0])).fit(X, Y)
    spoiled = X[:2].copy()
    spoiled[1, 2] = np.nan
    with pytest.raises(BadInput, match=r"validation: .*NaN in row 1, column 2"):
        Perceptron(validation=(spoiled, Y[:2])).fit(X, Y)


def test_a_million_features_and_twenty_classes_fit_into_memory():
    """Weights, and a copy to screen by: 12 bytes for each of 32 lanes; nothing else of that size."""
    import tracemalloc

    generator = np.random.default_rng(0)
    X = sparse.csr_array(
        (generator.normal(size=2000), generator.integers(0, 10**6, size=2000), np.arange(0, 2001, 20)),
        shape=(100, 10**6),
    )
    y = np.arange(100) % 20
    tracemalloc.start()
    model = Perceptron(epochs=1, random_state=0).fit(X, y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert model.examples_seen_ == 100
    assert peak < 32 * 10**6 * 12 * 1.2
