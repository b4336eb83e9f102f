"""Features numbered in order of first appearance, so that frequent features are adjacent in memory.

Hashed features are spread over 2²⁰ or more numbers, so each weight in use takes a separate cache line, and
a pass waits for memory. Frequent features appear early, and features that occur together appear together.
Numbered in order of appearance, they are adjacent in memory, and features that never occur take no memory.
The entries of a row keep their order, so sums and weights have the same bits as without renumbering.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.compiling import jit
from rosenblatt.numeric.prefetch import prefetch
from rosenblatt.numeric.row_batches import Sparse, read_only

ENTRIES_AHEAD = 64
"""Prefetch distance. The branch predictor cannot know whether a feature is new, so each wrong guess waits
for memory unless the number was prefetched. With this distance, 7.7 million entries took 46 ms instead of
78 ms; distances from 64 to 128 measured the same."""

ZERO, ONE = np.uint64(0), np.uint64(1)


class FeatureNumbers:
    """Number features in order of first appearance.

    A table has an entry for each of the `n_features` possible features; untouched pages take no memory.

    >>> numbers = FeatureNumbers(1 << 20)
    >>> numbers.learn(np.array([700, 5, 700], np.uint32)), len(numbers), numbers.features
    (array([0, 1, 0], dtype=uint32), 2, array([700,   5], dtype=uint32))
    >>> numbers.gather(np.arange((1 << 20) + 1.0))
    array([7.000000e+02, 5.000000e+00, 1.048576e+06])
    """

    def __init__(self, n_features: int, features: NDArray[np.uint32] | None = None) -> None:
        self._number_of = np.zeros(n_features, np.uint32)  # 0: unknown; otherwise its number + 1
        self._features, self._n = np.empty(1024, np.uint32), 0
        self._packed = -1, ""
        if features is not None:
            self.learn(features)

    def __len__(self) -> int:
        return self._n

    def __reduce__(self) -> tuple[Any, ...]:
        return FeatureNumbers, (self.n_possible, self.features.copy())  # the table is rebuilt from these

    @property
    def n_possible(self) -> int:
        """Return the number of possible features."""
        return len(self._number_of)

    @property
    def features(self) -> NDArray[np.uint32]:
        """Return the numbered features in the order of their numbers."""
        return self._features[: self._n]

    def as_text(self) -> str:
        """Return the features as compressed text, compressed again only if their number has changed."""
        if self._packed[0] != self._n:
            compressed = zlib.compress(self.features.astype("<u4").tobytes(), 1)
            self._packed = self._n, base64.b64encode(compressed).decode("ascii")
        return self._packed[1]

    def learn(self, indices: NDArray[Any]) -> NDArray[Any]:
        """Return the number of each feature; new features get the next numbers."""
        if self._n + len(indices) > len(self._features):
            room = np.empty(2 * (self._n + len(indices)), np.uint32)
            self._features = np.concatenate([self.features, room])
        numbers = np.empty(len(indices), indices.dtype)
        self._n = int(_number_entries(indices, self._number_of, self._features, self._n, numbers))
        return numbers

    def drop_unknown(self, rows: Sparse) -> Sparse:
        """Return the rows with the numbers of known features, without the entries of other features."""
        n = len(rows.indices)
        values, numbers, starts = np.empty(n, rows.values.dtype), np.empty(n, np.uint32), rows.starts.copy()
        n = _number_known_entries(
            rows.values, rows.indices, rows.starts, self._number_of, values, numbers, starts
        )
        return Sparse(read_only(values[:n]), read_only(numbers[:n]), read_only(starts), max(1, self._n))

    def places(self, indices: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Return the number of each feature, −1 if it is unknown."""
        return self._number_of[indices].astype(np.int64) - 1

    def gather(self, full: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weights (w, b) of the numbered features, in the order of their numbers."""
        narrow = np.empty(self._n + 1)
        np.take(full, self.features, out=narrow[:-1])
        narrow[-1] = full[-1]
        return narrow

    def put_back(self, narrow: NDArray[np.float64], full: NDArray[np.float64]) -> None:
        """Write weights in the order of the numbers to all weights (w, b); other weights do not change."""
        full[self.features] = narrow[:-1]
        full[-1] = narrow[-1]


@jit
def _number_entries(indices: Any, number_of: Any, features: Any, n: Any, numbers: Any) -> Any:
    """Write the number of feature indices[e] to numbers[e]; return the new number of features."""
    end = np.uint32(n)
    last = indices.size - ENTRIES_AHEAD
    for entry in range(indices.size):
        if entry < last:
            prefetch(number_of, np.uint64(indices[entry + ENTRIES_AHEAD]))
        index = indices[entry]
        number = number_of[index]
        if number == 0:
            features[end] = index
            end += np.uint32(1)
            number = end
            number_of[index] = number
        numbers[entry] = number - np.uint32(1)
    return end


@jit
def _number_known_entries(
    values: Any, indices: Any, starts: Any, number_of: Any, kept_values: Any, numbers: Any, new_starts: Any
) -> Any:
    """Copy the entries of known features, in their order, with their numbers; return how many there are."""
    end = ZERO
    for row in range(np.uint64(starts.size - 1)):
        new_starts[row] = end
        for entry in range(np.uint64(starts[row]), np.uint64(starts[row + ONE])):
            index = np.uint64(indices[entry])
            number = np.uint64(number_of[index]) if index < np.uint64(number_of.size) else ZERO
            kept_values[end], numbers[end] = values[entry], np.uint32(number - ONE)
            end += np.uint64(number > ZERO)
    new_starts[starts.size - 1] = end
    return end
