"""The terms of w: the support rows, and a record of each classifier's updates, in growing arrays.

The record suffices for every averaging strategy. Updates k = 1, 2, … changed w by deltaₖ·φ(x of support row
memberₖ) at step lookₖ (counted from 0). For N steps in all, the strategies are:

* last: every delta counts in full;
* averaged: the mean of w after each step, so deltaₖ counts for N − lookₖ of the N steps;
* voted: the vector after update k survived from step lookₖ to the next update;
* random: the vector after a step drawn at random, so a vector's probability is proportional to its
  survival.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.kernels import Monomials
from rosenblatt.loops.blocked import COLUMN
from rosenblatt.loops.scans import all_whole, squared_rows
from rosenblatt.numeric.blocks import blocks, spread, squared_lengths
from rosenblatt.numeric.row_batches import Dense, Rows, Sparse, n_rows, stack, take
from rosenblatt.training.backends import Backend, OnHost

EVERYTHING = slice(None)
KEEPERS = ("last", "averaged", "voted", "random")


class Support:
    """Hold support rows in order of arrival, in chunks of equal size; only the last chunk grows.

    `origin` holds the number of each example, counted over all rows given so far. `roots` is explained in
    `kernels.kernel_hooks`.
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

    def parts(self) -> Iterator[tuple[slice, Rows]]:
        """Yield (slice of the support, the rows) for each chunk."""
        for q, rows in enumerate(self._whole):
            yield slice(q * self.chunk, (q + 1) * self.chunk), rows
        if self._growing:
            if len(self._growing) > 1:
                self._growing = [stack(self._growing)]
            yield slice(self.chunk * len(self._whole), len(self)), self._growing[0]

    def matrix(self, part: slice, rows: Rows, backend: Backend) -> tuple[Any, Any]:
        """Return one part as a matrix of `backend`, and ‖x‖² of its rows."""
        which = part.start // self.chunk
        if which not in self._matrices:
            self._matrices[which] = with_squares(rows, backend)
        return self._matrices[which]

    def rows(self) -> Rows:
        """Return all support rows as one object."""
        return stack([rows for _, rows in self.parts()])

    def combine(
        self, terms: Monomials, weights: NDArray[np.float64], with_roots: bool = True
    ) -> NDArray[np.float64]:
        """Return Σ weight·φ(support row) for each column of `weights`.

        With `with_roots=False`, φ(x) holds the monomials without their weights.
        """
        total = np.zeros((len(terms), weights.shape[1]))
        for part, rows in self.parts():
            X = as_matrix(rows, OnHost())
            total += (terms.of_matrix(X) if with_roots else terms.plain(X)).T @ weights[part]
        return total

    def widen(self, n: int) -> None:
        """Prepare for rows with n features."""
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
        return {**vars(self), "_matrices": {}}  # they may be on a device; recomputed when needed


class Terms(NamedTuple):
    """Hold the terms of Σ deltaₖ·timesₖ·φ(support row memberₖ)/looks, in the order of the updates.

    For a mean over `looks` steps, times[k] is the number of steps in which update k is part of w. Without a
    mean, `times` is None and `looks` is 1.
    """

    member: NDArray[np.int64]
    delta: NDArray[np.float64]
    times: NDArray[np.int64] | None = None
    looks: int = 1

    @property
    def weight(self) -> NDArray[np.float64]:
        """Return the factor of each φ in the sum, not divided by the number of steps.

        A rounded quotient could change the sign of the sum; without the division, sums of integers are
        exact.
        """
        return self.delta if self.times is None else self.delta * self.times

    def sum_by_row(self, n_support: int) -> NDArray[np.float64]:
        """Return the sum of the weights for each support row."""
        return np.bincount(self.member, self.weight, n_support).astype(np.float64)

    def mean_by_row(self, n_support: int) -> NDArray[np.float64]:
        """Return one coefficient for each support row."""
        return self.sum_by_row(n_support) / self.looks


