"""Exact integer solutions of linear systems, used to make the results of floating-point searches exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.integers import divide_by_gcd
from rosenblatt.numeric.row_batches import Batch
from rosenblatt.proof.clock import Clock
from rosenblatt.proof.integer_nearest import Integers, signed_integers

PRIME = (1 << 61) - 1


def lifted_integers(batch: Batch, offset: bool, which: Sequence[int] | NDArray[Any]) -> list[Integers]:
    """Return yᵢ(xᵢ, 1) of the selected rows (yᵢxᵢ without an offset), as integers with a common scale."""
    points, exponent = signed_integers(batch, which)
    if not offset:
        return points
    up, one = max(0, exponent), 1 << max(0, -exponent)
    labels = batch.labels[which].tolist()
    return [[x << up for x in point] + [one * label] for point, label in zip(points, labels, strict=True)]


def cost(vectors: list[Integers]) -> float:
    """Return an estimate of the time in seconds that an exact solution takes.

    The estimate is proportional to rank² times the number of digits of the solution.
    """
    if not vectors:
        return 0.0
    rank = min(len(vectors), len(vectors[0]))
    bits = max(abs(number).bit_length() for vector in vectors for number in vector)
    return 1e-8 * rank**2 * (rank * (bits + rank.bit_length()) / 16)


def null_vectors(vectors: list[Integers], clock: Clock) -> list[Integers]:
    """Return a basis of all integer vectors λ with Σ λᵢ·vectorᵢ = 0."""
    from flint import fmpz_mat

    columns = [column for column in zip(*vectors, strict=True) if any(column)]
    if not columns:
        return [[int(k == j) for k in range(len(vectors))] for j in range(len(vectors))]
    clock.afford(cost(vectors))
    basis, nullity = fmpz_mat([list(column) for column in columns]).nullspace()
    table = basis.tolist()
    return [divide_by_gcd([int(row[k]) for row in table]) for k in range(nullity)]


def cancelling_weights(vectors: list[Integers], clock: Clock) -> Integers | None:
    """Return integer weights λ ≥ 0, not all 0, with Σ λᵢ·vectorᵢ = 0.

    Return None unless λ is unique up to a factor.
    """
    basis = null_vectors(vectors, clock)
    if len(basis) != 1:
        return None
    weights = basis[0] if max(basis[0]) > 0 else [-weight for weight in basis[0]]
    return weights if min(weights) >= 0 else None


def independent(vectors: list[Integers], exactly: bool = False) -> tuple[list[int], list[int]]:
    """Return the indices of a basis of the rows and the indices of a basis of the columns."""
    columns = pivots(vectors, exactly)
    rows = pivots([[vector[c] for vector in vectors] for c in columns], exactly) if columns else []
    return rows, columns


def pivots(vectors: list[Integers], exactly: bool = False) -> list[int]:
    """Return the indices of the columns that are independent of the columns before them.

    Without `exactly`, ranks are computed modulo a prime, which may miss a column; callers then check their
    results.
    """
    from flint import fmpz_mat, nmod_mat

    n, d = len(vectors), len(vectors[0])
    numbers = [number for vector in vectors for number in vector]
    if exactly:
        reduced_form, _, rank = fmpz_mat(n, d, numbers).rref()
    else:
        reduced_form, rank = nmod_mat(n, d, numbers, PRIME).rref()
    table = reduced_form.tolist()
    return [next(c for c, entry in enumerate(table[r]) if int(entry)) for r in range(rank)]


def solve(matrix: list[Integers], right: list[Integers], clock: Clock) -> tuple[list[Integers], int] | None:
    """Solve matrix·x = b for each right side b, and return the numerators and common denominator.

    Return None if the matrix is singular.
    """
    from flint import fmpz_mat

    if not matrix or not right:
        return [[] for _ in right], 1
    clock.afford(cost(matrix))
    try:
        solution = fmpz_mat(matrix).solve(fmpz_mat(right).transpose())
    except ZeroDivisionError:
        return None
    numerators, denominator = solution.numer_denom()
    return [[int(x) for x in column] for column in numerators.transpose().tolist()], int(denominator)


def product(vectors: list[Integers], factors: list[Integers]) -> list[Integers]:
    """Return the product of two integer matrices."""
    from flint import fmpz_mat

    return [[int(x) for x in row] for row in (fmpz_mat(vectors) * fmpz_mat(factors)).tolist()]


def whole(weights: NDArray[np.float64], total: int) -> Integers:
    """Return positive integer weights with the sum `total`, proportional to `weights` up to rounding."""
    share = weights.sum()
    if not share > 0.0:  # the search lost this group to rounding
        weights, share = np.ones(len(weights)), float(len(weights))
    rounded = [max(1, int(weight)) for weight in weights * (total / share)]
    largest = max(range(len(rounded)), key=rounded.__getitem__)
    rounded[largest] += total - sum(rounded)
    return rounded
