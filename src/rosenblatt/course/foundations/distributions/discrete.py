"""A probability table: each outcome with its probability."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.course.foundations.as_fractions import Number, as_float, exactly, is_exact, root
from rosenblatt.course.foundations.bayes import as_fraction, table_text
from rosenblatt.course.foundations.distributions.checked_numbers import generator, real, sample_size
from rosenblatt.errors import BadInput, bad_value

Outcome = Hashable
ROUNDING = 1e-12  # what floats that were divided by their sum may be away from 1


@dataclass(frozen=True, eq=False)
class Discrete:
    """Model a discrete distribution by a table of P(X = x) for each outcome x.

    A probability is an integer, a `Fraction`, a `Decimal` or text such as "1/6", and then all results are
    exact fractions; if one of them is a float, all results are floats, each computed exactly and rounded
    once. Outcomes may be anything hashable; mean and variance need numbers.

    Parameters
    ----------
    table : dict
        The probability of each outcome; at least 0, adding up to 1 (floats within rounding).

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
        """Return the distribution of maximum likelihood: the share of each outcome.

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
    def exact(self) -> bool:
        """Return whether all probabilities are fractions."""
        return all(map(is_exact, self.table.values()))

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
        """Return the distribution of g(X). A random variable is such a function, from outcomes to numbers.

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

    def probability(self, x: Any) -> Any:
        """Return P(X = x), 0 for an x that is not in the table.

        Parameters
        ----------
        x : outcome, list or ndarray
            The outcome, or several.

        Returns
        -------
        Fraction, float, list or ndarray
            The probability, or one for each.

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
            The logarithm of the probability of each.

        Examples
        --------
        >>> round(Discrete({0: "1/4", 1: "3/4"}).log_probability(0), 6)
        -1.386294
        """
        if isinstance(x, (list, np.ndarray)):
            return np.array([self.log_probability(each) for each in outcomes(x)], dtype=np.float64)
        return logarithm(Fraction(self.probability(x)))

    def log_likelihood(self, data: Iterable[Outcome]) -> float:
        """Return Σ ln P(X = x) over the data.

        Parameters
        ----------
        data : iterable
            The observed outcomes.

        Returns
        -------
        float
            The log likelihood.

        Raises
        ------
        BadInput
            If the data are empty.

        Examples
        --------
        >>> round(Discrete({0: "1/4", 1: "3/4"}).log_likelihood([1, 1, 0]), 6)
        -1.961659
        """
        seen = outcomes(data)
        if not seen:
            raise BadInput("data: empty; give at least one observation")
        return math.fsum(self.log_probability(seen))

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

    def draws(self, n: int, random_state: int | np.random.Generator | None = None) -> NDArray[np.int64]:
        """Return n random draws, each as the position of its outcome in the table.

        Parameters
        ----------
        n : int
            The number of draws.
        random_state : int, Generator or None, default=None
            The seed.

        Returns
        -------
        ndarray of shape (n,)
            The positions.

        Examples
        --------
        >>> Discrete({"red": 0.5, "green": 0.5}).draws(4, random_state=0)
        array([1, 0, 0, 0])
        """
        below = [float(total) for total in accumulate(self.shares.values())]
        return np.searchsorted(below, generator(random_state).random(sample_size(n)), side="right")

    @property
    def shares(self) -> dict[Outcome, Fraction]:
        """Return the probabilities as fractions that add up to exactly 1."""
        exact = {x: Fraction(p) for x, p in self.table.items()}
        total = sum(exact.values())
        return {x: p / total for x, p in exact.items()}

    def rounded(self, found: Fraction, values: Iterable[Any]) -> Number:
        """Return a result as a float if a probability or one of the values involved is a float.

        Parameters
        ----------
        found : Fraction
            The exact result.
        values : iterable
            The values that it was computed from.

        Returns
        -------
        Fraction or float
            The result.

        Examples
        --------
        >>> Discrete({0: 0.5, 1: 0.5}).rounded(Fraction(1, 2), [0, 1])
        0.5
        """
        return found if self.exact and all(map(is_exact, values)) else as_float(found)

    def __str__(self) -> str:
        return table_text([("x", "P(x)"), *((str(x), number_text(p)) for x, p in self.table.items())])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Discrete) and self.table == other.table

    def __hash__(self) -> int:
        return hash(frozenset(self.table.items()))


def probabilities(table: Any) -> dict[Outcome, Any]:
    """Return a checked table, with all probabilities as fractions or all as floats.

    Examples
    --------
    >>> probabilities({0: "1/2", 1: "1/3"})
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: table: the probabilities add up to 5/6, expected 1; thirds and the like are exact as text: "1/3"
    """  # noqa: E501
    if not isinstance(table, Mapping) or not table:
        raise bad_value("table", table, "a probability for each outcome, as a dict")
    found = {outcome: _probability(value, f"P({outcome})") for outcome, value in table.items()}
    total = sum((Fraction(p) for p in found.values()), Fraction(0))
    exact = all(map(is_exact, found.values()))
    if abs(total - 1) > (0 if exact else ROUNDING):
        raise BadInput(
            f"table: the probabilities add up to {total if exact else float(total)}, expected 1; "
            'thirds and the like are exact as text: "1/3"'
        )
    return found if exact else {outcome: float(p) for outcome, p in found.items()}


def _probability(value: Any, parameter: str) -> Number:
    is_float = isinstance(value, Real) and not is_exact(value)
    found = real(parameter, value) if is_float else as_fraction(value, parameter)
    if not 0 <= found <= 1:
        raise bad_value(parameter, value, "a probability, from 0 to 1")
    return found


def sum_outcomes(parts: Iterable[tuple[Outcome, Any]]) -> Discrete:
    """Return the table in which each outcome occurs once, with the sum of its parts."""
    gathered: dict[Outcome, list[Any]] = {}
    for outcome, p in parts:
        gathered.setdefault(outcome, []).append(p)
    return Discrete({x: sum(ps) if is_exact(ps[0]) else math.fsum(ps) for x, ps in gathered.items()})


def outcomes(data: Any) -> list[Any]:
    """Return observations as a list.

    Numbers of an array become Python's own, and its rows become tuples.
    """
    if isinstance(data, np.ndarray):
        return [tuple(row) if isinstance(row, list) else row for row in data.tolist()]
    if isinstance(data, str) or not isinstance(data, Iterable):
        raise bad_value("data", data, "a list of outcomes")
    return list(data)


def as_array(values: list[Any]) -> NDArray[Any]:
    """Return outcomes as an array, of Python objects if numpy has no type that holds them all unchanged."""
    alike = all(isinstance(v, str) for v in values) or all(type(v) in (int, float, bool) for v in values)
    natural = np.array(values) if alike else None
    if natural is not None and natural.tolist() == values:
        return natural
    return np.fromiter(values, dtype=object, count=len(values))


def logarithm(p: Fraction) -> float:
    """Return ln p for p from 0 to 1, accurate if p is near 1 or too small for a double.

    Examples
    --------
    >>> logarithm(1 - Fraction(1, 10**20)), round(logarithm(Fraction(1, 10**400)), 3)
    (-1e-20, -921.034)
    """
    if p == 0:
        return -math.inf
    if p > Fraction(1, 2):
        return math.log1p(float(p - 1))
    return math.log(p.numerator) - math.log(p.denominator)


def number_text(value: Number) -> str:
    """Return a fraction as a/b, a float with six digits."""
    return str(value) if is_exact(value) else f"{value:.6g}"
