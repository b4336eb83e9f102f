"""Scores of kernel models: sums over the support rows, committees, and polynomials written out."""

from __future__ import annotations

from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import tie_label
from rosenblatt.kernels import Monomials
from rosenblatt.learning.dual.dual_state import DualState
from rosenblatt.learning.dual.support import Record
from rosenblatt.models.onnx.committee_votes import count_votes
from rosenblatt.models.onnx.graph import Graph
from rosenblatt.models.onnx.kernel_values import kernel_values, refuse_custom
from rosenblatt.models.onnx.linear_scores import Weights, dense_rows


class Sums(NamedTuple):
    """Σ coefficient·K(x, z) + b: a column of coefficients and an entry of b for each column of scores."""

    kernel: Any
    support: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    b: NDArray[np.float64]

    def add_to(self, graph: Graph) -> str:
        """Add the scores to a graph and return their name."""
        values = kernel_values(graph, self.kernel, self.support)
        return graph.node("Add", graph.node("MatMul", values, self.coefficients), self.b)


class Votes(NamedTuple):
    """Σ survival·sign over the vectors that each record went through."""

    kernel: Any
    support: NDArray[np.float64]
    place: NDArray[np.int64]  # among the support rows that are exported, of those of the state
    records: list[Record]
    offset: float
    tie: str
    looks: int

    def add_to(self, graph: Graph) -> str:
        """Add the scores to a graph and return their name."""
        values = kernel_values(graph, self.kernel, self.support)
        values = graph.node("Add", values, self.offset)
        return graph.node("Concat", *(self._votes(graph, values, own) for own in self.records), axis=1)

    def _votes(self, graph: Graph, values: str, record: Record) -> str:
        terms = graph.node("Gather", values, self.place[record.member], axis=1)
        changes = graph.node("Mul", terms, record.delta)
        # the vector at the start is 0, and votes first
        scores = graph.node("Concat", graph.zeros(1), changes, axis=1)
        running = graph.node("CumSum", scores, np.array(1))
        return count_votes(graph, running, record.survival(self.looks), self.tie)


class Terms(NamedTuple):
    """Hold Σ coefficient·monomial for all monomials up to a degree, in the order of `Monomials.powers`.

    Each monomial is computed from one of lower degree.
    """

    powers: list[tuple[int, ...]]
    coefficients: NDArray[np.float64]

    def add_to(self, graph: Graph) -> str:
        """Add the scores to a graph and return their name."""
        total = graph.node("Add", graph.zeros(self.coefficients.shape[1]), self.coefficients[0])
        before, start = "", 1
        parents: dict[tuple[int, ...], int] = {}
        for _, same_degree in groupby(self.powers[1:], key=len):
            powers = list(same_degree)
            monomials = graph.node("Gather", graph.rows, np.array([power[-1] for power in powers]), axis=1)
            if before:
                factor = np.array([parents[power[:-1]] for power in powers])
                monomials = graph.node("Mul", graph.node("Gather", before, factor, axis=1), monomials)
            part = self.coefficients[start : start + len(powers)]
            if part.any():
                total = graph.node("Add", total, graph.node("MatMul", monomials, part))
            before, parents = monomials, {power: j for j, power in enumerate(powers)}
            start += len(powers)
        return total


def dual_scores(state: DualState, keep: str, drawn: int, width: int) -> Sums | Votes | Weights:
    """Return the scores of a kernel model for an averaging strategy.

    `drawn` is the step that "random" has drawn. A learner of named features may have allocated more than
    `width` features.
    """
    refuse_custom(state.kernel)
    if keep == "voted":
        return _committee(state, width)
    coefficients = np.column_stack(
        [record.terms(keep, state.looks, drawn).merged(len(state.support)) for record in state.records]
    )
    used = np.flatnonzero(coefficients.any(axis=1))
    if not len(used):
        return _nothing(width, np.zeros(state.n_columns))
    b = state.offset * coefficients.sum(axis=0)
    return Sums(state.kernel, dense_rows(state.support.rows(), used, width), coefficients[used], b)


def _committee(state: DualState, width: int) -> Votes | Weights:
    used = np.unique(np.concatenate([record.member for record in state.records]))
    if not len(used):
        sign = 1.0 if tie_label(state.tie) > 0.0 else -1.0
        return _nothing(width, np.full(state.n_columns, sign * state.looks))
    place = np.full(len(state.support), -1)
    place[used] = np.arange(len(used))
    support = dense_rows(state.support.rows(), used, width)
    return Votes(state.kernel, support, place, state.records, state.offset, state.tie, state.looks)


def _nothing(width: int, values: NDArray[np.float64]) -> Weights:
    """Return the same values for every row, for a model without support rows."""
    return Weights(np.zeros((width, len(values))), values)


def polynomial_scores(terms: Monomials, state: DualState, coefficients: NDArray[np.float64]) -> Terms:
    """Return p(x) of each column as scores by its monomials."""
    plain = state.support.combined(terms, coefficients.T, with_roots=False)
    # a homogeneous polynomial has no terms of lower degree, from which its own are made
    every = Monomials(terms.n_features, terms.degree)
    found = np.zeros((len(every), plain.shape[1]))
    found[len(every) - len(terms) :] = terms.weights[:, None] * plain
    return Terms(every.powers, found)
