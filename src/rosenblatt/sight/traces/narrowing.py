"""A trace without the features that are never seen: hashed rows have a quarter of a million of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.sight.traces.record import Step, Trace

FEW = 100
"""Up to this many features are drawn, even if they are constant."""

MOST_NUMBERS = 5_000_000
"""Weights and coordinates that a page may hold: some tens of megabytes, and steps drawn at once."""


def narrowed(trace: Trace) -> tuple[Trace, list[int] | None]:
    """Return the trace over the features that occur in some point, and their numbers; None if all are kept.

    Examples
    --------
    >>> from rosenblatt import trace
    >>> wide = np.zeros((2, 1000))
    >>> wide[0, 7], wide[1, 900] = 1.0, 1.0
    >>> thin, kept = narrowed(trace(wide, [1, -1], epochs=2))
    >>> thin.points.tolist(), kept
    ([[1.0, 0.0], [0.0, 1.0]], [7, 900])
    """
    start = np.asarray(trace.settings["start"], np.float64)
    kept = np.flatnonzero(trace.points.any(axis=0) | (start[:-1] != 0.0))
    if trace.points.shape[1] <= FEW or len(kept) == trace.points.shape[1]:
        _refuse_too_wide(len(trace), trace.points.shape)
        return trace, None
    kept = kept if len(kept) else np.array([0])
    _refuse_too_wide(len(trace), (len(trace.points), len(kept)))
    names = trace.settings.get("features")
    settings = trace.settings | {
        "start": [*start[kept].tolist(), float(start[-1])],
        "features": [names[j] for j in kept] if names else None,
    }
    steps = [_narrowed_step(step, kept) for step in trace]
    thin = Trace(steps, trace.points[:, kept], trace.labels, settings, trace.cycle, trace.separated)
    return thin, kept.tolist()


def _narrowed_step(step: Step, kept: NDArray[np.intp]) -> Step:
    return replace(step, x=tuple(step.x[j] for j in kept), weights=tuple(step.weights[j] for j in kept))


def _refuse_too_wide(n_steps: int, shape: tuple[int, ...]) -> None:
    n_points, n_features = shape
    if (n_steps + n_points) * n_features > MOST_NUMBERS:
        raise BadInput(
            f"replay: {n_steps:,} steps over {n_points:,} points of {n_features:,} features are too much "
            f"for a page; limit them with max_steps={max(1, MOST_NUMBERS // n_features - n_points)}, or "
            "take fewer rows or features"
        )
