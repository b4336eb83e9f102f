"""The run of many columns: its counters, when it stops, who watches, and which pass it keeps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from rosenblatt import Perceptron
from rosenblatt.errors import BadInput

WAYS = [{}, {"multiclass": "ultraconservative"}, {"rule": "alma"}, {"keep": "pocket"}]


@pytest.fixture(scope="module")
def distinct():
    """Four classes around four corners, each of them separable from the rest."""
    generator = np.random.default_rng(3)
    y = np.arange(80) % 4
    return np.array([[4, 0], [0, 4], [-4, 0], [0, -4]])[y] + generator.uniform(-1, 1, size=(80, 2)), y


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


def test_two_classes_have_one_part():
    model = Perceptron(random_state=0).fit(np.eye(4), [0, 1, 0, 1])
    assert model.mistakes_per_class_.tolist() == [model.mistakes_]
    assert model.false_positives_per_class_.tolist() == [model.false_positives_]
    assert model.false_negatives_per_class_.tolist() == [model.false_negatives_]


@pytest.mark.parametrize("settings", WAYS[:2], ids=str)
def test_it_stops_after_the_first_pass_without_a_mistake_of_any_column(settings, distinct):
    X, y = distinct
    model = Perceptron(until="separated", epochs=None, random_state=0, **settings).fit(X, y)
    assert model.converged_
    assert [epoch.mistakes > 0 for epoch in model.history_] == [True] * (len(model.history_) - 1) + [False]
    assert model.training_error(X, y) == 0.0
    again = Perceptron(epochs=model.epochs_ + 2, random_state=0, **settings).fit(X, y)
    assert (again.coef_ == model.coef_).all()


@pytest.mark.parametrize("settings", WAYS, ids=str)
def test_the_pass_that_does_best_on_other_rows_is_kept(settings, crowd):
    X, y = crowd
    settings = {"random_state": 1, **settings}
    model = Perceptron(epochs=6, validation=(X[60:], y[60:]), **settings).fit(X[:60], y[:60])
    errors = [epoch.validation_error for epoch in model.history_]
    assert model.best_epoch_ == 1 + int(np.argmin(errors))
    until_then = Perceptron(epochs=model.best_epoch_, **settings).fit(X[:60], y[:60])
    assert (model.coef_ == until_then.coef_).all()
    assert model.training_error(X[60:], y[60:]) == min(errors)


def test_the_same_for_labels_held_out(tagged_rows):
    X, Y = tagged_rows
    model = Perceptron(epochs=5, validation=0.2, random_state=1).fit(X, sparse.csr_array(Y))
    dense = Perceptron(epochs=5, validation=0.2, random_state=1).fit(X, Y)
    assert (model.coef_ == dense.coef_).all()
    assert model.examples_seen_ == 5 * 40
    assert [e.validation_error for e in model.history_] == [e.validation_error for e in dense.history_]
    assert {round(e.validation_error * 70, 9) % 1 for e in model.history_} == {0.0}  # of 10 rows, 7 labels


def test_rows_held_out_are_a_part_of_each_class(crowd):
    X, y = crowd
    model = Perceptron(epochs=1, validation=0.2, random_state=0).fit(X, y)
    held = sum(round(0.2 * count) for count in np.bincount(y))
    assert model.examples_seen_ == 90 - held


@pytest.mark.parametrize("settings", WAYS, ids=str)
def test_a_callback_sees_every_pass_and_can_end_the_run(settings, crowd):
    seen = []
    model = Perceptron(
        epochs=9, callbacks=lambda e: seen.append(e) or e.epoch == 4, random_state=0, **settings
    )
    model.fit(*crowd)
    assert [epoch.epoch for epoch in seen] == [1, 2, 3, 4]
    assert seen == model.history_


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


def test_weights_that_are_given_out_cannot_be_changed_behind_the_model(crowd):
    model = Perceptron(random_state=0).fit(*crowd)
    with pytest.raises(ValueError, match="read-only"):
        model.coef_[0, 0] = 7.0


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
