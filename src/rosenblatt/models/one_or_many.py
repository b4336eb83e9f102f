"""One column or many: how an estimator begins, learns and decides, in the same words for both."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import Batch, Rows, Sparse
from rosenblatt.engine.threads import n_threads
from rosenblatt.errors import BadInput
from rosenblatt.learning.backends import Backend, OnDevice, OnHost, as_backend
from rosenblatt.learning.columns import MANY_COLUMNS, Columns, ManyBatch
from rosenblatt.learning.many import (
    Many,
    begin_many,
    decider_of,
    error_of,
    run_many,
)
from rosenblatt.learning.one_column import OneColumn, begin
from rosenblatt.learning.run import Outcome, Plan, run
from rosenblatt.learning.scoring import decision_values, error_rate
from rosenblatt.learning.settings import PERCEPTRON, fixed_in
from rosenblatt.models.batches import AnyBatch
from rosenblatt.models.targets import Target
from rosenblatt.rules import as_rule, facts, listed


def weights_of_classes(model: Any, target: Target) -> Any:
    """class_weight; it may name classes that have yet to come."""
    if isinstance(model.class_weight, dict) and model.allow_new_classes and not target.has_labels:
        known = target.classes.tolist()
        return {label: weight for label, weight in model.class_weight.items() if label in known}
    return model.class_weight


def beginning_of(model: Any, classes: NDArray[Any]) -> dict[str, Any]:
    """What must not change while learning goes on."""
    fixed = {name: getattr(model, name) for name in fixed_in(PERCEPTRON)}
    return {**fixed, "rule": as_rule(model.rule), "y": classes.tolist()}


def refuse_another_run(model: Any, classes: NDArray[Any]) -> None:
    """Refuse to go on where a parameter or the classes are not those that learning began with."""
    now = beginning_of(model, classes)
    for name, before in model._began_with.items():
        if before != now[name]:
            what = "y: classes" if name == "y" else f"{name}:"
            raise BadInput(
                f"{what} {now[name]!r} now, but learning began with {before!r}; "
                "go on as it began, or start anew with fit (warm_start=False)"
            )


def column_of(model: Any, label: Any) -> int:
    """The column of a class or label; there is one only for two classes."""
    columns = len(model.coef_)
    if columns == 1 and label is None:
        return 0
    names = getattr(model, "label_names_", model.classes_.tolist())
    if label not in names or columns == 1:
        listed = ", ".join(map(repr, names[:5])) + (", …" if len(names) > 5 else "")
        raise BadInput(
            f"of: got {label!r}, expected "
            + (f"one of the classes {listed}" if columns > 1 else "None: there is one column")
        )
    return int(names.index(label))


def begin_run(model: Any, batch: AnyBatch, target: Target) -> OneColumn | Many:
    """The state before the first look, by the parameters of the model."""
    if isinstance(batch, Batch):
        return begin(batch.n_features, model.rule, model.keep, model.offset, model.tie, model.init)
    shared = model.multiclass == "ultraconservative"
    if shared and target.has_labels:
        raise BadInput(
            "multiclass: 'ultraconservative' lets classes share a mistake, and the labels of a table are "
            "each on their own; use multiclass='one_vs_rest'"
        )
    return begin_many(
        len(target.classes), batch.rows, model.rule, model.keep, model.offset, model.tie, model.init,
        model.order, model.sharing if shared else None,
    )  # fmt: skip


def device_of(model: Any, state: OneColumn | Many, batch: AnyBatch) -> Backend:
    """Where the columns learn. Two classes are one column, which the CPU learns faster than any card."""
    backend = as_backend(model.device, isinstance(batch.rows, Sparse))
    if isinstance(backend, OnHost) or isinstance(state, OneColumn):
        return OnHost()
    if reason := _why_not(state, batch):
        if model.device == "auto":
            return OnHost()
        raise BadInput(f"device: {model.device!r} {reason}; use device='cpu', which gives the same bits")
    if model.device == "auto" and state.n_columns < MANY_COLUMNS:
        return OnHost()
    return backend


def _why_not(state: Many, batch: AnyBatch) -> str | None:
    """Why these columns cannot learn on a device; None where they can."""
    if not isinstance(state, Columns):
        return "has no loop for this rule, keeper or order"
    if state.sharing is not None:
        return "cannot learn classes that share their mistakes: they are one column"
    if not facts(state.rule).is_fixed:
        return f"learns by {listed(lambda facts: facts.is_fixed)} only"
    if isinstance(batch, ManyBatch) and batch.balance.size:
        return "has no class_weight for labels"
    return None


def learn_as_planned(
    state: OneColumn | Many, batch: AnyBatch, plan: Plan, n_jobs: Any, backend: Backend
) -> Outcome:
    """All passes of a fit."""
    if isinstance(state, OneColumn):
        assert isinstance(batch, Batch)
        return run(state, batch, plan)
    assert isinstance(batch, ManyBatch)
    elsewhere = None
    if isinstance(backend, OnDevice):
        from rosenblatt.learning.device_columns import DeviceColumns

        assert isinstance(state, Columns)
        elsewhere = DeviceColumns(state, batch, backend)
    return run_many(state, batch, plan, n_threads(n_jobs), elsewhere)


def cannot_fail(rule: Any, batch: AnyBatch, n_columns: int) -> bool:
    """Whether nothing can go wrong on the way, and a copy of the weights costs more than to find out: few
    numbers beside the weights, too small to overflow, and steps that do not depend on them."""
    rows = batch.rows
    if not facts(as_rule(rule)).is_fixed or max(as_rule(rule)) > 1e100:
        return False
    if rows.values.size >= n_columns * batch.n_features // 4:
        return False
    heaviest = batch.importance.max(initial=1.0)
    if isinstance(batch, ManyBatch):
        heaviest *= batch.balance.max(initial=1.0)
    largest = float(np.abs(rows.values).max(initial=0.0))
    return bool(largest < 1e100 and heaviest < 1e100)  # False for NaN


def error_on(state: OneColumn | Many, batch: AnyBatch) -> float:
    """The part of the rows (of the labels, where rows have several) that are wrong."""
    if isinstance(state, OneColumn):
        assert isinstance(batch, Batch)
        return error_rate(state, batch)
    assert isinstance(batch, ManyBatch)
    return error_of(state, batch)


def as_label_table(positive: NDArray[np.bool_], like: Any) -> Any:
    """A table of labels, of the kind that `fit` was given."""
    if not isinstance(like, str):
        return positive.astype(like)
    from scipy.sparse import csr_array

    return csr_array(positive.astype(np.int64))


def decider_for(state: OneColumn | Many) -> Any:
    """What answers for a state: an object with `values(rows)` and, for many columns, `best(rows)`."""
    return _OneColumn(state) if isinstance(state, OneColumn) else decider_of(state)


class _OneColumn:
    def __init__(self, state: OneColumn) -> None:
        self._state = state

    def values(self, rows: Rows) -> NDArray[np.float64]:
        return decision_values(self._state, rows)
