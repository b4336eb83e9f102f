"""Cached: a source whose parsed rows are kept in an Arrow IPC file, which later passes map into memory.

The file has a record batch for each part of the source, and one without rows at its end whose metadata
says what it is a cache of. It is written beside its name and renamed when it is complete. It is used only
while the source is the same: its size, times of change, place on the disk and a sample of its contents, and
the way it is read, are in the digest. A source that was written to within the last seconds is not trusted
to be at rest, and nobody can tell whether an iterable is the same: such a cache serves one run only.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.examples import Dense, Sparse, n_features
from rosenblatt.sources import blocks
from rosenblatt.sources.chunk import ALL_ONE, Chunk, sparse_rows

if TYPE_CHECKING:
    from rosenblatt.sources.source import Source

FORMAT = 1
AT_ONCE = 1 << 26  # bytes of the cache that are mapped at a time: mapped pages count as memory
SAMPLES, SAMPLE = 64, 4096
AT_REST = 2.0  # seconds


class Cached:
    """The chunks of `source`, from the file at `path` once it is there."""

    def __init__(self, source: Source, path: str) -> None:
        self._source, self._path = source, path
        self.name = source.name
        about = _about(path)
        is_fresh = about is not None and about["digest"] is not None and about["digest"] == digest(source)
        self._about = about if is_fresh else None

    @property
    def is_warm(self) -> bool:
        """Whether the rows come from the cache."""
        return self._about is not None

    @property
    def n_bytes(self) -> int | None:
        return self._about["n_bytes"] if self._about else self._source.n_bytes

    @property
    def n_parts(self) -> int | None:
        return len(self._about["parts"]) if self._about else self._source.n_parts

    @property
    def n_bad(self) -> int:
        return int(self._about["n_bad"]) if self._about else self._source.n_bad

    def settings(self) -> dict[str, Any]:
        return self._source.settings()

    def fingerprint(self) -> list[Any]:
        return self._source.fingerprint()

    def __iter__(self) -> Iterator[Chunk]:
        return self.chunks()

    def chunks(self, order: Sequence[int] | None = None, skip: int = 0) -> Iterator[Chunk]:
        """The chunks in the order given, without the first `skip` of them."""
        if self._about is not None:
            yield from _read(self._path, self._about["parts"], order, skip)
        elif skip:  # the rest of a pass is no cache
            yield from self._source.chunks(order, skip)
        else:
            yield from self._write(order)

    def _write(self, order: Sequence[int] | None) -> Iterator[Chunk]:
        """Passes the chunks on, and keeps them."""
        import pyarrow as pa

        beside = f"{self._path}.{os.getpid()}.part"
        seal = digest(self._source)
        parts, n_bytes, writer, schema = [], 0, None, None
        with _removed_unless_renamed(beside), open(beside, "wb") as file:
            for number, chunk in enumerate(self._source.chunks(order)):
                batch = as_record_batch(chunk)
                if writer is None:
                    schema = batch.schema
                    writer = pa.ipc.new_file(file, schema)
                elif batch.schema != schema:
                    batch = _alike(batch, schema, self.name)
                writer.write_batch(batch, custom_metadata=_facts(chunk))
                parts.append(number if order is None else order[number])
                n_bytes += chunk.n_bytes
                yield chunk
            if writer is None:
                return
            about = {
                "format": FORMAT, "digest": seal, "parts": parts, "n_bytes": n_bytes,
                "n_bad": self._source.n_bad, "made": time.time(),
            }  # fmt: skip
            writer.write_batch(
                pa.RecordBatch.from_pylist([], schema=schema),
                custom_metadata={"rosenblatt": json.dumps(about)},
            )
            writer.close()
            file.flush()
            os.fsync(file.fileno())
            os.replace(beside, self._path)
        self._about = about  # for this process, which has seen that the source was at rest


@contextlib.contextmanager
def _removed_unless_renamed(path: str) -> Iterator[None]:
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.remove(path)


def digest(source: Source) -> str | None:
    """What tells the source from any other, and from what it was before; None where nothing can."""
    entries = source.fingerprint()
    if not entries or any(not isinstance(entry, list) or len(entry) < 2 for entry in entries):
        return None
    found = hashlib.blake2b(digest_size=16)
    found.update(json.dumps([FORMAT, blocks.BLOCK, source.settings()], sort_keys=True).encode())
    for path, *_ in entries:
        stat = os.stat(path)
        if time.time() - max(stat.st_mtime, stat.st_ctime) < AT_REST:
            return None
        facts = [path, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino, stat.st_dev]
        found.update(json.dumps(facts).encode())
        with open(path, "rb") as file:
            for place in np.linspace(0, max(0, stat.st_size - SAMPLE), SAMPLES).astype(int):
                file.seek(int(place))
                found.update(file.read(SAMPLE))
    return found.hexdigest()


def _about(path: str) -> dict[str, Any] | None:
    """What a cache says of itself; None where there is none, or it cannot be read."""
    import pyarrow as pa

    if not os.path.exists(path):
        return None
    if os.path.isdir(path):
        raise BadInput(f"{path}: is a folder; give the cache the name of a file")
    try:
        with pa.memory_map(path) as mapped, pa.ipc.open_file(mapped) as reader:
            _, metadata = reader.get_batch_with_custom_metadata(reader.num_record_batches - 1)
            about = json.loads(metadata[b"rosenblatt"])
            sound = about["format"] == FORMAT and len(about["parts"]) == reader.num_record_batches - 1
            return about if sound else None
    except (pa.ArrowInvalid, OSError, ValueError, KeyError, TypeError, OverflowError):
        with open(path, "rb") as file:
            if file.read(6) == b"ARROW1":
                return None  # cut short, or of another format: it is made anew
        raise BadInput(
            f"{path}: exists and is no cache; it is not overwritten. Give the cache another name"
        ) from None


def _read(path: str, parts: list[int], order: Sequence[int] | None, skip: int) -> Iterator[Chunk]:
    """Parts of the cache, mapped some megabytes at a time."""
    import pyarrow as pa

    place = {part: batch for batch, part in enumerate(parts)}
    wanted = [place[part] for part in (range(len(parts)) if order is None else order)][skip:]
    mapped, reader, used = None, None, AT_ONCE
    for number in wanted:
        if used >= AT_ONCE:
            mapped = pa.memory_map(path)
            reader, used = pa.ipc.open_file(mapped), 0
        assert reader is not None
        batch, metadata = reader.get_batch_with_custom_metadata(number)
        used += batch.nbytes
        yield from_record_batch(batch, int(metadata[b"n_features"]), int(metadata[b"n_bytes"]))


def _facts(chunk: Chunk) -> dict[str, str]:
    """What the columns of a record batch do not say."""
    return {"n_bytes": str(chunk.n_bytes), "n_features": str(n_features(chunk.rows))}


# ---------------------------------------------------------------- chunks as record batches


def as_record_batch(chunk: Chunk) -> Any:
    """A chunk in columns: y, weight where there is one, and indices and values, or x."""
    import pyarrow as pa

    columns: dict[str, Any] = {}
    if chunk.y is not None:
        columns["y"] = pa.array(chunk.y)
    if chunk.importance.size:
        columns["weight"] = pa.array(chunk.importance)
    rows = chunk.rows
    if isinstance(rows, Dense):
        flat = pa.array(rows.values.reshape(-1))
        columns["x"] = pa.FixedSizeListArray.from_arrays(flat, rows.values.shape[1])
    else:
        offsets = pa.array(rows.starts.astype(np.int32))
        used = slice(0, int(rows.starts[-1]))
        columns["indices"] = pa.ListArray.from_arrays(offsets, pa.array(rows.indices[used]))
        columns["values"] = pa.ListArray.from_arrays(offsets, pa.array(rows.values[used]))
    return pa.record_batch(columns)


def from_record_batch(batch: Any, width: int, n_bytes: int = 0) -> Chunk:
    """The chunk that a record batch holds, in the same memory."""
    names = batch.schema.names
    y = _numpy(batch.column("y")) if "y" in names else None
    importance = _numpy(batch.column("weight")) if "weight" in names else ALL_ONE
    rows: Dense | Sparse
    if "x" in names:
        x = batch.column("x")
        values = _numpy(x.flatten()).reshape(len(x), x.type.list_size)
        values.flags.writeable = False
        rows = Dense(values)
    else:
        indices, values = batch.column("indices"), batch.column("values")
        starts = _numpy(indices.offsets).view(np.uint32)
        rows = sparse_rows(_numpy(values.values), _numpy(indices.values), starts, width)
    return Chunk(rows, y, importance, n_bytes)


def _numpy(column: Any) -> NDArray[Any]:
    array = column.to_numpy(zero_copy_only=False)
    return array.astype(str) if array.dtype.kind == "O" else array


def _alike(batch: Any, schema: Any, name: str) -> Any:
    """The batch in the columns of the first one: weights and kinds of numbers may differ."""
    import pyarrow as pa

    columns = []
    for field in schema:
        if field.name in batch.schema.names:
            columns.append(batch.column(field.name).cast(field.type))
        elif field.name == "weight":
            columns.append(pa.array(np.ones(batch.num_rows)))
        else:
            raise BadInput(f"{name}: {field.name} is missing further down; such rows cannot be cached")
    return pa.record_batch(columns, schema=schema)
