"""Naive references for separability, in integers and fractions, independent of the package."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np

# ---------------------------------------------------------------- which of the kinds: cocircuits


def signed_rows(X, y, offset):
    """yᵢ(xᵢ, 1), in int64."""
    signs = np.where(np.asarray(y) == np.max(y), 1, -1).astype(np.int64)
    rows = np.asarray(X, np.int64)
    rows = np.column_stack([rows, np.ones(len(rows), np.int64)]) if offset else rows
    return rows * signs[:, None]


def independent_columns(matrix):
    """Columns that are a basis of the column space, by elimination in fractions."""
    rows = [[Fraction(int(x)) for x in row] for row in matrix]
    chosen, rank = [], 0
    for column in range(len(rows[0])):
        pivot = next((r for r in range(rank, len(rows)) if rows[r][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for r in range(rank + 1, len(rows)):
            factor = rows[r][column] / rows[rank][column]
            if factor:
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[rank], strict=True)]
        chosen.append(column)
        rank += 1
    return chosen


def determinants(matrices):
    """The determinants of a stack of small matrices, by Laplace's expansion in int64."""
    size = matrices.shape[-1]
    if size == 0:
        return np.ones(len(matrices), np.int64)
    total = np.zeros(len(matrices), np.int64)
    for column in range(size):
        minor = np.delete(matrices[:, 1:], column, axis=2)
        total += (-1) ** column * matrices[:, 0, column] * determinants(minor)
    return total


def kind_by_cocircuits(X, y, offset):
    """Whether "separable", "quasi-separable" or "overlapping" of whole numbers.

    The directions with no row on the wrong side are a pointed cone in the row space; each of its edges is
    at right angles to rank − 1 independent rows. A row can be off its hyperplane if it is off one of the
    edges, and the sum of all edges has all of those rows off it.
    """
    rows = signed_rows(X, y, offset)
    columns = independent_columns(rows)
    if not columns:
        return "overlapping"
    rows, rank = rows[:, columns], len(columns)
    subsets = list(combinations(range(len(rows)), rank - 1))
    several = rows[np.array(subsets, np.int64).reshape(len(subsets), rank - 1)]
    edges = np.column_stack(
        [(-1) ** column * determinants(np.delete(several, column, axis=2)) for column in range(rank)]
    )
    edges = edges[edges.any(axis=1)]
    sides = np.sign(rows @ np.concatenate([edges, -edges]).T)
    separated = (sides[:, (sides >= 0).all(axis=0)] > 0).any(axis=1)
    if separated.all():
        return "separable"
    return "quasi-separable" if separated.any() else "overlapping"


# ---------------------------------------------------------------- the margin in the plane


def squared_margin_in_the_plane(X, y, offset):
    """The square of the largest margin of separable points in one or two dimensions, as a fraction.

    Two hulls in the plane are nearest at a corner of one and a corner or side of the other.
    """
    points = [tuple(Fraction(x) for x in row) for row in np.asarray(X).tolist()]
    signs = [1 if label == max(y) else -1 for label in y]
    if not offset:
        origin = tuple(Fraction(0) for _ in points[0])
        signed = [tuple(s * x for x in p) for p, s in zip(points, signs, strict=True)]
        return _squared_distance_of_hulls([origin], signed)
    positive = [p for p, s in zip(points, signs, strict=True) if s > 0]
    negative = [p for p, s in zip(points, signs, strict=True) if s < 0]
    return _squared_distance_of_hulls(positive, negative) / 4


def _squared_distance_of_hulls(these, those):
    best = None
    for corners, others in ((these, those), (those, these)):
        for p in corners:
            for a in others:
                for b in others:
                    square = _squared_distance_of_side(p, a, b)
                    best = square if best is None else min(best, square)
    return best


def _squared_distance_of_side(p, a, b):
    along = [bj - aj for aj, bj in zip(a, b, strict=True)]
    length = sum(u * u for u in along)
    where = Fraction(0)
    if length:
        where = sum((pj - aj) * u for pj, aj, u in zip(p, a, along, strict=True)) / length
        where = min(max(where, Fraction(0)), Fraction(1))
    return sum((pj - aj - where * u) ** 2 for pj, aj, u in zip(p, a, along, strict=True))


