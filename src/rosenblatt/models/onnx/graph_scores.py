"""Scores of linear models and of polynomials with explicit monomials."""

from __future__ import annotations

from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.kernels import Monomials
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


class Terms(NamedTuple):
    """Compute Σ coefficient·monomial over all monomials up to a degree, in the order of `Monomials.powers`.

    Each monomial is the product of a feature and a monomial of lower degree.
    """

    powers: list[tuple[int, ...]]
    coefficients: NDArray[np.float64]

    def add_to(self, graph: Graph) -> str:
        """Add the values of the polynomials to a graph and return their name."""
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


def polynomial_scores(terms: Monomials, coefficients: list[NDArray[np.float64]]) -> Terms:
    """Return the polynomials with these coefficients, one for each class."""
    # the terms of lower degree, from which higher terms are computed, are absent if coef0 = 0
    every = Monomials(terms.n_features, terms.degree)
    padded = np.zeros((len(every), len(coefficients)))
    padded[len(every) - len(terms) :] = np.column_stack(coefficients)
    return Terms(every.powers, padded)
