"""The progressive error: in the first pass each row is predicted before its label is used."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.next_row import Given
from rosenblatt.numeric.row_batches import Sparse, take
from rosenblatt.training.linear_state import LinearState
from rosenblatt.training.run import Trainer, learn_all

MEAN, LAST, SOME = "by the mean so far", "by the last weights", "to some of the rows"
"""The weights that made the counted predictions. For two classes: the mean if it is returned, otherwise the
last weights. For more classes that share their mistakes: the last weights. For independent classifiers: the
returned weights (the last ones for a committee), on a sample of the rows."""
BY = (MEAN, LAST, SOME)


@dataclass
class Progressive:
    """Count the predictions of the first pass, each made before the label is used.

    It holds the number of predictions and of errors, in total and after 1, 2, 4, 8, … predictions; `by`
    names the weights that made the predictions. For two classes it also counts the false positives;
    otherwise `false_positives` is None.
    """

    examples: int = 0
    errors: int = 0
    lines: list[tuple[int, int]] = field(default_factory=list)
    false_positives: int | None = 0
    false_positives_by_line: list[int] = field(default_factory=list)
    by: str = LAST

    @property
    def error(self) -> float:
        return self.errors / self.examples if self.examples else 0.0

    @property
    def standard_error(self) -> float | None:
        """Return the standard error of the error if only a sample of rows was predicted, else None."""
        if self.by != SOME or not self.examples:
            return None
        return math.sqrt(self.error * (1.0 - self.error) / self.examples)

    @property
    def all_lines(self) -> list[tuple[int, int]]:
        """Return `lines` with a last entry for all predictions."""
        now = (self.examples, self.errors)
        return self.lines if self.lines and self.lines[-1] == now else [*self.lines, now]

    @property
    def kinds(self) -> list[tuple[int, int]] | None:
        """Return (false positives, false negatives) at each entry of `all_lines`, or None if unknown."""
        if self.false_positives is None:
            return None
        taken = [*self.false_positives_by_line, self.false_positives]
        return [(some, errors - some) for some, (_, errors) in zip(taken, self.all_lines, strict=False)]

    def until_next_line(self) -> int:
        """Return the number of predictions until their total is the next power of two."""
        return (1 << self.examples.bit_length()) - self.examples if self.examples else 1

    def count(self, examples: int, errors: int, false_positives: int | None) -> None:
        self.examples += examples
        self.errors += errors
        if self.false_positives is not None:
            self.false_positives = (
                None if false_positives is None else self.false_positives + false_positives
            )
        if self.examples & (self.examples - 1) == 0:
            self.lines.append((self.examples, self.errors))
            if self.false_positives is not None:
                self.false_positives_by_line.append(self.false_positives)


# ---------------------------------------------------------------- counting during training


def learn_and_count(
    progressive: Progressive, keep: str, state: LinearState, trainer: Trainer, batch: Any, order: Any
) -> None:
    """Learn from a group of rows in the given order, and predict each counted row before learning from it.

    For two classes, and for classes that share mistakes, a mistake is a wrong prediction. Independent
    classifiers are not scored together, so predicting a row costs as much as learning from some rows; they
    predict only a sample of the rows.
    """
    has_two, counts_all = state.has_two_classes, state.mistakes_are_errors
    by_mean = has_two and keep == "averaged"
    wrong = trainer.answer_first() if by_mean else None  # type: ignore[attr-defined]
    progressive.by = MEAN if by_mean else LAST if counts_all else SOME
    # only the weights of their features are copied for sparse rows, all weights for dense rows
    is_cheap = isinstance(batch.rows, Sparse) or state.n_columns * state.n_features <= MOST_NUMBERS
    listed = batch.present() if isinstance(order, str) else order  # None: all rows in order
    n = batch.n_rows if listed is None else len(listed)
    first, before = 0, state.counters()
    while first < n:
        is_sampled, end = False, n
        if counts_all:
            end = min(n, first + progressive.until_next_line())
        elif is_cheap:
            is_sampled, end = _stretch(progressive, state.examples_seen, first, n)
        some = Given(first, end) if listed is None else listed[first:end]
        errors_of_sample = _errors(state, batch, some) if is_sampled else 0
        learn_all(trainer, some)
        now = state.counters()
        made = now.since(before)
        errors, taken = made["mistakes"], made["false_positives"] if has_two else None
        if wrong is not None:
            errors, taken = wrong.tolist()
            wrong[:] = 0
        if is_sampled or counts_all:
            progressive.count(end - first, errors if counts_all else errors_of_sample, taken)
        first, before = end, now


WINDOW, FEWEST, SHARE = 8192, 32, 32  # one row in SHARE of a window is predicted; windows grow
MOST_NUMBERS = 1 << 24
STALE = 64  # at most 1/STALE as many rows are predicted together as were learned from before


def _stretch(progressive: Progressive, seen: int, first: int, n: int) -> tuple[bool, int]:
    """Return whether the next rows are in the sample, and the end of this stretch of rows.

    The sample is even: one row from the middle of each 32 rows, two of each 64 rows once 512 have been
    seen, and so on, so a large number of rows needs only few stretches. (The first rows of the stretches
    would too often be predictions of an untrained model.) The sample depends only on the number of rows
    seen, so a resumed run takes the same sample.
    """
    window = min(WINDOW, max(FEWEST, 1 << max(0, (seen // 8).bit_length() - 1)))
    place, begin = seen % window, window // 2
    if not begin <= place < begin + window // SHARE:
        return False, min(n, first + (begin if place < begin else window) - place)
    left, together = begin + window // SHARE - place, max(1, seen // STALE)
    return True, min(n, first + min(left, together, progressive.until_next_line()))


def _errors(state: Any, batch: Any, some: Given | NDArray[Any]) -> int:
    """Return the number of these rows that the state misclassifies before it learns from any of them."""
    if isinstance(some, Given):
        some = np.arange(some.start, some.stop)
    answers, rows = state.answers_about(take(batch.rows, some), not state.is_committee)
    return int((answers.best(rows) != batch.targets.numbers[some]).sum())
