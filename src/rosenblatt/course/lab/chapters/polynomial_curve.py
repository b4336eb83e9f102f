"""Polynomial curves through noisy points of sin(πx): degree, λ, training and test error."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rosenblatt.course.foundations import PolynomialCurve
from rosenblatt.course.lab.chapters.chapter import Answer, Chapter
from rosenblatt.course.lab.page_states import State
from rosenblatt.course.lab.python import assignment, literal, script
from rosenblatt.course.lab.sentence_numbers import number_text
from rosenblatt.errors import BadInput, counted

MOST_POINTS, HIGHEST_DEGREE, N_TEST = 40, 20, 200
FOLDS = 10  # the most folds; with ten points, each point is held out once
WIDE, TALL = 1.3, 2.5
"""Half the width and half the height of the view; points outside raise an error."""

PENALTIES = [0.0, *(float(f"{digit}e{power}") for power in range(-9, 1) for digit in (1, 3)), 10.0]
"""The values of λ whose errors are drawn."""

CANDIDATES = [0.0, *(float(f"1e{power}") for power in range(-9, 2))]
"""The candidates for λ, chosen on held-out points."""

START: dict[str, Any] = {
    "degree": 9,
    "l2": 0.0,
    "auto": False,
    "n_points": 10,
    "noise": 0.2,
    "seed": 2,
    "points": [],
}

Doubles = NDArray[np.float64]


def answer(state: State) -> Answer:
    """Return the curve with the chosen degree and λ, and the errors of all other choices."""
    noise, seed = state.number("noise", 0.0, 1.0), state.whole("seed", 0, 999)
    degree = state.whole("degree", 0, HIGHEST_DEGREE)
    penalty: float | Literal["auto"] = "auto" if state.flag("auto") else state.number("l2", 0.0, 1000.0)
    x, y = draw_points(state.whole("n_points", 1, MOST_POINTS), noise, np.random.default_rng(seed))
    own = bool(state.values["points"])
    if own:
        x, y = _own_points(state)
    test_rng = np.random.default_rng([seed, 1])
    test_x = test_rng.uniform(-1.0, 1.0, N_TEST)
    test_y = np.sin(np.pi * test_x) + noise * test_rng.standard_normal(N_TEST)

    settings: dict[str, Any] = (
        {"candidates": CANDIDATES, "folds": FOLDS, "random_state": 0} if penalty == "auto" else {}
    )
    model = PolynomialCurve(degree=degree, l2=penalty, **settings).fit(x[:, None], y)
    compared = Compared(x, y, test_x, test_y)
    numbers: dict[str, Any] = {
        "coefficients": model.coef_.tolist(),
        "l2": model.l2_,
        "training_error": model.training_error_,
        "errors": compared.errors(degree, model.l2_),
        "by_degree": [compared.errors(M, model.l2_) for M in range(HIGHEST_DEGREE + 1)],
        "by_l2": [compared.errors(degree, l2) for l2 in PENALTIES],
    }
    if penalty == "auto":
        numbers["held_out"] = [
            [step.l2, math.sqrt(step.held_out)] for step in model.validation_curve_ or []
        ]
    along = np.linspace(-WIDE, WIDE, 261)
    picture = {
        "points": np.column_stack([x, y]).tolist(),
        "fitted": model.predict(x[:, None]).tolist(),
        "curve": np.column_stack([along, model.predict(along[:, None])]).tolist(),
        "truth": np.column_stack([along, np.sin(np.pi * along)]).tolist(),
        "penalties": PENALTIES,
        "polynomial": str(model.polynomial_),
    }
    python = _python(state, degree, penalty, np.column_stack([x, y]) if own else None)
    return Answer(numbers, python, tuple(_sentences(numbers, degree, len(y), penalty, noise)), picture)


def draw_points(n_points: int, noise: float, rng: np.random.Generator) -> tuple[Doubles, Doubles]:
    """Return evenly spaced x on [−1, 1], and sin(πx) with Gaussian noise, rounded to two decimals.

    >>> x, y = draw_points(3, 0.0, np.random.default_rng(0))
    >>> x.tolist(), abs(y).tolist()
    ([-1.0, 0.0, 1.0], [0.0, 0.0, 0.0])
    """
    x = np.linspace(-1.0, 1.0, n_points).round(2)
    return x, (np.sin(np.pi * x) + noise * rng.standard_normal(n_points)).round(2)


def _own_points(state: State) -> tuple[Doubles, Doubles]:
    points = state.points(most=MOST_POINTS)
    for row, (x, y) in enumerate(points):
        if abs(x) > WIDE or abs(y) > TALL:
            raise BadInput(
                f"points, row {row}: ({x:g}, {y:g}) is outside the picture, which shows x within ±{WIDE} "
                f"and y within ±{TALL}; move it inside"
            )
    return points[:, 0], points[:, 1]


class Compared:
    """Hold the training and test points that all curves share."""

    def __init__(self, x: Doubles, y: Doubles, test_x: Doubles, test_y: Doubles) -> None:
        self.X, self.y, self.test_X, self.test_y = x[:, None], y, test_x[:, None], test_y

    def errors(self, degree: int, l2: float) -> list[float]:
        """Return the root mean squared errors on the training points and on the test points."""
        model = PolynomialCurve(degree=degree, l2=l2).fit(self.X, self.y)
        missed = self.test_y - model.predict(self.test_X)
        return [
            math.sqrt(model.training_error_ / len(self.y)),
            math.sqrt(float(np.mean(missed**2))),
        ]


def _python(state: State, degree: int, penalty: Any, points: Doubles | None) -> str:
    n_points, noise, seed = int(state.values["n_points"]), state.number("noise"), int(state.values["seed"])
    if points is None:
        data = [
            f"rng = np.random.default_rng({seed})",
            f"x = np.linspace(-1, 1, {n_points}).round(2)",
            f"y = (np.sin(np.pi * x) + {literal(noise)} * rng.standard_normal({n_points})).round(2)",
        ]
    else:
        data = [assignment("points", points), "x, y = np.array(points, float).T"]
    choosing = f'model.set_params(l2="auto", candidates=candidates, folds={FOLDS}, random_state=0)'
    candidates = "candidates = [0.0, *(float(f'1e{power}') for power in range(-9, 2))]"
    held_out = "held_out = [[step.l2, math.sqrt(step.held_out)] for step in model.validation_curve_]"
    return script(
        "import math",
        "import numpy as np",
        "from rosenblatt.course.foundations import PolynomialCurve",
        "",
        *data,
        f"rng = np.random.default_rng([{seed}, 1])  # new points, never fitted to",
        f"test_x = rng.uniform(-1, 1, {N_TEST})",
        f"test_y = np.sin(np.pi * test_x) + {literal(noise)} * rng.standard_normal({N_TEST})",
        "",
        f"degree = {degree}",
        f"model = PolynomialCurve(degree=degree, l2={literal(0.0 if penalty == 'auto' else penalty)})",
        *([candidates, choosing] if penalty == "auto" else []),
        "model.fit(x[:, None], y)",
        "coefficients, l2 = model.coef_.tolist(), model.l2_",
        "training_error = model.training_error_  # the notes' sum of squares",
        *([held_out] if penalty == "auto" else []),
        "",
        "def root_mean_squares(degree, l2):",
        "    model = PolynomialCurve(degree=degree, l2=l2).fit(x[:, None], y)",
        "    missed = test_y - model.predict(test_x[:, None])",
        "    return [math.sqrt(model.training_error_ / len(y)), math.sqrt(float(np.mean(missed**2)))]",
        "",
        "errors = root_mean_squares(degree, l2)",
        f"by_degree = [root_mean_squares(M, l2) for M in range({HIGHEST_DEGREE + 1})]",
        "penalties = [0.0, *(float(f'{d}e{p}') for p in range(-9, 1) for d in (1, 3)), 10.0]",
        "by_l2 = [root_mean_squares(degree, each) for each in penalties]",
        "print(model.polynomial_, errors, sep='\\n')",
    )


def _sentences(
    numbers: dict[str, Any], degree: int, n_points: int, penalty: Any, noise: float
) -> list[str]:
    training, test = (number_text(error, 3) for error in numbers["errors"])
    l2, total = number_text(numbers["l2"]), number_text(numbers["training_error"])
    largest = number_text(max(abs(w) for w in numbers["coefficients"]), 3)
    sentences = [
        f"Degree {degree}, λ = {l2}: on the {counted(n_points, 'training point')} the sum of squares is "
        f"{total}, the root of their mean {training}. On {N_TEST} new points the root mean square is "
        f"{test}.",
        f"The largest coefficient is {largest} in size.",
    ]
    if penalty == "auto":
        sentences.append(f"λ = {l2} had the smallest error in cross-validation.")
    if numbers["errors"][0] < 1e-9 and n_points > 1:
        learned = ", and the noise is learned" if noise else ""
        sentences.append(f"The curve goes through every training point: no error is left{learned}.")
    return sentences


CURVE = Chapter(
    "curve", "Curve fitting and overfitting", "Degree, λ, and the error on new points.", START, answer
)
