"""Pieces: rows of two classes that need not fit into memory, cut into blocks of as many rows each.

Where a source has its chunks does not matter: a block is the rows k·B … (k+1)·B − 1, whoever reads them. Of
all rows only their labels are kept, a byte for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import (
    Batch,
    Rows,
    Sparse,
    check_finite,
    n_features,
    plain,
    stack,
    take,
)
from rosenblatt.data.labels import as_labels, classes_of
from rosenblatt.errors import BadInput
from rosenblatt.proof.proof import digest_of, digest_of_digests

BLOCK_ROWS = 1 << 16
"""Rows of a block whose digest is its own (`proof.digest_of_digests`)."""


def is_source(X: Any) -> bool:
    """Return whether rows come from what `read` gives."""
    return hasattr(X, "chunks") and hasattr(X, "fingerprint")


@dataclass
class Pieces:
    """Hold the rows of a source in blocks; their shape and classes are determined in one reading."""

    source: Any  # what `read` gives
    n_rows: int
    n_features: int
    classes: NDArray[Any]

    @classmethod
    def of(cls, source: Any) -> Pieces:
        """Return the pieces of a source."""
        if hasattr(source, "pieces"):  # it has its own way to look at them
            return source.pieces()
        if source.comes_once:
            raise BadInput(
                f"{source.name}: can be read only once, and a proof reads all rows again; give a file"
            )
        rows = width = 0
        found: set[Any] = set()
        for chunk in source.chunks():
            if len(chunk):
                if chunk.y is None or chunk.importance.size:
                    raise BadInput(
                        f"{source.name}: a proof in pieces needs rows with labels and without weights"
                    )
                rows, width = rows + len(chunk), max(width, n_features(chunk.rows))
                found |= set(np.unique(chunk.y).tolist())
            chunk.release()
        if not rows:
            raise BadInput(f"{source.name}: there are no rows; give a source with rows")
        classes = classes_of(np.array(sorted(found)))
        if len(classes) > 2:
            raise BadInput(
                f"y: {len(classes)} classes, but a hyperplane has two sides; give rows of two classes"
            )
        return cls(source, rows, width, classes)

    @property
    def class_names(self) -> tuple[Any, ...]:
        """The classes as a proof holds them."""
        return tuple(plain(label) for label in self.classes)

    def __iter__(self) -> Iterator[tuple[int, Batch]]:
        """Yield the number of the first row of each block, and its rows with labels −1 and +1."""
        gathered: list[tuple[Rows, NDArray[Any]]] = []
        held = first = 0
        for chunk in self.source.chunks():
            at = 0
            while at < len(chunk):
                some = np.arange(at, min(len(chunk), at + BLOCK_ROWS - held))
                assert chunk.y is not None
                gathered.append((take(chunk.rows, some), chunk.y[some]))
                at, held = at + len(some), held + len(some)
                if held == BLOCK_ROWS:
                    yield first, joined_batch(gathered, self.n_features, self.classes)
                    first, held, gathered = first + BLOCK_ROWS, 0, []
            chunk.release()
        if gathered:
            yield first, joined_batch(gathered, self.n_features, self.classes)

    def map(self, look: Callable[..., Any], *given: Any) -> Iterator[Any]:
        """Yield look(number of the first row, block, …) of each block, in their order."""
        return (look(first, batch, *given) for first, batch in self)

    def chosen(self, wanted: NDArray[np.int64]) -> Batch:
        """Return some of the rows, in their order, in memory."""
        found = [each for each in self.map(rows_among, wanted) if len(each[1])]
        return Batch(stack([rows for rows, _ in found]), np.concatenate([y for _, y in found]), np.empty(0))


def digest_in_blocks(batch: Batch) -> str:
    """Return the digest of rows in memory: that of the digests of their blocks."""
    n, size = batch.n_rows, BLOCK_ROWS
    if n <= size:
        return digest_of_digests(n, batch.n_features, [digest_of(batch.rows, batch.labels)])
    blocks = (np.arange(k, min(k + size, n)) for k in range(0, n, size))
    digests = (digest_of(take(batch.rows, some), batch.labels[some]) for some in blocks)
    return digest_of_digests(n, batch.n_features, digests)


def rows_among(first: int, batch: Batch, wanted: NDArray[np.int64]) -> tuple[Rows, NDArray[np.int8]]:
    """Return the wanted rows that a block has."""
    inside = wanted[(wanted >= first) & (wanted < first + batch.n_rows)] - first
    return take(batch.rows, inside), batch.labels[inside]


def joined_batch(gathered: list[tuple[Rows, NDArray[Any]]], width: int, classes: NDArray[Any]) -> Batch:
    """Return some rows as one block, with labels −1 and +1."""
    rows = stack([_wide(rows, width) for rows, _ in gathered])
    check_finite(rows, None)
    return Batch(rows, as_labels(np.concatenate([y for _, y in gathered]), classes), np.empty(0))


def _wide(rows: Rows, width: int) -> Rows:
    return rows._replace(n_features=width) if isinstance(rows, Sparse) else rows
