"""Trainers for binary classifiers that learn one after another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import averaging, rules
from rosenblatt.averaging.pocket import IN_POCKET, NOT_COMPARED
from rosenblatt.errors import BadInput
from rosenblatt.loops.decide import WEIGHTS_OVERFLOWED
from rosenblatt.loops.threads import each_in_threads, n_threads
from rosenblatt.loops.walk import count_errors, squared_length, walk
from rosenblatt.numeric.next_row import Given, Listed
from rosenblatt.numeric.row_batches import TIES, Batch, Sparse, take
from rosenblatt.training.feature_renumbering import narrow_column, renumber, write_back
from rosenblatt.training.many_batch import ManyBatch
from rosenblatt.training.orders import SEARCHES, Passes, looks_of
from rosenblatt.training.overflow_errors import trouble
from rosenblatt.training.run import Plan, learn_all

if TYPE_CHECKING:
    from rosenblatt.training.separate_columns import Column, SeparateColumns


class ColumnTrainer:
    """Train one binary classifier on examples.

    `prepare` reads all rows first: it counts the errors of the pocket's weight vector, and renumbers
    features if that saves time.
    """

    note = ""

    def __init__(
        self, state: SeparateColumns, number: int, batch: Batch, plan: Plan, prepare: bool = False
    ) -> None:
        column = state.columns[number]
        if prepare and isinstance(column.keeper, averaging.Pocket):
            settle_pocket(column, batch, plan)
        self._state, self._column, self._batch, self._plan = state, column, batch, plan
        is_sparse = isinstance(batch.rows, Sparse)
        self._renumbered = renumber(column, batch, plan) if prepare and is_sparse else None
        self._rows, self._near = batch.rows, column
        if self._renumbered is not None:
            self._rows, self._near = self._renumbered.rows, narrow_column(column, self._renumbered.numbers)
        self._began, self._number = state.epochs, number
        self._keeper = self._near.keeper
        self._loop, self._tie = rules.loop_for(column.rule, walk), TIES[column.tie]
        self._passes = Passes(batch, plan.seed)
        self.looks = self._passes.looks(plan.order)

    def answer_first(self) -> NDArray[np.int64]:
        """Make the trainer predict each row by the mean weights before it learns from the row.

        Return an array that will count the wrong predictions: on all rows, and on rows of the first class.
        """
        wrong = np.zeros(2, np.int64)
        self._keeper = self._keeper._replace(wrong=wrong)
        return wrong

    def one_pass(self, order: Any) -> Iterator[None]:
        """Visit the rows of `order`, and change the classifier in place.

        After an error the classifier stays partly trained.
        """
        column, batch, near = self._column, self._batch, self._near
        tally = column.tally
        before = int(tally["mistakes"][0])
        for number, segment in enumerate(self._passes.segments(order, self._state.epochs, column)):
            if number:
                yield
            if isinstance(column.keeper, averaging.Voted):
                column.keeper = self._keeper = averaging.with_room(column.keeper, looks_of(segment))
            recorder, keeper = self._state.recorder, self._keeper
            if recorder is not None:
                keeper = recorder.wrap(keeper, looks_of(segment), 1, self._number)
            column.memory, status, row, _ = self._loop(
                self._rows, batch.labels, batch.importance, segment, column.offset, self._tie, column.rule,
                column.memory, keeper, near.weights, tally,
            )  # fmt: skip
            if recorder is not None:
                recorder.take(keeper)
            if not np.isfinite(tally["norm2"][0]) and not np.isfinite(near.weights).all():
                status = WEIGHTS_OVERFLOWED  # in the last step, so no later step could detect it
            if status:
                raise trouble(status, batch.rows, int(row))
        if isinstance(column.keeper, averaging.Voted):
            store_committee(column, batch)
        passes = self._state.epochs + 1 - self._began
        mistakes = int(tally["mistakes"][0]) - before
        if self._renumbered is not None and self._plan.looks_at_weights(passes, mistakes):
            write_back(near, column, self._renumbered.numbers)


class SeparateTrainer:
    """Train the classifiers of many classes or labels independently of each other, in parallel threads."""

    note = ""

    def __init__(self, state: SeparateColumns, batch: ManyBatch, plan: Plan) -> None:
        self._state, self._batch, self._plan = state, batch, plan
        self.looks = Passes(batch, plan.seed).looks(plan.order)
        for number, column in enumerate(state.columns):
            if isinstance(column.keeper, averaging.Pocket):
                settle_pocket(column, batch.of_column(number), plan)

    def one_pass(self, order: Any) -> Iterator[None]:
        def learn(numbers: Sequence[int]) -> None:
            for c in numbers:
                learn_all(ColumnTrainer(self._state, c, self._batch.of_column(c), self._plan), order)

        n, n_jobs = len(self._state.columns), n_threads(self._plan.n_jobs)
        for first in range(0, n, 8 * n_jobs):  # some at a time, to report progress
            end = min(n, first + 8 * n_jobs)
            each_in_threads(learn, [range(first + k, end, n_jobs) for k in range(min(n_jobs, end - first))])
            yield


def learn(state: SeparateColumns, batch: Batch, order: Given | Listed) -> None:
    """Train the classifier of two classes on the rows of `order`, without stopping rules and history."""
    learn_all(ColumnTrainer(state, 0, batch, Plan()), order)


def store_committee(column: Column, batch: Batch) -> None:
    """Copy the rows from which new members of a committee were formed, since the batch may be freed."""
    members = int(column.keeper.members[0])
    new = column.keeper.row[column.stored : members]
    if new.size:
        rows, place = np.unique(new, return_inverse=True)
        column.support.append(take(batch.rows, rows))
        column.keeper.row[column.stored : members] = column.support_rows + place
        column.support_rows += len(rows)
    column.stored = members


def settle_pocket(column: Column, batch: Batch, plan: Plan) -> None:
    """Count the errors of the pocket's weight vector on all rows, if all rows are available.

    For a part of a stream, nothing is counted: the pocket then compares only the lengths of streaks of
    correct predictions.
    """
    if not plan.has_all_rows:
        column.keeper = column.keeper._replace(ratchet=False)
        return
    if isinstance(plan.order, str) and plan.order in SEARCHES:
        raise BadInput(
            f"order: {plan.order!r} visits only misclassified rows, so no vector has a run of correct "
            "predictions, which keep='pocket' needs; use order='shuffled' or 'given'"
        )
    best = column.keeper.best
    errors = count_errors(
        batch.rows, batch.labels, batch.importance, column.offset, TIES[column.tie], best,
        squared_length(best), batch.n_rows,
    )  # fmt: skip
    if errors != column.keeper.best_errors[0]:
        column.keeper = pocket_of_other_rows(best, errors, np.array_equal(best, column.current()))
    column.keeper = column.keeper._replace(ratchet=True)


def pocket_of_other_rows(best: NDArray[np.float64], errors: int, is_current: bool) -> averaging.Pocket:
    """Return a pocket with this vector and its errors on the rows; earlier run lengths are discarded."""
    standing = np.array([IN_POCKET if is_current else NOT_COMPARED])
    return averaging.begin("pocket", best)._replace(best_errors=np.array([errors]), standing=standing)
