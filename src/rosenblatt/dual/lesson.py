"""How a state in dual form learns from a data set, block by block."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import rules
from rosenblatt.compiling import is_packaged
from rosenblatt.dual.device_walk import DeviceWalk, can_walk
from rosenblatt.dual.explicit import Monomials
from rosenblatt.dual.points import Points
from rosenblatt.dual.record import Terms
from rosenblatt.dual.scores import RunningScores, Scores, WrittenOut
from rosenblatt.dual.spaces import OnDevice, OnHost
from rosenblatt.dual.state import (
    DualState,
    block_values,
    bounding_roots,
    refuse_overflow,
    refuse_shrinking,
)
from rosenblatt.examples import Rows, n_features, n_rows, take, tie_label
from rosenblatt.loops.blocked import IN_DOUBT, SHRINKS, walk_block, walk_block_fresh


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
        self._points = Points(rows, state.space)
        state.largest2 = max(state.largest2, self._points.largest2)
        refuse_overflow(state.kernel, state.largest2)
        self._scores: Scores
        if written_out is not None:
            self._scores = WrittenOut(written_out, state.offset, state.support, state.coefficients)
        else:
            self._scores = RunningScores(
                state.kernel, self._points, state.space, state.offset, state.support, state.coefficients,
                cache_bytes,
            )  # fmt: skip
        self._place = np.full(n_rows(rows), -1, np.int64)  # of each row in the support
        self._first = state.rows_given
        state.rows_given += n_rows(rows)
        self._walk = walk_block if is_packaged(state.rule) else walk_block_fresh
        self._memory = rules.start(state.rule)
        self._on_device: DeviceWalk | None = None
        if can_walk(state.space, state.rule):
            self._on_device = self._device_walk()

    @property
    def n_rows(self) -> int:
        return n_rows(self._rows)

    def learn(self, which: NDArray[np.int64], ahead: NDArray[np.int64] | None = None) -> None:
        """Look at these rows, in this order. ahead: the only rows that will be looked at after them, where
        that is known."""
        state, space = self.state, self.state.space
        X, x2 = self._points.block(which)
        error = state.kernel.error(n_features(self._rows), state.largest2) + self._scores.error
        scores = self._scores.of(which, X, x2)
        if self._on_device is None:
            self._walk_on_host(which, X, x2, np.ascontiguousarray(space.get(scores).T), error)
        else:
            gram = state.kernel.matrix(X, X, x2, x2, space)
            gram += state.offset
            roots = self._on_device.roots[which]
            self._on_device.block(
                which,
                scores.T.contiguous(),
                gram,
                state.records,
                error,
                lambda column, row: self._settled(column, which[row]),
                lambda column, position, delta: self._commit(column, which, position, delta, roots),
            )
        state.looks += len(which)
        self._scores.block_ends(ahead)

    def _walk_on_host(
        self, which: NDArray[np.int64], X: Any, x2: Any, scores: NDArray[np.float64], error: float
    ) -> None:
        state = self.state
        gram, squares, roots = block_values(state.kernel, X, x2, state.offset, state.largest2, state.space)
        importance = self._importance[which] if self._importance.size else self._importance
        position, delta = np.empty(len(which), np.int64), np.empty(len(which))
        for c, record in enumerate(state.records):
            labels = self._labels(which, c)
            row, settled = 0, np.nan
            while True:
                status, row, made = self._walk(
                    scores[c], gram, labels, squares, roots, importance, row, settled, tie_label(state.tie),
                    error, state.rule, self._memory, record.clock, position, delta,
                )  # fmt: skip
                self._commit(c, which, position[:made], delta[:made].copy(), roots)
                if status == SHRINKS:
                    raise refuse_shrinking(state.rule)
                if status != IN_DOUBT:
                    break
                settled = self._settled(c, which[row])
                record.clock["settled"] += 1

    def _settled(self, column: int, row: int) -> float:
        """The score of a row by the plain loop."""
        record = self.state.records[column]
        return self.state.plain_sum(Terms(record.member, record.delta), take(self._rows, np.array([row])))

    def _device_walk(self, **walk: Any) -> DeviceWalk:
        """All that the device needs to walk any block of this lesson."""
        state = self.state
        assert isinstance(state.space, OnDevice)
        everything = np.arange(self.n_rows)
        labels = np.stack([self._labels(everything, c) for c in range(state.n_columns)])
        squares = self._points.squares()
        roots = bounding_roots(state.kernel, state.kernel.diagonal(None, squares, OnHost()), state.offset)
        return DeviceWalk(state.space, state.rule, state.tie, labels, self._importance, roots, **walk)

    def _labels(self, which: NDArray[np.int64], column: int) -> NDArray[np.int8]:
        """+1 for rows of the column's class, −1 for the rest."""
        positive = column if self.state.n_columns > 1 else 1
        return np.where(self._classes[which] == positive, 1, -1).astype(np.int8)

    def _commit(
        self,
        column: int,
        which: NDArray[np.int64],
        position: NDArray[np.int64],
        delta: NDArray[np.float64],
        roots: NDArray[np.float64],
    ) -> None:
        """Write the updates that a walk has made into the state."""
        if not len(position):
            return
        rows = which[position]
        new, first = np.unique(rows[self._place[rows] < 0], return_index=True)
        if len(new):
            new = new[np.argsort(first)]  # in the order in which they came
            at = position[[int(np.flatnonzero(rows == row)[0]) for row in new]]
            self._place[new] = self.state.take_in(take(self._rows, new), self._first + new, roots[at])
        self.state.add(column, self._place[rows], delta, self.state.looks + position)
        self._scores.learned(column, which, position, delta)
