"""A data set as a kernel sees it: rows as matrices, rows of its Gram matrix, and the scores of all rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import Dense, Rows, Sparse, check_finite, n_features, n_rows, take
from rosenblatt.errors import BadInput
from rosenblatt.kernels import Monomials
from rosenblatt.learning.backends import Backend, OnDevice
from rosenblatt.learning.dual.support import (
    Support,
    as_matrix,
    is_single,
    is_whole,
    squared_lengths_of,
)

HEAVIEST = 1e150  # weight of an example
KNOWN = 256  # kept rows that are added at once


# ---------------------------------------------------------------- rows


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
        if self._backend.is_host and isinstance(self._rows, Dense):
            X = self._rows.values[which]
            return X if self._keep_single else X.astype(np.float64, copy=False), self._squares[which]
        numbers = self._backend.numbers(which)
        if self._there is not None:
            return self._there[numbers], self._squares[numbers]
        return as_matrix(take(self._rows, which), self._backend, self._keep_single), self._squares[numbers]

    def squares(self) -> NDArray[np.float64]:
        """‖x‖² of all rows, on the host."""
        return self._backend.get(self._squares)

    def parts(self, width: int, first: int = 0) -> Iterator[tuple[slice, Any, Any]]:
        """All rows from `first` on, in parts of which a matrix with `width` columns is not too large."""
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


def looked_at(
    order: str | NDArray[np.uint64], present: NDArray[np.int64] | None
) -> NDArray[np.int64] | None:
    """The rows that a run will look at; None: all."""
    if isinstance(order, str):
        return present
    named = np.unique(order).astype(np.int64)
    found = named if present is None else np.intersect1d(named, present)
    if not found.size:
        raise BadInput("order: every row it names has sample weight 0; there is nothing to look at")
    return found


# ---------------------------------------------------------------- rows of Gram matrices


class KeptRows:
    """K of some rows with all n rows of a data set, within `cache_bytes`; first come, first kept."""

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
        """For how many more rows."""
        return max(0, self._most - len(self._rows))

    def keep(self, row: int, part: slice, values: Any) -> None:
        """Some values of a row; all of them at once are kept where they are."""
        if part.start == 0 and part.stop == self._n:
            self._rows[row] = values
            return
        if row not in self._rows:
            self._rows[row] = self._backend.empty((self._n,))
        self._rows[row][part] = values


class BlockGram:
    """K̃ of a block's rows with all rows of the block, made for the rows that need it.

    values[place[i]] is that of row i, on the backend (or on the host, if `on_host`); place[i] = −1: not
    made.
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

    def add(self, positions: NDArray[np.int64]) -> None:
        new = positions[self.place[positions] < 0]
        if not len(new):
            return
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


class WholeGram:
    """K̃ of all rows of a data set with each other, where a device has room for it."""

    def __init__(self, kernel: Any, points: Points, offset: float, backend: OnDevice) -> None:
        self.backend = backend
        self.values = backend.empty((points.n, points.n))
        for part, X, x2 in points.parts(points.n):  # one half: the other is its mirror image
            for where, Z, z2 in points.parts(part.stop - part.start, part.start):
                made = kernel.matrix(X, Z, x2, z2, backend)
                self.values[part, where] = made
                self.values[where, part] = made.T
        if offset:
            self.values += offset

    def of_block(self, which: NDArray[np.int64]) -> WholeBlock:
        return WholeBlock(self.values, self.backend.integers(which.astype(np.int32)))


class WholeBlock(NamedTuple):
    """A block of a `WholeGram`: everything has been made. across: the numbers of its rows, there."""

    values: Any
    across: Any

    def add(self, positions: NDArray[np.int64]) -> None:
        pass


# ---------------------------------------------------------------- scores


class Scores(Protocol):
    """What a lesson asks of them."""

    error: float
    """How far they can be off beyond the kernel's own error, as a part of mass·root."""

    def at(self, which: NDArray[np.int64], X: Any, x2: Any) -> Any:
        """One score for each row of a block and each column."""

    def learned(
        self, column: Any, which: NDArray[np.int64], position: Any, delta: NDArray[np.float64]
    ) -> None:
        """w of these columns, or of the one, has changed by delta·φ(x), for rows at these positions of the
        last block."""

    def block_ends(self, ahead: NDArray[np.int64] | None) -> None:
        """The block is done. ahead: the only rows that will be asked about again, None if it may be any."""


