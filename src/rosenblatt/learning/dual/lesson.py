"""How a state in dual form learns from a data set, block by block."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rosenblatt import rules
from rosenblatt.arithmetic.compiling import is_packaged
from rosenblatt.arithmetic.examples import Rows, n_features, n_rows, take, tie_label
from rosenblatt.engine.blocked import (
    NEEDS_ROW,
    SHRINKS,
    WALKED,
    mark_candidates,
    mark_candidates_fresh,
    walk_block,
    walk_block_fresh,
)
from rosenblatt.kernels import Custom, Monomials
from rosenblatt.learning.backends import OnHost
from rosenblatt.learning.dual.device_walk import DeviceWalk, Updates, can_walk
from rosenblatt.learning.dual.dual_state import (
    DualState,
    bounding_roots,
    refuse_overflow,
    refuse_shrinking,
)
from rosenblatt.learning.dual.gram import BlockGram, WholeBlock, WholeGram
from rosenblatt.learning.dual.points import Points
from rosenblatt.learning.dual.scores import RunningScores, Scores, WrittenOut
from rosenblatt.learning.dual.updates import Terms


class Lesson:
    """A data set that a state learns from: rows, classes, importance.

    classes: the number of the class of each row. One column: class 1 against class 0; else column c is
    class c against the rest. cache_bytes: how much of the Gram matrix may be kept. written_out: the
    kernel's feature space, where that is small enough to hold w itself. Neither changes what is learned.
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
        on_device = can_walk(state.backend, state.rule) and written_out is None
        self._whole: WholeGram | None = None
        if on_device and cache_bytes and state.backend.has_room(8 * n_rows(rows) ** 2):
            self._whole = WholeGram(state.kernel, self._points, state.offset, state.backend)
        self._scores: Scores
        if written_out is not None:
            self._scores = WrittenOut(written_out, state.offset, state.support, state.coefficients)
        else:
            self._scores = RunningScores(
                state.kernel, self._points, state.backend, state.offset, state.support, state.coefficients,
                cache_bytes, self._whole,
            )  # fmt: skip
        self._place = np.full(n_rows(rows), -1, np.int64)  # of each row in the support
        self._first = state.rows_given
        state.rows_given += n_rows(rows)
        state.is_whole &= self._points.is_whole and written_out is None and not importance.size
        self._memory = rules.start(state.rule)
        self._is_custom = isinstance(state.kernel, Custom)
        if not self._is_custom:
            self._squares, self._roots = self._bounds()
        self._on_device: DeviceWalk | None = None
        if on_device:
            self._on_device = self._device_walk()

    def _bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """K̃(x, x) of all rows, and their roots."""
        kernel, offset = self.state.kernel, self.state.offset
        with np.errstate(over="ignore"):
            diagonal = kernel.diagonal(None, self._points.squares(), OnHost())
        return diagonal + offset, bounding_roots(kernel, diagonal, offset)

    @property
    def n_rows(self) -> int:
        return n_rows(self._rows)

    def learn(self, which: NDArray[np.int64], ahead: NDArray[np.int64] | None = None) -> None:
        """Look at these rows, in this order. ahead: the only rows that will be looked at after them, where
        that is known."""
        state, backend = self.state, self.state.backend
        X, x2 = self._points.block(which)
        scores = self._scores.at(which, X, x2)
        rounding = state.rounding(len(which), True, state.largest2)
        error = 0.0
        if rounding:
            error = state.kernel.error(n_features(self._rows), state.largest2) + self._scores.error
        if self._on_device is not None:
            gram: BlockGram | WholeBlock = BlockGram(state.kernel, X, x2, state.offset, backend, False)
            if self._whole is not None:
                gram = self._whole.of_block(which)
            self._on_device.block(
                which,
                scores.T.contiguous(),
                gram,
                state.records,
                error,
                rounding,
                lambda column, row: self._settled(column, which[row]),
                lambda updates: self._commit(which, updates, self._roots[which]),
            )
        else:
            own = BlockGram(state.kernel, X, x2, state.offset, backend, True)
            self._walk_on_host(which, own, np.ascontiguousarray(backend.get(scores).T), error, rounding)
        state.looks += len(which)
        self._scores.block_ends(ahead)

    def _walk_on_host(
        self,
        which: NDArray[np.int64],
        gram: BlockGram,
        scores: NDArray[np.float64],
        error: float,
        rounding: float,
    ) -> None:
        state = self.state
        walk, mark = (walk_block, mark_candidates)
        if not is_packaged(state.rule):
            walk, mark = (walk_block_fresh, mark_candidates_fresh)
        squares, roots = self._bounds_of(which, gram)
        labels = [self._labels(which, c) for c in range(state.n_columns)]
        flagged = np.zeros(len(which), np.bool_)
        for c, record in enumerate(state.records):
            mark(
                scores[c], labels[c], squares, roots, error, rounding, state.rule, self._memory,
                record.clock, flagged,
            )  # fmt: skip
        flagged[-1] = False  # no row comes after it
        gram.add(np.flatnonzero(flagged))
        importance = self._importance[which] if self._importance.size else self._importance
        position, delta = np.empty(len(which), np.int64), np.empty(len(which))
        for c, record in enumerate(state.records):
            start, settled = 0, np.nan
            while True:
                status, row, made = walk(
                    scores[c], gram.values, gram.place, labels[c], squares, roots, importance, start,
                    settled, tie_label(state.tie), error, rounding, state.rule, self._memory,
                    record.clock, position, delta,
                )  # fmt: skip
                if made:
                    self._commit(which, [(c, position[:made].copy(), delta[:made].copy())], roots)
                if status == SHRINKS:
                    raise refuse_shrinking(state.rule)
                if status == WALKED:
                    break
                settled = settled if row == start else np.nan
                start = row
                if status == NEEDS_ROW:
                    gram.add(np.array([row]))
                else:
                    settled = self._settled(c, which[row])
                    record.clock["settled"] += 1

    def _bounds_of(
        self, which: NDArray[np.int64], gram: BlockGram
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """K̃(x, x) and roots of a block; a kernel of somebody's own has its whole Gram matrix made."""
        if not self._is_custom:
            return self._squares[which], self._roots[which]
        gram.add(np.arange(len(which)))
        squares = gram.values.diagonal().copy()
        return squares, bounding_roots(self.state.kernel, squares - self.state.offset, self.state.offset)

    def _settled(self, column: int, row: int) -> float:
        """The score of a row by the plain loop."""
        record = self.state.records[column]
        return self.state.plain_sum(Terms(record.member, record.delta), take(self._rows, np.array([row])))

    def _device_walk(self) -> DeviceWalk:
        """All that the device needs to walk any block of this lesson."""
        state = self.state
        everything = np.arange(self.n_rows)
        labels = np.stack([self._labels(everything, c) for c in range(state.n_columns)])
        return DeviceWalk(
            state.backend, state.rule, state.tie, labels, self._importance, self._roots, state.records
        )

    def _labels(self, which: NDArray[np.int64], column: int) -> NDArray[np.int8]:
        """+1 for rows of the column's class, −1 for the rest."""
        positive = column if self.state.n_columns > 1 else 1
        return np.where(self._classes[which] == positive, 1, -1).astype(np.int8)

    def _commit(
        self, which: NDArray[np.int64], updates: Sequence[Updates], roots: NDArray[np.float64]
    ) -> None:
        """Write updates that walks have made into the state: (column, positions in the block, deltas)."""
        position = np.concatenate([position for _, position, _ in updates])
        at = np.unique(position[self._place[which[position]] < 0])
        new, first = np.unique(which[at], return_index=True)  # a block may have a row twice
        if len(new):
            at = at[np.sort(first)]
            rows = which[at]
            self._place[rows] = self.state.take_in(take(self._rows, rows), self._first + rows, roots[at])
        for column, places, delta in updates:
            self.state.add(column, self._place[which[places]], delta, self.state.looks + places)
        columns = np.concatenate([np.full(len(places), column) for column, places, _ in updates])
        self._scores.learned(columns, which, position, np.concatenate([delta for *_, delta in updates]))
