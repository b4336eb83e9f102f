"""Columns that learn one by one: for rules, keepers and orders without a loop for all columns at once."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import Batch, Rows
from rosenblatt.engine.column_targets import sign_of_column
from rosenblatt.keepers import Pocket
from rosenblatt.learning.columns import ManyBatch
from rosenblatt.learning.counting import Counted
from rosenblatt.learning.means import Mean
from rosenblatt.learning.one_column import OneColumn, begin, initial_columns, learn, store_committee
from rosenblatt.learning.orders import one_pass
from rosenblatt.learning.scoring import decision_values, linear_scores


@dataclass
class Separate(Counted):
    """A state of its own for each column. What it costs: the rows are read once for each of them."""

    states: list[OneColumn]
    start: NDArray[np.float64]  # (w, b) at which a column begins, one for each or one for all
    epochs: int = 0

    @property
    def n_columns(self) -> int:
        return len(self.states)

    @property
    def n_features(self) -> int:
        return self.states[0].n_features

    @property
    def offset(self) -> float:
        return self.states[0].offset

    @property
    def tie(self) -> str:
        return self.states[0].tie

    @property
    def is_committee(self) -> bool:
        return self.states[0].is_committee

    @property
    def examples_seen(self) -> int:
        return max(state.examples_seen for state in self.states)

    def clock(self, name: str) -> NDArray[np.int64]:
        """A clock of every column."""
        return np.array([state.tally[name][0] for state in self.states])

    @property
    def exact_decisions(self) -> int:
        return self.total("exact_decisions")

    def kept(self) -> NDArray[np.float64]:
        """(w, b) of each column as its keeper leaves them."""
        return np.stack([state.kept() for state in self.states])

    def mean(self) -> Mean | None:
        """What is kept, unrounded, where it is a mean in every column."""
        means = [mean for state in self.states if (mean := state.mean()) is not None]
        if len(means) < len(self.states):
            return None
        return Mean(
            np.array([mean.lengths for mean in means]),
            np.array([mean.looks for mean in means]),
            lambda: np.concatenate([mean.parts() for mean in means], axis=1),
        )

    def current(self) -> NDArray[np.float64]:
        """(w, b) of each column as the next look will use them."""
        return np.stack([state.current() for state in self.states])

    def values(self, rows: Rows, kept: bool = True) -> NDArray[np.float64]:
        """The decision value of each row (first axis) and column (second axis), by what its keeper keeps or
        by the weights as they are now."""
        if kept:
            return np.column_stack([decision_values(state, rows) for state in self.states])
        return np.column_stack(
            [state.scale * linear_scores(state.weights, state.offset, rows) for state in self.states]
        )

    def copy(self) -> Separate:
        twin = copy.copy(self)
        twin.states = [state.copy() for state in self.states]
        return twin

    def add_columns(self, n: int) -> None:
        """Make room for n classes that come late; they begin with the next look."""
        model = self.states[0]
        begun = self.start if self.start.ndim == 1 else np.zeros(self.n_features + 1)
        start = (begun[:-1], begun[-1])
        for _ in range(n):
            self.states.append(
                begin(model.n_features, model.rule, _name_of(model.keeper), bool(model.offset), model.tie,
                      start)
            )  # fmt: skip


class Votes:
    """What the committees of many columns answer: a value of each is the votes of its own."""

    def __init__(self, state: Separate) -> None:
        self._state = state

    def values(self, rows: Rows) -> NDArray[np.float64]:
        return self._state.values(rows)

    def best(self, rows: Rows) -> NDArray[np.int64]:
        return self.values(rows).argmax(axis=1)

    def lead(self, rows: Rows, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values[:, 1] - values[:, 0]


def begin_separately(
    n_columns: int, n_features: int, rule: Any, keep: str, offset: bool, tie: str, init: Any
) -> Separate:
    """The states of so many columns before the first look."""
    start = initial_columns(init, n_columns, n_features, offset)
    each = np.broadcast_to(start, (n_columns, n_features + 1))
    return Separate([begin(n_features, rule, keep, offset, tie, (w[:-1], w[-1])) for w in each], start)


def _name_of(keeper: Any) -> str:
    return type(keeper).__name__.lower()


def batch_of(batch: ManyBatch, column: int) -> Batch:
    """The examples as one column sees them."""
    labels = sign_of_column(batch.targets, column, batch.n_rows)
    importance = batch.importance
    if batch.balance.size:
        sides = batch.balance[column][(labels > 0).astype(np.intp)]
        importance = sides * importance if importance.size else sides
    return Batch(batch.rows, labels, importance)


def learn_separately(
    state: Separate, batch: ManyBatch, order: Any, seed: int, columns: Sequence[int], ratchet: bool
) -> None:
    """Some columns look at these rows. ratchet: whether keep="pocket" may count errors on all rows."""
    for c in columns:
        own = state.states[c]
        examples = batch_of(batch, c)
        if isinstance(own.keeper, Pocket) and not ratchet:
            own.keeper = own.keeper._replace(ratchet=False)
        for segment in one_pass(order, own, examples, seed):
            learn(own, examples, segment)
        store_committee(own, examples)
