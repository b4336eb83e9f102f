"""The rows of a data set: those that can be learned from, as matrices of a backend, a block at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import Rows, Sparse, check_finite, n_features, n_rows, take
from rosenblatt.errors import BadInput
from rosenblatt.learning.backends import Backend
from rosenblatt.learning.dual.support import as_matrix, is_single, is_whole, squared_lengths_of

HEAVIEST = 1e150  # weight of an example


class Points:
    """Rows with their ‖x‖². On a device that has room for them they are brought there once."""

    def __init__(self, rows: Rows, backend: Backend) -> None:
        self._rows, self._backend = rows, backend
        self.n = n_rows(rows)
        squares = squared_lengths_of(rows)
        self.largest2 = float(squares.max())
        self._squares = backend.put(squares)
        self.is_whole = is_whole(rows)
        self._keep_single = backend.is_host and self.is_whole and is_single(rows)
        self._there: Any = None
        if not backend.is_host and backend.has_room(8 * self.n * n_features(rows)):
            self._there = as_matrix(rows, backend)

    def block(self, which: NDArray[np.int64]) -> tuple[Any, Any]:
        """Some rows as a matrix, and their ‖x‖²."""
        numbers = self._backend.numbers(which)
        if self._there is not None:
            return self._there[numbers], self._squares[numbers]
        return as_matrix(take(self._rows, which), self._backend, self._keep_single), self._squares[numbers]

    def squares(self) -> NDArray[np.float64]:
        """‖x‖² of all rows, on the host."""
        return self._backend.get(self._squares)

    def parts(self, width: int) -> Iterator[tuple[slice, Any, Any]]:
        """All rows, in parts of which a matrix with `width` columns is not too large."""
        step = max(1, self._backend.part_bytes // (8 * max(1, width)))
        for start in range(0, self.n, step):
            part = slice(start, min(start + step, self.n))
            if self._there is not None:
                yield part, self._there[part], self._squares[part]
            else:
                yield (
                    part,
                    as_matrix(self._rows, self._backend, self._keep_single, part),
                    self._squares[part],
                )


def refuse_heavy(importance: NDArray[np.float64]) -> None:
    """Refuse weights whose sum with kernel values could overflow."""
    if importance.size and importance.max() > HEAVIEST:
        raise BadInput(
            f"sample_weight: a weight of {importance.max():.3g} (with class_weight) is too large to add "
            "up; divide all weights by the largest: only their ratios matter"
        )


def only_finite(rows: Rows, present: NDArray[np.int64] | None) -> Rows:
    """The rows, with NaN and infinity refused where a row is present. A row that is absent, and longer than
    all that are present, is made 0: nothing may depend on it."""
    squares = squared_lengths_of(rows)
    if present is None or len(present) == len(squares):
        if not np.isfinite(squares).all():
            check_finite(rows, None)
        return rows
    if not np.isfinite(squares[present]).all():
        check_finite(rows, present)
    too_long = ~(squares <= squares[present].max())
    too_long[present] = False
    if not too_long.any():
        return rows
    if isinstance(rows, Sparse):
        starts = rows.starts.astype(np.int64)
        values = np.where(np.repeat(too_long, starts[1:] - starts[:-1]), 0, rows.values[: starts[-1]])
        return rows._replace(values=values)
    return rows._replace(values=np.where(too_long[:, None], rows.values.dtype.type(0), rows.values))
