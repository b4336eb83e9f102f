"""Tables: Parquet and Arrow files, and tables or Arrow streams in memory."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from rosenblatt.data.sources.arrow_files import (
    ArrowStream,
    ParquetFile,
    open_arrow,
    table_batches,
)
from rosenblatt.data.sources.chunk import BadLine
from rosenblatt.data.sources.field_inference import fields_from_settings, infer_fields
from rosenblatt.data.sources.files import name_of
from rosenblatt.data.sources.source import Part, RowSource
from rosenblatt.data.sources.sparse_fields import SparseFields
from rosenblatt.data.sources.table_fields import FieldFeatures
from rosenblatt.data.sources.unchanged import check_unchanged, stat_of, status
from rosenblatt.errors import BadInput

if TYPE_CHECKING:
    from rosenblatt.data.sources.reading import Options

Columns = FieldFeatures | SparseFields


def fields_of(first: Any, options: Options, like: Mapping[str, Any] | None, name: str) -> Columns:
    """Return how the columns are treated, as stored in `like` or derived from the first rows."""
    if like is not None and ("columns" in like or "sparse" in like):
        known = fields_from_settings(like)
        if isinstance(known, FieldFeatures):
            known = replace(known, missing=options.missing if options.missing != "error" else known.missing)
        return replace(known, labelled=options.labelled)
    return infer_fields(first, name, **options.of_columns())


def _part(batch: Any, name: str, before: int) -> Part:
    """Return a record batch that has `before` rows before it."""

    def where(bad: BadLine) -> str:
        return f"{name} row {before + bad.line + 1:,}, column {bad.column}"

    return Part(batch, where, name)


def _parts(batches: Iterable[Any], name: str) -> Iterator[Callable[[], Part]]:
    before = 0
    for batch in batches:
        yield partial(_part, batch, name, before)
        before += batch.num_rows


class TableFile:
    """Read a Parquet file, or an Arrow file or stream."""

    comes_once = False

    def __init__(self, path: str, form: str) -> None:
        self.path, self.name = path, name_of(path)
        self._file: Any = ParquetFile(path) if form == "parquet" else open_arrow(path)
        self._stat = status(path)
        self.n_bytes = self._file.n_bytes

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the file in another process, which queries its status again."""
        vars(self).update(state)
        self._stat = status(self.path)

    @property
    def n_parts(self) -> int | None:
        """Return the number of parts, or None if some part is not a single batch with random access."""
        return self._file.n_parts if self._file.parts_are_small else None

    def part(self, number: int, columns: Any) -> Part:
        """Return a part with the used columns."""
        (batch,) = self._file.part(number, columns.used_columns)
        return _part(batch, self.name, self._file.rows_before(number))

    def parts(self, columns: Any) -> Iterator[Callable[[], Part]]:
        """Yield a function for each record batch; the batches are read by this generator."""
        return _parts(self._file.batches(columns.used_columns), self.name)

    def first_batch(self) -> Any:
        """Return the first rows, or None if there are none."""
        return next(self._file.batches(), None)

    def settings(self) -> dict[str, Any]:
        return {"format": "table"}

    def fingerprint(self) -> list[Any]:
        return stat_of(self.path, self._stat)

    def check_unchanged(self) -> None:
        """Raise an error if the file was modified while it was read."""
        check_unchanged(self.path, self._stat)


class HeldTable:
    """Hold the record batches of an in-memory table, or a stream. A stream can be read only once."""

    def __init__(self, batches: Iterator[Any], name: str, path: str = "", has_parts: bool = False) -> None:
        self.name, self._path = name, path
        self._first = next(batches, None)
        self._stream: Iterator[Any] | None = itertools.chain([self._first], batches)
        self._batches: list[Any] | None = None
        self._has_parts = has_parts
        if has_parts:
            self.spool()

    def first_batch(self) -> Any:
        """Return the first rows, or None if there are none."""
        return self._first

    @property
    def comes_once(self) -> bool:
        return self._batches is None

    @property
    def n_bytes(self) -> int | None:
        return sum(batch.nbytes for batch in self._batches or ()) if self._has_parts else None

    @property
    def n_parts(self) -> int | None:
        return len(self._batches or ()) if self._has_parts else None

    def spool(self) -> HeldTable:
        """Keep all batches in memory, so that they can be read again; return this table."""
        self._batches = list(self._once())
        return self

    def _once(self) -> Iterator[Any]:
        stream, self._stream = self._stream, None
        if stream is None:
            raise BadInput(
                f"{self.name} can be read only once; for several passes give a table or a file, or a cache"
            )
        return stream

    def part(self, number: int, columns: Any) -> Part:
        """Return one of the record batches."""
        held = self._batches or []
        return _part(held[number], self.name, sum(batch.num_rows for batch in held[:number]))

    def parts(self, columns: Any) -> Iterator[Callable[[], Part]]:
        """Return an iterator over functions that return the record batches."""
        return _parts(self._once() if self._batches is None else self._batches, self.name)

    def settings(self) -> dict[str, Any]:
        return {"format": "table"}

    def fingerprint(self) -> Any:
        """Return a constant: a table in memory has no identity, so the caller must pass an equal table."""
        return [self._path] if self._path else "table"

    def check_unchanged(self) -> None:
        """Do nothing: no other process can modify the table."""


def open_files(paths: Sequence[str], form: str) -> list[TableFile | HeldTable]:
    """Open Parquet or Arrow files; "-" is an Arrow stream from standard input."""
    return [
        HeldTable(ArrowStream(path).batches(), name_of(path), path)
        if path == "-" and form == "arrow"
        else TableFile(path, form)
        for path in paths
    ]


def hold_table(source: Any) -> list[TableFile | HeldTable]:
    """Return a table, or an Arrow stream or an iterator of tables, as a file."""
    name = f"a {type(source).__module__.split('.', 1)[0]} {type(source).__name__}"
    is_iterator = isinstance(source, Iterator) and not hasattr(source, "__arrow_c_stream__")
    batches = (table_batches(each, name) for each in (source if is_iterator else [source]))
    # the shape of a relation of DuckDB would start a second query
    is_whole = hasattr(type(source), "shape")
    return [HeldTable(itertools.chain.from_iterable(batches), name, has_parts=is_whole)]


def read_arrow_files(
    paths: Sequence[str], form: str, options: Options, like: Mapping[str, Any] | None, n_threads: int,
    skip_bad: int | None,
) -> RowSource:  # fmt: skip
    """Return the rows of Parquet or Arrow files."""
    return table_source(open_files(paths, form), options, like, n_threads, skip_bad)


def table_source(
    files: Sequence[TableFile | HeldTable], options: Options, like: Mapping[str, Any] | None,
    n_threads: int, skip_bad: int | None,
) -> RowSource:  # fmt: skip
    """Return the rows of tables, whose columns are those of the first."""
    name, first = files[0].name, files[0].first_batch()
    if first is None:
        raise BadInput(f"{name}: there are no rows; give a table with rows")
    return RowSource(files, fields_of(first, options, like, name), n_threads, skip_bad)
