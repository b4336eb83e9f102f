"""Evaluate the predictions of a state on a source of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.source import Source
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import Rows, plain
from rosenblatt.training.calibration import Calibration
from rosenblatt.training.linear_state import LinearState
from rosenblatt.training.run import Answers
from rosenblatt.training.streams.shuffling import labels_of
from rosenblatt.training.streams.stream_targets import Teaching, fit_to

MOST_VALUES = 1 << 22
"""Largest number of stored decision values; if there are more, an even sample is stored."""


@dataclass
class Scored:
    """Hold class numbers and decision values of rows, for curves, calibration and thresholds.

    As long as there are few rows, all of them are stored; then only every second, fourth, eighth … row.

    Examples
    --------
    >>> few = Scored()
    >>> few.add(np.array([0, 1]), np.array([-2.5, 3.0]))
    >>> few.numbers, few.values
    (array([0, 1]), array([-2.5,  3. ]))
    """

    every: int = 1
    rows: int = 0
    numbers: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    _parts: list[NDArray[np.float64]] = field(default_factory=list)

    def add(self, numbers: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        """Add rows: their class numbers, and one value per row or one per row and class."""
        some = slice(-self.rows % self.every, None, self.every)
        self.rows += len(numbers)
        self.numbers = np.concatenate([self.numbers, numbers[some]])
        self._parts.append(values[some].copy())
        while len(self.numbers) > 1 and sum(part.size for part in self._parts) > MOST_VALUES:
            self.numbers, self._parts, self.every = self.numbers[::2], [self.values[::2]], 2 * self.every

    @property
    def values(self) -> NDArray[np.float64]:
        if len(self._parts) > 1:
            self._parts = [np.concatenate(self._parts)]
        return self._parts[0] if self._parts else np.empty(0)


@dataclass
class Evaluation:
    """Compare predictions with labels: confusion[i, j] is the number of rows of class i predicted as j.

    `unknown` counts the rows whose label is none of the classes; every prediction of such a row is wrong.
    `scored` holds the decision values of the other rows if they are needed: always for two classes, and for
    more classes only to apply or fit a `calibration`.

    Examples
    --------
    >>> found = Evaluation(np.array(["ham", "spam"]))
    >>> found.count(np.array(["ham", "ham", "spam"]), np.array([0, 1, 1]), np.array([-1.0, 0.5, 2.0]))
    >>> found.error, found.confusion.tolist(), found.commonest_error
    (0.33333333333333337, [[1, 1], [0, 1]], 0.33333333333333337)
    """

    classes: NDArray[Any]
    scored: Scored | None = None
    calibration: Calibration | None = None
    threshold: float | None = None  # for two classes: decision value above which the second is predicted
    confusion: NDArray[np.int64] = field(init=False)
    unknown: int = 0
    margin: float | None = None  # for two classes: the smallest y(w·x + b)/‖w‖ of all rows

    def __post_init__(self) -> None:
        self.confusion = np.zeros((len(self.classes), len(self.classes)), np.int64)
        if self.scored is None and (len(self.classes) == 2 or self.calibration is not None):
            self.scored = Scored()

    def count(
        self, y: NDArray[Any], answers: NDArray[np.int64], values: NDArray[np.float64] | None = None
    ) -> None:
        """Add rows: their labels, the numbers of the predicted classes, and their decision values."""
        order = np.argsort(self.classes, kind="stable")
        place = Teaching(self.classes[order]).numbers(y)
        known = place >= 0
        self.unknown += len(y) - int(known.sum())
        numbers = order[place[known]]
        np.add.at(self.confusion, (numbers, answers[known]), 1)
        if self.scored is not None and values is not None:
            self.scored.add(numbers, values[known])

    def count_source(
        self,
        source: Source,
        n_features: int,
        best: Callable[[Rows], NDArray[np.int64]],
        values: Callable[[Rows], NDArray[np.float64]],
        length: float = 0.0,
    ) -> None:
        """Count the rows of a source, predicted by a model with `n_features` features.

        `best` returns the numbers of the predicted classes, and `values` the decision values. `length` is
        ‖w‖, or 0 if there is no single w.
        """
        for chunk in source.chunks():
            if len(chunk):
                rows, y = fit_to(chunk.rows, n_features), labels_of(chunk, source.name)
                found = None if self.scored is None else values(rows)
                self.count(y, best(rows), found)
                if length and found is not None:
                    smallest = float((found * np.where(y == self.classes[1], 1.0, -1.0)).min()) / length
                    self.margin = smallest if self.margin is None else min(self.margin, smallest)
            chunk.release()
        if not self.examples:
            raise BadInput(f"{source.name}: there are no rows; give a source with rows")

    @property
    def examples(self) -> int:
        return int(self.confusion.sum()) + self.unknown

    @property
    def error(self) -> float:
        return 1.0 - float(np.trace(self.confusion)) / self.examples if self.examples else 0.0

    def above(self, threshold: float) -> Evaluation:
        """Return the evaluation if the second of two classes is predicted for values above `threshold`."""
        assert self.scored is not None
        other = Evaluation(self.classes, self.scored, self.calibration, threshold)
        other.unknown = self.unknown
        answers = (self.scored.values > threshold).astype(np.int64)
        np.add.at(other.confusion, (self.scored.numbers, answers), 1)
        return other

    @property
    def commonest(self) -> int:
        """Return the number of the class with the most rows."""
        return int(np.argmax(self.confusion.sum(axis=1)))

    @property
    def commonest_error(self) -> float:
        """Return the error of the majority-class baseline, which a model must beat."""
        if not self.examples:
            return 0.0
        return 1.0 - float(self.confusion[self.commonest].sum()) / self.examples

    def largest_confusions(self, most: int) -> list[tuple[int, int, int]]:
        """Return (number of rows, true class, predicted class) of the most frequent confusions."""
        wrong = self.confusion - np.diag(np.diag(self.confusion))
        largest = np.argsort(-wrong, axis=None, kind="stable")[:most]
        pairs = [divmod(place, len(wrong)) for place in largest.tolist()]
        return [(int(wrong[i, j]), i, j) for i, j in pairs if wrong[i, j]]

    def per_class(self) -> list[dict[str, Any]]:
        """Return precision, recall and F1 of each class; a value is None if its denominator is 0."""
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


def evaluate(
    state: LinearState,
    classes: NDArray[Any],
    source: Source,
    answers: Answers | None = None,
    evaluation: Evaluation | None = None,
) -> Evaluation:
    """Return the evaluation of the predictions for all rows of a source.

    `answers` makes the predictions; by default, the state does. `evaluation` continues an earlier count.
    """
    evaluation, answers = evaluation or Evaluation(classes), answers or state.answers()
    evaluation.count_source(source, state.n_features, answers.best, answers.values, _length(state))
    return evaluation


def _length(state: LinearState) -> float:
    """Return ‖w‖ of a state with a single vector, otherwise 0."""
    if state.n_columns > 1 or state.is_committee:
        return 0.0
    return float(np.linalg.norm(state.returned_weights().ravel()[:-1]))
