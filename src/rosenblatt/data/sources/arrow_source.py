"""Tables as sources: Parquet and Arrow files, and tables or Arrow streams in memory."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from rosenblatt.data.sources.arrow_files import (
    ArrowFile,
    ArrowStream,
    ParquetFile,
    open_arrow,
    table_batches,
)
from rosenblatt.data.sources.chunk import BadLine, Chunk
from rosenblatt.data.sources.field_inference import fields_from_settings, infer_fields
from rosenblatt.data.sources.files import name_of
from rosenblatt.data.sources.source import SkipsBad, ahead
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
    return infer_fields(first, name, **options.field_options)


def with_statistics(columns: Columns, tables: Callable[[], Iterator[Any]], name: str) -> Columns:
    """Return the columns with the statistics of all rows, if their features need them."""
    if isinstance(columns, SparseFields) or not columns.needs_statistics:
        return columns
    return columns.with_statistics(tables(), name)


class Part(NamedTuple):
    """Hold a record batch of a file, and the number of rows before it."""

    path: str
    before: int
    batch: Any

    def where(self, bad: BadLine) -> str:
        return f"{name_of(self.path)} row {self.before + bad.line + 1:,}, column {bad.column}"


class ArrowFiles(SkipsBad):
    """Read Parquet or Arrow IPC files, one after another."""

    def __init__(
        self,
        paths: Sequence[str],
        form: str,
        options: Options,
        like: Mapping[str, Any] | None,
        n_threads: int,
        skip_bad: int | None,
    ) -> None:
        self.name = name_of(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
        self._files: list[ParquetFile | ArrowFile | ArrowStream] = [
            ParquetFile(path) if form == "parquet" else open_arrow(path) for path in paths
        ]
        self._stats = {path: status(path) for path in paths if path != "-"}
        self._n_threads, self.skip_bad = n_threads, skip_bad
        self._pushed_back: Iterator[Any] | None = None
        self._held: list[Any] | None = None  # batches of standard input, if it is read twice
        self._columns = fields_of(self._first(), options, like, name_of(paths[0]))
        self.n_dropped = 0

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore the source in another process, which queries the status of the files again."""
        vars(self).update(state)
        self._stats = {path: status(path) for path in self._stats}

    @property
    def n_files(self) -> int:
        return len(self._files)

    def of_file(self, number: int) -> ArrowFiles:
        """Return a source for only one of the files; its columns are treated in the same way."""
        one = copy.copy(self)
        one._files = [self._files[number]]
        one._stats = {path: stat for path, stat in self._stats.items() if path == one._files[0].path}
        return one

    def _first(self) -> Any:
        """Return the first rows; for standard input, reading continues after them."""
        file = self._files[0]
        batches = file.batches()
        first = next(batches, None)
        if first is None:
            raise BadInput(f"{self.name}: there are no rows; give a file with rows")
        if file.path == "-":
            self._pushed_back = itertools.chain([first], batches)
        return first

    @property
    def n_bytes(self) -> int | None:
        sizes = [file.n_bytes for file in self._files if not isinstance(file, ArrowStream)]
        return sum(sizes) if len(sizes) == len(self._files) else None

    @property
    def comes_once(self) -> bool:
        return self._held is None and any(file.path == "-" for file in self._files)

    @property
    def n_parts(self) -> int | None:
        """Return the number of parts, or None if some part is not a single batch with random access."""
        counts = [
            file.n_parts
            for file in self._files
            if not isinstance(file, ArrowStream) and file.parts_are_small
        ]
        return sum(counts) if len(counts) == len(self._files) else None

    def learn_statistics(self) -> None:
        """Read all rows once if their features need statistics."""
        if self.comes_once and isinstance(self._columns, FieldFeatures) and self._columns.needs_statistics:
            self._spool()
        self._columns = with_statistics(self._columns, self.tables, self.name)

    def _spool(self) -> None:
        """Store standard input in memory, since its rows are read twice."""
        (piped,) = (file for file in self._files if file.path == "-")
        self._held = list(self._all(piped, self._columns.used_columns))

    @property
    def columns(self) -> FieldFeatures | None:
        """Return the treatment of each column, or None if the rows are sparse lists."""
        return self._columns if isinstance(self._columns, FieldFeatures) else None

    def settings(self) -> dict[str, Any]:
        return settings_of(self._columns)

    def fingerprint(self) -> list[Any]:
        return [
            ["-"] if file.path == "-" else stat_of(file.path, self._stats[file.path])
            for file in self._files
        ]

    def __iter__(self) -> Iterator[Chunk]:
        return self.chunks()

    def chunks(self, order: Sequence[int] | None = None, skip: int = 0) -> Iterator[Chunk]:
        """Yield the chunks in the given order, leaving out the first `skip`."""
        self.n_bad = self.n_bad if skip else 0
        self.n_dropped = self.n_dropped if skip else 0
        used = self._columns.used_columns

        def chunk(make: Callable[[], Part]) -> tuple[Part, Chunk]:
            part = make()
            return part, self._columns.chunk(part.batch, name_of(part.path))

        made = ahead(self._batches(order, skip, used), chunk, self._n_threads, 2 * self._n_threads)
        for part, rows in made:
            self.count_bad(rows, part.where)
            self.n_dropped += rows.n_dropped
            yield rows
        for path, stat in self._stats.items():
            check_unchanged(path, stat)

    def use_columns(self, columns: FieldFeatures) -> None:
        """Set the property `columns`, the treatment of each column."""
        self._columns = columns

    def tables(self, order: Sequence[int] | None = None) -> Iterator[Any]:
        """Yield the used columns, batch after batch, in the given order."""
        return (make().batch for make in self._batches(order, 0, self._columns.used_columns))

    def _batches(
        self, order: Sequence[int] | None, skip: int, used: list[str]
    ) -> Iterator[Callable[[], Part]]:
        if self.n_parts is not None:
            files = [file for file in self._files if not isinstance(file, ArrowStream)]
            places = [(file, k) for file in files for k in range(file.n_parts)]
            for place in (range(len(places)) if order is None else order)[skip:]:
                file, k = places[place]
                yield lambda file=file, k=k: Part(file.path, file.rows_before(k), _one(file.part(k, used)))  # type: ignore[misc]
            return
        assert order is None
        for each in self._files:
            before = 0
            for batch in self._all(each, used):
                if skip:
                    skip -= 1
                else:
                    part = Part(each.path, before, batch)
                    yield lambda part=part: part  # type: ignore[misc]
                before += batch.num_rows

    def _all(self, file: ParquetFile | ArrowFile | ArrowStream, used: list[str]) -> Iterator[Any]:
        if file.path != "-":
            return file.batches(used)
        if self._held is not None:
            return iter(self._held)
        if self._pushed_back is None:
            raise BadInput(
                "standard input can be read only once; for several passes give a file, or a cache"
            )
        batches, self._pushed_back = self._pushed_back, None
        return batches


