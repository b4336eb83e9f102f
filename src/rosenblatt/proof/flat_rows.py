"""Rows in the orthogonal complement of a growing span, for the search for faces and for a common point."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.blocks import block, select_rows
from rosenblatt.numeric.row_batches import Batch
from rosenblatt.proof.clock import Clock
from rosenblatt.proof.nearest_points import Vector

IN_SPAN = 1e-9  # a row counts as in the span if its relative distance from it is at most this
NEARLY_IN_SPAN = 1e-6  # squared relative distance below which the residual is recomputed
ROUNDING = 1e-14  # rounding error of a unit vector after projection
ORTHONORMAL = 1e-8  # largest entry of BᵀB − I for a basis B that can be trusted


class FlatRows:
    """Hold the rows yᵢ(xᵢ, 1), projected orthogonally to a growing span and scaled to length 1."""

    def __init__(self, batch: Batch, offset: bool, exponents: NDArray[np.int64], clock: Clock) -> None:
        self._batch, self._offset, self._exponents, self._clock = batch, offset, exponents, clock
        self.n, self.dimension = batch.n_rows, batch.n_features + offset
        self._basis = np.empty((self.dimension, 0))
        self._lengths = np.ones(self.n)
        self._outside = np.ones(self.n, np.bool_)
        if not offset:  # a zero row is in every span
            for part, matrix in self._blocks():
                self._outside[part] = self._lift_rows(part, matrix).any(axis=1)
        self.groups = self._group_rows()

    def _blocks(self) -> Iterator[tuple[slice, Any]]:
        """Yield blocks of rows that fit into the processor's cache as dense arrays."""
        step = max(1, (1 << 20) // self.dimension)
        for start in range(0, self.n, step):
            self._clock.check()
            part = slice(start, min(start + step, self.n))
            yield part, block(self._batch.rows, part)

    def _lift_rows(self, part: slice | NDArray[Any], matrix: Any) -> Vector:
        lifted = self._lift_plainly(part, matrix)
        lengths = np.linalg.norm(lifted, axis=1)
        lengths[lengths == 0.0] = 1.0
        return np.asarray(lifted / lengths[:, None])

    def _lift_plainly(self, part: slice | NDArray[Any], matrix: Any) -> Vector:
        labels = self._batch.labels[part].astype(np.float64)
        dense = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
        with np.errstate(under="ignore"):
            scaled = np.ldexp(dense, -self._exponents)
        lifted = np.column_stack([scaled, np.ones(len(scaled))]) if self._offset else scaled
        return np.asarray(lifted * labels[:, None])

    def flatten(self, rows: list[int]) -> bool:
        """Add the given rows to the span; return False if rounding errors prevent it.

        Each call adds at least one vector to the basis of the span, so there are at most `dimension` calls.
        """
        _, sizes, directions = np.linalg.svd(self.points(np.array(rows)), full_matrices=False)
        # normalising a residual to unit length also magnifies its rounding errors
        noise = ROUNDING / self._lengths[rows].min()
        fresh = directions[sizes > max(IN_SPAN, noise)].T
        if not fresh.size:
            return False
        fresh, _ = np.linalg.qr(fresh - self._basis @ (self._basis.T @ fresh))
        basis = np.column_stack([self._basis, fresh])
        columns = basis.shape[1]
        if columns > self.dimension or np.abs(basis.T @ basis - np.eye(columns)).max() > ORTHONORMAL:
            return False
        self._basis = basis
        for part, matrix in self._blocks():
            places = np.flatnonzero(self._outside[part])
            lifted = self._lift_rows(part.start + places, matrix[places])
            lost = lifted @ fresh
            squares = self._lengths[part][places] ** 2 - np.einsum("ij,ij->i", lost, lost)
            # cancellation makes small differences inaccurate: recompute those residuals directly
            small = squares < NEARLY_IN_SPAN
            rest = lifted[small] - (lifted[small] @ self._basis) @ self._basis.T
            squares[small] = np.einsum("ij,ij->i", rest, rest)
            self._lengths[part.start + places] = np.sqrt(squares)
            self._outside[part.start + places] = squares > IN_SPAN**2
        self.groups = self._group_rows()
        return True

    def _group_rows(self) -> NDArray[np.int8]:
        """Return 0 for each row outside the span and −1 for each row in it; searches skip rows with −1."""
        return np.where(self._outside, 0, -1).astype(np.int8)

    @property
    def frame(self) -> Vector:
        """An orthonormal basis of the orthogonal complement of the span."""
        rank = self._basis.shape[1]
        return np.asarray(np.linalg.qr(self._basis, mode="complete")[0][:, rank:])

    def has_points(self) -> bool:
        """Return whether a row is outside the span."""
        return bool(self._outside.any())

    def lengths(self, which: NDArray[np.int64]) -> Vector:
        """Return the lengths of the selected rows before they were projected and scaled to length 1."""
        lifted = self._lift_plainly(which, select_rows(self._batch.rows, which))
        return np.asarray(np.linalg.norm(lifted, axis=1))

    def points(self, which: NDArray[np.int64]) -> Vector:
        """Return the selected rows."""
        lifted = self._lift_rows(which, select_rows(self._batch.rows, which))
        rest = lifted - (lifted @ self._basis) @ self._basis.T
        return np.asarray(rest / self._lengths[which][:, None])

    def products(self, z: Vector) -> Iterator[tuple[slice, Vector]]:
        """Yield the products of all rows with z, in blocks; 0 for rows in the span."""
        flat = z - self._basis @ (self._basis.T @ z)
        for part, matrix in self._blocks():
            places = np.flatnonzero(self._outside[part])
            products = np.zeros(part.stop - part.start)
            rows = part.start + places
            products[places] = (self._lift_rows(rows, matrix[places]) @ flat) / self._lengths[rows]
            yield part, products
