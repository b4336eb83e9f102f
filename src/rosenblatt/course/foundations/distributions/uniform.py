"""The continuous uniform distribution: constant density from low to high."""

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
class Uniform(Distribution):
    """Model a uniform distribution: f(x) = 1/(high − low) for low ≤ x ≤ high, otherwise 0.

    Parameters
    ----------
    low, high : float
        The ends of the interval, low < high.

    Raises
    ------
    BadInput
        If the interval is empty or too wide for doubles.

    Examples
    --------
    >>> wait = Uniform(0.0, 10.0)
    >>> wait.density([-1.0, 0.0, 4.0, 10.0]), wait.mean, round(wait.variance, 4)
    (array([0. , 0.1, 0.1, 0.1]), 5.0, 8.3333)
    >>> Uniform.fit([2.5, 7.0, 3.0])
    Uniform(low=2.5, high=7.0)
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        if not real("low", self.low) < real("high", self.high):
            raise bad_value("high", self.high, f"a number above low = {self.low}")
        if math.isinf(float(self.high) - float(self.low)):
            raise bad_value("high", self.high, f"a width that doubles can hold, with low = {self.low}")
        object.__setattr__(self, "low", float(self.low))
        object.__setattr__(self, "high", float(self.high))

    @classmethod
    def fit(cls, data: ArrayLike) -> Uniform:
        """Return the distribution of maximum likelihood.

        The likelihood (high − low)^(−n) is largest for the smallest interval that contains all data.

        Parameters
        ----------
        data : array-like of shape (n,)
            The observations.

        Returns
        -------
        Uniform
            The distribution.

        Raises
        ------
        BadInput
            If the data are empty or all equal.

        Examples
        --------
        >>> Uniform.fit([3.0, 3.0])
        Traceback (most recent call last):
        rosenblatt.errors.BadInput: data: all 2 observations are 3, so the likelihood grows without bound as the interval closes in; give at least two different ones
        """  # noqa: E501
        numbers = observations(data)
        low, high = float(numbers.min()), float(numbers.max())
        if low == high:
            counted = (
                f"all {len(numbers)} observations are" if len(numbers) > 1 else "the one observation is"
            )
            raise BadInput(
                f"data: {counted} {low:g}, so the likelihood grows without bound as the interval closes "
                "in; give at least two different ones"
            )
        return cls(low, high)

    @property
    def width(self) -> float:
        """Width of the interval, high − low."""
        return self.high - self.low

    @property
    def mean(self) -> float:
        """Mean (low + high)/2."""
        return self.low / 2 + self.high / 2

    @property
    def variance(self) -> float:
        """Variance (high − low)²/12."""
        return self.width * (self.width / 12)

    def _possible(self, x: ArrayLike) -> NDArray[np.bool_]:
        x = points(x)
        return (self.low <= x) & (x <= self.high)

    def density(self, x: ArrayLike) -> Any:
        """Return f(x), the probability per unit of x, which may exceed 1.

        Parameters
        ----------
        x : array-like
            The values.

        Returns
        -------
        float or ndarray
            The density at each value.

        Examples
        --------
        >>> Uniform(0.0, 0.25).density(0.1)
        4.0
        """
        return plain(np.where(self._possible(x), 1 / self.width, 0.0))

    def log_density(self, x: ArrayLike) -> Any:
        """Return ln f(x), −∞ outside the interval.

        Parameters
        ----------
        x : array-like
            The values.

        Returns
        -------
        float or ndarray
            The logarithm of the density at each value.

        Examples
        --------
        >>> Uniform(0.0, 1.0).log_density([0.5, 2.0]) + 0.0
        array([  0., -inf])
        """
        return plain(np.where(self._possible(x), -math.log(self.width), -math.inf))

    def _logarithms(self, data: Any) -> Any:
        return self.log_density(observations(data))

    def _draw(self, n: int, random: np.random.Generator) -> NDArray[np.float64]:
        return self.low + self.width * random.random(n)
