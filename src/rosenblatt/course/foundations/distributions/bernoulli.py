"""The Bernoulli distribution: 1 with probability p, 0 with probability 1 − p."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.course.foundations.distributions.checked_numbers import (
    observations,
    plain,
    points,
    real,
)
from rosenblatt.course.foundations.distributions.distribution import Distribution
from rosenblatt.errors import BadInput, bad_value


@dataclass(frozen=True)
class Bernoulli(Distribution):
    """Model one trial: P(X = 1) = p, P(X = 0) = 1 − p.

    Parameters
    ----------
    p : float
        The probability of 1.

    Raises
    ------
    BadInput
        If `p` is not between 0 and 1.

    Examples
    --------
    >>> coin = Bernoulli(0.25)
    >>> coin.probability(1), coin.probability([0, 1, 2]), coin.mean, coin.variance
    (0.25, array([0.75, 0.25, 0.  ]), 0.25, 0.1875)
    >>> Bernoulli.fit([1, 0, 0, 1, 1])
    Bernoulli(p=0.6)
    """

    p: float

    def __post_init__(self) -> None:
        if not 0.0 <= real("p", self.p) <= 1.0:
            raise bad_value("p", self.p, "a probability, from 0 to 1")
        object.__setattr__(self, "p", float(self.p))

    @classmethod
    def fit(cls, data: ArrayLike) -> Bernoulli:
        """Return the distribution of maximum likelihood.

        The likelihood p^k·(1 − p)^(n−k) of k ones in n trials is largest at p = k/n.

        Parameters
        ----------
        data : array-like of shape (n,)
            Trials, 0 or 1.

        Returns
        -------
        Bernoulli
            The distribution.

        Raises
        ------
        BadInput
            If the data are empty or contain numbers other than 0 and 1.

        Examples
        --------
        >>> Bernoulli.fit([1, 1, 1])
        Bernoulli(p=1.0)
        """
        trials = observations(data)
        other = (trials != 0) & (trials != 1)
        if other.any():
            place = int(np.flatnonzero(other)[0])
            raise BadInput(f"data: expected 0 and 1, got {trials[place]:g} at place {place}")
        return cls(float(np.count_nonzero(trials)) / len(trials))

    @property
    def mean(self) -> float:
        """Mean E[X] = 0·(1 − p) + 1·p = p."""
        return self.p

    @property
    def variance(self) -> float:
        """Variance E[(X − p)²] = p(1 − p)."""
        return self.p * (1.0 - self.p)

    def probability(self, x: ArrayLike) -> Any:
        """Return P(X = x); 0 for any x other than 0 and 1.

        Parameters
        ----------
        x : array-like
            The values.

        Returns
        -------
        float or ndarray
            The probability of each value.

        Examples
        --------
        >>> Bernoulli(1.0).probability([0, 0.5, 1])
        array([0., 0., 1.])
        """
        x = points(x)
        return plain(np.where(x == 1, self.p, np.where(x == 0, 1.0 - self.p, 0.0)))

    def log_probability(self, x: ArrayLike) -> Any:
        """Return ln P(X = x), −∞ where P is 0. ln(1 − p) is accurate for small p.

        Parameters
        ----------
        x : array-like
            The values.

        Returns
        -------
        float or ndarray
            The logarithm of the probability of each value.

        Examples
        --------
        >>> Bernoulli(1e-20).log_probability(0)
        -1e-20
        """
        x = points(x)
        of_one = math.log(self.p) if self.p > 0.0 else -math.inf
        of_zero = math.log1p(-self.p) if self.p < 1.0 else -math.inf
        return plain(np.where(x == 1, of_one, np.where(x == 0, of_zero, -math.inf)))

    def _logarithms(self, data: Any) -> Any:
        return self.log_probability(observations(data))

    def _draw(self, n: int, random: np.random.Generator) -> NDArray[np.int64]:
        return (random.random(n) < self.p).astype(np.int64)
