"""The discrete uniform distribution: equally likely integers from low to high, as with a die."""

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
    whole,
)
from rosenblatt.course.foundations.distributions.distribution import Distribution
from rosenblatt.errors import BadInput, bad_value


@dataclass(frozen=True)
class DiscreteUniform(Distribution):
    """Model a die: P(X = x) = 1/(high − low + 1) for the integers low, …, high.

    Parameters
    ----------
    low, high : int
        The smallest and the largest value.

    Raises
    ------
    BadInput
        If they are not whole numbers, or low > high.

    Examples
    --------
    >>> die = DiscreteUniform(1, 6)
    >>> die.mean, round(die.variance, 4), die.probability([1, 6, 7, 2.5]).round(4)
    (3.5, 2.9167, array([0.1667, 0.1667, 0.    , 0.    ]))
    >>> DiscreteUniform.fit([3, 5, 2, 5])
    DiscreteUniform(low=2, high=5)
    """

    low: int
    high: int

    def __post_init__(self) -> None:
        if whole("low", self.low) > whole("high", self.high):
            raise bad_value("high", self.high, f"a whole number of at least low = {self.low}")
        for name, bound in (("low", self.low), ("high", self.high)):
            if not -(2**53) <= bound <= 2**53:
                raise bad_value(
                    name, bound, "a whole number of at most 2^53: doubles hold no others exactly"
                )
            object.__setattr__(self, name, int(bound))

    @classmethod
    def fit(cls, data: ArrayLike) -> DiscreteUniform:
        """Return the distribution of maximum likelihood.

        The likelihood (high − low + 1)^(−n) is largest for the smallest range that contains all data.

        Parameters
        ----------
        data : array-like of shape (n,)
            Whole numbers.

        Returns
        -------
        DiscreteUniform
            The distribution.

        Raises
        ------
        BadInput
            If the data are empty or not whole numbers.

        Examples
        --------
        >>> DiscreteUniform.fit([4])
        DiscreteUniform(low=4, high=4)
        """
        numbers = observations(data)
        broken = numbers != np.floor(numbers)
        if broken.any():
            place = int(np.flatnonzero(broken)[0])
            raise BadInput(
                f"data: expected whole numbers, got {numbers[place]:g} at place {place}; "
                "for measurements use Uniform"
            )
        return cls(int(numbers.min()), int(numbers.max()))

    @property
    def size(self) -> int:
        """Number of possible values."""
        return self.high - self.low + 1

    @property
    def mean(self) -> float:
        """Mean (low + high)/2."""
        return (self.low + self.high) / 2

    @property
    def variance(self) -> float:
        """Variance (size² − 1)/12."""
        return (self.size**2 - 1) / 12

    def _possible(self, x: ArrayLike) -> NDArray[np.bool_]:
        x = points(x)
        return (self.low <= x) & (x <= self.high) & (x == np.floor(x))

    def probability(self, x: ArrayLike) -> Any:
        """Return P(X = x); 0 outside the range and for numbers that are not integers.

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
        >>> DiscreteUniform(0, 3).probability(2)
        0.25
        """
        return plain(np.where(self._possible(x), 1 / self.size, 0.0))

    def log_probability(self, x: ArrayLike) -> Any:
        """Return ln P(X = x), −∞ where P is 0.

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
        >>> round(DiscreteUniform(0, 3).log_probability(2), 6)
        -1.386294
        """
        return plain(np.where(self._possible(x), -math.log(self.size), -math.inf))

    def _logarithms(self, data: Any) -> Any:
        return self.log_probability(observations(data))

    def _draw(self, n: int, random: np.random.Generator) -> NDArray[np.int64]:
        return random.integers(self.low, self.high, n, endpoint=True)
