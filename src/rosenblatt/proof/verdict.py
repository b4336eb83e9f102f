"""`Verdict`: the facts proved about a data set, with a short report in plain sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import counted, plural
from rosenblatt.proof.proof import Proof

MOST_LISTED = 8


def row_list(rows: Any, most: int = MOST_LISTED) -> str:
    """Return the numbers of the first few rows as text.

    Examples
    --------
    >>> row_list([3, 5, 8], most=2)
    '3, 5, …'
    """
    shown = ", ".join(str(int(row)) for row in rows[:most])
    return shown + (", …" if len(rows) > most else "")


class RowNames(NamedTuple):
    """State how a report names rows: by their position in X or by the lines of a file.

    Parameters
    ----------
    first : int, default=0
        The number of the first row.
    said : str
        The sentence that explains the numbers.

    Examples
    --------
    >>> RowNames().row_list([0, 3]), RowNames(2, "Row numbers are lines of pets.csv.").row_list(range(9))
    ('0, 3', '2, 3, 4, 5, 6, 7, 8, 9, …')
    """

    first: int = 0
    said: str = "Rows are counted from 0."

    def row_list(self, rows: Any, most: int = MOST_LISTED) -> str:
        """Return the names of the first few rows as text."""
        return row_list([int(row) + self.first for row in rows[: most + 1]], most)

    def equal(self, pair: tuple[int, int]) -> str:
        """Return a sentence stating that two equal rows have different labels.

        Examples
        --------
        >>> RowNames().equal((2, 819))
        'Rows 2 and 819 are equal and have different labels, so no classifier can separate them.'
        """
        one, other = (row + self.first for row in pair)
        return (
            f"Rows {one} and {other} are equal and have different labels, so no classifier can separate "
            "them."
        )


@dataclass(frozen=True)
class Verdict:
    """State whether a hyperplane separates two classes and by what margin, with the proof.

    Without an offset, all facts are about hyperplanes through the origin.

    Parameters
    ----------
    separable : bool or None
        Whether a hyperplane separates the classes; None if undecided within the time limit.
    kind : str
        "separable", "quasi-separable" (some hyperplane has every point on it or on the correct side, and at
        least one point off it), "overlapping" (no such hyperplane exists), "not separable" (either of the
        previous two) or "undecided".
    margin : tuple of float
        The proved lower and upper end of the largest geometric margin in the space of x: (0, 0) if proved
        not separable, (inf, inf) if there is a single class.
    radius : float
        The largest ‖x‖, rounded up.
    hyperplane : tuple of (ndarray, float) or None
        (w, b) if separable.
    mistake_bound : int or None
        The largest number of mistakes that the perceptron, started at w = 0, makes in any order of the
        rows; None if no bound is proved.
    support : ndarray of int64
        The rows that decide the verdict: the rows nearest to the hyperplane, or the rows whose weighted sum
        is zero.
    direction : tuple of (ndarray, float) or None
        (w, b) of a quasi-separation.
    separated : ndarray of int64
        The rows off the hyperplane of a quasi-separation.
    most_separated : int
        A proved upper bound on the number of rows off a hyperplane with no row on the wrong side. For a
        quasi-separation it is `len(separated)`, unless the search ended early.
    consistent : dict of str to (bool or None)
        For each value of `tie` (the prediction for a score of 0), whether some hyperplane makes no mistake.
        If False, no run of a perceptron ever ends. If True although the classes are not separable (possible
        only without an offset), a run may or may not end. None if undecided.
    proof : Proof
        The proof.
    seconds : float
        The duration of the search in seconds.
    ended : str
        Why the search ended: "proved", "time", "interrupted", or "size" if the data are too large to decide
        whether the classes overlap.
    contradiction : tuple of int or None, default=None
        Two equal rows with different labels, if they prove that the classes are not separable.

    Examples
    --------
    >>> from rosenblatt import separate
    >>> separate([[0.0], [3.0]], ["a", "b"]).kind
    'separable'
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
    most_separated: int
    consistent: dict[str, bool | None]
    proof: Proof
    seconds: float
    ended: str
    contradiction: tuple[int, int] | None = None

    @property
    def quasi_separable(self) -> bool | None:
        """Whether the classes are quasi-separable and not separable; None if undecided."""
        decided = {"separable": False, "quasi-separable": True, "overlapping": False}
        return decided.get(self.kind)

    def __str__(self) -> str:
        return self.in_words()

    def in_words(self, rows: RowNames = RowNames()) -> str:  # noqa: B008
        """Return the report as text.

        Parameters
        ----------
        rows : RowNames
            How rows are named; by default by their numbers from 0.

        Returns
        -------
        str
            The sentences, one per line.
        """
        return "\n".join(_sentences(self, rows))

    def __repr__(self) -> str:
        low, high = self.margin
        return f"<Verdict: {self.kind}, margin {low:.6g} to {high:.6g}>"


