"""What a learned state answers, and how often that is right."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import plain
from rosenblatt.data.sources.source import Source
from rosenblatt.errors import BadInput
from rosenblatt.learning.state import LinearState
from rosenblatt.learning.streams.shuffling import labels_of
from rosenblatt.learning.streams.stream_targets import Teaching, fit_to


@dataclass
class Evaluation:
    """Answers against labels: `confusion[i, j]` rows of class i got the answer j. Rows whose label is none
    of the classes are `unknown`: whatever is answered is wrong.

    >>> found = Evaluation(np.array(["ham", "spam"]))
    >>> found.count(np.array(["ham", "ham", "spam"]), np.array([0, 1, 1]))
    >>> found.error, found.confusion.tolist()
    (0.33333333333333337, [[1, 1], [0, 1]])
    """

    classes: NDArray[Any]
    confusion: NDArray[np.int64] = field(init=False)
    unknown: int = 0
    margin: float | None = None  # of two classes: the smallest y(w·x + b)/‖w‖ of all rows

    def __post_init__(self) -> None:
        self.confusion = np.zeros((len(self.classes), len(self.classes)), np.int64)

    def count(self, y: NDArray[Any], answers: NDArray[np.int64]) -> None:
        """More rows: their labels, and the numbers of the classes answered."""
        order = np.argsort(self.classes, kind="stable")
        place = Teaching(self.classes[order]).numbers(y)
        known = place >= 0
        self.unknown += len(y) - int(known.sum())
        np.add.at(self.confusion, (order[place[known]], answers[known]), 1)

    @property
    def examples(self) -> int:
        return int(self.confusion.sum()) + self.unknown

    @property
    def error(self) -> float:
        return 1.0 - float(np.trace(self.confusion)) / self.examples if self.examples else 0.0

    def per_class(self) -> list[dict[str, Any]]:
        """Precision, recall and F1 of each class; None where there is nothing to divide by."""
        right = np.diag(self.confusion)
        actual, answered = self.confusion.sum(axis=1), self.confusion.sum(axis=0)
        return [
            {
                "class": plain(label),
                "rows": int(actual[k]),
                "precision": float(right[k] / answered[k]) if answered[k] else None,
                "recall": float(right[k] / actual[k]) if actual[k] else None,
                "f1": float(2 * right[k] / (answered[k] + actual[k])) if answered[k] + actual[k] else None,
            }
            for k, label in enumerate(self.classes)
        ]


def evaluate(state: LinearState, classes: NDArray[Any], source: Source) -> Evaluation:
    """The answers to all rows of a source, against their labels."""
    evaluation = Evaluation(classes)
    answers, length = state.answers(), _length(state)
    for chunk in source.chunks():
        if len(chunk):
            rows, y = fit_to(chunk.rows, state.n_features), labels_of(chunk, source.name)
            evaluation.count(y, answers.best(rows))
            if length:
                agreements = answers.values(rows) * np.where(y == classes[1], 1.0, -1.0)
                smallest = float(agreements.min()) / length
                known = evaluation.margin
                evaluation.margin = smallest if known is None else min(known, smallest)
        chunk.release()
    if not evaluation.examples:
        raise BadInput(f"{source.name}: there are no rows; give a source with rows")
    return evaluation


def _length(state: LinearState) -> float:
    """‖w‖ of a state that has one vector; else 0."""
    if state.n_columns > 1 or state.is_committee:
        return 0.0
    return float(np.linalg.norm(state.kept().ravel()[:-1]))
