"""The replay of a run on w."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.errors import BadInput
from rosenblatt.proof.separation import separate
from rosenblatt.proof.verdict import Verdict, interval, through_origin
from rosenblatt.traces.claims import proof_points, unit_separator
from rosenblatt.traces.linear_trace import Trace
from rosenblatt.traces.plane import plane_of
from rosenblatt.traces.replay_encoding import MOST_NUMBERS, Encoding, Floats, claims_head


def encode_linear_run(trace: Trace, time_limit: float) -> Encoding:
    """Return the parts of a replay that are specific to linear runs."""
    _refuse_too_wide(trace)
    after = [(*step.weights, step.offset) for step in trace]
    states = np.array([trace.settings["start"], *after], np.float64)  # (w, b) before and after each step
    plane = plane_of(trace.points, states[-1, :-1], trace.settings.get("features"))
    tips = states[:, :-1] @ np.array(plane["axes"]).T
    star, proof, note = _proof(trace, time_limit)
    covariance = list(trace.settings.get("start_covariance", ()))
    covariances = np.array([step.covariance for step in trace], np.float64)
    head = {
        "plane": plane,
        "tips": np.column_stack([tips.min(axis=0), tips.max(axis=0)]).tolist(),
        "start": {"weights": states[0, :-1].tolist(), "offset": float(states[0, -1])},
        "covariance": covariance or None,
        "proof": proof,
        "proof_note": note,
    }
    return Encoding(
        trace=trace,
        head=head,
        norm2=(states**2).sum(axis=1),
        progress=np.zeros(len(states)) if star is None else states @ star,
        offsets=states[:, -1],
        weights=np.vstack([states[1:, :-1].T, covariances.reshape(len(trace), len(covariance)).T]),
    )


def _refuse_too_wide(trace: Trace) -> None:
    n_points, n_features = trace.points.shape
    if (len(trace) + n_points) * n_features > MOST_NUMBERS:
        most = max(1, MOST_NUMBERS // n_features - n_points)
        raise BadInput(
            f"replay: {len(trace):,} steps over {n_points:,} points of {n_features:,} features are too "
            f"much for a page; limit them with max_steps={most}, or take fewer rows or features"
        )


# ---------------------------------------------------------------- w*


def _proof(trace: Trace, time_limit: float) -> tuple[Floats | None, dict[str, Any] | None, str]:
    """Return (w*, b*) of unit length, the data of its proof, and a sentence about it.

    The first two results are None if there is no w*.
    """
    has_offset = bool(trace.settings["offset"])
    points, labels = proof_points(trace.points, trace.labels, trace.settings)
    verdict = separate(
        points if has_offset else points[:, :-1],
        labels,
        offset=False,
        time_limit=time_limit,
        progress=False,
    )
    if not verdict.separable or verdict.hyperplane is None:
        return None, None, _reason_for_no_bound(verdict, has_offset)
    # `separate` treats a single class as +1
    w = verdict.hyperplane[0] * (-1.0 if (labels < 0).all() else 1.0)
    b = float(w[-1]) if has_offset else 0.0
    star = unit_separator(w[:-1] if has_offset else w, b, trace.points.shape[1], has_offset)
    about = through_origin(has_offset) + _points_of_proof(trace.settings)
    largest = interval(*verdict.margin)
    note = f"The largest margin{about} is {largest}; w* has length 1 and a margin within these bounds."
    proof = {"weights": star[:-1].tolist(), "offset": float(star[-1])}
    try:
        return star, proof | claims_head(trace.check_claims(star[:-1], float(star[-1]))), note
    except BadInput as error:
        return star, proof, f"{note} No bound is shown: {str(error).removeprefix('rule: ')}."


def _points_of_proof(settings: dict[str, Any]) -> str:
    point = "(x, 1)" if settings["offset"] else "x"
    if settings.get("sample_weight"):
        return f" of the points c·{point}, where c is the weight of the row,"
    return f" of the points {point}" if settings["offset"] else ""


def _reason_for_no_bound(verdict: Verdict, has_offset: bool) -> str:
    line = f"line{through_origin(has_offset)}"
    if verdict.separable is None:
        return (
            f"Within the time limit it could not be determined whether a {line} separates these points, "
            "so no w* is drawn."
        )
    why = (
        "one point is the origin"
        if len(verdict.support) == 1
        else f"{len(verdict.support)} of the points show that the hulls of the classes intersect"
        if has_offset
        else f"{len(verdict.support)} of the points have a positive combination of y·x that equals zero"
    )
    return f"Proved: no {line} separates these points ({why}), so there is no w* and no bound."
