"""Distributions of the lecture notes, one per file, all in the same shape.

A discrete one has `probability(x)` and `log_probability(x)`, a continuous one `density(x)` and
`log_density(x)`. All have `mean`, `variance` (a vector also `covariance`), `sample(n, random_state)`,
`log_likelihood(data)` and `fit(data)`: the distribution of its kind under which the data are most likely.
"""

from rosenblatt.course.foundations.distributions.bernoulli import Bernoulli
from rosenblatt.course.foundations.distributions.discrete import Discrete
from rosenblatt.course.foundations.distributions.discrete_uniform import DiscreteUniform
from rosenblatt.course.foundations.distributions.gaussian import Gaussian
from rosenblatt.course.foundations.distributions.joint_discrete import JointDiscrete
from rosenblatt.course.foundations.distributions.joint_gaussian import JointGaussian
from rosenblatt.course.foundations.distributions.uniform import Uniform

__all__ = [
    "Bernoulli",
    "Discrete",
    "DiscreteUniform",
    "Gaussian",
    "JointDiscrete",
    "JointGaussian",
    "Uniform",
]
