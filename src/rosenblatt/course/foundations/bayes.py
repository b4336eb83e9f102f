"""Boxes and balls: total probability and Bayes' rule, in exact fractions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any

from rosenblatt.errors import BadInput, bad_choice, bad_value
from rosenblatt.text_table import aligned_lines

Name = Hashable


LONG_EXPONENT = re.compile(r"[eE][+-]?0*\d{4}")  # 1e-10000000 would take seconds


def as_fraction(value: Any, parameter: str = "probability") -> Fraction:
    """Return an exact fraction for a number or a text such as "2/5" or "0.4".

    A float is treated as the shortest decimal that Python prints for it: 0.4 becomes 2/5, not its exact
    binary value 3602879701896397/9007199254740992.

    Parameters
    ----------
    value : int, Fraction, Decimal, float or str
        The number.
    parameter : str, default="probability"
        The name of the parameter in an error message.

    Returns
    -------
    Fraction
        The number as a fraction.

    Raises
    ------
    BadInput
        If it is not a number, or its exponent is too long.

    Examples
    --------
    >>> as_fraction("2/5") == as_fraction(0.4) == as_fraction(Decimal("0.40")) == Fraction(2, 5)
    True
    """
    if isinstance(value, bool) or not isinstance(value, (str, Real, Decimal)):
        raise bad_value(parameter, value, 'a fraction such as "2/5", a number or a Fraction')
    if isinstance(value, (str, Decimal)) and LONG_EXPONENT.search(str(value)):
        raise bad_value(parameter, value, "a number whose power of ten has at most three digits")
    try:
        if isinstance(value, (Rational, str, Decimal)):
            return Fraction(value)
        return Fraction(repr(float(value)))
    except (ValueError, OverflowError, ZeroDivisionError) as error:
        raise bad_value(parameter, value, 'a fraction such as "2/5", a number or a Fraction') from error


def total_probability(prior: Mapping[Name, Any], likelihood: Mapping[Name, Any]) -> Fraction:
    """Return P(A) = Σ P(A|B)·P(B) over all cases B.

    Parameters
    ----------
    prior : mapping
        P(B) for each case, as a number that `as_fraction` accepts.
    likelihood : mapping
        P(A|B) for each case.

    Returns
    -------
    Fraction
        P(A).

    Raises
    ------
    BadInput
        If the prior does not add up to 1, or a case has no likelihood.

    Examples
    --------
    >>> total_probability({"sun": "2/3", "rain": "1/3"}, {"sun": "1/10", "rain": "9/10"})
    Fraction(11, 30)
    """
    priors, likelihoods = _prior(prior), _likelihood(prior, likelihood)
    return sum((likelihoods[case] * priors[case] for case in priors), Fraction(0))


def bayes_rule(prior: Mapping[Name, Any], likelihood: Mapping[Name, Any]) -> dict[Name, Fraction]:
    """Return the posterior P(B|A) = P(A|B)·P(B)/P(A) for each case B, with P(A) by total probability.

    Parameters
    ----------
    prior : mapping
        P(B) for each case, as a number that `as_fraction` accepts.
    likelihood : mapping
        P(A|B) for each case.

    Returns
    -------
    dict of case to Fraction
        P(B|A).

    Raises
    ------
    BadInput
        If the prior does not add up to 1, a case has no likelihood, or P(A) = 0.

    Examples
    --------
    >>> bayes_rule({"sun": "2/3", "rain": "1/3"}, {"sun": "1/10", "rain": "9/10"})
    {'sun': Fraction(2, 11), 'rain': Fraction(9, 11)}
    """
    priors, likelihoods = _prior(prior), _likelihood(prior, likelihood)
    total = total_probability(priors, likelihoods)
    if total == 0:
        raise BadInput(
            "likelihood: the observation has probability 0 in every possible case, so there is no "
            "posterior; check the prior and the observation"
        )
    return {case: likelihoods[case] * priors[case] / total for case in priors}


def _prior(prior: Mapping[Name, Any]) -> dict[Name, Fraction]:
    if not isinstance(prior, Mapping) or not prior:
        raise bad_value("prior", prior, "a probability for each case, as a dict")
    found = {case: _probability(value, f"prior of {case!r}") for case, value in prior.items()}
    if (total := sum(found.values())) != 1:
        raise BadInput(
            f"prior: the probabilities add up to {total}, expected 1; thirds and the like are exact as "
            'text: "1/3"'
        )
    return found


def _likelihood(prior: Mapping[Name, Any], likelihood: Mapping[Name, Any]) -> dict[Name, Fraction]:
    if not isinstance(likelihood, Mapping) or set(likelihood) != set(prior):
        raise bad_value("likelihood", likelihood, f"a probability for each of {list(prior)}, as a dict")
    return {case: _probability(likelihood[case], f"likelihood of {case!r}") for case in prior}


def _probability(value: Any, parameter: str) -> Fraction:
    found = as_fraction(value, parameter)
    if not 0 <= found <= 1:
        raise bad_value(parameter, value, "a probability, from 0 to 1")
    return found


@dataclass(frozen=True)
class Step:
    """Hold the computation for one box: prior, likelihood of the draws, their product, posterior."""

    box: Name
    prior: Fraction
    likelihood: Fraction
    product: Fraction
    posterior: Fraction


@dataclass(frozen=True)
class Working:
    """Hold the computation of a posterior; prints as a table.

    Parameters
    ----------
    drawn : tuple
        The balls drawn.
    steps : tuple of Step
        One line for each box.
    total : Fraction
        P(drawn).

    Examples
    --------
    >>> Boxes({1: {"red": 1, "green": 1}, 2: {"red": 1}}).working("red").steps[0].posterior
    Fraction(1, 3)
    """

    drawn: tuple[Name, ...]
    steps: tuple[Step, ...]
    total: Fraction

    def __str__(self) -> str:
        seen = ", ".join(map(str, self.drawn))
        lines = [("box", "P(box)", f"P({seen}|box)", "product", f"P(box|{seen})")]
        lines += [
            (str(step.box), str(step.prior), str(step.likelihood), str(step.product), str(step.posterior))
            for step in self.steps
        ]
        sums = " + ".join(f"{step.likelihood}·{step.prior}" for step in self.steps)
        table = "\n".join(aligned_lines(lines))
        return f"{table}\nP({seen}) = {sums} = {self.total}"


class Boxes:
    """Compute with boxes of balls: a box is chosen by the prior, then balls are drawn from it.

    Parameters
    ----------
    contents : dict
        For each box, the number of balls of each colour.
    prior : dict, default=None
        P(box) for each box, as a number that `as_fraction` accepts. By default all boxes are equally
        likely.

    Raises
    ------
    BadInput
        If the contents or the prior are invalid.

    Examples
    --------
    >>> boxes = Boxes({"red": {"apple": 2, "orange": 6}, "blue": {"apple": 3, "orange": 1}},
    ...               prior={"red": "2/5", "blue": "3/5"})
    >>> boxes.marginal("apple"), boxes.posterior("orange")
    (Fraction(11, 20), {'red': Fraction(2, 3), 'blue': Fraction(1, 3)})
    >>> print(boxes.working("orange"))
    box   P(box)  P(orange|box)  product  P(box|orange)
    red      2/5            3/4     3/10            2/3
    blue     3/5            1/4     3/20            1/3
    P(orange) = 3/4·2/5 + 1/4·3/5 = 9/20
    """

    def __init__(
        self, contents: Mapping[Name, Mapping[Name, int]], prior: Mapping[Name, Any] | None = None
    ) -> None:
        if not isinstance(contents, Mapping) or not contents:
            raise bad_value(
                "contents", contents, "for each box a dict of how many balls of each colour it has"
            )
        self.contents = {box: _balls(box, balls) for box, balls in contents.items()}
        if prior is None:
            prior = dict.fromkeys(self.contents, Fraction(1, len(self.contents)))
        self.prior = _prior(prior)
        if set(self.prior) != set(self.contents):
            raise bad_value("prior", prior, f"a probability for each of the boxes {list(self.contents)}")
        self.prior = {box: self.prior[box] for box in self.contents}

    @property
    def colours(self) -> list[Name]:
        """Colours of all balls, in the order of their first appearance."""
        return list(dict.fromkeys(colour for balls in self.contents.values() for colour in balls))

    def likelihood(self, box: Name, *drawn: Name, replacement: bool = True) -> Fraction:
        """Return P(drawn|box), where `drawn` are the colours of the balls in the order of the draws.

        Parameters
        ----------
        box : name
            The box.
        *drawn : name
            The colours drawn.
        replacement : bool, default=True
            Whether each ball is put back before the next draw.

        Returns
        -------
        Fraction
            The probability.

        Raises
        ------
        BadInput
            If there is no such box or colour.

        Examples
        --------
        >>> boxes = Boxes({1: {"red": 2, "green": 2}, 2: {"red": 1, "green": 3}})
        >>> boxes.likelihood(1, "red", "red"), boxes.likelihood(1, "red", "red", replacement=False)
        (Fraction(1, 4), Fraction(1, 6))
        """
        if box not in self.contents:
            raise bad_choice("box", box, map(str, self.contents))
        self._check(drawn, replacement)
        left = Counter(self.contents[box])
        found = Fraction(1)
        for colour in drawn:
            found *= Fraction(left[colour], left.total()) if left[colour] else 0
            if not replacement:
                left[colour] -= 1 if left[colour] else 0
        return found

    def marginal(self, *drawn: Name, replacement: bool = True) -> Fraction:
        """Return P(drawn) = Σ P(drawn|box)·P(box): total probability.

        Parameters
        ----------
        *drawn : name
            The colours drawn.
        replacement : bool, default=True
            Whether each ball is put back before the next draw.

        Returns
        -------
        Fraction
            The probability.

        Raises
        ------
        BadInput
            If there is no such colour.

        Examples
        --------
        >>> Boxes({1: {"red": 1, "green": 1}, 2: {"red": 1}}).marginal("red")
        Fraction(3, 4)
        """
        return total_probability(self.prior, self._likelihoods(drawn, replacement))

    def posterior(self, *drawn: Name, replacement: bool = True) -> dict[Name, Fraction]:
        """Return P(box|drawn) for each box: Bayes' rule.

        Parameters
        ----------
        *drawn : name
            The colours drawn.
        replacement : bool, default=True
            Whether each ball is put back before the next draw.

        Returns
        -------
        dict of box to Fraction
            The probabilities.

        Raises
        ------
        BadInput
            If there is no such colour, or the draw is impossible.

        Examples
        --------
        >>> Boxes({1: {"red": 1, "green": 1}, 2: {"red": 1}}).posterior("red", "red")
        {1: Fraction(1, 5), 2: Fraction(4, 5)}
        """
        return {step.box: step.posterior for step in self.working(*drawn, replacement=replacement).steps}

    def working(self, *drawn: Name, replacement: bool = True) -> Working:
        """Return the posterior with every step of its computation; prints as a table.

        Parameters
        ----------
        *drawn : name
            The colours drawn.
        replacement : bool, default=True
            Whether each ball is put back before the next draw.

        Returns
        -------
        Working
            The computation.

        Raises
        ------
        BadInput
            If there is no such colour, or the draw is impossible.

        Examples
        --------
        >>> Boxes({1: {"red": 1, "green": 1}, 2: {"red": 1}}).working("red").total
        Fraction(3, 4)
        """
        likelihoods = self._likelihoods(drawn, replacement)
        total = total_probability(self.prior, likelihoods)
        if total == 0:
            seen = ", ".join(map(str, drawn))
            raise BadInput(f"drawn: {seen} cannot come out of these boxes, so there is no posterior")
        posterior = bayes_rule(self.prior, likelihoods)
        steps = (
            Step(box, self.prior[box], likelihoods[box], self.prior[box] * likelihoods[box], posterior[box])
            for box in self.contents
        )
        return Working(drawn, tuple(steps), total)

    def joint(self) -> dict[tuple[Name, Name], Fraction]:
        """Return P(box, colour) = P(colour|box)·P(box) of one draw, for each box and colour.

        Returns
        -------
        dict of (box, colour) to Fraction
            The probabilities.

        Examples
        --------
        >>> Boxes({1: {"red": 1, "green": 1}, 2: {"red": 1}}).joint()[2, "red"]
        Fraction(1, 2)
        """
        return {
            (box, colour): self.likelihood(box, colour) * self.prior[box]
            for box in self.contents
            for colour in self.colours
        }

    def __str__(self) -> str:
        """Return a table of P(box, colour) with row and column sums."""
        joint, colours = self.joint(), self.colours
        lines = [("box", *map(str, colours), "P(box)")]
        for box in self.contents:
            cells = (str(joint[box, colour]) for colour in colours)
            lines.append((str(box), *cells, str(self.prior[box])))
        lines.append(("P(ball)", *(str(self.marginal(colour)) for colour in colours), "1"))
        return "\n".join(aligned_lines(lines))

    def __repr__(self) -> str:
        return f"Boxes({self.contents!r}, prior={self.prior!r})"

    def _likelihoods(self, drawn: tuple[Name, ...], replacement: bool) -> dict[Name, Fraction]:
        return {box: self.likelihood(box, *drawn, replacement=replacement) for box in self.contents}

    def _check(self, drawn: tuple[Name, ...], replacement: bool) -> None:
        if not drawn:
            raise BadInput("drawn: nothing was drawn; give at least one colour")
        for colour in drawn:
            if colour not in self.colours:
                raise bad_choice("drawn", colour, map(str, self.colours))
        if not isinstance(replacement, bool):
            raise bad_value("replacement", replacement, "True (each ball is put back) or False")


def _balls(box: Name, balls: Mapping[Name, Any]) -> dict[Name, int]:
    expected = "how many balls it has of each colour, at least one in all"
    if not isinstance(balls, Mapping):
        raise bad_value(f"box {box!r}", balls, expected)
    for count in balls.values():
        if isinstance(count, bool) or not isinstance(count, Integral) or int(count) < 0:
            raise bad_value(f"box {box!r}", dict(balls), expected)
    if not any(balls.values()):
        raise bad_value(f"box {box!r}", dict(balls), expected)
    return {colour: int(count) for colour, count in balls.items()}
