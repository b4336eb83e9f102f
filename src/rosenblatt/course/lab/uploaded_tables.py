"""The user's own table: read as on the command line, drawn with two columns or as a projection."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.described_fields import describe_columns
from rosenblatt.data.sources.encoding import Encoding
from rosenblatt.data.sources.field_roles import LABEL, NUMBER
from rosenblatt.data.sources.reading import read, read_table
from rosenblatt.errors import BadInput
from rosenblatt.models.perceptron import Perceptron
from rosenblatt.proof.separation import separate
from rosenblatt.proof.verdict import Verdict
from rosenblatt.traces.plane import plane_of

MOST_DRAWN = 1500
"""Points of a picture; more rows are sampled."""

FEWEST_OF_A_CLASS = 10  # rows drawn of each class, if it has as many
MOST_COLUMNS = 300  # columns that a projection may use
PATIENCE = 2.0  # time limit of each proof in seconds
PASSES = 50

CONTROLS = {"charset": "Encoding", "target": "Label", "delimiter": "Separator", "header": "First line"}
"""The names of the parameters of `read` on the page."""

Floats = NDArray[np.float64]


class Fields(NamedTuple):
    """Describe the columns of a table: all columns with their types, the label, and the numeric columns.

    `at_first` contains two numeric columns that vary, which are drawn initially.
    """

    shown: list[dict[str, Any]]
    label: str
    numbers: list[str]
    at_first: list[str]
    n_rows: int
    doubts: tuple[str, ...]

    def without(self, used: list[str]) -> list[str]:
        """Return the columns that are neither in `used` nor the label."""
        return [each["name"] for each in self.shown if each["name"] not in (*used, self.label)]


def fields_of(path: str, reading: dict[str, Any]) -> Fields:
    """Return the type and the number of missing values of each column of a file."""
    source: Any = read(path, **reading, missing="drop", guesses_codes=True, encoding=Encoding("standard"))
    columns, n_whole = source.columns, sum(map(len, source.chunks()))  # raises errors for malformed lines
    shown = [
        {
            "name": each.column, "taken_for": each.taken_for.removesuffix(", standardised"),
            "why": each.why, "gaps": each.gaps,
        }
        for each in describe_columns(columns)
    ]  # fmt: skip
    known = columns.statistics
    n_rows = known.n_rows if known else n_whole
    numbers = columns.names(NUMBER)
    scales = known.scales if known else {}
    # varying columns first: a constant column has the divisor 1
    at_first = sorted(numbers, key=lambda name: name in scales and scales[name].divisor == 1.0)[:2]
    doubts = tuple(name_controls(doubt) for doubt in columns.doubts)
    (label,) = columns.names(LABEL)
    return Fields(shown, label, numbers, at_first, n_rows, doubts)


def rows_of(path: str, reading: dict[str, Any], fields: Fields, used: list[str], scale: bool) -> Any:
    """Return the used columns as numbers, and the labels; rows with missing values are dropped."""
    return read_table(path, **reading_of(reading, fields, used, scale))


def reading_of(reading: dict[str, Any], fields: Fields, used: list[str], scale: bool) -> dict[str, Any]:
    """Return the arguments for `read_table`."""
    return {
        **{name: value for name, value in reading.items() if value is not None},
        "target": fields.label,
        "leave_out": fields.without(used),
        "missing": "drop",
        "guesses_codes": True,
        "encoding": Encoding("standard" if scale else "given"),
    }


def name_controls(sentence: str) -> str:
    """Replace parameter names in a message by the names of the page's controls.

    >>> name_controls("is not UTF-8 text; name its encoding (charset='latin-1'), or save it as UTF-8")
    'is not UTF-8 text; name its encoding (Encoding: latin-1), or save it as UTF-8'
    """
    names = "|".join(CONTROLS)
    return re.sub(
        rf"\b({names})=(?:'([^']*)'|(\w+))",
        lambda found: f"{CONTROLS[found[1]]}: {found[2] or found[3]}",
        sentence.replace("name another (target='COLUMN')", "choose another Label"),
    )


# ---------------------------------------------------------------- choice of rows and of the view


def sample(labels: NDArray[Any], most: int, fewest: int = 1) -> NDArray[np.intp]:
    """Return a random sample of at most `most` rows, in ascending order.

    The sample contains at least `fewest` rows of each class (all rows of a smaller class), and otherwise
    follows the class frequencies.

    >>> rows = sample(np.repeat([-1, 1], [900, 100]), 50, 10)
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
    """Hold a direction of view w, and the verdict on separability."""

    w: Floats
    verdict: Verdict


def best_side(X: Floats, y: NDArray[Any]) -> Side:
    """Return the w with the largest margin if the rows are separable, otherwise the averaged w."""
    verdict = separate(X, y, time_limit=PATIENCE, progress=False)
    if verdict.hyperplane is not None:
        return Side(verdict.hyperplane[0], verdict)
    return Side(fit_averaged(X, y).coef_[0], verdict)


def fit_averaged(X: Floats, y: NDArray[Any]) -> Perceptron:
    """Return the averaged perceptron, whose line is drawn if the rows are not separable."""
    return Perceptron(keep="averaged", epochs=PASSES, random_state=0, progress=False).fit(X, y)


def project(X: Floats, w: Floats, rows: NDArray[np.intp]) -> Floats:
    """Project the rows onto w and onto the perpendicular direction with the largest spread."""
    plane = plane_of(X[rows], w)
    return (X[rows] - np.array(plane["origin"])) @ np.array(plane["axes"]).T


def refuse_few_numbers(fields: Fields, name: str) -> str:
    """Return an error message if there are fewer than two numeric columns, otherwise an empty string."""
    if len(fields.numbers) >= 2:
        return ""
    there = f"only one, {fields.numbers[0]!r}" if fields.numbers else "none"
    return (
        f"{name}: two columns of numbers are needed to draw points, and without the label "
        f"{fields.label!r} there is {there}; choose another Label, or another file"
    )


def classes_of(y: NDArray[Any], label: str, most: int) -> list[Any]:
    """Return the classes; raise an error if there are fewer than two or too many."""
    classes = np.unique(y).tolist()
    if len(classes) < 2:
        raise BadInput(
            f"Label: all {len(y)} rows of {label!r} are {classes[0]!r}; two classes are needed: choose "
            "another column"
        )
    if len(classes) > most:
        raise BadInput(
            f"Label: {label!r} has {len(classes):,} different values in {len(y):,} rows, and this page "
            f"takes at most {most} classes; choose the column of the classes"
        )
    return classes
