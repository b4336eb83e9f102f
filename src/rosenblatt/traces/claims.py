"""`Claims`: the two inequalities behind the mistake bound, checked at every update of a run.

Each rule states whether the two claims hold for it, and in which form (`rules.two_claims`). A row of weight
c counts as the point c·x. With an offset, the claims are about the points (x, 1) and the separator
w* = (w*, b*).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.errors import BadInput
from rosenblatt.rules import TwoClaims

ROUNDINGS = 8.0 * sys.float_info.epsilon  # relative to ‖w‖, which may be much larger than an update


class Claim(NamedTuple):
    """Record how much one update changes w·w* and ‖w‖², the two quantities in the proof of the bound.

    Parameters
    ----------
    step : int
        The number of the step, counted from 0.
    progress : float
        The increase of w·w*.
    growth : float
        The increase of ‖w‖².

    Examples
    --------
    >>> Claim(step=0, progress=1.0, growth=2.0).growth
    2.0
    """

    step: int
    progress: float
    growth: float


@dataclass(frozen=True)
class Claims:
    """Hold the two claims behind the mistake bound, checked at every update of a run.

    w* has unit length (including its offset if the run has one). Claim 1: every update increases w·w* by at
    least least_progress = rate·margin. Claim 2: every update increases ‖w‖² by at most most_growth =
    rate²·radius² + 2·rate·threshold. For Rosenblatt's rule with rate 1, it follows that after t mistakes
    t·margin ≤ w·w* ≤ ‖w‖ ≤ √t·radius.

    Parameters
    ----------
    margin : float
        The margin of w* on the points c·x, where c is the weight of a row.
    radius : float
        The largest norm of the points c·x.
    claims : list of Claim
        One record for each update.
    progress_slack, growth_slack : float
        The rounding errors that the checks tolerate.
    start_progress : float
        The product w₀·w*.
    start_norm2 : float
        The squared norm ‖w₀‖².
    of_rule : TwoClaims
        The rate and the threshold of the rule.
    w_star : tuple of float, default=()
        The separator w* of unit length, with b* as the last number; empty with a kernel.

    Examples
    --------
    >>> from rosenblatt import trace
    >>> trace([[2, 1], [0, 2]], [1, -1], offset=False).check_claims([1, -1]).holds
    True
    """

    margin: float
    radius: float
    claims: list[Claim]
    progress_slack: float
    growth_slack: float
    start_progress: float
    start_norm2: float
    of_rule: TwoClaims
    w_star: tuple[float, ...] = ()

    @property
    def least_progress(self) -> float:
        """Smallest increase of w·w* that claim 1 allows at an update."""
        return self.of_rule.progress(self.margin)

    @property
    def most_growth(self) -> float:
        """Largest increase of ‖w‖² that claim 2 allows at an update."""
        return self.of_rule.growth(self.radius)

    @property
    def progress_holds(self) -> bool:
        """Whether claim 1 holds at every update."""
        return all(c.progress >= self.least_progress - self.progress_slack for c in self.claims)

    @property
    def growth_holds(self) -> bool:
        """Whether claim 2 holds at every update."""
        return all(c.growth <= self.most_growth + self.growth_slack for c in self.claims)

    @property
    def holds(self) -> bool:
        """Whether both claims hold at every update."""
        return self.progress_holds and self.growth_holds

    @property
    def each(self) -> str:
        """Subject of the claims: "mistake" if the rule updates on mistakes only, otherwise "update"."""
        return "update" if self.of_rule.threshold > 0.0 else "mistake"

    @property
    def bound(self) -> float:
        """Mistake bound that follows from the claims: (radius/margin)² for Rosenblatt's rule from w = 0.

        In general the bound is the largest t with t·least_progress + w₀·w* ≤ √(‖w₀‖² + t·most_growth). It
        is infinite if w* does not separate the points.
        """
        return self.of_rule.most_updates(self.radius, self.margin, self.start_progress, self.start_norm2)

    def __str__(self) -> str:
        if self.margin <= 0.0:
            return f"w* does not separate the points (margin {self.margin:.6g}): no bound follows"
        verdict = f"both claims hold at every {self.each}" if self.holds else "a claim fails"
        return (
            f"{len(self.claims)} {self.each}s, margin {self.margin:.6g}, radius {self.radius:.6g}, "
            f"bound {self.bound:.6g}: {verdict}"
        )


def claims_of_run(settings: dict[str, Any]) -> TwoClaims:
    """Return the two claims for a run with these settings; raise an error if its rule has none."""
    claims = settings.get(
        "claims", "the trace does not contain the claims of its rule; record the run again"
    )
    if isinstance(claims, str):
        raise BadInput(claims)
    return TwoClaims(*claims).for_weights(max(settings.get("sample_weight") or [1.0]))


def proof_points(
    points: NDArray[np.float64], labels: NDArray[Any], settings: dict[str, Any]
) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return the points c·(x, 1), or c·(x, 0) without an offset, and their labels.

    Rows of weight 0 are left out.
    """
    lifted = np.column_stack([points, np.full(len(points), float(settings["offset"]))])
    if not settings.get("sample_weight"):
        return lifted, labels
    weights = np.asarray(settings["sample_weight"], np.float64)
    return (lifted * weights[:, None])[weights > 0.0], labels[weights > 0.0]


def unit_separator(
    w_star: ArrayLike, b_star: float, n_features: int, has_offset: bool
) -> NDArray[np.float64]:
    """Return (w*, b*) normalised to unit length."""
    star = np.append(np.asarray(w_star, np.float64).ravel(), b_star if has_offset else 0.0)
    if star.size != n_features + 1:
        raise BadInput(f"w_star: {star.size - 1} weights for {n_features} features")
    if not has_offset and b_star != 0.0:
        raise BadInput("b_star: this run has no offset, so the separator must go through the origin")
    if not np.isfinite(star[:-1]).all():
        raise BadInput("w_star: the weights of a separator are finite numbers")
    if not np.isfinite(star[-1]):
        raise BadInput("b_star: the offset of a separator is a finite number")
    if not star.any():
        raise BadInput("w_star: the zero vector separates nothing")
    star /= np.abs(star).max()  # avoids underflow of the squares
    return star / np.linalg.norm(star)


def check_claims(
    points: NDArray[np.float64],
    labels: NDArray[Any],
    settings: dict[str, Any],
    updates: Iterable[tuple[int, NDArray[np.float64]]],
    star: NDArray[np.float64],
    tolerance: float,
) -> Claims:
    """Check the claims of a run against the unit vector `star`.

    `updates` yields the number of each updating step and (w, b) after it.
    """
    of_rule = claims_of_run(settings)
    points, labels = proof_points(points, labels, settings)
    margin = float((labels * (points @ star)).min())
    largest = float(np.abs(points).max()) or 1.0
    radius = largest * float(
        np.linalg.norm(points / largest, axis=1).max()
    )  # avoids underflow of the squares
    start = before = np.asarray(settings["start"], np.float64)
    claims, longest = [], float(np.linalg.norm(start))
    for number, after in updates:
        change = after - before
        claims.append(Claim(number, float(change @ star), float(change @ (after + before))))
        longest = max(longest, float(np.linalg.norm(after)))
        before = after
    rounding = ROUNDINGS * longest
    return Claims(
        margin,
        radius,
        claims,
        tolerance * of_rule.rate * radius + rounding,
        tolerance * of_rule.growth(radius) + rounding * longest,
        float(start @ star),
        float(start @ start),
        of_rule,
        tuple(star.tolist()),
    )
