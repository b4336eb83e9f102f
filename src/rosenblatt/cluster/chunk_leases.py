"""Leases: keep parsed rows in the parser's buffers, and return a buffer once its rows are no longer used.

Dask's workers return free memory to the system immediately, and allocating new memory takes about half as
long as parsing. So rows are not copied out of the parser's buffers. A buffer returns to the parser when
neither a task nor a message that is being sent refers to its rows.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.training.streams.shuffling import detach_chunk


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

    def lend(array: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(_Leased(array, term)) if array.size else array.copy()

    return detach_chunk(chunk, lend)
