"""What there is to export of each kind of model: how it scores, and how it answers."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple, Protocol

from sklearn.utils.validation import check_is_fitted

from rosenblatt.errors import BadInput
from rosenblatt.learning.calibration import Calibration
from rosenblatt.learning.dual.dual_decisions import drawn_look
from rosenblatt.learning.online.by_kernel import KernelState
from rosenblatt.learning.online.learner import Learner
from rosenblatt.models import KernelPerceptron, Perceptron, PolynomialThreshold
from rosenblatt.models.onnx.dual_scores import dual_scores, polynomial_scores
from rosenblatt.models.onnx.graph import Graph
from rosenblatt.models.onnx.linear_scores import linear_scores
from rosenblatt.models.onnx.output import LabelTable, Largest, OneOfTwo


class Scores(Protocol):
    """Define an object that computes scores in a graph."""

    def add_to(self, graph: Graph) -> str:
        """Add nodes for a matrix of scores, a column for each column of the model; return its name."""


class Answer(Protocol):
    """Define an object that computes the outputs of a graph from scores."""

    @property
    def classes(self) -> Any:
        """Classes of the model."""

    def add_to(self, graph: Graph, scores: str) -> str:
        """Add nodes for the outputs `label` and `scores`; return the name of the latter as a matrix."""


class Outline(NamedTuple):
    """Hold the parts of a model that a graph needs; unnamed features have an empty list of names."""

    n_features: int
    scores: Scores
    answer: Answer
    feature_names: list[str]  # empty where features have none
    calibration: Calibration | None = None


def outline(model: Any) -> Outline:
    """Return the outline of a model."""
    if isinstance(model, Learner):
        return _of_learner(model)
    if not isinstance(model, Perceptron | KernelPerceptron | PolynomialThreshold):
        raise BadInput(
            f"to_onnx: got a {type(model).__name__}, expected a Perceptron, KernelPerceptron, "
            "PolynomialThreshold or Learner (of a pipeline, give the last step and give it the output of "
            "the steps before)"
        )
    check_is_fitted(model)
    names = [str(name) for name in getattr(model, "feature_names_in_", [])]
    scores, answer = _of_perceptron(model) if isinstance(model, Perceptron) else _of_kernels(model)
    return Outline(model.n_features_in_, scores, answer, names, getattr(model, "calibration_", None))


def _of_perceptron(model: Perceptron) -> tuple[Scores, Answer]:
    scores = linear_scores(model._state, model.n_features_in_)
    if model._target.has_labels:
        return scores, LabelTable(getattr(model, "label_names_", model.classes_), model.tie)
    if model._target.has_two_classes:
        return scores, OneOfTwo(model.classes_, model.tie, getattr(model, "threshold_", None))
    return scores, Largest(model.classes_, with_lead=len(model.classes_) == 2)


def _of_kernels(model: KernelPerceptron | PolynomialThreshold) -> tuple[Scores, Answer]:
    if isinstance(model, PolynomialThreshold):
        # a copy: to export a model changes nothing in it
        learner: KernelPerceptron = copy.copy(model._learner_).set_params(keep=model.keep, tie=model.tie)
    else:
        learner = model
    state, keep = learner._state.deciding(learner.keep)
    answer: Answer = OneOfTwo(learner.classes_, learner.tie)
    if state.n_columns > 1:
        answer = Largest(learner.classes_, with_lead=False)
    if learner._written_out is not None and keep != "voted":
        return polynomial_scores(learner._written_out, state, learner._coefficients()), answer
    drawn = drawn_look(learner._seed, state.looks)
    return dual_scores(state, keep, drawn, learner.n_features_in_), answer


def _of_learner(learner: Learner) -> Outline:
    names = list(learner._slots) if learner._named else []
    state = learner._state
    width = len(names) if learner._named else (state.n_features if state else 0)
    is_empty = learner.multiclass and state is not None and state._many is None
    if not width or is_empty:
        raise BadInput("to_onnx: this Learner has seen no example yet; let it learn from one first")
    if isinstance(state, KernelState):
        dual, keep = state._dual.deciding(learner.keep)
        answer = OneOfTwo(learner.classes, learner.tie)
        return Outline(width, dual_scores(dual, keep, 0, width), answer, names)
    if learner.multiclass:
        classes = state.classes[: state._many.n_columns]
        return Outline(width, linear_scores(state._many, width), Largest(classes, False), names)
    return Outline(width, linear_scores(state, width), OneOfTwo(learner.classes, learner.tie), names)
