"""Leases: parsed rows that stay where they were parsed, in memory that is used again when they are gone.

Dask's workers give memory back to the system at once, and fresh memory costs as much as half of the
parsing. So rows are not copied out of the parser's buffers: these go back to the parser when nothing refers
to the rows any more, neither a task nor a message that is being sent.
"""

from __future__ import annotations

import weakref
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.numeric.examples import Dense


class _Lease:
    """An object that ends when the last array of a chunk is gone."""


class _Leased:
    """An array of a chunk, as numpy asks for it; views of it keep this, and so the lease."""

    def __init__(self, array: NDArray[Any], lease: _Lease) -> None:
        self.__array_interface__ = array.__array_interface__
        self._array, self._lease = array, lease


def lease(chunk: Chunk) -> Chunk:
    """Return the same rows in the same memory, which is released when nothing refers to them any more."""
    term = _Lease()
    weakref.finalize(term, chunk.release)
    rows = chunk.rows
    if isinstance(rows, Dense):
        rows = Dense(_lend(rows.values, term))
    else:
        used = slice(0, int(rows.starts[-1]) if rows.starts.size else 0)
        rows = rows._replace(
            values=_lend(rows.values[used], term),
            indices=_lend(rows.indices[used], term),
            starts=_lend(rows.starts, term),
        )
    y = None if chunk.y is None else chunk.y.copy()
    return replace(chunk, rows=rows, y=y, importance=chunk.importance.copy(), release=_nothing)


def _lend(array: NDArray[Any], lease: _Lease) -> NDArray[Any]:
    if not array.size:
        return array.copy()
    twin = np.asarray(_Leased(array, lease))
    twin.flags.writeable = False
    return twin


def _nothing() -> None:
    """Do nothing: the lease ends by itself."""
