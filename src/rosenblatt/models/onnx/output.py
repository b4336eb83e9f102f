"""The outputs of a graph: labels computed from scores as in `predict`, and the scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.models.onnx.graph import Graph
from rosenblatt.numeric.row_batches import tie_label
from rosenblatt.training.calibration import Calibration, Platt


class OneOfTwo(NamedTuple):
    """Output the second class if the score is positive, or above the chosen threshold."""

    classes: Sequence[Any] | NDArray[Any]
    tie: str
    threshold: float | None = None

    def add_to(self, graph: Graph, scores: str) -> str:
        """Add the outputs to a graph and return the name of the scores."""
        score = graph.node("Squeeze", scores, np.array([1]))
        if self.threshold is None:
            above = is_above(graph, score, self.tie)
        else:
            above = graph.node("Greater", score, self.threshold)
        _give_class(graph, self.classes, graph.as_int64(above))
        graph.output("scores", score, graph.onnx.TensorProto.DOUBLE, None)
        return scores


class Largest(NamedTuple):
    """Output the class with the largest score; ties go to the first class.

    With two classes and `with_lead`, the output `scores` is the score of the second class minus that of the
    first.
    """

    classes: Sequence[Any] | NDArray[Any]
    with_lead: bool

    def add_to(self, graph: Graph, scores: str) -> str:
        """Add the outputs to a graph and return the name of the scores."""
        _give_class(graph, self.classes, graph.node("ArgMax", scores, axis=1, keepdims=0))
        double = graph.onnx.TensorProto.DOUBLE
        if self.with_lead:
            lead = graph.node("MatMul", scores, np.array([[-1.0], [1.0]]))
            graph.output("scores", graph.node("Squeeze", lead, np.array([1])), double, None)
            return lead
        graph.output("scores", scores, double, len(self.classes))
        return scores


class LabelTable(NamedTuple):
    """Output 1 for each label whose score is positive, otherwise 0."""

    classes: Sequence[Any] | NDArray[Any]
    tie: str

    def add_to(self, graph: Graph, scores: str) -> str:
        """Add the outputs to a graph and return the name of the scores."""
        kinds, n_labels = graph.onnx.TensorProto, len(self.classes)
        labels = graph.as_int64(is_above(graph, scores, self.tie))
        graph.output("label", labels, kinds.INT64, n_labels)
        graph.output("scores", scores, kinds.DOUBLE, n_labels)
        return scores


def is_above(graph: Graph, scores: str, tie: str) -> str:
    """Add nodes that test whether scores are positive, and return their name; `tie` decides scores of 0."""
    return graph.node("GreaterOrEqual" if tie_label(tie) > 0.0 else "Greater", scores, 0.0)


def _give_class(graph: Graph, classes: Sequence[Any] | NDArray[Any], number: str) -> None:
    names = class_names(classes)
    kinds = graph.onnx.TensorProto
    kind = kinds.STRING if names.dtype.kind == "O" else kinds.INT64
    graph.output("label", graph.node("Gather", names, number, axis=0), kind, None)


def class_names(classes: Sequence[Any] | NDArray[Any]) -> NDArray[Any]:
    """Return classes as ONNX stores them: int64, or objects that are strings.

    Booleans, and floats that are whole numbers, become integers.

    Examples
    --------
    >>> class_names(np.array([False, True])), class_names(["a", "b"])
    (array([0, 1]), array(['a', 'b'], dtype=object))
    >>> class_names([b"a", b"b"])
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: to_onnx: classes b'a', b'b': ONNX has strings and int64; use such classes
    """
    listed = [_plain(label) for label in classes]
    if all(isinstance(label, str) for label in listed):
        try:
            return np.array([label.encode().decode() for label in listed], dtype=object)
        except UnicodeEncodeError as error:
            raise BadInput(
                f"to_onnx: a class cannot be written in UTF-8 ({error}); train with other names"
            ) from error
    if all(isinstance(label, int | float) for label in listed):
        whole = [int(label) for label in listed]
        if whole == listed and all(-(2**63) <= label < 2**63 for label in whole):
            return np.array(whole, np.int64)
    shown = ", ".join(map(repr, listed[:3])) + (", …" if len(listed) > 3 else "")
    raise BadInput(f"to_onnx: classes {shown}: ONNX has strings and int64; use such classes")


def _plain(label: Any) -> Any:
    """Return NumPy numbers as Python numbers, but leave NumPy dates unchanged."""
    return label.item() if isinstance(label, np.generic) and label.dtype.kind in "biuf" else label


def add_probabilities(graph: Graph, scores: str, calibration: Calibration, n_classes: int) -> None:
    """Add an output with probabilities; `scores` has one column per class, or one for two classes."""
    if isinstance(calibration, Platt):
        z = graph.node("Add", graph.node("Mul", scores, calibration.slope), calibration.shift)
        each = graph.node("Div", 1.0, graph.node("Add", 1.0, graph.node("Exp", graph.node("Neg", z))))
    else:
        curves = enumerate(zip(calibration.x, calibration.y, strict=True))
        each = graph.node("Concat", *(_polygon(graph, scores, k, x, y) for k, (x, y) in curves), axis=1)
    if n_classes == 2:
        shares = graph.node("Concat", graph.node("Sub", 1.0, each), each, axis=1)
    else:
        total = graph.node("ReduceSum", each, np.array([1]), keepdims=1)
        some = graph.node("Greater", total, 0.0)
        divided = graph.node("Div", each, graph.node("Where", some, total, 1.0))
        shares = graph.node("Where", some, divided, 1.0 / n_classes)
    graph.output("probabilities", shares, graph.onnx.TensorProto.DOUBLE, n_classes)


def _polygon(graph: Graph, scores: str, k: int, x: NDArray[np.float64], y: NDArray[np.float64]) -> str:
    """Add a piecewise linear function of the score: y₀ + Σ rise·part over its segments.

    `part`, from 0 to 1, is the fraction of a segment that lies below the score.
    """
    score = graph.node("Gather", scores, np.array([k]), axis=1)
    before = graph.node("Div", graph.node("Sub", score, x[:-1]), np.diff(x))
    part = graph.node("Min", graph.node("Max", before, 0.0), 1.0)
    return graph.node("Add", graph.node("MatMul", part, np.diff(y)[:, None]), float(y[0]))
