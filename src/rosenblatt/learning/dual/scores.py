"""Scores of the rows of a lesson by the state as it is: two ways to have them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt.kernels import Monomials
from rosenblatt.learning.backends import Backend
from rosenblatt.learning.dual.gram import KeptRows, WholeGram
from rosenblatt.learning.dual.points import Points
from rosenblatt.learning.dual.support import Support

KNOWN = 256  # kept rows that are added at once


class Scores(Protocol):
    """What a lesson asks of them."""

    error: float
    """How far they can be off beyond the kernel's own error, as a part of mass·root."""

    def at(self, which: NDArray[np.int64], X: Any, x2: Any) -> Any:
        """One score for each row of a block and each column."""

    def learned(
        self, column: NDArray[np.int64], which: NDArray[np.int64], position: Any, delta: NDArray[np.float64]
    ) -> None:
        """w of these columns has changed by delta·φ(x), for rows at these positions of the last block."""

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
        whole: WholeGram | None = None,
    ) -> None:
        self._kernel, self._points, self._backend, self._offset = kernel, points, backend, offset
        self._kept = KeptRows(points.n, backend.for_gram(cache_bytes) if cache_bytes else 0, backend)
        self._whole = whole
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
        self, column: NDArray[np.int64], which: NDArray[np.int64], position: Any, delta: NDArray[np.float64]
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
        if ahead is None or self._whole is not None:
            self._add_to_all(rows, changes)
        elif len(ahead):
            self._add_to(np.unique(ahead), rows, changes)
        self._place[rows] = -1
        self._gathered, self._changes = rows[:0], changes[:0]

    def _add_to_all(self, rows: NDArray[np.int64], changes: NDArray[np.float64]) -> None:
        if self._whole is not None:
            self._scores += self._whole.values[self._backend.numbers(rows)].T @ self._backend.put(changes)
            return
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
        self, column: NDArray[np.int64], which: NDArray[np.int64], position: Any, delta: NDArray[np.float64]
    ) -> None:
        for c in np.unique(column):
            of_column = column == c
            self._w[:, c] += delta[of_column] @ self._mapped[position[of_column]]
            self._b[c] += self._offset * delta[of_column].sum()

    def block_ends(self, ahead: NDArray[np.int64] | None) -> None:
        pass
