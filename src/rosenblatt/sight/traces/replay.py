"""`replay`: a trace for the viewer: a head with what is constant, and the steps in chunks.

The proof needs a w*: the widest separator of the points (lifted to (x, 1) if the run has an offset), found
and certified by `separate`. If there is none, the replay gives the reason and shows the run without the two
claims.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import class_name
from rosenblatt.errors import BadInput, bad_value
from rosenblatt.proof.separation import separate
from rosenblatt.proof.verdict import Verdict, interval, through_origin
from rosenblatt.sight.traces.claims import Claims, proof_points, unit_separator
from rosenblatt.sight.traces.kernel_record import KernelTrace
from rosenblatt.sight.traces.looks import Looks
from rosenblatt.sight.traces.narrowing import narrowed
from rosenblatt.sight.traces.plane import plane_of
from rosenblatt.sight.traces.record import Trace

CHUNK = 2048
"""Steps in a chunk: some hundred kilobytes at most for the points that people draw."""

MOST_OVERVIEW = 1000  # points of a curve; a screen shows no more
PATIENCE = 5.0  # seconds that the search for w* may take
BEFORE_WEIGHTS = 11  # columns of a chunk before those of the weights

Column = NDArray[np.float64]


@dataclass(frozen=True)
class Replay:
    """The data of a run for the viewer. columns: one row for each quantity, one entry for each step."""

    head: dict[str, Any]
    columns: NDArray[np.float64]

    @property
    def n_chunks(self) -> int:
        """Number of chunks."""
        return -(-self.columns.shape[1] // CHUNK)

    def chunk(self, number: int) -> bytes:
        """Return the steps from number·CHUNK on as little-endian doubles, column after column."""
        part = self.columns[:, number * CHUNK : (number + 1) * CHUNK]
        return np.ascontiguousarray(part, dtype="<f8").tobytes()

    def chunks(self) -> list[bytes]:
        """Return all chunks."""
        return [self.chunk(number) for number in range(self.n_chunks)]


def replay(trace: Looks[Any], title: str = "", time_limit: float = PATIENCE) -> Replay:
    """Return the steps of a run and the proof beside them, ready to be drawn.

    trace: what `rosenblatt.trace` returned, with a kernel or without. title: a line above the picture.
    time_limit: seconds for the search of w*; what is not found by then is not shown.

    >>> from rosenblatt import trace
    >>> shown = replay(trace([[2, 1], [0, 2]], [1, -1], offset=False))
    >>> shown.head["n_steps"], round(shown.head["proof"]["bound"], 4), shown.n_chunks, len(shown.chunk(0))
    (20, 4.0625, 1, 2080)
    """
    if isinstance(trace, KernelTrace):
        from rosenblatt.sight.traces.kernel_replay import kernel_replay  # it draws with functions of here

        return kernel_replay(trace, title, time_limit)
    if not isinstance(trace, Trace):
        raise bad_value("trace", trace, "what rosenblatt.trace returns")
    trace, kept = narrowed(trace)
    states = _states(trace)
    plane = plane_of(trace.points, states[-1, :-1], trace.settings.get("features"))
    claims, star, note = _proof(trace, time_limit)
    columns = _columns(trace, states, star)
    head = head_of(trace, title) | {
        "columns": kept,
        "plane": plane,
        "tips": _tips(states, plane),
        "start": {"weights": states[0, :-1].tolist(), "offset": float(states[0, -1])},
        "covariance": list(trace.settings.get("start_covariance", ())) or None,
        "proof": _proof_of(claims, star),
        "proof_note": note,
        "claims_apply": claims is not None,
        "overview": _overview(columns, states, star if claims else None),
    }
    return Replay(head, columns)


def head_of(trace: Looks[Any], title: str) -> dict[str, Any]:
    """Return the head of a replay: points, settings and the end of its run."""
    settings = trace.settings
    return {
        "format": "rosenblatt-replay",
        "version": 1,
        "title": title,
        "n_steps": len(trace),
        "n_features": trace.points.shape[1],
        "chunk": CHUNK,
        "points": trace.points.tolist(),
        "labels": trace.labels.tolist(),
        "classes": [class_name(label) for label in settings.get("classes", ("−1", "+1"))],
        "features": settings.get("features"),
        "offset": settings["offset"],
        "tie": settings["tie"],
        "rule": settings["rule"],
        "settings": settings | {"rule_parameters": as_text(settings["rule_parameters"])},
        "ending": trace.summary(),
        "separated": trace.separated,
        "cycle": {**trace.cycle._asdict(), "sentence": trace.cycle.sentence(settings["epochs"])}
        if trace.cycle
        else None,
    }


def as_text(parameters: dict[str, Any]) -> dict[str, str]:
    """Parameters to be read: JSON has no infinity, which some of them may be."""
    return {
        name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in parameters.items()
    }


# ---------------------------------------------------------------- w*


def _proof(trace: Trace, time_limit: float) -> tuple[Claims | None, Column | None, str]:
    """Return the claims against w*, if the run makes them; w* itself (lifted, of length 1); a sentence."""
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
        return None, None, _why_no_bound(verdict, has_offset)
    # a single class is +1 to separate, whichever it is here
    w = verdict.hyperplane[0] * (-1.0 if (labels < 0).all() else 1.0)
    b = float(w[-1]) if has_offset else 0.0
    star = unit_separator(w[:-1] if has_offset else w, b, trace.points.shape[1], has_offset)
    about = through_origin(has_offset) + _points_of_proof(trace.settings)
    note = f"The largest margin{about} is {interval(*verdict.margin)}; w* is the unit vector that has it."
    try:
        return trace.check_claims(star[:-1], float(star[-1])), star, note
    except BadInput as error:
        return None, star, f"{note} No bound is shown: {str(error).removeprefix('rule: ')}."


def _points_of_proof(settings: dict[str, Any]) -> str:
    point = "(x, 1)" if settings["offset"] else "x"
    if settings.get("sample_weight"):
        return f" of the points c·{point}, c the weight of the row,"
    return f" of the points {point}" if settings["offset"] else ""


def _why_no_bound(verdict: Verdict, has_offset: bool) -> str:
    line = f"line{through_origin(has_offset)}"
    if verdict.separable is None:
        return (
            f"It was not decided within the time limit whether a {line} separates these points, so no w* "
            "is drawn."
        )
    why = (
        "one point is the origin"
        if len(verdict.support) == 1
        else f"{len(verdict.support)} of the points show that the hulls of the classes intersect"
        if has_offset
        else f"{len(verdict.support)} of the points have a positive combination of y·x that is zero"
    )
    return f"Proved: no {line} separates these points ({why}), so there is no w* and no bound."


def _proof_of(claims: Claims | None, star: Column | None) -> dict[str, Any] | None:
    if star is None:
        return None
    separator = {"weights": star[:-1].tolist(), "offset": float(star[-1])}
    return separator if claims is None else separator | in_head(claims)


def in_head(claims: Claims) -> dict[str, Any]:
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
    said = [f"η = {rate:g} is the rate"] * (rate != 1.0)
    said += [
        f"τ = {threshold:g} the largest functional margin (times the weight of its row) at an update"
    ] * (threshold > 0.0)
    return ", ".join(said)


# ---------------------------------------------------------------- the steps as columns


def _states(trace: Trace) -> NDArray[np.float64]:
    """(w, b) at the start and after each step."""
    after = [(*step.weights, step.offset) for step in trace]
    return np.array([trace.settings["start"], *after], np.float64)


def _tips(states: NDArray[np.float64], plane: dict[str, Any]) -> list[list[float]]:
    """Return the ranges, across and up, of the ends of all arrows w, from 0 in their true length."""
    drawn = states[:, :-1] @ np.array(plane["axes"]).T
    return np.column_stack([drawn.min(axis=0), drawn.max(axis=0)]).tolist()


def _columns(trace: Trace, states: NDArray[np.float64], star: Column | None) -> NDArray[np.float64]:
    mistake = np.array([step.mistake for step in trace], np.float64)
    updated = np.array([step.updated for step in trace], np.float64)
    after = states[1:]
    quantities = [
        np.array([step.epoch for step in trace], np.float64),
        np.array([step.index for step in trace], np.float64),
        np.array([step.agreement for step in trace], np.float64),
        np.array([step.agreement_after for step in trace], np.float64),
        mistake + 2.0 * updated,
        np.cumsum(mistake),
        np.cumsum(updated),
        (after**2).sum(axis=1),
        np.zeros(len(trace)) if star is None else after @ star,
        after[:, -1],
        np.cumsum([step.false_positive for step in trace]),
    ]
    numbers = len(trace.settings.get("start_covariance", ()))
    unsure = np.array([step.covariance for step in trace], np.float64).reshape(len(trace), numbers)
    return np.vstack([*quantities, after[:, :-1].T, unsure.T])


def _overview(
    columns: NDArray[np.float64], states: NDArray[np.float64], star: Column | None
) -> dict[str, Any]:
    """Return the growing quantities at some of the updates: enough to draw the curves at once."""
    flags, mistakes, updates = columns[4], columns[5], columns[6]
    n_steps = columns.shape[1]
    marks = np.concatenate([[0], np.flatnonzero(flags) + 1, [n_steps]])
    steps = np.unique(marks[np.linspace(0, len(marks) - 1, min(len(marks), MOST_OVERVIEW)).astype(int)])
    shown = states[steps]
    return {
        "step": steps.tolist(),
        "mistakes": np.concatenate([[0.0], mistakes])[steps].tolist(),
        "updates": np.concatenate([[0.0], updates])[steps].tolist(),
        "norm2": (shown**2).sum(axis=1).tolist(),
        "progress": None if star is None else (shown @ star).tolist(),
    }
