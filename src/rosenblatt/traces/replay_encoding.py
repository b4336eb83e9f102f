"""`Encoding`: the parts of a replay that differ between linear runs and runs with a kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.traces.claims import Claims
from rosenblatt.traces.step_sequence import StepSequence

MOST_NUMBERS = 5_000_000
"""The most weights and coordinates on a page: a few tens of megabytes, drawn without delay."""

Floats = NDArray[np.float64]


class Encoding(NamedTuple):
    """Hold the parts of a replay that differ between linear runs and runs with a kernel."""

    trace: StepSequence[Any]
    head: dict[str, Any]
    norm2: Floats  # norm2, progress and offsets: at the start and after each step
    progress: Floats
    offsets: Floats
    weights: Floats  # one row per weight, one column per step


def claims_head(claims: Claims) -> dict[str, Any]:
    """Return the part of a replay's head that describes the claims."""
    rate, threshold = claims.of_rule
    factor = "η" if rate != 1.0 else ""
    return {
        "margin": claims.margin,
        "radius": claims.radius,
        "bound": claims.bound if np.isfinite(claims.bound) else None,
        # least and most change by each update (for Rosenblatt's rule, by each mistake)
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
    """Return text that explains η and τ, if the claims contain them."""
    rate, threshold = claims.of_rule
    letters = [f"η = {rate:g} is the rate"] * (rate != 1.0)
    letters += [
        f"τ = {threshold:g} the largest functional margin (times the weight of its row) at an update"
    ] * (threshold > 0.0)
    return ", ".join(letters)
