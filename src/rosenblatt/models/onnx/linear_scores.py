"""Scores of linear models: one vector for each column, or a committee of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.blocks import chosen
from rosenblatt.arithmetic.examples import Rows, Sparse
from rosenblatt.engine.votes import replay
from rosenblatt.learning.one_column import OneColumn
from rosenblatt.models.onnx.committee_votes import count_votes
from rosenblatt.models.onnx.graph import Graph, refuse_too_large

FEW_BYTES = 1 << 26  # up to so many, the members of a committee are written out


class Weights(NamedTuple):
    """w·x + b: a column of w and an entry of b for each column of scores."""

    w: NDArray[np.float64]
    b: NDArray[np.float64]

    def add_to(self, graph: Graph) -> str:
        """Add the scores to a graph and return their name."""
        return graph.node("Add", graph.node("MatMul", graph.rows, self.w), self.b)


class Committees(NamedTuple):
    """Σ survival·sign over the vectors of each state; only the first `width` features are named."""

    states: list[OneColumn]
    width: int

    def add_to(self, graph: Graph) -> str:
        """Add the scores to a graph and return their name."""
        votes = [_votes(graph, state, self.width) for state in self.states]
        return graph.node("Concat", *votes, axis=1)


def linear_scores(state: Any, width: int) -> Weights | Committees:
    """Return the scores of a linear model.

    A learner of named features may have allocated more than `width` features.
    """
    if state.is_committee:
        return Committees(state.committees(), width)
    return _as_weights(np.atleast_2d(state.kept()), state.offset, width)


def _as_weights(vectors: NDArray[np.float64], offset: float, width: int) -> Weights:
    """Return scores for vectors (w, b), one in each row."""
    return Weights(vectors[:, :width].T, offset * vectors[:, -1])


def _votes(graph: Graph, state: OneColumn, width: int) -> str:
    members = int(state.keeper.members[0])
    shrinks = bool((state.keeper.factor[1:members] != 1.0).any())
    if shrinks or 8 * members * (width + 1) <= FEW_BYTES:
        refuse_too_large(8 * members * (width + 1), f"{members:,} vectors of {width:,} features")
        scores = _as_weights(_member_vectors(state, width), state.offset, width).add_to(graph)
    else:
        scores = _running_scores(graph, state, width)
    return count_votes(graph, scores, state.survival(), state.tie)


def _member_vectors(state: OneColumn, width: int) -> NDArray[np.float64]:
    """Return (w, b) of every member, one in each row, by repeating the additions of the run."""
    committee, vector = state.keeper, state.start.copy()
    support = state.committee() if state.support else None
    vectors = np.empty((int(committee.members[0]), width + 1))
    for member in range(len(vectors)):
        if member:
            replay(
                support, committee.row, member, member + 1, committee.delta, committee.factor, state.offset,
                vector,
            )  # fmt: skip
        vectors[member, :-1], vectors[member, -1] = vector[:width], vector[-1]
    return vectors


def _running_scores(graph: Graph, state: OneColumn, width: int) -> str:
    """Add the scores of all members as sums over the rows of their updates.

    A row that was a mistake several times is stored once, although a run keeps a copy of it for each
    pass.
    """
    committee, members = state.keeper, int(state.keeper.members[0])
    rows = state.committee()
    used, place = _distinct(rows, committee.row[1:members])
    support = dense_rows(rows, used, width)
    products = graph.node("Add", graph.node("MatMul", graph.rows, support.T), state.offset)
    changes = graph.node("Mul", graph.node("Gather", products, place, axis=1), committee.delta[1:members])
    first = _as_weights(state.start[None], state.offset, width).add_to(graph)
    return graph.node("CumSum", graph.node("Concat", first, changes, axis=1), np.array(1))


def _distinct(rows: Rows, which: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first of each of these rows, and the position of every row among those."""
    places: dict[bytes, int] = {}
    first: list[int] = []
    place = np.empty(len(which), np.int64)
    for k, row in enumerate(which.tolist()):
        content = _content(rows, row)
        if content not in places:
            places[content] = len(first)
            first.append(row)
        place[k] = places[content]
    return np.array(first, np.int64), place


def _content(rows: Rows, row: int) -> bytes:
    if not isinstance(rows, Sparse):
        return rows.values[row].tobytes()
    entries = slice(int(rows.starts[row]), int(rows.starts[row + 1]))
    return rows.indices[entries].tobytes() + rows.values[entries].tobytes()


def dense_rows(rows: Rows, which: NDArray[np.int64], width: int) -> NDArray[np.float64]:
    """Return some rows as a matrix of float64."""
    refuse_too_large(8 * len(which) * width, f"{len(which):,} support rows of {width:,} features")
    matrix = chosen(rows._replace(n_features=width) if isinstance(rows, Sparse) else rows, which)
    dense: NDArray[np.float64] = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    return dense
