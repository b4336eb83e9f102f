"""Predictions against labels: the confusion matrix, and the measures of each class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import plain
from rosenblatt.learning.streams.evaluations import Evaluation
from rosenblatt.sight.reports.chapters.curves import curves
from rosenblatt.sight.reports.facts import Facts, Judged
from rosenblatt.sight.reports.markup import (
    chapter,
    count,
    counted,
    escaped,
    folded,
    name,
    percent,
    scrolling,
    shortened,
    table,
)

MOST_CLASSES = 12
MOST_ACROSS = 10  # letters of a name above a column; longer ones are numbered
MOST_DOWN = 20
MOST_CONFUSIONS = 10
MOST_WITH_PARTS = 4  # classes whose cells have room for the part of the row as well
STRONGEST = 0.7  # of a cell's colour; the number in it must stay readable
FAINTEST = 0.1  # of a cell with a wrong answer in it, so that it is seen


def answers(facts: Facts) -> str:
    """Return the chapter of predictions, on the held-out rows and on the training rows."""
    training = _told(facts.training, "training rows") if facts.training else ""
    if facts.measured is None:
        return chapter("Predictions", training)
    found, source = facts.measured
    return chapter(
        "Predictions",
        _told(found, escaped(shortened(source))),
        _folds(facts.apart) if facts.apart is not None and facts.apart.errors else "",
        curves(found),
        folded("The same for the training rows", training) if training else "",
    )


def _told(found: Evaluation, rows: str) -> str:
    wrong = found.examples - int(np.trace(found.confusion))
    shown = _largest_classes(found)
    return (
        f"<p>Error {percent(found.error)}: {count(wrong)} of {count(found.examples)} {rows} "
        f"misclassified. {_baseline(found)}</p>\n"
        f"{_matrix(found, shown)}{_largest(found, shown)}{_per_class(found, shown)}"
    )


def _baseline(found: Evaluation) -> str:
    always = name(plain(found.classes[found.commonest]))
    baseline = f"Majority-class baseline: {percent(found.commonest_error)} (always {always})"
    if found.error < found.commonest_error or found.threshold is not None:
        return f"{baseline}."
    return f"<strong>{baseline}: the model is no better.</strong>"


def _folds(apart: Judged) -> str:
    errors = ", ".join(percent(error) for error in apart.errors)
    mean = percent(sum(apart.errors) / len(apart.errors))
    return (
        f"<p>Each of {len(apart.errors)} folds was answered by weights learned from the others, with "
        f"errors of {errors}: {mean} on average, with a standard error of "
        f"{percent(apart.standard_error)}.</p>\n"
    )


def _largest(found: Evaluation, shown: list[int]) -> str:
    """Return the largest confusions, which the matrix of some classes may not show."""
    largest = found.largest_confusions(MOST_CONFUSIONS) if len(shown) < len(found.classes) else []
    if not largest:
        return ""
    rows = [
        [name(plain(found.classes[i])), name(plain(found.classes[j])), count(number)]
        for number, i, j in largest
    ]
    return table(["class", "answer", "rows"], rows, "Largest confusions")


def _largest_classes(found: Evaluation) -> list[int]:
    """Return the classes with the most rows, in their own order."""
    sizes = found.confusion.sum(axis=1)
    return sorted(np.argsort(-sizes, kind="stable")[:MOST_CLASSES].tolist())


# ---------------------------------------------------------------- the confusion matrix


def _matrix(found: Evaluation, shown: list[int]) -> str:
    n_others = len(found.classes) - len(shown)
    counts = _with_others(found.confusion, shown) if n_others else found.confusion
    lines, columns = _heads([str(plain(found.classes[k])) for k in shown], bool(n_others))
    across = "".join(f'<th scope="col">{column}</th>' for column in columns)
    has_parts = len(counts) <= MOST_WITH_PARTS
    body = "\n".join(
        f'<tr><th scope="row">{head}</th>{_cells(row, k, has_parts, k == len(shown))}</tr>'
        for k, (head, row) in enumerate(zip(lines, counts, strict=True))
    )
    drawn = (
        f'<table class="matrix{" roomy" * has_parts}"><caption>Confusion matrix</caption>'
        f"<thead><tr><td>true ╲ predicted</td>{across}</tr></thead>\n<tbody>{body}</tbody></table>"
    )
    note = _how_to_read(found, shown, int(counts[-1].sum()))
    return scrolling(drawn, "Confusion matrix") + f'<p class="note">{note}</p>\n'


def _heads(names: list[str], has_others: bool) -> tuple[list[str], list[str]]:
    """Return the headings of rows and columns: names, or numbers if a name is long."""
    others = ["<em>others</em>"] * has_others
    if max(len(each) for each in names) <= MOST_ACROSS:
        return ([name(each) for each in names] + others,) * 2
    numbered = list(enumerate(names, 1))
    lines = [f'<span class="quiet">{k}</span> {name(each, MOST_DOWN)}' for k, each in numbered]
    columns = [f'<span title="{escaped(shortened(each))}">{k}</span>' for k, each in numbered]
    return lines + others, columns + others


def _how_to_read(found: Evaluation, shown: list[int], n_others_rows: int) -> str:
    note = (
        "Rows are true classes, columns predicted classes. Colour shows the share of the row: "
        '<span class="right-key">correct</span> or <span class="wrong-key">misclassified</span>.'
    )
    others = np.setdiff1d(np.arange(len(found.classes)), shown)
    if not len(others):
        return note
    right = int(np.diag(found.confusion)[others].sum())
    return (
        f"{note} The {len(shown)} classes with the most rows are shown; <em>others</em> are the remaining "
        f"{count(len(others))}, whose {counted(n_others_rows, 'row')} had "
        f"{counted(right, 'correct prediction')}."
    )


def _with_others(confusion: NDArray[np.int64], shown: list[int]) -> NDArray[np.int64]:
    """Return the matrix of some classes, with one more row and column for the sum of all others."""
    others = np.setdiff1d(np.arange(len(confusion)), shown)
    rows = np.vstack([confusion[shown], confusion[others].sum(axis=0)])
    merged: NDArray[np.int64] = np.column_stack([rows[:, shown], rows[:, others].sum(axis=1)])
    return merged


def _cells(row: NDArray[np.int64], diagonal: int, has_parts: bool, is_others: bool) -> str:
    total = int(row.sum())
    cells = []
    for k, number in enumerate(row.tolist()):
        part = number / total if total else 0.0
        kind = "neither" if is_others and k == diagonal else "right" if k == diagonal else "wrong"
        least = FAINTEST if kind == "wrong" else 0.0
        colour = least + (STRONGEST - least) * part
        look = f'class="{kind}{" zero" * (not number)}" style="--part:{colour:.3f}"'
        told = f"<small>{percent(part)}</small>" if has_parts and total else ""
        cells.append(f"<td {look}>{count(number)}{told}</td>")
    return "".join(cells)


# ---------------------------------------------------------------- each class


def _per_class(found: Evaluation, shown: list[int]) -> str:
    measured = found.per_class()
    rows = [
        [name(measured[k]["class"]), count(measured[k]["rows"])]
        + [_part(measured[k][what]) for what in ("precision", "recall", "f1")]
        for k in shown
    ]
    means = [
        _mean([each[what] for each in measured if each[what] is not None])
        for what in ("precision", "recall", "f1")
    ]
    rows.append([f"<em>mean of {counted(len(measured), 'class')}</em>", count(found.examples), *means])
    drawn = table(["class", "rows", "precision", "recall", "F1"], rows, "Each class", "plain summed")
    if len(measured) > len(shown):
        drawn += (
            f'<p class="note">The {len(shown)} classes with the most rows of {count(len(measured))}; '
            "<code>--json</code> has them all.</p>\n"
        )
    return drawn


def _mean(values: list[float]) -> str:
    return _part(sum(values) / len(values)) if values else "–"


def _part(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
