"""Wolfe's method in a basis that is adapted to the points found so far.

Whether 0 is in the convex hull of some points does not change if a linear map is applied to all points, or
if a point is multiplied by a positive number. The number of steps and the rounding errors of Wolfe's method
do change. If a column is nonzero in a few rows only, their weights in a common point of two hulls can be
10⁻¹⁰ times the largest weight. Then z tends to 0 over thousands of steps, until the Gram matrix, whose
condition number is the square of that of the points, has no correct digit left.

Once ‖z‖ is small, the points are therefore mapped by C^(−1/2), where C = Σ λᵢpᵢpᵢᵀ + ε·I is computed from
the current combination z = Σ λᵢpᵢ. Then they are scaled to length 1 again. After the map, the rows of the
combination extend equally far in every direction. Directions in which they hardly extended are stretched by
up to ε^(−1/2), so that rows outside a face move away from it. Dunagan and Vempala (2008) use such maps for
feasibility problems.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt.proof.clock import Clock
from rosenblatt.proof.nearest_points import STALLED, ZERO, Nearest, Search, Vector

STRETCH = 1e-4  # ε relative to the mean eigenvalue of Σ λᵢpᵢpᵢᵀ
SMALL = 1e-5  # norm of z at which the points are mapped
VANISHED = 1e-14  # norm of z that counts as 0; exact arithmetic checks it
STILL_VANISHED = 1e-9  # norm of z that counts as 0 if the last map did not increase it
MOST_MAPS = 40
MOST_DIMENSIONS = 4096


class UnitPoints(Protocol):
    """Define the interface of points of length 1 in one group; `groups` is −1 for points to skip.

    The columns of `frame` are an orthonormal basis of a space that contains all points in the group.
    """

    n: int
    dimension: int
    groups: NDArray[np.int8]

    @property
    def frame(self) -> Vector:
        """The basis."""

    def points(self, which: NDArray[np.int64]) -> Vector:
        """Return the selected points as a dense matrix."""

    def products(self, z: Vector) -> Iterator[tuple[slice, Vector]]:
        """Yield the products pᵢ·z of all points, in blocks."""


class MappedPoints:
    """Hold the points pᵢM/‖pᵢM‖ for a matrix M; their products with z are those of pᵢM."""

    def __init__(self, points: UnitPoints, matrix: Vector) -> None:
        self._points, self._matrix = points, matrix
        self.n, self.dimension, self.groups = points.n, matrix.shape[1], points.groups

    def points(self, which: NDArray[np.int64]) -> Vector:
        """Return the selected points."""
        mapped = self._points.points(which) @ self._matrix
        lengths = np.linalg.norm(mapped, axis=1)
        return np.asarray(mapped / np.where(lengths > 0.0, lengths, 1.0)[:, None])

    def products(self, z: Vector) -> Iterator[tuple[slice, Vector]]:
        """Yield the products of all points with z, which have the right sign but not the right size."""
        yield from self._points.products(self._matrix @ z)


def search_reshaped(
    points: UnitPoints,
    clock: Clock,
    start: tuple[NDArray[np.int64], Vector] | None = None,
    rows: NDArray[np.int64] | None = None,
) -> Nearest | None:
    """Return a direction z with a positive product with every point, or points that nearly sum to 0.

    The status of the result is "zero" in the second case. Return None if neither was found. `start` and
    `rows` are the points with their weights and the working set of an earlier search.
    """
    if points.dimension > MOST_DIMENSIONS:
        return None
    matrix, norm = points.frame, 1.0
    if not matrix.size:
        return None
    for _ in range(MOST_MAPS):
        mapped, found = MappedPoints(points, matrix), None
        search = Search(mapped, clock, start=start, rows=rows)
        for found in search.run(tolerance=0.5, zero=SMALL):
            if found.status == ZERO or (found.lowest > 0.0).all():
                break
        if found is None or (found.status == STALLED and not (found.lowest > 0.0).all()):
            return None
        if found.status != ZERO:
            return found._replace(z=matrix @ found.z)
        if found.upper <= VANISHED or max(norm, found.upper) <= STILL_VANISHED:
            return found
        norm, rows = found.upper, search.rows
        members = mapped.points(found.rows)
        values, vectors = np.linalg.eigh((members * found.weights[:, None]).T @ members)
        if not values.mean() > 0.0:
            return None
        change = vectors / np.sqrt(np.maximum(values, 0.0) / values.mean() + STRETCH)
        matrix = matrix @ change
        matrix /= np.abs(matrix).max()
        start = found.rows, found.weights * np.linalg.norm(members @ change, axis=1)
    return None
