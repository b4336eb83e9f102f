"""The columns of a block walked on a device; the host settles what is in doubt."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import rules
from rosenblatt.arithmetic.rows import ROUNDING
from rosenblatt.dual.record import Record
from rosenblatt.dual.spaces import OnDevice, Space
from rosenblatt.examples import tie_label
from rosenblatt.loops.blocked import ACTS, MISTAKE, RIGHT, UNDERFLOW
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


class DeviceWalk:
    """Labels (columns × rows), importance and roots of a lesson, there and here."""

    def __init__(
        self,
        space: OnDevice,
        rule: Any,
        tie: str,
        labels: NDArray[np.int8],
        importance: NDArray[np.float64],
        roots: NDArray[np.float64],
        walk: Callable[..., Any] = on_cuda,
    ) -> None:
        self._walk, self._space, self._tie = walk, space, tie_label(tie)
        self._rate, self._tau_positive, self._tau_negative = thresholds(rule)
        self._labels, self._importance, self.roots = labels, importance, roots
        self._labels_there, self._roots_there = space.integers(labels), space.put(roots)
        self._importance_there = space.put(importance) if importance.size else None

    def block(
        self,
        which: NDArray[np.int64],
        scores: Any,
        gram: Any,
        records: list[Record],
        error: float,
        settle: Callable[[int, int], float],
        commit: Callable[[int, NDArray[np.int64], NDArray[np.float64]], None],
    ) -> None:
        """Walk all columns over a block of rows.

        settle(column, position): the score by the plain loop. commit(column, positions, deltas): takes
        updates over.
        """
        space, columns, n = self._space, len(records), len(which)
        numbers = space.numbers(which)
        labels, roots = self._labels_there[:, numbers].contiguous(), self._roots_there[numbers]
        importance = None if self._importance_there is None else self._importance_there[numbers]
        mass = space.put(np.array([record.clock["mass"][0] for record in records]))
        terms = space.put(np.array([record.clock["terms"][0] for record in records], np.float64))
        parameters = space.put(
            np.array([error, ROUNDING, UNDERFLOW, self._rate, self._tau_positive, self._tau_negative])
        )
        start, settled = np.zeros(columns, np.int32), np.zeros(columns, np.int32)
        while (start < n).any():
            result = space.get(
                self._walk(
                    scores, gram, labels, roots, importance, space.integers(start), space.integers(settled),
                    mass, terms, parameters,
                )
            )  # fmt: skip
            settled[:] = 0
            for c in np.flatnonzero(start < n).tolist():
                status, row, made, mistakes = result[c, :4].tolist()
                positions = result[c, 4 : 4 + made].astype(np.int64)
                clock = records[c].clock
                clock["mistakes"] += mistakes
                clock["updates"] += made
                if made:
                    commit(c, positions, self._deltas(c, which[positions]))
                start[c] = row
                if status:
                    settled[c] = self._meaning(c, int(which[row]), settle(c, row))
                    clock["settled"] += 1
        heavy, long = space.get(mass), space.get(terms)
        for c, record in enumerate(records):
            record.clock["mass"], record.clock["terms"] = heavy[c], int(long[c])

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
