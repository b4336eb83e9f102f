"""Distributions of the lecture notes, one per module, with a common interface.

A discrete distribution has `probability(x)` and `log_probability(x)`; a continuous one has `density(x)` and
`log_density(x)`. All have `mean`, `variance` (distributions of vectors also `covariance`), `sample(n,
random_state)`, `log_likelihood(data)`, and `fit(data)`, which returns the distribution of this kind with
the largest likelihood.
"""

from rosenblatt.course.foundations.distributions.bernoulli import Bernoulli
from rosenblatt.course.foundations.distributions.discrete import Discrete
from rosenblatt.course.foundations.distributions.discrete_uniform import DiscreteUniform
from rosenblatt.course.foundations.distributions.gaussian import Gaussian
from rosenblatt.course.foundations.distributions.joint_gaussian import JointGaussian
from rosenblatt.course.foundations.distributions.uniform import Uniform

__all__ = [
    "Bernoulli",
    "Discrete",
    "DiscreteUniform",
    "Gaussian",
    "JointGaussian",
    "Uniform",
]
