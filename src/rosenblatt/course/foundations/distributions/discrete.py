"""A discrete distribution given by a probability table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.course.foundations.as_fractions import Number, as_float, exactly, is_exact, root
from rosenblatt.course.foundations.distributions.distribution import Distribution
from rosenblatt.course.foundations.distributions.probability_table import (
    Outcome,
    as_array,
    logarithm,
    number_text,
    outcomes,
    probabilities,
)
from rosenblatt.errors import BadInput, bad_value
from rosenblatt.text_table import aligned_lines


@dataclass(frozen=True, eq=False)
class Discrete(Distribution):
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
        return self._as_float_unless_exact(found, self.table)

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
        return self._as_float_unless_exact(found, values.values())

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
        gathered: dict[Outcome, list[Any]] = {}
        try:
            for x, p in self.table.items():
                gathered.setdefault(value(x), []).append(p)
        except KeyError as error:
            raise BadInput(f"function: no value for the outcome {error}; give one for each") from error
        return Discrete({x: sum(ps) if self.exact else math.fsum(ps) for x, ps in gathered.items()})

    def _draw(self, n: int, random: np.random.Generator) -> NDArray[Any]:
        below = [float(total) for total in accumulate(self.shares.values())]
        drawn = np.searchsorted(below, random.random(n), side="right")
        return as_array(list(self.table))[drawn]

    @property
    def exact(self) -> bool:
        """Return whether all probabilities are fractions."""
        return all(map(is_exact, self.table.values()))

    def probability(self, x: Any) -> Any:
        """Return P(X = x), 0 for an x that is not in the table.

        Parameters
        ----------
        x : outcome, list or ndarray
            The outcome, or several.

        Returns
        -------
        Fraction, float, list or ndarray
            The probability, or one probability per outcome.

        Raises
        ------
        BadInput
            If `x` is not hashable.

        Examples
        --------
        >>> Discrete({0: "1/3", 1: "2/3"}).probability([0, 1, 2])
        [Fraction(1, 3), Fraction(2, 3), Fraction(0, 1)]
        """
        if isinstance(x, (list, np.ndarray)):
            found = [self.probability(each) for each in outcomes(x)]
            return found if self.exact else np.array(found, dtype=np.float64)
        try:
            return self.table.get(x, Fraction(0) if self.exact else 0.0)
        except TypeError as error:
            raise bad_value("x", x, "an outcome such as those of the table, or a list of them") from error

    def log_probability(self, x: Any) -> Any:
        """Return ln P(X = x), −∞ where P is 0.

        Parameters
        ----------
        x : outcome, list or ndarray
            The outcome, or several.

        Returns
        -------
        float or ndarray
            The logarithm of the probability of each outcome.

        Examples
        --------
        >>> round(Discrete({0: "1/4", 1: "3/4"}).log_probability(0), 6)
        -1.386294
        """
        if isinstance(x, (list, np.ndarray)):
            return np.array([self.log_probability(each) for each in outcomes(x)], dtype=np.float64)
        return logarithm(Fraction(self.probability(x)))

    def _logarithms(self, data: Any) -> Any:
        seen = outcomes(data)
        if not seen:
            raise BadInput("data: empty; give at least one observation")
        return self.log_probability(seen)

    @property
    def shares(self) -> dict[Any, Fraction]:
        """Return the probabilities as fractions that sum to exactly 1."""
        exact = {x: Fraction(p) for x, p in self.table.items()}
        total = sum(exact.values())
        return {x: p / total for x, p in exact.items()}

    def _as_float_unless_exact(self, found: Fraction, values: Iterable[Any]) -> Number:
        """Return `found` as a float if a probability or one of `values` is a float, otherwise unchanged."""
        return found if self.exact and all(map(is_exact, values)) else as_float(found)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.table == other.table

    def __hash__(self) -> int:
        return hash(frozenset(self.table.items()))

    def __str__(self) -> str:
        rows = [("x", "P(x)"), *((str(x), number_text(p)) for x, p in self.table.items())]
        return "\n".join(aligned_lines(rows))
