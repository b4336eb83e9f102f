"""A table of one's own: read as the command line reads it, seen by two columns or by a projection."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.described_fields import described
from rosenblatt.data.sources.encoding import Encoding
from rosenblatt.data.sources.field_roles import LABEL, NUMBER
from rosenblatt.data.sources.reading import read, read_table
from rosenblatt.errors import BadInput
from rosenblatt.models.perceptron import Perceptron
from rosenblatt.proof.separation import separate
from rosenblatt.proof.verdict import Verdict
from rosenblatt.sight.traces.plane import plane_of

MOST_DRAWN = 1500
"""Points of a picture; more rows are sampled."""

FEWEST_OF_A_CLASS = 10  # are drawn of each class, where it has them
MOST_COLUMNS = 300  # that a projection looks through
PATIENCE = 2.0  # seconds for each proof
PASSES = 50

CONTROLS = {"charset": "Encoding", "target": "Label", "delimiter": "Separator", "header": "First line"}
"""What the page calls the parameters of `read`."""

Floats = NDArray[np.float64]


class Fields(NamedTuple):
    """The columns of a table: what each is taken for, the one that is the label, those that are numbers,
    and the two of these that are drawn at first, which vary."""

    shown: list[dict[str, Any]]
    label: str
    numbers: list[str]
    at_first: list[str]
    n_rows: int
    doubts: tuple[str, ...]

    def without(self, used: list[str]) -> list[str]:
        """The columns that are neither used nor the label."""
        return [each["name"] for each in self.shown if each["name"] not in (*used, self.label)]


def fields_of(path: str, reading: dict[str, Any]) -> Fields:
    """What the columns of a file are, and how many values each lacks."""
    source: Any = read(path, **reading, missing="drop", guesses_codes=True, encoding=Encoding("standard"))
    columns, n_whole = source.columns, sum(map(len, source.chunks()))  # a bad line is found, and said, now
    shown = [
        {
            "name": each.column, "taken_for": each.taken_for.removesuffix(", standardised"),
            "why": each.why, "gaps": each.gaps,
        }
        for each in described(columns)
    ]  # fmt: skip
    known = columns.statistics
    n_rows = known.n_rows if known else n_whole
    numbers = columns.names(NUMBER)
    scales = known.scales if known else {}
    # where nothing deviates, nothing is divided by
    at_first = sorted(numbers, key=lambda name: name in scales and scales[name].divisor == 1.0)[:2]
    doubts = tuple(said_by_controls(doubt) for doubt in columns.doubts)
    (label,) = columns.names(LABEL)
    return Fields(shown, label, numbers, at_first, n_rows, doubts)


def rows_of(path: str, reading: dict[str, Any], fields: Fields, used: list[str], scale: bool) -> Any:
    """The numbers in the columns that are used, and the labels; rows with a gap there are passed over."""
    return read_table(path, **reading_of(reading, fields, used, scale))


def reading_of(reading: dict[str, Any], fields: Fields, used: list[str], scale: bool) -> dict[str, Any]:
    """What `read_table` is asked."""
    return {
        **{name: value for name, value in reading.items() if value is not None},
        "target": fields.label,
        "leave_out": fields.without(used),
        "missing": "drop",
        "guesses_codes": True,
        "encoding": Encoding("standard" if scale else "given"),
    }


def said_by_controls(sentence: str) -> str:
    """A sentence of the reader in the words of the page.

    >>> said_by_controls("is not UTF-8 text; name its encoding (charset='latin-1'), or save it as UTF-8")
    'is not UTF-8 text; name its encoding (Encoding: latin-1), or save it as UTF-8'
    """
    names = "|".join(CONTROLS)
    return re.sub(
        rf"\b({names})=(?:'([^']*)'|(\w+))",
        lambda found: f"{CONTROLS[found[1]]}: {found[2] or found[3]}",
        sentence.replace("name another (target='COLUMN')", "choose another Label"),
    )


# ---------------------------------------------------------------- which rows, from which side


def sampled(labels: NDArray[Any], most: int, fewest: int = 1) -> NDArray[np.intp]:
    """At most `most` rows, in the order of the file: some of each class, and the rest by their shares, at
    random.

    >>> rows = sampled(np.repeat([-1, 1], [900, 100]), 50, 10)
    >>> len(rows), int((rows >= 900).sum())
    (50, 13)
    """
    if len(labels) <= most:
        return np.arange(len(labels))
    rng = np.random.default_rng(0)
    classes = np.unique(labels)
    shared = most - fewest * len(classes)
    parts = []
    for each in classes:
        rows = np.flatnonzero(labels == each)
        parts.append(rng.permutation(rows)[: fewest + shared * len(rows) // len(labels)])
    return np.sort(np.concatenate(parts))


class Side(NamedTuple):
    """A direction to look along: w, what is proved of it, and whose it is."""

    w: Floats
    verdict: Verdict


def best_side(X: Floats, y: NDArray[Any]) -> Side:
    """The w of largest margin where a hyperplane separates all rows, else the averaged perceptron's."""
    verdict = separate(X, y, time_limit=PATIENCE, progress=False)
    if verdict.hyperplane is not None:
        return Side(verdict.hyperplane[0], verdict)
    return Side(averaged(X, y).coef_[0], verdict)


def averaged(X: Floats, y: NDArray[Any]) -> Perceptron:
    """The perceptron whose line is drawn where none is proved."""
    return Perceptron(keep="averaged", epochs=PASSES, random_state=0, progress=False).fit(X, y)


def seen_along(X: Floats, w: Floats, rows: NDArray[np.intp]) -> Floats:
    """The drawn rows along w and, at right angles to it, where they spread most."""
    plane = plane_of(X[rows], w)
    return (X[rows] - np.array(plane["origin"])) @ np.array(plane["axes"]).T


def refuse_few_numbers(fields: Fields, name: str) -> str:
    """Why there is nothing to draw, or nothing."""
    if len(fields.numbers) >= 2:
        return ""
    there = f"only one, {fields.numbers[0]!r}" if fields.numbers else "none"
    return (
        f"{name}: two columns of numbers are needed to draw points, and beside the label, "
        f"{fields.label!r}, there is {there}; choose another Label, or give a file with more of them"
    )


def classes_of(y: NDArray[Any], label: str, most: int) -> list[Any]:
    """The classes, at least two and not too many."""
    classes = np.unique(y).tolist()
    if len(classes) < 2:
        raise BadInput(
            f"Label: all {len(y)} rows of {label!r} are {classes[0]!r}; two classes are needed: choose "
            "another column"
        )
    if len(classes) > most:
        raise BadInput(
            f"Label: {label!r} has {len(classes):,} different values in {len(y):,} rows, and this page "
            f"takes at most {most} classes; choose the column that has them"
        )
    return classes
