"""The joint Gaussian of two numbers: mean, covariance and correlation of the drawn points."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.course.foundations import JointGaussian
from rosenblatt.course.lab.chapters.chances.observations import FARTHEST
from rosenblatt.course.lab.chapters.chapter import Answer
from rosenblatt.course.lab.page_states import State
from rosenblatt.course.lab.python import assignment, script
from rosenblatt.course.lab.sentence_numbers import number_text
from rosenblatt.errors import BadInput

MOST_POINTS = 60


def joint(state: State) -> Answer:
    """Return the joint Gaussian of maximum likelihood, without and with the constraint of independence."""
    points = state.points(least=3, most=MOST_POINTS)
    if (np.abs(points) > FARTHEST).any():
        raise BadInput(f"points: one is outside the picture; keep within −{FARTHEST:g} and {FARTHEST:g}")
    fitted = JointGaussian.fit(points)
    apart = JointGaussian(fitted.mean, np.diag(fitted.variance))
    numbers = {
        "mean": fitted.mean.tolist(),
        "covariance": fitted.covariance.tolist(),
        "correlation": float(fitted.correlation[0, 1]),
        "log_likelihood": fitted.log_likelihood(points),
        "apart_log_likelihood": apart.log_likelihood(points),
    }
    picture = {
        "topic": "joint",
        "ellipses": [ellipse(fitted, 1.0), ellipse(fitted, 2.0)],
        "apart": ellipse(apart, 2.0),
    }
    return Answer(numbers, _python(points), tuple(_sentences(numbers)), picture)


def ellipse(gaussian: JointGaussian, deviations: float) -> list[list[float]]:
    """Return points x on an ellipse of constant density, (x − μ)ᵀΣ⁻¹(x − μ) = deviations².

    >>> one = JointGaussian([0.0, 0.0], [[1.0, 0.0], [0.0, 4.0]])
    >>> [round(number, 6) for number in ellipse(one, 2.0)[0]]
    [2.0, 0.0]
    """
    angles = np.linspace(0.0, 2.0 * np.pi, 97)
    circle = deviations * np.column_stack([np.cos(angles), np.sin(angles)])
    around: NDArray[np.float64] = gaussian.mean + circle @ np.linalg.cholesky(gaussian.covariance).T
    found: list[list[float]] = around.tolist()
    return found


def _sentences(numbers: dict[str, Any]) -> list[str]:
    (xx, xy), (_, yy) = [[number_text(entry) for entry in row] for row in numbers["covariance"]]
    x, y = map(number_text, numbers["mean"])
    lost = numbers["log_likelihood"] - numbers["apart_log_likelihood"]
    apart = (
        "The covariance is 0: for Gaussians that means independent."
        if lost == 0.0
        else "If the two numbers are treated as independent (covariance 0), the points are less "
        f"likely: the log likelihood falls from {number_text(numbers['log_likelihood'])} by "
        f"{number_text(lost)}."
    )
    correlation = number_text(numbers["correlation"], 3)
    return [
        f"Mean ({x}, {y}); variances {xx} and {yy}, covariance {xy}, correlation {correlation}.",
        apart,
    ]


def _python(points: NDArray[np.float64]) -> str:
    return script(
        "import numpy as np",
        "from rosenblatt.course.foundations import JointGaussian",
        "",
        assignment("points", points),
        "fitted = JointGaussian.fit(points)",
        "apart = JointGaussian(fitted.mean, np.diag(fitted.variance))",
        "mean, covariance = fitted.mean.tolist(), fitted.covariance.tolist()",
        "correlation = float(fitted.correlation[0, 1])",
        "log_likelihood = fitted.log_likelihood(points)",
        "apart_log_likelihood = apart.log_likelihood(points)",
        "print(fitted, correlation)",
    )