def _sentences(verdict: Verdict, rows: RowNames) -> list[str]:
    proof = verdict.proof
    place = through_origin(proof.offset)
    size = f"{counted(proof.n_rows, 'row')} of {counted(proof.n_features, 'feature')}"
    lines = [_headline(verdict, place, size)]
    low, high = verdict.margin
    if (verdict.kind == "separable" and len(proof.classes) == 2) or (
        verdict.kind == "separable" and low != float("inf")
    ):
        lines.append(_margin_sentence(low, high, place))
    elif verdict.kind == "separable":
        lines.append("There is one class only, so the margin has no limit.")
    elif verdict.kind == "undecided" and high != float("inf"):
        lines.append(
            f"If a hyperplane{place} separates them, its margin is at most {at_most(high)} (proved)."
        )
    if len(verdict.support):
        lines.append(f"{_support_sentence(verdict, rows)} {rows.said}")
    if verdict.kind == "quasi-separable":
        lines.append(_maximality_sentence(len(verdict.separated), verdict.most_separated, place))
    lines.append(f"The farthest point is {verdict.radius:.6g} from the origin.")
    if verdict.separable and verdict.mistake_bound is not None:
        lines.append(
            f"{_perceptron(verdict)} that starts at zero makes at most {big(verdict.mistake_bound)} "
            f"{plural(verdict.mistake_bound, 'mistake')}, in any order of the points."
        )
    elif verdict.separable is False:
        lines.append(_endless_sentence(verdict))
    lines += _regression_sentence(verdict)
    if verdict.ended != "proved":
        lines.append(ended_sentence(verdict.ended))
    return lines


def ended_sentence(ended: str) -> str:
    """Return a sentence that states why a search ended early.

    >>> ended_sentence("interrupted")
    'The search ended early, because it was interrupted; everything stated here is proved.'
    """
    why = {
        "time": "the time limit was reached or too short for the next step",
        "interrupted": "it was interrupted",
        "size": "the data are too large to decide exactly whether the classes overlap",
    }[ended]
    return f"The search ended early, because {why}; everything stated here is proved."


def _headline(verdict: Verdict, place: str, size: str) -> str:
    classes = " and ".join(map(class_text, verdict.proof.classes))
    them, be_separated = f"The classes {classes}", f"be separated by a hyperplane{place} ({size})"
    if len(verdict.proof.classes) == 1:
        them, be_separated = (
            f"The rows of class {classes}",
            f"be on one side of a hyperplane{place} ({size})",
        )
    # without an offset, nothing may separate although the hulls of the classes do not intersect
    overlap = (
        ": they overlap"
        if verdict.proof.offset
        else f"; every hyperplane{place} has a row on its wrong side, or all rows on it (overlapping)"
    )
    return {
        "separable": f"{them} can {be_separated}.",
        "quasi-separable": f"{them} cannot {be_separated}, but some hyperplane{place} "
        f"has no point on its wrong side and {counted(len(verdict.separated), 'point')} off it "
        "(quasi-separable).",
        "overlapping": f"{them} cannot {be_separated}{overlap}.",
        "not separable": f"{them} cannot {be_separated}.",
        "undecided": f"It is not decided whether a hyperplane{place} separates the classes ({size}).",
    }[verdict.kind]


