"""The examples of a fit: rows with what they are to teach, weighted, and some of them held out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.arithmetic.examples import Batch, Rows, as_rows, check_finite, n_rows, take
from rosenblatt.data.importance import as_importance, label_balance, weighted
from rosenblatt.data.targets import Target, read_target, refuse_another_kind
from rosenblatt.engine.column_targets import LabelLists, LabelTable
from rosenblatt.errors import BadInput
from rosenblatt.learning.many_batch import ManyBatch
from rosenblatt.models.input_checks import held_out, is_part, one_column, other_rows

AnyBatch = Batch | ManyBatch


def empty_totals(target: Target) -> NDArray[np.float64]:
    """The weight of each class seen so far: none."""
    return np.zeros((len(target.classes), 2) if target.has_labels else len(target.classes))


def make_examples(
    rows: Rows,
    target: Target,
    sample_weight: ArrayLike | None,
    class_weight: Any,
    totals: NDArray[np.float64],
) -> AnyBatch:
    """Rows, targets and importance = sample weight × class weight. `totals`: the weights of the classes
    seen before, which "balanced" counts in; they are brought up to date."""
    labels = target.labels
    if isinstance(labels, (LabelTable, LabelLists)):
        importance = as_importance(sample_weight, n_rows(rows))
        balance = label_balance(class_weight, target, importance, totals, n_rows(rows))
        return ManyBatch(rows, labels, importance, balance)
    # of two classes, without weights for them, labels do as well: only their number matters
    numbers = labels if isinstance(labels, np.ndarray) and class_weight is None else target.numbers
    importance = weighted(numbers, target.classes, sample_weight, class_weight, totals)
    if isinstance(labels, np.ndarray):
        return Batch(rows, labels, importance)
    return ManyBatch(rows, labels, importance)


def hold_out(
    validation: Any, batch: AnyBatch, target: Target, seed: int
) -> tuple[AnyBatch, AnyBatch | None]:
    """The batch to learn from and the one to choose the best pass by."""
    if validation is None:
        return batch, None
    if is_part(validation):
        strata = np.zeros(batch.n_rows, np.int8) if target.has_labels else target.numbers
        importance, chosen = held_out(
            float(validation), strata, batch.importance, seed, 1 if target.has_labels else 2
        )
        return replace(batch, importance=importance), _plain(take(batch.rows, chosen), target.part(chosen))
    X, y = other_rows(validation, batch.n_features)
    try:
        rows = as_rows(X)
        other = read_target(one_column(y), n_rows(rows), target.classes, not target.has_two_classes)
        refuse_another_kind(other, target)
        check_finite(rows, None)
    except BadInput as error:
        raise BadInput(f"validation: {error}") from error
    return batch, _plain(rows, other)


def _plain(rows: Rows, target: Target) -> AnyBatch:
    """Examples that all count 1."""
    return make_examples(rows, target, None, None, empty_totals(target))
