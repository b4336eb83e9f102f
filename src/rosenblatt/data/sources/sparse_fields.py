"""Sparse rows in a table: each row has a list of indices, a list of values, and a label.

The converter and the cache of streams store sparse rows in this form. The rows are read without a copy if
the indices have 32 bits and rise in each row.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from rosenblatt.data.sources.arrow_cells import RowFaults, field_in, importance_in, is_number, labels_in
from rosenblatt.data.sources.chunk import ALL_ONE, Chunk, sparse_rows
from rosenblatt.data.sources.labelled_table import list_names
from rosenblatt.data.sources.parsing.joined_columns import all_finite, finite_rows, rise, sort_rows
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import Sparse, take

INDICES, VALUES = "indices", "values"
LABELS = ("y", "label", "target")
NOTES = b"rosenblatt"
"""The key of our metadata in a table, which holds everything that the columns do not contain."""

LARGEST_INDEX = (1 << 31) - 1


def notes_in(schema: Any) -> dict[str, Any]:
    """Return the metadata that our writers add to a table; empty for other tables."""
    notes = (schema.metadata or {}).get(NOTES)
    return json.loads(notes) if notes else {}


def are_sparse(schema: Any) -> bool:
    """Return whether a table has sparse rows.

    >>> are_sparse(pa.schema({"indices": pa.list_(pa.uint32()), "values": pa.list_(pa.float64())}))
    True
    """
    return all(name in schema.names and _is_list(schema.field(name).type) for name in (INDICES, VALUES))


def _is_list(kind: Any) -> bool:
    return pa.types.is_list(kind) or pa.types.is_large_list(kind)


@dataclass(frozen=True)
class SparseFields:
    """Read tables whose rows are sparse.

    >>> table = pa.table({"y": [1, -1], "indices": [[0, 5], [2]], "values": [[1.0, 2.0], [3.0]]})
    >>> chunk = SparseFields("y").chunk(table)
    >>> chunk.X.shape, chunk.X.indices.tolist(), chunk.y.tolist()
    ((2, 6), [0, 5, 2], [1, -1])
    """

    target: str | None
    weight: str | None = None
    text_labels: bool = False
    labelled: bool = True

    @property
    def used_columns(self) -> list[str]:
        """Return the names of the columns that are read."""
        return [name for name in (self.target, self.weight, INDICES, VALUES) if name is not None]

    def settings(self) -> dict[str, Any]:
        """Return the settings needed to read another table into the same features, for JSON."""
        return {
            "sparse": True,
            "target": self.target,
            "weight": self.weight,
            "text_labels": self.text_labels,
        }

    @staticmethod
    def from_settings(settings: Mapping[str, Any]) -> SparseFields:
        """Return the columns restored from `settings()`."""
        return SparseFields(settings["target"], settings["weight"], settings.get("text_labels", False))

    def chunk(self, batch: Any, name: str = "table") -> Chunk:
        """Return the rows of a record batch, without a copy if possible."""
        faults = RowFaults(batch.num_rows, "error")
        y = importance = None
        names = batch.schema.names
        for column in (self.target, self.weight):
            if column is not None and column not in names and self.labelled:
                raise BadInput(f"{name}: has no column {column!r}, only {list_names(names)}")
        if self.target in names:
            place = names.index(self.target)
            y = labels_in(field_in(batch, place), names[place], place + 1, self.text_labels, faults)
        if self.weight in names:
            place = names.index(self.weight)
            importance = importance_in(field_in(batch, place), names[place], place + 1, faults)
        rows = self._rows(batch, name, faults)
        if not faults.kept.all():
            rows = take(rows, np.flatnonzero(faults.kept))  # type: ignore[assignment]
            y = y if y is None else y[faults.kept]
            importance = importance if importance is None else importance[faults.kept]
        weight = ALL_ONE if importance is None else importance
        return Chunk(rows, y, weight, batch.nbytes, batch.num_rows, faults.bad)

    def _rows(self, batch: Any, name: str, faults: RowFaults) -> Sparse:
        if not are_sparse(batch.schema):
            raise BadInput(f"{name}: has no list columns 'indices' and 'values', as the first table has")
        starts, indices = _lists(batch, INDICES, name, faults)
        own_starts, values = _lists(batch, VALUES, name, faults)
        place = batch.schema.names.index(VALUES) + 1
        unlike = np.flatnonzero(np.diff(starts) != np.diff(own_starts))
        if unlike.size:
            row = int(unlike[0])
            raise BadInput(
                f"{name} row {row}: {starts[row + 1] - starts[row]} indices, but "
                f"{own_starts[row + 1] - own_starts[row]} values; give one value for each index"
            )
        indices, values = _index_type(indices, name), _value_type(values, name)
        largest = int(indices.max()) if indices.size else 0
        if largest > LARGEST_INDEX:
            raise BadInput(f"{name}: an index is not in 0…{LARGEST_INDEX}; renumber the features")
        if not all_finite(values):
            finite = np.empty(batch.num_rows, np.bool_)
            finite_rows(values, starts, finite)
            faults.note(
                np.flatnonzero(~finite), place, lambda row: "a value is missing or not finite; drop the row"
            )
        starts = starts.astype(np.uint32, copy=False)
        if not rise(indices, starts):
            indices, values, starts = indices.copy(), values.copy(), starts.copy()
            n_entries = sort_rows(indices, values, starts)
            indices, values = indices[:n_entries], values[:n_entries]
        width = largest + 1
        return sparse_rows(values, indices, starts, max(width, notes_in(batch.schema).get("n_features", 1)))


def _lists(batch: Any, column: str, name: str, faults: RowFaults) -> tuple[NDArray[Any], Any]:
    """Return the start of each list, relative to the first list, and the values of all lists."""
    place = batch.schema.names.index(column)
    lists = field_in(batch, place)
    if lists.null_count:
        missing = lists.is_null().to_numpy(zero_copy_only=False)
        faults.note(np.flatnonzero(missing), place + 1, lambda row: f"column {column!r} has no list")
        lists = lists.fill_null([])
    offsets = lists.offsets.to_numpy()
    cells = lists.values.slice(int(offsets[0]), int(offsets[-1] - offsets[0]))
    if cells.null_count and column == INDICES:
        raise BadInput(f"{name}: an index is missing in the column 'indices'; write the table again")
    offsets = offsets.view(np.uint32 if offsets.dtype == np.int32 else np.uint64)
    return (offsets if not offsets.size or not offsets[0] else offsets - offsets[0]), cells


def _index_type(cells: Any, name: str) -> NDArray[np.uint32]:
    if not pa.types.is_integer(cells.type):
        raise BadInput(f"{name}: the column 'indices' holds {cells.type}, expected whole numbers")
    if pa.types.is_int32(cells.type):
        return cells.to_numpy().view(np.uint32)  # negative indices become too large and are refused
    try:
        return cells.cast(pa.uint32()).to_numpy()
    except pa.ArrowInvalid as error:
        raise BadInput(f"{name}: an index is not in 0…{LARGEST_INDEX}; renumber the features") from error


def _value_type(cells: Any, name: str) -> NDArray[np.floating[Any]]:
    if not is_number(cells.type):
        raise BadInput(f"{name}: the column 'values' holds {cells.type}, expected numbers")
    if not pa.types.is_float32(cells.type):
        cells = cells.cast(pa.float64())
    return cells.to_numpy(zero_copy_only=False)


def infer_sparse(
    schema: Any, target: str | int | None, weight: str | int | None, labelled: bool, name: str
) -> SparseFields:
    """Return the columns of a sparse table, after choosing its label column and its weight column.

    >>> lists = {"indices": pa.list_(pa.uint32()), "values": pa.list_(pa.float64())}
    >>> infer_sparse(pa.schema({"label": pa.string(), **lists}), None, None, True, "table")
    SparseFields(target='label', weight=None, text_labels=True, labelled=True)
    """
    others = [column for column in schema.names if column not in (INDICES, VALUES)]
    label = _column(target, schema.names, "target", not labelled, name)
    counts = _column(weight, schema.names, "weight", False, name)
    if label is None:
        label = next((column for column in LABELS if column in others), None)
    if label is None and labelled:
        raise BadInput(f"{name}: none of {list_names(schema.names)} is named as the label; give target")
    if counts is None and "weight" in others and label != "weight":
        counts = "weight"
    is_words = label in others and not is_number(schema.field(label).type)
    return SparseFields(label, counts, is_words, labelled)


def _column(
    which: str | int | None, names: Sequence[str], role: str, may_be_absent: bool, name: str
) -> str | None:
    if isinstance(which, int) and -len(names) <= which < len(names):
        which = names[which]
    if which in (INDICES, VALUES) or not (which is None or which in names or may_be_absent):
        raise BadInput(
            f"{name}: {role}: there is no such column, {which!r}; the table has {list_names(names)}"
        )
    return None if which is None else str(which)
