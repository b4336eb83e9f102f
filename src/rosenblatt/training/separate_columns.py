"""Classifiers that learn one after another, by any rule, averaging strategy and order."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.examples import Rows, take
from rosenblatt.numeric.widening import widen
from rosenblatt.training.column import Column, new_column
from rosenblatt.training.column_trainer import ColumnTrainer, SeparateTrainer
from rosenblatt.training.linear_state import LinearState, Places
from rosenblatt.training.means import Mean
from rosenblatt.training.run import Plan
from rosenblatt.training.scoring import wrong
from rosenblatt.training.state import Answers, Trainer


@dataclass(kw_only=True)
class SeparateColumns(LinearState):
    """Hold a `Column` for each weight vector.

    Two classes have one column; the arrays of this state then have no axis for columns.
    """

    columns: list[Column]
    has_two_classes: bool = False

    @property
    def examples_seen(self) -> int:
        return max(column.examples_seen for column in self.columns)

    def clocks(self) -> NDArray[Any]:
        if len(self.columns) == 1:
            return self.columns[0].tally
        return np.concatenate([column.tally for column in self.columns])

    def current(self, at: Places = None) -> NDArray[np.float64]:
        return self._of_columns([column.current() for column in self.columns], at)

    def kept(self, at: Places = None) -> NDArray[np.float64]:
        return self._of_columns([column.kept() for column in self.columns], at)

    def _of_columns(self, vectors: list[NDArray[np.float64]], at: Places) -> NDArray[np.float64]:
        chosen = vectors if at is None else [vector[at] for vector in vectors]
        return chosen[0] if self.has_two_classes else np.stack(chosen)

    def mean(self) -> Mean | None:
        means = [mean for column in self.columns if (mean := column.mean()) is not None]
        if len(means) < len(self.columns):
            return None
        return Mean(
            np.array([mean.lengths for mean in means]),
            np.array([mean.looks for mean in means]),
            lambda at: np.concatenate([mean.parts(at) for mean in means], axis=1),
        )

    def check_kept(self) -> None:
        for column in self.columns:
            column.check_kept()

    # ------------------------------------------------------------ deciding

    def committees(self) -> list[Column]:
        return self.columns if self.is_committee else []

    def values(self, rows: Rows, kept: bool = True) -> NDArray[np.float64]:
        """Return the decision value of each row; for many classifiers, in shape (rows, classifiers)."""
        each = [column.values(rows, kept) for column in self.columns]
        return each[0] if self.has_two_classes else np.column_stack(each)

    def answers(self) -> Answers:
        return ColumnAnswers(self) if self.has_two_classes or self.is_committee else super().answers()

    def answers_about(self, rows: Rows, kept: bool) -> tuple[Answers, Rows]:
        return ColumnAnswers(self, kept), rows

    def error(self, batch: Any) -> float:
        if not self.has_two_classes:
            return super().error(batch)
        present, rows, labels = batch.present(), batch.rows, batch.labels
        if present is not None:
            rows, labels = take(rows, present), labels[present]
        return float(wrong(self.values(rows), labels, self.tie).mean())

    # ------------------------------------------------------------ learning

    def on(self, batch: Any, plan: Plan) -> Trainer:
        if self.has_two_classes:
            return ColumnTrainer(self.columns[0], batch, plan, prepare=True)
        return SeparateTrainer(self.columns, batch, plan)

    def why_not_on_device(self, batch: Any) -> str | None:
        if self.has_two_classes:
            return "trains many classifiers together, and this is one"
        return "does not support this rule, averaging or order"

    def end_pass(self) -> None:
        self.epochs += 1
        for column in self.columns:
            column.epochs += 1

    def copy(self) -> Self:
        twin = copy.copy(self)
        twin.columns = [column.copy() for column in self.columns]
        return twin

    def widen(self, n_features: int) -> None:
        for column in self.columns:
            column.widen(n_features)
        self.start = widen(self.start, n_features + 1)

    def add_columns(self, n: int) -> None:
        start = self.start if self.start.ndim == 1 else np.zeros(self.n_features + 1)
        for _ in range(n):
            self.columns.append(new_column(start.copy(), self.rule, self.keep, bool(self.offset), self.tie))


class ColumnAnswers:
    """Predict by each classifier separately: a committee by its votes, others by their weights.

    With `kept`, the weights are those of the averaging strategy, otherwise the current ones.
    """

    def __init__(self, state: SeparateColumns, kept: bool = True) -> None:
        self._state, self._is_kept = state, kept

    def values(self, rows: Rows) -> NDArray[np.float64]:
        return self._state.values(rows, self._is_kept)

    def best(self, rows: Rows) -> NDArray[np.int64]:
        """Return the predicted class number: by sign for two classes, otherwise by the largest value."""
        values = self.values(rows)
        if not self._state.has_two_classes:
            return values.argmax(axis=1)
        return (values >= 0.0 if self._state.tie == "positive" else values > 0.0).astype(np.int64)

    def lead(self, rows: Rows, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values[:, 1] - values[:, 0]


def separate_columns(
    start: NDArray[np.float64],
    n_columns: int | None,
    rule: Any,
    keep: str,
    offset: bool,
    tie: str,
    is_zero: bool = False,
) -> SeparateColumns:
    """Return the initial state of `n_columns` classifiers; None means two classes with one classifier.

    `start` holds the initial weights (w, b): one vector for each classifier, or one for all. `is_zero`
    states that they are known to be 0.
    """
    if n_columns is None:
        columns = [new_column(start, rule, keep, offset, tie, is_zero)]
    else:
        each = np.broadcast_to(start, (n_columns, start.shape[-1]))
        columns = [new_column(w.copy(), rule, keep, offset, tie) for w in each]
    return SeparateColumns(
        rule=rule, keep=keep, offset=1.0 if offset else 0.0, tie=tie, start=start, columns=columns,
        has_two_classes=n_columns is None,
    )  # fmt: skip
