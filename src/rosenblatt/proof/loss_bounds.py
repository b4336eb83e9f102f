"""Bounds on the training errors and the hinge loss of every hyperplane, as parts of a proof establish them.

A row is an error of (w, b) if yᵢ(w·xᵢ+b) ≤ 0. The smallest number of errors is the smallest number of rows
whose removal makes the classes separable. Rows that sum to zero with positive weights contain an error of
every hyperplane, so k such sets of rows without a common row prove at least k errors.

The smallest total hinge loss min Σ max(0, 1 − yᵢ(w·xᵢ+b)) is bounded by the loss of one hyperplane and by
one solution of the dual linear program (`HingeLoss`).
"""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

import numpy as np

from rosenblatt.errors import ProofRejected
from rosenblatt.numeric.agreements import agreement_signs
from rosenblatt.numeric.integers import as_dyadic
from rosenblatt.numeric.row_batches import Batch
from rosenblatt.proof.part_numbers import cancelling_sum, check_cancelling, whole_hyperplane
from rosenblatt.proof.parts import HingeLoss, RestSeparator


class LossBounds:
    """Collect bounds on the smallest number of errors and on the smallest hinge loss."""

    def __init__(self) -> None:
        self._in_conflict: set[int] = set()
        self._conflicts = 0
        self._removed: int | None = None
        self.hinge: tuple[Fraction, Fraction] | None = None

    @property
    def errors(self) -> tuple[int, int | None]:
        """Bounds on the smallest number of errors; the upper one is None if nothing is proved."""
        return self._conflicts, self._removed

    def add_conflict(self, rows: Collection[int]) -> None:
        """Count inseparable rows, unless one of them is in an earlier conflict."""
        if self._in_conflict.isdisjoint(rows):
            self._in_conflict.update(rows)
            self._conflicts += 1

    def add_removal(self, n_rows: int) -> None:
        """Note that the data without `n_rows` rows are separable."""
        self._removed = n_rows if self._removed is None else min(n_rows, self._removed)

    def add_hinge(self, least: Fraction, most: Fraction) -> None:
        """Note bounds on the smallest hinge loss."""
        low, high = self.hinge or (least, most)
        self.hinge = max(low, least), min(high, most)


def check_rest_separator(batch: Batch, offset: bool, part: RestSeparator) -> None:
    """Raise `ProofRejected` unless all rows that the part does not name are strictly on their side."""
    if len(set(part.rows)) != len(part.rows) or not all(0 <= i < batch.n_rows for i in part.rows):
        raise ProofRejected(f"the rows to remove must be different ones of 0…{batch.n_rows - 1}")
    signs = agreement_signs(batch, whole_hyperplane(batch.n_features, offset, part.w, part.b))
    wrong = np.setdiff1d(np.flatnonzero(signs <= 0), part.rows)
    if len(wrong):
        raise ProofRejected(f"row {int(wrong[0])} is not removed and not strictly on its side")


def total_hinge_loss(batch: Batch, offset: bool, part: HingeLoss) -> Fraction:
    """Return Σ max(0, 1 − yᵢ(w·xᵢ+b)) of the hyperplane of the part."""
    if type(part.divisor) is not int or part.divisor <= 0:
        raise ProofRejected("the divisor of a hyperplane must be a whole number above 0")
    whole_hyperplane(batch.n_features, offset, part.w, part.b)
    numbers = (*part.w, part.b)
    if all(isinstance(number, int) for number in numbers):
        whole, exponent = [int(number) for number in numbers], 0
    else:
        whole, exponent = as_dyadic(numbers)
    # (w, b) = whole/unit
    whole, unit = [number << max(0, exponent) for number in whole], part.divisor << max(0, -exponent)
    inside = np.zeros(batch.n_rows, np.bool_)
    for label in np.unique(batch.labels).tolist():
        # yᵢ(w·xᵢ+b) < 1 is the sign of a functional margin with the offset b − yᵢ
        signs = agreement_signs(batch, [*whole[:-1], whole[-1] - label * unit])
        inside |= (batch.labels == label) & (signs < 0)
    rows = np.flatnonzero(inside).tolist()
    if not rows:
        return Fraction(0)
    total = cancelling_sum(batch, tuple(rows), (1,) * len(rows))
    products = sum(w * x for w, x in zip(whole, total.integers, strict=False))
    margins = Fraction(products) * Fraction(2) ** total.exponent + whole[-1] * int(batch.labels[rows].sum())
    return len(rows) - margins / unit


def dual_bound(batch: Batch, offset: bool, part: HingeLoss) -> Fraction:
    """Return Σ αᵢ of the dual solution of the part; raise `ProofRejected` if it is not feasible."""
    if not part.rows and not part.weights:
        return Fraction(0)
    check_cancelling(batch, offset, part.rows, part.weights)
    if type(part.total) is not int or max(part.weights) > part.total:
        raise ProofRejected("a weight of the dual solution is above 1")
    return Fraction(sum(part.weights), part.total)
