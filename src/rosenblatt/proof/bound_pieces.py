"""`mistake_bound` for rows that need not fit into memory: the theorem's points, block by block.

The points (x, 1) are computed from each block when it is processed; `separating_pieces` proves the facts
about them. The real run takes the blocks in their order, pass after pass, until its time is over, and the
margin that its w has reached takes one more reading of all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt import rules
from rosenblatt.arithmetic.examples import Batch, Dense
from rosenblatt.arithmetic.integers import root_below
from rosenblatt.errors import BadInput
from rosenblatt.learning.beginning import begin
from rosenblatt.learning.compile_time import Stopwatch
from rosenblatt.learning.one_column import OneColumn
from rosenblatt.learning.progress import Progress
from rosenblatt.learning.run import Plan
from rosenblatt.proof.bound import Bound, bound_of, lifted, patience_for
from rosenblatt.proof.clock import Clock
from rosenblatt.proof.pieces import Pieces, is_source
from rosenblatt.proof.separating_pieces import settled_pieces, smallest_of
from rosenblatt.proof.verify import whole_hyperplane
from rosenblatt.proof.verify_pieces import less


@dataclass
class LiftedPieces(Pieces):
    """The points (x, 1) of other pieces."""

    inner: Pieces | None = None

    @classmethod
    def over(cls, inner: Pieces) -> LiftedPieces:
        """Return the pieces with a constant feature."""
        return cls(inner.source, inner.n_rows, inner.n_features + 1, inner.classes, inner)

    def map(self, look: Callable[..., Any], *given: Any) -> Iterator[Any]:
        """Yield the result of `look` for the points (x, 1) of each block."""
        assert self.inner is not None
        return self.inner.map(look_lifted, look, *given)

    def __iter__(self) -> Iterator[tuple[int, Batch]]:
        assert self.inner is not None
        return ((first, lifted(batch)) for first, batch in self.inner)


def look_lifted(first: int, batch: Batch, look: Callable[..., Any], *given: Any) -> Any:
    """Return the result of `look` for the points (x, 1) of a block."""
    return look(first, lifted(batch), *given)


def bound_in_pieces(
    source: Any, offset: bool, init: Any, time_limit: float | None, tolerance: float,
    progress: bool | None, rule: Any,
) -> Bound:  # fmt: skip
    """Return the bound, and the real run beside it, for the rows of a source."""
    if not is_source(source):
        raise BadInput("y: expected the labels of X, or a source from rosenblatt.read alone")
    claims = rules.two_claims(rule)
    with Progress(progress, None, "steps") as bar:
        clock = Clock(time_limit, bar)
        pieces = Pieces.of(source)
        state = begin(pieces.n_features, rule, offset=offset, init=init)
        points = LiftedPieces.over(pieces) if offset else pieces
        verdict = settled_pieces(points, False, tolerance, clock)
    converged = _real_run(state, pieces, min(patience_for(verdict), clock.left))
    start, w = (state.start, state.current()) if offset else (state.start[:-1], state.current()[:-1])
    return bound_of(verdict, claims, offset, start, state, converged, _margin_of(points, w), weighted=False)


def _real_run(state: OneColumn, pieces: Pieces, patience: float) -> bool:
    """Make passes in the given order until one has no mistake or the time is over.

    The time may end within a pass.
    """
    watch, part = Stopwatch(), Plan(epochs=1, order="given", has_all_rows=False)
    while True:
        before = state.mistakes
        for _, batch in pieces:
            for _ in state.on(batch, part).one_pass("given"):
                pass
            if watch.learning > patience:
                return False
        state.end_pass()
        if state.mistakes == before:
            return True


def _margin_of(points: Pieces, w: Any) -> float:
    """Return the margin of w on all points, proved from below; 0 if it does not separate them."""
    if not np.isfinite(w).all():
        return 0.0
    nobody = Batch(Dense(np.empty((0, points.n_features))), np.empty(0, np.int8), np.empty(0))
    whole = whole_hyperplane(nobody, False, tuple(w.tolist()), 0.0)
    best: tuple[int, int] | None = None
    for smallest, exponent in points.map(smallest_of, whole):
        if best is None or less(smallest, exponent, *best):
            best = smallest, exponent
    squared = sum(number * number for number in whole[:-1])
    if best is None or best[0] <= 0 or not squared:
        return 0.0
    return root_below(best[0] * best[0], squared, best[1])
