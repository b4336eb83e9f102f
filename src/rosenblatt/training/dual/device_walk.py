"""Visit the rows of a block on a device, column by column; the host decides uncertain rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import rules
from rosenblatt.loops.blocked import FREE, IN_DOUBT, NEEDS_ROW, UNDERFLOW, meaning
from rosenblatt.loops.decide import acts_on, is_mistake
from rosenblatt.loops.device_decide import ruled_out
from rosenblatt.numeric.examples import tie_label
from rosenblatt.training.backends import Backend, Limits
from rosenblatt.training.dual.kernel_values import BlockGram, WholeBlock
from rosenblatt.training.dual.support import Record


def can_walk(backend: Backend, rule: Any) -> bool:
    """Return whether the device can walk by this rule."""
    return backend.has_triton and rules.facts(rule).is_fixed


def on_cuda(*arguments: Any) -> Any:
    """Return `loops.device_walk.walk_on_device`, imported on first use."""
    from rosenblatt.loops.device_walk import walk_on_device

    return walk_on_device(*arguments)


HEAD = 5  # numbers before the positions in a column's result, as in `loops.device_walk`
ALL_ROWS = 4096  # up to so many rows, their whole Gram matrix costs less than to find out what is needed

Updates = tuple[int, NDArray[np.int64], NDArray[np.float64]]
"""(column, positions in the block, deltas)."""


class DeviceWalk:
    """Hold the columns of a lesson on device and host: labels (columns × rows), importance, roots."""

    def __init__(
        self,
        backend: Any,
        rule: Any,
        tie: str,
        labels: NDArray[np.int8],
        importance: NDArray[np.float64],
        roots: NDArray[np.float64],
        records: list[Record],
        walk: Callable[..., Any] = on_cuda,
    ) -> None:
        self._walk, self._backend, self._tie = walk, backend, tie_label(tie)
        self._rate, self._tau_positive, self._tau_negative = rules.constants(rule)
        self._labels, self._importance, self._roots = labels, importance, roots
        self._labels_there, self._roots_there = backend.integers(labels), backend.put(roots)
        self._tau = self._labels_there * (0.5 * (self._tau_positive - self._tau_negative))
        self._tau += 0.5 * (self._tau_positive + self._tau_negative)
        self._importance_there = backend.put(importance) if importance.size else None
        self._mass = backend.put(np.array([record.clock["mass"][0] for record in records]))
        self._terms = backend.put(np.array([record.clock["terms"][0] for record in records], np.float64))
        self._from_the_start = backend.integers(np.zeros(len(records), np.int32))
        self._parameters: tuple[float, float, Any] = (-1.0, -1.0, None)
        self._up_to: dict[int, Any] = {}

    def block(
        self,
        which: NDArray[np.int64],
        scores: Any,
        gram: BlockGram | WholeBlock,
        records: list[Record],
        limits: Limits,
        settle: Callable[[int, int], float],
        commit: Callable[[list[Updates]], None],
        meanwhile: Callable[[], None],
    ) -> None:
        """Walk all columns over a block of rows.

        settle(column, position): the score by the plain loop. commit: takes updates over. meanwhile: what
        the host has to do while the device walks.
        """
        backend, columns, n, (error, rounding) = self._backend, len(records), len(which), limits
        numbers = backend.numbers(which)
        labels, roots = self._labels_there[:, numbers].contiguous(), self._roots_there[numbers]
        importance = None if self._importance_there is None else self._importance_there[numbers]

        def rows_in_sight() -> NDArray[np.int64]:
            return self._in_sight(scores, labels, self._tau[:, numbers], roots, error, rounding)

        across = self._first_numbers(n)
        if isinstance(gram, WholeBlock):
            across = gram.across
        else:
            gram.add(np.arange(n) if n <= ALL_ROWS else rows_in_sight())
        parameters = self._parameters_there(error, rounding)
        start, settled = np.zeros(columns, np.int32), np.zeros(columns, np.int32)
        starts, meanings = self._from_the_start, self._from_the_start
        while True:
            found = self._walk(
                scores, gram.values, self._places(gram, across), across, labels, roots, importance, starts,
                meanings, self._mass, self._terms, parameters,
            )  # fmt: skip
            meanwhile()
            result = backend.get(found)
            status, ended = result[:, 0], result[:, 1]
            self._take_over(which, result, start < n, records, commit)
            settled[ended != start] = FREE
            in_doubt = np.flatnonzero((start < n) & (status == IN_DOUBT))
            lacks = bool(((start < n) & (status == NEEDS_ROW)).any())
            start = ended.astype(np.int32)
            for c in in_doubt.tolist():
                s = settle(c, int(start[c])) if rounding else 0.0  # exact scores stop only where they are 0
                settled[c] = self._meaning(c, int(which[start[c]]), s)
                # at w = 0 nothing was in doubt
                records[c].clock["settled"] += rounding > 0.0 and records[c].size > 0
            if not (start < n).any():
                return
            if lacks:
                gram.add(np.concatenate([rows_in_sight(), np.unique(start[start < n]).astype(np.int64)]))
            starts, meanings = backend.integers(start), backend.integers(settled)

    def _places(self, gram: BlockGram | WholeBlock, across: Any) -> Any:
        if isinstance(gram, WholeBlock) or len(gram.place) <= ALL_ROWS:
            return across  # rows are where columns are
        return self._backend.integers(gram.place.astype(np.int32))

    def _first_numbers(self, n: int) -> Any:
        """Return 0, 1, …, n − 1 on the device."""
        if n not in self._up_to:
            self._up_to[n] = self._backend.integers(np.arange(n, dtype=np.int32))
        return self._up_to[n]

    def _in_sight(
        self, scores: Any, labels: Any, tau: Any, roots: Any, error: float, rounding: float
    ) -> NDArray[np.int64]:
        """Return the rows on which the rule would, or might, update in some column now."""
        doubt: Any = 0.0
        if rounding:
            slack = (error + (self._terms + scores.shape[1] + 8.0) * rounding) * self._mass
            doubt = slack[:, None] * roots + UNDERFLOW
        flagged = ~ruled_out(scores, labels, tau, doubt).all(dim=0)
        found = self._backend.get(flagged.nonzero()[:, 0]).astype(np.int64)
        return found if len(found) else np.zeros(1, np.int64)

    def _parameters_there(self, error: float, rounding: float) -> Any:
        if self._parameters[:2] != (error, rounding):
            underflow = UNDERFLOW if rounding else 0.0  # exact: only a score of 0 is not decided
            values = [error, rounding, underflow, self._rate, self._tau_positive, self._tau_negative]
            self._parameters = (error, rounding, self._backend.put(np.array(values)))
        return self._parameters[2]

    def _take_over(
        self,
        which: NDArray[np.int64],
        result: NDArray[Any],
        was_going: NDArray[np.bool_],
        records: list[Record],
        commit: Callable[[list[Updates]], None],
    ) -> None:
        """Count what the walks have done, and commit it."""
        made = np.where(was_going, result[:, 2], 0)
        columns, places = np.nonzero(np.arange(made.max(initial=0)) < made[:, None])
        positions = result[columns, HEAD + places].astype(np.int64)
        rows = which[positions]
        deltas: NDArray[np.float64] = np.float64(self._rate) * self._labels[columns, rows]
        if self._importance.size:
            deltas = self._rate * self._importance[rows] * self._labels[columns, rows]
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
            commit(updates)

    def _meaning(self, column: int, row: int, s: float) -> int:
        """Return the code for a row whose score is certain: see `loops.blocked.FREE`."""
        y = float(self._labels[column, row])
        tau = self._tau_positive if y > 0.0 else self._tau_negative
        mistake = is_mistake(s, y, self._tie)
        return meaning(mistake, acts_on(mistake, y * s, tau))
