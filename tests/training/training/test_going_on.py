"""Learning that goes on after it has begun: with other rows, other layouts, other parameters."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import Perceptron


@pytest.fixture
def data():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(300, 4))
    y = np.where(X @ [1, 2, -1, 0.5] + 0.8 * generator.normal(size=300) > 0, 1, -1)
    return X, y


def test_the_pocket_needs_orders_that_visit_correct_rows(data):
    with pytest.raises(ValueError, match=r"'first_mistake' visits only misclassified rows.*'shuffled'"):
        Perceptron(keep="pocket", order="first_mistake").fit(*data)


def test_wide_sparse_rows_that_overflow_leave_the_old_model():
    def one(column):
        return sp.csr_array(([1.0], ([0], [column])), shape=(1, 100))

    model = Perceptron().partial_fit(one(0), [1], classes=[-1, 1])
    before = model.decision_function(one(5))
    huge = sp.csr_array(([1.0, 1.7e308], ([0, 1], [5, 5])), shape=(2, 100))
    with pytest.raises(ValueError, match="overflowed"):
        model.partial_fit(huge, [-1, 1], sample_weight=[1, 10.0])
    assert np.array_equal(model.decision_function(one(5)), before)
    assert model.mistakes_ == model._state.mistakes == 1


def test_other_classes_are_refused_when_learning_continues(data):
    X, y = data
    model = Perceptron(warm_start=True).fit(X, np.where(y > 0, "a", "b"))
    with pytest.raises(ValueError, match="y: classes"):
        model.fit(X, np.where(y > 0, "c", "d"))
    with pytest.raises(ValueError, match=r"classes: got \['a', 'c'\], learning began with"):
        model.partial_fit(X[:1], ["a"], classes=["a", "c"])


def test_balanced_weights_count_what_fit_has_seen(data):
    X, y = data
    weight = np.linspace(0.5, 3.0, len(y))
    whole = Perceptron(class_weight="balanced").fit(X, y, sample_weight=weight)
    stream = Perceptron(class_weight="balanced").partial_fit(X, y, sample_weight=weight)
    assert np.allclose(whole._class_totals, stream._class_totals)


def test_a_callback_that_raises_ends_the_run_before_anything_is_learned(data):
    def interrupt(record):
        raise KeyboardInterrupt

    model = Perceptron(callbacks=interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*data)
    assert not hasattr(model, "coef_")


def test_passes_are_numbered_over_warm_fits(data):
    X, y = data
    model = Perceptron(epochs=5, warm_start=True, validation=0.2, random_state=0).fit(X, y)
    first = model.best_epoch_
    model.fit(X, y)
    assert 1 <= first <= 5 < model.best_epoch_ <= 10


def test_values_of_rows_with_weight_0_are_not_checked(data):
    X, y = data
    X = X.copy()
    X[7, 2] = np.nan
    weight = np.ones(len(y))
    weight[7] = 0.0
    model = Perceptron(track_error=True).fit(X, y, sample_weight=weight)
    assert model.history_[-1].training_error is not None


def test_an_order_of_absent_rows_is_refused(data):
    X, y = data
    weight = np.ones(len(y))
    weight[3] = 0.0
    with pytest.raises(ValueError, match="order: every row it names has sample weight 0"):
        Perceptron(order=[3, 3]).fit(X, y, sample_weight=weight)


def test_masked_values_are_refused():
    with pytest.raises(ValueError, match="masked"):
        Perceptron().fit(np.ma.masked_array([[1.0], [2.0]], mask=[[True], [False]]), [0, 1])


def test_broken_row_pointers_are_refused():
    broken = sp.csr_array(np.eye(3))
    broken.indptr = np.array([0, 3_000_000_000, 2, 3], np.uint32)
    with pytest.raises(ValueError, match="row pointers"):
        Perceptron().fit(broken, [1, -1, 1])
