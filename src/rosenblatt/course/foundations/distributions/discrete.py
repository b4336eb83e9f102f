"""A discrete distribution given by a probability table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.course.foundations.as_fractions import Number, exactly, is_exact, root
from rosenblatt.course.foundations.distributions.probability_table import (
    Outcome,
    ProbabilityTable,
    as_array,
    number_text,
    outcomes,
    probabilities,
)
from rosenblatt.errors import BadInput
from rosenblatt.text_table import aligned_lines


@dataclass(frozen=True, eq=False)
class Discrete(ProbabilityTable):
    """Model a discrete distribution by a table of P(X = x) for each outcome x.

    If every probability is an integer, a `Fraction`, a `Decimal` or text such as "1/6", all results are
    exact fractions. If any probability is a float, all results are floats, computed exactly and rounded
    once. Outcomes may be any hashable objects; mean and variance need numbers.

    Parameters
    ----------
    table : dict
        The probability of each outcome. Probabilities are at least 0 and sum to 1 (floats up to rounding).

    Raises
    ------
    BadInput
        If the table is empty or not a distribution.

    Examples
    --------
    >>> lottery = Discrete({0: "9/10", 5: "3/40", 20: "1/40"})
    >>> lottery.mean, lottery.variance, lottery.probability(5)
    (Fraction(7, 8), Fraction(711, 64), Fraction(3, 40))
    >>> print(lottery)
    x    P(x)
    0    9/10
    5    3/40
    20   1/40
    >>> Discrete({"heads": 0.25, "tails": 0.75}).map({"heads": 1, "tails": 0}).mean
    0.25
    """

    table: dict[Outcome, Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "table", probabilities(self.table))

    @classmethod
    def fit(cls, data: Iterable[Outcome]) -> Discrete:
        """Return the distribution of maximum likelihood: the relative frequency of each outcome.

        Parameters
        ----------
        data : iterable
            The observed outcomes.

        Returns
        -------
        Discrete
            The distribution.

        Raises
        ------
        BadInput
            If the data are empty or not hashable.

        Examples
        --------
        >>> Discrete.fit([1, 6, 6, 2])
        Discrete(table={1: Fraction(1, 4), 6: Fraction(1, 2), 2: Fraction(1, 4)})
        """
        seen = outcomes(data)
        if not seen:
            raise BadInput("data: empty; give at least one observation")
        try:
            counts = Counter(seen)
        except TypeError as error:
            raise BadInput(f"data: expected outcomes that a dict can hold: {error}") from error
        return cls({outcome: Fraction(count, len(seen)) for outcome, count in counts.items()})

    @property
    def mean(self) -> Number:
        """Mean E[X] = Σ x·P(x)."""
        return self.expectation(lambda x: x)

    @property
    def variance(self) -> Number:
        """Variance E[(X − μ)²] = Σ (x − μ)²·P(x)."""
        centre = sum(exactly(x, "outcome") * p for x, p in self.shares.items())
        found = sum(
            ((exactly(x, "outcome") - centre) ** 2 * p for x, p in self.shares.items()), Fraction(0)
        )
        return self.rounded(found, self.table)

    @property
    def deviation(self) -> float:
        """Standard deviation σ, the square root of the variance."""
        return root(exactly(self.variance, "variance"))

    def expectation(self, function: Callable[[Any], Any]) -> Number:
        """Return E[g(X)] = Σ g(x)·P(x).

        Parameters
        ----------
        function : callable
            The function g.

        Returns
        -------
        Fraction or float
            The expectation.

        Raises
        ------
        BadInput
            If a value of g is not a number.

        Examples
        --------
        >>> Discrete({1: "1/2", 3: "1/2"}).expectation(lambda x: x**2)
        Fraction(5, 1)
        """
        values = {x: function(x) for x in self.table}
        found = sum((exactly(values[x], "outcome") * p for x, p in self.shares.items()), Fraction(0))
        return self.rounded(found, values.values())

    def map(self, function: Callable[[Any], Outcome] | Mapping[Outcome, Outcome]) -> Discrete:
        """Return the distribution of g(X), where g is any function of outcomes, such as a random variable.

        Parameters
        ----------
        function : callable or mapping
            The function g.

        Returns
        -------
        Discrete
            The distribution.

        Raises
        ------
        BadInput
            If a mapping has no value for an outcome.

        Examples
        --------
        >>> Discrete({-1: "1/4", 0: "1/2", 1: "1/4"}).map(abs).table
        {1: Fraction(1, 2), 0: Fraction(1, 2)}
        """
        value = function.__getitem__ if isinstance(function, Mapping) else function
        try:
            return sum_outcomes((value(x), p) for x, p in self.table.items())
        except KeyError as error:
            raise BadInput(f"function: no value for the outcome {error}; give one for each") from error

    def sample(self, n: int, random_state: int | np.random.Generator | None = None) -> NDArray[Any]:
        """Return n random draws.

        Parameters
        ----------
        n : int
            The number of draws.
        random_state : int, Generator or None, default=None
            The seed.

        Returns
        -------
        ndarray of shape (n,)
            The outcomes drawn.

        Examples
        --------
        >>> Discrete({"red": 0.5, "green": 0.5}).sample(4, random_state=0)
        array(['green', 'red', 'red', 'red'], dtype='<U5')
        """
        return as_array(list(self.table))[self.draws(n, random_state)]

    def __str__(self) -> str:
        rows = [("x", "P(x)"), *((str(x), number_text(p)) for x, p in self.table.items())]
        return "\n".join(aligned_lines(rows))


def sum_outcomes(parts: Iterable[tuple[Outcome, Any]]) -> Discrete:
    """Return a table in which each outcome occurs once, with the sum of its probabilities."""
    gathered: dict[Outcome, list[Any]] = {}
    for outcome, p in parts:
        gathered.setdefault(outcome, []).append(p)
    return Discrete({x: sum(ps) if is_exact(ps[0]) else math.fsum(ps) for x, ps in gathered.items()})
