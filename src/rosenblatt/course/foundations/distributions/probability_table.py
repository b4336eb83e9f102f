"""`ProbabilityTable`: the base class of distributions given by a table, for one or several variables."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from itertools import accumulate
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.course.foundations.as_fractions import Number, as_float, is_exact
from rosenblatt.course.foundations.bayes import as_fraction
from rosenblatt.course.foundations.distributions.checked_numbers import generator, real, sample_size
from rosenblatt.errors import BadInput, bad_value

Outcome = Hashable
ROUNDING = 1e-12  # tolerance of the sum of normalised floats


class ProbabilityTable:
    """Hold the probability of each outcome, as fractions or as floats.

    Examples
    --------
    >>> from rosenblatt.foundations import Discrete
    >>> isinstance(Discrete({0: "1/2", 1: "1/2"}), ProbabilityTable)
    True
    """

    table: dict[Any, Any]

    @property
    def exact(self) -> bool:
        """Return whether all probabilities are fractions."""
        return all(map(is_exact, self.table.values()))

    def _outcomes(self, data: Any) -> list[Any]:
        return outcomes(data)

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
        >>> from rosenblatt.foundations import Discrete
        >>> Discrete({0: "1/3", 1: "2/3"}).probability([0, 1, 2])
        [Fraction(1, 3), Fraction(2, 3), Fraction(0, 1)]
        """
        if isinstance(x, (list, np.ndarray)):
            found = [self.probability(each) for each in self._outcomes(x)]
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
        >>> from rosenblatt.foundations import Discrete
        >>> round(Discrete({0: "1/4", 1: "3/4"}).log_probability(0), 6)
        -1.386294
        """
        if isinstance(x, (list, np.ndarray)):
            return np.array([self.log_probability(each) for each in self._outcomes(x)], dtype=np.float64)
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
        >>> from rosenblatt.foundations import Discrete
        >>> round(Discrete({0: "1/4", 1: "3/4"}).log_likelihood([1, 1, 0]), 6)
        -1.961659
        """
        seen = self._outcomes(data)
        if not seen:
            raise BadInput("data: empty; give at least one observation")
        return math.fsum(self.log_probability(seen))

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
        >>> from rosenblatt.foundations import Discrete
        >>> Discrete({"red": 0.5, "green": 0.5}).draws(4, random_state=0)
        array([1, 0, 0, 0])
        """
        below = [float(total) for total in accumulate(self.shares.values())]
        return np.searchsorted(below, generator(random_state).random(sample_size(n)), side="right")

    @property
    def shares(self) -> dict[Any, Fraction]:
        """Return the probabilities as fractions that sum to exactly 1."""
        exact = {x: Fraction(p) for x, p in self.table.items()}
        total = sum(exact.values())
        return {x: p / total for x, p in exact.items()}

    def rounded(self, found: Fraction, values: Iterable[Any]) -> Number:
        """Return `found` as a float if a probability or one of `values` is a float, otherwise unchanged.

        Parameters
        ----------
        found : Fraction
            The exact result.
        values : iterable
            The values from which it was computed.

        Returns
        -------
        Fraction or float
            The result.

        Examples
        --------
        >>> from rosenblatt.foundations import Discrete
        >>> Discrete({0: 0.5, 1: 0.5}).rounded(Fraction(1, 2), [0, 1])
        0.5
        """
        return found if self.exact and all(map(is_exact, values)) else as_float(found)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.table == other.table

    def __hash__(self) -> int:
        return hash(frozenset(self.table.items()))


def probabilities(table: Any) -> dict[Outcome, Any]:
    """Return a table after checking it, with all probabilities as fractions or all as floats.

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


def outcomes(data: Any) -> list[Any]:
    """Return observations as a list of Python numbers; rows of an array become tuples."""
    if isinstance(data, np.ndarray):
        return [tuple(row) if isinstance(row, list) else row for row in data.tolist()]
    if isinstance(data, str) or not isinstance(data, Iterable):
        raise bad_value("data", data, "a list of outcomes")
    return list(data)


def as_array(values: list[Any]) -> NDArray[Any]:
    """Return outcomes as an array, with dtype object unless another dtype holds all of them unchanged."""
    alike = all(isinstance(v, str) for v in values) or all(type(v) in (int, float, bool) for v in values)
    natural = np.array(values) if alike else None
    if natural is not None and natural.tolist() == values:
        return natural
    return np.fromiter(values, dtype=object, count=len(values))


def logarithm(p: Fraction) -> float:
    """Return ln p for 0 ≤ p ≤ 1, accurate even if p is close to 1 or too small for a double.

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
    """Return a fraction as a/b, or a float with six digits."""
    return str(value) if is_exact(value) else f"{value:.6g}"
