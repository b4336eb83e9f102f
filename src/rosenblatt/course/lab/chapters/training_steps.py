"""Step by step: a run over points on the page, or a worked example of the notes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.course.lab.chapters.chapter import Answer, Chapter
from rosenblatt.course.lab.page_states import State, both_classes
from rosenblatt.course.lab.python import assignment, call_text, script
from rosenblatt.course.lectures import EXAMPLES, Run
from rosenblatt.errors import bad_choice
from rosenblatt.traces import Trace, trace
from rosenblatt.traces.replay_data import replay

MOST_STEPS = 20_000
"""Largest number of steps that the page records, about a second of work; Python has no such limit."""

MOST_SCANNED = 4_000_000
"""Largest number of points visited in all if each step searches all points for a mistake."""

PATIENCE = 2.0  # time limit of the search for w* in seconds
ORDERS = ("given", "shuffled", "first_mistake", "worst_mistake", "listed")
STARTS = ("zeros", "unit", "w0")

START = {
    "points": [[1, 2], [2.5, 1], [2, 3], [-1, 1.5], [0.5, -0.5], [1.5, -1], [-1.5, -1], [-0.5, 0.5]],
    "labels": [1, 1, 1, -1, -1, 1, -1, -1],
    "offset": True,
    "tie": "mistake",
    "order": "given",
    "listed": [],
    "seed": 0,
    "init": "zeros",
    "w0": [1.0, 1.0],
    "b0": 0.0,
    "passes": 0,
    "example": "",
    "step": 0,
}


def runs() -> dict[str, Run]:
    """Return every run among the worked examples by key, or by ``key: part`` if there are several parts."""
    return {
        f"{key}: {name}" if len(example.parts) > 1 else key: run
        for key, example in EXAMPLES.items()
        for name, run in example.runs().items()
    }


def parts_by_number() -> dict[str, str]:
    """Return all parts of examples by number, counted from 1 (``key: 2``), and by name (``key: name``)."""
    return {
        f"{key}: {number}": f"{key}: {name}" if len(example.parts) > 1 else key
        for key, example in EXAMPLES.items()
        for number, name in enumerate(example.parts, start=1)
        if name in example.runs()
    }


def as_state(run: Run) -> dict[str, Any]:
    """Return a worked example as a state of this page, so that the user can change it."""
    settings = run.settings
    order, init = settings.get("order", "given"), settings.get("init", "zeros")
    return {
        "points": [list(point) for point in run.points],
        "labels": list(run.labels),
        "offset": settings.get("offset", True),
        "tie": settings.get("tie", "mistake"),
        "order": order if isinstance(order, str) else "listed",
        "listed": [] if isinstance(order, str) else list(order),
        "init": init if isinstance(init, str) else "w0",
        "w0": START["w0"] if isinstance(init, str) else list(init),
        "b0": 0.0,
        "passes": 0 if settings.get("until") else settings["epochs"],
    }


def answer(state: State) -> Answer:
    """Return the run step by step, with the proof of its mistake bound."""
    state.whole("step", 0, MOST_STEPS)
    points, labels, settings = _example(state) if state.values["example"] else _points_and_settings(state)
    most = _most_steps(len(points), settings)
    steps = trace(points, labels, **settings, max_steps=most)
    numbers = {
        "w": steps.weights.tolist(),
        "b": steps.offset,
        "looks": len(steps),
        "mistakes": steps.mistakes,
        "updates": steps.updates,
        "separated": steps.separated,
        "cycle": list(steps.cycle) if steps.cycle else None,
    }
    shown = replay(steps, time_limit=PATIENCE)
    picture = {"points": np.asarray(points).tolist(), "labels": np.asarray(labels).tolist()}
    return Answer(
        numbers,
        _python(points, labels, settings, most),
        tuple(_sentences(state, steps, most)),
        picture,
        replay=shown,
    )


def _points_and_settings(state: State) -> tuple[NDArray[np.float64], NDArray[Any], dict[str, Any]]:
    points = state.points()
    labels = state.labels(len(points))
    both_classes(labels)
    passes = state.whole("passes", 0, 1000)
    settings: dict[str, Any] = {
        "offset": state.flag("offset"),
        "tie": state.choice("tie", ("mistake", "negative", "positive")),
        "order": _order(state, len(points)),
        "init": _start(state),
        "epochs": passes or None,
        "until": None if passes else "separated",
    }
    if settings["order"] == "shuffled":
        settings["random_state"] = state.whole("seed", 0, 2**31 - 1)
    return points, labels, settings


def _most_steps(n_points: int, settings: dict[str, Any]) -> int:
    searches = str(settings.get("order", "given")).endswith("_mistake")
    return min(MOST_STEPS, MOST_SCANNED // n_points) if searches else MOST_STEPS


def _order(state: State, n_points: int) -> Any:
    order = state.choice("order", ORDERS)
    if order != "listed":
        return order
    return [int(row) for row in state.numbers("listed")] or list(range(n_points))


def _start(state: State) -> Any:
    init = state.choice("init", STARTS)
    if init != "w0":
        return init
    return (state.point("w0"), state.number("b0")) if state.flag("offset") else state.point("w0")


def _example(state: State) -> tuple[NDArray[np.float64], NDArray[Any], dict[str, Any]]:
    known, called = runs(), str(state.values["example"])
    name = parts_by_number().get(called, called)
    if name not in known:
        raise bad_choice("example", called[:40], list(known))
    run = known[name]
    return np.array(run.points), np.array(run.labels), dict(run.settings)


def _sentences(state: State, steps: Trace, most: int) -> list[str]:
    key = str(state.values["example"]).split(":")[0]
    sentences = [f"{steps.summary().capitalize()}."]
    if len(steps) == most:
        sentences.append(f"The page records the first {most:,} steps; there may be more.")
    if key in EXAMPLES and EXAMPLES[key].slip:
        sentences.append(f"An error in the notes: {EXAMPLES[key].slip}.")
    return sentences


def _python(points: Any, labels: Any, settings: dict[str, Any], most: int) -> str:
    return script(
        "from rosenblatt import trace",
        "",
        assignment("X", points),
        assignment("y", labels),
        call_text("steps = trace", "X", "y", **settings, max_steps=most),
        "w, b = steps.weights.tolist(), steps.offset",
        "looks, mistakes, updates = len(steps), steps.mistakes, steps.updates",
        "separated, cycle = steps.separated, list(steps.cycle) if steps.cycle else None",
        "print(steps)",
    )


STEPS = Chapter(
    "steps",
    "Step by step",
    "Draw points and watch every update.",
    START,
    answer,
    {"examples": {name: as_state(run) for name, run in runs().items()}, "numbered": parts_by_number()},
)
