"""Scores of linear models, with one weight vector for each column."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.models.onnx.graph import Graph


class Weights(NamedTuple):
    """Compute w·x + b, where each column of w and entry of b gives one column of scores."""

    w: NDArray[np.float64]
    b: NDArray[np.float64]

    def add_to(self, graph: Graph) -> str:
        """Add the scores to a graph and return their name."""
        return graph.node("Add", graph.node("MatMul", graph.rows, self.w), self.b)


def linear_scores(state: Any, width: int) -> Weights:
    """Return the weights that a linear state predicts with, for its first `width` features.

    A learner with named features allocates memory for more features than it has seen.
    """
    if state.is_committee:
        raise committee_refusal()
    vectors = np.atleast_2d(state.kept())
    return Weights(vectors[:, :width].T, state.offset * vectors[:, -1])


def committee_refusal() -> BadInput:
    """Return the error for a committee, with the remedy."""
    return BadInput(
        "to_onnx: keep='voted' predicts with one weight vector per mistake, and a graph holds one per "
        "class; fit with keep='averaged'"
    )
