"""The methods that all distributions share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.course.foundations.distributions.checked_numbers import generator, sample_size


class Distribution:
    """Compute the likelihood of data, and draw; a subclass defines `_logarithms` and `_draw`."""

    def _logarithms(self, data: Any) -> Any:
        """Return ln P(X = x) or ln f(x) of each observation, after checking the observations."""
        raise NotImplementedError

    def _draw(self, n: int, random: np.random.Generator) -> NDArray[Any]:
        raise NotImplementedError

    def log_likelihood(self, data: Any) -> float:
        """Return Σ ln P(X = x) over the data, or Σ ln f(x) for a density.

        Parameters
        ----------
        data : array-like
            The observations; for vectors, one in each row.

        Returns
        -------
        float
            The log likelihood.

        Raises
        ------
        BadInput
            If the data are empty or not what the distribution describes.

        Examples
        --------
        >>> from rosenblatt.foundations import Bernoulli, Gaussian
        >>> round(Bernoulli(0.5).log_likelihood([0, 1, 1]), 6)
        -2.079442
        >>> round(Gaussian(0.0, 1.0).log_likelihood([0.0, 1.0]), 6)
        -2.337877
        """
        return math.fsum(self._logarithms(data).tolist())

    def sample(self, n: int, random_state: int | np.random.Generator | None = None) -> NDArray[Any]:
        """Return n random draws; for vectors, one in each row.

        Parameters
        ----------
        n : int
            The number of draws.
        random_state : int, Generator or None, default=None
            The seed.

        Returns
        -------
        ndarray
            The draws.

        Examples
        --------
        >>> from rosenblatt.foundations import Bernoulli, Uniform
        >>> Bernoulli(0.5).sample(6, random_state=0)
        array([0, 1, 1, 1, 0, 0])
        >>> Uniform(0.0, 10.0).sample(3, random_state=0).round(3)
        array([6.37 , 2.698, 0.41 ])
        """
        random = generator(random_state)
        return self._draw(sample_size(n), random)
