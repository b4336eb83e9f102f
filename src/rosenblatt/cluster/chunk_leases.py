"""Leases: keep parsed rows in the parser's buffers, and return a buffer once its rows are no longer used.

Dask's workers return free memory to the system immediately, and allocating new memory takes about half as
long as parsing. So rows are not copied out of the parser's buffers. A buffer returns to the parser when
neither a task nor a message that is being sent refers to its rows.
"""

from __future__ import annotations

import weakref
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.numeric.row_batches import Dense


class _Lease:
    """A token that is garbage-collected together with the last array of a chunk."""


class _Leased:
    """Wrap an array of a chunk; NumPy views of the wrapper keep it, and so the lease, alive."""

    def __init__(self, array: NDArray[Any], lease: _Lease) -> None:
        self.__array_interface__ = array.__array_interface__
        self._array, self._lease = array, lease


def lease(chunk: Chunk) -> Chunk:
    """Return the same rows without a copy; their memory is released when nothing refers to them."""
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
    """Do nothing when the chunk is released; the lease releases its memory."""
