"""The record of a run's updates, from which a score is decomposed into shares of the training rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import rules
from rosenblatt.errors import BadInput
from rosenblatt.loops.recorded_updates import UPDATE, Recorded
from rosenblatt.numeric.row_batches import Dense, Rows, n_rows

PART_BITS = 32
FIRST, SECOND, THIRD = (
    np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
)


def refuse_unrecordable(rule: Any, keep: str) -> None:
    """Raise an error if the score of a rule is not a sum over training rows that a record allows."""
    if not can_record(rules.facts(rule), rule):
        names = [repr(name) for name, cls in rules.RULES.items() if can_record(rules.facts(cls()), cls())]
        full = " with covariance='full'" if getattr(rule, "covariance", "") == "full" else ""
        raise BadInput(
            f"record: the updates of {rules.name_of(rule)!r}{full} are neither multiples of one row nor "
            f"follow from a diagonal covariance; use {', '.join(names[:-1])} or {names[-1]}, with a "
            "diagonal covariance"
        )
    if keep not in ("last", "averaged"):
        raise BadInput(f"record: keep={keep!r} does not suit a record; use keep='averaged' or 'last'")


def can_record(facts: Any, rule: Any) -> bool:
    """Return whether a record of coefficients suffices to replay the updates of a rule."""
    if not rules.is_packaged(rule):
        return False
    is_diagonal = facts.has_variances and rule.covariance == "diagonal"
    return is_diagonal or not rules.keeps_arrays(rule)


class UpdateRecorder:
    """Collect the updates of a run over a source, and a digest of its rows."""

    def __init__(self) -> None:
        self._parts: list[NDArray[Any]] = []
        self._sizes: dict[int, int] = {}
        self._steps: dict[int, int] = {}
        self._codes = np.empty(0, np.int64)
        self._digest = 0

    def begin(
        self,
        parts: list[int],
        sizes: list[int],
        rows: Rows,
        numbers: NDArray[np.int64],
        is_first_pass: bool,
    ) -> None:
        """Prepare for a group of rows that consists of these parts of the source."""
        self._codes = np.concatenate(
            [(part << PART_BITS) + np.arange(size) for part, size in zip(parts, sizes, strict=True)]
            or [np.empty(0, np.int64)]
        )
        if is_first_pass:
            self._digest = (self._digest + digest_of(rows, numbers, self._codes)) % (1 << 64)
        self._sizes |= dict(zip(parts, sizes, strict=True))

    def wrap(self, keeper: Any, n_steps: int, per_step: int, column: int) -> Recorded:
        """Return a strategy that records the updates of the next steps."""
        counts = np.array([0, self._steps.get(column, 0), column])
        return Recorded(keeper, np.zeros(n_steps * per_step, UPDATE), counts, np.zeros(1))

    def take(self, keeper: Recorded) -> None:
        """Take the updates out of a strategy that `wrap` returned."""
        found = keeper.updates[: keeper.counts[0]].copy()
        found["row"] = self._codes[found["row"]]
        self._parts.append(found)
        self._steps[int(keeper.counts[2])] = int(keeper.counts[1])

    def finish(self, keep: str, offset: float) -> UpdateRecord:
        """Return the record of all updates."""
        updates = np.concatenate([np.zeros(0, UPDATE), *self._parts])
        n_parts = max(self._sizes, default=-1) + 1
        sizes = [self._sizes.get(part, 0) for part in range(n_parts)]
        starts = np.append(0, np.cumsum(sizes))
        codes = updates["row"]
        updates["row"] = starts[codes >> PART_BITS] + (codes & ((1 << PART_BITS) - 1))
        updates = updates[np.lexsort((updates["column"], updates["step"]))]
        steps = max(self._steps.values(), default=0)
        return UpdateRecord(updates, steps, keep, offset, int(starts[-1]), f"{self._digest:016x}")


@dataclass(frozen=True)
class UpdateRecord:
    """Hold the updates of a run in their order, and the facts that determine their share in the weights.

    `split` is the seed and the fraction of rows that were held out, if any were.
    """

    updates: NDArray[Any]
    n_steps: int
    keep: str
    offset: float
    n_rows: int
    digest: str
    split: dict[str, Any] = field(default_factory=dict)

    def survival(self) -> NDArray[np.float64]:
        """Return the factor of each update in the returned weights.

        Each later update that shrinks the weights multiplies this factor. In averaged weights, an update
        counts for the fraction of all steps that come after it.
        """
        factors = np.empty(len(self.updates))
        shrink, step = self.updates["shrink"], self.updates["step"]
        column = self.updates["column"]
        for c in np.unique(column):
            own = np.flatnonzero(column == c)
            if self.keep == "last":
                after = np.append(np.cumprod(shrink[own][::-1])[::-1][1:], 1.0)
                factors[own] = after
            elif (shrink[own] == 1.0).all():
                factors[own] = (self.n_steps - step[own]) / self.n_steps
            else:
                total, later, following = 0.0, self.n_steps, 1.0
                for k in own[::-1].tolist():
                    total = (later - step[k]) + following * total
                    factors[k] = total / self.n_steps
                    later, following = step[k], shrink[k]
        return factors


def digest_of(rows: Rows, numbers: NDArray[np.int64], codes: NDArray[np.int64]) -> int:
    """Return a digest of rows, their class numbers and their places, which adds up over groups of rows."""
    with np.errstate(over="ignore"):
        if isinstance(rows, Dense):
            values = np.ascontiguousarray(rows.values, np.float64)
            columns = np.arange(1, values.shape[1] + 1, dtype=np.uint64)
            each = ((values + 0.0).view(np.uint64) ^ (columns * FIRST)) * SECOND
            of_rows = (each ^ (each >> np.uint64(29))).sum(axis=1, dtype=np.uint64)
        else:
            used = slice(0, int(rows.starts[-1]))
            bits = np.ascontiguousarray(rows.values[used], np.float64).view(np.uint64)
            each = (bits ^ ((rows.indices[used].astype(np.uint64) + np.uint64(1)) * FIRST)) * SECOND
            sums = np.append(np.uint64(0), np.cumsum(each ^ (each >> np.uint64(29)), dtype=np.uint64))
            of_rows = sums[rows.starts[1 : n_rows(rows) + 1]] - sums[rows.starts[: n_rows(rows)]]
        mixed = (of_rows ^ (codes.astype(np.uint64) * FIRST)) + (
            numbers.astype(np.uint64) + np.uint64(1)
        ) * THIRD
        return int(((mixed ^ (mixed >> np.uint64(31))) * SECOND).sum(dtype=np.uint64))
