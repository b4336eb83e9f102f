"""`Verdict`: what was proved about a data set, as a short report in plain sentences."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import counted
from rosenblatt.proof.proof import Proof

MOST_LISTED = 8


def listed(rows: Any, most: int = MOST_LISTED) -> str:
    """The first few numbers of some rows.

    >>> listed([3, 5, 8], most=2)
    '3, 5, …'
    """
    shown = ", ".join(str(int(row)) for row in rows[:most])
    return shown + (", …" if len(rows) > most else "")


class RowNames(NamedTuple):
    """How rows are called in sentences, by their place in X or by the lines of a file: the number of the
    first one, and the sentence that says how they are counted.

    >>> RowNames().listed([0, 3]), RowNames(2, "These are lines of pets.csv.").listed(range(9))
    ('0, 3', '2, 3, 4, 5, 6, 7, 8, 9, …')
    """

    first: int = 0
    said: str = "Rows are counted from 0."

    def listed(self, rows: Any) -> str:
        """The first few of some rows."""
        return listed([int(row) + self.first for row in rows[: MOST_LISTED + 1]], MOST_LISTED)

    def equal(self, pair: tuple[int, int]) -> str:
        """That two rows say the same of different classes.

        >>> RowNames().equal((2, 819))
        'Rows 2 and 819 are equal and have different labels, so nothing can tell them apart.'
        """
        one, other = (row + self.first for row in pair)
        return (
            f"Rows {one} and {other} are equal and have different labels, so nothing can tell them apart."
        )


@dataclass(frozen=True)
class Verdict:
    """Whether two classes can be separated by a hyperplane, by what margin, and the proof.

    separable: True, False, or None where the time was not enough to decide.
    kind: "separable", "quasi-separable" (a hyperplane with all points on their side or on it, not all on
    it), "overlapping" (no such hyperplane), "not separable" (which of the two is open) or "undecided".
    margin: (lower, upper), both proved, of the largest geometric margin in the space of x: (0, 0) where
    proved not separable, (inf, inf) where a single class lets the hyperplane move away for ever.
    radius: the largest ‖x‖, rounded up. hyperplane: (w, b) where separable. mistake_bound: the perceptron
    from w = 0 makes at most so many mistakes in any order; None where no bound is proved.
    support: the rows that decide: those nearest to the hyperplane between the hulls, or those that cancel
    each other. direction: (w, b) of a quasi-separation, and separated: the rows off its hyperplane.
    consistent: for each `tie`, whether some hyperplane makes no mistake where a score of 0 counts so. Where
    it is False, no run of a perceptron ever ends; where True though the classes are not separable (without
    an offset only), a run may end or not. None where it is not decided.
    ended: "proved", "time", "interrupted", or "size" where the data are too large for the last question, of
    overlap. contradiction: two equal rows with different labels, where these are why nothing separates.
    """

    separable: bool | None
    kind: str
    margin: tuple[float, float]
    radius: float
    hyperplane: tuple[NDArray[np.float64], float] | None
    mistake_bound: int | None
    support: NDArray[np.int64]
    direction: tuple[NDArray[np.float64], float] | None
    separated: NDArray[np.int64]
    consistent: dict[str, bool | None]
    proof: Proof
    seconds: float
    ended: str
    contradiction: tuple[int, int] | None = None

    @property
    def quasi_separable(self) -> bool | None:
        """Whether some hyperplane has all points on their side or on it, not all on it, though none
        separates them; None where it is not decided."""
        decided = {"separable": False, "quasi-separable": True, "overlapping": False}
        return decided.get(self.kind)

    def __str__(self) -> str:
        return self.in_words()

    def in_words(self, rows: RowNames = RowNames()) -> str:  # noqa: B008
        """The report, in which rows are called so."""
        return "\n".join(_sentences(self, rows))

    def __repr__(self) -> str:
        low, high = self.margin
        return f"<Verdict: {self.kind}, margin {low:.6g} to {high:.6g}>"


def _sentences(verdict: Verdict, rows: RowNames) -> list[str]:
    proof = verdict.proof
    place = "" if proof.offset else " through the origin"
    size = f"{counted(proof.n_rows, 'row')} of {counted(proof.n_features, 'feature')}"
    lines = [_headline(verdict, place, size)]
    low, high = verdict.margin
    if (verdict.kind == "separable" and len(proof.classes) == 2) or (
        verdict.kind == "separable" and low != float("inf")
    ):
        lines.append(_margin_sentence(low, high))
    elif verdict.kind == "separable":
        lines.append("There is one class only, so the margin has no limit.")
    elif verdict.kind == "undecided" and high != float("inf"):
        lines.append(f"If they can be separated, the margin is at most {high:.6g} (proved).")
    if len(verdict.support):
        lines.append(f"{_support_sentence(verdict, rows)} {rows.said}")
    lines.append(f"The farthest point is {verdict.radius:.6g} from the origin.")
    if verdict.separable and verdict.mistake_bound is not None:
        lines.append(
            f"The perceptron that starts at zero makes at most {big(verdict.mistake_bound)} mistakes, "
            "in whatever order the points come."
        )
    elif verdict.separable is False:
        lines.append(_endless_sentence(verdict))
    lines += _regression_sentence(verdict)
    if verdict.ended != "proved":
        why = {
            "time": "the time given was over or not enough for the next step",
            "interrupted": "it was interrupted",
            "size": "the data are too large to ask exactly whether the classes overlap",
        }[verdict.ended]
        lines.append(f"The search ended early, because {why}; what is said here is proved.")
    return lines


def _headline(verdict: Verdict, place: str, size: str) -> str:
    classes = " and ".join(repr(label) for label in verdict.proof.classes)
    them = f"The classes {classes}" if len(verdict.proof.classes) == 2 else f"The class {classes}"
    return {
        "separable": f"{them} can be separated by a hyperplane{place} ({size}).",
        "quasi-separable": f"{them} cannot be separated by a hyperplane{place} ({size}), but one has no "
        f"point on the wrong side and {len(verdict.separated):,} of them off it (quasi-separable).",
        "overlapping": f"{them} cannot be separated by a hyperplane{place} ({size}): they overlap.",
        "not separable": f"{them} cannot be separated by a hyperplane{place} ({size}).",
        "undecided": f"It is not decided whether a hyperplane{place} separates them ({size}).",
    }[verdict.kind]


def _margin_sentence(low: float, high: float) -> str:
    if high == float("inf"):
        return f"The margin is at least {low:.6g} (proved); no upper limit was found."
    return f"The largest margin is {interval(low, high)}."


def _support_sentence(verdict: Verdict, rows: RowNames) -> str:
    which = rows.listed(verdict.support)
    number = counted(len(verdict.support), "row")
    if verdict.contradiction is not None:
        return rows.equal(verdict.contradiction)
    if verdict.separable is False and len(verdict.support) == 1:
        return f"Row {which} is the origin, which no hyperplane through it has on one side."
    if verdict.separable is False:
        return f"{number} cancel each other, which no hyperplane can allow: {which}."
    return f"{number} decide{'s' * (len(verdict.support) == 1)} the margin: {which}."


def _endless_sentence(verdict: Verdict) -> str:
    """Which runs never end: a run ends at a w that answers every row right, and `tie` says what 0 is."""
    for tie, is_consistent in verdict.consistent.items():
        if is_consistent is False:
            continue
        label = repr(verdict.proof.classes[0 if tie == "negative" else -1])
        may = (
            "some w makes no mistake" if is_consistent else "whether some w makes no mistake is not decided"
        )
        return (
            "The perceptron never stops making mistakes on them, unless a score of 0 counts as the answer "
            f"{label} (tie={tie!r}): then {may}, and a run may end."
        )
    return "The perceptron never stops making mistakes on them, whatever a score of 0 answers."


def _regression_sentence(verdict: Verdict) -> list[str]:
    if verdict.kind == "overlapping":
        return ["A logistic regression on these data has a finite estimate."]
    if verdict.kind in ("separable", "quasi-separable"):
        return ["A logistic regression on these data has no finite estimate: its weights grow for ever."]
    return []


def interval(low: float, high: float) -> str:
    """Two proved ends in words, without saying the same number twice.

    >>> interval(0.5, 0.5), interval(0.5, 0.51), interval(0.5, 0.5000000001)
    ('0.5 (proved)', 'between 0.5 and 0.51 (proved)', '0.5 (proved to 2e-10 of it)')
    """
    if low == high:
        return f"{low!r} (proved)"
    if f"{low:.6g}" == f"{high:.6g}":
        return f"{low:.6g} (proved to {(high - low) / high:.0e} of it)"
    return f"between {low:.6g} and {high:.6g} (proved)"


def big(number: int) -> str:
    """A whole number with its digits, or about it where nobody would read them.

    >>> big(1234567), big(10**5000)
    ('1,234,567', '1.00e+5000')
    """
    return f"{number:,}" if number < 10**15 else f"{Decimal(number):.2e}"


def what_is_bounded(is_on_updates: bool, mistakes: int, updates: int) -> tuple[str, str]:
    """The name of a bound, and what a run made of it.

    >>> what_is_bounded(True, 2, 3)
    ('Bound on updates, and so on mistakes', '3 updates and 2 mistakes')
    """
    made = counted(mistakes, "mistake")
    if not is_on_updates:
        return "Mistake bound", made
    return "Bound on updates, and so on mistakes", f"{counted(updates, 'update')} and {made}"
