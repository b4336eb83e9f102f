"""Rows from Python iterables of chunks (X, y) or of single examples (x, y)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.importance import as_importance
from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import Dense, Rows, as_rows, is_sparse, is_table, n_rows

TOGETHER = 4096
"""Single examples per chunk."""


class Iterables:
    """Provide chunks from an iterable; a list can be read repeatedly, an iterator only once.

    >>> source = Iterables([([1.0, 2.0], "ham"), ([3.0, 4.0], "spam")])
    >>> [chunk.y.tolist() for chunk in source.chunks()]
    [['ham', 'spam']]
    """

    name = "an iterable"
    n_bad = n_dropped = 0

    def __init__(self, items: Any) -> None:
        if not isinstance(items, Iterable) and not callable(items):
            raise BadInput(
                f"source: expected files, a table or an iterable of (X, y), got {type(items).__name__}"
            )
        self._items = items
        self._is_spent = False

    @property
    def comes_once(self) -> bool:
        return isinstance(self._items, Iterator)

    @property
    def n_parts(self) -> int | None:
        """Return the number of chunks in a list; None for other iterables, which have no random access."""
        if not isinstance(self._items, Sequence) or not self._items or not is_chunk(self._items[0]):
            return None
        return len(self._items)

    @property
    def n_bytes(self) -> int | None:
        """Return the size of the numbers in a list of chunks, or None if it is unknown."""
        if self.n_parts is None:
            return None
        sizes = [_size(item.rows.values if isinstance(item, Chunk) else item[0]) for item in self._items]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    def settings(self) -> dict[str, Any]:
        return {"format": "iterable"}

    def fingerprint(self) -> list[Any]:
        """Return a constant: iterables cannot be identified, so the caller must pass equal data."""
        return ["iterable"]

    def __iter__(self) -> Iterator[Chunk]:
        return self.chunks()

    def chunks(self, order: Sequence[int] | None = None, skip: int = 0) -> Iterator[Chunk]:
        """Yield the chunks in the given order, leaving out the first `skip`."""
        if order is not None:
            yield from (as_chunk(self._items[part]) for part in order[skip:])
            return
        for number, chunk in enumerate(self._in_order()):
            if number >= skip:
                yield chunk

    def _in_order(self) -> Iterator[Chunk]:
        if self._is_spent:
            raise BadInput(
                "source: this iterator has been read to its end, and another pass needs the rows again; "
                "give a list, a function that returns an iterator, or a file"
            )
        items = iter(self._items() if callable(self._items) else self._items)
        self._is_spent = items is self._items
        first = next(items, None)
        if first is None:
            return
        whole = chain([first], items)
        yield from map(as_chunk, whole) if is_chunk(first) else _together(whole)


def _size(X: Any) -> int | None:
    """Return the size of a matrix in bytes, or None if it is unknown."""
    numbers = X.data if is_sparse(X) else X
    return int(numbers.nbytes) if isinstance(numbers, np.ndarray) else None


def is_chunk(item: Any) -> bool:
    """Return whether an item holds many rows, so that its X is a table or matrix."""
    if isinstance(item, Chunk):
        return True
    if not isinstance(item, (tuple, list)) or len(item) not in (2, 3):
        raise BadInput(f"source: expected items (X, y), (X, y, weight) or (x, y), got {item!r:.60}")
    X = item[0]
    return is_sparse(X) or is_table(X) or (not isinstance(X, dict) and np.ndim(X) == 2)


def as_chunk(item: Any) -> Chunk:
    """Return (X, y) or (X, y, weight) as a chunk."""
    if isinstance(item, Chunk):
        return item
    if not is_chunk(item):
        raise BadInput("source: a single example among chunks; give chunks (X, y) only, or examples only")
    X, y, *weight = item
    if not is_table(X) and not np.shape(X)[0]:
        return Chunk(Dense(np.empty((0, np.shape(X)[1]))), np.empty(0))
    return _chunk(as_rows(X), np.asarray(y), weight[0] if weight else None)


def _chunk(rows: Rows, y: NDArray[Any], weight: Any) -> Chunk:
    if y.ndim != 1 or len(y) != n_rows(rows):
        raise BadInput(f"y: shape {y.shape} for {n_rows(rows)} rows of X; give one label for each row")
    if weight is None:
        return Chunk(rows, y)
    if not np.any(weight):  # all weights may be 0 here, if other chunks have positive ones
        return Chunk(rows, y, np.zeros(n_rows(rows)))
    return Chunk(rows, y, as_importance(weight, n_rows(rows)))


def _together(examples: Iterable[Any]) -> Iterator[Chunk]:
    batch: list[Any] = []
    for example in examples:
        batch.append(example)
        if len(batch) == TOGETHER:
            yield _from_examples(batch)
            batch = []
    if batch:
        yield _from_examples(batch)


def _from_examples(examples: list[Any]) -> Chunk:
    if any(is_chunk(example) for example in examples):
        raise BadInput("source: a chunk among single examples; give chunks (X, y) only, or examples only")
    rows = [example[0] for example in examples]
    if any(isinstance(row, dict) for row in rows):
        raise BadInput(
            "source: examples with named features are for Learner, which assigns each name an index; "
            "here give rows of numbers, or a text file, whose names are hashed"
        )
    weights = [example[2] if len(example) == 3 else 1.0 for example in examples]
    weight = None if all(w == 1.0 for w in weights) else weights
    return _chunk(as_rows(np.asarray(rows)), np.asarray([example[1] for example in examples]), weight)
