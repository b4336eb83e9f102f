"""The votes of a committee, from the scores of its members."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import tie_label
from rosenblatt.models.onnx.graph import Graph


def is_above(graph: Graph, scores: str, tie: str) -> str:
    """Add nodes that tell whether scores are positive; for a score of 0 `tie` decides."""
    return graph.node("GreaterOrEqual" if tie_label(tie) > 0.0 else "Greater", scores, 0.0)


def count_votes(graph: Graph, scores: str, survival: NDArray[Any], tie: str) -> str:
    """Add Σ survival·sign over the members, a column of scores for each.

    It is twice the votes in favour less all votes: integers, so there is no rounding.
    """
    in_favour = graph.as_double(is_above(graph, scores, tie))
    doubled = graph.node("MatMul", in_favour, 2.0 * survival.astype(np.float64)[:, None])
    return graph.node("Sub", doubled, float(survival.sum()))
