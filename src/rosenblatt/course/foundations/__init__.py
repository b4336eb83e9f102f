"""The first lecture: curve fitting, probability distributions and Bayes' rule.

Names are imported when they are first used, because only `PolynomialCurve` needs scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_HOMES = {
    "Bernoulli": "rosenblatt.course.foundations.distributions.bernoulli",
    "Boxes": "rosenblatt.course.foundations.bayes",
    "Discrete": "rosenblatt.course.foundations.distributions.discrete",
    "DiscreteUniform": "rosenblatt.course.foundations.distributions.discrete_uniform",
    "Gaussian": "rosenblatt.course.foundations.distributions.gaussian",
    "JointGaussian": "rosenblatt.course.foundations.distributions.joint_gaussian",
    "PolynomialCurve": "rosenblatt.course.foundations.curve",
    "Uniform": "rosenblatt.course.foundations.distributions.uniform",
    "bayes_rule": "rosenblatt.course.foundations.bayes",
    "correlation": "rosenblatt.course.foundations.two_columns",
    "covariance": "rosenblatt.course.foundations.two_columns",
    "total_probability": "rosenblatt.course.foundations.bayes",
}
_MODULES = ("bayes", "distributions")

__all__ = [*_HOMES, *_MODULES]  # noqa: PLE0604

if TYPE_CHECKING:
    from rosenblatt.course.foundations import bayes as bayes
    from rosenblatt.course.foundations import distributions as distributions
    from rosenblatt.course.foundations.bayes import Boxes as Boxes
    from rosenblatt.course.foundations.bayes import bayes_rule as bayes_rule
    from rosenblatt.course.foundations.bayes import total_probability as total_probability
    from rosenblatt.course.foundations.curve import PolynomialCurve as PolynomialCurve
    from rosenblatt.course.foundations.distributions import Bernoulli as Bernoulli
    from rosenblatt.course.foundations.distributions import Discrete as Discrete
    from rosenblatt.course.foundations.distributions import DiscreteUniform as DiscreteUniform
    from rosenblatt.course.foundations.distributions import Gaussian as Gaussian
    from rosenblatt.course.foundations.distributions import JointGaussian as JointGaussian
    from rosenblatt.course.foundations.distributions import Uniform as Uniform
    from rosenblatt.course.foundations.two_columns import correlation as correlation
    from rosenblatt.course.foundations.two_columns import covariance as covariance


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _MODULES:
        return import_module(f"rosenblatt.course.foundations.{name}")
    raise AttributeError(f"module 'rosenblatt.course.foundations' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
