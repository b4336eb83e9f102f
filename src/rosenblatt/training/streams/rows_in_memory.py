"""A source whose rows are parsed once and stay in memory, if they fit."""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import replace
from tempfile import mkdtemp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.cache import Cached
from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.data.sources.source import Source, Wrapped
from rosenblatt.numeric.row_batches import Dense, Rows, Sparse, n_features, stack
from rosenblatt.training.streams.shuffling import copy_chunk, labels_of

MOST_BYTES = 1 << 30


class RowsInMemory(Wrapped):
    """Provide the chunks of `source`, parsed only once if together they fit into MOST_BYTES.

    All chunks are read before the first pass, in the order of the source. Then all of them are as wide as
    the widest chunk, so weights need not grow during training.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._chunks: list[Chunk] | None = None
        self._is_too_much = source.n_bytes is not None and source.n_bytes > MOST_BYTES

    def chunks(self, order: Sequence[int] | None = None, skip: int = 0) -> Iterator[Chunk]:
        """Yield the chunks in the given order, leaving out the first `skip`."""
        if self._chunks is None and not self._is_too_much:
            self._hold()
        if self._chunks is None:
            yield from self._source.chunks(order, skip)
            return
        held = self._chunks
        yield from (held[part] for part in (range(len(held)) if order is None else order)[skip:])

    def _hold(self) -> None:
        """Copy all chunks to memory, unless they are too large."""
        held: list[Chunk] = []
        size = 0
        for chunk in self._source.chunks():
            size += _size(chunk)
            if size > MOST_BYTES:
                chunk.release()
                self._is_too_much = True
                return
            held.append(copy_chunk(chunk))
        width = max((n_features(chunk.rows) for chunk in held), default=0)
        self._chunks = [replace(chunk, rows=_with_width(chunk.rows, width)) for chunk in held]


def _with_width(rows: Rows, n: int) -> Rows:
    return rows._replace(n_features=n) if isinstance(rows, Sparse) else rows


def _size(chunk: Chunk) -> int:
    rows = chunk.rows
    if isinstance(rows, Dense):
        return rows.values.nbytes
    return rows.values.nbytes + rows.indices.nbytes + rows.starts.nbytes


def for_passes(source: Source, epochs: int | None, cache: str | None) -> Source:
    """Return the source in a form suited to a run of `epochs` passes: parsed only once, if possible."""
    if cache is not None:
        return Cached(source, cache)
    if epochs == 1:
        return source
    if not source.comes_once:
        return RowsInMemory(source)
    folder = mkdtemp(prefix="rosenblatt-")
    kept = Cached(source, os.path.join(folder, "rows.arrow"))
    weakref.finalize(kept, shutil.rmtree, folder, ignore_errors=True)
    return kept


def load_rows(source: Source, most_bytes: int) -> tuple[Any, NDArray[Any]] | None:
    """Return all rows and labels in memory, or None if they need more than `most_bytes`."""
    if source.n_bytes is not None and source.n_bytes > 2 * most_bytes:
        return None
    chunks: list[Chunk] = []
    size = 0
    for chunk in source.chunks():
        size += _size(chunk)
        if size > most_bytes:
            return None
        if len(chunk):
            chunks.append(chunk)
    rows = stack([chunk.rows for chunk in chunks])
    y = np.concatenate([labels_of(chunk, source.name) for chunk in chunks])
    X = Chunk(rows, y, is_sorted=all(chunk.is_sorted for chunk in chunks)).X
    if not isinstance(rows, Dense) and not X.has_canonical_format:
        X = X.copy()  # rows of a source must not be written to
        X.sort_indices()
    return X, y
