"""`Trace`: every step of a run over points, and the claims of the mistake bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.sight.traces import claims
from rosenblatt.sight.traces.claims import Claims
from rosenblatt.sight.traces.looks import Looks, MistakeOfAKind, cells_before, vector_text


@dataclass(frozen=True, slots=True)
class Step(MistakeOfAKind):
    """One look: what was asked, what came of it. Weights and offset are those after the look, and so is
    covariance, of a rule over two features that knows how sure it is: Σ₁₁, Σ₁₂ and Σ₂₂ of its weights."""

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
    covariance: tuple[float, ...] = ()


class Trace(Looks[Step]):
    """The steps of a run, in order, with the points and the settings that made them."""

    FORMAT = "rosenblatt-trace"
    VECTORS = ("x", "weights", "covariance")

    @classmethod
    def _step(cls, **fields: Any) -> Step:
        return Step(**fields)

    def _replay(self, title: str) -> Any:
        from rosenblatt.sight.traces.replay import replay

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
        """Check both claims of the mistake bound at each update, against the separator (w*, b*).

        The rule says what it claims (`rules.two_claims`); one whose bound is proved otherwise is refused.
        With an offset everything is about the lifted points (x, 1) and the lifted w* = (w*, b*); a row of
        weight c is the point c·x. The tolerance is relative to what an update adds.

        >>> from rosenblatt import trace
        >>> print(trace([[2, 1], [0, 2]], [1, -1], rule="margin", offset=False).check_claims([1, -1]))
        2 updates, margin 0.707107, radius 2.23607, bound 14: both claims hold at every update
        """
        n_features = self.points.shape[1]
        star = claims.unit_separator(w_star, b_star, n_features, bool(self.settings["offset"]))
        updates = (
            (number, np.array([*step.weights, step.offset]))
            for number, step in enumerate(self.steps)
            if step.updated
        )
        return claims.checked(self.points, self.labels, self.settings, updates, star, tolerance)

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
