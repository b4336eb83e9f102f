"""Decision values of many linear classifiers, and for each row the classifier with the largest value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.loops.best import pick_best, score_rows, settle_signs
from rosenblatt.loops.decide import NEEDS_SUMS
from rosenblatt.loops.together import DOUBLE, SHORTEST2, SINGLE
from rosenblatt.numeric.panels import LANES
from rosenblatt.numeric.row_batches import Rows, Sparse, n_rows
from rosenblatt.numeric.rows import ROUNDING
from rosenblatt.training.linear_state import Mean
from rosenblatt.training.overflow_errors import trouble
from rosenblatt.training.scoring import part_of

SMALLEST = 5e-324
FEWEST = 16  # smallest number of roundings in the error bound of a fast score
EXACT_ROWS = 64  # sparse rows whose exact weights are computed together
BLOCK_NUMBERS = 1 << 20  # scores computed together: they stay in the cache until they are checked


def _no_mean() -> None: ...


@dataclass(eq=False)
class Decider:
    """Predict rows by linear classifiers, whose weights (w, b) are the rows of the array from `kept`.

    The sign of every value is exact, and the largest value is found exactly: if rounding could matter, the
    sums are computed again without rounding. If the weights are means, the unrounded means decide. There is
    one exception: means over different numbers of steps (for classes that appeared later) are compared
    after rounding.
    """

    _kept: Callable[[], NDArray[np.float64]]
    _offset: float
    _mean_of: Callable[[], Mean | None] = _no_mean

    @cached_property
    def _weights(self) -> NDArray[np.float64]:
        return self._kept()

    @cached_property
    def _lengths(self) -> NDArray[np.float64]:
        with np.errstate(over="ignore"):
            squares = np.einsum("cj,cj->c", self._weights, self._weights)
        lengths: NDArray[np.float64] = np.sqrt(squares + SHORTEST2) * (1.0 + 1e-9)
        if self._mean is not None:  # the error bounds are at least FEWEST roundings of these lengths
            lengths += self._mean.spread(lengths) / (FEWEST * ROUNDING)
        return lengths

    @cached_property
    def _mean(self) -> Mean | None:
        return self._mean_of()

    @cached_property
    def _looks(self) -> NDArray[np.float64]:
        return np.ones(len(self._weights)) if self._mean is None else self._mean.looks

    @cached_property
    def _parts(self) -> NDArray[np.float64]:
        """Return arrays whose sum over the first axis is the exact weights times the number of steps."""
        return self._weights[None] if self._mean is None else self._mean.parts(None)

    def _exactly(
        self, loop: Any, rows: Rows, constants: tuple[Any, ...], by_row: tuple[NDArray[Any], ...]
    ) -> tuple[int, int]:
        """Run a loop that decides by the exact weights, and return the loop's (status, row).

        The exact weights take more memory than the rounded weights, so they are computed only when the loop
        requests them. For sparse rows, only the weights of the features of a few rows are computed, since
        there may be millions of other features.
        """
        if self._mean is None or not isinstance(rows, Sparse):
            is_made = self._mean is None or "_parts" in vars(self)
            parts = self._parts if is_made else np.empty((0, *self._weights.shape))
            status, row = loop(rows, parts, *constants, *by_row)
            return loop(rows, self._parts, *constants, *by_row) if status == NEEDS_SUMS else (status, row)
        none, first = np.empty((0, *self._weights.shape)), 0
        while True:
            rest = slice(first, n_rows(rows))
            status, row = loop(_view(rows, rest), none, *constants, *(each[rest] for each in by_row))
            if status != NEEDS_SUMS:
                return status, first + row
            few = slice(first + row, min(first + row + EXACT_ROWS, rest.stop))
            at, narrow = own_features(_view(rows, few))
            sums = self._mean.parts(at)
            status, row = loop(narrow, sums, *constants, *(each[few] for each in by_row))
            if status:
                return status, few.start + row
            first = few.stop

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes that cannot be recomputed from other attributes."""
        return {"_kept": self._kept, "_offset": self._offset, "_mean_of": self._mean_of}

    @cached_property
    def _single(self) -> NDArray[np.float32]:
        with np.errstate(over="ignore", under="ignore"):
            return self._weights.astype(np.float32)

    @cached_property
    def _by_feature(self) -> NDArray[np.float64]:
        return _transpose_weights(self._weights, np.float64)

    @cached_property
    def _single_by_feature(self) -> NDArray[np.float32]:
        return _transpose_weights(self._weights, np.float32)

    def values(self, rows: Rows) -> NDArray[np.float64]:
        """Return w·x + b as an array of shape (rows, classifiers)."""
        found = np.empty((n_rows(rows), len(self._weights)))
        for part, some in _parts(rows, len(self._weights)):
            self._scores(some, False, found[part])
            status, row = self._exactly(
                settle_signs, some, (self._looks, self._offset, self._lengths, DOUBLE), (found[part],)
            )
            if status:
                raise trouble(status, rows, part.start + int(row))
        return found

    def best(self, rows: Rows) -> NDArray[np.int64]:
        """Return the classifier with the largest value for each row; ties go to the first."""
        found = np.empty(n_rows(rows), np.int64)
        if (self._looks != self._looks[0]).any():  # sums over different numbers of steps cannot be compared
            return Decider(self._kept, self._offset).best(rows)
        single = isinstance(rows, Sparse) or rows.values.dtype == np.float32
        room = np.empty(0)
        for part, some in _parts(rows, len(self._weights)):
            if not room.size:  # reuse the memory for all parts: new memory costs as much as the product
                room = np.empty((n_rows(some), len(self._weights)), np.float32 if single else np.float64)
            scores = room[: n_rows(some)]
            self._scores(some, single, scores)
            status, row = self._exactly(
                pick_best, some, (self._offset, self._lengths.max(), SINGLE if single else DOUBLE),
                (scores, scores.max(axis=1), found[part]),
            )  # fmt: skip
            if status:
                raise trouble(status, rows, part.start + int(row))
        return found

    def lead(self, rows: Rows, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return, for each row, the value of the second of two classifiers minus the value of the first.

        The result is at most 0 if the second value is not larger than the first; its sign is exact.
        """
        lead = values[:, 1] - values[:, 0]
        ahead = self.best(rows) == 1
        return np.where(ahead, np.maximum(lead, SMALLEST), np.minimum(lead, 0.0))

    def _scores(self, rows: Rows, single: bool, out: NDArray[Any]) -> None:
        """Write the fast scores w_c·xᵢ + b_c to out[i, c]; with `single`, in float32."""
        if isinstance(rows, Sparse):
            by_feature = self._single_by_feature if single else self._by_feature
            scores = np.empty((n_rows(rows), by_feature.shape[1]), by_feature.dtype)
            score_rows(rows, by_feature, self._offset, scores)
            out[...] = scores[:, : len(self._weights)]
            return
        weights: NDArray[Any] = self._single if single else self._weights
        # x̃ = (x, offset): adding the offsets to the scores afterwards would read all scores again
        lifted = np.empty((n_rows(rows), weights.shape[1]), weights.dtype)
        lifted[:, :-1], lifted[:, -1] = rows.values, self._offset
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            np.matmul(lifted, weights.T, out=out)


def _transpose_weights(weights: NDArray[np.float64], dtype: type) -> NDArray[Any]:
    """Return the weights of all classifiers for each feature, padded to whole registers."""
    n, width = weights.shape
    spread = np.zeros((width, LANES * -(-n // LANES)), dtype)
    with np.errstate(over="ignore", under="ignore"):
        spread[:, :n] = weights.T
    return spread


def _view(rows: Sparse, chosen: slice) -> Sparse:
    """Return the rows of a slice, which share their entries with all rows."""
    return rows._replace(starts=rows.starts[chosen.start : chosen.stop + 1])


def own_features(rows: Sparse) -> tuple[NDArray[np.int64], Sparse]:
    """Return the indices of the weights that these rows use (b last), and the renumbered rows."""
    used = slice(int(rows.starts[0]), int(rows.starts[-1]))
    features, places = np.unique(rows.indices[used], return_inverse=True)
    indices = np.empty_like(rows.indices)
    indices[used] = places
    at = np.append(features.astype(np.int64), rows.n_features)
    return at, rows._replace(indices=indices, n_features=len(features))


def _parts(rows: Rows, n_columns: int) -> Iterator[tuple[slice, Rows]]:
    """Yield consecutive parts of the rows, each with its slice."""
    n = n_rows(rows)
    step = max(64, BLOCK_NUMBERS // n_columns)
    if n <= step:
        yield slice(0, n), rows
        return
    for start in range(0, n, step):
        part = slice(start, min(start + step, n))
        yield part, part_of(rows, part)
