"""Uncertainty of w: a rule that stores the variance of each weight, compared with one that does not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import rules
from rosenblatt.course.lab.chapters.chapter import Answer, Chapter
from rosenblatt.course.lab.page_states import State, both_classes
from rosenblatt.course.lab.python import arguments, assignment, literal, script
from rosenblatt.traces import Trace, trace
from rosenblatt.traces.replay_data import replay

MOST = 200
"""Points that the page takes; Python has no such limit."""

MOST_EPOCHS = 20
PATIENCE = 1.0  # time limit of the search for w* in seconds
SECOND = ("arow", "confidence_weighted", "scw1", "normal_herd", "second_order")
FIRST = ("rosenblatt", "passive_aggressive_1")
FORMS = ("full", "diagonal")

START = {
    "points": [
        [1.1, 0.8], [3, 1.8], [0.3, 0.9], [-1.7, 0.1], [-3.4, -0.7], [-3.5, -0.7], [3.6, 0.8],
        [-0.8, 0], [-2.7, -0.2], [-3.4, -1.5], [0.8, -0.3], [1.7, -0.1], [2.6, 0.4], [1.7, 1],
        [2.3, 0.5], [0.8, -0.5], [-3.3, -1.9], [2.3, -0.1], [-1.4, -0.9], [1, -0.4], [-3.6, -0.8],
        [3.5, 1.6], [0.3, -0.5], [2.6, 0.3], [3.1, 1.9], [-2.3, -0.3], [-0.6, 0.5], [1.2, -0.3],
    ],
    "labels": [
        1, 1, 1, 1, 1, -1, -1, 1, 1, -1, -1, -1, -1, 1, -1, -1, -1, 1, -1, -1, 1, 1, -1, -1, 1, 1, 1, -1,
    ],
    "rule": "arow",
    "covariance": "full",
    "first": "rosenblatt",
    "offset": False,
    "epochs": 2,
    "step": 0,
}  # fmt: skip


def answer(state: State) -> Answer:
    """Return the run of a second-order rule step by step, and the result of a first-order rule."""
    points = state.points(most=MOST)
    labels = state.labels(len(points))
    both_classes(labels)
    state.whole("step", 0, MOST * MOST_EPOCHS)
    rule, form = state.choice("rule", SECOND), state.choice("covariance", FORMS)
    first = state.choice("first", FIRST)
    epochs = state.whole("epochs", 1, MOST_EPOCHS)
    settings: dict[str, Any] = {"offset": state.flag("offset"), "epochs": epochs}
    sure = trace(points, labels, rule=rules.RULES[rule](covariance=form), **settings)
    plain = trace(points, labels, rule=first, **settings)
    wrong = {name: _wrong(run, points, labels) for name, run in (("sure", sure), ("plain", plain))}
    numbers = {
        "w": sure.weights.tolist(),
        "b": sure.offset,
        "sigma": list(sure[-1].covariance),
        "mistakes": {"sure": sure.mistakes, "plain": plain.mistakes},
        "updates": {"sure": sure.updates, "plain": plain.updates},
        "wrong": wrong,
    }
    python = _python(points, labels, (rule, form, first), settings)
    sentences = _sentences(numbers, (rule, form, first), len(points))
    if not all(_scores(run, points).all() for run in (sure, plain)):
        sentences.insert(1, "A score of 0 counts as misclassified.")
    return Answer(numbers, python, tuple(sentences), replay=replay(sure, time_limit=PATIENCE))


def _wrong(run: Trace, points: NDArray[np.float64], labels: NDArray[Any]) -> int:
    """Return the number of points misclassified by the final line."""
    return int((labels * _scores(run, points) <= 0.0).sum())


def _scores(run: Trace, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the scores of the points on the final line."""
    scores: NDArray[np.float64] = points @ run.weights + run.offset
    return scores


def _sentences(numbers: dict[str, Any], names: tuple[str, str, str], n_points: int) -> list[str]:
    rule, form, first = names
    (var1, both, var2), mistakes, wrong = numbers["sigma"], numbers["mistakes"], numbers["wrong"]
    correlation = round(both / np.sqrt(var1 * var2), 2) + 0.0  # no -0.00
    return [
        f"{rule} ({form}): {mistakes['sure']} mistakes, {wrong['sure']} of {n_points} points misclassified "
        f"at the end; {first}: {mistakes['plain']} mistakes, {wrong['plain']} misclassified.",
        f"At the end the standard deviations of the two weights are {np.sqrt(var1):.3g} and "
        f"{np.sqrt(var2):.3g}, and their correlation is {correlation:.2f}.",
    ]


def _python(
    points: NDArray[np.float64],
    labels: NDArray[Any],
    names: tuple[str, str, str],
    settings: dict[str, Any],
) -> str:
    rule, form, first = names
    return script(
        "import numpy as np",
        "",
        "from rosenblatt import rules, trace",
        "",
        assignment("X", points),
        assignment("y", labels),
        f"rule = rules.{rules.RULES[rule].__name__}(covariance={literal(form)})",
        f"sure = trace(X, y, rule=rule, {arguments(**settings)})",
        f"plain = trace(X, y, rule={literal(first)}, {arguments(**settings)})",
        "w, b, sigma = sure.weights.tolist(), sure.offset, list(sure[-1].covariance)",
        'runs = {"sure": sure, "plain": plain}',
        "mistakes = {name: run.mistakes for name, run in runs.items()}",
        "updates = {name: run.updates for name, run in runs.items()}",
        "wrong = {",
        "    name: int((y * (np.array(X) @ run.weights + run.offset) <= 0).sum())",
        "    for name, run in runs.items()",
        "}",
        "print(sure)",
        "print(mistakes, wrong)",
    )


SURE = Chapter("sure", "How sure is w?", "Uncertain weights move more.", START, answer)
