"""Split a source into held-out rows and the remaining rows.

Each row gets a position in [0, 1). Within a part of the source, the rows of each class are spread evenly
over [0, 1), in an order determined by the seed and the number of the part. So an interval of length 0.1
contains a tenth of the rows of each class, in whatever order the parts are read, and folds and held-out
rows need no list of all rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.data.sources.source import Source, Wrapped
from rosenblatt.numeric.row_batches import take
from rosenblatt.training.streams.shuffling import labels_of

PLACES = 0x91ACE
"""Seed that separates this random generator from those of the orders."""


def places(y: NDArray[Any], seed: int, part: int) -> NDArray[np.float64]:
    """Return the position of each row of a part in [0, 1).

    If a class has n rows, an interval of length f contains n·f of them, rounded up or down at random.

    Examples
    --------
    >>> where = places(np.array(list("aaaabbbb")), 0, 0)
    >>> [int(((low <= where) & (where < low + 0.25)).sum()) for low in (0.0, 0.25, 0.5, 0.75)]
    [2, 2, 2, 2]
    """
    random = np.random.default_rng([seed, part, PLACES])
    where = np.empty(len(y))
    classes, number = np.unique(y, return_inverse=True)
    for k in range(len(classes)):
        rows = np.flatnonzero(number == k)
        where[random.permutation(rows)] = (np.arange(len(rows)) + random.random()) / len(rows)
    return where


class Some(Wrapped):
    """Provide the rows that have a position in [low, high); with held=False, all other rows."""

    def __init__(self, source: Source, seed: int, low: float, high: float, held: bool) -> None:
        super().__init__(source)
        self._seed, self._low, self._high, self._held = seed, low, high, held

    def fingerprint(self) -> list[Any]:
        return [*self._source.fingerprint(), [self._seed, self._low, self._high, self._held]]

    def chunks(self, order: Sequence[int] | None = None, skip: int = 0) -> Iterator[Chunk]:
        """Yield the chunks in the given order, leaving out the first `skip`."""
        parts = count(skip) if order is None else iter(order[skip:])
        for part, chunk in zip(parts, self._source.chunks(order, skip), strict=False):
            where = places(labels_of(chunk, self.name), self._seed, part)
            inside = (self._low <= where) & (where < self._high)
            chosen = np.flatnonzero(inside == self._held)
            yield replace(
                chunk,
                rows=take(chunk.rows, chosen),
                y=labels_of(chunk, self.name)[chosen],
                importance=chunk.importance[chosen] if chunk.importance.size else chunk.importance,
            )
