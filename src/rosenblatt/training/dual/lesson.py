"""Train a state in dual form on a data set, in several passes; the rows of a block are scored together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import rules
from rosenblatt.errors import BadInput
from rosenblatt.kernels import Custom, Monomials
from rosenblatt.loops.blocked import (
    IN_DOUBT,
    NEEDS_ROW,
    SHRINKS,
    WALK,
    RowsMade,
    mark_candidates,
    walk_columns,
)
from rosenblatt.loops.short_rows import ShortBlock
from rosenblatt.numeric.row_batches import TIES, Rows, n_features, take
from rosenblatt.numeric.rows import ROUNDING
from rosenblatt.training.backends import Backend, Limits, OnHost
from rosenblatt.training.dual.dual_state import DualState, bounding_roots, refuse_overflow, refuse_shrinking
from rosenblatt.training.dual.kernel_values import BlockGram, Points
from rosenblatt.training.dual.scores import RunningScores, Scores, ScoresOfShortRows, WrittenOut
from rosenblatt.training.dual.support import Terms
from rosenblatt.training.many_batch import ManyBatch
from rosenblatt.training.orders import SEARCHES, Passes
from rosenblatt.training.run import Plan

Updates = tuple[int, NDArray[np.int64], NDArray[np.float64]]
"""(classifier, positions in the block, deltas)."""


class InBlocks:
    """Run the passes over a data set in dual form."""

    def __init__(self, lesson: Any, batch: ManyBatch, plan: Plan) -> None:
        check_plan(plan)
        self._lesson, self._passes = lesson, Passes(batch, plan.seed)
        self._last = None if plan.epochs is None else lesson.state.epochs + plan.epochs
        self.looks = self._passes.looks(plan.order)

    @property
    def note(self) -> str:
        return f", {self._lesson.state.n_support:,} support rows"

    def one_pass(self, order: Any) -> Iterator[None]:
        epoch = self._lesson.state.epochs
        rows = self._passes.rows(order, epoch).astype(np.int64)
        return in_blocks(self._lesson, rows, is_last=epoch + 1 == self._last)


def check_plan(plan: Plan) -> None:
    """Raise an error if the order of a plan is not supported in dual form."""
    if isinstance(plan.order, str) and plan.order in SEARCHES:
        raise BadInput(
            f"order: {plan.order!r} would need the score of every row before each step, which costs a "
            "whole Gram matrix per pass; use order='shuffled' or 'given'"
        )


def in_blocks(lesson: Any, rows: NDArray[np.int64], is_last: bool = True) -> Iterator[None]:
    """Visit the rows in blocks; yield between blocks.

    `is_last` states that no row is visited again after this call.
    """
    backend, start = lesson.state.backend, 0
    size = backend.block
    try:
        while start < len(rows):
            if start:
                yield
            end = start + size
            with np.errstate(over="ignore", invalid="ignore"):  # a score that is not finite is uncertain
                updates = lesson.learn(rows[start:end], rows[end:] if is_last else None)
            # short rows compute only the values that are needed, so large blocks cost nothing extra
            start, size = end, next_size(size, 0 if lesson.has_short_rows else updates, backend)
    finally:
        lesson.write_down()  # even if the pass was interrupted


def next_size(size: int, updates: int, backend: Backend) -> int:
    """Return the size of the next block: larger if there were few updates, smaller if there were many."""
    if 32 * updates < size:
        return min(2 * size, backend.largest_block)
    return max(size // 2, backend.block) if 2 * updates > size else size


class Lesson:
    """Train a state on a data set: rows, class numbers, importance.

    `classes` holds the class number of each row. With one classifier, class 1 is separated from class 0;
    otherwise classifier c separates class c from the rest. `cache_bytes` limits the stored part of the Gram
    matrix. `written_out` is the kernel's explicit feature space, if it is small enough to store w itself.
    `cache_bytes` and `written_out` do not change the result.
    """

    def __init__(
        self,
        state: DualState,
        rows: Rows,
        classes: NDArray[np.int64],
        importance: NDArray[np.float64],
        cache_bytes: int = 0,
        written_out: Monomials | None = None,
    ) -> None:
        self.state, self._rows, self._classes, self._importance = state, rows, classes, importance
        self._points = Points(rows, state.backend)
        refuse_overflow(state.kernel, self._points.largest2)
        state.largest2 = max(state.largest2, self._points.largest2)
        self._scores: Scores
        if written_out is not None:
            self._scores = WrittenOut(written_out, state.offset, state.support, state.coefficients)
        else:
            running = RunningScores(
                state.kernel, self._points, state.backend, state.offset, state.support, state.coefficients,
                cache_bytes,
            )  # fmt: skip
            self._scores = running.of_short(rows)
        self.has_short_rows = isinstance(self._scores, ScoresOfShortRows)
        self._place = np.full(self._points.n, -1, np.int64)  # index of each row in the support, or −1
        self._unwritten: list[tuple[NDArray[np.int64], list[Updates], NDArray[np.float64], int]] = []
        self._first = state.rows_given
        state.rows_given += self._points.n
        state.is_whole &= self._points.is_whole and written_out is None and not importance.size
        self._memory, self._tie = rules.start(state.rule), TIES[state.tie]
        self._mark = rules.loop_for(state.rule, mark_candidates)
        self._walk = rules.loop_for(state.rule, walk_columns)
        columns = len(state.records)
        self._positive = np.arange(columns)[:, None] if columns > 1 else np.ones((1, 1))
        self._error = state.kernel.error(n_features(rows), state.largest2) + self._scores.error
        self._is_custom = isinstance(state.kernel, Custom)
        if not self._is_custom:
            self._squares, self._roots = self._bounds()

    def _bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return K̃(x, x) = K(x, x) + offset of all rows, and the roots that bound K̃."""
        kernel, offset = self.state.kernel, self.state.offset
        with np.errstate(over="ignore"):
            diagonal = kernel.diagonal(None, self._points.squares(), OnHost())
        return diagonal + offset, bounding_roots(kernel, diagonal, offset)

    def learn(self, which: NDArray[np.int64], ahead: NDArray[np.int64] | None = None) -> int:
        """Learn from these rows in this order, and return the number of updates.

        `ahead` lists the rows that may be visited later; None means all rows.
        """
        updates = self._walk_on_host(which)
        self.state.looks += len(which)
        self._scores.block_ends(ahead)
        self.write_down()  # other threads may update the scores meanwhile
        return updates

    def _limits(self, looks: int) -> Limits:
        """Return the error limits of kernel values and sums for the next `looks` steps."""
        state = self.state
        rounding = state.rounding(looks, True, state.largest2) if state.is_whole else ROUNDING
        return self._error if rounding else 0.0, rounding

    def write_down(self) -> None:
        """Write the queued updates into the state."""
        for found in self._unwritten:
            self._commit(*found)
        self._unwritten.clear()

    def _walk_on_host(self, which: NDArray[np.int64]) -> int:
        state, backend, rule, memory = self.state, self.state.backend, self.state.rule, self._memory
        labels, (error, rounding) = self._labels(which), self._limits(len(which))
        clocks = state.joined_clocks()
        gram: BlockGram | None = None
        made: RowsMade | ShortBlock
        if isinstance(self._scores, ScoresOfShortRows):
            made, squares, roots = self._scores.block(which), self._squares[which], self._roots[which]
            scores = self._scores.at(which, None, None).T
        else:
            X, x2 = self._points.block(which)
            scores = np.ascontiguousarray(backend.get(self._scores.at(which, X, x2)).T)
            gram = BlockGram(state.kernel, X, x2, state.offset, backend, True)
            if self._is_custom:  # the whole Gram matrix of the block is computed
                gram.add(np.arange(len(which)))
                squares = gram.values.diagonal().copy()
                roots = bounding_roots(state.kernel, squares - state.offset, state.offset)
            else:
                squares, roots = self._squares[which], self._roots[which]
            flagged = np.zeros(len(which), np.bool_)
            self._mark(scores, labels, squares, roots, error, rounding, rule, memory, clocks, flagged)
            flagged[-1] = False  # no row follows the last one
            made = gram.add(np.flatnonzero(flagged))
        importance = self._importance[which] if self._importance.size else self._importance
        walks = np.zeros(len(scores), WALK)
        walks["status"], walks["settled"] = NEEDS_ROW, np.nan
        position, delta = np.empty(scores.shape, np.int64), np.empty(scores.shape)
        committed = np.zeros(len(scores), np.int64)
        while True:
            waiting = self._walk(
                scores, made, labels, squares, roots, importance, self._tie, error,
                rounding, rule, memory, clocks, walks, position, delta,
            )  # fmt: skip
            in_doubt = np.flatnonzero(walks["status"] == IN_DOUBT).tolist()
            if not waiting or in_doubt:
                self._take_over(which, position, delta, committed, walks["made"], roots)
                committed = walks["made"].copy()
            if not waiting:
                return int(committed.sum())
            if (walks["status"] == SHRINKS).any():
                raise refuse_shrinking(rule)
            if gram is not None:
                made = gram.add(np.unique(walks["row"][walks["status"] == NEEDS_ROW]))
            for c in in_doubt:
                walks["settled"][c] = self._score_in_order(c, which[walks["row"][c]])
                clocks["settled"][c] += 1

    def _take_over(
        self,
        which: NDArray[np.int64],
        position: NDArray[np.int64],
        delta: NDArray[np.float64],
        first: NDArray[np.int64],
        end: NDArray[np.int64],
        roots: NDArray[np.float64],
    ) -> None:
        """Queue updates first[c] to end[c] of each classifier c for the state; pass them to the scores."""
        some = [(c, slice(first[c], end[c])) for c in np.flatnonzero(end > first).tolist()]
        if some:
            updates = [(c, position[c, part], delta[c, part]) for c, part in some]
            self._unwritten.append((which, updates, roots, self.state.looks))
            self._scores.add_updates(*join_updates(updates, which))

    def _score_in_order(self, column: int, row: int) -> float:
        """Return the score of a row, summed over the recorded updates in their order."""
        self.write_down()
        record = self.state.records[column]
        return self.state.plain_sum(Terms(record.member, record.delta), take(self._rows, np.array([row])))

    def _labels(self, which: NDArray[np.int64]) -> NDArray[np.int8]:
        """Return +1 for rows of a classifier's class, otherwise −1, in shape (classifiers, rows)."""
        return np.where(self._classes[which] == self._positive, 1, -1).astype(np.int8)

    def _commit(
        self, which: NDArray[np.int64], updates: Sequence[Updates], roots: NDArray[np.float64], looks: int
    ) -> None:
        """Write updates to the state, each as (classifier, positions in the block, deltas).

        `looks` is the number of steps before the block.
        """
        state, place = self.state, self._place
        columns, _, position, delta = join_updates(updates, which)
        rows = which[position]
        at, new = position[place[rows] < 0], None
        if len(at):  # sorted by classifier, then in the order of the updates
            _, first = np.unique(which[at], return_index=True)
            at = at[np.sort(first)]
            fresh = which[at]
            place[fresh] = len(state.support.origin) + np.arange(len(fresh))
            new = take(self._rows, fresh), self._first + fresh, roots[at]
        state.add(columns, place[rows], delta, looks + position, new)


def join_updates(updates: Sequence[Updates], which: NDArray[np.int64]) -> tuple[NDArray[Any], ...]:
    """Return all updates as arrays: (classifier, rows of the block, position in the block, delta)."""
    columns = np.repeat([column for column, _, _ in updates], [len(delta) for _, _, delta in updates])
    position, delta = (np.concatenate([update[k] for update in updates]) for k in (1, 2))
    return columns, which, position, delta
