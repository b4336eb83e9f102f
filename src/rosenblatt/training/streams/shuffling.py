"""Groups of rows that are visited together, and their order.

"given": chunk after chunk, in the order of the source.

"shuffled": in each pass, the parts of the source are read in a new random order and gathered until a buffer
is full; then the rows of the buffer are shuffled. This is a full shuffle only if all rows fit into the
buffer (then it is the shuffle of `Perceptron.fit`). Otherwise rows of one part stay near each other. If the
file is sorted (by class or by day, for example), a buffer mixes many parts, which removes most of that
order. If a source can only be read from front to back (compressed, standard input), the parts stay in their
order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.data.sources.source import Source
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import Dense, Rows, Sparse, present_rows, read_only, stack
from rosenblatt.training.orders import row_numbers, shuffle_rows

BUFFER_BYTES = 1 << 25
"""Bytes of the source in one buffer; the rows take up to twice as much memory."""
PARTS, ROWS = 0x9A175, 0x4085
"""Seeds that separate the random generator for the order of parts from that for the order of rows."""


class Group(NamedTuple):
    """Hold rows that are visited together, their order, and the number of source parts they come from."""

    rows: Rows
    y: NDArray[Any]
    importance: NDArray[np.float64]
    order: Any  # "given", or the indices of the rows
    n_parts: int
    n_bytes: int
    release: Any
    sizes: tuple[int, ...] = ()  # the number of rows of each part


def groups(source: Source, order: str, seed: int, epoch: int, skip: int) -> Iterator[Group]:
    """Yield the groups of one pass, leaving out the groups of the first `skip` parts."""
    if order == "given":
        for chunk in source.chunks(None, skip):
            yield Group(
                chunk.rows,
                labels_of(chunk, source.name),
                chunk.importance,
                "given",
                1,
                chunk.n_bytes,
                chunk.release,
                (len(chunk),),
            )
        return
    parts = part_order(source, seed, epoch)
    for gathered in _buffers(source.chunks(parts, skip)):
        group = shuffled_group(gathered, source.name, seed, epoch, skip)
        skip += group.n_parts
        yield group
        del group


def part_order(source: Source, seed: int, epoch: int) -> list[int] | None:
    """Return the order of the parts; None if one buffer holds all rows, or if the order cannot change."""
    if source.n_parts is None or (source.n_bytes is not None and source.n_bytes <= BUFFER_BYTES):
        return None
    order: list[int] = np.random.default_rng([seed, epoch, PARTS]).permutation(source.n_parts).tolist()
    return order


def labels_of(chunk: Chunk, source: str) -> NDArray[Any]:
    """Return the labels of a chunk; raise an error if a row has none."""
    if chunk.y is None:
        raise BadInput(f"{source}: the rows have no labels; give rows with labels")
    if chunk.y.dtype.kind == "f" and not np.isfinite(chunk.y).all():
        label = chunk.y[np.argmin(np.isfinite(chunk.y))]
        got = "no label" if np.isnan(label) else f"the label {label}"
        raise BadInput(f"{source}: a row has {got}; label it, or drop it")
    return chunk.y


def _buffers(chunks: Iterator[Chunk]) -> Iterator[list[Chunk]]:
    """Yield lists of chunks, each list as large as a buffer."""
    gathered: list[Chunk] = []
    held = 0
    for chunk in chunks:
        is_held = chunk.release is _nothing  # then its memory is not used for other rows
        gathered.append(chunk if is_held else copy_chunk(chunk))
        held += buffered_bytes(chunk)
        if held >= BUFFER_BYTES:
            yield gathered
            gathered, held = [], 0
    if gathered:
        yield gathered


def shuffled_group(chunks: list[Chunk], source: str, seed: int, epoch: int, first_part: int) -> Group:
    """Return the rows of these chunks as one group with a random order."""
    rows = stack([chunk.rows for chunk in chunks])
    y = np.concatenate([labels_of(chunk, source) for chunk in chunks])
    importance = _importance(chunks)
    n_bytes, n_parts = sum(chunk.n_bytes for chunk in chunks), len(chunks)
    sizes = tuple(map(len, chunks))
    chunks.clear()  # free the originals before learning from the copy
    present = present_rows(importance)
    if first_part == 0:
        order = shuffle_rows(len(y), present, seed, epoch)  # as in `Perceptron.fit`, if these are all rows
    else:
        order = row_numbers(len(y), present)
        np.random.default_rng([seed, epoch, ROWS, first_part]).shuffle(order)
    return Group(rows, y, importance, order, n_parts, n_bytes, lambda: None, sizes)


def copy_chunk(chunk: Chunk) -> Chunk:
    """Return a copy of the chunk in memory of exactly its size, and release the memory of the original."""
    copy = detach_chunk(chunk, np.copy)
    chunk.release()
    return copy


def detach_chunk(chunk: Chunk, hold: Callable[[NDArray[Any]], NDArray[Any]]) -> Chunk:
    """Return a chunk with a read-only hold(array) of every array; to release this chunk has no effect."""
    rows = chunk.rows
    if isinstance(rows, Dense):
        rows = Dense(read_only(hold(rows.values)))
    else:
        used = slice(0, int(rows.starts[-1]) if rows.starts.size else 0)
        values, indices = read_only(hold(rows.values[used])), read_only(hold(rows.indices[used]))
        rows = Sparse(values, indices, read_only(hold(rows.starts)), rows.n_features)
    y = None if chunk.y is None else chunk.y.copy()
    return replace(chunk, rows=rows, y=y, importance=chunk.importance.copy(), release=_nothing)


def _nothing() -> None:
    """Do nothing when a detached chunk is released."""


def buffered_bytes(chunk: Chunk) -> int:
    """Return the bytes that a chunk counts for in a buffer; rows of csv take much more than the text."""
    return max(chunk.n_bytes, chunk.rows.values.nbytes // 2)


def _importance(chunks: list[Chunk]) -> NDArray[np.float64]:
    if not any(chunk.importance.size for chunk in chunks):
        return chunks[0].importance
    return np.concatenate(
        [chunk.importance if chunk.importance.size else np.ones(len(chunk)) for chunk in chunks]
    )
