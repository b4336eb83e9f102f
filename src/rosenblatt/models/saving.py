"""`save` and `load`: store any model of the package in a file; loading runs no code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar, overload

import numpy as np
from sklearn.pipeline import Pipeline

from rosenblatt.data.sources.table_fields import FieldFeatures
from rosenblatt.data.targets import NO_ROWS, Target
from rosenblatt.errors import BadInput
from rosenblatt.loops.column_targets import Classes, LabelLists, LabelTable
from rosenblatt.models.auto_perceptron import AutoPerceptron
from rosenblatt.models.features import Features
from rosenblatt.models.fit_inputs import beginning_of
from rosenblatt.models.kernel_estimator import KernelEstimator
from rosenblatt.models.kernel_perceptron import KernelPerceptron
from rosenblatt.models.perceptron import Perceptron
from rosenblatt.models.polynomial_threshold import PolynomialThreshold
from rosenblatt.rules import as_rule
from rosenblatt.storage import kernel_perceptrons, learners, perceptrons
from rosenblatt.storage.container import Path
from rosenblatt.storage.fields import Section, load_as
from rosenblatt.storage.kernel_perceptrons import (
    KernelRecord,
    decode_kernel_perceptron,
    decode_polynomial_threshold,
    save_kernel_perceptron,
)
from rosenblatt.storage.learners import decode_learner, save_learner
from rosenblatt.storage.perceptrons import OUTCOME, PerceptronRecord, decode_perceptron, save_perceptron
from rosenblatt.training.online.learner import Learner
from rosenblatt.training.settings import PERCEPTRON, fixed_in

STILL_KNOWN = ("updates", "examples_seen")  # including copies made by `KernelPerceptron.as_of`


def save(model: Any, path: Path) -> None:
    """Write a model to a file that `load` reads.

    The file is in the safetensors format: arrays, and a JSON document in the metadata. It is written
    completely or not at all: if the disk is full, or another `OSError` occurs, an existing file at `path`
    stays unchanged.

    Custom rules and kernels are code and cannot be stored (`BadInput`). Callbacks, rows given as
    `validation=(X, y)` and random generators are not stored and are None in the loaded model. The seed is
    stored, so training continues as if there had been no interruption. Metadata routing is not stored, and
    neither are examples that a `Learner` has answered but whose labels have not been revealed. Lists given
    as `order` or `init` become arrays.

    Parameters
    ----------
    model : AutoPerceptron, Perceptron, KernelPerceptron, PolynomialThreshold, Learner or Pipeline
        The model, fitted unless it is a `Learner`; or a pipeline of `Features` and `Perceptron`.
    path : str or PathLike
        The file to write.

    Raises
    ------
    BadInput
        If the model cannot be written.

    Examples
    --------
    >>> import os, tempfile
    >>> from rosenblatt import Perceptron
    >>> model = Perceptron(order="given").fit([[0.0, 1.0], [2.0, 0.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, os.path.join(folder, "model.safetensors"))
    ...     again = load(os.path.join(folder, "model.safetensors"))
    >>> again.predict([[3.0, 0.0]]), again.mistakes_
    (array(['yes'], dtype='<U3'), 2)
    """
    if type(model) not in _SAVERS or (type(model) is Pipeline and not is_features_pipeline(model)):
        raise BadInput(
            f"model: got {type(model).__name__}, expected one of "
            f"{', '.join(cls.__name__ for cls in _SAVERS)} (of Features and Perceptron); use pickle for "
            "other objects and pipelines"
        )
    if type(model) is not Learner and not model.__sklearn_is_fitted__():
        raise BadInput(f"model: this {type(model).__name__} has learned nothing yet; call fit first")
    _SAVERS[type(model)](model, path)


Model: TypeAlias = AutoPerceptron | Perceptron | KernelPerceptron | PolynomialThreshold | Learner | Pipeline
Kind = TypeVar("Kind", bound=Model)


@overload
def load(path: Path) -> Model: ...


@overload
def load(path: Path, kind: type[Kind]) -> Kind: ...


def load(path: Path, kind: type | None = None) -> Any:
    """Return the model in a file written by `save`, ready to predict and to continue training.

    No code in the file is run, so untrusted files can be loaded; the memory used is proportional to the
    size of the file.

    Parameters
    ----------
    path : str or PathLike
        The file to read.
    kind : class, default=None
        The expected class of the model, which is also its type for type checkers; None for any.

    Returns
    -------
    AutoPerceptron, Perceptron, KernelPerceptron, PolynomialThreshold, Learner or Pipeline
        The model. A file of `rosenblatt fit` contains a `Perceptron`, which learns from encoded rows.

    Raises
    ------
    BadInput
        If the file is missing or is not a model of this kind; the message names the file.

    Examples
    --------
    >>> load("no/such/model.safetensors")
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: no/such/model.safetensors: there is no such file; check its name
    """
    model = load_as(_LOADERS, path)
    if kind is not None and not isinstance(model, kind):
        raise BadInput(f"{path}: holds a {type(model).__name__}, expected a {kind.__name__}")
    return model


# ---------------------------------------------------------------- Perceptron


def record_of(model: Perceptron) -> PerceptronRecord:
    """Return the content of a perceptron as a record that does not need scikit-learn."""
    target = model._target
    kind = perceptrons.CLASSES
    if target.has_two_classes or target.has_labels:
        kind = perceptrons.LABELS if target.has_labels else perceptrons.TWO_CLASSES
    return PerceptronRecord(
        target=kind,
        parameters=model.get_params(deep=False),
        began={name: model._began_with[name] for name in fixed_in(PERCEPTRON)},
        label_names=target.names,
        like=target.like,
        constant_labels=getattr(model, "constant_labels_", None),
        reading=getattr(model, "reading_", None),
        vocabulary=model._vocabulary,
        threshold=getattr(model, "threshold_", None),
        **_common_fields(model),
    )


def perceptron_of(record: PerceptronRecord) -> Perceptron:
    """Return the perceptron that a record describes."""
    model = Perceptron(**record.parameters)
    take_record(model, record)
    return model


def take_record(model: Perceptron, record: PerceptronRecord) -> None:
    """Set the learned state of a perceptron from a record."""
    target = Target(record.classes, _no_rows(record), record.label_names, record.like)
    totals = target.no_totals() if record.class_totals is None else record.class_totals
    model._take(target, record.constant_labels, totals, record.state, _fitted_attributes(record))
    model._seed, model._began_with = record.seed, beginning_of(model, record.classes)
    model.__dict__.pop("_vocabulary", None)
    if record.vocabulary is not None:
        model._vocabulary = record.vocabulary
    if record.began is not None:
        model._began_with |= {**record.began, "rule": as_rule(record.began["rule"])}
    _set_present(
        model,
        device_=record.device,
        reading_=record.reading,
        calibration_=record.calibration,
        threshold_=record.threshold,
    )


def _no_rows(record: PerceptronRecord) -> Any:
    """Return an empty target of the same kind as the target of the record."""
    if record.target == perceptrons.TWO_CLASSES:
        return np.empty(0, np.int8)
    if record.target == perceptrons.CLASSES:
        return NO_ROWS[Classes]
    return NO_ROWS[LabelLists if isinstance(record.like, str) else LabelTable]


# ---------------------------------------------------------------- estimators that encode columns


def is_features_pipeline(model: Any) -> bool:
    """Return whether a model is a pipeline of the steps `Features` and `Perceptron`."""
    return type(model) is Pipeline and [type(step) for _, step in model.steps] == [Features, Perceptron]


def _save_auto(model: AutoPerceptron, path: Path) -> None:
    about = {
        "kind": "auto",
        "parameters": {**model.get_params(), "rule": None},
        "has_rule": model.rule is not None,
        "columns": model.feature_names_in_.tolist(),
        "roles": model.columns_,
        "has_bool_classes": model.classes_.dtype.kind == "b",
    }
    calibration = getattr(model, "calibration_", None)
    save_perceptron(replace(model._record, estimator=about, calibration=calibration), path)


def _save_pipeline(model: Pipeline, path: Path) -> None:
    (name, features), (last, perceptron) = model.steps
    vocabulary = features.vocabulary_
    about = {
        "kind": "pipeline",
        "steps": [name, last],
        "parameters": features.get_params(),
        "columns": features.feature_names_in_.tolist(),
        "roles": features.columns_,
        "fields": features.fields_.settings(),
    }
    names = None if vocabulary is None else vocabulary.tolist()
    record = record_of(perceptron)
    record.vocabulary = features.recorded_names_
    save_perceptron(replace(record, estimator=about, feature_names=names), path)


def _estimator_of(record: PerceptronRecord) -> Any:
    """Return the perceptron that a record describes, or the estimator that contains it."""
    about = record.estimator
    if about is None:
        return perceptron_of(record)
    try:
        names = [str(name) for name in about["columns"]]
        roles = {str(name): (str(role), str(why)) for name, (role, why) in about["roles"].items()}
        parameters: dict[str, Any] = {
            name: tuple(tuple(each) if isinstance(each, list) else each for each in given)
            if isinstance(given, list)
            else given
            for name, given in about["parameters"].items()
        }
        if about["kind"] == "auto":
            if about["has_rule"]:
                parameters["rule"] = record.parameters["rule"]
            model = AutoPerceptron(**parameters)
            classes = record.classes.astype(bool) if about["has_bool_classes"] else record.classes
            model._take(record, names, classes)
            model.selection_, model.columns_ = None, roles
            return model
        features = Features(**parameters)._take_fields(
            FieldFeatures.from_settings(about["fields"]), names, record.feature_names, record.vocabulary
        )
        features.columns_ = roles
        first, last = about["steps"]
        perceptron = perceptron_of(replace(record, feature_names=None, vocabulary=None))
        return Pipeline([(first, features), (last, perceptron)])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadInput(f"the description of the estimator is damaged ({error!r}); save it again") from error


# ---------------------------------------------------------------- KernelPerceptron, PolynomialThreshold


def kernel_record_of(model: KernelEstimator) -> KernelRecord:
    """Return the content of a kernel estimator as a record that does not need scikit-learn."""
    return KernelRecord(
        n_features=model.n_features_in_,
        parameters=dict(sorted(model._parameters().items())),
        began=dict(model._began_with),
        is_past=model._is_past,
        written_out=model._state.written_out,
        polynomial=model.get_params(deep=False) if isinstance(model, PolynomialThreshold) else None,
        **_common_fields(model),
    )


def kernel_estimator_of(record: KernelRecord) -> KernelEstimator:
    """Return the kernel perceptron or polynomial threshold that a record describes."""
    model: KernelEstimator
    if record.polynomial is None:
        model = KernelPerceptron(**record.parameters)
    else:
        model = PolynomialThreshold(**record.polynomial)
    model._state, model._seed, model._class_totals = record.state, record.seed, record.class_totals
    model.classes_, model.kernel_, model.device_ = record.classes, record.state.kernel, record.device
    model._began_with, model._is_past = record.began, record.is_past
    record.state.written_out, record.state.seed = record.written_out, record.seed
    _set_present(model, calibration_=record.calibration)
    model.__dict__.update(_fitted_attributes(record))
    for name in set(OUTCOME) - set(STILL_KNOWN) if record.is_past else ():
        delattr(model, f"{name}_")
    return model


# ---------------------------------------------------------------- shared parts


def _common_fields(model: Any) -> dict[str, Any]:
    """Return the fields that the records of all estimators have, and the counters of this estimator."""
    names = getattr(model, "feature_names_in_", None)
    return {
        "state": model._state,
        "classes": model.classes_,
        "seed": model._seed,
        "class_totals": model._class_totals,
        "feature_names": None if names is None else [str(name) for name in names],
        "device": getattr(model, "device_", None),
        "calibration": getattr(model, "calibration_", None),
        **{name: getattr(model, f"{name}_") for name in OUTCOME if hasattr(model, f"{name}_")},
    }


def _fitted_attributes(record: PerceptronRecord | KernelRecord) -> dict[str, Any]:
    """Return the fitted attributes that describe the run and the features, by name."""
    attributes = {f"{name}_": getattr(record, name) for name in OUTCOME}
    if record.mistakes_per_class is None:
        attributes["mistakes_per_class_"] = record.state.summary()["mistakes_per_class"]
    attributes["n_features_in_"] = record.n_features
    if record.feature_names is not None:  # scikit-learn stores names as objects
        attributes["feature_names_in_"] = np.array(record.feature_names, dtype=object)
    return attributes


def _set_present(model: Any, **attributes: Any) -> None:
    """Set the attributes of a model that are not None."""
    for name, value in attributes.items():
        if value is not None:
            setattr(model, name, value)


_SAVERS: dict[type, Callable[[Any, Path], None]] = {
    AutoPerceptron: _save_auto,
    Perceptron: lambda model, path: save_perceptron(record_of(model), path),
    Pipeline: _save_pipeline,
    KernelPerceptron: lambda model, path: save_kernel_perceptron(kernel_record_of(model), path),
    PolynomialThreshold: lambda model, path: save_kernel_perceptron(kernel_record_of(model), path),
    Learner: save_learner,
}
_LOADERS: dict[str, Callable[[Section], Any]] = {
    perceptrons.KIND: lambda section: _estimator_of(decode_perceptron(section)),
    kernel_perceptrons.KERNEL_PERCEPTRON: lambda section: kernel_estimator_of(
        decode_kernel_perceptron(section)
    ),
    kernel_perceptrons.POLYNOMIAL_THRESHOLD: lambda section: kernel_estimator_of(
        decode_polynomial_threshold(section)
    ),
    learners.KIND: decode_learner,
}
