"""The joint distribution of several discrete variables, given by a probability table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.course.foundations.as_fractions import Number, exactly, root
from rosenblatt.course.foundations.distributions.discrete import Discrete, sum_outcomes
from rosenblatt.course.foundations.distributions.probability_table import (
    ROUNDING,
    Outcome,
    ProbabilityTable,
    as_array,
    number_text,
    outcomes,
    probabilities,
)
from rosenblatt.errors import BadInput, bad_value
from rosenblatt.text_table import aligned_lines

Combination = tuple[Outcome, ...]


@dataclass(frozen=True, eq=False)
class JointDiscrete(ProbabilityTable):
    r"""Model several variables by a table of P(X = x, Y = y, …) for each combination (x, y, …).

    Probabilities are as in `Discrete`: exact fractions, or floats. The covariance of two of the variables
    is cov(X, Y) = E[(X − E[X])(Y − E[Y])].

    Parameters
    ----------
    table : dict
        A dict from each combination (a tuple) to its probability; missing combinations have probability 0.

    Raises
    ------
    BadInput
        If the table is empty, not a distribution, or its keys differ in length.

    Examples
    --------
    >>> rain = JointDiscrete({(0, 0): "1/2", (0, 1): "1/8", (1, 0): "1/8", (1, 1): "1/4"})
    >>> rain.covariance[0][1], rain.correlation[0][1], rain.independent
    (Fraction(7, 64), 0.4666666666666667, False)
    >>> print(rain)
    x\y     0    1  P(x)
    0     1/2  1/8   5/8
    1     1/8  1/4   3/8
    P(y)  5/8  3/8     1
    """

    table: dict[Combination, Any]

    def __post_init__(self) -> None:
        table: dict[Any, Any] = probabilities(self.table)
        for combination in table:
            if not isinstance(combination, tuple) or len(combination) < 2:
                raise bad_value("table", combination, "tuples of two outcomes or more as its keys")
        lengths = {len(combination) for combination in table}
        if len(lengths) > 1:
            raise BadInput(
                f"table: keys of {min(lengths)} and of {max(lengths)} outcomes; expected as many"
            )
        object.__setattr__(self, "table", table)

    @classmethod
    def fit(cls, data: Iterable[Combination]) -> JointDiscrete:
        """Return the distribution of maximum likelihood: the relative frequency of each combination.

        Parameters
        ----------
        data : iterable of tuple
            The observed combinations.

        Returns
        -------
        JointDiscrete
            The distribution.

        Raises
        ------
        BadInput
            If the data are empty.

        Examples
        --------
        >>> JointDiscrete.fit([(0, 1), (1, 1), (0, 1), (0, 0)]).probability((0, 1))
        Fraction(1, 2)
        """
        return cls(Discrete.fit(rows(data)).table)  # type: ignore[arg-type]

    @property
    def dimension(self) -> int:
        """Number of variables."""
        return len(next(iter(self.table)))

    def marginal(self, index: int) -> Discrete:
        """Return the marginal distribution of one variable: P(x) = Σ P(x, y) over y.

        Parameters
        ----------
        index : int
            The variable, counted from 0.

        Returns
        -------
        Discrete
            Its distribution.

        Raises
        ------
        BadInput
            If there is no such variable.

        Examples
        --------
        >>> JointDiscrete({(0, 0): "1/2", (0, 1): "1/4", (1, 1): "1/4"}).marginal(0).table
        {0: Fraction(3, 4), 1: Fraction(1, 4)}
        """
        self._check(index)
        return sum_outcomes((combination[index], p) for combination, p in self.table.items())

    def conditional(self, index: int, outcome: Outcome) -> Discrete | JointDiscrete:
        """Return the conditional distribution of the other variables: P(x|y) = P(x, y)/P(y).

        Parameters
        ----------
        index : int
            The known variable, counted from 0.
        outcome : outcome
            Its value.

        Returns
        -------
        Discrete or JointDiscrete
            The distribution of the other variables.

        Raises
        ------
        BadInput
            If there is no such variable, or the outcome has probability 0.

        Examples
        --------
        >>> JointDiscrete({(0, 0): "1/2", (0, 1): "1/4", (1, 1): "1/4"}).conditional(1, 1).table
        {0: Fraction(1, 2), 1: Fraction(1, 2)}
        """
        known = self.marginal(index).probability(outcome)
        if known == 0:
            raise BadInput(f"outcome: P({outcome}) is 0, so nothing is known of the others when it happens")
        rest = {
            combination[:index] + combination[index + 1 :]: p / known
            for combination, p in self.table.items()
            if combination[index] == outcome
        }
        return JointDiscrete(rest) if self.dimension > 2 else Discrete({x: p for (x,), p in rest.items()})

    @property
    def mean(self) -> tuple[Number, ...]:
        """Mean E[X] of each variable."""
        return tuple(self.marginal(index).mean for index in range(self.dimension))

    @property
    def variance(self) -> tuple[Number, ...]:
        """Variance E[(X − E[X])²] of each variable."""
        return tuple(self.marginal(index).variance for index in range(self.dimension))

    @property
    def covariance(self) -> tuple[tuple[Number, ...], ...]:
        """Covariance matrix Σᵢⱼ = cov(Xᵢ, Xⱼ), symmetric, with the variances on its diagonal."""
        each = range(self.dimension)
        return tuple(
            tuple(
                self.rounded(self._covariance(i, j), (c[k] for c in self.table for k in (i, j)))
                for j in each
            )
            for i in each
        )

    @property
    def correlation(self) -> tuple[tuple[float, ...], ...]:
        """Correlation matrix cov(Xᵢ, Xⱼ)/(σᵢσⱼ), with entries from −1 to 1."""
        each = range(self.dimension)
        variances = [self._covariance(index, index) for index in each]
        for index in each:
            if variances[index] == 0:
                raise BadInput(
                    f"correlation: variable {index} is always the same, so its variance is 0 and it has no "
                    "correlation with any other"
                )
        return tuple(
            tuple(correlation_of(self._covariance(i, j), variances[i], variances[j]) for j in each)
            for i in each
        )

    @property
    def independent(self) -> bool:
        """Return whether P(x, y) = P(x)·P(y) for all x and y (for floats, up to rounding).

        Examples
        --------
        >>> die = {(a, b): "1/36" for a in range(1, 7) for b in range(1, 7)}
        >>> JointDiscrete(die).independent
        True
        """
        alone = [self.marginal(index).table for index in range(self.dimension)]
        return all(
            abs(
                self.probability(combination)
                - math.prod(p[x] for p, x in zip(alone, combination, strict=True))
            )
            <= (0 if self.exact else ROUNDING)
            for combination in product(*alone)
        )

    def map(self, function: Callable[..., Outcome]) -> Discrete:
        """Return the distribution of g(X, Y, …).

        Parameters
        ----------
        function : callable
            The function g.

        Returns
        -------
        Discrete
            The distribution.

        Examples
        --------
        >>> JointDiscrete({(1, 1): "1/4", (1, 2): "1/4", (2, 1): "1/2"}).map(lambda x, y: x + y).table
        {2: Fraction(1, 4), 3: Fraction(3, 4)}
        """
        return Discrete(self.table).map(lambda combination: function(*combination))  # type: ignore[arg-type]

    def sample(self, n: int, random_state: int | np.random.Generator | None = None) -> NDArray[Any]:
        """Return n random draws, one in each row.

        Parameters
        ----------
        n : int
            The number of draws.
        random_state : int, Generator or None, default=None
            The seed.

        Returns
        -------
        ndarray of shape (n, dimension)
            The draws.

        Examples
        --------
        >>> JointDiscrete({(0, 0): 0.5, (1, 2): 0.5}).sample(3, random_state=0)
        array([[1, 2],
               [0, 0],
               [0, 0]])
        """
        each = as_array([x for combination in self.table for x in combination])
        return each.reshape(-1, self.dimension)[self.draws(n, random_state)]

    def _outcomes(self, data: Any) -> list[Any]:
        return rows(data)

    def _covariance(self, i: int, j: int) -> Fraction:
        shares = [(exactly(c[i], "outcome"), exactly(c[j], "outcome"), p) for c, p in self.shares.items()]
        mean_i, mean_j = sum(x * p for x, _, p in shares), sum(y * p for _, y, p in shares)
        return sum(((x - mean_i) * (y - mean_j) * p for x, y, p in shares), Fraction(0))

    def _check(self, index: Any) -> None:
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < self.dimension:
            raise bad_value("index", index, f"a whole number from 0 to {self.dimension - 1}")

    def __str__(self) -> str:
        if self.dimension > 2:
            return str(Discrete(self.table))  # type: ignore[arg-type]
        x, y = (self.marginal(index).table for index in (0, 1))
        lines = [("x\\y", *map(str, y), "P(x)")]
        lines += [
            (str(a), *(number_text(self.probability((a, b))) for b in y), number_text(p))
            for a, p in x.items()
        ]
        return "\n".join(aligned_lines([*lines, ("P(y)", *map(number_text, y.values()), "1")]))


def rows(data: Any) -> list[Combination]:
    """Return rows as tuples, given lists, tuples or an array."""
    return [tuple(row) if isinstance(row, list) else row for row in outcomes(data)]


def correlation_of(covariance: Fraction, first: Fraction, second: Fraction) -> float:
    """Return cov/√(var·var), with the sign of the covariance.

    Examples
    --------
    >>> correlation_of(Fraction(-1), Fraction(1, 2), Fraction(2))
    -1.0
    """
    size = root(covariance**2 / (first * second))
    return -size if covariance < 0 else size
