"""Orders and averaging: many orders of the same points, and four averaging strategies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.comparisons.over_orders import OrderSpread, over_orders
from rosenblatt.course.lab.chapters.chapter import Answer, Chapter
from rosenblatt.course.lab.grid_regions import regions
from rosenblatt.course.lab.page_states import State, both_classes
from rosenblatt.course.lab.python import arguments, assignment, script
from rosenblatt.errors import BadInput
from rosenblatt.models.perceptron import Perceptron

MOST = 100
"""Points that the page takes; Python has no such limit."""

MOST_ORDERS = 40
MOST_EPOCHS = 20

ROOM = 1.15  # the grid is larger than the square to show, since pictures may be wider
KEEPERS = ("last", "averaged", "voted", "pocket")
WITH_A_LINE = ("last", "averaged", "pocket")
RULES = ("rosenblatt", "margin", "passive_aggressive_1", "forgetting")
CHOICES = ("shuffled", "given", "by class")

START = {
    "points": [
        [0.9, 2.9], [2.6, 1.1], [0.8, -1.2], [0.5, 0.3], [-1.1, -1.3], [0.4, 2.2], [-0.5, -1.6], [-1.4, 1],
        [2.1, 1.5], [0.4, -0.9], [0.8, 1.9], [0.2, -0.6], [1.7, -1.2], [0.5, -1.3], [1.5, 2.8], [-0.5, 1.6],
        [1.4, -1.7], [-2.1, -2.1], [-1.8, -1], [-0.2, 0.8], [2.7, 2.9], [1.4, 0.9], [0.9, -1.7],
        [-3.8, -2.2], [-2.6, -2.3], [1.2, -1.4], [-0.7, -0.3], [0.2, 2], [-0.8, 2.9], [1.4, 1.4],
        [2.8, 2.7], [-2.1, -0.7], [0.5, 0.9], [2.2, -0.8], [-0.6, -0.8], [1.5, 2.8],
    ],
    "labels": [
        1, 1, -1, -1, -1, 1, -1, 1, 1, -1, 1, -1, -1, 1, 1, 1, -1, -1,
        -1, 1, 1, 1, -1, -1, -1, -1, 1, -1, 1, 1, 1, -1, 1, -1, -1, 1,
    ],
    "rule": "rosenblatt",
    "offset": True,
    "init": "zeros",
    "epochs": 5,
    "orders": 20,
    "lines": "last",
    "order": "shuffled",
    "run": 19,
}  # fmt: skip

EXAMPLES = {
    "Overlapping classes": {name: START[name] for name in ("points", "labels", "offset", "init", "run")},
    "Separable classes": {
        "points": [
            [1, 2.5], [2.5, 1], [2, 3], [3, 2.5], [0.5, 3.5], [3.5, 0.5], [2.2, 2],
            [-1, -0.5], [0.5, -1.5], [-2, 0.5], [-1.5, -2], [0, -0.5], [1, -2.5], [-2.5, -1],
        ],
        "labels": [1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1],
        "offset": True,
        "run": 0,
    },
    "Three points of the notes": {
        "points": [[2, 1], [0, 2], [-0.5, -2]],
        "labels": [1, -1, 1],
        "offset": False,
        "run": 0,
    },
}  # fmt: skip
"""States of the page's buttons; settings that are not named stay unchanged."""


def answer(state: State) -> Answer:
    """Return the spread over many orders, and the results of four averaging strategies for one order."""
    points = state.points(most=MOST)
    labels = state.labels(len(points))
    both_classes(labels)
    settings = _settings(state)
    n_orders, run = _runs(state)
    order, lines = state.choice("order", CHOICES), state.choice("lines", WITH_A_LINE)
    spreads = {
        keep: over_orders(_learner(keep, settings), points, labels, n_orders, progress=False)
        for keep in KEEPERS
    }
    own = {"order": _rows(order, labels), "random_state": int(spreads["last"].seed[run])}
    models = {keep: _learner(keep, settings | own).fit(points, labels) for keep in KEEPERS}
    numbers = {
        "n": len(points),
        "accuracy": {keep: spread.accuracy.tolist() for keep, spread in spreads.items()},
        "mistakes": spreads["last"].mistakes.tolist(),
        "different": spreads["last"].distinct_weights,
        "margins": spreads[lines].margin.tolist(),
        "lines": np.asarray(spreads[lines].lines).tolist(),
        "wrong": {keep: int((model.predict(points) != labels).sum()) for keep, model in models.items()},
        "boundaries": {keep: _line(models[keep]) for keep in WITH_A_LINE},
        "survival": models["voted"].survival_.tolist(),
    }
    picture = {"voted": _regions(models["voted"], points), "made": models["last"].mistakes_}
    python = _python(points, labels, settings, lines, order, (n_orders, run))
    return Answer(numbers, python, tuple(_sentences(spreads, numbers, len(points))), picture)


