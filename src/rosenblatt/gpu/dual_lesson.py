"""Kernel training on a GPU in blocks of rows; the CPU decides rows whose score has an uncertain sign."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt import rules
from rosenblatt.gpu.block_walks import HEAD
from rosenblatt.gpu.torch_backend import OnDevice
from rosenblatt.gpu.torch_decisions import ruled_out
from rosenblatt.loops.blocked import FREE, IN_DOUBT, NEEDS_ROW, UNDERFLOW, meaning
from rosenblatt.loops.decide import acts_on, is_mistake
from rosenblatt.numeric.row_batches import Rows, tie_label
from rosenblatt.training.dual.dual_state import DualState
from rosenblatt.training.dual.kernel_values import BlockGram, Points
from rosenblatt.training.dual.lesson import Lesson, Updates, join_updates
from rosenblatt.training.dual.scores import RunningScores

ALL_ROWS = 4096  # for at most this many rows, the whole Gram matrix is cheaper than selecting entries


def walk_on_device(*arguments: Any) -> Any:
    """Call `gpu.triton_walks.walk_on_device`; its module can be imported only if there is a device."""
    from rosenblatt.gpu import triton_walks

    return triton_walks.walk_on_device(*arguments)


class DeviceLesson(Lesson):
    """Train all classifiers on the rows of a block on the GPU.

    The CPU records the updates of one call while the GPU computes the next.
    """

    def __init__(
        self,
        state: DualState,
        rows: Rows,
        classes: NDArray[np.int64],
        importance: NDArray[np.float64],
        cache_bytes: int = 0,
    ) -> None:
        super().__init__(state, rows, classes, importance, cache_bytes)
        assert isinstance(state.backend, OnDevice)
        assert isinstance(self._scores, RunningScores)
        self._backend = backend = state.backend
        self._whole: WholeGram | None = None
        if cache_bytes and backend.has_room(8 * self._points.n**2):
            self._whole = WholeGram(state.kernel, self._points, state.offset, backend)
            self._scores = ScoresOnWhole(self._whole, self._scores.scores)
        self._rate, self._tau_positive, self._tau_negative = rules.constants(state.rule)
        self._signs = self._labels(np.arange(self._points.n))
        self._signs_there, self._roots_there = backend.copy_of(self._signs), backend.put(self._roots)
        self._tau = self._signs_there * (0.5 * (self._tau_positive - self._tau_negative))
        self._tau += 0.5 * (self._tau_positive + self._tau_negative)
        self._importance_there = backend.put(importance) if importance.size else None
        self._mass = backend.put(np.array([record.clock["mass"][0] for record in state.records]))
        self._terms = backend.put(np.array([r.clock["terms"][0] for r in state.records], np.float64))
        self._from_the_start = backend.copy_of(np.zeros(len(state.records), np.int32))
        self._parameters: tuple[float, float, Any] = (-1.0, -1.0, None)
        self._up_to: dict[int, Any] = {}

    def learn(self, which: NDArray[np.int64], ahead: NDArray[np.int64] | None = None) -> int:
        before = self._count_updates()
        self._walk_block(which)
        self.state.looks += len(which)
        self._scores.block_ends(ahead)
        return self._count_updates() - before

    def _count_updates(self) -> int:
        # a loop over scalars: joining the clocks in numpy takes 0.2 ms, too long for a short block
        return sum(int(record.clock["updates"][0]) for record in self.state.records)

    def _walk_block(self, which: NDArray[np.int64]) -> None:
        backend, records, n = self._backend, self.state.records, len(which)
        numbers, X, x2 = backend.numbers(which), None, None
        gram: BlockGram | WholeBlock
        if self._whole is None:
            X, x2 = self._points.block(which)
            gram = BlockGram(self.state.kernel, X, x2, self.state.offset, backend, False)
        else:
            gram = self._whole.of_block(which)
        scores, (error, rounding) = self._scores.at(which, X, x2).T.contiguous(), self._limits(n)
        labels, roots = self._signs_there[:, numbers].contiguous(), self._roots_there[numbers]
        importance = None if self._importance_there is None else self._importance_there[numbers]

        def visible() -> NDArray[np.int64]:
            return self._visible_rows(scores, labels, self._tau[:, numbers], roots, error, rounding)

        across = self._first_numbers(n)
        if isinstance(gram, WholeBlock):
            across = gram.across
        else:
            gram.add(np.arange(n) if n <= ALL_ROWS else visible())
        parameters = self._parameters_there(error, rounding)
        start, settled = np.zeros(len(records), np.int32), np.zeros(len(records), np.int32)
        starts, meanings = self._from_the_start, self._from_the_start
        while True:
            found = walk_on_device(
                scores, gram.values, self._places(gram, across), across, labels, roots, importance, starts,
                meanings, self._mass, self._terms, parameters,
            )  # fmt: skip
            self.write_down()  # while the device visits rows
            result = backend.get(found)
            status, ended = result[:, 0], result[:, 1]
            self._take_over_walks(which, result, start < n)
            settled[ended != start] = FREE
            in_doubt = np.flatnonzero((start < n) & (status == IN_DOUBT))
            lacks = bool(((start < n) & (status == NEEDS_ROW)).any())
            start = ended.astype(np.int32)
            for c in in_doubt.tolist():
                row = int(which[start[c]])
                s = (
                    self._score_in_order(c, row) if rounding else 0.0
                )  # exact scores are uncertain only if they are 0
                settled[c] = self._meaning(c, row, s)
                # at w = 0 no score was uncertain
                records[c].clock["settled"] += rounding > 0.0 and records[c].size > 0
            if not (start < n).any():
                return
            if lacks:
                gram.add(np.concatenate([visible(), np.unique(start[start < n]).astype(np.int64)]))
            starts, meanings = backend.copy_of(start), backend.copy_of(settled)

    def _places(self, gram: BlockGram | WholeBlock, across: Any) -> Any:
        if isinstance(gram, WholeBlock) or len(gram.place) <= ALL_ROWS:
            return across  # rows and columns have the same indices
        return self._backend.copy_of(gram.place.astype(np.int32))

    def _first_numbers(self, n: int) -> Any:
        """Return the array 0, 1, …, n − 1 on the device."""
        if n not in self._up_to:
            self._up_to[n] = self._backend.copy_of(np.arange(n, dtype=np.int32))
        return self._up_to[n]

    def _visible_rows(
        self, scores: Any, labels: Any, tau: Any, roots: Any, error: float, rounding: float
    ) -> NDArray[np.int64]:
        """Return the rows on which some classifier would, or might, update by its current score."""
        doubt: Any = 0.0
        if rounding:
            slack = (error + (self._terms + scores.shape[1] + 8.0) * rounding) * self._mass
            doubt = slack[:, None] * roots + UNDERFLOW
        flagged = ~ruled_out(scores, labels, tau, doubt).all(dim=0)
        found = self._backend.get(flagged.nonzero()[:, 0]).astype(np.int64)
        return found if len(found) else np.zeros(1, np.int64)

    def _parameters_there(self, error: float, rounding: float) -> Any:
        if self._parameters[:2] != (error, rounding):
            underflow = UNDERFLOW if rounding else 0.0  # exact scores: only 0 is undecided
            values = [error, rounding, underflow, self._rate, self._tau_positive, self._tau_negative]
            self._parameters = (error, rounding, self._backend.put(np.array(values)))
        return self._parameters[2]

    def _take_over_walks(
        self, which: NDArray[np.int64], result: NDArray[Any], was_going: NDArray[np.bool_]
    ) -> None:
        """Add the results of visiting a block to the counters, and queue the updates for `write_down`."""
        records = self.state.records
        made = np.where(was_going, result[:, 2], 0)
        columns, places = np.nonzero(np.arange(made.max(initial=0)) < made[:, None])
        positions = result[columns, HEAD + places].astype(np.int64)
        rows = which[positions]
        deltas: NDArray[np.float64] = np.float64(self._rate) * self._signs[columns, rows]
        if self._importance.size:
            deltas = self._rate * self._importance[rows] * self._signs[columns, rows]
        mass = np.bincount(columns, np.abs(deltas) * self._roots[rows], len(records))
        updates: list[Updates] = []
        for c in np.flatnonzero(was_going & ((made > 0) | (result[:, 3] > 0))).tolist():
            clock = records[c].clock[0]
            clock["mistakes"] += int(result[c, 3])
            clock["false_positives"] += int(result[c, 4])
            clock["updates"] += int(made[c])
            clock["terms"] += 2 * int(made[c])
            clock["mass"] += float(mass[c])
            if made[c]:
                own = slice(*np.searchsorted(columns, (c, c + 1)))
                updates.append((c, positions[own], deltas[own]))
        if updates:
            self._unwritten.append((which, updates, self._roots[which], self.state.looks))
            self._scores.add_updates(*join_updates(updates, which))

    def _meaning(self, column: int, row: int, s: float) -> int:
        """Return the code for a row whose score is certain (see `loops.blocked.FREE`)."""
        y = float(self._signs[column, row])
        tau = self._tau_positive if y > 0.0 else self._tau_negative
        mistake = is_mistake(s, y, tie_label(self.state.tie))
        return meaning(mistake, acts_on(mistake, y * s, tau))


class WholeGram:
    """Hold K + offset between all rows of a data set, if the device has enough memory."""

    def __init__(self, kernel: Any, points: Points, offset: float, backend: OnDevice) -> None:
        self.backend = backend
        self.values = backend.empty((points.n, points.n))
        for part, X, x2 in points.parts(points.n):  # one half; the other half is its transpose
            for where, Z, z2 in points.parts(part.stop - part.start, part.start):
                made = kernel.matrix(X, Z, x2, z2, backend)
                self.values[part, where] = made
                self.values[where, part] = made.T
        if offset:
            self.values += offset

    def of_block(self, which: NDArray[np.int64]) -> WholeBlock:
        return WholeBlock(self.values, self.backend.copy_of(which.astype(np.int32)))


class WholeBlock(NamedTuple):
    """View the rows of a `WholeGram` that form a block; `across` holds the indices of these rows."""

    values: Any
    across: Any

    def add(self, positions: NDArray[np.int64]) -> None:
        pass


class ScoresOnWhole:
    """Update the scores of all rows after every change of w, from the Gram matrix of all rows."""

    error = 0.0

    def __init__(self, whole: WholeGram, scores: Any) -> None:
        self._whole, self._scores, self._backend = whole, scores.T.contiguous(), whole.backend

    def at(self, which: NDArray[np.int64], X: Any, x2: Any) -> Any:
        return self._scores[:, self._backend.numbers(which)].T

    def add_updates(
        self, column: Any, which: NDArray[np.int64], position: Any, delta: NDArray[np.float64]
    ) -> None:
        # the rows are read in place: copying them together would take longer than adding them up
        ends = np.searchsorted(column, np.arange(len(self._scores) + 1))
        changes = self._backend.csr_matrix(ends, which[position], delta, self._whole.values.shape[0])
        self._scores += changes @ self._whole.values

    def block_ends(self, ahead: NDArray[np.int64] | None) -> None:
        pass