def _margin_sentence(low: float, high: float, place: str) -> str:
    if high == float("inf"):
        return f"The largest margin{place} is at least {at_least(low)} (proved); no upper limit was found."
    return f"The largest margin{place} is {interval(low, high)}."


def _maximality_sentence(separated: int, most: int, place: str) -> str:
    if most == separated:
        return f"No such hyperplane{place} has more points off it (proved)."
    return f"Another such hyperplane{place} may have more points off it, but at most {most:,} (proved)."


def _support_sentence(verdict: Verdict, rows: RowNames) -> str:
    which = rows.row_list(verdict.support)
    if verdict.contradiction is not None:
        return rows.equal(verdict.contradiction)
    if verdict.separable is False and len(verdict.support) == 1:
        return f"Row {which} is the origin, which is on every hyperplane through the origin."
    if verdict.separable is False:
        return full_stop(f"{rows_cancel(len(verdict.support), verdict.proof.offset)}: {which}")
    number = counted(len(verdict.support), "row")
    s = "s" if len(verdict.support) == 1 else ""
    what = f"prove{s} this limit" if verdict.separable is None else f"determine{s} the margin"
    return full_stop(f"{number} {what}: {which}")


def full_stop(sentence: str) -> str:
    """Append a full stop to a sentence, unless it ends with the ellipsis of a shortened list.

    >>> full_stop("Rows: 0, 1"), full_stop("Rows: 0, …")
    ('Rows: 0, 1.', 'Rows: 0, …')
    """
    return sentence if sentence.endswith("…") else f"{sentence}."


def _endless_sentence(verdict: Verdict) -> str:
    """Return the sentence that states whether perceptron runs on these data can end.

    A run ends once w predicts every row correctly, where `tie` determines the prediction for a score of 0.
    """
    for tie, is_consistent in verdict.consistent.items():
        if is_consistent is False:
            continue
        label = class_text(verdict.proof.classes[0 if tie == "negative" else -1])
        may = (
            "some w makes no mistake" if is_consistent else "whether some w makes no mistake is not decided"
        )
        return (
            f"{_perceptron(verdict)} never stops making mistakes on these rows, unless a score of 0 "
            f"counts as a prediction of {label} (tie={tie!r}): then {may}, and a run may end."
        )
    return (
        f"{_perceptron(verdict)} never stops making mistakes on these rows, however a score of 0 is "
        "counted."
    )


def _perceptron(verdict: Verdict) -> str:
    return "The perceptron" if verdict.proof.offset else "The perceptron without offset"


def _regression_sentence(verdict: Verdict) -> list[str]:
    regression = f"A {regression_name(verdict.proof.offset)} on these data"
    if verdict.kind == "overlapping":
        return [f"{regression} has a finite estimate."]
    if verdict.kind in ("separable", "quasi-separable"):
        return [f"{regression} has no finite estimate: its weights grow without limit."]
    return []


def regression_name(offset: bool) -> str:
    """Return the name of a logistic regression with or without an intercept."""
    return "logistic regression" if offset else "logistic regression without intercept"


def through_origin(offset: bool) -> str:
    """Return " through the origin" if hyperplanes have no offset, otherwise an empty string."""
    return "" if offset else " through the origin"


def rows_cancel(n_rows: int, offset: bool) -> str:
    """Return text stating that no hyperplane separates these rows, because their weighted sum is zero.

    >>> rows_cancel(4, offset=True)
    '4 rows prove that the convex hulls of the classes intersect, so no hyperplane separates them'
    """
    example = "1 row is the origin"
    if offset:
        example = f"{n_rows:,} rows prove that the convex hulls of the classes intersect"
    elif n_rows > 1:
        example = f"{n_rows:,} rows have a positive combination of y·x that is zero"
    return f"{example}, so no hyperplane{through_origin(offset)} separates them"