def _settings(state: State) -> dict[str, Any]:
    return {
        "rule": state.choice("rule", RULES),
        "offset": state.flag("offset"),
        "init": state.choice("init", ("zeros", "unit")),
        "epochs": state.whole("epochs", 1, MOST_EPOCHS),
    }


def _runs(state: State) -> tuple[int, int]:
    """Return the number of orders, and the number of the order to show."""
    n_orders = state.whole("orders", 2, MOST_ORDERS)
    run = state.whole("run", 0, MOST_ORDERS - 1)
    if run >= n_orders:
        raise BadInput(
            f"run: there are {n_orders} orders, 0 to {n_orders - 1}, and no order {run}; choose another"
        )
    return n_orders, run


def _learner(keep: str, settings: dict[str, Any]) -> Perceptron:
    return Perceptron(**settings | {"keep": keep})


def _line(model: Perceptron) -> list[float]:
    return [*model.coef_[0].tolist(), float(model.intercept_[0])]


def _rows(order: str, labels: NDArray[Any]) -> Any:
    """Return an order of the rows; "by class" puts all + before all −, the worst order in practice."""
    return np.argsort(-labels, kind="stable").tolist() if order == "by class" else order


# ---------------------------------------------------------------- drawing


def _regions(committee: Any, points: NDArray[np.float64]) -> dict[str, Any]:
    """Return the committee's predictions on a grid around the points, and the square to show."""
    centre = (points.min(axis=0) + points.max(axis=0)) / 2
    half = 0.575 * max(float(np.ptp(points, axis=0).max()), 1.0)
    found = regions(points, lambda places: committee.predict(places) > 0, (centre, ROOM * half))
    return {**found, "shown": [[float(middle - half), float(middle + half)] for middle in centre]}


# ---------------------------------------------------------------- sentences


def _sentences(spreads: dict[str, OrderSpread], numbers: dict[str, Any], n_points: int) -> list[str]:
    def wrong(keep: str) -> str:
        return _span(np.rint((1 - spreads[keep].accuracy) * n_points))

    n_orders = len(numbers["mistakes"])
    return [
        f"{n_orders} orders of the same {n_points} points end in {numbers['different']} different w, "
        f"after {_span(spreads['last'].mistakes, '')} mistakes.",
        "Misclassified points at the end over all orders (a score of 0 answers −): "
        + "; ".join(f"{keep} {wrong(keep)}" for keep in KEEPERS)
        + ".",
        "In the selected order: " + ", ".join(f"{keep} {numbers['wrong'][keep]}" for keep in KEEPERS) + ".",
    ]


def _span(counts: NDArray[Any], alike: str = "always ") -> str:
    low, high = int(counts.min()), int(counts.max())
    return f"{low} to {high}" if low < high else f"{alike}{low}"


# ---------------------------------------------------------------- Python text


def _python(
    points: NDArray[np.float64],
    labels: NDArray[Any],
    settings: dict[str, Any],
    lines: str,
    order: str,
    runs: tuple[int, int],
) -> str:
    n_orders, run = runs
    chosen = "sorted(range(len(y)), key=lambda row: -y[row])" if order == "by class" else f'"{order}"'
    return script(
        "from rosenblatt import Perceptron, over_orders",
        "",
        assignment("X", points),
        assignment("y", labels),
        "n = len(y)",
        'strategies = ["last", "averaged", "voted", "pocket"]',
        f"settings = dict({arguments(**settings)})",
        "",
        f"# the same points in {n_orders} orders",
        "spread = {",
        f"    keep: over_orders(Perceptron(keep=keep, **settings), X, y, orders={n_orders})",
        "    for keep in strategies",
        "}",
        "accuracy = {keep: spread[keep].accuracy for keep in strategies}",
        'mistakes, different = spread["last"].mistakes, spread["last"].distinct_weights',
        f'margins, lines = spread["{lines}"].margin, spread["{lines}"].lines',
        "",
        f"# order number {run}, with four averaging strategies"
        if order == "shuffled"
        else "# one order, with four averaging strategies",
        f'own = dict(order={chosen}, random_state=int(spread["last"].seed[{run}]))',
        "models = {keep: Perceptron(keep=keep, **settings, **own).fit(X, y) for keep in strategies}",
        "wrong = {keep: int((model.predict(X) != y).sum()) for keep, model in models.items()}",
        "boundaries = {",
        "    keep: [*models[keep].coef_[0], models[keep].intercept_[0]]",
        '    for keep in strategies if keep != "voted"',
        "}",
        'survival = models["voted"].survival_',
        f'print(spread["{lines}"])',
        "print(wrong)",
    )


ORDERS = Chapter(
    "orders",
    "Order, averaging, voting",
    "The same points in many orders.",
    START,
    answer,
    {"examples": EXAMPLES},
)