def _one(batches: Iterator[Any]) -> Any:
    """Return the only batch of a small part."""
    (batch,) = batches
    return batch


def settings_of(columns: Columns) -> dict[str, Any]:
    """Return the reading settings that a model stores."""
    return {"format": "table", **columns.settings()}


class ArrowTables(SkipsBad):
    """Read a table in memory any number of times, or a stream of its parts only once."""

    def __init__(
        self, table: Any, options: Options, like: Mapping[str, Any] | None, skip_bad: int | None
    ) -> None:
        self.name = f"a {type(table).__module__.split('.', 1)[0]} {type(table).__name__}"
        self._table, self.skip_bad = table, skip_bad
        self._batches: list[Any] | None = None
        tables = (
            table if isinstance(table, Iterator) and not hasattr(table, "__arrow_c_stream__") else [table]
        )
        self._stream: Iterator[Any] | None = itertools.chain.from_iterable(
            table_batches(each, self.name) for each in tables
        )
        first = next(self._stream, None)
        if first is None:
            raise BadInput(f"{self.name}: there are no rows; give a table with rows")
        self._stream = itertools.chain([first], self._stream)
        self._columns = fields_of(first, options, like, self.name)
        # a whole table; otherwise a stream. The shape of a relation of DuckDB would start a second query
        if hasattr(type(table), "shape"):
            self._batches = list(self._stream)
        self.n_dropped = 0

    @property
    def n_bytes(self) -> int | None:
        return None if self._batches is None else sum(batch.nbytes for batch in self._batches)

    @property
    def comes_once(self) -> bool:
        return self._batches is None

    @property
    def n_parts(self) -> int | None:
        return None if self._batches is None else len(self._batches)

    def learn_statistics(self) -> None:
        """Read all rows once if their features need statistics."""
        self._columns = with_statistics(self._columns, self.tables, self.name)

    @property
    def columns(self) -> FieldFeatures | None:
        """Return the treatment of each column, or None if the rows are sparse lists."""
        return self._columns if isinstance(self._columns, FieldFeatures) else None

    def settings(self) -> dict[str, Any]:
        return settings_of(self._columns)

    def fingerprint(self) -> list[Any]:
        """Return a constant: a table in memory has no identity, so the caller must pass an equal table."""
        return ["table"]

    def __iter__(self) -> Iterator[Chunk]:
        return self.chunks()

    def chunks(self, order: Sequence[int] | None = None, skip: int = 0) -> Iterator[Chunk]:
        """Yield the chunks in the given order, leaving out the first `skip`."""
        self.n_bad = self.n_bad if skip else 0
        self.n_dropped = self.n_dropped if skip else 0
        for number, batch in enumerate(self._in_order(order)):
            if number < skip:
                continue
            chunk = self._columns.chunk(batch, self.name)
            self.count_bad(chunk, lambda bad: f"{self.name} row {bad.line + 1:,}")
            self.n_dropped += chunk.n_dropped
            yield chunk

    def use_columns(self, columns: FieldFeatures) -> None:
        """Set the property `columns`, the treatment of each column."""
        self._columns = columns

    def tables(self, order: Sequence[int] | None = None) -> Iterator[Any]:
        """Return an iterator over the columns, batch after batch, in the given order."""
        return self._in_order(order)

    def _in_order(self, order: Sequence[int] | None) -> Iterator[Any]:
        if self._batches is not None:
            held = self._batches
            return (held[part] for part in (range(len(held)) if order is None else order))
        if self._stream is None:
            raise BadInput(
                f"{self.name} can be read only once; for several passes give a table, or a cache"
            )
        stream, self._stream = self._stream, None
        return stream
