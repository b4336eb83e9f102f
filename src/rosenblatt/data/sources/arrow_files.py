"""Arrow record batches of bounded size, from Parquet files, Arrow files and streams, and tables in memory.

Files with random access have parts (`n_parts`, `part(k)`); each part can be read separately, and by several
threads in parallel. Streams, compressed files and standard input have only `batches()`.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, cast

import pyarrow as pa

from rosenblatt.data.sources.files import STANDARD_INPUT, open_file, reading_errors
from rosenblatt.data.sources.nested_columns import expand_batch, sources_of
from rosenblatt.data.sources.remote import Ranges, RemoteFile, RemoteStat
from rosenblatt.data.sources.unchanged import status
from rosenblatt.errors import BadInput

PART_BYTES = 1 << 22
"""Approximate bytes of parts and batches; a batch is never much larger."""

READ_AT_ONCE = 1 << 20  # bytes of a column per read; otherwise a whole column chunk is in memory

IPC_MAGIC, PARQUET_MAGIC = b"ARROW1", b"PAR1"
PADDING = 2  # bytes between the magic of an IPC file and the stream in it
LARGEST_FOOTER = 1 << 16


class ParquetFile:
    """Read a Parquet file: small row groups together, large row groups batch by batch.

    >>> ParquetFile("no/such/file.parquet")
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: no/such/file.parquet: there is no such file; check its name
    """

    def __init__(self, path: str) -> None:
        from pyarrow import parquet

        if path in STANDARD_INPUT:
            raise BadInput(
                "standard input: a Parquet file cannot be read from a pipe, because its index is at its "
                "end; give a file, or an Arrow stream"
            )
        self.path = path
        with reading_errors(path):
            stat = status(path)
        self._ranges = Ranges(path, stat) if isinstance(stat, RemoteStat) else None
        with (
            reading_errors(path),
            open(path, "rb") if self._ranges is None else RemoteFile(path, self._ranges) as file,
        ):
            magic = file.read(len(PARQUET_MAGIC))
        if magic != PARQUET_MAGIC:
            raise BadInput(
                f"{path}: is not a Parquet file (it begins with {magic!r}); give its format, or "
                "decompress it: Parquet compresses internally"
            )
        with _arrow_errors(path), self._open() as file, parquet.ParquetFile(file) as reader:
            self._metadata = reader.metadata
            self.schema = reader.schema_arrow
            _ = self.schema.names  # raises an error if a name is not UTF-8
        self.n_bytes = stat.st_size
        self._parts, self._rows_before = _parts_of(self._metadata)

    def _open(self) -> Any:
        """Return a file or path for random access by pyarrow; remote files are read in ranges."""
        return nullcontext(self.path) if self._ranges is None else RemoteFile(self.path, self._ranges)

    @property
    def parts_are_small(self) -> bool:
        """Return whether each part is one batch, which is false if a row group is too large."""
        return all(self._rows_at_once(part) == self._rows_in(part) for part in self._parts)

    @property
    def n_parts(self) -> int:
        return len(self._parts)

    def rows_before(self, number: int) -> int:
        """Return the number of rows before part `number`."""
        return self._rows_before[number]

    def part(self, number: int, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield the record batches of a part, with only these columns."""
        from pyarrow import parquet

        groups = self._parts[number]
        rows = self._rows_at_once(groups)
        # threads cannot share a reader, but they can share the metadata, which takes time to read
        with (
            _arrow_errors(self.path),
            self._open() as file,
            parquet.ParquetFile(
                file if self._ranges is not None else self.path,
                metadata=self._metadata,
                pre_buffer=False,
                buffer_size=READ_AT_ONCE,
            ) as reader,
        ):
            kept = sources_of(self.schema.names, columns)
            batches = reader.iter_batches(rows, groups, kept, use_threads=False)
            for batch in _as_one(batches) if rows == self._rows_in(groups) else batches:
                yield expand_batch(sound(batch), self.path)

    def _rows_in(self, groups: Sequence[int]) -> int:
        return sum(self._metadata.row_group(group).num_rows for group in groups)

    def _rows_at_once(self, groups: Sequence[int]) -> int:
        rows = self._rows_in(groups)
        size = sum(self._metadata.row_group(group).total_byte_size for group in groups)
        return _rows_at_once(rows, max(size, rows * _width(self.schema)))

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield all record batches in order."""
        for number in range(self.n_parts):
            yield from self.part(number, columns)


def _parts_of(metadata: Any) -> tuple[list[list[int]], list[int]]:
    """Return the row groups of each part, and the number of rows before each part."""
    parts: list[list[int]] = []
    before: list[int] = []
    size = rows = 0
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        if not group.num_rows:
            continue
        if not parts or size + group.total_byte_size > PART_BYTES:
            parts.append([])
            before.append(rows)
            size = 0
        parts[-1].append(number)
        size += group.total_byte_size
        rows += group.num_rows
    return parts, before


def _width(schema: Any) -> int:
    """Return the smallest possible number of bytes in a row."""
    widths = 0
    for field in schema:
        try:
            widths += field.type.bit_width
        except ValueError:  # texts and lists have no fixed length
            widths += 64
    return max(1, widths // 8)


def _rows_at_once(n_rows: int, n_bytes: int) -> int:
    return max(1, n_rows if n_bytes <= 2 * PART_BYTES else PART_BYTES * n_rows // n_bytes)


def _as_one(batches: Iterable[Any]) -> list[Any]:
    """Return the batches of several row groups as one batch."""
    some = list(batches)
    return some if len(some) < 2 else pa.Table.from_batches(some).combine_chunks().to_batches()


class ArrowFile:
    """Read an uncompressed Arrow IPC file.

    A part is one of its record batches, or a slice of a large one.
    """

    parts_are_small = True

    def __init__(self, path: str) -> None:
        self.path = path
        with reading_errors(path), open(path, "rb") as file:
            magic = file.read(len(IPC_MAGIC))
        if magic != IPC_MAGIC:
            raise BadInput(f"{path}: is not an Arrow IPC file (it begins with {magic!r}); give its format")
        self.n_bytes = os.path.getsize(path)
        self._parts: list[tuple[int, int, int]] = []  # record batch, first row, rows
        with self._reader() as reader:
            self.schema = reader.schema
            _ = self.schema.names  # raises an error if a name is not UTF-8
            for number in range(reader.num_record_batches):
                batch = reader.get_batch(number)
                self._parts += [(number, first, rows) for first, rows in _pieces(batch)]

    @property
    def n_parts(self) -> int:
        return len(self._parts)

    @contextmanager
    def _reader(self) -> Iterator[Any]:
        # not memory-mapped: truncating a mapped file would end the process
        with _arrow_errors(self.path), pa.OSFile(self.path) as file, pa.ipc.open_file(file) as reader:
            yield reader

    def rows_before(self, number: int) -> int:
        """Return the number of rows before part `number`."""
        return sum(rows for _, _, rows in self._parts[:number])

    def part(self, number: int, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield the record batches of a part, with only these columns."""
        place, first, rows = self._parts[number]
        with self._reader() as reader:
            batch = sound(reader.get_batch(place))
        yield expand_batch(_with_columns(batch, columns).slice(first, rows), self.path)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield all record batches in order."""
        for number in range(self.n_parts):
            yield from self.part(number, columns)


class ArrowStream:
    """Read an Arrow IPC stream, or a compressed IPC file, sequentially."""

    n_bytes = n_parts = None
    parts_are_small = False

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = "standard input" if path in STANDARD_INPUT else path

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """Yield all record batches in order."""
        with open_file(self.path) as unpacked:
            file = io.BufferedReader(cast(io.RawIOBase, unpacked))
            with _arrow_errors(self.name):
                is_file = file.peek(len(IPC_MAGIC)).startswith(IPC_MAGIC)
                if is_file:  # an IPC file is a stream between two magics, followed by a footer
                    file.read(len(IPC_MAGIC) + PADDING)
                with pa.ipc.open_stream(pa.PythonFile(file, "r")) as reader:
                    yield from limit_batches(
                        expand_batch(_with_columns(sound(batch), columns), self.name) for batch in reader
                    )
                if is_file and not _rest(file).endswith(IPC_MAGIC):
                    raise BadInput(f"{self.name}: the Arrow file is cut short; fetch it again")


def sound(batch: Any) -> Any:
    """Return the batch; raise an error if its names are not UTF-8 or its offsets do not match its data.

    pyarrow reads names, types and offsets from a file without checking them. So the names and columns are
    accessed here, and `validate` checks the offsets.
    """
    _ = batch.schema.names, batch.columns
    batch.validate(full=True)
    return batch


def _rest(file: Any) -> bytes:
    """Read a file to its end, and return its last bytes."""
    last = b""
    while piece := file.read(LARGEST_FOOTER):
        last = (last + piece)[-len(IPC_MAGIC) :]
    return last


def open_arrow(path: str) -> ArrowFile | ArrowStream:
    """Open an Arrow IPC file or stream.

    >>> open_arrow("-").name
    'standard input'
    """
    if path in STANDARD_INPUT:
        return ArrowStream(path)
    with reading_errors(path), open(path, "rb") as file:
        magic = file.read(len(IPC_MAGIC))
    return ArrowFile(path) if magic == IPC_MAGIC else ArrowStream(path)


def table_batches(table: Any, name: str = "table") -> Iterator[Any]:
    """Yield the record batches of a table in memory: pandas, polars, pyarrow, or any Arrow stream.

    >>> [batch.num_rows for batch in table_batches(pa.table({"a": [1, 2, 3]}))]
    [3]
    """
    with _arrow_errors(name, "cannot be read as a table"):
        yield from limit_batches(expand_batch(batch, name) for batch in _batches(table, name))


def _batches(table: Any, name: str) -> Iterable[Any]:
    if isinstance(table, pa.RecordBatch):
        return [table]
    if isinstance(table, pa.Table):
        return table.to_batches()
    if isinstance(table, pa.RecordBatchReader):
        return table
    if type(table).__module__.split(".", 1)[0] == "pandas" and hasattr(table, "columns"):
        return pa.Table.from_pandas(table, preserve_index=False).to_batches()
    if hasattr(table, "collect") and not hasattr(table, "__arrow_c_stream__"):
        raise BadInput(f"{name}: a {type(table).__name__} has no rows yet; collect() it first")
    if not hasattr(table, "__arrow_c_stream__"):
        raise BadInput(
            f"{name}: expected a table of pandas, polars or pyarrow, or an Arrow stream, "
            f"got {type(table).__name__}"
        )
    return pa.RecordBatchReader.from_stream(table)


def limit_batches(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the nonempty batches; split batches that are too large to be converted to numbers.

    >>> large = pa.record_batch({"a": range(2_000_000)})
    >>> [batch.num_rows for batch in limit_batches([large])]
    [524288, 524288, 524288, 427136]
    """
    for batch in batches:
        for first, rows in _pieces(batch):
            yield batch.slice(first, rows)