def interval(low: float, high: float) -> str:
    """Return two proved bounds as text; as a single number if they agree to six digits.

    >>> interval(0.5, 0.5), interval(0.5, 0.51), interval(0.5, 0.5000000001)
    ('0.5 (proved)', 'between 0.5 and 0.51 (proved)', '0.5 (proved, relative width 2e-10)')
    """
    if low == high:
        return f"{low!r} (proved)"
    if f"{low:.6g}" == f"{high:.6g}":
        return f"{low:.6g} (proved, relative width {(high - low) / high:.0e})"
    return f"between {at_least(low)} and {at_most(high)} (proved)"


def at_least(proved: float) -> str:
    """Return a proved lower bound as text, rounded down to six digits.

    >>> at_least(2 / 3), at_most(2 / 3)
    ('0.666666', '0.666667')
    """
    return _in_six_digits(proved, ROUND_FLOOR)


def at_most(proved: float) -> str:
    """Return a proved upper bound as text, rounded up to six digits."""
    return _in_six_digits(proved, ROUND_CEILING)


def _in_six_digits(number: float, rounding: str) -> str:
    return f"{float(Context(prec=6, rounding=rounding).create_decimal(repr(number))):.6g}"


def class_text(label: Any) -> str:
    """Return a class label as text: strings in quotes, whole numbers without a decimal point.

    >>> class_text("spam"), class_text(0.0), class_text(0.5)
    ("'spam'", '0', '0.5')
    """
    is_whole = isinstance(label, float) and label.is_integer() and abs(label) < 1e15
    return repr(int(label) if is_whole else label)


def big(number: int) -> str:
    """Return an integer as text, in scientific notation if it has more than 15 digits.

    Examples
    --------
    >>> big(1234567), big(10**5000)
    ('1,234,567', '1.00e+5000')
    """
    return f"{number:,}" if number < 10**15 else f"{Decimal(number):.2e}"


def describe_run(made: str, passes: int, converged: bool) -> str:
    """Return text that states the counts of a run and whether its last pass made no mistake.

    `passes` is the number of complete passes, including a last one without mistakes.

    >>> describe_run("2 mistakes", 2, converged=True)
    '2 mistakes in 2 passes; the last pass made no mistake'
    >>> describe_run("1 mistake", 1, converged=False)
    '1 mistake and completed 1 pass; it was stopped before one without a mistake'
    """
    if converged:
        return f"{made} in {counted(passes, 'pass')}; the last pass made no mistake"
    return f"{made} and completed {counted(passes, 'pass')}; it was stopped before one without a mistake"


def bound_report(found: Any, lifted: str, where: str, why_none: str) -> str:
    """Return the report about a `Bound` or a `KernelBound`.

    `lifted` describes the points if they are not the rows themselves, `where` names the space of the points
    if it is not the space of the rows, and `why_none` explains a missing bound.
    """
    counts = counted(found.mistakes, "mistake")
    what = "Mistake bound"
    if found.claims.threshold > 0.0:
        what = "Bound on updates, and so on mistakes"
        counts = f"{counted(found.updates, 'update')} and {counts}"
    run = f"A real run in the given order made {describe_run(counts, found.passes, found.separated)}."
    if found.bound is None:
        return f"No mistake bound {why_none}.\n{run}"
    least, most = found.bound
    limits = f"between {least:,.6g} and {most:,.6g}" if math.isfinite(most) else f"above {least:.3g}"
    if f"{least:.6g}" == f"{most:.6g}":
        limits = f"{most:,.6g}"
    high = found.margin[1]
    reached = "It is not proved that its w separates the points."
    if found.reached > 0.0:
        share = 100 * found.reached / high
        reached = f"Its w reached a margin of {found.reached:.6g}: {share:.3g} % of the best possible."
    return (
        f"Radius{lifted}{where}: {found.radius:.6g}. "
        f"Largest margin{through_origin(found.offset)}{lifted}: {interval(*found.margin)}.\n"
        f"{what}: {limits}, in any order of the points.\n"
        f"{run}\n"
        f"{reached}"
    )
