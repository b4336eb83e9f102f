"""The multivariate normal distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.course.foundations.distributions.checked_numbers import (
    observed_vectors,
    plain,
    points,
)
from rosenblatt.course.foundations.distributions.distribution import Distribution
from rosenblatt.course.foundations.distributions.gaussian import Gaussian, mean_of
from rosenblatt.errors import BadInput, bad_value, whole_number

Doubles = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JointGaussian(Distribution):
    """Model a Gaussian vector: f(x) = exp(−½ (x − μ)ᵀΣ⁻¹(x − μ))/√((2π)^D det Σ).

    Parameters
    ----------
    mean : array-like of shape (D,)
        The mean μ.
    covariance : array-like of shape (D, D)
        Σᵢⱼ = cov(xᵢ, xⱼ) = E[(xᵢ − μᵢ)(xⱼ − μⱼ)], symmetric and positive definite.

    Raises
    ------
    BadInput
        If the shapes differ, or Σ is not positive definite.

    Examples
    --------
    >>> pair = JointGaussian([0.0, 0.0], [[2.0, 1.0], [1.0, 2.0]])
    >>> round(pair.density([0.0, 0.0]), 6), pair.correlation[0, 1].round(6), pair.independent
    (0.091888, np.float64(0.5), False)
    >>> JointGaussian.fit([[0.0, 0.0], [2.0, 0.0], [1.0, 3.0]]).covariance
    array([[0.66666667, 0.        ],
           [0.        , 2.        ]])
    """

    mean: Doubles
    covariance: Doubles

    def __post_init__(self) -> None:
        mean, covariance = points(self.mean), points(self.covariance)
        if mean.ndim != 1 or not mean.size or not np.isfinite(mean).all():
            raise bad_value("mean", self.mean, "a list of finite numbers")
        d = len(mean)
        if covariance.shape != (d, d) or not np.isfinite(covariance).all():
            raise BadInput(
                f"covariance: expected {d} rows of {d} finite numbers, got shape {covariance.shape}"
            )
        check_positive_definite(covariance)
        for name, values in (("mean", mean), ("covariance", covariance)):
            values.flags.writeable = False
            object.__setattr__(self, name, values)

    @classmethod
    def fit(cls, data: ArrayLike, covariance: ArrayLike | None = None) -> JointGaussian:
        """Return the distribution of maximum likelihood: μ = (1/n) Σ x and Σ = (1/n) Σ (x − μ)(x − μ)ᵀ.

        Parameters
        ----------
        data : array-like of shape (n, D)
            The observations.
        covariance : array-like of shape (D, D), default=None
            The covariance Σ, if it is known.

        Returns
        -------
        JointGaussian
            The distribution.

        Raises
        ------
        BadInput
            If the observations lie in a hyperplane and no covariance is given.

        Examples
        --------
        >>> JointGaussian.fit([[1.0, 2.0], [3.0, 4.0]], covariance=[[1.0, 0.0], [0.0, 1.0]]).mean
        array([2., 3.])
        """
        rows = observed_vectors(data)
        mean = np.array([mean_of(column) for column in rows.T])
        if covariance is not None:
            return cls(mean, points(covariance))
        away = rows - mean
        found = away.T @ away / len(rows)
        try:
            return cls(mean, (found + found.T) / 2)
        except BadInput as error:
            raise BadInput(
                f"data: the {len(rows)} observations of {len(mean)} numbers lie in a plane, a line or a "
                "point, so the likelihood grows without bound as the density closes in on it; give more "
                "observations than numbers, drop a column that follows from others, or give a covariance "
                "that is known"
            ) from error

    @property
    def variance(self) -> Doubles:
        """Variance of each component: the diagonal of Σ."""
        return self.covariance.diagonal().copy()

    @property
    def correlation(self) -> Doubles:
        """Correlation matrix cov(xᵢ, xⱼ)/(σᵢσⱼ), with entries from −1 to 1."""
        deviation = np.sqrt(self.variance)
        found = self.covariance / deviation[:, None] / deviation
        np.fill_diagonal(found, 1.0)
        return found

    @property
    def independent(self) -> bool:
        """Return whether the variables are independent, which for Gaussians means uncorrelated.

        Examples
        --------
        >>> JointGaussian([0.0, 1.0], [[1.0, 0.0], [0.0, 4.0]]).independent
        True
        """
        return not np.any(self.covariance - np.diag(self.variance))

    def marginal(self, index: int) -> Gaussian:
        """Return the marginal distribution of one component.

        Parameters
        ----------
        index : int
            The component, counted from 0.

        Returns
        -------
        Gaussian
            Its distribution.

        Raises
        ------
        BadInput
            If there is no such component.

        Examples
        --------
        >>> JointGaussian([0.0, 1.0], [[1.0, 0.5], [0.5, 4.0]]).marginal(1)
        Gaussian(mean=1.0, variance=4.0)
        """
        index = whole_number("index", index, 0, len(self.mean) - 1)
        return Gaussian(float(self.mean[index]), float(self.covariance[index, index]))

    def density(self, x: ArrayLike) -> Any:
        """Return f of one vector, or of each row.

        Parameters
        ----------
        x : array-like of shape (D,) or (n, D)
            The vectors.

        Returns
        -------
        float or ndarray
            The density at each vector.

        Raises
        ------
        BadInput
            If the vectors have another length.

        Examples
        --------
        >>> one = JointGaussian([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]])
        >>> one.density([[0.0, 0.0], [1.0, 1.0]]).round(6)
        array([0.159155, 0.05855 ])
        """
        with np.errstate(under="ignore"):
            return plain(np.exp(self._log_density(x)))

    def log_density(self, x: ArrayLike) -> Any:
        """Return ln f(x) = −½ ‖z‖² − ½ ln det Σ − (D/2) ln 2π, where Lz = x − μ and LLᵀ = Σ.

        Parameters
        ----------
        x : array-like of shape (D,) or (n, D)
            The vectors.

        Returns
        -------
        float or ndarray
            The logarithm of the density at each vector.

        Raises
        ------
        BadInput
            If the vectors have another length.

        Examples
        --------
        >>> round(JointGaussian([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]]).log_density([0.0, 0.0]), 6)
        -1.837877
        """
        return plain(self._log_density(x))

    def _logarithms(self, data: Any) -> Any:
        return self._log_density(observed_vectors(data))

    def _draw(self, n: int, random: np.random.Generator) -> Doubles:
        """Return μ + Lz with z independent standard Gaussians."""
        z = random.standard_normal((n, len(self.mean)))
        return self.mean + z @ np.linalg.cholesky(self.covariance).T

    def _log_density(self, x: ArrayLike) -> Doubles:
        x, d = points(x), len(self.mean)
        if x.ndim not in (1, 2) or x.shape[-1] != d:
            raise BadInput(f"x: expected a vector of {d} numbers or rows of them, got shape {x.shape}")
        factor = np.linalg.cholesky(self.covariance)
        with np.errstate(over="ignore"):
            z = np.linalg.solve(factor, np.atleast_2d(x - self.mean).T)
            squares = (z * z).sum(axis=0)
        height = math.fsum(np.log(factor.diagonal()).tolist()) + 0.5 * d * math.log(2 * math.pi)
        found: Doubles = -0.5 * squares - height
        return found.reshape(x.shape[:-1])

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, JointGaussian)
            and np.array_equal(self.mean, other.mean)
            and np.array_equal(self.covariance, other.covariance)
        )

    def __hash__(self) -> int:
        return hash((tuple(self.mean.tolist()), tuple(self.covariance.ravel().tolist())))


def check_positive_definite(covariance: Doubles) -> None:
    """Raise an error unless a matrix is symmetric and positive definite beyond rounding errors.

    Examples
    --------
    >>> check_positive_definite(np.array([[1.0, 2.0], [2.0, 1.0]]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: covariance: not positive definite: its correlations have ... -1; ...
    """
    if not np.array_equal(covariance, covariance.T):
        i, j = (int(index) for index in np.argwhere(covariance != covariance.T)[0])
        raise BadInput(
            f"covariance: not symmetric: {covariance[i, j]:g} in row {i}, column {j}, but "
            f"{covariance[j, i]:g} in row {j}, column {i}"
        )
    variance = covariance.diagonal()
    if not (variance > 0).all():
        j = int(np.flatnonzero(~(variance > 0))[0])
        raise BadInput(f"covariance: the variance in row {j} is {variance[j]:g}, expected a number above 0")
    deviation = np.sqrt(variance)
    least = float(np.linalg.eigvalsh(covariance / deviation[:, None] / deviation)[0])
    if least <= len(covariance) * np.finfo(np.float64).eps:
        raise BadInput(
            f"covariance: not positive definite: its correlations have the eigenvalue {least:.6g}; "
            "zᵀΣz must be above 0 for every z other than 0"
        )
