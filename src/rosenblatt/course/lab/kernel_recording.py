"""Record a kernel perceptron step by step, for pages with a replay."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.course.lab.page_states import State
from rosenblatt.course.lab.python import call_text
from rosenblatt.traces import KernelTrace, trace
from rosenblatt.traces.replay_data import Replay, replay

PATIENCE = 1.0  # time limit of the search for w* in seconds


class Steps(NamedTuple):
    """Hold the parts that a replay adds to a page: Python imports and lines, numbers, sentences."""

    imports: tuple[str, ...]
    numbers: dict[str, Any]
    lines: tuple[str, ...]
    sentences: tuple[str, ...]
    replay: Replay | None = None


def record(
    state: State,
    points: NDArray[np.float64],
    labels: NDArray[np.int64],
    kernel: Any,
    given: str,
    most_proved: int,
    budget: Any = None,
) -> Steps:
    """Record the run that the state describes; `given` is the kernel's argument in the Python text.

    With more than `most_proved` points, w* is not computed, because that would take seconds.
    """
    if not state.flag("replay"):
        return Steps((), {}, (), ())
    if budget is not None:
        limit = "With a budget, a run has no replay on this page: remove the limit to see its steps."
        return Steps((), {}, (), (limit,))
    settings: dict[str, Any] = {"epochs": int(state.number("passes")), "until": "separated"}
    steps: KernelTrace = trace(points, labels, kernel=kernel, **settings)
    return Steps(
        ("trace",),
        {"looks": len(steps), "cycle": list(steps.cycle) if steps.cycle else None},
        (
            call_text("steps = trace", "X", "y", given, **settings),
            "looks, cycle = len(steps), list(steps.cycle) if steps.cycle else None",
        ),
        (f"The run cycles: {steps.cycle.sentence(settings['epochs'])}.",) if steps.cycle else (),
        replay(steps, time_limit=PATIENCE if len(points) <= most_proved else 0.0),
    )
