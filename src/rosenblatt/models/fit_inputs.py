"""Convert an estimator's parameters, X and y into examples, an initial state and a device.

Importing scikit-learn takes a second, so functions that `rosenblatt fit` does not need import it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.data.arrow_words import arrow_words
from rosenblatt.data.importance import as_importance, combine_weights, label_balance
from rosenblatt.data.sources.reading import every_row, is_arrow, read
from rosenblatt.data.targets import ANNOUNCE, Target, is_label_table, read_target, refuse_another_kind
from rosenblatt.errors import BadInput, bad_value
from rosenblatt.loops.column_targets import Classes, LabelLists, LabelTable
from rosenblatt.numeric.row_batches import (
    Batch,
    Rows,
    Sparse,
    as_rows,
    check_finite,
    n_features,
    n_rows,
    stack,
    take,
)
from rosenblatt.rules import as_rule, facts, name_of
from rosenblatt.training.backends import Backend, OnHost, as_backend
from rosenblatt.training.initial_states import Recipe, begin_linear
from rosenblatt.training.linear_state import LinearState
from rosenblatt.training.many_batch import ManyBatch
from rosenblatt.training.orders import as_order
from rosenblatt.training.panel_columns import MANY_COLUMNS
from rosenblatt.training.run import Epoch, Plan
from rosenblatt.training.settings import PERCEPTRON, differs, fixed_in

AnyBatch = Batch | ManyBatch


class HasRule:
    """Mixin that accepts parameters of the rule under names such as rule__C, as used by grid searches.

    It declares the fitted attributes of all estimators with a rule.
    """

    classes_: NDArray[Any]
    n_features_in_: int
    mistakes_: int
    updates_: int
    examples_seen_: int
    epochs_: int
    exact_decisions_: int
    false_positives_: int
    false_negatives_: int
    mistakes_per_class_: NDArray[np.int64]
    false_positives_per_class_: NDArray[np.int64]
    false_negatives_per_class_: NDArray[np.int64]
    converged_: bool
    history_: list[Epoch]
    best_epoch_: int

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the estimator; the name rule__C refers to the parameter C of its rule.

        Parameters
        ----------
        **params : dict
            The parameters by name.

        Returns
        -------
        estimator
            The estimator itself.

        Raises
        ------
        BadInput
            If the rule has no such parameter.

        Examples
        --------
        >>> from rosenblatt import Perceptron
        >>> Perceptron(rule="margin").set_params(rule__tau=0.5).rule
        Margin(tau=0.5, rate=1.0)
        """
        inside = {
            name[len(OF_THE_RULE) :]: params.pop(name) for name in [*params] if name.startswith(OF_THE_RULE)
        }
        super().set_params(**params)  # type: ignore[misc]
        if inside:
            rule = as_rule(self.rule)  # type: ignore[has-type]
            if strange := sorted(set(inside) - set(rule._fields)):
                known = ", ".join(OF_THE_RULE + name for name in rule._fields)
                raise BadInput(
                    f"{OF_THE_RULE}{strange[0]}: {name_of(rule)!r} has no such parameter; it has {known}"
                )
            self.rule = as_rule(type(rule)(**{**rule._asdict(), **inside}))
        return self


OF_THE_RULE = "rule__"


# ---------------------------------------------------------------- parameters


def draw_seed(random_state: Any) -> int:
    """Return a seed drawn from `random_state`."""
    from sklearn.utils import check_random_state

    return int(check_random_state(random_state).randint(2**31 - 1))


def as_list(callbacks: Any) -> list[Callable[[Epoch], Any]]:
    """Return the callbacks as a list, after checking them."""
    if callbacks is None:
        return []
    listed = [callbacks] if callable(callbacks) else callbacks
    if not isinstance(listed, (list, tuple)) or not all(callable(callback) for callback in listed):
        raise bad_value("callbacks", callbacks, "a callable or a list of callables, or None")
    return list(listed)


def make_plan(model: Any, n: int, seed: int, validation: Any, **more: Any) -> Plan:
    """Return the plan of a run of `fit` over n rows."""
    return Plan(
        epochs=model.epochs, until=model.until, callbacks=as_list(model.callbacks),
        order=as_order(model.order, n), seed=seed, track_error=model.track_error, validation=validation,
        progress=model.progress, **more,
    )  # fmt: skip


def beginning_of(model: Any, classes: NDArray[Any]) -> dict[str, Any]:
    """Return the settings that must stay the same when training continues."""
    fixed = {name: getattr(model, name) for name in fixed_in(PERCEPTRON)}
    return {**fixed, "rule": as_rule(model.rule), "y": classes.tolist()}


