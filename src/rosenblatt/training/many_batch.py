"""Batches for many binary classifiers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rosenblatt.loops.column_targets import Classes, Targets, part_of_targets, sign_of_column, signs_of_rows
from rosenblatt.numeric.row_batches import Batch, Rows, n_features, n_rows, present_rows, take
from rosenblatt.training.run import Answers
from rosenblatt.training.scoring import wrong


@dataclass(frozen=True)
class ManyBatch:
    """Hold examples for many binary classifiers: rows, targets and importance.

    `importance` holds the sample weights (empty if all are 1); a row with weight 0 is ignored. `balance`
    holds, for each classifier, the weights of its negative and of its positive rows (empty if all are 1).
    """

    rows: Rows
    targets: Targets
    importance: NDArray[np.float64] = field(default_factory=partial(np.empty, 0))
    balance: NDArray[np.float64] = field(default_factory=partial(np.empty, (0, 2)))

    @property
    def n_rows(self) -> int:
        return n_rows(self.rows)

    @property
    def n_features(self) -> int:
        return n_features(self.rows)

    @property
    def numbers(self) -> NDArray[np.int64]:
        """Return the class number of each row; each row must have exactly one class."""
        assert isinstance(self.targets, Classes)
        return self.targets.numbers

    def present(self) -> NDArray[np.int64] | None:
        """Return the indices of the rows with a weight above 0, or None if all weights are above 0."""
        return present_rows(self.importance)

    def part(self, chosen: NDArray[np.int64]) -> ManyBatch:
        """Return a batch of the chosen rows, each with weight 1."""
        return ManyBatch(take(self.rows, chosen), part_of_targets(self.targets, chosen))

    def of_column(self, column: int) -> Batch:
        """Return the examples of one classifier, with labels −1 and +1."""
        labels, importance = sign_of_column(self.targets, column, self.n_rows), self.importance
        if self.balance.size:
            sides = self.balance[column][(labels > 0).astype(np.intp)]
            importance = sides * importance if importance.size else sides
        return Batch(self.rows, labels, importance)

    def error(self, answers: Answers, tie: str) -> float:
        """Return the fraction of misclassified rows, not counting rows with weight 0.

        For tables of labels, return the fraction of wrong labels.
        """
        present = self.present()
        if present is not None:
            return self.part(present).error(answers, tie)
        if isinstance(self.targets, Classes):
            return float((answers.best(self.rows) != self.targets.numbers).mean())
        values = answers.values(self.rows)
        labels = np.empty(values.shape, np.int8)
        signs_of_rows(self.targets, np.arange(len(values)), 0, labels)
        return float(wrong(values, labels, tie).mean())
