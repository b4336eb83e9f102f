"""The first lecture: curves through points, distributions, Bayes' rule.

Names are imported when they are first used: only `PolynomialCurve` needs scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_HOMES = {
    "Bernoulli": "rosenblatt.foundations.distributions.bernoulli",
    "Boxes": "rosenblatt.foundations.bayes",
    "Discrete": "rosenblatt.foundations.distributions.discrete",
    "DiscreteUniform": "rosenblatt.foundations.distributions.discrete_uniform",
    "Gaussian": "rosenblatt.foundations.distributions.gaussian",
    "JointDiscrete": "rosenblatt.foundations.distributions.joint_discrete",
    "JointGaussian": "rosenblatt.foundations.distributions.joint_gaussian",
    "PolynomialCurve": "rosenblatt.foundations.curve",
    "Uniform": "rosenblatt.foundations.distributions.uniform",
    "bayes_rule": "rosenblatt.foundations.bayes",
    "correlation": "rosenblatt.foundations.columns",
    "covariance": "rosenblatt.foundations.columns",
    "total_probability": "rosenblatt.foundations.bayes",
}
_ROOMS = ("bayes", "distributions")

__all__ = [*_HOMES, *_ROOMS]  # noqa: PLE0604

if TYPE_CHECKING:
    from rosenblatt.foundations import bayes as bayes
    from rosenblatt.foundations import distributions as distributions
    from rosenblatt.foundations.bayes import Boxes as Boxes
    from rosenblatt.foundations.bayes import bayes_rule as bayes_rule
    from rosenblatt.foundations.bayes import total_probability as total_probability
    from rosenblatt.foundations.columns import correlation as correlation
    from rosenblatt.foundations.columns import covariance as covariance
    from rosenblatt.foundations.curve import PolynomialCurve as PolynomialCurve
    from rosenblatt.foundations.distributions import Bernoulli as Bernoulli
    from rosenblatt.foundations.distributions import Discrete as Discrete
    from rosenblatt.foundations.distributions import DiscreteUniform as DiscreteUniform
    from rosenblatt.foundations.distributions import Gaussian as Gaussian
    from rosenblatt.foundations.distributions import JointDiscrete as JointDiscrete
    from rosenblatt.foundations.distributions import JointGaussian as JointGaussian
    from rosenblatt.foundations.distributions import Uniform as Uniform


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _ROOMS:
        return import_module(f"rosenblatt.foundations.{name}")
    raise AttributeError(f"module 'rosenblatt.foundations' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
