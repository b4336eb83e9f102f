"""`separate` for rows that need not fit into memory: most of the work is finding the worst ones.

A working set of some rows is decided as `separate` decides rows in memory. If nothing separates these,
nothing separates all, and their proof holds for all. Otherwise one reading of all rows, block by block,
finds those with the smallest functional margins; they join, and the set is decided again, until no row of
all is nearer than the tolerance allows. The upper bound of the margin is that of the working set, which
holds for all; the lower one is proved by a reading of all rows in exact arithmetic. The choice of rows
depends on the rows and their order alone, so the proof does not depend on the chunks of the source.

If nothing separates, the kind (quasi-separation or overlap) is a question about all rows together, and
stays open here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.agreements import smallest_agreement
from rosenblatt.arithmetic.blocks import blocks
from rosenblatt.arithmetic.examples import TIES, Batch, Dense
from rosenblatt.arithmetic.integers import root_above, root_below
from rosenblatt.errors import BadInput
from rosenblatt.proof.clock import Clock, TimeIsUp
from rosenblatt.proof.findings import Findings, as_floats, squared_radius
from rosenblatt.proof.pieces import Pieces, is_source
from rosenblatt.proof.proof import (
    Combination,
    Gordan,
    Part,
    Proof,
    Separator,
    contradiction,
    digest_of,
    digest_of_digests,
)
from rosenblatt.proof.ties import cancelling_class
from rosenblatt.proof.verdict import Verdict
from rosenblatt.proof.verify import whole_hyperplane
from rosenblatt.proof.verify_pieces import less

FIRST = 500  # rows of each class that the working set begins with
MORE = 500  # rows that join it after a look


def settled_in_pieces(source: Any, offset: bool, tolerance: float, clock: Clock) -> Verdict:
    """Search until the margin is narrowed to the tolerance, nothing separates, or the time is over."""
    if not is_source(source):
        raise BadInput("y: expected the labels of X, or a source from rosenblatt.read alone")
    return settled_pieces(Pieces.of(source), offset, tolerance, clock)


def settled_pieces(pieces: Pieces, offset: bool, tolerance: float, clock: Clock) -> Verdict:
    """Search as `settled_in_pieces`, for rows that are in pieces already."""
    if len(pieces.classes) < 2:
        name = pieces.source.name
        raise BadInput(f"{name}: only one class; two classes are needed")
    search = _Search(pieces, offset, tolerance, clock)
    ended = "proved"
    try:
        search.run()
    except TimeIsUp:
        ended = "time"
    except KeyboardInterrupt:
        ended = "interrupted"
    return search.verdict(ended)


# ---------------------------------------------------------------- looks at a block, wherever it is


def first_look(first: int, batch: Batch, most: int) -> tuple[str, int, int, dict[int, NDArray[np.int64]]]:
    """Its digest, its radius, and its first rows of each class."""
    of_class = {label: first + np.flatnonzero(batch.labels == label)[:most] for label in (-1, 1)}
    return digest_of(batch.rows, batch.labels), *squared_radius(batch), of_class


def worst_rows(
    first: int, batch: Batch, w: NDArray[np.float64], b: float, most: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the rows with the smallest functional margins under (w, b), and these margins."""
    made = np.concatenate([np.asarray(matrix @ w) for _, matrix in blocks(batch.rows)])
    agreements = batch.labels * (made + b)
    some = np.argsort(agreements, kind="stable")[:most]
    return first + some, agreements[some]


def smallest_of(first: int, batch: Batch, w: list[int]) -> tuple[int, int]:
    """minᵢ yᵢ(w·xᵢ+b) of its rows, exactly."""
    smallest, exponent, _ = smallest_agreement(batch, w)
    return smallest, exponent


