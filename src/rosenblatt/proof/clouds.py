"""Training rows as signed points, centred and scaled by powers of two for the nearest-point search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.loops.threads import map_parts
from rosenblatt.numeric.blocks import block, blocks, matrix_ldexp, select_rows, slices
from rosenblatt.numeric.integers import as_dyadic
from rosenblatt.numeric.row_batches import Batch, Dense
from rosenblatt.proof.nearest_points import Nearest, Vector
from rosenblatt.proof.parts import Number, Numbers

CENTRE_SAMPLE = 1000
AT_ONCE = 64  # blocks that are processed between two checks of the time limit


def column_exponents(batch: Batch) -> NDArray[np.int64]:
    """Return for each column the exponent e with 2^(e−1) ≤ max |entry| < 2^e, or 0 for a zero column."""
    largest = np.zeros(batch.n_features)
    for _, matrix in blocks(batch.rows):
        extreme = abs(matrix).max(axis=0)
        np.maximum(largest, extreme if isinstance(extreme, np.ndarray) else extreme.toarray(), out=largest)
    return np.where(largest > 0.0, np.frexp(largest)[1], 0).astype(np.int64)


class Framed:
    """Hold the points yᵢ(xᵢ/2^e − c) of a batch, where e is the exponent of the column.

    With an offset, each class is a group (see `nearest_points`); without an offset, all points form one
    group. The centre c is the mean of some rows if the rows are dense and there are two groups, otherwise
    0. If all exponents are equal, all distances are scaled by the same factor, so the search also finds the
    margin.
    """

    def __init__(self, batch: Batch, offset: bool, exponents: NDArray[np.int64]) -> None:
        self._batch, self._offset, self._exponents = batch, offset, exponents
        self.n, self.dimension = batch.n_rows, batch.n_features
        has_groups = offset and len(np.unique(batch.labels)) == 2
        self.groups = (batch.labels < 0).astype(np.int8) if has_groups else np.zeros(self.n, np.int8)
        self._centre = np.zeros(self.dimension)
        if has_groups and isinstance(batch.rows, Dense):
            # a shift does not change the distance between the hulls, and rounding errors are smaller near
            # the origin
            some = np.linspace(0, self.n - 1, min(self.n, CENTRE_SAMPLE)).astype(np.int64)
            self._centre = self._scale(select_rows(batch.rows, some)).mean(axis=0)

    def _scale(self, matrix: Any) -> Any:
        return matrix_ldexp(matrix, -self._exponents)

    def points(self, which: NDArray[np.int64]) -> Any:
        """Return the selected points as a dense or CSR matrix."""
        labels = self._batch.labels[which].astype(np.float64)[:, None]
        matrix = self._scale(select_rows(self._batch.rows, which))
        if isinstance(matrix, np.ndarray):
            return (matrix - self._centre) * labels
        return matrix.multiply(labels).tocsr()

    def products(self, z: Vector) -> Iterator[tuple[slice, Vector]]:
        """Yield each block of rows as a slice, and the inner products of its points with z."""
        rows, labels = self._batch.rows, self._batch.labels
        with np.errstate(all="ignore"):
            shift, is_plain = float(self._centre @ z), bool((np.abs(self._exponents) < 500).all())
            weights = np.ldexp(z, -self._exponents) if is_plain else z

        def product(part: slice) -> Vector:
            matrix = block(rows, part)
            with np.errstate(all="ignore"):
                made = (matrix if is_plain else self._scale(matrix)) @ weights - shift
                return np.asarray(made * labels[part])

        parts = list(slices(rows))
        for first in range(0, len(parts), AT_ONCE):  # the caller checks the time limit between these groups
            some = parts[first : first + AT_ONCE]
            yield from zip(some, map_parts(product, some), strict=True)

    def hyperplane(self, found: Nearest) -> tuple[Numbers, Number]:
        """Return (w, b) for the unscaled rows: the hyperplane with normal z, midway between the classes."""
        b = 0.0
        if len(found.lowest) == 2:
            b = float(found.lowest[1] - found.lowest[0]) / 2 - float(self._centre @ found.z)
        return unscale(found.z, b, self._exponents)


def unscale(z: Vector, b: float, exponents: NDArray[np.int64]) -> tuple[Numbers, Number]:
    """Return (z/2^e, b) as doubles if these are exact, otherwise a multiple of it as integers."""
    with np.errstate(all="ignore"):
        weights = np.ldexp(z, -exponents)
        if np.isfinite(weights).all() and (np.ldexp(weights, exponents) == z).all():
            return tuple(weights.tolist()), float(b)
    numbers, power = as_dyadic(np.append(z, b))
    powers = [power - int(e) for e in exponents] + [power]
    lowest = min(powers)
    whole = [number << (p - lowest) for number, p in zip(numbers, powers, strict=True)]
    return tuple(whole[:-1]), whole[-1]
