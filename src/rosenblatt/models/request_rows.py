"""Convert the examples in HTTP requests to rows of features, encoded as in the file of the fitted model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.feature_names import NameRecorder
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import Dense, Rows, Sparse, read_only
from rosenblatt.storage.perceptrons import PerceptronRecord
from rosenblatt.training.online.feature_index import flatten_features
from rosenblatt.training.streams.stream_targets import fit_to

MOST_FEATURES = 1 << 24
"""The largest feature number that a request may contain."""


def request_rows_of(record: PerceptronRecord) -> RequestRows:
    """Return the parser for requests to a model."""
    reading = record.reading or {}
    kind = reading.get("format")
    if "columns" in reading and kind not in ("npy", "npz", "iterable", None):
        return TableRows(record.n_features, reading)
    if kind == "vw":
        return VwRows(record.n_features, reading)
    if kind == "svmlight":
        return RequestRows(record.n_features, None, int(reading.get("first_index", 0)), MOST_FEATURES)
    return RequestRows(record.n_features, record.feature_names)


class RequestRows:
    """Parse examples given as lists of numbers, or as mappings from names or feature numbers to values.

    `first` is the number of the first feature. `most` is the largest number of features if requests may
    contain features that the model does not have.
    """

    def __init__(
        self, n_features: int, names: Sequence[str] | None, first: int = 0, most: int | None = None
    ) -> None:
        self.n_features = n_features
        self._places = None if names is None else {name: place for place, name in enumerate(names)}
        self._first, self._most = first, most

    def parse(self, examples: Sequence[Any], recorder: NameRecorder | None = None) -> Rows:
        """Return examples as rows; `recorder` stores the names of hashed features."""
        if all(isinstance(x, Mapping) for x in examples):
            return self._by_names(examples)
        return self._dense(examples)

    def _by_names(self, examples: Sequence[Mapping[str, Any]]) -> Rows:
        names, lengths, values = flatten_features(examples)
        if self._places is None:
            return self._by_numbers(names, lengths, values)
        matrix = np.zeros((len(lengths), self.n_features))
        row = np.repeat(np.arange(len(lengths)), lengths)
        for name in names:
            if name not in self._places:
                raise BadInput(f"x: the model has no column {name!r}; leave it out, or serve a Learner")
        for x in examples if len(names) != matrix.size else ():
            if missing := [name for name in self._places if name not in x]:
                raise BadInput(f"x: lacks {missing[0]!r}; give all columns of the model")
        matrix[row, [self._places[name] for name in names]] = values
        return Dense(read_only(matrix))

    def _by_numbers(self, names: list[str], lengths: list[int], values: NDArray[np.float64]) -> Sparse:
        most = self._most or self.n_features
        for name in names:
            if not (name.isascii() and name.isdigit() and 0 <= int(name) - self._first < most):
                raise BadInput(
                    f"x: feature {name!r:.40}: this model has no names, but numbers from {self._first} to "
                    f"{most - 1 + self._first}"
                )
        indices = np.array([int(name) - self._first for name in names], np.uint32)
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint32)
        width = max(self.n_features, int(indices.max(initial=0)) + 1)
        return Sparse(read_only(values), read_only(indices), read_only(starts), width)

    def _dense(self, examples: Sequence[Any]) -> Rows:
        for x in examples:
            if not isinstance(x, (list, np.ndarray)):
                raise BadInput(f"x: expected a list of {self.n_features} numbers, got {x!r:.60}")
            if len(x) != self.n_features:
                raise BadInput(f"x: {len(x)} numbers, the model has {self.n_features} features")
        try:
            if any(isinstance(number, str) for x in examples for number in x):
                raise ValueError("a text among the numbers")
            matrix = np.array(examples, np.float64)
        except (TypeError, ValueError) as error:
            raise BadInput(f"x: expected lists of numbers ({error})") from error
        if not np.isfinite(matrix).all():
            raise BadInput("x: a number is not finite; give finite numbers")
        return Dense(read_only(matrix))

    def renumber(self, rows: Rows, grows: bool) -> Rows:
        """Return rows in which features have the numbers of their weights.

        New features get a number if `grows` is true (for learning), and are left out otherwise.
        """
        if isinstance(rows, Dense):
            return rows
        needed = int(rows.indices.max(initial=0)) + 1
        if needed > self.n_features:
            if not grows:
                return fit_to(rows, self.n_features)
            self.n_features = needed
        return rows._replace(n_features=self.n_features)

    def settings(self, reading: dict[str, Any]) -> dict[str, Any]:
        """Return the reading options of the model's file, including features that have been added since."""
        return reading


