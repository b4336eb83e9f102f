"""`Encoding`: the parts of a replay that depend on how a run stores w."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.traces.claims import Claims
from rosenblatt.traces.step_sequence import StepSequence

MOST_NUMBERS = 5_000_000
"""Weights and coordinates that a page may hold: some tens of megabytes, and steps drawn at once."""

Floats = NDArray[np.float64]


class Encoding(NamedTuple):
    """Hold the parts of a replay that depend on how a run stores w."""

    trace: StepSequence[Any]
    head: dict[str, Any]
    norm2: Floats  # this and the next two at the start and after each step
    progress: Floats
    offsets: Floats
    weights: Floats  # a row for each weight, a column for each step


def claims_head(claims: Claims) -> dict[str, Any]:
    """Return the part of the claims that the viewer draws."""
    rate, threshold = claims.of_rule
    factor = "η" if rate != 1.0 else ""
    return {
        "margin": claims.margin,
        "radius": claims.radius,
        "bound": claims.bound if np.isfinite(claims.bound) else None,
        # what each update (by Rosenblatt's rule: each mistake) adds at least and at most
        "each": claims.each,
        "progress": claims.least_progress,
        "growth": claims.most_growth,
        "progress_name": f"{factor}γ",
        "growth_name": f"({factor and 'η²'}R² + 2{factor}τ)" if threshold else f"{factor and 'η²'}R²",
        "letters": _letters(claims),
        "start_progress": claims.start_progress,
        "start_norm2": claims.start_norm2,
    }


def _letters(claims: Claims) -> str:
    """Return the letters of the claims that are not 1 or 0, with their values."""
    rate, threshold = claims.of_rule
    letters = [f"η = {rate:g} is the rate"] * (rate != 1.0)
    letters += [
        f"τ = {threshold:g} the largest functional margin (times the weight of its row) at an update"
    ] * (threshold > 0.0)
    return ", ".join(letters)
