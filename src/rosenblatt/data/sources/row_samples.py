"""Samples of the rows of a table, spread over all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rosenblatt.data.sources.arrow_cells import RowFaults, field_in, labels_in
from rosenblatt.data.sources.field_roles import LABEL, TEXT

PARTS = 32
"""Number of parts of a large source from which the sample is taken."""


@dataclass(frozen=True)
class Effort:
    """Hold how much is compared: rows, cells and bytes of text in the sample, folds, and passes."""

    rows: int
    cells: int
    text_bytes: int
    folds: int
    epochs: int
    bits: int = 22
    """Largest number of bits of hashed features; more take longer than the features of the sample."""


EFFORTS = {
    "quick": Effort(8_192, 1 << 21, 1 << 21, 3, 5, 20),
    "thorough": Effort(1 << 16, 1 << 24, 1 << 25, 5, 10),
}
FEWEST_ROWS = 100
"""With fewer rows, no candidate can be distinguished from the first."""


@dataclass(frozen=True)
class LabelledSample:
    """Hold a sample of the rows of a table, and the bytes of text in the sample and in all rows."""

    table: Any
    y: NDArray[Any]
    text_bytes: int
    text_bytes_of_all: int

    def with_less_text(self, most: int) -> LabelledSample:
        """Return every n-th row, so that the texts take at most this number of bytes."""
        if self.text_bytes <= most or not len(self.y):
            return self
        every = np.arange(0, len(self.y), -(-self.text_bytes // most))
        n_bytes = self.text_bytes * len(every) // len(self.y)
        return LabelledSample(self.table.take(every), self.y[every], n_bytes, self.text_bytes_of_all)


class RowSample:
    """Collect every n-th row of record batches; n doubles whenever the sample is too large.

    >>> sample = RowSample(most=3)
    >>> for first in (0, 4):
    ...     sample.add(pa.record_batch({"a": range(first, first + 4)}), np.arange(first, first + 4))
    >>> table, y = sample.rows()
    >>> table["a"].to_pylist(), y
    ([0, 4], array([0, 4]))
    """

    def __init__(self, most: int = 1 << 14) -> None:
        self._most, self._every, self.n_seen = most, 1, 0
        self._tables: list[Any] = []
        self._labels: list[NDArray[Any] | None] = []

    def add(self, batch: Any, y: NDArray[Any] | None = None) -> None:
        """Add the rows of a record batch, and their labels if these are not one of its columns."""
        first = -self.n_seen % self._every
        self.n_seen += batch.num_rows
        rows = np.arange(first, batch.num_rows, self._every)
        self._tables.append(pa.table(batch.columns, schema=batch.schema).take(rows))
        self._labels.append(None if y is None else y[rows])
        while sum(table.num_rows for table in self._tables) > self._most:
            self._every *= 2
            table, y = self.rows()
            every = np.arange(0, table.num_rows, 2)
            self._tables, self._labels = [table.take(every)], [None if y is None else y[every]]

    def rows(self) -> tuple[Any, NDArray[Any] | None]:
        """Return the table of the sampled rows, and their labels."""
        table = pa.concat_tables(self._tables, promote_options="permissive")
        labels = [y for y in self._labels if y is not None]
        return table, np.concatenate(labels) if labels else None


def sample_rows(
    source: Any,
    effort: Effort,
    is_for_training: Callable[[NDArray[Any], int], NDArray[np.bool_]] | None = None,
) -> LabelledSample:
    """Return a sample of the rows of a source of tables, without rows that lack a label.

    `is_for_training(labels, number of the part)` returns the rows that may be used. A source of many parts
    is sampled from some parts only.
    """
    fields = source.columns
    (target,) = fields.names(LABEL)
    n_parts = source.n_parts
    order = None
    if n_parts is not None and n_parts > PARTS:
        order = [n_parts * k // PARTS for k in range(PARTS)]
    sample = RowSample(min(effort.rows, max(FEWEST_ROWS, effort.cells // len(fields.used_columns))))
    for k, batch in enumerate(source.tables(order)):
        faults = RowFaults(batch.num_rows, "zero")
        column = field_in(batch, batch.schema.names.index(target))
        labels = labels_in(column, target, 0, fields.text_labels, faults)
        rows = np.flatnonzero(faults.kept)
        if is_for_training is not None:
            rows = rows[is_for_training(labels[rows], k if order is None else order[k])]
        sample.add(pa.table(batch.columns, schema=batch.schema).take(rows), labels[rows])
    table, y = sample.rows()
    assert y is not None
    texts = sum(table.column(name).nbytes for name in fields.names(TEXT))
    n_times = sample.n_seen / max(1, len(y)) * (1 if order is None else n_parts / PARTS)
    return LabelledSample(table, y, texts, round(texts * n_times)).with_less_text(effort.text_bytes)
