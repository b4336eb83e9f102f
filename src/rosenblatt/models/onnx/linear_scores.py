"""Scores of linear models, with one weight vector per binary classifier."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.models.onnx.graph import Graph


class Weights(NamedTuple):
    """Compute the scores w·x + b; each column of w and entry of b gives one column of scores."""

    w: NDArray[np.float64]
    b: NDArray[np.float64]

    def add_to(self, graph: Graph) -> str:
        """Add the scores to a graph and return their name."""
        return graph.node("Add", graph.node("MatMul", graph.rows, self.w), self.b)


def linear_scores(state: Any, width: int) -> Weights:
    """Return the weights that a linear state uses for prediction, for its first `width` features.

    A learner with named features has allocated memory for more features than have occurred.
    """
    if state.is_committee:
        raise committee_refusal()
    vectors = np.atleast_2d(state.returned_weights())
    return Weights(vectors[:, :width].T, state.offset * vectors[:, -1])


def committee_refusal() -> BadInput:
    """Return an error which states that committees cannot be exported, and what to do instead."""
    return BadInput(
        "to_onnx: keep='voted' predicts with one weight vector per mistake, and a graph holds one per "
        "class; fit with keep='averaged'"
    )
