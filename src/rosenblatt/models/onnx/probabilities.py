"""Class probabilities computed from decision values as in `predict_proba`, as another output."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rosenblatt.models.onnx.graph import Graph
from rosenblatt.training.calibration import Calibration, Platt


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