class Record:
    """Hold the updates of one classifier in growing arrays, and its counters (`loops.blocked.COLUMN`)."""

    def __init__(self) -> None:
        self._member = np.empty(64, np.int64)
        self._delta = np.empty(64)
        self._look = np.empty(64, np.int64)
        self.clock = np.zeros(1, COLUMN)
        self.size = 0

    def append(
        self, member: NDArray[np.int64], delta: NDArray[np.float64], look: NDArray[np.int64]
    ) -> None:
        end = self.size + len(member)
        if end > len(self._member):
            more = max(end, 2 * len(self._member)) - len(self._member)
            self._member, self._delta, self._look = (
                np.concatenate([array, np.empty(more, array.dtype)])
                for array in (self._member, self._delta, self._look)
            )
        part = slice(self.size, end)
        self._member[part], self._delta[part], self._look[part] = member, delta, look
        self.size = end

    @property
    def member(self) -> NDArray[np.int64]:
        return self._member[: self.size]

    @property
    def delta(self) -> NDArray[np.float64]:
        return self._delta[: self.size]

    @property
    def look(self) -> NDArray[np.int64]:
        return self._look[: self.size]

    def survival(self, looks: int) -> NDArray[np.int64]:
        """Return the number of steps that each vector survived in a run of `looks` steps.

        Vector 0 is w = 0.
        """
        return np.diff(self.look, prepend=0, append=looks)

    def terms(self, keep: str, looks: int, drawn: int = 0) -> Terms:
        """Return the terms of the vector after `looks` steps; `drawn` is the step drawn for "random"."""
        if keep == "averaged":
            return Terms(self.member, self.delta, looks - self.look, max(1, looks))
        end = int(np.searchsorted(self.look, drawn, side="right")) if keep == "random" else self.size
        return Terms(self.member[:end], self.delta[:end])

    def until(self, looks: int) -> Record:
        """Return the record after `looks` steps; its only counter is the number of updates."""
        end = int(np.searchsorted(self.look, looks, side="left"))
        before = Record()
        before.append(self.member[:end], self.delta[:end], self.look[:end])
        before.clock["updates"] = end
        return before

    def copy(self) -> Record:
        twin = Record()
        twin.append(self.member, self.delta, self.look)
        twin.clock = self.clock.copy()
        return twin


def as_matrix(rows: Rows, backend: Backend, keep_single: bool = False, part: slice = EVERYTHING) -> Any:
    """Return some rows as a float64 matrix; with `keep_single`, float32 rows stay float32."""
    part = slice(*part.indices(n_rows(rows)))
    if keep_single:
        return rows.values[part]
    if isinstance(rows, Dense) and not backend.is_host:
        return backend.put(rows.values[part])  # the device converts them to float64
    return backend.put(spread(rows, part))


def with_squares(rows: Rows, backend: Backend) -> tuple[Any, Any]:
    """Return all rows as a matrix, and ‖x‖² of each row."""
    return as_matrix(rows, backend, backend.is_host and is_single(rows)), backend.put(
        squared_lengths_of(rows)
    )


def is_single(rows: Rows) -> bool:
    """Return whether the rows are a dense float32 matrix of integers.

    The product of such rows (`OnHost.product`) has no rounding error.
    """
    return isinstance(rows, Dense) and rows.values.dtype == np.float32 and is_whole(rows)


def is_whole(rows: Rows) -> bool:
    """Return whether all values of the rows are integers."""
    return bool(all_whole(rows.values.reshape(-1)))


def squared_lengths_of(rows: Rows) -> NDArray[np.float64]:
    """Return ‖x‖² of each row; it is not finite if a value of the row is not, or if ‖x‖² overflows."""
    if isinstance(rows, Dense):
        squares = np.empty(len(rows.values))
        squared_rows(rows.values, squares)
        return squares
    with np.errstate(over="ignore"):
        return np.concatenate([squared_lengths(matrix) for _, matrix in blocks(rows)])
