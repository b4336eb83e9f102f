"""`replay`: the data of a trace for the viewer, as a head with the constant data, and chunks of steps.

The proof of the bound needs a separator w*: the one with the largest margin (on the points (x, 1) if the
run has an offset), which `separate` finds and certifies. If there is no w*, the replay states the reason
and shows the run without the two claims. `linear_replay` and `kernel_replay` provide the parts that depend
on how w is stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rosenblatt.errors import bad_value
from rosenblatt.numeric.row_batches import class_name
from rosenblatt.traces.kernel_replay import encode_kernel_run
from rosenblatt.traces.kernel_trace import KernelTrace
from rosenblatt.traces.linear_replay import encode_linear_run
from rosenblatt.traces.linear_trace import Trace
from rosenblatt.traces.replay_encoding import Encoding, Floats
from rosenblatt.traces.step_sequence import PATIENCE, StepSequence

CHUNK = 2048
"""Steps per chunk: at most a few hundred kilobytes for typical runs."""

MOST_OVERVIEW = 1000  # points of a curve, about as many as a screen resolves
BEFORE_WEIGHTS = 11  # quantities of a chunk before the weights


@dataclass(frozen=True)
class Replay:
    """Hold the data of a run for the viewer; `columns` has a row per quantity and a column per step."""

    head: dict[str, Any]
    columns: Floats

    @property
    def n_chunks(self) -> int:
        """Number of chunks."""
        return -(-self.columns.shape[1] // CHUNK)

    def chunk(self, number: int) -> bytes:
        """Return the steps from number·CHUNK on as little-endian doubles, one quantity after the other."""
        part = self.columns[:, number * CHUNK : (number + 1) * CHUNK]
        return np.ascontiguousarray(part, dtype="<f8").tobytes()

    def chunks(self) -> list[bytes]:
        """Return all chunks in order."""
        return [self.chunk(number) for number in range(self.n_chunks)]


def replay(trace: StepSequence[Any], title: str = "", time_limit: float = PATIENCE) -> Replay:
    """Return the steps of a run and the data of its proof, ready to be drawn.

    Parameters
    ----------
    trace : Trace or KernelTrace
        The run, as returned by `rosenblatt.trace`.
    title : str, default=""
        The title above the picture.
    time_limit : float, default=5.0
        The time limit in seconds of the search for w*; without a result, w* is not shown.

    Returns
    -------
    Replay
        The data.

    Raises
    ------
    BadInput
        If `trace` is not a trace, or is too long for a page.

    Examples
    --------
    >>> from rosenblatt import trace
    >>> shown = replay(trace([[2, 1], [0, 2]], [1, -1], offset=False))
    >>> shown.head["n_steps"], round(shown.head["proof"]["bound"], 4), shown.n_chunks, len(shown.chunk(0))
    (20, 4.0625, 1, 2080)
    >>> shown = replay(trace([[-1, 1], [1, 1]], [1, -1], kernel="gaussian", gamma=2.0))
    >>> shown.head["kernel"]["formula"], shown.head["kernel"]["support"], shown.columns.shape
    ('exp(−2·‖x − z‖²)', [0, 1], (13, 20))
    """
    if isinstance(trace, KernelTrace):
        encoding = encode_kernel_run(trace, time_limit)
    elif isinstance(trace, Trace):
        encoding = encode_linear_run(trace, time_limit)
    else:
        raise bad_value("trace", trace, "what rosenblatt.trace returns")
    columns = _columns(encoding)
    proof = encoding.head["proof"]
    claims_apply = proof is not None and "bound" in proof
    head = _head(encoding.trace, title) | encoding.head
    head |= {"claims_apply": claims_apply, "overview": _overview(encoding, columns, claims_apply)}
    return Replay(head, columns)


def _head(trace: StepSequence[Any], title: str) -> dict[str, Any]:
    """Return the head of a replay: points, settings and how the run ended."""
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
        "settings": settings | {"rule_parameters": _as_text(settings["rule_parameters"])},
        "ending": trace.summary(),
        "separated": trace.separated,
        "cycle": {**trace.cycle._asdict(), "sentence": trace.cycle.sentence(settings["epochs"])}
        if trace.cycle
        else None,
    }


def _as_text(parameters: dict[str, Any]) -> dict[str, str]:
    """Return parameters as text, because some may be infinite and JSON has no infinity."""
    return {
        name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in parameters.items()
    }


def _columns(encoding: Encoding) -> Floats:
    steps = encoding.trace
    mistake = np.array([step.mistake for step in steps], np.float64)
    updated = np.array([step.updated for step in steps], np.float64)
    quantities = [
        np.array([step.epoch for step in steps], np.float64),
        np.array([step.index for step in steps], np.float64),
        np.array([step.agreement for step in steps], np.float64),
        np.array([step.agreement_after for step in steps], np.float64),
        mistake + 2.0 * updated,
        np.cumsum(mistake),
        np.cumsum(updated),
        encoding.norm2[1:],
        encoding.progress[1:],
        encoding.offsets[1:],
        np.cumsum([step.false_positive for step in steps]),
    ]
    return np.vstack([*quantities, encoding.weights])


def _overview(encoding: Encoding, columns: Floats, claims_apply: bool) -> dict[str, Any]:
    """Return the cumulative quantities at a sample of the updates, from which the curves are drawn."""
    flags, mistakes, updates = columns[4], columns[5], columns[6]
    marks = np.concatenate([[0], np.flatnonzero(flags) + 1, [columns.shape[1]]])
    steps = np.unique(marks[np.linspace(0, len(marks) - 1, min(len(marks), MOST_OVERVIEW)).astype(int)])
    return {
        "step": steps.tolist(),
        "mistakes": np.concatenate([[0.0], mistakes])[steps].tolist(),
        "updates": np.concatenate([[0.0], updates])[steps].tolist(),
        "norm2": encoding.norm2[steps].tolist(),
        "progress": encoding.progress[steps].tolist() if claims_apply else None,
    }
