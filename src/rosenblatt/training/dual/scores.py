"""Scores of all rows of a data set, kept up to date while w changes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt.kernels import Monomials
from rosenblatt.loops.short_rows import AT_ONCE, FOUR, ShortBlock, add_short_rows
from rosenblatt.loops.threads import n_threads
from rosenblatt.numeric.row_batches import Dense, Rows, n_features
from rosenblatt.training.backends import Backend
from rosenblatt.training.dual.kernel_values import KeptRows, Points
from rosenblatt.training.dual.support import Support

KNOWN = 256  # cached rows that are added together
MANY_VALUES = 1 << 16  # waking threads takes a third of the time for this many values


class Scores(Protocol):
    """Define the interface of the scores that a lesson uses."""

    error: float
    """Relative error of the scores in addition to the kernel's own error, as a fraction of mass·root."""

    def at(self, which: NDArray[np.int64], X: Any, x2: Any) -> Any:
        """Return the scores of the rows of a block, in shape (rows, classifiers)."""

    def add_updates(
        self, column: Any, which: NDArray[np.int64], position: Any, delta: NDArray[np.float64]
    ) -> None:
        """Record that w of classifier column[k] has changed by delta[k]·φ(x).

        x is row position[k] of the last block. `column` may be one number for all changes.
        """

    def block_ends(self, ahead: NDArray[np.int64] | None) -> None:
        """Finish the block; only the rows in `ahead` will be needed again (None means any rows)."""


