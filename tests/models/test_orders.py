"""The order of rows equals that of a naive reference; an offset is a constant feature."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rosenblatt import Perceptron
from rosenblatt.rules import Margin
from tests.covering import all_turns, case_id

TIES = {"mistake": 0, "negative": -1, "positive": 1}
Examples = tuple[NDArray[np.float64], NDArray[np.int64]]


@st.composite
def examples(draw: Any, numbers: st.SearchStrategy[float]) -> Examples:
    """A few rows of a few features, with labels −1 and +1 that both occur."""
    n, d = draw(st.integers(2, 7)), draw(st.integers(1, 3))
    X = draw(arrays(np.float64, (n, d), elements=numbers))
    labels = draw(
        st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n).filter(lambda y: len(set(y)) == 2)
    )
    return X, np.array(labels)


small = examples(st.integers(-4, 4).map(float))  # every sum of these is exact: a reference needs no care
real = examples(st.floats(-1e6, 1e6))


class Run:
    """The perceptron as the notes have it: one vector, one look after another."""

    def __init__(
        self, X: NDArray[np.float64], y: NDArray[np.int64], offset: bool, tie: str, tau: float = 0.0
    ):
        self.x = np.column_stack([X, np.full(len(y), float(offset))])
        self.y, self.tie, self.tau = y, tie, tau
        self.w = np.zeros(self.x.shape[1])
        self.mistakes, self.survival = 0, [0]

    def agreements(self) -> NDArray[np.float64]:
        return self.y * (self.x @ self.w)

    def mistaken(self) -> NDArray[np.bool_]:
        score = self.x @ self.w
        return np.where(score == 0, TIES[self.tie], np.sign(score)) != self.y

    def acts(self) -> NDArray[np.bool_]:
        return self.mistaken() | (self.agreements() <= self.tau if self.tau > 0 else False)

    def look_at(self, i: int) -> None:
        self.mistakes += int(self.mistaken()[i])
        if self.acts()[i]:
            self.w = self.w + self.y[i] * self.x[i]
            self.survival.append(1)
        else:
            self.survival[-1] += 1


def assert_same(model: Perceptron, run: Run) -> None:
    assert np.append(model.coef_, model.intercept_).tolist() == run.w.tolist()
    assert model.mistakes_ == run.mistakes
    assert model.updates_ == len(run.survival) - 1


# ---------------------------------------------------------------- given, listed, shuffled


@given(data=small, epochs=st.integers(1, 3), choice=st.data())
def test_a_sequence_of_rows_is_one_pass_and_is_repeated(data, epochs, choice):
    X, y = data
    order = choice.draw(st.lists(st.integers(0, len(y) - 1), min_size=1, max_size=12))
    run = Run(X, y, True, "mistake")
    for i in order * epochs:
        run.look_at(i)
    model = Perceptron(order=order, epochs=epochs).fit(X, y)
    assert_same(model, run)
    assert model.examples_seen_ == len(order) * epochs


@pytest.mark.parametrize(
    "kind", [list, tuple, np.array, lambda rows: np.array(rows, np.uint8), lambda rows: range(7, -1, -1)]
)
def test_a_sequence_may_come_as_any_sequence(kind, noisy):
    X, y = noisy
    rows = list(range(7, -1, -1))
    backwards = Perceptron(order="given").fit(X[:8][::-1], y[:8][::-1])
    assert (Perceptron(order=kind(rows)).fit(X[:8], y[:8]).coef_ == backwards.coef_).all()


def shuffles(seed: int, n: int = 20) -> tuple[list[int], list[int]]:
    """The place of each row in the first and in the second pass, read off the averaged weights.

    Row i is the i-th axis. With tau = 1 it is learned from once in each pass, so its mean weight over
    one pass is (n − place)/n, and over two passes (3n − place − place in the second)/2n.
    """
    y = np.resize([1, -1], n)
    one, two = (
        Perceptron(
            rule=Margin(tau=1.0), keep="averaged", offset=False, epochs=epochs, random_state=seed
        ).fit(np.eye(n), y)
        for epochs in (1, 2)
    )
    first = n - one.coef_[0] * y * n
    second = 3 * n - two.coef_[0] * y * 2 * n - first
    return first.round(6).astype(int).tolist(), second.round(6).astype(int).tolist()


def test_a_shuffled_pass_looks_at_every_row_once_and_each_pass_is_shuffled_again():
    first, second = shuffles(seed=0)
    assert sorted(first) == sorted(second) == list(range(20))
    assert len({tuple(first), tuple(second), tuple(range(20))}) == 3


def test_a_random_state_object_is_drawn_from_once_in_each_fit(noisy):
    state = np.random.RandomState(0)
    first, second = (Perceptron(random_state=state).fit(*noisy).coef_ for _ in range(2))
    assert (first != second).any()
    assert (first == Perceptron(random_state=np.random.RandomState(0)).fit(*noisy).coef_).all()


# ---------------------------------------------------------------- any row that is wrong


SEARCHES = {
    "first_mistake": lambda run, rows: rows[0],
    "worst_mistake": lambda run, rows: rows[np.argmin(run.agreements()[rows])],
}
"""The next row among the rows to learn from: the first, or the first of the smallest functional margins."""


@pytest.mark.parametrize("order", SEARCHES)
@given(
    data=small,
    offset=st.booleans(),
    tie=st.sampled_from(list(TIES)),
    tau=st.sampled_from([0.0, 3.0]),
    epochs=st.integers(1, 3),
)
def test_a_search_visits_the_row_of_its_definition(order, data, offset, tie, tau, epochs):
    X, y = data
    run = Run(X, y, offset, tie, tau)
    for _ in range(epochs * len(y)):
        to_learn_from = np.flatnonzero(run.acts())
        run.look_at(SEARCHES[order](run, to_learn_from) if to_learn_from.size else 0)
    model = Perceptron(rule=Margin(tau), order=order, offset=offset, tie=tie, epochs=epochs)
    assert_same(model.fit(X, y), run)
    assert_same(model.fit(csr_array(X), y), run)
    assert model.examples_seen_ == epochs * len(y)  # an epoch is n steps
    assert model.set_params(keep="voted").fit(X, y).survival_.tolist() == run.survival


# ---------------------------------------------------------------- the offset is a feature


@pytest.mark.parametrize(
    ("order", "rule"),
    all_turns(["given", "shuffled", "first_mistake", "worst_mistake"], ["rosenblatt", Margin(tau=0.5)]),
    ids=case_id,
)
@given(data=real)
def test_an_offset_is_a_feature_that_is_always_one(rule, order, data):
    X, y = data
    lifted = np.column_stack([X, np.ones(len(y))])
    keeps = ("last", "averaged") if order.endswith("_mistake") else ("last", "averaged", "pocket")
    for keep in keeps:
        settings = {"rule": rule, "keep": keep, "order": order, "epochs": 3, "random_state": 0}
        with_offset = Perceptron(**settings, offset=True).fit(X, y)
        with_feature = Perceptron(**settings, offset=False).fit(lifted, y)
        assert (
            np.append(with_offset.coef_, with_offset.intercept_).tolist() == with_feature.coef_[0].tolist()
        )
        assert with_offset.mistakes_ == with_feature.mistakes_
        assert with_offset.updates_ == with_feature.updates_
        assert with_feature.intercept_.tolist() == [0.0]
