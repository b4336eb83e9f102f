"""More than two classes: one-vs-rest, shared mistakes, and the predicted class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.course.lab.chapters.chapter import Answer, Chapter
from rosenblatt.course.lab.grid_regions import half_of, regions
from rosenblatt.course.lab.page_states import State
from rosenblatt.course.lab.python import assignment, call_text
from rosenblatt.errors import BadInput, counted
from rosenblatt.kernels import Gaussian, Polynomial
from rosenblatt.models.kernel_perceptron import KernelPerceptron
from rosenblatt.models.perceptron import Perceptron
from rosenblatt.proof.separation import separate
from rosenblatt.proof.verdict import big, describe_run, row_list

MOST_POINTS = 60
MOST_CLASSES = 6
MOST_PASSES = 100
PATIENCE = 1.0  # time limit of each proof in seconds
METHODS = ("one_vs_rest", "ultraconservative", "kernel")

START = {
    "points": [
        [-2, 1.5], [-1.5, 2.2], [-2.6, 2], [-1.2, 1.4], [-2.1, 0.8],
        [2.2, 1.6], [1.4, 2.1], [2.7, 2.3], [1.6, 1.1], [2.4, 0.7],
        [0.1, -1.6], [-0.7, -2.2], [0.8, -2.1], [0.2, -2.7], [-0.2, -1.1],
    ],
    "labels": [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2],
    "method": "one_vs_rest",
    "sharing": "worst",
    "keep": "last",
    "passes": 20,
    "kernel": "gaussian",
    "degree": 2,
    "gamma": 1.0,
}  # fmt: skip

Points = NDArray[np.float64]
Labels = NDArray[np.int64]


def answer(state: State) -> Answer:
    """Return the regions of the classes, the mistakes of each class, and which classes are separable."""
    points = state.points(most=MOST_POINTS)
    labels = state.labels(len(points), classes=range(MOST_CLASSES))
    if len(np.unique(labels)) < 2:
        raise BadInput(f"labels: all points are of class {labels[0]}; choose another class and add a point")
    method = state.choice("method", METHODS)
    model, making = _model(state, method)
    model.fit(points, labels)
    numbers = _count(model, points, labels) | _scores(model, points, method)
    has_lines = method != "kernel"
    if has_lines:
        numbers |= _lines_of(model) | _provable(points, labels)
    shown = regions(points, model.predict)
    return Answer(
        numbers,
        "\n".join([*_imports(method, making), *_data(points, labels), *making, *_text(numbers, has_lines)]),
        (
            _run_sentence(numbers, method, labels),
            *_scores_sentence(numbers),
            *_zeros_sentence(model, points),
            *_provable_sentence(numbers, labels, method == "one_vs_rest"),
        ),
        {"half": half_of(points), "regions": shown, "classes": np.unique(labels).tolist()},
    )


def _model(state: State, method: str) -> tuple[Any, list[str]]:
    """Return the estimator, and the Python text that creates it."""
    settings: dict[str, Any] = {
        "keep": state.choice("keep", ("last", "averaged")),
        "order": "given",
        "until": "separated",
        "epochs": state.whole("passes", 1, MOST_PASSES),
    }
    if method == "kernel":
        kernel = _kernel(state)
        making = [
            f"kernel = {kernel!r}",
            call_text("model = KernelPerceptron", "kernel=kernel", **settings),
        ]
        return KernelPerceptron(kernel=kernel, **settings, progress=False), making
    settings = {"multiclass": method, **settings}
    if method == "ultraconservative":
        settings["sharing"] = state.choice("sharing", ("worst", "uniform", "proportional"))
    return Perceptron(**settings, progress=False), [call_text("model = Perceptron", **settings)]


def _kernel(state: State) -> Any:
    if state.choice("kernel", ("polynomial", "gaussian")) == "polynomial":
        return Polynomial(state.whole("degree", 1, 8), 1.0, 1.0)
    return Gaussian(state.number("gamma", 0.05, 10.0))


# ---------------------------------------------------------------- figures


def _count(model: Perceptron | KernelPerceptron, points: Points, labels: Labels) -> dict[str, Any]:
    answers, classes = model.predict(points), np.unique(labels)
    return {
        "mistakes": int(model.mistakes_),
        "mistakes_per_class": model.mistakes_per_class_.tolist(),
        "passes": int(model.epochs_),
        "converged": bool(model.converged_),
        "wrong": np.flatnonzero(answers != labels).tolist(),
        "confusion": [[int(np.sum((labels == c) & (answers == d))) for d in classes] for c in classes],
    }


def _scores(model: Perceptron | KernelPerceptron, points: Points, method: str) -> dict[str, Any]:
    """Return the points with a tie for the largest score, and each point's number of positive scores.

    With two classes there is a single score, so the result is empty. For classes trained together, the sign
    of a score has no meaning, so only ties are returned.
    """
    scores = model.decision_function(points)
    if scores.ndim == 1:
        return {}
    best = scores.max(axis=1, keepdims=True)
    tied = {"tied": np.flatnonzero((scores == best).sum(axis=1) > 1).tolist()}
    return tied if method == "ultraconservative" else {**tied, "claims": (scores > 0).sum(axis=1).tolist()}


def _lines_of(model: Perceptron) -> dict[str, Any]:
    return {"w": model.coef_.tolist(), "b": model.intercept_.tolist()}


def _provable(points: Points, labels: Labels) -> dict[str, Any]:
    """Return whether a line separates each class from the rest, and whether linear scores fit all points.

    Kesler's construction turns the second question into the separability of other points by a single w.
    """
    classes = np.unique(labels)
    each = [separate(points, labels == c, time_limit=PATIENCE, progress=False).separable for c in classes]
    one = np.eye(MOST_CLASSES)
    kesler = [
        np.kron(one[c] - one[rival], [*x, 1.0])
        for x, c in zip(points, labels, strict=True)
        for rival in classes
        if rival != c
    ]
    verdict = separate(
        np.array(kesler), np.ones(len(kesler)), offset=False, time_limit=PATIENCE, progress=False
    )
    return {"separable": each, "together": verdict.separable, "bound": verdict.mistake_bound}


# ---------------------------------------------------------------- Python text


def _imports(method: str, making: list[str]) -> list[str]:
    names = ["from rosenblatt import Perceptron, separate"]
    if method == "kernel":
        kind = making[0].split(" = ")[1].split("(")[0]
        names = ["from rosenblatt import KernelPerceptron", f"from rosenblatt.kernels import {kind}"]
    return ["import numpy as np", *names, "from sklearn.metrics import confusion_matrix", ""]


def _data(points: Points, labels: Labels) -> list[str]:
    return [assignment("X", points), assignment("y", labels)]


def _text(numbers: dict[str, Any], has_lines: bool) -> list[str]:
    lines = [
        "answers = model.fit(X, y).predict(X)",
        "mistakes, mistakes_per_class = model.mistakes_, model.mistakes_per_class_",
        "passes, converged = model.epochs_, model.converged_",
        "wrong = np.flatnonzero(answers != y)",
        "confusion = confusion_matrix(y, answers)",
    ]
    if "tied" in numbers:
        lines += [
            "scores = model.decision_function(X)",
            "best = scores.max(axis=1, keepdims=True)",
            "tied = np.flatnonzero((scores == best).sum(axis=1) > 1)",
        ]
    if "claims" in numbers:
        lines.append("claims = (scores > 0).sum(axis=1)")
    if not has_lines:
        return [*lines, 'print(confusion, mistakes_per_class, sep="\\n")']
    return [*lines, *PROVED]


PROVED = (
    "w, b = model.coef_, model.intercept_",
    "classes = sorted(set(y))",
    "separable = [separate(X, np.equal(y, c)).separable for c in classes]",
    "# Kesler: (x, 1) in the columns of its class and −(x, 1) in those of a rival, for each rival",
    f"one = np.eye({MOST_CLASSES})",
    "kesler = [",
    "    np.kron(one[c] - one[rival], [*x, 1])",
    "    for x, c in zip(X, y) for rival in classes if rival != c",
    "]",
    "verdict = separate(kesler, np.ones(len(kesler)), offset=False)",
    "together, bound = verdict.separable, verdict.mistake_bound",
    'print(confusion, mistakes_per_class, separable, together, sep="\\n")',
)


# ---------------------------------------------------------------- sentences


def _run_sentence(numbers: dict[str, Any], method: str, labels: Labels) -> str:
    n_classes = len(numbers["confusion"])
    who = {
        "one_vs_rest": f"{n_classes} perceptrons, each of a class against the rest,",
        "ultraconservative": "The classes, with shared mistakes,",
        "kernel": f"{n_classes} kernel perceptrons, each of a class against the rest,",
    }[method]
    if n_classes == 2:
        who = "Two classes need one perceptron, which"
    made = describe_run(counted(numbers["mistakes"], "mistake"), numbers["passes"], numbers["converged"])
    wrong = len(numbers["wrong"])
    now = f"{wrong} of {counted(len(labels), 'point')} wrong" if wrong else "all points are right"
    return f"{who} made {made}: {now}."


def _scores_sentence(numbers: dict[str, Any]) -> list[str]:
    claims = numbers.get("claims", [])
    none, several = sum(claim == 0 for claim in claims), sum(claim > 1 for claim in claims)
    parts = [
        f"{who} {counted(points, 'point')}"
        for who, points in (("no class has a positive score on", none), ("several have on", several))
        if points
    ]
    found = []
    if parts:
        found.append(f"{' and '.join(parts)}: there the largest score decides.".capitalize())
    if numbers.get("tied"):
        row = "row" if len(numbers["tied"]) == 1 else "rows"
        found.append(
            f"On {row} {row_list(numbers['tied'])} several classes have the largest score: the first wins."
        )
    return found


def _zeros_sentence(model: Perceptron | KernelPerceptron, points: Points) -> list[str]:
    """Return how a score of 0 is counted, if there are two classes and a point has this score."""
    scores = model.decision_function(points)
    if scores.ndim > 1 or scores.all():
        return []
    return [f"A score of 0 is answered with class {model.classes_[0]}."]


def _provable_sentence(numbers: dict[str, Any], labels: Labels, is_apart: bool) -> list[str]:
    if "separable" not in numbers:
        return []
    classes = np.unique(labels).tolist()
    never = [str(c) for c, can in zip(classes, numbers["separable"], strict=True) if can is False]
    if len(classes) == 2:
        return [
            "No line separates the two (proved): the run never ends."
            if never
            else "A line separates the two (proved)."
        ]
    found = "A line separates each class from the rest (proved)."
    if never:
        ends = "its run never ends" if is_apart else "trained alone, it would never end"
        found = f"No line separates class {' or '.join(never)} from the rest (proved): {ends}."
    if numbers["together"] is False:
        return [found, "No linear scores are largest at the right class for every point (proved)."]
    if not numbers["together"]:
        return [found]
    return [
        found,
        "Some linear scores are largest at the right class for every point (proved): with shared "
        f"mistakes, a run makes at most {big(numbers['bound'])} mistakes.",
    ]


CLASSES = Chapter(
    "classes", "More than two classes", "One against the rest, or shared mistakes.", START, answer
)
