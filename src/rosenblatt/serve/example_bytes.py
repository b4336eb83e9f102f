"""Encode labelled examples as bytes: the body of a log entry.

A body consists of a header (kind, number of rows, width), the label number of each row, and the rows.
Sparse rows are stored as lengths, feature numbers and values, dense rows as values only. All numbers are
little-endian. Bodies of the same kind can be concatenated without parsing.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import Dense, Rows, Sparse, n_rows, read_only

SPARSE, DENSE = 1, 2
HEAD = Struct("<BxxxII")  # kind, rows, and the entries of compressed rows or the columns of a matrix
LABEL, LENGTH, INDEX, VALUE = np.dtype("<i4"), np.dtype("<u4"), np.dtype("<u4"), np.dtype("<f8")


def pack(rows: Rows, labels: NDArray[np.int32]) -> bytes:
    """Return the bytes of rows and their label numbers.

    >>> rows = Sparse(np.array([0.5]), np.array([7], np.uint32), np.array([0, 0, 1], np.uint32), 8)
    >>> again, labels = unpack([pack(rows, np.array([1, 0], np.int32))], 8)
    >>> labels.tolist(), again.starts.tolist(), again.indices.tolist()
    ([1, 0], [0, 0, 1], [7])
    """
    numbers = np.asarray(labels, LABEL).tobytes()
    if isinstance(rows, Dense):
        n, width = rows.values.shape
        return HEAD.pack(DENSE, n, width) + numbers + np.asarray(rows.values, VALUE).tobytes()
    first, last = int(rows.starts[0]), int(rows.starts[-1])
    lengths = np.diff(rows.starts).astype(LENGTH)
    parts = (lengths, rows.indices[first:last].astype(INDEX), rows.values[first:last].astype(VALUE))
    head = HEAD.pack(SPARSE, n_rows(rows), last - first)
    return head + numbers + b"".join(part.tobytes() for part in parts)


def kind_of(body: bytes) -> tuple[int, int]:
    """Return the kind of a body and its matrix width; bodies that agree in both can be concatenated."""
    kind, _, size = HEAD.unpack_from(body)
    return kind, size if kind == DENSE else 0


def unpack(bodies: Sequence[bytes], n_features: int) -> tuple[Rows, NDArray[np.int32]]:
    """Return the rows and label numbers of bodies of one kind, concatenated."""
    pieces: list[list[bytes]] = [[], [], [], []]
    for body in bodies:
        kind, n, size = HEAD.unpack_from(body)
        sizes = (4 * n, 4 * n, 4 * size, 8 * size) if kind == SPARSE else (4 * n, 0, 0, 8 * n * size)
        if kind not in (SPARSE, DENSE) or HEAD.size + sum(sizes) != len(body):
            raise BadInput("the length of a log entry is not the recorded length; restore it from a backup")
        place = HEAD.size
        for piece, length in zip(pieces, sizes, strict=True):
            piece.append(body[place : place + length])
            place += length
    dtypes: tuple[Any, ...] = LABEL, LENGTH, INDEX, VALUE
    labels, lengths, indices, values = (
        np.frombuffer(b"".join(piece), dtype) for piece, dtype in zip(pieces, dtypes, strict=True)
    )
    if kind == DENSE:
        return Dense(_to_native(values).reshape(len(labels), size)), labels
    starts = np.zeros(len(labels) + 1, np.uint32)
    np.cumsum(lengths, out=starts[1:])
    return Sparse(_to_native(values), _to_native(indices), read_only(starts), n_features), labels


def _to_native(array: NDArray[Any]) -> NDArray[Any]:
    return read_only(array.astype(array.dtype.newbyteorder("="), copy=False))
