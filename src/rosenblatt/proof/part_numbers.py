"""The rows, weights and hyperplanes of the parts of a proof, checked and as integers."""

from __future__ import annotations

import math

import numpy as np

from rosenblatt.errors import ProofRejected
from rosenblatt.numeric.agreements import entries
from rosenblatt.numeric.blocks import select_rows
from rosenblatt.numeric.integers import Dyadic, as_dyadic
from rosenblatt.numeric.row_batches import Batch
from rosenblatt.proof.parts import Numbers


def cancelling_sum(batch: Batch, rows: tuple[int, ...], weights: tuple[int, ...]) -> Dyadic:
    """Check the row indices and weights, and return Σ λᵢyᵢxᵢ."""
    if len(rows) != len(weights) or not rows:
        raise ProofRejected(
            f"{len(rows)} rows and {len(weights)} weights; expected equal numbers, at least one"
        )
    check_rows(rows, batch.n_rows)
    if not all(isinstance(weight, int) and weight > 0 for weight in weights):
        raise ProofRejected("the weights of a combination must be whole and above 0")
    signed = [weight * int(batch.labels[i]) for i, weight in zip(rows, weights, strict=True)]
    matrix = select_rows(batch.rows, np.array(rows))
    places = [entries(matrix, k) for k in range(len(rows))]
    values, exponent = as_dyadic(np.concatenate([values for _, values in places]))
    total = [0] * batch.n_features
    at = 0
    for factor, (columns, _) in zip(signed, places, strict=True):
        for column in columns:
            total[column] += factor * values[at]
            at += 1
    return Dyadic(total, exponent)


def check_rows(rows: tuple[int, ...], n_rows: int) -> None:
    """Raise `ProofRejected` unless the rows are different rows of the data."""
    if len(set(rows)) != len(rows) or not all(0 <= i < n_rows for i in rows):
        raise ProofRejected(f"the rows of a combination must be different ones of 0…{n_rows - 1}")


def whole_hyperplane(n_features: int, offset: bool, w: Numbers, b: float | int) -> list[int]:
    """Return (w, b) as integers, after scaling by a power of two, which does not move the hyperplane."""
    if len(w) != n_features:
        raise ProofRejected(f"{len(w)} weights for {n_features} features")
    if not offset and b != 0:
        raise ProofRejected("an offset in a proof about hyperplanes through the origin")
    numbers = (*w, b)
    if all(isinstance(number, int) for number in numbers):
        return [int(number) for number in numbers]
    if not all(isinstance(number, float) and math.isfinite(number) for number in numbers):
        raise ProofRejected("the weights are not all finite doubles, or all integers")
    return as_dyadic(numbers).integers


def check_cancelling(batch: Batch, offset: bool, rows: tuple[int, ...], weights: tuple[int, ...]) -> None:
    """Check that Σ λᵢ yᵢ(xᵢ, 1) = 0 with λ > 0; raise `ProofRejected` otherwise."""
    total = cancelling_sum(batch, rows, weights)
    for column, number in enumerate(total.integers):
        if number:
            raise ProofRejected(f"the weighted points do not cancel each other in column {column}")
    balance: list[int] = [weight * int(batch.labels[i]) for i, weight in zip(rows, weights, strict=True)]
    if offset and sum(balance, 0) != 0:
        raise ProofRejected("the weights of the two classes have different sums")
