"""Trivial proofs of inseparability: equal points with different labels, or a row of zeros."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.blocks import blocks, select_rows
from rosenblatt.numeric.row_batches import Batch, chunks
from rosenblatt.proof.parts import Gordan

Keys = NDArray[np.uint64]


def refuted_at_a_glance(batch: Batch, offset: bool) -> Gordan | None:
    """Return a proof of inseparability if one or two rows suffice for it, otherwise None.

    Two equal rows with opposite labels suffice. Without an offset, a row of zeros suffices too.
    """
    if not offset:
        zero = _zero_row(batch)
        if zero is not None:
            return Gordan((zero,), (1,))
    pair = opposite_duplicates(batch)
    return None if pair is None else Gordan(pair, (1, 1))


def opposite_duplicates(batch: Batch) -> tuple[int, int] | None:
    """Return the indices, in ascending order, of two equal rows with opposite labels, or None.

    If there are several such pairs, return the pair whose second row has the smallest index.
    """
    return next(opposite_pairs(batch), None)


def opposite_pairs(batch: Batch) -> Iterator[tuple[int, int]]:
    """Yield pairs of equal rows with opposite labels, as many as possible without a common row.

    The second index of a pair is the larger one, and rises from pair to pair.
    """
    # the lowest bit is the label: after sorting, equal rows with different labels are neighbours
    keys = np.empty(batch.n_rows, np.uint64)
    for part, key in _keys(batch):
        keys[part] = key
    keys.sort()
    # find the neighbours that differ only in the label; work in chunks to save memory
    both = [
        keys[part][:-1][(keys[part][1:] ^ keys[part][:-1]) == 1] >> np.uint64(1)
        for part in (slice(chunk.start, chunk.stop + 1) for chunk in chunks(batch.n_rows))
    ]
    suspects = np.unique(np.concatenate(both))
    if not suspects.size:
        return
    unpaired: dict[tuple[bytes, int], list[int]] = {}
    for part, key in _keys(batch):
        for place in np.flatnonzero(np.isin(key >> np.uint64(1), suspects)):
            row = part.start + int(place)
            point, label = _exact_key(select_rows(batch.rows, np.array([row]))), int(batch.labels[row])
            others = unpaired.get((point, -label))
            if others:
                yield others.pop(0), row
            else:
                unpaired.setdefault((point, label), []).append(row)


def _keys(batch: Batch) -> Iterator[tuple[slice, Keys]]:
    """Yield a hash of each row, block by block: Σⱼ bits(xⱼ)·rⱼ modulo 2^64, with random integers rⱼ.

    The lowest bit of each hash is replaced by the label.
    """
    factors = np.random.default_rng(0).integers(0, 1 << 63, batch.n_features, dtype=np.uint64)
    factors = (factors << np.uint64(1)) + np.uint64(1)
    for part, matrix in blocks(batch.rows):
        if isinstance(matrix, np.ndarray):
            key = _mix_bits(np.ascontiguousarray(matrix + 0.0)) @ factors
        else:
            terms = _mix_bits(matrix.data + 0.0) * factors[matrix.indices]
            sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)])
            key = sums[matrix.indptr[1:]] - sums[matrix.indptr[:-1]]
        yield part, (key & ~np.uint64(1)) | (batch.labels[part] > 0).astype(np.uint64)


def _mix_bits(values: NDArray[np.float64]) -> Keys:
    """XOR the high bits of each double into the low bits, which are zero for numbers with few digits."""
    bits = values.view(np.uint64)
    return bits ^ (bits >> np.uint64(29))


def _exact_key(matrix: Any) -> bytes:
    if isinstance(matrix, np.ndarray):
        columns = np.flatnonzero(matrix[0])
        return columns.astype(np.int64).tobytes() + matrix[0, columns].tobytes()
    there = matrix.data != 0.0
    return matrix.indices[there].astype(np.int64).tobytes() + matrix.data[there].tobytes()


def _zero_row(batch: Batch) -> int | None:
    for part, matrix in blocks(batch.rows):
        if isinstance(matrix, np.ndarray):
            empty = np.flatnonzero(~matrix.any(axis=1))
        else:
            empty = np.flatnonzero((matrix != 0.0).sum(axis=1) == 0)
        if empty.size:
            return part.start + int(empty[0])
    return None