class _HashedRows(RequestRows):
    """Parse rows of hashed features, which the model numbers in order of first appearance."""

    def __init__(self, n_features: int, reading: Mapping[str, Any]) -> None:
        from rosenblatt.data.sources.numbered_features import NUMBERS, numbers_in

        super().__init__(n_features, None)
        self._numbers = numbers_in(reading) if NUMBERS in reading else None

    def renumber(self, rows: Rows, grows: bool) -> Rows:
        if self._numbers is None or isinstance(rows, Dense):
            return super().renumber(rows, grows)
        if not grows:
            return self._numbers.drop_unknown(rows)
        numbers = self._numbers.learn(rows.indices)
        return Sparse(rows.values, read_only(numbers), rows.starts, max(1, len(self._numbers)))

    def settings(self, reading: dict[str, Any]) -> dict[str, Any]:
        from rosenblatt.data.sources.numbered_features import NUMBERS, numbers_as_settings

        if self._numbers is None:
            return reading
        return {**reading, NUMBERS: numbers_as_settings(self._numbers)}


class VwRows(_HashedRows):
    """Parse lines of Vowpal Wabbit text, with or without labels."""

    def __init__(self, n_features: int, reading: Mapping[str, Any]) -> None:
        from rosenblatt.data.sources.vw import VwText

        super().__init__(n_features, reading)
        self._form = VwText(reading["bits"])

    def parse(self, examples: Sequence[Any], recorder: NameRecorder | None = None) -> Rows:
        for x in examples:
            if not isinstance(x, str) or "\n" in x:
                raise BadInput(f'x: expected a line of Vowpal Wabbit, such as "| price:.23", got {x!r:.60}')
        lines = [x if "|" in x else f"| {x}" for x in examples]
        text = np.frombuffer("".join(f"{line}\n" for line in lines).encode(), np.uint8)
        chunk = replace(self._form, recorder=recorder).parse(text)
        try:
            if chunk.bad:
                bad = chunk.bad[0]
                raise BadInput(f"x: example {bad.line}, column {bad.column}: {bad.problem}")
            return _own(chunk.rows)
        finally:
            chunk.release()


class TableRows(_HashedRows):
    """Parse mappings from column names to values; a model with a single column also accepts a string."""

    def __init__(self, n_features: int, reading: Mapping[str, Any]) -> None:
        from rosenblatt.data.sources.field_roles import CATEGORY, FEATURES, NUMBER, TEXT
        from rosenblatt.data.sources.table_fields import FieldFeatures

        super().__init__(n_features, reading)
        missing = "error" if reading["missing"] == "drop" else reading["missing"]
        self._fields = replace(FieldFeatures.from_settings(reading), labelled=False, missing=missing)
        written = {name for name, _ in self._fields.notations} | {each.name for each in self._fields.dates}
        self._columns = [
            (name, role == NUMBER and name not in written)
            for name, role in self._fields.columns
            if role in FEATURES or name in written
        ]
        texts = [name for name, role in self._fields.columns if role in (TEXT, CATEGORY, NUMBER)]
        self._only = texts[0] if len(texts) == 1 else None

    def batch_of(self, examples: Sequence[Any]) -> Any:
        """Return the cells of examples as a record batch."""
        import pyarrow as pa

        tables = [self._cells(x) for x in examples]
        arrays = {}
        for name, is_number in self._columns:
            cells = [x.get(name) for x in tables]
            try:
                if is_number:
                    arrays[name] = pa.array(cells, pa.float64())
                else:
                    arrays[name] = pa.array(
                        [None if c is None else _as_text(c) for c in cells], pa.string()
                    )
            except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError, OverflowError) as error:
                raise BadInput(f"x: column {name!r}: expected a number ({error})") from error
        return pa.RecordBatch.from_pydict(arrays)

    def parse(self, examples: Sequence[Any], recorder: NameRecorder | None = None) -> Rows:
        chunk = replace(self._fields, recorder=recorder).chunk(self.batch_of(examples), "x")
        try:
            if chunk.bad:
                bad = chunk.bad[0]
                raise BadInput(f"x: example {bad.line}: {bad.problem}")
            return _own(chunk.rows)
        finally:
            chunk.release()

    def _cells(self, x: Any) -> Mapping[str, Any]:
        if isinstance(x, str) and self._only is not None:
            return {self._only: x}
        if not isinstance(x, Mapping):
            raise BadInput(f"x: expected {{column: value}} as the model was fitted, got {x!r:.60}")
        known = {name for name, _ in self._columns}
        if strange := [name for name in x if name not in known]:
            raise BadInput(f"x: the model has no column {strange[0]!r}; it has {', '.join(sorted(known))}")
        return x


def _as_text(cell: Any) -> str:
    if isinstance(cell, str):
        return cell
    if isinstance(cell, (bool, int)):
        return str(cell)
    if isinstance(cell, float):
        return repr(cell)
    raise TypeError(f"{cell!r:.40} is neither a text nor a number")


def _own(rows: Rows) -> Rows:
    """Return a copy of the rows, because the memory of parsed rows is reused."""
    if isinstance(rows, Dense):
        return Dense(read_only(np.array(rows.values, np.float64)))
    last = int(rows.starts[-1])
    return Sparse(
        read_only(np.array(rows.values[:last], np.float64)),
        read_only(np.array(rows.indices[:last], np.uint32)),
        read_only(np.array(rows.starts, np.uint32)),
        rows.n_features,
    )
