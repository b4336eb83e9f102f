"""The parts of each kind of model that an export needs: its scores and its labels."""

from __future__ import annotations

from typing import Any, NamedTuple

from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.sources.naming import FeatureNames
from rosenblatt.errors import BadInput
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


class Outline(NamedTuple):
    """Hold the parts of a model from which a graph is built."""

    n_features: int
    scores: Weights | Terms
    answer: Answer
    feature_names: list[str]  # empty if features have no names
    calibration: Calibration | None = None


def outline(model: Any) -> Outline:
    """Return the parts of a model from which a graph is built."""
    if isinstance(model, Learner):
        return _of_learner(model)
    if isinstance(model, KernelPerceptron):
        raise _kernel_refusal("KernelPerceptron")
    if not isinstance(model, Perceptron | PolynomialThreshold):
        raise BadInput(
            f"to_onnx: got a {type(model).__name__}, expected a Perceptron, PolynomialThreshold or Learner "
            "(of a pipeline, give the last step and feed it the output of the steps before)"
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
