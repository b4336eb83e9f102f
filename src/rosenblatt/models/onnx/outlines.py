"""The parts of each kind of model that an export needs: its scores and its labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.sources.field_inference import fields_from_settings
from rosenblatt.data.sources.field_roles import CATEGORY
from rosenblatt.data.sources.hashing import hashed_names
from rosenblatt.data.sources.naming import FeatureNames
from rosenblatt.data.sources.numbered_features import numbers_in
from rosenblatt.data.sources.table_fields import FieldFeatures
from rosenblatt.errors import BadInput
from rosenblatt.models.auto_perceptron import AutoPerceptron
from rosenblatt.models.features import Features
from rosenblatt.models.kernel_perceptron import KernelPerceptron
from rosenblatt.models.onnx.graph_scores import (
    Terms,
    Weights,
    committee_refusal,
    linear_scores,
    polynomial_scores,
)
from rosenblatt.models.onnx.output import LabelTable, Largest, OneOfTwo
from rosenblatt.models.perceptron import Perceptron
from rosenblatt.models.polynomial_threshold import PolynomialThreshold
from rosenblatt.training.calibration import Calibration
from rosenblatt.training.online.learner import Learner

Answer = OneOfTwo | Largest | LabelTable


class TableFeatures(NamedTuple):
    """Hold the treatment of the columns of a table, and the place and sign of named features in w.

    `known` contains the names of the features that have a weight.
    """

    fields: FieldFeatures
    known: list[str]
    places: Callable[[list[str]], tuple[NDArray[np.int64], NDArray[np.float64]]]


class Outline(NamedTuple):
    """Hold the parts of a model from which a graph is built."""

    n_features: int
    scores: Weights | Terms
    answer: Answer
    feature_names: list[str]  # empty if features have no names
    calibration: Calibration | None = None
    table: TableFeatures | None = None  # None: the graph gets the features as a matrix


def outline(model: Any) -> Outline:
    """Return the parts of a model from which a graph is built."""
    if isinstance(model, Learner):
        return _of_learner(model)
    if isinstance(model, KernelPerceptron):
        raise _kernel_refusal("KernelPerceptron")
    if isinstance(model, AutoPerceptron):
        return _of_auto(model)
    if isinstance(model, Pipeline) and [type(step) for _, step in model.steps] == [Features, Perceptron]:
        return _of_pipeline(model[0], outline(model[1]))
    if not isinstance(model, Perceptron | PolynomialThreshold):
        raise BadInput(
            f"to_onnx: got a {type(model).__name__}, expected a Perceptron, PolynomialThreshold, Learner, "
            "AutoPerceptron or a pipeline of Features and Perceptron (of another pipeline, give the last "
            "step and feed it the output of the steps before)"
        )
    check_is_fitted(model)
    names = [str(name) for name in getattr(model, "feature_names_in_", [])]
    if (vocabulary := getattr(model, "_vocabulary", None)) is not None:
        named = FeatureNames(model.reading_, None, vocabulary).of(range(model.n_features_in_))
        names = [feature.name for feature in named.values()]
    scores, answer = _of_perceptron(model) if isinstance(model, Perceptron) else _of_polynomial(model)
    return Outline(model.n_features_in_, scores, answer, names, getattr(model, "calibration_", None))


def _of_perceptron(model: Perceptron) -> tuple[Weights | Terms, Answer]:
    scores = linear_scores(model._state, model.n_features_in_)
    if model._target.has_labels:
        return scores, LabelTable(getattr(model, "label_names_", model.classes_), model.tie)
    if model._target.has_two_classes:
        return scores, OneOfTwo(model.classes_, model.tie, getattr(model, "threshold_", None))
    return scores, Largest(model.classes_, with_lead=len(model.classes_) == 2)


def _of_pipeline(features: Features, found: Outline) -> Outline:
    """Return the parts of a pipeline of `Features` and `Perceptron`."""
    names = [str(name) for name in features.get_feature_names_out()]
    if features.fields_.is_hashed and features.vocabulary_ is None:
        raise BadInput(
            "to_onnx: the features are hashed, and ONNX has no hash function; use Features(bits=None)"
        )
    at = {name: place for place, name in enumerate(names)}

    def places(wanted: list[str]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        return np.array([at.get(name, -1) for name in wanted], np.int64), np.ones(len(wanted))

    return found._replace(table=TableFeatures(features.fields_, names, places))


def _of_auto(model: AutoPerceptron) -> Outline:
    check_is_fitted(model)
    record = model._record
    state, reading = record.state, record.reading or {}
    fields = fields_from_settings(reading)
    if not isinstance(fields, FieldFeatures):
        raise BadInput("to_onnx: the model was trained on sparse rows; export a Perceptron trained on them")
    columns = [column for column, role in fields.columns if role == CATEGORY]
    if columns and record.vocabulary is None:
        raise BadInput(
            f"to_onnx: the values of column {columns[0]!r} are not stored; train with names='all'"
        )
    known = fields.feature_names or []

    def places(wanted: list[str]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        if not fields.is_hashed:
            at = {name: place for place, name in enumerate(known)}
            return np.array([at.get(name, -1) for name in wanted], np.int64), np.ones(len(wanted))
        indices, signs = hashed_names(wanted, fields.bits)
        return numbers_in(reading).places(indices), signs

    if fields.is_hashed and record.vocabulary is not None:
        known = record.vocabulary.names.texts()
    scores = linear_scores(state, record.n_features)
    answer: Answer = OneOfTwo(model.classes_, record.parameters["tie"], record.threshold)
    if scores.w.shape[1] > 1:
        answer = Largest(model.classes_, with_lead=len(model.classes_) == 2)
    table = TableFeatures(fields, known, places)
    return Outline(record.n_features, scores, answer, [], getattr(model, "calibration_", None), table)


def _of_polynomial(model: PolynomialThreshold) -> tuple[Weights | Terms, Answer]:
    if model.keep == "voted":
        raise committee_refusal()
    scores = polynomial_scores(*model._expand())
    if scores.coefficients.shape[1] > 1:
        return scores, Largest(model.classes_, with_lead=False)
    return scores, OneOfTwo(model.classes_, model.tie)


def _kernel_refusal(what: str) -> BadInput:
    return BadInput(
        f"to_onnx: a {what} predicts with its support rows, which no graph of this package holds; use "
        "PolynomialThreshold, whose polynomial is exported, or Perceptron"
    )


def _of_learner(learner: Learner) -> Outline:
    trainer = learner.trainer
    state, names = trainer.state, learner.feature_names
    width = len(names) if trainer.features.are_named else (trainer.n_features or 0)
    if not width or state is None:
        raise BadInput("to_onnx: this Learner has seen no example yet; let it learn from one first")
    if learner.kernel is not None:
        raise _kernel_refusal("Learner with a kernel")
    answer: Answer = OneOfTwo(learner.classes, learner.tie)
    if learner.multiclass:
        answer = Largest(learner.classes[: state.n_columns], False)
    return Outline(width, linear_scores(state, width), answer, names)