class RunningScores:
    """Keep the scores of all rows, and update them when enough changes of w have accumulated.

    A change costs K(x, z) for all rows z, independently of the number of support rows. Computed rows of the
    Gram matrix are kept as long as there is memory for them. Changes that are not yet in the stored scores
    are added when a block reads its scores.
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
        self.scores = backend.zeros((points.n, self._n_columns))
        self._place = np.full(points.n, -1, np.int64)  # index of a row in `_gathered`, or −1
        self._gathered = np.empty(0, np.int64)  # the rows whose changes are not yet added to all scores
        self._changes = np.zeros((0, self._n_columns))
        for part, rows in support.parts():
            Z, z2 = support.matrix(part, rows, backend)
            weights = backend.put(coefficients[part])
            for where, X, x2 in points.parts(Z.shape[0]):
                self.scores[where] += self._values(X, Z, x2, z2) @ weights

    def of_short(self, rows: Rows) -> RunningScores | ScoresOfShortRows:
        """Return scores that recompute kernel values of short rows if that is faster, otherwise `self`."""
        backend, points = self._backend, self._points
        is_short = isinstance(rows, Dense) and n_features(rows) <= backend.short
        if not is_short or points.n < backend.many or not self._kernel.is_of_products(points.largest2):
            return self
        return ScoresOfShortRows(self._kernel, points, rows.values, self._offset, self.scores)

    def _values(self, X: Any, Z: Any, x2: Any, z2: Any) -> Any:
        values = self._kernel.matrix(X, Z, x2, z2, self._backend)
        values += self._offset
        return values

    def at(self, which: NDArray[np.int64], X: Any, x2: Any) -> Any:
        scores = self.scores[self._backend.numbers(which)]
        if len(self._gathered):
            Z, z2 = self._points.block(self._gathered)
            scores += self._values(X, Z, x2, z2) @ self._backend.put(self._changes)
        return scores

    def add_updates(
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
            self._add_cached(
                [self._kept[row] for row in rows[some].tolist()], self._backend.put(changes[some])
            )
        if not len(fresh):
            return
        kept = list(enumerate(rows[fresh].tolist()))[: self._kept.room]
        Z, z2 = self._points.block(rows[fresh])
        weights = self._backend.put(changes[fresh])
        for part, X, x2 in self._points.parts(len(fresh)):
            values = self._values(Z, X, z2, x2)
            self.scores[part] += values.T @ weights
            for j, row in kept:
                self._kept.keep(row, part, values[j])

    def _add_cached(self, rows: list[Any], weights: Any) -> None:
        """Add changes on cached rows of the Gram matrix, in parts that fit into the processor's cache."""
        step = max(1, self._backend.part_bytes // (16 * len(rows)))
        for start in range(0, self._points.n, step):
            part = slice(start, start + step)
            self.scores[part] += self._backend.stack([row[part] for row in rows]).T @ weights

    def _add_to(
        self, targets: NDArray[np.int64], rows: NDArray[np.int64], changes: NDArray[np.float64]
    ) -> None:
        Z, z2 = self._points.block(rows)
        weights = self._backend.put(changes)
        step = max(1, self._backend.part_bytes // (8 * len(rows)))
        for start in range(0, len(targets), step):
            some = targets[start : start + step]
            X, x2 = self._points.block(some)
            self.scores[self._backend.numbers(some)] += self._values(X, Z, x2, z2) @ weights


class ScoresOfShortRows:
    """Keep the scores of all rows, and update them at the end of each block with recomputed kernel values.

    See `loops.short_rows`. Threads on all cores update the scores while the main thread does the work
    between two blocks.
    """

    error = 0.0

    def __init__(
        self, kernel: Any, points: Points, values: NDArray[Any], offset: float, scores: NDArray[np.float64]
    ) -> None:
        self._kernel, self._points, self._offset = kernel, points, offset
        n, d = values.shape
        self._across = np.zeros((-(-d // FOUR) * FOUR, n))
        self._across[:d] = values.T
        self._squares, self._scores = points.squares(), np.ascontiguousarray(scores.T)
        self._place = np.arange(n)  # index of each row among the rows that will be needed again
        self._learned: list[tuple[Any, ...]] = []
        self._room = np.empty((0, 0))
        # started once: starting threads takes longer than a block of a small data set
        cores = n_threads(-1) if threading.current_thread() is threading.main_thread() else 1
        self._pool = ThreadPoolExecutor(cores - 1) if cores > 1 else None
        self._cores = cores
        self._adding: tuple[Callable[[], None], list[Future[None]]] | None = None

    def at(self, which: NDArray[np.int64], X: Any, x2: Any) -> Any:
        self._wait()
        return self._scores.take(self._place[which], axis=1).T

    def block(self, which: NDArray[np.int64]) -> ShortBlock:
        """Return the rows of a block as a `ShortBlock`, which computes its kernel values."""
        n, there = len(which), self._place[which]
        if n > len(self._room):
            self._room = np.empty((n, n))
        place, made, work = np.full(n, -1), np.zeros(1, np.int64), np.empty(n)
        across, squares = self._across.take(there, axis=1), self._squares[there]
        return ShortBlock(self._kernel, self._offset, across, squares, self._room, place, made, work)

    def add_updates(
        self, column: Any, which: NDArray[np.int64], position: Any, delta: NDArray[np.float64]
    ) -> None:
        self._learned.append((which[position], column, delta))

    def block_ends(self, ahead: NDArray[np.int64] | None) -> None:
        if ahead is not None and 4 * len(ahead) < 3 * len(self._squares):
            self._forget_all_but(np.unique(ahead))
        if not self._learned or not len(self._squares):
            return
        rows, columns, delta = (np.concatenate(part) for part in zip(*self._learned, strict=True))
        self._learned.clear()
        changed, place = np.unique(rows, return_inverse=True)
        changes = np.zeros((len(changed), len(self._scores)))
        np.add.at(changes, (place, columns), delta)
        X, x2 = self._points.block(changed)
        self._begin_to_add(X.astype(np.float64, copy=False), x2, changes)

    def _begin_to_add(self, X: Any, x2: Any, changes: NDArray[np.float64]) -> None:
        """Start threads that add the changes: one large part per other core, small parts for idle cores."""
        n, cores = len(self._squares), self._cores if len(X) * len(self._squares) >= MANY_VALUES else 1
        bounds = [n * k // cores for k in range(cores)]
        parts = iter(list(pairwise([*bounds, *range(bounds[-1], n, AT_ONCE)[1:], n])))
        of_all = self._across, self._squares, self._offset
        kernel, scores = self._kernel, self._scores

        def add() -> None:
            for first, end in parts:
                add_short_rows(kernel, X, x2, changes, *of_all, first, end, scores)

        self._adding = add, [self._pool.submit(add) for _ in bounds[1:]] if self._pool else []

    def _wait(self) -> None:
        if self._adding is not None:
            add, others = self._adding
            add()
            for other in others:
                other.result()
            self._adding = None

    def _forget_all_but(self, rows: NDArray[np.int64]) -> None:
        """Keep only the scores of these rows up to date from now on."""
        there = self._place[rows]
        self._across, self._scores = (array.take(there, axis=1) for array in (self._across, self._scores))
        self._squares, self._place[rows] = self._squares[there], np.arange(len(rows))


class WrittenOut:
    """Hold w itself in an explicit feature space; a score is w·φ(x)."""

    def __init__(
        self, terms: Monomials, offset: float, support: Support, coefficients: NDArray[np.float64]
    ) -> None:
        self._terms, self._offset = terms, offset
        self._w = support.combine(terms, coefficients)
        self._b = offset * coefficients.sum(axis=0)
        self._mapped = np.empty((0, 0))
        self.error = terms.error

    def at(self, which: NDArray[np.int64], X: Any, x2: Any) -> Any:
        self._mapped = self._terms.of_matrix(X)
        return self._mapped @ self._w + self._b

    def add_updates(
        self, column: Any, which: NDArray[np.int64], position: Any, delta: NDArray[np.float64]
    ) -> None:
        column = np.broadcast_to(column, delta.shape)
        for c in np.unique(column):
            of_column = column == c
            self._w[:, c] += delta[of_column] @ self._mapped[position[of_column]]
            self._b[c] += self._offset * delta[of_column].sum()

    def block_ends(self, ahead: NDArray[np.int64] | None) -> None:
        pass