def refuse_another_run(began_with: dict[str, Any], now: dict[str, Any]) -> None:
    """Raise an error if a parameter or the classes differ from those at the start of training."""
    for name, before in began_with.items():
        if differs(before, now[name]):
            what = "y: classes" if name == "y" else f"{name}:"
            raise BadInput(
                f"{what} {now[name]!r} now, but learning began with {before!r}; "
                "continue as it began, or start again with fit (warm_start=False)"
            )


def weights_of_classes(class_weight: Any, target: Target, allow_new_classes: bool) -> Any:
    """Return `class_weight` after checking it; it may contain classes that have not occurred yet."""
    if isinstance(class_weight, dict) and allow_new_classes and not target.has_labels:
        known = target.classes.tolist()
        return {label: weight for label, weight in class_weight.items() if label in known}
    return class_weight


def column_of(label: Any, names: list[Any], columns: int) -> int:
    """Return the index of the binary classifier for a class or label; two classes share one classifier."""
    if columns == 1 and label is None:
        return 0
    if label not in names or columns == 1:
        listed = ", ".join(map(repr, names[:5])) + (", …" if len(names) > 5 else "")
        raise BadInput(
            f"of: got {label!r}, expected "
            + (f"one of the classes {listed}" if columns > 1 else "None: there is one weight vector")
        )
    return int(names.index(label))


# ---------------------------------------------------------------- X and y


def check_features(estimator: Any, X: Any, width: int, reset: bool) -> None:
    """Store the number and names of the features of X if `reset`, otherwise compare them."""
    from sklearn.utils.validation import _check_feature_names

    _check_feature_names(estimator, X, reset=reset)
    if reset:
        estimator.n_features_in_ = width
    elif width != estimator.n_features_in_:
        raise BadInput(
            f"X has {width} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input; give the columns it was trained on"
        )


def remember_features(estimator: Any, X: Any, width: int) -> None:
    """Store the features of X for a new run, and discard the encoding of an earlier run."""
    check_features(estimator, X, width, reset=True)
    vars(estimator).pop("reading_", None)


def rows_for(estimator: Any, X: Any) -> Rows:
    """Return X encoded as in training.

    If the estimator was fitted to a table and stored the encoding of its columns, another table is encoded
    in the same way.
    """
    reading = getattr(estimator, "reading_", None)
    if reading is not None and "columns" in reading and is_arrow(X):
        source = read(X, like=every_row(reading), labelled=False)
        return stack([chunk.rows for chunk in source.chunks()])
    rows = as_rows(X)
    check_features(estimator, X, n_features(rows), reset=False)
    return rows


def one_column(y: Any) -> Any:
    """Return y in the form that scikit-learn accepts: a matrix with a single column is flattened.

    Flattening issues scikit-learn's warning.
    """
    from sklearn.utils.validation import column_or_1d

    words = arrow_words(y)
    if words is not None or y is None or is_label_table(y):
        return y if words is None else words
    return column_or_1d(np.asarray(y), warn=True)


def read_classes(y: Any, n: int, known: NDArray[Any] | None = None) -> Target:
    """Return y as class numbers, after checking its length n; a table of labels raises an error."""
    from sklearn.utils.validation import column_or_1d

    words = arrow_words(y)
    if y is not None:
        y = column_or_1d(np.asarray(y), warn=True) if words is None else words
    return read_target(y, n, known, each_has_a_column=True, remedy=ANNOUNCE)


def make_examples(
    rows: Rows,
    target: Target,
    sample_weight: ArrayLike | None = None,
    class_weight: Any = None,
    totals: Any = None,
) -> AnyBatch:
    """Return examples weighted by sample weight × class weight.

    The function updates `totals`, the total weight of each class so far, which "balanced" takes into
    account.
    """
    labels = target.labels
    if isinstance(labels, (LabelTable, LabelLists)):
        importance = as_importance(sample_weight, n_rows(rows))
        balance = label_balance(class_weight, target, importance, totals, n_rows(rows))
        return ManyBatch(rows, labels, importance, balance)
    importance = np.empty(0)
    if sample_weight is not None or class_weight is not None:
        # labels of −1 and +1 suffice for two classes without class weights
        numbers = labels if isinstance(labels, np.ndarray) and class_weight is None else target.numbers
        importance = combine_weights(numbers, target.classes, sample_weight, class_weight, totals)
    if isinstance(labels, np.ndarray):
        return Batch(rows, labels, importance)
    return ManyBatch(rows, labels, importance)


# ---------------------------------------------------------------- held-out rows


