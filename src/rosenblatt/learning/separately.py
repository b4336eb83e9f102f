"""Columns that learn one by one: for rules, strategies and orders without a loop for all columns."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import Batch, Rows
from rosenblatt.arithmetic.widening import widen
from rosenblatt.engine.column_targets import sign_of_column
from rosenblatt.engine.threads import each_in_threads, n_threads
from rosenblatt.keepers import Pocket
from rosenblatt.learning.column_decisions import Decider
from rosenblatt.learning.many_batch import ManyBatch
from rosenblatt.learning.means import Mean
from rosenblatt.learning.one_column import ColumnLesson, OneColumn, column_at, settle_pocket
from rosenblatt.learning.orders import Passes
from rosenblatt.learning.run import Counted, Counters, Plan
from rosenblatt.learning.scoring import linear_scores


@dataclass
class Separate(Counted):
    """Hold a separate state for each column; the rows are read once for each of them."""

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

    def clocks(self) -> NDArray[Any]:
        return np.concatenate([state.tally for state in self.states])

    def counters(self) -> Counters:
        return Counters.of(self.clocks(), self.examples_seen)

    @property
    def exact_decisions(self) -> int:
        return self.total("exact_decisions")

    def kept(self, at: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """Return (w, b) of each column by its averaging strategy.

        `at` has the wanted features, None for all.
        """
        chosen: Any = slice(None) if at is None else at
        return np.stack([state.kept()[chosen] for state in self.states])

    def mean(self) -> Mean | None:
        """Return the unrounded mean if every column keeps one, otherwise None."""
        means = [mean for state in self.states if (mean := state.mean()) is not None]
        if len(means) < len(self.states):
            return None
        return Mean(
            np.array([mean.lengths for mean in means]),
            np.array([mean.looks for mean in means]),
            lambda at: np.concatenate([mean.parts(at) for mean in means], axis=1),
        )

    def current(self) -> NDArray[np.float64]:
        """Return (w, b) of each column as the next step will use them."""
        return np.stack([state.current() for state in self.states])

    def values(self, rows: Rows, kept: bool = True) -> NDArray[np.float64]:
        """Return the decision value of each row (first axis) and column (second axis).

        It is by the returned weights (`kept`) or by the present ones.
        """
        if kept:
            return np.column_stack([state.values(rows) for state in self.states])
        return np.column_stack(
            [state.scale * linear_scores(state.weights, state.offset, rows) for state in self.states]
        )

    # ------------------------------------------------------------ deciding

    mistakes_are_errors = False

    def held(self) -> list[Rows]:
        """Return the stored rows of examples: those of committees."""
        return [rows for state in self.states for rows in state.support]

    def committees(self) -> list[OneColumn]:
        """Return the committees that vote, one for each column."""
        return self.states

    def answers(self) -> Decider | Votes:
        return Votes(self) if self.is_committee else Decider(self.kept, self.offset, self.mean)

    def answers_about(self, rows: Rows, kept: bool) -> tuple[Votes, Rows]:
        """Return a decider for some rows by the returned weights or the present ones, and the rows."""
        return Votes(self, kept), rows

    def error(self, batch: ManyBatch) -> float:
        return batch.error(self.answers(), self.tie)

    def check_kept(self) -> None:
        for state in self.states:
            state.check_kept()

    # ------------------------------------------------------------ learning

    def on(self, batch: ManyBatch, plan: Plan) -> SeparateLesson:
        return SeparateLesson(self, batch, plan)

    def why_not_on_device(self, batch: ManyBatch) -> str | None:
        return "does not support this rule, averaging or order"

    def end_pass(self) -> None:
        self.epochs += 1
        for state in self.states:
            state.end_pass()

    def widen(self, n_features: int) -> None:
        for state in self.states:
            state.widen(n_features)
        self.start = widen(self.start, n_features + 1)

    def copy(self) -> Separate:
        twin = copy.copy(self)
        twin.states = [state.copy() for state in self.states]
        return twin

    def add_columns(self, n: int) -> None:
        """Add n classes that come late; they begin with the next step."""
        model = self.states[0]
        begun = self.start if self.start.ndim == 1 else np.zeros(self.n_features + 1)
        keep = type(model.keeper).__name__.lower()
        for _ in range(n):
            self.states.append(column_at(begun.copy(), model.rule, keep, bool(model.offset), model.tie))


class Votes:
    """Decide by each column separately, a committee by its votes.

    `kept` is false for the present weights.
    """

    def __init__(self, state: Separate, kept: bool = True) -> None:
        self._state, self._is_kept = state, kept

    def values(self, rows: Rows) -> NDArray[np.float64]:
        return self._state.values(rows, self._is_kept)

    def best(self, rows: Rows) -> NDArray[np.int64]:
        return self.values(rows).argmax(axis=1)

    def lead(self, rows: Rows, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values[:, 1] - values[:, 0]


def separate_at(
    start: NDArray[np.float64], n_columns: int, rule: Any, keep: str, offset: bool, tie: str
) -> Separate:
    """Return the initial states of `n_columns` columns; `start` is (w, b) of each, or of all."""
    each = np.broadcast_to(start, (n_columns, start.shape[-1]))
    return Separate([column_at(w.copy(), rule, keep, offset, tie) for w in each], start)


def batch_of(batch: ManyBatch, column: int) -> Batch:
    """Return the examples as one column sees them."""
    labels = sign_of_column(batch.targets, column, batch.n_rows)
    importance = batch.importance
    if batch.balance.size:
        sides = batch.balance[column][(labels > 0).astype(np.intp)]
        importance = sides * importance if importance.size else sides
    return Batch(batch.rows, labels, importance)


class SeparateLesson:
    """The examples that each column learns from on its own; threads share the columns."""

    note = ""

    def __init__(self, state: Separate, batch: ManyBatch, plan: Plan) -> None:
        self._state, self._batch, self._plan = state, batch, plan
        self.looks = Passes(batch, plan.seed).looks(plan.order)
        for column, own in enumerate(state.states):
            if isinstance(own.keeper, Pocket):
                settle_pocket(own, batch_of(batch, column), plan)

    def answer_first(self) -> None:
        """No row has the scores of all columns as they are when it comes."""

    def one_pass(self, order: Any) -> Iterator[None]:
        def learn(columns: Sequence[int]) -> None:
            for c in columns:
                lesson = ColumnLesson(self._state.states[c], batch_of(self._batch, c), self._plan)
                for _ in lesson.one_pass(order):
                    pass

        n, n_jobs = self._state.n_columns, n_threads(self._plan.n_jobs)
        for first in range(0, n, 8 * n_jobs):  # some at a time, to show how far it is
            end = min(n, first + 8 * n_jobs)
            each_in_threads(learn, [range(first + k, end, n_jobs) for k in range(min(n_jobs, end - first))])
            yield
