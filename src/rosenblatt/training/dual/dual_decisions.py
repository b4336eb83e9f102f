"""Decision values in dual form: predictions by each averaging strategy, for many rows together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import bad_choice
from rosenblatt.kernels import Custom, Monomials
from rosenblatt.loops.blocked import UNDERFLOW
from rosenblatt.numeric.exact import SMALLEST
from rosenblatt.numeric.row_batches import Rows, n_features, n_rows, take, tie_label
from rosenblatt.numeric.rows import ROUNDING
from rosenblatt.training.backends import Voters
from rosenblatt.training.dual.dual_state import DualState, bounding_roots, overflow, refuse_overflow
from rosenblatt.training.dual.support import KEEPERS, Record, Terms, is_whole, with_squares
from rosenblatt.training.scoring import part_of, second_of_two


class StagedVector(NamedTuple):
    """Identify the weight vector of averaging strategy `keep` after `looks` steps.

    `drawn` is the step drawn for keep="random".
    """

    keep: str
    looks: int
    drawn: int = 0


class DualAnswers:
    """Predict by the vectors that the averaging strategy `keep` returns."""

    def __init__(self, state: DualState, keep: str, seed: int) -> None:
        self._state, self._keep, self._seed = state, keep, seed

    def values(self, rows: Rows) -> NDArray[np.float64]:
        """Return Σ coefficient·K for each row; for a committee, Σ survival × sign.

        With more than two classes, the shape is (rows, classes).
        """
        state = self._state
        drawn = random_step(self._seed, state.looks) if self._keep == "random" else 0
        (values,) = decisions(
            state, rows, [StagedVector(self._keep, state.looks, drawn)], state.written_out
        )
        return values[:, 0] if state.n_columns == 1 else values

    def best(self, rows: Rows) -> NDArray[np.int64]:
        values = self.values(rows)
        return values.argmax(axis=1) if values.ndim == 2 else second_of_two(values, self._state.tie)


def random_step(seed: int, looks: int) -> int:
    """Return the step whose vector keep="random" has drawn."""
    return int(np.random.default_rng([seed, 0xD2A3]).integers(max(1, looks)))


EXACT = 2.0**52
"""Sums of integers below it are exact; half of 2^53, so that a rounded bound is safe."""


def check_keep(keep: Any) -> None:
    if not isinstance(keep, str) or keep not in KEEPERS:
        raise bad_choice("keep", keep, KEEPERS)


def decisions(
    state: DualState, rows: Rows, vectors: Sequence[StagedVector], written_out: Monomials | None = None
) -> list[NDArray[np.float64]]:
    """Return, for each vector, the values of all rows for each classifier, or the votes of its committee.

    The value is Σ weight·K̃ over the support rows, where K̃ is the kernel plus offset. If rounding could
    change the prediction (the sign for one classifier, the largest value for several), the sum is computed
    again in the order of the updates, as in training. The vectors share the kernel values. `written_out` is
    as in `dual.lesson.Lesson`.
    """
    deciders = [_decider(state, vector, written_out) for vector in vectors]
    found = [np.empty((n_rows(rows), state.n_columns)) for _ in vectors]
    hold = len(vectors) > 1 or any(vector.keep == "voted" for vector in vectors)
    width = len(state.support) if hold else state.support.chunk
    backend = state.backend
    step = max(1, min(backend.most_rows, 4 * backend.part_bytes // (8 * max(1, width))))
    for start in range(0, n_rows(rows), step):
        part = slice(start, min(start + step, n_rows(rows)))
        block = _Block(state, part_of(rows, part), hold)
        with np.errstate(over="ignore", invalid="ignore"):
            for decider, values in zip(deciders, found, strict=True):
                values[part] = decider.values(block)
    if not all(np.isfinite(values).all() for values in found):
        raise overflow(state.kernel, state.largest2)
    return found


class _Block:
    """Hold some rows, and compute their kernel values with the support rows; `hold` stores these values."""

    def __init__(self, state: DualState, rows: Rows, hold: bool) -> None:
        self.state, self.rows, self._hold = state, rows, hold
        self.X, self.x2 = with_squares(rows, state.backend)
        self.n = n_rows(rows)
        self.roots = self._roots()
        largest2 = max(state.largest2, float(self.x2.max()))
        self.rounding = state.rounding(0, is_whole(rows), largest2)
        self.error = float(state.kernel.error(n_features(rows), largest2))
        self._held: Any = None

    def _roots(self) -> NDArray[np.float64]:
        state = self.state
        if isinstance(state.kernel, Custom):
            return np.zeros(self.n)  # the roots would cost as much as the values themselves
        refuse_overflow(state.kernel, float(self.x2.max()))
        diagonal = state.backend.get(state.kernel.diagonal(self.X, self.x2, state.backend))
        return bounding_roots(state.kernel, diagonal, state.offset)

    def parts(self) -> Iterator[tuple[slice, Any]]:
        """Yield K(x, support row) for consecutive parts of the support."""
        if self._hold:
            yield slice(0, len(self.state.support)), self.all_values()
            return
        yield from self._fresh_parts()

    def _fresh_parts(self) -> Iterator[tuple[slice, Any]]:
        state = self.state
        for part, support_rows in state.support.parts():
            Z, z2 = state.support.matrix(part, support_rows, state.backend)
            yield part, state.kernel.matrix(self.X, Z, self.x2, z2, state.backend)

    def all_values(self) -> Any:
        if self._held is None:
            self._held = self.state.backend.to_vote_by(self.n, len(self.state.support))
            for part, values in self._fresh_parts():
                self._held[:, part] = values
        return self._held

    def row(self, i: int) -> Rows:
        return take(self.rows, np.array([i]))


def _decider(state: DualState, vector: StagedVector, written_out: Monomials | None) -> _Sum | _Vote:
    if vector.keep == "voted":
        records = state.records
        if vector.looks != state.looks:
            records = [record.until(vector.looks) for record in records]
        return _Vote(state, records, vector.looks)
    terms = [record.until(vector.looks).terms(*vector) for record in state.records]
    return _Sum(state, terms, written_out)


class _Sum:
    """Compute Σ weight·K̃ for each classifier, where K̃ is the kernel plus offset.

    A mean is divided by its number of steps only at the end.
    """

    def __init__(self, state: DualState, terms: list[Terms], written_out: Monomials | None) -> None:
        self._state, self._terms, self._map = state, terms, written_out
        self._weights = np.column_stack([t.sum_by_row(len(state.support)) for t in terms])
        self._mass = np.array([np.abs(t.weight) @ state.support.roots[t.member] for t in terms])
        self._is_whole = bool((self._weights == np.rint(self._weights)).all())
        self._long = max((len(t.member) for t in terms), default=0) + len(state.support) + 16
        if written_out is not None:
            self._w = state.support.combine(written_out, self._weights)

    def values(self, block: _Block) -> NDArray[np.float64]:
        state, error = self._state, block.error + self._long * ROUNDING
        if self._map is not None:
            found: NDArray[np.float64] = self._map.of_matrix(block.X) @ self._w
            error += self._map.error
        else:
            found = np.zeros((block.n, state.n_columns))
            for part, values in block.parts():
                found += state.backend.get(values @ state.backend.put(self._weights[part]))
        found += state.offset * self._weights.sum(axis=0)
        most = block.roots[:, None] * self._mass  # no partial sum is larger
        is_exact = not block.rounding and self._is_whole and bool((most < EXACT).all())
        if len(state.support) and not isinstance(state.kernel, Custom) and not is_exact:
            for i, c in np.argwhere(_matters(found, error * most + UNDERFLOW)):
                found[i, c] = state.plain_sum(self._terms[c], block.row(i))
        return self._over_looks(found)

    def _over_looks(self, found: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean, given the sum; the mean of a nonzero sum is never rounded to 0."""
        looks = self._terms[0].looks
        if looks == 1:
            return found
        mean = found / looks
        lost = (mean == 0.0) & (found != 0.0)
        mean[lost] = np.copysign(SMALLEST, found[lost])
        return mean