def hold_out(
    validation: Any,
    batch: AnyBatch,
    target: Target,
    seed: int,
    read: Callable[[Any, int], Target] | None = None,
) -> tuple[AnyBatch, AnyBatch | None]:
    """Split off the validation rows; return the training batch and the validation rows.

    `read` parses the y of separate validation rows; by default it expects the same kind of target.
    """
    if validation is None:
        return batch, None
    if isinstance(validation, (int, float)) and not isinstance(validation, bool):
        strata = np.zeros(batch.n_rows, np.int8) if target.has_labels else target.numbers
        importance, chosen = split_held_out(
            float(validation), strata, batch.importance, seed, 1 if target.has_labels else 2
        )
        others = make_examples(take(batch.rows, chosen), target.part(chosen))
        return replace(batch, importance=importance), others
    if not (isinstance(validation, tuple) and len(validation) == 2):
        raise bad_value("validation", validation, "a fraction such as 0.1, a pair (X, y), or None")
    X, y = validation
    try:
        rows = as_rows(X)
        if n_features(rows) != batch.n_features:
            raise BadInput(f"{n_features(rows)} features, the training rows have {batch.n_features}")
        check_finite(rows, None)
        if read is None:
            other = read_target(one_column(y), n_rows(rows), target.classes, not target.has_two_classes)
        else:
            other = read(y, n_rows(rows))
        refuse_another_kind(other, target)
    except BadInput as error:
        raise BadInput(f"validation: {error}") from error
    return batch, make_examples(rows, other)


def split_held_out(
    part: float, labels: NDArray[Any], importance: NDArray[np.float64], seed: int, least_classes: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Hold out the same fraction of each class.

    Return new weights for all rows, and the indices of the held-out rows. Held-out rows get weight 0 and
    stay in place, so that the data are not copied.
    """
    if not 0.0 < part < 1.0:
        raise bad_value("validation", part, "a fraction between 0 and 1, such as 0.1")
    rows = np.flatnonzero(importance) if importance.size else np.arange(len(labels))
    generator = np.random.default_rng([seed, 0x5EED])
    held = []
    for label in np.unique(labels):
        of_class = rows[labels[rows] == label]
        held.append(generator.permutation(of_class)[: round(part * of_class.size)])
    chosen = np.sort(np.concatenate(held))
    left = importance.copy() if importance.size else np.ones(len(labels))
    left[chosen] = 0.0
    classes_left = len(set(labels[left > 0].tolist()))
    if not chosen.size or classes_left < least_classes:
        lacks = (
            "none to hold out"
            if not chosen.size
            else f"{('none', 'one class')[classes_left]} to learn from"
        )
        raise BadInput(
            f"validation: a part of {part} of {len(rows)} rows leaves {lacks}; "
            "give other rows as validation=(X, y)"
        )
    return left, chosen


# ---------------------------------------------------------------- initial state and device


def begin_run(model: Any, batch: AnyBatch, n_columns: int | None) -> LinearState:
    """Return the initial state for the parameters of a model; n_columns=None stands for two classes."""
    sharing = None
    if model.multiclass == "ultraconservative" and isinstance(batch, ManyBatch):
        sharing = model.sharing
        if not isinstance(batch.targets, Classes):
            raise BadInput(
                "multiclass: 'ultraconservative' lets classes share a mistake, but the labels of a table "
                "are independent; use multiclass='one_vs_rest'"
            )
    recipe = Recipe(model.rule, model.keep, model.offset, model.tie, model.init)
    return begin_linear(recipe, batch.rows, n_columns, model.order, sharing)


def device_of(device: Any, state: LinearState, batch: AnyBatch) -> Backend:
    """Return the backend that trains the binary classifiers; a single classifier is fastest on the CPU."""
    if device == "cpu":
        return OnHost()
    backend = as_backend(device, isinstance(batch.rows, Sparse))
    if backend.is_host or isinstance(batch, Batch):
        return OnHost()
    if reason := state.why_not_on_device(batch):
        if device == "auto":
            return OnHost()
        raise BadInput(f"device: {device!r} {reason}; use device='cpu', which gives the same bits")
    return OnHost() if device == "auto" and state.n_columns < MANY_COLUMNS else backend


def cannot_fail(rule: Any, batch: AnyBatch, n_columns: int | None) -> bool:
    """Return whether training cannot fail, so that no copy of the weights is needed.

    This requires that the rows have few entries compared with the weights (otherwise the check takes longer
    than the copy), that these entries are too small to cause overflow, and that steps do not depend on the
    weights.
    """
    rows = batch.rows
    if not facts(as_rule(rule)).is_fixed or max(as_rule(rule)) > 1e100:
        return False
    if rows.values.size >= (n_columns or 1) * batch.n_features // 4:
        return False
    heaviest = batch.importance.max(initial=1.0)
    if isinstance(batch, ManyBatch):
        heaviest *= batch.balance.max(initial=1.0)
    largest = float(np.abs(rows.values).max(initial=0.0))
    return bool(largest < 1e100 and heaviest < 1e100)  # False for NaN