def _pieces(batch: Any) -> list[tuple[int, int]]:
    """Return (first row, number of rows) for the slices into which a batch must be split."""
    n, rows = batch.num_rows, _rows_at_once(batch.num_rows, batch.nbytes)
    return [(first, min(rows, n - first)) for first in range(0, n, rows)]


def _with_columns(batch: Any, columns: Sequence[str] | None) -> Any:
    return batch if columns is None else batch.select(sources_of(batch.schema.names, columns))


@contextmanager
def _arrow_errors(name: str, problem: str = "is damaged or cut short") -> Iterator[None]:
    """Convert pyarrow errors to messages that name the file."""
    try:
        yield
    except BadInput:
        raise
    except KeyError as error:  # raised by pyarrow for an unknown type number
        raise BadInput(
            f"{name}: {problem} (a column of an unknown type); write or fetch it again"
        ) from error
    except (pa.ArrowException, OSError, EOFError, UnicodeDecodeError) as error:
        if isinstance(error, OSError) and error.errno is not None and not os.path.isfile(name):
            raise BadInput(f"{name}: cannot be read ({error.strerror}); check the file") from error
        reason = str(error).split("\n", 1)[0].rstrip(".") or type(error).__name__
        raise BadInput(f"{name}: {problem} ({reason}); write or fetch it again") from error
