"""Sparse rows whose features are renumbered by first appearance, so that frequent features are adjacent.

Hashed features are spread over 2²⁰ or more numbers, so each weight in use takes a separate cache line, and
a pass waits for memory. Frequent features appear early, and features that occur together appear together.
Numbered in order of appearance, they are adjacent in memory, and features that never occur take no memory.
The entries of a row keep their order, so sums and weights have the same bits as without renumbering.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.compiling import jit
from rosenblatt.numeric.examples import Sparse
from rosenblatt.numeric.prefetch import prefetch

ENTRIES_AHEAD = 64
"""Prefetch distance. The branch predictor cannot know whether a feature is new, so each wrong guess waits
for memory unless the number was prefetched. With this distance, 7.7 million entries took 46 ms instead of
78 ms; distances from 64 to 128 measured the same."""


class RenumberedRows(NamedTuple):
    """Hold rows with renumbered features, and the original number of each feature."""

    rows: Sparse
    features: NDArray[np.int64]

    def gather(self, full: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a copy of the weights (w, b) of the features seen so far, in the new numbering."""
        narrow = np.empty(len(self.features) + 1)
        np.take(full, self.features, out=narrow[:-1])
        narrow[-1] = full[-1]
        return narrow

    def put_back(self, narrow: NDArray[np.float64], full: NDArray[np.float64]) -> None:
        """Write the weights `narrow` to `full` in the original numbering; other weights do not change."""
        full[self.features] = narrow[:-1]
        full[-1] = narrow[-1]


def renumber_features(rows: Sparse) -> RenumberedRows:
    """Renumber the features of rows in order of first appearance.

    >>> rows = Sparse(np.ones(3), np.array([7, 9, 7], np.uint32), np.array([0, 2, 3], np.uint32), 10)
    >>> met = renumber_features(rows)
    >>> met.rows.indices, met.features, met.gather(np.arange(11.0))
    (array([0, 1, 0], dtype=uint32), array([7, 9]), array([ 7.,  9., 10.]))
    """
    indices = rows.indices[: int(rows.starts[-1])]
    number = np.zeros(rows.n_features, np.uint32)
    renumbered = np.empty(indices.size, indices.dtype)
    features = np.empty(min(indices.size, rows.n_features), np.int64)
    met = renumber_entries(indices, number, renumbered, features)
    renumbered.flags.writeable = False
    return RenumberedRows(rows._replace(indices=renumbered, n_features=int(met)), features[:met].copy())


@jit
def renumber_entries(indices: Any, number: Any, renumbered: Any, features: Any) -> Any:
    """Renumber the features in order of first appearance; return the number of distinct features."""
    met = np.uint32(0)
    last = indices.size - ENTRIES_AHEAD
    for k in range(indices.size):
        if k < last:
            prefetch(number, np.uint64(indices[k + ENTRIES_AHEAD]))
        j = indices[k]
        n = number[j]
        if n == 0:
            features[met] = j
            met += np.uint32(1)
            n = met
            number[j] = n
        renumbered[k] = n - np.uint32(1)
    return met
