"""The rows of a data set as matrices, and rows of its Gram matrix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.loops.blocked import RowsMade
from rosenblatt.numeric.row_batches import Dense, Rows, Sparse, check_finite, n_features, n_rows, take
from rosenblatt.training.backends import Backend
from rosenblatt.training.dual.support import as_matrix, is_single, is_whole, squared_lengths_of

HEAVIEST = 1e150  # largest weight of an example


# ---------------------------------------------------------------- rows


class Points:
    """Hold rows with their ‖x‖², copied to a device if the device has enough memory."""

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
        """Return some rows as a matrix, and ‖x‖² of these rows."""
        if self._backend.is_host and isinstance(self._rows, Dense):
            X = self._rows.values[which]
            return X if self._keep_single else X.astype(np.float64, copy=False), self._squares[which]
        numbers = self._backend.numbers(which)
        if self._there is not None:
            return self._there[numbers], self._squares[numbers]
        return as_matrix(take(self._rows, which), self._backend, self._keep_single), self._squares[numbers]

    def squares(self) -> NDArray[np.float64]:
        """Return ‖x‖² of all rows, on the host."""
        return self._backend.get(self._squares)

    def parts(self, width: int, first: int = 0) -> Iterator[tuple[slice, Any, Any]]:
        """Yield all rows from `first` on in parts: the slice, the matrix and ‖x‖².

        A part has few enough rows for a matrix with `width` columns to fit into the memory limit.
        """
        step = max(1, self._backend.part_bytes // (8 * max(1, width)))
        for start in range(first, self.n, step):
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
    """Raise an error if the sum of kernel values, multiplied by these weights, could overflow."""
    if importance.size and importance.max() > HEAVIEST:
        raise BadInput(
            f"sample_weight: a weight of {importance.max():.3g} (with class_weight) is too large to add "
            "up; divide all weights by the largest: only their ratios matter"
        )


def only_finite(rows: Rows, present: NDArray[np.int64] | None) -> Rows:
    """Return the rows; raise an error if a row with positive weight contains NaN or infinity.

    A row with weight 0 is replaced by zeros if it is longer than all other rows, because no result may
    depend on it.
    """
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


def looked_at(
    order: str | NDArray[np.uint64], present: NDArray[np.int64] | None
) -> NDArray[np.int64] | None:
    """Return the indices of the rows that a run will visit, or None for all."""
    if isinstance(order, str):
        return present
    named = np.unique(order).astype(np.int64)
    found = named if present is None else np.intersect1d(named, present)
    if not found.size:
        raise BadInput("order: every row it names has sample weight 0; there is nothing to learn from")
    return found


# ---------------------------------------------------------------- rows of Gram matrices


class KeptRows:
    """Cache K between some rows and all n rows of a data set, until the allowed memory is full."""

    def __init__(self, n: int, cache_bytes: int, backend: Backend) -> None:
        self._n, self._backend = n, backend
        self._most = cache_bytes // (8 * n)
        self._rows: dict[int, Any] = {}

    def __contains__(self, row: int) -> bool:
        return row in self._rows

    def __getitem__(self, row: int) -> Any:
        return self._rows[row]

    @property
    def room(self) -> int:
        """Return the number of further rows that fit into the allowed memory."""
        return max(0, self._most - len(self._rows))

    def keep(self, row: int, part: slice, values: Any) -> None:
        """Store some kernel values of a row; a complete row is stored without a copy."""
        if part.start == 0 and part.stop == self._n:
            self._rows[row] = values
            return
        if row not in self._rows:
            self._rows[row] = self._backend.empty((self._n,))
        self._rows[row][part] = values


class BlockGram:
    """Compute K̃ = K + offset between the rows of a block, only for the rows that need it.

    values[place[i]] holds K̃ of row i with all rows of the block, on the backend (or on the host, if
    `on_host`). place[i] is −1 if these values have not been computed.
    """

    def __init__(
        self, kernel: Any, X: Any, x2: Any, offset: float, backend: Backend, on_host: bool
    ) -> None:
        self._kernel, self._X, self._x2, self._offset, self._backend = kernel, X, x2, offset, backend
        self._on_host = on_host
        self._n = X.shape[0]
        self._made = 0
        self.place = np.full(self._n, -1, np.int64)
        self.values: Any = np.empty((0, self._n))

    def add(self, positions: NDArray[np.int64]) -> RowsMade:
        """Compute the values of the rows at `positions`; return all values so far."""
        new = positions[self.place[positions] < 0]
        if len(new):
            self._append(new)
        return RowsMade(self.values, self.place)

    def _append(self, new: NDArray[np.int64]) -> None:
        X, x2 = self._X, self._x2
        if len(new) < self._n:
            numbers = self._backend.numbers(new)
            X, x2 = X[numbers], x2[numbers]
        made = self._kernel.matrix(X, self._X, x2, self._x2, self._backend)
        made += self._offset
        if self._on_host:
            made = self._backend.get(made)
        end = self._made + len(new)
        if not self._made:
            self.values = made
        elif end > len(self.values):
            room = max(2 * len(self.values), end), self._n
            grown = np.zeros(room) if self._on_host else self._backend.zeros(room)
            grown[: self._made] = self.values[: self._made]
            self.values = grown
        self.values[self._made : end] = made
        self.place[new] = np.arange(self._made, end)
        self._made = end
