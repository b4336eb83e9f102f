"""One column or many: how an estimator begins, learns and decides, in the same words for both."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import Sparse
from rosenblatt.data.targets import Target
from rosenblatt.errors import BadInput
from rosenblatt.learning.backends import Backend, OnHost, as_backend
from rosenblatt.learning.beginning import Recipe, begin_linear
from rosenblatt.learning.columns import MANY_COLUMNS
from rosenblatt.learning.many_batch import ManyBatch
from rosenblatt.learning.settings import PERCEPTRON, fixed_in
from rosenblatt.learning.state import LinearState
from rosenblatt.models.batches import AnyBatch
from rosenblatt.rules import as_rule, facts


def weights_of_classes(class_weight: Any, target: Target, allow_new_classes: bool) -> Any:
    """class_weight, which may name classes that have yet to come."""
    if isinstance(class_weight, dict) and allow_new_classes and not target.has_labels:
        known = target.classes.tolist()
        return {label: weight for label, weight in class_weight.items() if label in known}
    return class_weight


def beginning_of(model: Any, classes: NDArray[Any]) -> dict[str, Any]:
    """What must not change while learning goes on."""
    fixed = {name: getattr(model, name) for name in fixed_in(PERCEPTRON)}
    return {**fixed, "rule": as_rule(model.rule), "y": classes.tolist()}


def refuse_another_run(began_with: dict[str, Any], now: dict[str, Any]) -> None:
    """Refuse to go on where a parameter or the classes are not those that learning began with."""
    for name, before in began_with.items():
        if before != now[name]:
            what = "y: classes" if name == "y" else f"{name}:"
            raise BadInput(
                f"{what} {now[name]!r} now, but learning began with {before!r}; "
                "go on as it began, or start anew with fit (warm_start=False)"
            )


def column_of(label: Any, names: list[Any], columns: int) -> int:
    """The column of a class or label; there is one only for two classes."""
    if columns == 1 and label is None:
        return 0
    if label not in names or columns == 1:
        listed = ", ".join(map(repr, names[:5])) + (", …" if len(names) > 5 else "")
        raise BadInput(
            f"of: got {label!r}, expected "
            + (f"one of the classes {listed}" if columns > 1 else "None: there is one column")
        )
    return int(names.index(label))


def begin_run(model: Any, batch: AnyBatch, target: Target) -> LinearState:
    """The state before the first look, by the parameters of the model."""
    shared = model.multiclass == "ultraconservative" and not target.has_two_classes
    if shared and target.has_labels:
        raise BadInput(
            "multiclass: 'ultraconservative' lets classes share a mistake, and the labels of a table are "
            "each on their own; use multiclass='one_vs_rest'"
        )
    recipe = Recipe(model.rule, model.keep, model.offset, model.tie, model.init)
    n_columns = None if target.has_two_classes else len(target.classes)
    return begin_linear(recipe, batch.rows, n_columns, model.order, model.sharing if shared else None)


def device_of(device: Any, state: LinearState, batch: AnyBatch, target: Target) -> Backend:
    """Where the columns learn. Two classes are one column, which the CPU learns faster than any card."""
    backend = as_backend(device, isinstance(batch.rows, Sparse))
    if backend.is_host or target.has_two_classes:
        return OnHost()
    if reason := state.why_not_on_device(batch):
        if device == "auto":
            return OnHost()
        raise BadInput(f"device: {device!r} {reason}; use device='cpu', which gives the same bits")
    return OnHost() if device == "auto" and state.n_columns < MANY_COLUMNS else backend


def cannot_fail(rule: Any, batch: AnyBatch, target: Target) -> bool:
    """Whether nothing can go wrong on the way, and a copy of the weights costs more than to find out: few
    numbers beside the weights, too small to overflow, and steps that do not depend on them."""
    rows, n_columns = batch.rows, 1 if target.has_two_classes else len(target.classes)
    if not facts(as_rule(rule)).is_fixed or max(as_rule(rule)) > 1e100:
        return False
    if rows.values.size >= n_columns * batch.n_features // 4:
        return False
    heaviest = batch.importance.max(initial=1.0)
    if isinstance(batch, ManyBatch):
        heaviest *= batch.balance.max(initial=1.0)
    largest = float(np.abs(rows.values).max(initial=0.0))
    return bool(largest < 1e100 and heaviest < 1e100)  # False for NaN


def as_label_table(positive: NDArray[np.bool_], like: Any) -> Any:
    """A table of labels, of the kind that `fit` was given."""
    if not isinstance(like, str):
        return positive.astype(like)
    from scipy.sparse import csr_array

    return csr_array(positive.astype(np.int64))
