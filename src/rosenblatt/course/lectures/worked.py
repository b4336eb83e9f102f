"""`EXAMPLES`: the worked examples of the notes, all runnable, with corrections of errors in the notes.

>>> EXAMPLES["001-perceptron"].run().path()
[(0.0, 0.0), (2.0, 1.0), (2.0, -1.0)]
>>> print(EXAMPLES["001-addition"].run())
[-1.  2.]
"""

from __future__ import annotations

import numpy as np

from rosenblatt.course.lectures.parts import Addition, Example, Line, Point, Run
from rosenblatt.kernels.products import ordered_products

_FIRST = ((2.0, 1.0), (0.0, 2.0), (-0.5, -2.0))
_CYCLE = ((0.0, 1.0), (0.0, -1.0), (-1.0, 0.5))
_EXERCISE = ((2.0, 1.0), (1.0, 1.0), (-1.0, 1.0), (1.0, -1.0))
_XOR = ((-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0))
_XOR_BITS = ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0))
_XOR_LABELS = (-1, 1, 1, -1)


def products(x: Point, constant: float | None = None) -> Point:
    """Return all products of two coordinates, in both orders: the feature map of the kernel (x·z)².

    With a constant c there is one more coordinate c, which gives the kernel (x·z + c²)². This is the map
    into n² features in the notes.

    Examples
    --------
    >>> products((2.0, 3.0))
    (4.0, 6.0, 6.0, 9.0)
    """
    lifted = x if constant is None else (*x, constant)
    return tuple(ordered_products(np.array([lifted]), 2)[0].tolist())


def _map(points: tuple[Point, ...], constant: float | None = None) -> tuple[Point, ...]:
    return tuple(products(x, constant) for x in points)


_ALL = (
    Example(
        "001-perceptron",
        "001",
        "the perceptron on three points, without offset",
        {"run": Run(_FIRST, (1, -1, 1), {"offset": False, "tie": "negative", "epochs": 2})},
        slip="a run without offset need not end whenever some θ classifies all points correctly; this one "
        "ends because θ = (2, −1) classifies these three points correctly and none of them is on its line. "
        "In 003-cycle every such θ has points on its line, and the run never ends",
    ),
    Example(
        "001-line",
        "001",
        "the line 2x₁ + 3x₂ − 6 = 0 and its normal (2, 3)",
        {"line": Line((2.0, 3.0), -6.0, ((3.0, 0.0), (0.0, 2.0), (0.0, 0.0), (3.0, 2.0)))},
    ),
    Example(
        "001-exercise",
        "001",
        "on which side of the line are these points?",
        {
            "w = (−3, 2), b = 2": Line((-3.0, 2.0), 2.0, _EXERCISE),
            "w = (3, 2), b = −2, which fits the arrows": Line((3.0, 2.0), -2.0, _EXERCISE),
        },
        slip="the arrows +, ?, −, − do not fit the line written beside them; w = (3, 2), b = −2 is one of "
        "several lines that they fit; and −3x₁ + 2x₂ + 2 = 0 is x₂ = 1.5x₁ − 1, not 3x₁ − 2",
    ),
    Example(
        "001-origin",
        "001",
        "without offset the line goes through the origin: x₁ + 2x₂ = 0",
        {"line": Line((1.0, 2.0), 0.0, ((0.0, 0.0), (2.0, -1.0), (1.0, 1.0), (-1.0, -1.0)))},
    ),
    Example(
        "001-addition",
        "001",
        "an update is an addition of vectors",
        {"sum": Addition((1.0, 1.0), (-2.0, 1.0))},
    ),
    Example(
        "003-cycle",
        "003",
        "three points on which the perceptron cycles without an offset and converges with one",
        {
            "without offset": Run(
                _CYCLE,
                (1, 1, -1),
                {"offset": False, "tie": "positive", "epochs": None, "until": "separated"},
            ),
            "with offset": Run(
                _CYCLE,
                (1, 1, -1),
                {"offset": True, "tie": "positive", "epochs": None, "until": "separated"},
            ),
        },
        slip="the first update drops the sign of y and gets (−1, ½) where w + y·x is (1, −½); the second "
        "update is then on a point that is already classified correctly",
    ),
    Example(
        "004-two-points",
        "004",
        "two points, the constant feature first",
        {
            "run": Run(
                ((1.0, 1.0, 2.0), (1.0, 2.0, 1.0)),
                (1, -1),
                {"offset": False, "tie": "positive", "order": "first_mistake", "until": "separated"},
            )
        },
        slip="the pseudocode updates where y·w·x < 0, which never happens from w = 0; the example itself "
        "counts sign(0) = +1 as a prediction",
    ),
    Example(
        "xor",
        "001, 004",
        "no halfspace computes exclusive or; products of coordinates do",
        {
            "halfspace": Run(_XOR, _XOR_LABELS, {"epochs": None, "until": "separated"}),
            "(x·z)²": Run(_map(_XOR), _XOR_LABELS, {"offset": False, "epochs": None, "until": "separated"}),
            "(x·z)² on {0, 1}²": Run(
                _map(_XOR_BITS), _XOR_LABELS, {"offset": False, "epochs": None, "until": "separated"}
            ),
            "(x·z + 1)² on {0, 1}²": Run(
                _map(_XOR_BITS, 1.0),
                _XOR_LABELS,
                {"offset": False, "epochs": None, "until": "separated"},
            ),
        },
    ),
    Example(
        "order",
        "001, 004",
        "order and start decide which w is found; a point may stay wrong after its own update",
        {
            "in order": Run(_FIRST, (1, -1, 1), {"offset": False, "until": "separated"}),
            "in reverse": Run(
                _FIRST, (1, -1, 1), {"offset": False, "until": "separated", "order": (2, 1, 0)}
            ),
            "from the unit vector": Run(
                _FIRST, (1, -1, 1), {"offset": False, "until": "separated", "init": "unit"}
            ),
            "stays wrong": Run(
                ((4.0, 4.0), (1.0, 0.0)), (1, -1), {"offset": False, "until": "separated", "epochs": None}
            ),
        },
    ),
)

EXAMPLES: dict[str, Example] = {example.key: example for example in _ALL}
"""Every worked example by its key."""
