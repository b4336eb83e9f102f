"""Exact functional margins yᵢ(w·xᵢ+b) of all rows for integer weights: the signs, and the smallest margin.

Floating point is used only in `_scores`, to exclude rows that cannot matter. Its rounding error is bounded,
and uncertain sums are computed again in integers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric import digits
from rosenblatt.numeric.blocks import blocks, matrix_ldexp, with_columns
from rosenblatt.numeric.integers import as_dyadic, common_exponent, to_doubles
from rosenblatt.numeric.row_batches import Batch


def agreement_signs(batch: Batch, w: list[int]) -> NDArray[np.int8]:
    """Return the sign of yᵢ(w·xᵢ+b) for every row; `w` holds integer weights, with b last."""
    used = [column for column, weight in enumerate(w[:-1]) if weight]
    if 0 < 2 * len(used) < batch.n_features:  # a direction along few columns needs only these
        batch, w = with_columns(batch, np.array(used, np.int64)), [*(w[column] for column in used), w[-1]]
    signs = np.empty(batch.n_rows, np.int8)
    for part, matrix, score, doubt in _scores(batch, w):
        unsure = np.flatnonzero(~(np.abs(score) > doubt))
        score[unsure] = 0.0
        signs[part] = np.sign(score)
        if len(unsure):
            signs[part.start + unsure] = _exact_signs(*_without_empty_columns(matrix[unsure], w))
    return signs * batch.labels


def smallest_agreement(batch: Batch, w: list[int]) -> tuple[int, int, int]:
    """Return (integer, exponent, row): minᵢ yᵢ(w·xᵢ+b) = integer·2^exponent, attained at `row`."""
    ceiling = math.inf  # upper bound on the smallest agreement
    for part, _, score, doubt in _scores(batch, w):
        with np.errstate(invalid="ignore", over="ignore"):
            highest = batch.labels[part] * score + doubt
        ceiling = min(ceiling, float(highest[highest == highest].min(initial=math.inf)))
    best: tuple[int, int, int] | None = None
    seen: set[bytes] = set()
    for part, matrix, score, doubt in _scores(batch, w):
        labels = batch.labels[part]
        with np.errstate(invalid="ignore"):
            near = np.flatnonzero(~(labels * score - doubt > ceiling))
        # of equal rows, one is enough: data with many repeated rows have many rows at the margin
        fresh = [i for i in near if not _is_duplicate(seen, matrix, int(i), int(labels[i]))]
        for place, (number, exponent) in zip(fresh, _exact_scores(matrix, fresh, w), strict=True):
            agreement = int(labels[place]) * number
            if best is None or _less(agreement, exponent, best[0], best[1]):
                best = agreement, exponent, part.start + int(place)
    assert best is not None
    return best


def empty_columns(batch: Batch) -> set[int]:
    """Return the indices of the columns that are 0 in every row."""
    used = np.zeros(batch.n_features, np.bool_)
    for _, matrix in blocks(batch.rows):
        if isinstance(matrix, np.ndarray):
            used |= matrix.any(axis=0)
        else:
            used[matrix.indices[matrix.data != 0.0]] = True
    return set(np.flatnonzero(~used).tolist())


def entries(matrix: Any, i: int) -> tuple[list[int], NDArray[np.float64]]:
    """Return the columns and values of the nonzero entries of row i."""
    if isinstance(matrix, np.ndarray):
        columns = np.flatnonzero(matrix[i])
        return columns.tolist(), matrix[i, columns]
    stored = slice(matrix.indptr[i], matrix.indptr[i + 1])
    there = matrix.data[stored] != 0.0
    return matrix.indices[stored][there].tolist(), matrix.data[stored][there]


def _without_empty_columns(matrix: Any, w: list[int]) -> tuple[Any, list[int]]:
    """Drop the empty columns of a sparse matrix, and their weights."""
    if isinstance(matrix, np.ndarray):
        return matrix, w
    used = np.unique(matrix.indices)
    return matrix[:, used], [*(w[c] for c in used.tolist()), w[-1]]


def _exact_signs(matrix: Any, w: list[int]) -> NDArray[np.int8]:
    """Return the sign of w·x + b for each row of the matrix."""
    values = matrix.ravel() if isinstance(matrix, np.ndarray) else matrix.data
    exponent = min(0, common_exponent(values))
    if digits.fits(values, exponent, matrix.shape[1]):  # integers of few bits: decide all rows together
        return digits.signs(matrix_ldexp(matrix, -exponent), w[:-1], w[-1] << -exponent)
    exact = _exact_scores(matrix, range(matrix.shape[0]), w)
    return np.array([(number > 0) - (number < 0) for number, _ in exact], np.int8)


def _less(a: int, a_exponent: int, b: int, b_exponent: int) -> bool:
    common = min(a_exponent, b_exponent)
    return a << (a_exponent - common) < b << (b_exponent - common)


def _is_duplicate(seen: set[bytes], matrix: Any, i: int, label: int) -> bool:
    columns, values = entries(matrix, i)
    key = np.append(values, label).tobytes() + np.asarray(columns).tobytes()
    if key in seen:
        return True
    seen.add(key)
    return False


def _scores(batch: Batch, w: list[int]) -> Iterator[tuple[slice, Any, NDArray[Any], NDArray[Any]]]:
    """Yield (rows, matrix, scores, error bounds) for each block of rows.

    The scores are w·x + b in floating point. Scores and bounds are divided by a common power of two.
    """
    doubles = to_doubles(w)
    weights, b = doubles[:-1], doubles[-1]
    for part, matrix in blocks(batch.rows):
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            score = matrix @ weights + b
            size = abs(matrix)
            # γₖ·Σ|wⱼxⱼ| with k = terms + 4, since the weights are rounded too; plus possible underflow
            rounding = (matrix.shape[1] + 4) * 2.0**-53 * 1.5
            doubt = rounding * (size @ np.abs(weights) + abs(b)) + 1e-290 * (1.0 + size.sum(axis=1))
        yield part, matrix, score, doubt


def _exact_scores(matrix: Any, which: Any, w: list[int]) -> Iterator[tuple[int, int]]:
    """Yield (integer, exponent) with w·x + b = integer·2^exponent for each row in `which`."""
    for i in which:
        columns, values = entries(matrix, int(i))
        x, exponent = as_dyadic(values)
        number = sum(w[c] * xc for c, xc in zip(columns, x, strict=True))
        yield _sum(number, exponent, w[-1], 0)


def _sum(a: int, a_exponent: int, b: int, b_exponent: int) -> tuple[int, int]:
    common = min(a_exponent, b_exponent)
    return (a << (a_exponent - common)) + (b << (b_exponent - common)), common
