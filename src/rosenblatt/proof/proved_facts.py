"""`Facts`: the facts that a proof establishes, as values and as text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import counted
from rosenblatt.proof.verdict import RowNames, at_least, at_most, class_text, through_origin


def removal_sentence(least: int, most: int, place: str = "") -> str:
    """Return text stating how many rows must be removed before a hyperplane separates the others.

    >>> removal_sentence(2, 3)
    'A hyperplane separates the data without 3 of the rows; at least 2 must be removed'
    >>> removal_sentence(1, 1)
    'A hyperplane separates the data without 1 of the rows; no smaller number suffices'
    >>> removal_sentence(0, 4)
    'A hyperplane separates the data without 4 of the rows; whether any must be removed is not decided'
    """
    bound = "no smaller number suffices" if least == most else f"at least {least:,} must be removed"
    if not least:
        bound = "whether any must be removed is not decided"
    return f"A hyperplane{place} separates the data without {most:,} of the rows; {bound}"


def fraction_interval(low: Fraction, high: Fraction) -> str:
    """Return two proved bounds as text; as one number if they are equal.

    >>> fraction_interval(Fraction(7, 3), Fraction(7, 3)), fraction_interval(Fraction(1), Fraction(7, 3))
    ('7/3 = 2.33333… (proved)', 'between 1 and 2.33334 (proved)')
    >>> fraction_interval(Fraction(24, 5), Fraction(24, 5)), fraction_interval(Fraction(4), Fraction(4))
    ('24/5 = 4.8 (proved)', '4 (proved)')
    """
    if low < high:
        return f"between {at_least(_below(low))} and {at_most(-_below(-high))} (proved)"
    below = at_least(_below(low))
    decimal = below if Fraction(below) == low else f"{below}…"
    if low.denominator == 1 or low.denominator > 10**6:
        return f"{low if low.denominator == 1 else decimal} (proved)"
    return f"{low} = {decimal} (proved)"


def _below(number: Fraction) -> float:
    """Return a double that is at most the number and next to it."""
    nearest = float(number)
    return nearest if Fraction(nearest) <= number else math.nextafter(nearest, -math.inf)


@dataclass(frozen=True)
class Facts:
    """State the facts that a proof established.

    Without an offset, all facts are about hyperplanes through the origin.

    Parameters
    ----------
    n_rows, n_features : int
        The shape of the data.
    offset : bool
        Whether the hyperplanes have an offset; without one, they contain the origin.
    separable : bool or None
        Whether a hyperplane separates the classes; None if no part decides it.
    kind : str
        "separable", "quasi-separable", "overlapping", "not separable" (either of the previous two) or
        "undecided".
    margin : tuple of float
        A proved interval for the largest geometric margin.
    separated : ndarray of int64
        The rows off the hyperplane of a quasi-separation.
    classes : tuple, default=()
        The two classes, or the only class.
    question : tuple, default=()
        For data with more than two classes, the classes compared, as in `Proof`.
    contradiction : tuple of int or None, default=None
        Two equal rows with different labels, if they are the proof.
    coefficients : tuple of str or None
        The limit of each coefficient of a logistic regression, the intercept last: "finite", "+inf",
        "-inf", "±inf" (the data do not determine which), "not finite" (the sign is not proved), "not
        identified", or None if nothing is proved. For a multinomial regression, the coefficients of each
        class after the first, in order.
    maximal : bool, default=False
        Whether no hyperplane without a row on its wrong side separates more rows than `separated`.
    multinomial : bool, default=False
        Whether the proof is about a multinomial regression.
    errors : tuple of int, default=(0, None)
        A proved interval for the smallest number of rows whose removal makes the data separable; None if
        there is no upper bound.
    hinge_loss : tuple of Fraction or None, default=None
        A proved interval for the smallest total hinge loss.

    Examples
    --------
    >>> from rosenblatt import separate, verify
    >>> X, y = [[0.0], [3.0]], ["a", "b"]
    >>> verify(separate(X, y), X, y).margin
    (1.5, 1.5)
    """

    n_rows: int
    n_features: int
    offset: bool
    separable: bool | None
    kind: str
    margin: tuple[float, float]
    separated: NDArray[np.int64]
    classes: tuple[Any, ...] = ()
    question: tuple[Any, ...] = ()
    contradiction: tuple[int, int] | None = None
    coefficients: tuple[str | None, ...] = ()
    maximal: bool = False
    multinomial: bool = False
    errors: tuple[int, int | None] = (0, None)
    hinge_loss: tuple[Fraction, Fraction] | None = None

    def __str__(self) -> str:
        return " ".join([f"Valid: {self._fact()}", *self._estimates(), *self._losses()])

    def _fact(self) -> str:
        place, size = self._place, self._size
        if self.multinomial:
            return f"{self._multinomial_estimate()} on {size}."
        if self.separable:
            low, high = self.margin
            upper = f" and at most {high!r}" if math.isfinite(high) else ""
            return (
                f"a hyperplane{place} separates {size}; the best margin{place} is at least {low!r}{upper}."
            )
        sentence = {
            "quasi-separable": f"no hyperplane{place} separates {size}, but some hyperplane{place} has no "
            f"point on its wrong side and {counted(len(self.separated), 'point')} off it "
            "(quasi-separable).",
            "overlapping": f"no hyperplane{place} separates {size}, and every hyperplane{place} that does "
            "not contain all points has a point on its wrong side (overlapping).",
            "not separable": f"no hyperplane{place} separates {size}.",
            "undecided": "nothing is claimed, so nothing is decided."
            if math.isinf(self.margin[1])
            else f"the best margin{place} of {size} is at most {self.margin[1]!r}; whether a "
            f"hyperplane{place} separates them is not decided.",
        }
        return sentence[self.kind]

    def _estimates(self) -> list[str]:
        """Return a sentence that counts the coefficients with each limit, if limits are proved."""
        limits = sorted({str(limit) for limit in self.coefficients if limit is not None})
        if not (
            self.maximal or self.multinomial or "+inf" in limits or "-inf" in limits or "±inf" in limits
        ):
            return []
        counts = ", ".join(f"{self.coefficients.count(limit)} {limit}" for limit in limits)
        return [f"Estimates of the coefficients: {counts}."] if counts else []

    def _losses(self) -> list[str]:
        """Return a sentence for each bound on the number of errors and on the hinge loss."""
        least, most = self.errors
        sentences = []
        if most:
            sentences.append(f"{removal_sentence(least, most, self._place)}.")
        elif least > 1:
            sentences.append(
                f"At least {least:,} rows must be removed before a hyperplane separates the rest."
            )
        if self.hinge_loss is not None:
            sentences.append(f"The smallest total hinge loss is {fraction_interval(*self.hinge_loss)}.")
        return sentences

    def _multinomial_estimate(self) -> str:
        has = {"overlapping": "has a finite estimate", "undecided": "is not decided"}
        return f"a multinomial logistic regression {has.get(self.kind, 'has no finite estimate')}"

    def in_words(self, data: str = "the data", rows: RowNames = RowNames()) -> str:  # noqa: B008
        """Return sentences that state the claim, what it means and about which data it is.

        Parameters
        ----------
        data : str, default="the data"
            A name for the data.
        rows : RowNames
            How rows are named; by default by their numbers from 0.

        Returns
        -------
        str
            The sentences, one per line.
        """
        claimed, means = self._claim(), self._meaning(rows)
        return "\n".join(
            [
                f"The proof is valid: every number in it was checked against {data} in exact arithmetic.",
                f"Claim: {claimed}",
                f"Meaning: {means}",
                f"Data: exactly the {self._size} in {data}, {self._labels()}; their fingerprint matches "
                "the fingerprint in the proof.",
                str(self),
            ]
        )

    @property
    def _place(self) -> str:
        return through_origin(self.offset)

    @property
    def _size(self) -> str:
        return f"{counted(self.n_rows, 'row')} of {counted(self.n_features, 'feature')}"

    def _labels(self) -> str:
        labels = " and ".join(map(class_text, self.question or self.classes))
        if len(self.question) == 1:
            return f"the class {labels} against all others"
        return f"all labelled {labels}" if len(self.classes) == 1 else f"labelled {labels}"

    def _claim(self) -> str:
        if self.multinomial:
            return f"{self._multinomial_estimate()}."
        boundary = f"a straight boundary (a hyperplane{self._place})"
        sides = "all rows on one side" if len(self.classes) == 1 else "the two classes on opposite sides"
        if self.separable:
            room = (
                f", with every row at a distance of at least {at_least(self.margin[0])}"
                if math.isfinite(self.margin[0])
                else ""
            )
            return f"{boundary} has {sides}{room}."
        if self.kind == "undecided":
            return "none about whether the two classes can be separated."
        none = f"no straight boundary (hyperplane{self._place}) has {sides}"
        if self.kind != "quasi-separable":
            return f"{none}."
        n = len(self.separated)
        off = f"{n:,} {'is' if n == 1 else 'are'} off it, the others on it"
        if self.maximal:
            off += f"; no such hyperplane{self._place} has more rows off it"
        return f"{none}, but some hyperplane{self._place} has no row on its wrong side: {off}."

    def _meaning(self, rows: RowNames) -> str:
        if self.multinomial:
            return "the estimates of some coefficients may be finite although others are infinite."
        if self.separable:
            return (
                "a linear rule can classify every one of these rows correctly. Its accuracy on other "
                "rows is not proved."
            )
        if self.kind == "undecided":
            return "the search ended before the question was decided; allow more time."
        if self.contradiction is not None:
            return (
                f"{rows.equal(self.contradiction)} {rows.said} No rule that uses only these features can "
                "classify both rows correctly: look for a wrong label or a missing feature."
            )
        if not self.offset:
            return (
                "every linear rule without an offset (the sign of w·x) has at least one of these rows on "
                "the wrong side of its boundary or exactly on it, however it is trained; a rule with an "
                "offset, a curved boundary or more features may do better."
            )
        errors = "one" if self.errors[0] < 2 else f"{self.errors[0]:,}"
        return (
            f"every linear rule misclassifies at least {errors} of these rows, however it is trained; a "
            "curved boundary or more features may do better."
        )