def _matters(found: NDArray[np.float64], doubt: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether an error of `doubt` in a value could change the prediction."""
    if found.shape[1] == 1:
        return np.abs(found) <= doubt
    best = np.argmax(found, axis=1)[:, None]
    gap = np.take_along_axis(found, best, 1) - found
    rivals = gap <= doubt + np.take_along_axis(doubt, best, 1)
    matters: NDArray[np.bool_] = rivals & (rivals.sum(axis=1) > 1)[:, None]
    return matters


class _Vote:
    """Compute Σ survival·sign over the vectors of each classifier's committee."""

    def __init__(self, state: DualState, records: list[Record], looks: int) -> None:
        self._state, self._records = state, records
        self._tie = -1.0 if tie_label(state.tie) <= 0.0 else 1.0
        self._survival = [record.survival(looks) for record in records]

    def values(self, block: _Block) -> NDArray[np.float64]:
        state = self._state
        votes = np.empty((block.n, state.n_columns))
        for c, (record, survival) in enumerate(zip(self._records, self._survival, strict=True)):
            mass = np.cumsum(np.abs(record.delta) * state.support.roots[record.member])
            limits = block.error if block.rounding else 0.0, block.rounding
            voters = Voters(record.member, record.delta, survival, mass)
            counted, unsure = state.backend.count_votes(
                block.all_values(), voters, state.offset, self._tie, limits, block.roots
            )
            if not isinstance(state.kernel, Custom):
                for i in np.flatnonzero(unsure).tolist():
                    counted[i] = self._plainly(record, survival, block.row(i))
            votes[:, c] = counted
        return votes

    def _plainly(self, record: Record, survival: NDArray[np.int64], row: Rows) -> float:
        """Return the votes on one row, with sums in the order of the updates, as in training."""
        state = self._state
        values = np.full(len(state.support), np.nan)
        state.plain_values(row, np.unique(record.member), values)
        # np.cumsum adds in the order of the updates, with one rounding each
        running = np.cumsum(record.delta * (values[record.member] + state.offset))
        answers = np.where(running == 0.0, self._tie, np.sign(running))
        return float(survival[0] * self._tie + survival[1:] @ answers)