class RunningScores:
    """Scores of all rows, to which changes of w are added when enough have gathered.

    A change costs K(x, z) for all rows z, whatever the number of support rows; rows of the Gram matrix that
    were needed once are kept while they fit. Until they are added, changes are counted in block by block.
    """

    error = 0.0

    def __init__(
        self,
        kernel: Any,
        points: Points,
        backend: Backend,
        offset: float,
        support: Support,
        coefficients: NDArray[np.float64],
        cache_bytes: int,
    ) -> None:
        self._kernel, self._points, self._backend, self._offset = kernel, points, backend, offset
        self._kept = KeptRows(points.n, backend.for_gram(cache_bytes) if cache_bytes else 0, backend)
        self._n_columns = coefficients.shape[1]
        self._scores = backend.zeros((points.n, self._n_columns))
        self._place = np.full(points.n, -1, np.int64)  # of a row among the gathered changes
        self._gathered = np.empty(0, np.int64)  # the rows
        self._changes = np.zeros((0, self._n_columns))
        for part, rows, _ in support.parts():
            Z, z2 = support.matrix(part, rows, backend)
            weights = backend.put(coefficients[part])
            for where, X, x2 in points.parts(Z.shape[0]):
                self._scores[where] += self._values(X, Z, x2, z2) @ weights

    def on_whole(self, whole: WholeGram) -> ScoresOnWhole:
        """The same, by a Gram matrix that has every row."""
        return ScoresOnWhole(whole, self._scores)

    def _values(self, X: Any, Z: Any, x2: Any, z2: Any) -> Any:
        values = self._kernel.matrix(X, Z, x2, z2, self._backend)
        values += self._offset
        return values

    def at(self, which: NDArray[np.int64], X: Any, x2: Any) -> Any:
        scores = self._scores[self._backend.numbers(which)]
        if len(self._gathered):
            Z, z2 = self._points.block(self._gathered)
            scores += self._values(X, Z, x2, z2) @ self._backend.put(self._changes)
        return scores

    def learned(
        self, column: Any, which: NDArray[np.int64], position: Any, delta: NDArray[np.float64]
    ) -> None:
        rows = which[position]
        new = np.unique(rows[self._place[rows] < 0])
        if len(new):
            self._place[new] = len(self._gathered) + np.arange(len(new))
            self._gathered = np.concatenate([self._gathered, new])
            self._changes = np.concatenate([self._changes, np.zeros((len(new), self._n_columns))])
        np.add.at(self._changes, (self._place[rows], column), delta)

    def block_ends(self, ahead: NDArray[np.int64] | None) -> None:
        rows, changes = self._gathered, self._changes
        if len(rows) <= self._backend.gathered:
            return
        if ahead is None:
            self._add_to_all(rows, changes)
        elif len(ahead):
            self._add_to(np.unique(ahead), rows, changes)
        self._place[rows] = -1
        self._gathered, self._changes = rows[:0], changes[:0]

    def _add_to_all(self, rows: NDArray[np.int64], changes: NDArray[np.float64]) -> None:
        is_known = np.array([row in self._kept for row in rows.tolist()])
        known, fresh = np.flatnonzero(is_known), np.flatnonzero(~is_known)
        for start in range(0, len(known), KNOWN):
            some = known[start : start + KNOWN]
            self._add_kept(
                [self._kept[row] for row in rows[some].tolist()], self._backend.put(changes[some])
            )
        if not len(fresh):
            return
        kept = list(enumerate(rows[fresh].tolist()))[: self._kept.room]
        Z, z2 = self._points.block(rows[fresh])
        weights = self._backend.put(changes[fresh])
        for part, X, x2 in self._points.parts(len(fresh)):
            values = self._values(Z, X, z2, x2)
            self._scores[part] += values.T @ weights
            for j, row in kept:
                self._kept.keep(row, part, values[j])

    def _add_kept(self, rows: list[Any], weights: Any) -> None:
        """Add kept rows of the Gram matrix, in parts that stay in a cache while they are used."""
        step = max(1, self._backend.part_bytes // (16 * len(rows)))
        for start in range(0, self._points.n, step):
            part = slice(start, start + step)
            self._scores[part] += self._backend.stack([row[part] for row in rows]).T @ weights

    def _add_to(
        self, targets: NDArray[np.int64], rows: NDArray[np.int64], changes: NDArray[np.float64]
    ) -> None:
        Z, z2 = self._points.block(rows)
        weights = self._backend.put(changes)
        step = max(1, self._backend.part_bytes // (8 * len(rows)))
        for start in range(0, len(targets), step):
            some = targets[start : start + step]
            X, x2 = self._points.block(some)
            self._scores[self._backend.numbers(some)] += self._values(X, Z, x2, z2) @ weights


class ScoresOnWhole:
    """Scores of all rows, to which every change of w is added at once from a Gram matrix of all rows."""

    error = 0.0

    def __init__(self, whole: WholeGram, scores: Any) -> None:
        self._whole, self._scores, self._backend = whole, scores.T.contiguous(), whole.backend

    def at(self, which: NDArray[np.int64], X: Any, x2: Any) -> Any:
        return self._scores[:, self._backend.numbers(which)].T

    def learned(
        self, column: Any, which: NDArray[np.int64], position: Any, delta: NDArray[np.float64]
    ) -> None:
        # the rows are read where they are: to copy them together first takes longer than to add them up
        ends = np.searchsorted(column, np.arange(len(self._scores) + 1))
        changes = self._backend.compressed(ends, which[position], delta, self._whole.values.shape[0])
        self._scores += changes @ self._whole.values

    def block_ends(self, ahead: NDArray[np.int64] | None) -> None:
        pass


class WrittenOut:
    """w itself, in a feature space that is written out: a score is w·φ(x)."""

    def __init__(
        self, terms: Monomials, offset: float, support: Support, coefficients: NDArray[np.float64]
    ) -> None:
        self._terms, self._offset = terms, offset
        self._w = support.combined(terms, coefficients)
        self._b = offset * coefficients.sum(axis=0)
        self._mapped = np.empty((0, 0))
        self.error = terms.error

    def at(self, which: NDArray[np.int64], X: Any, x2: Any) -> Any:
        self._mapped = self._terms.of_matrix(X)
        return self._mapped @ self._w + self._b

    def learned(
        self, column: Any, which: NDArray[np.int64], position: Any, delta: NDArray[np.float64]
    ) -> None:
        column = np.broadcast_to(column, delta.shape)
        for c in np.unique(column):
            of_column = column == c
            self._w[:, c] += delta[of_column] @ self._mapped[position[of_column]]
            self._b[c] += self._offset * delta[of_column].sum()

    def block_ends(self, ahead: NDArray[np.int64] | None) -> None:
        pass
