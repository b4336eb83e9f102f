"""Predictions compared with labels: the confusion matrix and measures for each class."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.row_batches import plain
from rosenblatt.reports.chapters.answer_curves import curves
from rosenblatt.reports.facts import Facts, HeldOutResult
from rosenblatt.reports.number_text import shorten
from rosenblatt.training.streams.evaluations import Evaluation

MOST_CLASSES = 12
MOST_ACROSS = 10  # characters of a column name; longer names are replaced by numbers
MOST_CONFUSIONS = 10
MOST_WITH_SHARES = 4  # with at most this many classes, cells also show shares
STRONGEST = 0.7  # strongest tint of a cell, with a readable number
FAINTEST = 0.1  # weakest tint of a cell with mistakes, still visible
MEASURES = ("precision", "recall", "f1")


class Cell(NamedTuple):
    """Hold a cell of the confusion matrix."""

    kind: str
    colour: float
    number: int
    share: float | None


def predictions(facts: Facts) -> dict[str, Any] | None:
    """Return the evaluations on held-out rows and on training rows, or None if there is neither."""
    training = _evaluation(facts.training, "training rows") if facts.training else None
    if facts.held_out_evaluation is None:
        return training and {"measured": None, "training": training}
    found, source = facts.held_out_evaluation
    return {
        "measured": _evaluation(found, shorten(source)),
        "folds": _folds(facts.apart) if facts.apart is not None and facts.apart.errors else None,
        "curves": curves(found),
        "training": training,
    }


def _evaluation(found: Evaluation, rows: str) -> dict[str, Any]:
    sizes = found.confusion.sum(axis=1)
    shown = sorted(np.argsort(-sizes, kind="stable")[:MOST_CLASSES].tolist())  # classes with the most rows
    others = np.setdiff1d(np.arange(len(found.classes)), shown)
    counts = _with_others(found.confusion, shown, others) if len(others) else found.confusion
    has_shares = len(counts) <= MOST_WITH_SHARES
    names = [str(plain(found.classes[k])) for k in shown]
    measured = found.per_class()
    known = [[each[what] for each in measured if each[what] is not None] for what in MEASURES]
    return {
        "error": found.error,
        "wrong": found.examples - int(np.trace(found.confusion)),
        "examples": found.examples,
        "rows": rows,
        "baseline": found.commonest_error,
        "commonest": plain(found.classes[found.commonest]),
        "is_better": found.error < found.commonest_error or found.threshold is not None,
        "n_classes": len(measured),
        "names": names,
        "is_numbered": max(map(len, names)) > MOST_ACROSS,
        "has_shares": has_shares,
        "matrix": [_cells(row, k, has_shares, k == len(shown)) for k, row in enumerate(counts)],
        "n_others": len(others),
        "others_rows": int(counts[-1].sum()),
        "others_right": int(np.diag(found.confusion)[others].sum()),
        "confusions": _largest_confusions(found) if len(others) else [],
        "classes": [measured[k] for k in shown],
        "means": [sum(values) / len(values) if values else None for values in known],
    }


def _folds(apart: HeldOutResult) -> dict[str, Any]:
    mean = sum(apart.errors) / len(apart.errors)
    return {"errors": apart.errors, "mean": mean, "standard_error": apart.standard_error}


def _largest_confusions(found: Evaluation) -> list[tuple[int, Any, Any]]:
    """Return the largest confusions, because the matrix may not show all classes."""
    return [
        (number, plain(found.classes[i]), plain(found.classes[j]))
        for number, i, j in found.largest_confusions(MOST_CONFUSIONS)
    ]


def _with_others(
    confusion: NDArray[np.int64], shown: list[int], others: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the matrix of the shown classes, with a last row and column for all other classes together."""
    rows = np.vstack([confusion[shown], confusion[others].sum(axis=0)])
    merged: NDArray[np.int64] = np.column_stack([rows[:, shown], rows[:, others].sum(axis=1)])
    return merged


def _cells(row: NDArray[np.int64], diagonal: int, has_shares: bool, is_others: bool) -> list[Cell]:
    total = int(row.sum())
    cells = []
    for k, number in enumerate(row.tolist()):
        part = number / total if total else 0.0
        kind = "neither" if is_others and k == diagonal else "right" if k == diagonal else "wrong"
        least = FAINTEST if kind == "wrong" else 0.0
        colour = least + (STRONGEST - least) * part
        share = part if has_shares and total else None
        cells.append(Cell(kind if number else f"{kind} zero", colour, number, share))
    return cells
