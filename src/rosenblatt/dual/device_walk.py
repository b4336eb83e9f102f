"""The columns of a block walked on a device; the host settles what is in doubt."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import rules
from rosenblatt.dual.gram import BlockGram
from rosenblatt.dual.record import Record
from rosenblatt.dual.spaces import OnDevice, Space
from rosenblatt.examples import tie_label
from rosenblatt.loops.blocked import ACTS, FREE, IN_DOUBT, MISTAKE, NEEDS_ROW, RIGHT, UNDERFLOW
from rosenblatt.loops.decide import is_mistake


def can_walk(space: Space, rule: Any) -> bool:
    """Whether the device can walk by this rule."""
    return (
        isinstance(space, OnDevice)
        and space.name.startswith("cuda")
        and isinstance(rule, rules.FIXED_COEFFICIENT)
        and find_spec("triton") is not None
    )


def thresholds(rule: Any) -> tuple[float, float, float]:
    """(rate, tau for positive rows, tau for negative rows) of a rule with a fixed coefficient."""
    if isinstance(rule, rules.Rosenblatt):
        return rule.rate, 0.0, 0.0
    if isinstance(rule, rules.Margin):
        return rule.rate, rule.tau, rule.tau
    return rule.rate, rule.tau_positive, rule.tau_negative


def on_cuda(*arguments: Any) -> Any:
    """`loops.device.walk_on_device`, imported where it is first used."""
    from rosenblatt.loops.device import walk_on_device

    return walk_on_device(*arguments)


Updates = tuple[int, NDArray[np.int64], NDArray[np.float64]]
"""(column, positions in the block, deltas)."""


class DeviceWalk:
    """The columns of a lesson: labels (columns × rows), importance and roots, there and here."""

    def __init__(
        self,
        space: OnDevice,
        rule: Any,
        tie: str,
        labels: NDArray[np.int8],
        importance: NDArray[np.float64],
        roots: NDArray[np.float64],
        records: list[Record],
        walk: Callable[..., Any] = on_cuda,
    ) -> None:
        self._walk, self._space, self._tie = walk, space, tie_label(tie)
        self._rate, self._tau_positive, self._tau_negative = thresholds(rule)
        self._labels, self._importance, self._roots = labels, importance, roots
        self._labels_there, self._roots_there = space.integers(labels), space.put(roots)
        self._tau = self._labels_there * (0.5 * (self._tau_positive - self._tau_negative))
        self._tau += 0.5 * (self._tau_positive + self._tau_negative)
        self._importance_there = space.put(importance) if importance.size else None
        self._mass = space.put(np.array([record.clock["mass"][0] for record in records]))
        self._terms = space.put(np.array([record.clock["terms"][0] for record in records], np.float64))
        self._from_the_start = space.integers(np.zeros(len(records), np.int32))
        self._parameters: tuple[float, float, Any] = (-1.0, -1.0, None)

    def block(
        self,
        which: NDArray[np.int64],
        scores: Any,
        gram: BlockGram,
        records: list[Record],
        error: float,
        rounding: float,
        settle: Callable[[int, int], float],
        commit: Callable[[list[Updates]], None],
    ) -> None:
        """Walk all columns over a block of rows.

        settle(column, position): the score by the plain loop. commit: takes updates over.
        """
        space, columns, n = self._space, len(records), len(which)
        numbers = space.numbers(which)
        labels, roots = self._labels_there[:, numbers].contiguous(), self._roots_there[numbers]
        importance = None if self._importance_there is None else self._importance_there[numbers]
        self._first_rows(scores, labels, self._tau[:, numbers], roots, error, rounding, gram)
        parameters = self._parameters_there(error, rounding)
        start, settled = np.zeros(columns, np.int32), np.zeros(columns, np.int32)
        starts, meanings = self._from_the_start, self._from_the_start
        while True:
            place = space.integers(gram.place.astype(np.int32))
            found = self._walk(
                scores, gram.values, place, labels, roots, importance, starts, meanings, self._mass,
                self._terms, parameters,
            )  # fmt: skip
            result = space.get(found)
            going = np.flatnonzero(start < n)
            commit_now = [(c, *self._updates(c, which, result[c], records[c])) for c in going.tolist()]
            if any(len(positions) for _, positions, _ in commit_now):
                commit([updates for updates in commit_now if len(updates[1])])
            settled[result[:, 1] != start] = FREE
            start = result[:, 1].astype(np.int32)
            for c in going[result[going, 0] == IN_DOUBT].tolist():
                s = settle(c, int(start[c])) if rounding else 0.0  # exact scores stop only where they are 0
                settled[c] = self._meaning(c, int(which[start[c]]), s)
                records[c].clock["settled"] += rounding > 0.0
            lacking = going[result[going, 0] == NEEDS_ROW]
            if len(lacking):
                gram.add(np.unique(start[lacking]).astype(np.int64))
            if not (start < n).any():
                return
            starts, meanings = space.integers(start), space.integers(settled)

    def _first_rows(
        self, scores: Any, labels: Any, tau: Any, roots: Any, error: float, rounding: float, gram: BlockGram
    ) -> None:
        """Make the rows of the Gram matrix that will be needed, by the scores as they are."""
        n = scores.shape[1]
        limit = tau
        if rounding:
            slack = (error + (self._terms + n + 8.0) * rounding) * self._mass
            limit = tau + slack[:, None] * roots + UNDERFLOW
        flagged = ~(labels * scores > limit).all(dim=0)
        flagged[-1] = False  # no row comes after it
        found = self._space.get(flagged.nonzero()[:, 0]).astype(np.int64)
        gram.add(found if len(found) else np.zeros(1, np.int64))

    def _parameters_there(self, error: float, rounding: float) -> Any:
        if self._parameters[:2] != (error, rounding):
            underflow = UNDERFLOW if rounding else 0.0  # exact: only a score of 0 is not decided
            values = [error, rounding, underflow, self._rate, self._tau_positive, self._tau_negative]
            self._parameters = (error, rounding, self._space.put(np.array(values)))
        return self._parameters[2]

    def _updates(
        self, column: int, which: NDArray[np.int64], result: NDArray[Any], record: Record
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """What one column's walk has done, counted in its clocks."""
        made, mistakes = int(result[2]), int(result[3])
        positions = result[4 : 4 + made].astype(np.int64)
        rows = which[positions]
        deltas = self._deltas(column, rows)
        clock = record.clock
        clock["mistakes"] += mistakes
        clock["updates"] += made
        clock["terms"] += 2 * made
        clock["mass"] += float(np.abs(deltas) @ self._roots[rows])
        return positions, deltas

    def _deltas(self, column: int, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        importance = self._importance[rows] if self._importance.size else 1.0
        deltas: NDArray[np.float64] = self._rate * importance * self._labels[column, rows]
        return deltas

    def _meaning(self, column: int, row: int, s: float) -> int:
        """What the score of a row, known for sure, means: see `loops.blocked.FREE`."""
        y = float(self._labels[column, row])
        tau = self._tau_positive if y > 0.0 else self._tau_negative
        if is_mistake(s, y, self._tie):
            return MISTAKE
        return ACTS if tau > 0.0 and y * s <= tau else RIGHT
