"""The normal distribution."""

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
class Gaussian(Distribution):
    """Model a normal distribution: f(x) = exp(−(x − μ)²/(2σ²))/√(2πσ²).

    Parameters
    ----------
    mean : float
        The mean μ.
    variance : float
        The variance σ², above 0.

    Raises
    ------
    BadInput
        If a parameter is out of range.

    Examples
    --------
    >>> heights = Gaussian(mean=170.0, variance=100.0)
    >>> round(heights.density(170.0), 6), round(heights.log_density(200.0), 6)
    (0.039894, -7.721524)
    >>> Gaussian.fit([1.0, 2.0, 3.0, 6.0])
    Gaussian(mean=3.0, variance=3.5)
    """

    mean: float
    variance: float

    def __post_init__(self) -> None:
        real("mean", self.mean)
        if real("variance", self.variance) <= 0.0:
            raise bad_value("variance", self.variance, "a number above 0")
        object.__setattr__(self, "mean", float(self.mean))
        object.__setattr__(self, "variance", float(self.variance))

    @classmethod
    def fit(cls, data: ArrayLike, variance: float | None = None) -> Gaussian:
        """Return the distribution of maximum likelihood: μ = (1/n) Σ x and σ² = (1/n) Σ (x − μ)².

        ∂/∂μ Σ ln f = (1/σ²) Σ (x − μ) is 0 at the mean of the data for every σ². Dividing by n maximises
        the likelihood; dividing by n − 1 would give an unbiased estimate.

        Parameters
        ----------
        data : array-like of shape (n,)
            The observations.
        variance : float or None, default=None
            The variance σ², if it is known.

        Returns
        -------
        Gaussian
            The distribution.

        Raises
        ------
        BadInput
            If the data are empty, or all equal and no variance is given.

        Examples
        --------
        >>> Gaussian.fit([4.0], variance=1.0)
        Gaussian(mean=4.0, variance=1.0)
        """
        numbers = observations(data)
        mean = mean_of(numbers)
        if variance is not None:
            return cls(mean, variance)
        found = mean_of((numbers - mean) ** 2)
        if found == 0.0 or numbers.min() == numbers.max():
            counted = (
                f"all {len(numbers)} observations are" if len(numbers) > 1 else "the one observation is"
            )
            raise BadInput(
                f"data: {counted} {mean:g}, so the likelihood grows without bound as the variance goes to "
                "0; give at least two different ones, or the variance if it is known: fit(data, variance=…)"
            )
        return cls(mean, found)

    @property
    def deviation(self) -> float:
        """Standard deviation σ, the square root of the variance."""
        return math.sqrt(self.variance)

    def density(self, x: ArrayLike) -> Any:
        """Return f(x).

        In the far tails about 12 digits are correct, because an exponent of 700 has a rounding error of
        10⁻¹³.

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
        >>> Gaussian(0.0, 1.0).density([0.0, 38.0]) > 0
        array([ True,  True])
        """
        return self._ask("pdf", x)

    def log_density(self, x: ArrayLike) -> Any:
        """Return ln f(x) = −(x − μ)²/(2σ²) − ½ ln(2πσ²).

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
        >>> Gaussian(0.0, 1.0).log_density(1e10)
        -5e+19
        """
        return self._ask("logpdf", x)

    def _logarithms(self, data: Any) -> Any:
        return self.log_density(observations(data))

    def _draw(self, n: int, random: np.random.Generator) -> NDArray[np.float64]:
        return self.mean + self.deviation * random.standard_normal(n)

    def _ask(self, function: str, x: ArrayLike) -> Any:
        from scipy.stats import norm  # slow import (half a second)

        with np.errstate(over="ignore", under="ignore"):
            return plain(np.asarray(getattr(norm, function)(points(x), self.mean, self.deviation)))


def mean_of(numbers: NDArray[np.float64]) -> float:
    """Return the mean, computed from an exact sum.

    Examples
    --------
    >>> mean_of(np.array([1e16, 1.0, -1e16]))
    0.3333333333333333
    """
    try:
        return math.fsum(numbers.tolist()) / len(numbers)
    except OverflowError as error:
        raise BadInput("data: the sum overflows; divide the data by a large number") from error
