"""The rows that w is a sum of, with room to grow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.blocks import block, squared_lengths
from rosenblatt.dual.spaces import Space
from rosenblatt.examples import Dense, Rows, Sparse, n_features, n_rows, stack, take

WIDE = 1 << 14  # up to so many features, sparse support rows are spread out: products are much faster


class Support:
    """Support rows in the order in which they came, in chunks of equal size; the last one still grows.

    origin: the number of the example, counted over all rows ever given to learn from. roots: see
    `kernels.shape`.
    """

    def __init__(self, chunk: int) -> None:
        self.chunk = chunk
        self.origin = np.empty(0, np.int64)
        self.roots = np.empty(0)
        self._whole: list[Rows] = []
        self._growing: list[Rows] = []
        self._matrices: dict[int, tuple[Any, Any]] = {}

    def __len__(self) -> int:
        return len(self.origin)

    def append(self, rows: Rows, origin: NDArray[np.int64], roots: NDArray[np.float64]) -> None:
        self._matrices.pop(len(self._whole), None)
        self._growing.append(rows)
        self.origin = np.concatenate([self.origin, origin])
        self.roots = np.concatenate([self.roots, roots])
        if len(self) - self.chunk * len(self._whole) < self.chunk:
            return
        gathered = stack(self._growing)
        numbers = np.arange(n_rows(gathered))
        while len(numbers) >= self.chunk:
            self._whole.append(take(gathered, numbers[: self.chunk]))
            numbers = numbers[self.chunk :]
        self._growing = [take(gathered, numbers)] if len(numbers) else []

    def parts(self) -> Iterator[tuple[slice, Rows, bool]]:
        """(which support rows, the rows, whether the chunk is whole)."""
        for q, rows in enumerate(self._whole):
            yield slice(q * self.chunk, (q + 1) * self.chunk), rows, True
        if self._growing:
            if len(self._growing) > 1:
                self._growing = [stack(self._growing)]
            yield slice(self.chunk * len(self._whole), len(self)), self._growing[0], False

    def matrix(self, part: slice, rows: Rows, space: Space) -> tuple[Any, Any]:
        """One of the parts as a matrix of `space`, and ‖x‖² of its rows."""
        which = part.start // self.chunk
        if which not in self._matrices:
            self._matrices[which] = as_matrix(rows, slice(0, n_rows(rows)), space)
        return self._matrices[which]

    def rows(self) -> Rows:
        """All of them in one piece."""
        return stack([rows for _, rows, _ in self.parts()])

    def widen(self, n: int) -> None:
        """Make room for features that were not there before."""
        self._matrices = {}
        for parts in (self._whole, self._growing):
            parts[:] = [part._replace(n_features=n) if isinstance(part, Sparse) else part for part in parts]

    def copy(self) -> Support:
        twin = Support(self.chunk)
        twin.origin, twin.roots = self.origin, self.roots
        twin._whole, twin._growing = list(self._whole), list(self._growing)
        twin._matrices = dict(self._matrices)
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_matrices": {}}  # they may be on a device, and are made again when needed


def as_matrix(rows: Rows, part: slice, space: Space) -> tuple[Any, Any]:
    """Some rows as a matrix of float64 (float32 where that holds whole numbers, for
    `kernels.shape.product`), and their ‖x‖²."""
    if isinstance(rows, Dense) and rows.values.dtype == np.float32 and space.is_host:
        matrix = rows.values[part]
        if (matrix == np.rint(matrix)).all():
            return matrix, np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64)
    matrix = block(rows, part)
    squares = squared_lengths(matrix)
    if isinstance(rows, Sparse) and n_features(rows) <= WIDE:
        matrix = matrix.toarray()
    return space.put(matrix), space.put(squares)


def alike(rows: Rows, model: Rows) -> Rows:
    """The same rows in the layout of `model`, dense or compressed."""
    if isinstance(rows, Dense) and isinstance(model, Sparse):
        sparse = stack([rows, model])
        assert isinstance(sparse, Sparse)
        return sparse
    if isinstance(rows, Sparse) and isinstance(model, Dense):
        return Dense(block(rows, slice(0, n_rows(rows))).toarray())
    return rows