# ---------------------------------------------------------------- a second verifier, in fractions


def agreements(X, y, w, b):
    signs = [1 if label == max(y) else -1 for label in y]
    w, b = [Fraction(number) for number in w], Fraction(b)
    return [
        sign * (sum(wj * Fraction(x) for wj, x in zip(w, row, strict=True)) + b)
        for row, sign in zip(np.asarray(X, np.float64).tolist(), signs, strict=True)
    ]


def weighted_sum(X, y, rows, weights, offset):
    """Σ λᵢyᵢ(xᵢ, 1)."""
    signs = [1 if label == max(y) else -1 for label in y]
    table = np.asarray(X, np.float64).tolist()
    total = [Fraction(0)] * (len(table[0]) + offset)
    for i, weight in zip(rows, weights, strict=True):
        row = [*table[i], 1.0] if offset else table[i]
        total = [t + weight * signs[i] * Fraction(x) for t, x in zip(total, row, strict=True)]
    return total


def is_largest_double_below(double, square):
    """double ≤ √square, and the next one is not."""
    following = math.nextafter(double, math.inf)
    return Fraction(double) ** 2 <= square and (following == math.inf or Fraction(following) ** 2 > square)


def is_smallest_double_above(double, square):
    if double == math.inf:
        return square > Fraction(math.nextafter(math.inf, 0.0)) ** 2
    return Fraction(double) ** 2 >= square and (
        double == 0.0 or Fraction(math.nextafter(double, 0.0)) ** 2 < square
    )


def check_proof(proof, X, y):
    """Every part of a proof, in fractions."""
    for part in proof.parts:
        name = type(part).__name__
        if name == "Separator":
            smallest = min(agreements(X, y, part.w, part.b))
            assert smallest > 0
            assert proof.offset or part.b == 0
            length = sum(Fraction(number) ** 2 for number in part.w)
            if length == 0:
                assert part.margin == math.inf
            else:
                assert is_largest_double_below(part.margin, smallest**2 / length)
        elif name == "Combination":
            assert all(type(weight) is int and weight > 0 for weight in part.weights)
            total = weighted_sum(X, y, part.rows, part.weights, proof.offset)
            if proof.offset:
                assert total.pop() == 0
            square = sum(t * t for t in total) / Fraction(sum(part.weights)) ** 2
            assert is_smallest_double_above(part.margin, square)
        elif name == "QuasiSeparation":
            signs = agreements(X, y, part.w, part.b)
            assert min(signs) == 0
            assert sum(sign > 0 for sign in signs) == part.separated > 0
        else:
            assert len(set(part.rows)) == len(part.rows) > 0
            assert all(type(weight) is int and weight > 0 for weight in part.weights)
            assert not any(weighted_sum(X, y, part.rows, part.weights, proof.offset))
            if name == "Overlap":
                table = [[Fraction(x) for x in row] for row in np.asarray(X, np.float64).tolist()]
                table = [[*row, Fraction(1)] if proof.offset else row for row in table]
                of_support = [table[i] for i in part.rows]
                assert _rank(of_support) == _rank(table)


def _rank(rows):
    rows, rank = [row[:] for row in rows], 0
    for column in range(len(rows[0])):
        pivot = next((r for r in range(rank, len(rows)) if rows[r][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for r in range(rank + 1, len(rows)):
            factor = rows[r][column] / rows[rank][column]
            if factor:
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[rank], strict=True)]
        rank += 1
    return rank


# ---------------------------------------------------------------- the perceptron, in whole numbers


def perceptron_mistakes(X, y, offset, passes):
    """The mistakes of the plain perceptron from w = 0, in fractions, over some passes."""
    signs = [1 if label == max(y) else -1 for label in y]
    rows = [[Fraction(x) for x in row] + [Fraction(1)] * offset for row in np.asarray(X, float).tolist()]
    w, mistakes = [Fraction(0)] * len(rows[0]), 0
    for _ in range(passes):
        for row, sign in zip(rows, signs, strict=True):
            if sign * sum(a * b for a, b in zip(w, row, strict=True)) <= 0:
                w = [a + sign * b for a, b in zip(w, row, strict=True)]
                mistakes += 1
    return mistakes
