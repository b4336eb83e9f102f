"""Random points, labels and settings: whole numbers, decimals, doubles, and sizes that cancel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Draw = np.random.Generator
Doubles = NDArray[np.float64]


def points(draw: Draw, n_features: int | None = None, most: int = 8, sizes: bool = True) -> Doubles:
    """Between 2 and `most` points; half of the cases have equal or opposite points, and ties.

    `sizes` allows points of very different lengths.
    """
    n, d = int(draw.integers(2, most + 1)), n_features or int(draw.integers(1, 5))
    kind = draw.integers(5 if sizes else 3)
    if kind == 0:
        found = draw.integers(-2, 3, (n, d)).astype(np.float64)
    elif kind == 1:
        found = draw.integers(-30, 31, (n, d)) / 10.0
    elif kind == 2:
        found = draw.normal(size=(n, d))
    elif kind == 3:
        found = draw.normal(size=(n, d)) * 10.0 ** draw.integers(-6, 7, (n, 1))
    else:  # scores of which the leading digits cancel
        found = np.round(draw.normal(size=(n, d)), 1) + draw.integers(-3, 4, (n, d)) * 2.0**-50
    if draw.integers(2):
        found[int(draw.integers(n))] = found[int(draw.integers(n))] * draw.choice([-1.0, 1.0])
    return found + 0.0


def labels(draw: Draw, n: int) -> NDArray[np.int64]:
    """Labels of both classes."""
    found = draw.choice([-1, 1], n)
    found[draw.permutation(n)[:2]] = [-1, 1]
    return found


ORDERS = ("given", "shuffled", "listed", "first_mistake", "worst_mistake")


def run_settings(draw: Draw, n: int, d: int, searches: bool = True) -> dict[str, Any]:
    """Settings of a run as the package names them; `searches` allows orders that search for a mistake."""
    offset = bool(draw.integers(2))
    order: Any = draw.choice(ORDERS[: 5 if searches else 3])
    if order == "listed":
        order = draw.integers(0, n, int(draw.integers(1, 2 * n))).tolist()
    init: Any = draw.choice(["zeros", "unit", "weights"])
    if init == "weights":
        init = (np.round(draw.normal(size=d), 1) + 0.0).tolist()  # no −0
    return {
        "offset": offset,
        "tie": str(draw.choice(["mistake", "negative", "positive"])),
        "order": order if isinstance(order, list) else str(order),
        "init": init if isinstance(init, list) else str(init),
        "epochs": int(draw.integers(1, 6)),
        "until": "separated" if draw.integers(2) else None,
        "random_state": int(draw.integers(1000)),
    }


def for_javascript(settings: dict[str, Any]) -> dict[str, Any]:
    """The same settings with the names of the engine."""
    renamed = {"random_state": "randomState", "max_steps": "maxSteps"}
    return {renamed.get(name, name): value for name, value in settings.items()}
