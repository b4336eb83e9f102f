"""The evaluation of a model as text."""

from __future__ import annotations

import math
from shutil import get_terminal_size

from rosenblatt.errors import counted
from rosenblatt.numeric.row_batches import plain
from rosenblatt.reports.measures import brier, ranking
from rosenblatt.reports.number_text import shorten
from rosenblatt.training.streams.evaluations import Evaluation

MOST_LINES = 20  # classes in a table (those with the most rows)
MOST_CONFUSIONS = 10  # confusions listed if the matrix is too wide for the screen
MOST_LETTERS = 24  # characters of a class name
NO_SCREEN = (100, 24)  # columns and lines without a terminal


def error_lines(found: Evaluation, rows: str) -> list[str]:
    """Return one line with the error and one with the majority-class baseline."""
    wrong = round(found.error * found.examples)
    return [
        f"Error {found.error:.4f}: {wrong:,} of {found.examples:,} {rows} misclassified.",
        _baseline(found),
    ]


def evaluation_text(found: Evaluation, rows: str, n_bad: int = 0, width: int | None = None) -> str:
    """Return the error, the measures of each class and the confusion matrix as text.

    Parameters
    ----------
    found
        The evaluation.
    rows
        A description of the evaluated rows, such as "rows of test.csv".
    n_bad
        The number of malformed lines that were skipped.
    width
        The width of the screen in characters. If the confusion matrix is wider, the largest confusions are
        listed instead.
    """
    return "\n".join([*error_lines(found, rows), *detail_lines(found, n_bad, width)])


def detail_lines(found: Evaluation, n_bad: int = 0, width: int | None = None) -> list[str]:
    """Return all lines of the evaluation except for the error: skipped lines, AUC, classes, confusions."""
    lines = []
    if found.unknown:
        lines.append(f"{found.unknown:,} of these rows have labels that are not classes of the model.")
    if n_bad:
        lines.append(f"{counted(n_bad, 'malformed line')} skipped.")
    if found.threshold is not None:
        lines.append(f"Decision threshold for {plain(found.classes[1])!r}: {found.threshold:.6g}.")
    ranked = ranking(found)
    if ranked is not None:
        lines.append(
            f"AUC {ranked.roc.area:.4f}, average precision {ranked.precision.area:.4f} for "
            f"{plain(found.classes[1])!r} ({ranked.base:.2%} of the rows)."
        )
    score = brier(found)
    if score is not None:
        lines.append(f"Brier score of the probabilities {score:.4f}.")
    return [*lines, *_each_class(found), *_confusions(found, width or get_terminal_size(NO_SCREEN).columns)]


def _baseline(found: Evaluation) -> str:
    name, error = repr(plain(found.classes[found.commonest])), found.commonest_error
    baseline = f"Majority-class baseline: error {error:.4f} (always {name})."
    noise = math.sqrt(error * (1.0 - error) / found.examples) if found.examples else 0.0
    if found.error < error - noise or (found.error == error == 0.0) or found.threshold is not None:
        return baseline
    how = "no better than" if found.error >= error else "less than a standard error better than"
    return (
        f"{baseline}\nWarning: the model is {how} the baseline. Check --target and how the columns are "
        "treated; other features, --metric balanced, or --threshold for a rare class may help."
    )


def _names(found: Evaluation) -> list[str]:
    return [shorten(plain(label), MOST_LETTERS) for label in found.classes]


def _each_class(found: Evaluation) -> list[str]:
    """Return a table with one line per class."""
    names, measured = _names(found), found.per_class()
    width = max(8, *map(len, names))
    shown = sorted(range(len(names)), key=lambda k: -measured[k]["rows"])[:MOST_LINES]
    lines = [f"{'class':>{width}} {'rows':>10} {'precision':>10} {'recall':>8} {'F1':>8}"]
    for k in sorted(shown):
        each = measured[k]
        lines.append(
            f"{names[k]:>{width}} {each['rows']:10,} {_part(each['precision']):>10} "
            f"{_part(each['recall']):>8} {_part(each['f1']):>8}"
        )
    if len(names) > MOST_LINES:
        lines.append(f"… and {len(names) - MOST_LINES} more classes; --json lists them and the matrix.")
    return lines


def _confusions(found: Evaluation, width: int) -> list[str]:
    names = _names(found)
    first = max(8, *map(len, names))
    columns = 1 + max(*map(len, names), len(f"{found.confusion.max():,}"))
    if first + len(names) * columns <= width:
        return [
            "Confusion matrix (rows: true class, columns: predicted class):",
            " " * first + "".join(f"{name:>{columns}}" for name in names),
            *(
                f"{name:>{first}}" + "".join(f"{count:{columns},}" for count in row)
                for name, row in zip(names, found.confusion.tolist(), strict=True)
            ),
        ]
    largest = found.largest_confusions(MOST_CONFUSIONS)
    if not largest:
        return []
    rows = found.confusion.sum(axis=1)
    return [
        "Largest confusions:",
        *(
            f"{count:8,} rows of {names[i]!r} predicted as {names[j]!r} ({count / rows[i]:.1%} of its rows)"
            for count, i, j in largest
        ),
    ]


def _part(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
