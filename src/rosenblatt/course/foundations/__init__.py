"""The first lecture: curves through points, distributions, Bayes' rule.

`PolynomialCurve`, which needs scikit-learn, is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rosenblatt.course.foundations import bayes, distributions
from rosenblatt.course.foundations.bayes import Boxes, bayes_rule, total_probability
from rosenblatt.course.foundations.distributions import (
    Bernoulli,
    Discrete,
    DiscreteUniform,
    Gaussian,
    JointDiscrete,
    JointGaussian,
    Uniform,
)
from rosenblatt.course.foundations.two_columns import correlation, covariance

if TYPE_CHECKING:
    from rosenblatt.course.foundations.curve import PolynomialCurve

__all__ = [
    "Bernoulli",
    "Boxes",
    "Discrete",
    "DiscreteUniform",
    "Gaussian",
    "JointDiscrete",
    "JointGaussian",
    "PolynomialCurve",
    "Uniform",
    "bayes",
    "bayes_rule",
    "correlation",
    "covariance",
    "distributions",
    "total_probability",
]


def __getattr__(name: str) -> Any:
    if name == "PolynomialCurve":
        from rosenblatt.course.foundations.curve import PolynomialCurve

        return PolynomialCurve
    raise AttributeError(f"module 'rosenblatt.course.foundations' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
