"""Tables with named columns: which column is the label, and how each of the others becomes features.

Numbers are kept. A category becomes the token "column=value", a text one token "column=word" for each of
its words (in lower case, two letters or more). Where there are tokens, everything is hashed into 2^bits
features, bit for bit as scikit-learn's ``FeatureHasher(n_features=2**bits, input_type="dict")`` does with
one dict a row, {number column: value, …, "column=value": 1, …, "column=word": how often, …}. Where there
are none, the rows are dense, a feature for each column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import Dense, Rows
from rosenblatt.data.sources.arrow_cells import (
    RowFaults,
    codes_in,
    field_in,
    importance_in,
    is_number,
    is_small,
    labels_in,
    strings_in,
    words_in,
    write_numbers,
)
from rosenblatt.data.sources.chunk import ALL_ONE, Buffers, Chunk, sparse_rows
from rosenblatt.data.sources.field_roles import (
    CATEGORY,
    FEATURES,
    LABEL,
    LEFT_OUT,
    NUMBER,
    TEXT,
    WEIGHT,
    roles_in,
    wrong_kind,
)
from rosenblatt.data.sources.hashing import check_bits, hashed_names
from rosenblatt.data.sources.labelled_table import listed
from rosenblatt.data.sources.parsing.joined_columns import NO_TOKEN, rows_of, turned
from rosenblatt.data.sources.sparse_fields import SparseFields, are_sparse, notes_in, settle_sparse
from rosenblatt.errors import BadInput, bad_choice

MISSING_VALUES = ("error", "zero", "drop")
"""What becomes of a missing value: a bad row, a 0 (no token at all), or no row."""

BITS = 18

_COLUMNS = Buffers(np.empty)


def _hashed_buffer(size: int) -> tuple[NDArray[Any], ...]:
    return np.empty(size + 1, np.uint32), np.empty(size, np.uint32), np.empty(size)


@dataclass(frozen=True)
class FieldFeatures:
    """What each column of a table is, in the order of the first table; later ones are matched by name.

    >>> table = pa.table({"width": [1.5, 2.0], "colour": ["red", "blue"], "kind": ["ham", "spam"]})
    >>> columns = settle_fields(table, bits=10)
    >>> columns.columns
    (('width', 'number'), ('colour', 'category'), ('kind', 'label'))
    >>> chunk = columns.chunk(table)
    >>> chunk.X.indices.tolist(), chunk.X.data.tolist(), chunk.y.tolist()
    ([641, 815, 512, 815], [1.0, -1.5, -1.0, -2.0], ['ham', 'spam'])
    """

    columns: tuple[tuple[str, str], ...]  # name and role
    bits: int = BITS
    missing: str = "error"
    text_labels: bool = False
    labelled: bool = True  # False: a table may come without its label and weight, as for prediction
    _buffers: Buffers = field(default_factory=lambda: Buffers(_hashed_buffer), repr=False, compare=False)
    _dense_buffers: Buffers = field(
        default_factory=lambda: Buffers(lambda size: np.empty(size, np.uint64)), repr=False, compare=False
    )

    def names(self, *roles: str) -> list[str]:
        """The columns that have one of these roles."""
        return [name for name, role in self.columns if role in roles]

    @property
    def used(self) -> list[str]:
        """The columns that are read."""
        return [name for name, role in self.columns if role != LEFT_OUT]

    @property
    def is_hashed(self) -> bool:
        return bool(self.names(CATEGORY, TEXT))

    @property
    def n_features(self) -> int:
        return 1 << self.bits if self.is_hashed else len(self.names(NUMBER))

    @property
    def feature_names(self) -> list[str] | None:
        """The name of each feature; None where features are hashed."""
        return None if self.is_hashed else self.names(NUMBER)

    def settings(self) -> dict[str, Any]:
        """All that is needed to read another table into the same features, for JSON."""
        return {
            "columns": [list(column) for column in self.columns],
            "bits": self.bits,
            "missing": self.missing,
            "text_labels": self.text_labels,
        }

    @staticmethod
    def from_settings(settings: Mapping[str, Any]) -> FieldFeatures:
        """What `settings` said.

        >>> columns = FieldFeatures((("width", "number"), ("kind", "label")))
        >>> FieldFeatures.from_settings(columns.settings()) == columns
        True
        """
        columns = tuple((str(name), str(role)) for name, role in settings["columns"])
        return FieldFeatures(columns, settings["bits"], settings["missing"], settings["text_labels"])

    def chunk(self, batch: Any, name: str = "table") -> Chunk:
        """The rows of a record batch. Rows that cannot be read are left out and named in `Chunk.bad`, by
        the number of the row and of the column."""
        places = self.places_in(batch.schema.names, name)
        self._check_kinds(batch.schema, places, name)
        faults = RowFaults(batch.num_rows, self.missing)
        y = importance = None
        for column, role in self.columns:
            if role not in (LABEL, WEIGHT) or column not in places:
                continue
            cells, place = field_in(batch, places[column]), places[column] + 1
            if role == LABEL:
                y = labels_in(cells, column, place, self.text_labels, faults)
            else:
                importance = importance_in(cells, column, place, faults)
        rows, release = (
            self._hashed(batch, places, faults) if self.is_hashed else self._dense(batch, places, faults)
        )
        if not faults.kept.all():
            y = y if y is None else y[faults.kept]
            importance = importance if importance is None else importance[faults.kept]
        weight = ALL_ONE if importance is None else importance
        return Chunk(rows, y, weight, batch.nbytes, batch.num_rows, faults.bad, release)

    def places_in(self, names: Sequence[str], name: str) -> dict[str, int]:
        """Where each column is in a table with these names; refuses one that lacks a column."""
        first = {column: place for place, column in reversed(list(enumerate(names)))}
        places = {column: first[column] for column in self.used if column in first}
        optional = (LEFT_OUT,) if self.labelled else (LEFT_OUT, LABEL, WEIGHT)
        for column, role in self.columns:
            if column not in places and role not in optional:
                raise BadInput(
                    f"{name}: has no column {column!r} ({role}), only {listed(names)}; "
                    "give tables that have all columns of the first one"
                )
        return places

    def _check_kinds(self, schema: Any, places: dict[str, int], name: str) -> None:
        """Refuses a table with another kind of column than the first one had."""
        for column, role in self.columns:
            if role in FEATURES and (problem := wrong_kind(schema.field(places[column]).type, role)):
                raise BadInput(f"{name}: column {column!r} {problem}")

    def _dense(self, batch: Any, places: dict[str, int], faults: RowFaults) -> tuple[Rows, Any]:
        names, n = self.names(NUMBER), batch.num_rows
        small = all(is_small(batch.schema.field(places[name]).type) for name in names)
        buffer, release = self._dense_buffers.take(n * len(names) + 1)
        rows = buffer.view(np.float32 if small else np.float64)[: n * len(names)].reshape(n, len(names))
        columns, give_back = self._numbers(batch, places, names, faults)
        turned(columns, n, rows)
        give_back()
        if not faults.kept.all():
            rows = rows[faults.kept]
        rows.flags.writeable = False
        return Dense(rows), release

    def _hashed(self, batch: Any, places: dict[str, int], faults: RowFaults) -> tuple[Rows, Any]:
        names = self.names(NUMBER)
        indices, signs = hashed_names(names, self.bits)
        order = np.argsort(indices, kind="stable")  # rows come out nearly in order then
        numbers, give_back = self._numbers(batch, places, [names[j] for j in order], faults)
        tokens = self._tokens(batch, places, faults)
        words = self._words(batch, places, faults)
        buffer, release = self._buffers.take(
            batch.num_rows * (len(names) + len(tokens[0])) + len(words[1]) + 1
        )
        n_rows, n_entries = rows_of(
            numbers, indices[order], signs[order], *tokens, *words, faults.kept, *buffer
        )
        give_back()
        row_starts, columns, values = buffer
        rows = sparse_rows(
            values[:n_entries], columns[:n_entries], row_starts[: n_rows + 1], self.n_features
        )
        return rows, release

    def _numbers(
        self, batch: Any, places: dict[str, int], names: Sequence[str], faults: RowFaults
    ) -> tuple[NDArray[np.float64], Any]:
        """numbers[j, i]: column j of row i, in memory that is given back."""
        # columns whose distance is a power of two would all fall into the same few lines of the cache
        stride = batch.num_rows + 8 + batch.num_rows % 2
        buffer, give_back = _COLUMNS.take(len(names) * stride)
        numbers = buffer[: len(names) * stride].reshape(len(names), stride)
        for j, name in enumerate(names):
            place = places[name]
            write_numbers(field_in(batch, place), name, place + 1, faults, numbers[j, : batch.num_rows])
        return numbers, give_back

    def _tokens(
        self, batch: Any, places: dict[str, int], faults: RowFaults
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]]:
        """Which token each category has in each row, and the hashed index and sign of each token."""
        names = self.names(CATEGORY)
        tokens = np.empty((len(names), batch.num_rows), np.uint32)
        indices, signs = [np.empty(0, np.uint32)], [np.empty(0)]
        known = 0
        for c, name in enumerate(names):
            codes, words = codes_in(field_in(batch, places[name]))
            missing = codes < 0
            if missing.any():
                faults.note_missing(np.flatnonzero(missing), places[name] + 1, name)
            np.add(codes, known, out=tokens[c], casting="unsafe")
            tokens[c, missing] = NO_TOKEN
            prefix = pa.scalar(f"{name}=", pa.large_string())
            named = pc.binary_join_element_wise(prefix, words, pa.scalar("", pa.large_string()))
            own_indices, own_signs = hashed_names(named, self.bits)
            indices.append(own_indices)
            signs.append(own_signs)
            known += len(words)
        return tokens, np.concatenate(indices), np.concatenate(signs)

    def _words(
        self, batch: Any, places: dict[str, int], faults: RowFaults
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.float64]]:
        """Where the words of each text begin in each row, and the hashed index and sign of each word."""
        names = self.names(TEXT)
        found = []
        for name in names:
            cells = strings_in(field_in(batch, places[name]))
            if cells.null_count:
                missing = cells.is_null().to_numpy(zero_copy_only=False)
                faults.note_missing(np.flatnonzero(missing), places[name] + 1, name)
            found.append(words_in(cells, name, self.bits))
        if not found:
            return np.empty((0, 1), np.uint64), np.empty(0, np.uint32), np.empty(0)
        before = accumulate((len(indices) for _, indices, _ in found[:-1]), initial=0)
        starts = np.stack([own + np.uint64(n) for (own, _, _), n in zip(found, before, strict=True)])
        return (
            starts,
            np.concatenate([indices for _, indices, _ in found]),
            np.concatenate([signs for _, _, signs in found]),
        )


def settle_fields(
    first: Any,
    target: str | int | None = None,
    weight: str | int | None = None,
    text: Sequence[str | int] = (),
    categories: Sequence[str | int] = (),
    leave_out: Sequence[str | int] = (),
    bits: int = BITS,
    missing: str = "error",
    labelled: bool = True,
    name: str = "table",
) -> FieldFeatures | SparseFields:
    """What each column is, from the first rows of a table (a pyarrow RecordBatch or Table).

    Numbers and truth values are numbers. Strings and dictionaries are categories, or text where the cells
    have three words or more on average; `text` and `categories` name columns that are what they say.
    Columns are named or counted from 0. The label is `target`, the last column by default; only where
    `labelled` is False may it be absent. A table with list columns `indices` and `values` has sparse rows.

    >>> settle_fields(pa.table({"a": [1], "when": pa.array([0], "date64")}), target="a")
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: table: column 'when' holds date64[ms], which is neither a number nor a
    category; leave it out (leave_out=['when']), or convert it
    """
    check_bits(bits)
    if missing not in MISSING_VALUES:
        raise bad_choice("missing", missing, MISSING_VALUES)
    notes = notes_in(first.schema)
    target = notes.get("target") if target is None else target
    weight = notes.get("weight") if weight is None else weight
    if are_sparse(first.schema):
        return settle_sparse(first.schema, target, weight, labelled, name)
    chosen = {LEFT_OUT: leave_out, TEXT: text, CATEGORY: categories}
    roles = roles_in(first, target, weight, chosen, labelled, name)
    labels = [column for column, role in roles.items() if role == LABEL]
    text_labels = bool(labels) and not is_number(first.schema.field(labels[0]).type)
    return FieldFeatures(tuple(roles.items()), bits, missing, text_labels, labelled)


def fields_from_settings(settings: Mapping[str, Any]) -> FieldFeatures | SparseFields:
    """What the `settings()` of either said.

    >>> fields_from_settings({"sparse": True, "target": "y", "weight": None}).target
    'y'
    """
    kind = SparseFields if "sparse" in settings else FieldFeatures
    return kind.from_settings(settings)
