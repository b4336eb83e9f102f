"""`Trace`: every step of a run over points, and the claims of the mistake bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.errors import BadInput
from rosenblatt.geometry import most_mistakes
from rosenblatt.traces.looks import Looks, cells_before, vector_text


@dataclass(frozen=True, slots=True)
class Step:
    """One look: what was asked, what came of it. Weights and offset are those after the look."""

    epoch: int
    index: int
    x: tuple[float, ...]
    y: int
    score: float
    agreement: float
    mistake: bool
    updated: bool
    weights: tuple[float, ...]
    offset: float
    agreement_after: float
    norm_squared: float


class Claim(NamedTuple):
    """One mistake in the proof of the bound: how far w·w* and ‖w‖² grew."""

    step: int
    progress: float
    growth: float


@dataclass(frozen=True)
class Claims:
    """The two claims behind the mistake bound, checked at every mistake of a run (M13).

    w* has length 1 (lifted with its offset where the run has one). Claim 1: w·w* grows by at least the
    margin. Claim 2: ‖w‖² grows by at most radius². Together: t·margin ≤ w·w* ≤ ‖w‖ ≤ √t·radius.
    """

    margin: float
    radius: float
    claims: list[Claim]
    tolerance: float
    start_progress: float = 0.0
    start_norm2: float = 0.0

    @property
    def progress_holds(self) -> bool:
        return all(c.progress >= self.margin - self.tolerance for c in self.claims)

    @property
    def growth_holds(self) -> bool:
        return all(c.growth <= self.radius**2 + self.tolerance for c in self.claims)

    @property
    def holds(self) -> bool:
        return self.progress_holds and self.growth_holds

    @property
    def bound(self) -> float:
        """(radius/margin)² from w = 0; else the largest t with tγ + w₀·w* ≤ √(‖w₀‖² + tR²). Infinite where
        w* does not separate the points."""
        return most_mistakes(self.radius, self.margin, self.start_progress, self.start_norm2)

    def __str__(self) -> str:
        if self.margin <= 0.0:
            return f"w* does not separate the points (margin {self.margin:.6g}): no bound follows"
        verdict = "both claims hold at every mistake" if self.holds else "a claim fails"
        return (
            f"{len(self.claims)} mistakes, margin {self.margin:.6g}, radius {self.radius:.6g}, "
            f"bound {self.bound:.6g}: {verdict}"
        )


class Trace(Looks[Step]):
    """The steps of a run, in order, with the points and the settings that made them."""

    FORMAT = "rosenblatt-trace"
    VECTORS = ("x", "weights")

    @classmethod
    def _step(cls, **fields: Any) -> Step:
        return Step(**fields)

    def _replay(self, title: str) -> Any:
        from rosenblatt.traces.replay import replay

        return replay(self, title)

    @property
    def weights(self) -> NDArray[np.float64]:
        """w after the last step (at the start, if there is none)."""
        return np.array(self.steps[-1].weights if self.steps else self.settings["start"][:-1])

    @property
    def offset(self) -> float:
        """b after the last step."""
        return float(self.steps[-1].offset if self.steps else self.settings["start"][-1])

    def path(self) -> list[tuple[float, ...]]:
        """w at the start and after each update."""
        start = tuple(float(weight) for weight in self.settings["start"][:-1])
        return [start, *(step.weights for step in self.steps if step.updated)]

    # ------------------------------------------------------------ the proof, step by step

    def check_claims(self, w_star: ArrayLike, b_star: float = 0.0, tolerance: float = 1e-9) -> Claims:
        """Check both claims of the mistake bound at each mistake, against the separator (w*, b*).

        With an offset everything is about the lifted points (x, 1) and the lifted w* = (w*, b*). The
        tolerance is relative to radius², for the rounding of the weights themselves.
        """
        has_offset = bool(self.settings["offset"])
        star = np.append(np.asarray(w_star, np.float64).ravel(), b_star if has_offset else 0.0)
        if star.size != self.points.shape[1] + 1:
            raise BadInput(f"w_star: {star.size - 1} weights for {self.points.shape[1]} features")
        if not has_offset and b_star != 0.0:
            raise BadInput("b_star: this run has no offset, so the separator must go through the origin")
        if not np.isfinite(star[:-1]).all():
            raise BadInput("w_star: the weights of a separator are finite numbers")
        if not np.isfinite(star[-1]):
            raise BadInput("b_star: the offset of a separator is a finite number")
        if not star.any():
            raise BadInput("w_star: the zero vector separates nothing")
        star /= np.abs(star).max()  # squares of very short vectors are 0
        star /= np.linalg.norm(star)
        lifted = np.column_stack([self.points, np.full(len(self.points), float(has_offset))])
        margin = float((self.labels * (lifted @ star)).min())
        radius = float(np.linalg.norm(lifted, axis=1).max())
        claims = []
        before = np.asarray(self.settings["start"], np.float64)
        for number, step in enumerate(self.steps):
            after = np.array([*step.weights, step.offset])
            if step.mistake:
                growth = float(after @ after - before @ before)
                claims.append(Claim(number, float((after - before) @ star), growth))
            before = after
        start = np.asarray(self.settings["start"], np.float64)
        return Claims(
            margin,
            radius,
            claims,
            tolerance * max(1.0, radius**2),
            float(start @ star),
            float(start @ start),
        )

    # ------------------------------------------------------------ the table

    def _titles(self) -> list[str]:
        length = "‖w‖² + b²" if self.settings["offset"] else "‖w‖²"
        return ["pass", "row", "x", "y", "score", "agreement", "", "w", "b", "agreement after", length]

    def _cells(self, step: Step) -> list[str]:
        return [
            *cells_before(step),
            vector_text(step.weights),
            f"{step.offset:g}",
            f"{step.agreement_after + 0.0:g}",
            f"{step.norm_squared:g}",
        ]