class _Search:
    def __init__(self, pieces: Pieces, offset: bool, tolerance: float, clock: Clock) -> None:
        self.pieces, self.offset, self.tolerance, self.clock = pieces, offset, tolerance, clock
        self.separator: Separator | None = None
        self.combination: Combination | None = None
        self.gordan: Gordan | None = None
        self.equal: tuple[int, int] | None = None
        self.cancelling_class: int | None = None
        self.smallest: tuple[int, int] | None = None  # that of the separator, exactly
        self._look_first()

    def _look_first(self) -> None:
        """Compute the digest, the radius, and the first rows of each class."""
        digests, rows = [], []
        self.radius = 0, 0
        counts = {-1: 0, 1: 0}
        for digest, squared, exponent, of_class in self.pieces.map(first_look, FIRST):
            digests.append(digest)
            if less(self.radius[0], 2 * self.radius[1], squared, 2 * exponent):
                self.radius = squared, exponent
            for label, those in of_class.items():
                taken = those[: FIRST - counts[label]]
                counts[label] += len(taken)
                rows.append(taken)
        self.digest = digest_of_digests(self.pieces.n_rows, self.pieces.n_features, digests)
        self.working = np.unique(np.concatenate(rows))

    def run(self) -> None:
        batch = self.pieces.chosen(self.working)
        while True:
            self.clock.check()
            found = Findings(batch, self.offset, self.pieces.class_names)
            from rosenblatt.proof.separating import settled  # it sends sources here

            settled_part = settled(found, self.tolerance / 2, self.clock)
            parts: dict[type, Part] = {type(part): part for part in settled_part.proof.parts}
            if isinstance(gordan := parts.get(Gordan), Gordan):
                self.gordan = self._among_all(gordan)
                self.cancelling_class = cancelling_class(batch, gordan)
                pair = contradiction(gordan, batch.labels)
                if pair is not None:
                    self.equal = int(self.working[pair[0]]), int(self.working[pair[1]])
                return
            separator, combination = parts.get(Separator), parts.get(Combination)
            if isinstance(combination, Combination):
                self.combination = self._among_all(combination)  # each look makes it smaller
            if not isinstance(separator, Separator) or settled_part.ended != "proved":
                raise TimeIsUp
            worst, is_near = self._worst(separator)
            fresh = np.setdiff1d(worst, self.working)
            if is_near or not len(fresh):
                self._prove(separator)
            if self.separator is not None and not self._is_wide():
                return
            if not len(fresh):
                return  # nothing nearer is left: this is as narrow as it gets
            self.working = np.union1d(self.working, fresh)
            batch = self.pieces.chosen(self.working)

    def _among_all(self, part: Any) -> Any:
        """Return a part about rows of the working set, with their numbers among all rows."""
        return part._replace(rows=tuple(int(self.working[row]) for row in part.rows))

    def _worst(self, part: Separator) -> tuple[NDArray[np.int64], bool]:
        """Return the rows with the smallest functional margins, and whether none is far too small.

        It uses floating point: this proposes, and `_prove` decides.
        """
        w, b = as_floats(part.w, part.b)
        length = float(np.linalg.norm(w)) or 1.0
        rows, values = np.empty(0, np.int64), np.empty(0)
        for some, agreements in self.pieces.map(worst_rows, w, b, MORE):
            self.clock.check()
            rows, values = np.concatenate([rows, some]), np.concatenate([values, agreements / length])
            best = np.argsort(values, kind="stable")[:MORE]
            rows, values = rows[best], values[best]
        return rows, bool(values[0] >= part.margin * (1.0 - self.tolerance / 2))

    def _prove(self, part: Separator) -> None:
        """Take the hyperplane if it separates all rows, with the margin that is proved."""
        best: tuple[int, int] | None = None
        whole = self._whole(part)
        for smallest, exponent in self.pieces.map(smallest_of, whole):
            self.clock.check()
            if best is None or less(smallest, exponent, *best):
                best = smallest, exponent
        assert best is not None
        squared = sum(number * number for number in whole[:-1])
        if best[0] <= 0 or not squared:
            return
        margin = root_below(best[0] * best[0], squared, best[1])
        if self.separator is None or margin > self.separator.margin:
            self.separator, self.smallest = part._replace(margin=margin), best

    def _whole(self, part: Separator) -> list[int]:
        nobody = Batch(Dense(np.empty((0, self.pieces.n_features))), np.empty(0, np.int8), np.empty(0))
        return whole_hyperplane(nobody, self.offset, part.w, part.b)

    def _is_wide(self) -> bool:
        lower, upper = self.margin
        return not upper - lower <= self.tolerance * upper

    @property
    def margin(self) -> tuple[float, float]:
        if self.gordan is not None:
            return 0.0, 0.0
        lower = 0.0 if self.separator is None else self.separator.margin
        return lower, float("inf") if self.combination is None else self.combination.margin

    def verdict(self, ended: str) -> Verdict:
        pieces = self.pieces
        separable: bool | None = True if self.separator else False if self.gordan else None
        named = [self.gordan] if self.gordan else [self.separator, self.combination]
        parts = tuple(part for part in named if part is not None)
        proof = Proof(self.offset, pieces.n_rows, pieces.n_features, pieces.class_names, self.digest, parts)
        support = self.gordan or self.combination
        w = None
        if self.separator is not None:
            w = as_floats(self.separator.w, self.separator.b)
        return Verdict(
            separable=separable,
            kind="undecided" if separable is None else "separable" if separable else "not separable",
            margin=self.margin,
            radius=root_above(self.radius[0], 1, self.radius[1]),
            hyperplane=w,
            mistake_bound=self._mistake_bound(),
            support=np.array(sorted(support.rows) if support else [], np.int64),
            direction=None,
            separated=np.empty(0, np.int64),
            consistent={tie: self._is_consistent(separable, label) for tie, label in TIES.items()},
            proof=proof,
            seconds=self.clock.elapsed,
            ended=ended,
            contradiction=self.equal,
        )

    def _is_consistent(self, separable: bool | None, tie: float) -> bool | None:
        """Return whether some hyperplane makes no mistake if a score of 0 predicts this label.

        If all rows of the zero combination have this label and there is no offset, it stays open.
        """
        is_open = separable is False and not self.offset and tie == self.cancelling_class
        return None if is_open else separable

    def _mistake_bound(self) -> int | None:
        """⌊R²·‖w̃‖²/(minᵢ aᵢ·w̃)²⌋, as `Findings` has it."""
        if self.separator is None or self.smallest is None:
            return None
        (squared, exponent), (smallest, power) = self.radius, self.smallest
        w = self._whole(self.separator)
        low = min(2 * exponent, 2 * power, 0)
        radius2 = (squared << (2 * exponent - low)) + (int(self.offset) << -low)
        return radius2 * sum(n * n for n in w) // (smallest * smallest << (2 * power - low))
