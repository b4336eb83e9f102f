"""Many orders and many starts of the same data: against plain loops, and as pictures."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_array, csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from rosenblatt import (
    KernelPerceptron,
    Perceptron,
    PolynomialThreshold,
    mistake_bound,
    over_orders,
    separate,
)
from rosenblatt.comparisons.over_orders import OrderSpread
from rosenblatt.errors import BadInput

WORKED = np.array([[2.0, 1.0], [0.0, 2.0], [-0.5, -2.0]]), np.array([1, -1, 1])

FIGURES = ("accuracy", "test_accuracy", "margin", "mistakes", "updates", "epochs", "converged", "seed")


def same(one: OrderSpread, other: OrderSpread) -> None:
    for name in FIGURES:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    assert one.distinct_weights == other.distinct_weights


def plain_margin(model: Any, X: Any, y: Any) -> float:
    w, b = model.coef_[0], model.intercept_[0]
    signs = np.where(y == model.classes_[1], 1.0, -1.0)
    return float(np.min(signs * (X @ w + b)) / np.sqrt(w @ w))


# ---------------------------------------------------------------- against a plain loop


@pytest.mark.parametrize("keep", ["last", "averaged", "pocket"])
def test_the_figures_equal_those_of_a_loop_over_clones(noisy, keep):
    X, y = noisy
    learner = Perceptron(keep=keep, epochs=3)
    spread = over_orders(learner, X[:80], y[:80], orders=7, test=(X[80:], y[80:]))
    assert len(spread) == 7
    for k in range(7):
        model = clone(learner).set_params(random_state=int(spread.seed[k])).fit(X[:80], y[:80])
        assert spread.accuracy[k] == model.score(X[:80], y[:80])
        assert spread.test_accuracy[k] == model.score(X[80:], y[80:])
        assert spread.margin[k] == pytest.approx(plain_margin(model, X[:80], y[:80]), rel=1e-12)
        counters = model.mistakes_, model.updates_, model.epochs_, model.converged_
        assert (spread.mistakes[k], spread.updates[k], spread.epochs[k], spread.converged[k]) == counters


def test_every_order_is_run_from_every_start(noisy):
    X, y = noisy
    inits = ["zeros", "unit", (np.arange(5.0), -1.0)]
    spread = over_orders(Perceptron(epochs=2), X, y, orders=[5, 9], starts=inits)
    assert spread.order.tolist() == [0, 1] * 3
    assert spread.start.tolist() == [0, 0, 1, 1, 2, 2]
    assert spread.seed.tolist() == [5, 9] * 3
    for k, init in enumerate(init for init in inits for _ in range(2)):
        model = Perceptron(epochs=2, random_state=[5, 9][k % 2], init=init).fit(X, y)
        assert (spread.mistakes[k], spread.accuracy[k]) == (model.mistakes_, model.score(X, y))


@pytest.mark.parametrize("learner", [
    Perceptron(epochs=4),
    Perceptron(epochs=4, keep="voted"),
    Perceptron(epochs=4, validation=0.2),
    KernelPerceptron(epochs=2),
    PolynomialThreshold(epochs=2),
], ids=["last", "voted", "validation", "kernel", "polynomial"])  # fmt: skip
def test_a_repeated_run_matches_its_record(noisy, learner):
    X, y = noisy
    spread = over_orders(learner, X, y, orders=4)
    for k in range(4):
        model = spread.model(k)
        assert type(model) is type(learner)
        assert (model.mistakes_, model.updates_) == (spread.mistakes[k], spread.updates[k])
        assert model.score(X, y) == spread.accuracy[k]


# ---------------------------------------------------------------- nothing else decides


def test_seeds_reproduce_and_other_seeds_do_not(noisy):
    X, y = noisy
    first = over_orders(Perceptron(), X, y, orders=5, starts=2, random_state=3)
    same(first, over_orders(Perceptron(random_state=99), X, y, orders=5, starts=2, random_state=3))
    assert not np.array_equal(first.seed, over_orders(Perceptron(), X, y, orders=5, starts=2).seed)


@pytest.mark.parametrize("learner", [Perceptron(), Perceptron(keep="voted"), KernelPerceptron(epochs=2)])
@pytest.mark.parametrize("n_jobs", [2, 5, -1])
def test_threads_change_nothing(noisy, learner, n_jobs):
    X, y = noisy
    test = (X[:20], y[:20])
    same(
        over_orders(learner, X, y, orders=9, test=test),
        over_orders(learner, X, y, orders=9, test=test, n_jobs=n_jobs),
    )


@pytest.mark.parametrize("kind", [csr_array, csr_matrix, coo_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_rows_give_the_same_spread(kind, dtype):
    generator = np.random.default_rng(0)
    X = generator.integers(-2, 3, size=(60, 9)).astype(dtype)  # whole numbers: every sum is exact
    y = X @ generator.normal(size=9) > 0.3
    asked = {"orders": 4, "starts": ["zeros", (np.arange(9.0), -2.0)]}
    dense = over_orders(Perceptron(), X, y, **asked, test=(X[:9], y[:9]))
    same(dense, over_orders(Perceptron(), kind(X), y, **asked, test=(kind(X[:9]), y[:9]), n_jobs=2))


@pytest.mark.parametrize("kind", [np.asarray, csr_array])
def test_all_runs_read_one_copy_of_the_rows(monkeypatch, noisy, kind):
    X, y = noisy
    X, read = kind(X), []

    class Watching(Perceptron):
        def fit(self, X, y, sample_weight=None):
            read.append(X.data if kind is csr_array else X)
            return super().fit(X, y, sample_weight)

    over_orders(Watching(), X, y, orders=3, n_jobs=2)
    original = X.data if kind is csr_array else X
    assert len(read) == 3
    assert all(np.shares_memory(rows, original) for rows in read)


def test_the_estimator_is_not_changed(noisy):
    learner = Perceptron(random_state=4, init=np.ones(5), validation=0.1, progress=True)
    before = learner.get_params()
    over_orders(learner, *noisy, orders=2, starts=2)
    after = learner.get_params()
    assert all(after[name] is value for name, value in before.items())
    assert not hasattr(learner, "coef_")


# ---------------------------------------------------------------- what the notes say


def test_other_orders_of_the_worked_example_end_in_other_weights():
    learner = Perceptron(offset=False, until="separated", epochs=None)
    spread = over_orders(learner, *WORKED, orders=permutations(range(3)))
    assert len(spread) == 6
    assert {tuple(line) for line in spread.lines[:, :2].tolist()} == {(2.0, -1.0), (1.5, -1.0)}
    assert spread.distinct_weights == 2
    assert [rows.tolist() for rows in spread.orders] == [list(order) for order in permutations(range(3))]


def test_in_every_order_the_mistakes_are_within_the_bound_and_the_margin_within_the_best(separable):
    X, y = separable
    bound = mistake_bound(X, y)
    spread = over_orders(Perceptron(until="separated", epochs=None), X, y, orders=200, n_jobs=2)
    assert spread.converged.all()
    assert (spread.accuracy == 1.0).all()
    assert (spread.margin > 0.0).all()
    assert spread.margin.max() <= separate(X, y).margin[1]
    assert spread.mistakes.max() <= bound.bound[1]
    assert spread.mistakes.min() < spread.mistakes.max()


# ---------------------------------------------------------------- rows, weights, classes


@pytest.mark.parametrize("learner", [Perceptron(keep="voted"), KernelPerceptron(), PolynomialThreshold()])
def test_without_one_w_there_is_no_margin(noisy, learner):
    spread = over_orders(learner, *noisy, orders=2)
    assert np.isnan(spread.margin).all()
    assert spread.lines is None
    assert spread.distinct_weights is None
    assert "margin" not in str(spread)
    assert "margin" not in spread.as_dicts()[0]
    with pytest.raises(BadInput, match="plot_lines: lines are drawn for two features, two classes"):
        spread.plot_lines()


def test_absent_rows_do_not_count(noisy):
    X, y = noisy
    X = X.copy()
    weight = np.ones(len(y))
    weight[::3] = 0.0
    X[::3] = np.nan  # nothing may depend on them
    here = weight > 0
    spread = over_orders(Perceptron(), X, y, orders=3, starts=2, sample_weight=weight)
    for k in range(6):
        model = spread.model(k)
        assert spread.accuracy[k] == model.score(X[here], y[here])
        assert spread.margin[k] == pytest.approx(plain_margin(model, X[here], y[here]), rel=1e-12)


class Scores(ClassifierMixin, BaseEstimator):
    """Known weights of several classes or labels: the shape that an estimator of more classes has."""

    def __init__(self, order="shuffled", random_state=None, callbacks=None, progress=None, labels=False):
        self.order, self.random_state, self.labels = order, random_state, labels
        self.callbacks, self.progress = callbacks, progress

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.arange(2) if self.labels else np.unique(y)
        shape = 3, X.shape[1] + 1
        weights = np.random.default_rng(self.random_state).normal(size=shape)
        self.coef_, self.intercept_ = weights[:, :-1], weights[:, -1]
        self.mistakes_ = self.updates_ = self.epochs_ = 1
        self.converged_ = False
        return self

    def decision_function(self, X):
        return X @ self.coef_.T + self.intercept_

    def predict(self, X):
        values = self.decision_function(X)
        return (values > 0).astype(int) if self.labels else self.classes_[values.argmax(axis=1)]


def test_the_margin_of_many_classes_is_the_distance_to_the_nearest_boundary():
    X = np.random.default_rng(1).normal(size=(40, 2))
    kinds = np.random.default_rng(2).choice(["x", "y", "z"], 40)
    spread = over_orders(Scores(), X, kinds, orders=30)
    for k in range(30):
        model = spread.model(k)
        W, b = model.coef_, model.intercept_
        distances = []
        for x, kind in zip(X, kinds, strict=True):
            own = list(model.classes_).index(kind)
            distances += [
                ((W[own] - W[c]) @ x + b[own] - b[c]) / np.linalg.norm(W[own] - W[c])
                for c in range(3)
                if c != own
            ]
        assert spread.margin[k] == pytest.approx(min(distances), rel=1e-12)
        assert spread.accuracy[k] == model.score(X, kinds)
    assert spread.lines is None
    assert spread.distinct_weights == 30


def test_a_run_made_again_from_a_random_start_is_the_same(noisy):
    X, y = noisy
    spread = over_orders(Perceptron(), X, y, orders=2, starts=3)
    for k in range(6):
        assert plain_margin(spread.model(k), X, y) == pytest.approx(spread.margin[k], rel=1e-12)
    with pytest.raises(BadInput, match="k: expected the number of a run, 0…5, got 6"):
        spread.model(6)


def test_the_margin_of_several_labels_is_the_smallest_of_their_hyperplanes():
    X = np.random.default_rng(1).normal(size=(30, 2))
    Y = (np.random.default_rng(2).normal(size=(30, 3)) > 0).astype(int)
    spread = over_orders(Scores(labels=True), X, csr_array(Y), orders=5, test=(X, Y))
    for k in range(5):
        model = spread.model(k)
        lengths = np.linalg.norm(model.coef_, axis=1)
        agreements = np.where(Y, 1, -1) * model.decision_function(X) / lengths
        assert spread.margin[k] == pytest.approx(agreements.min(), rel=1e-12)
        assert spread.accuracy[k] == spread.test_accuracy[k] == model.score(X, Y)
