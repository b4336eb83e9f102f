"""Rows of two classes, processed block by block: in memory, in a source, or on a cluster.

Rows in memory form one block. A source is cut into blocks of B rows: block k contains the rows kB to
(k+1)B − 1. Block boundaries, and therefore results, do not depend on the chunks of the source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.labels import as_labels, classes_of
from rosenblatt.errors import BadInput
from rosenblatt.numeric.agreements import smallest_agreement
from rosenblatt.numeric.row_batches import (
    Batch,
    Dense,
    Rows,
    Sparse,
    check_finite,
    n_features,
    plain,
    stack,
    take,
)
from rosenblatt.proof.digests import digest_of

BLOCK_ROWS = 1 << 16
"""Number of rows in a block; a proof contains a digest of the digests of all blocks."""

Agreement = tuple[int, int, int]
"""(n, e, row): a functional margin n·2^e, and the index of a row that has it."""


class LabelledRows:
    """Hold rows with labels −1 and +1, and the names of the two classes."""

    name = "X"
    importance: NDArray[np.float64] = np.empty(0)

    def __init__(self, n_rows: int, n_features: int, classes: tuple[Any, ...]) -> None:
        self.n_rows, self.n_features, self.classes = n_rows, n_features, classes

    def map(self, look: Callable[..., Any], *given: Any) -> Iterator[Any]:
        """Yield look(first, block, *given) for each block in order.

        `first` is the index of the block's first row.
        """
        raise NotImplementedError

    def __iter__(self) -> Iterator[Batch]:
        """Yield the blocks."""
        return self.map(_block_itself)

    def transform(self, points_of: Callable[[Batch], Batch], n_features: int) -> LabelledRows:
        """Return the rows after `points_of` has been applied to each block."""
        return _TransformedRows(self, points_of, n_features)

    def choose(self, wanted: NDArray[np.int64]) -> Batch:
        """Load the rows with the given indices into memory, in the order of the data."""
        return join_pieces(self.map(rows_among, wanted), self.n_features)

    def smallest_agreement(self, w: list[int], check: Callable[[], None] | None = None) -> Agreement:
        """Return the smallest functional margin under the integer vector (w, b).

        `check` is called after each block.
        """
        found: list[Agreement] = []
        for (each,) in self.map(smallest_agreements, [w]):
            found.append(each)
            if check is not None:
                check()
        return least(found)


class RowsInMemory(LabelledRows):
    """Hold rows in memory as a single block."""

    def __init__(self, batch: Batch, classes: tuple[Any, ...]) -> None:
        super().__init__(batch.n_rows, batch.n_features, classes)
        self.batch, self.importance = batch, batch.importance

    def map(self, look: Callable[..., Any], *given: Any) -> Iterator[Any]:
        """Yield look(0, batch, *given) for the single block."""
        yield look(0, self.batch, *given)

    def transform(self, points_of: Callable[[Batch], Batch], n_features: int) -> LabelledRows:
        """Return the rows after `points_of` has been applied to all of them."""
        return RowsInMemory(points_of(self.batch), self.classes)


class RowsOfSource(LabelledRows):
    """Read rows from a source returned by `read`; a first pass determines their shape and classes."""

    def __init__(self, source: Any) -> None:
        if source.comes_once:
            raise BadInput(
                f"{source.name}: can be read only once, and a proof reads all rows again; give a file"
            )
        self._source, self.name = source, source.name
        rows = width = 0
        labels: set[Any] = set()
        for chunk in source.chunks():
            if len(chunk):
                if chunk.y is None or chunk.importance.size:
                    raise BadInput(
                        f"{source.name}: a proof in pieces needs rows with labels and without weights"
                    )
                rows, width = rows + len(chunk), max(width, n_features(chunk.rows))
                labels |= set(np.unique(chunk.y).tolist())
            chunk.release()
        super().__init__(rows, width, class_names_of(labels, rows, source.name))

    def map(self, look: Callable[..., Any], *given: Any) -> Iterator[Any]:
        """Yield the result of `look` for each block of the source."""
        return (look(first, batch, *given) for first, batch in self._blocks())

    def _blocks(self) -> Iterator[tuple[int, Batch]]:
        gathered: list[tuple[Rows, NDArray[Any]]] = []
        held = first = 0
        for chunk in self._source.chunks():
            at = 0
            while at < len(chunk):
                some = np.arange(at, min(len(chunk), at + BLOCK_ROWS - held))
                assert chunk.y is not None
                gathered.append((take(chunk.rows, some), chunk.y[some]))
                at, held = at + len(some), held + len(some)
                if held == BLOCK_ROWS:
                    yield first, join_rows(gathered, self.n_features, self.classes)
                    first, held, gathered = first + BLOCK_ROWS, 0, []
            chunk.release()
        if gathered:
            yield first, join_rows(gathered, self.n_features, self.classes)


class _TransformedRows(LabelledRows):
    def __init__(self, inner: LabelledRows, points_of: Callable[[Batch], Batch], n_features: int) -> None:
        super().__init__(inner.n_rows, n_features, inner.classes)
        self._inner, self._points_of = inner, points_of

    def map(self, look: Callable[..., Any], *given: Any) -> Iterator[Any]:
        return self._inner.map(_look_at_points, self._points_of, look, *given)


def rows_without_labels(X: Any) -> LabelledRows:
    """Return the rows of a source or cluster that contains the labels; raise an error for anything else."""
    if isinstance(X, LabelledRows):
        return X
    if not (hasattr(X, "chunks") and hasattr(X, "fingerprint")):
        raise BadInput("y: expected the labels of X, or a source from rosenblatt.read alone")
    return RowsOfSource(X)


def class_names_of(labels: set[Any], n_rows: int, name: str) -> tuple[Any, ...]:
    """Return the class labels as stored in a proof; raise an error if there are more than two."""
    if not n_rows:
        raise BadInput(f"{name}: there are no rows; give a source with rows")
    classes = classes_of(np.array(sorted(labels)))
    if len(classes) > 2:
        raise BadInput(
            f"y: {len(classes)} classes, but a hyperplane has two sides; give rows of two classes"
        )
    return tuple(plain(label) for label in classes)


def join_rows(gathered: list[tuple[Rows, NDArray[Any]]], width: int, classes: tuple[Any, ...]) -> Batch:
    """Return the given pieces of rows and labels as one batch, with labels −1 and +1."""
    rows = stack([_widen_rows(rows, width) for rows, _ in gathered])
    check_finite(rows, None)
    return Batch(rows, as_labels(np.concatenate([y for _, y in gathered]), classes), np.empty(0))


def _widen_rows(rows: Rows, width: int) -> Rows:
    return rows._replace(n_features=width) if isinstance(rows, Sparse) else rows


def join_pieces(found: Iterable[tuple[Rows, NDArray[np.int8]]], width: int) -> Batch:
    """Join the pieces that `rows_among` returned for the blocks into one batch."""
    some = [each for each in found if len(each[1])] or [(Dense(np.empty((0, width))), np.empty(0, np.int8))]
    return Batch(stack([rows for rows, _ in some]), np.concatenate([y for _, y in some]), np.empty(0))


def least(agreements: Sequence[Agreement]) -> Agreement:
    """Return the smallest functional margin; ties go to the first."""
    lowest = min(exponent for _, exponent, _ in agreements)
    return min(agreements, key=lambda each: each[0] << (each[1] - lowest))


# ---------------------------------------------------------------- functions of one block, for `map`


def digests_of(first: int, batch: Batch) -> list[str]:
    """Return one digest for each group of BLOCK_ROWS consecutive rows."""
    if batch.n_rows <= BLOCK_ROWS:
        return [digest_of(batch.rows, batch.labels)]
    parts = (np.arange(k, min(k + BLOCK_ROWS, batch.n_rows)) for k in range(0, batch.n_rows, BLOCK_ROWS))
    return [digest_of(take(batch.rows, part), batch.labels[part]) for part in parts]


def rows_among(first: int, batch: Batch, wanted: NDArray[np.int64]) -> tuple[Rows, NDArray[np.int8]]:
    """Return the wanted rows that are in this block, with their labels."""
    inside = wanted[(wanted >= first) & (wanted < first + batch.n_rows)] - first
    return take(batch.rows, inside), batch.labels[inside]


def smallest_agreements(first: int, batch: Batch, hyperplanes: list[list[int]]) -> list[Agreement]:
    """Return the smallest functional margin in this block under each (w, b)."""
    found = (smallest_agreement(batch, w) for w in hyperplanes)
    return [(number, exponent, first + row) for number, exponent, row in found]


def _block_itself(first: int, batch: Batch) -> Batch:
    return batch


def _look_at_points(
    first: int, batch: Batch, points_of: Callable[[Batch], Batch], look: Callable[..., Any], *given: Any
) -> Any:
    return look(first, points_of(batch), *given)
