"""Cached sources: parsed rows are stored in an Arrow IPC file, which later passes map into memory.

The file has one record batch for each part of the source, and an empty batch at the end, whose metadata
identifies the source and holds the names of its features, if they were recorded. It is written under a
temporary name and renamed when it is complete. It is used only while the source is unchanged, according to
a digest of its size, modification times, inode, a sample of its contents, and the reading options. A source
modified within the last seconds, or an iterable, cannot be identified; its cache serves only the current
run.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources import text_blocks
from rosenblatt.data.sources.archives import on_disk
from rosenblatt.data.sources.chunk import ALL_ONE, Chunk, sparse_rows
from rosenblatt.data.sources.feature_names import ALL, NameRecorder, Names, Vocabulary
from rosenblatt.data.sources.parsing.joined_columns import rise
from rosenblatt.data.sources.remote import is_remote
from rosenblatt.data.sources.source import Source, Wrapped
from rosenblatt.data.whole_files import replacing
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import Dense, Rows, Sparse, n_features

FORMAT = 1
MARK = b"rosenblatt cache"
"""Marks a cache file, in the metadata of its schema."""
NAMES: dict[str, Any] = {"letters": np.uint8, "lengths": np.uint8, "hashes": np.uint32}
"""The arrays with the names of features, in the metadata of the last batch."""
AT_ONCE = 1 << 26  # bytes of the cache mapped at a time, since mapped pages count as used memory
SAMPLES, SAMPLE = 64, 4096
AT_REST = 2.0  # seconds since the last change of a source before its cache is used again


class Cached(Wrapped):
    """Provide the chunks of `source`, from the cache file at `path` once it exists."""

    def __init__(self, source: Source, path: str) -> None:
        super().__init__(source)
        self._path = path
        about = _about(path)
        is_fresh = about is not None and about["digest"] is not None and about["digest"] == digest(source)
        allowed = getattr(source, "skip_bad", 0)
        is_fresh = is_fresh and (allowed is None or about["n_bad"] <= allowed)  # type: ignore[index]
        self._about = about if is_fresh else None
        self._recorder: NameRecorder | None = None

    @property
    def is_warm(self) -> bool:
        """Return whether the rows come from the cache."""
        return self._about is not None

    @property
    def n_bad(self) -> int:
        return int(self._about["n_bad"]) if self._about else self._source.n_bad

    @n_bad.setter
    def n_bad(self, known: int) -> None:
        self._source.n_bad = known

    def store_names(self, recorder: NameRecorder) -> None:
        """Add the names in the cache to a recorder; a cache without names is written again, with them."""
        self._recorder = recorder
        known = None if self._about is None else _names(self._path)
        if known is None:
            self._about = None
        else:
            recorder.extend(known)

    def chunks(self, order: Sequence[int] | None = None, skip: int = 0) -> Iterator[Chunk]:
        """Yield the chunks in the given order, leaving out the first `skip`."""
        if self._about is not None:
            yield from _read(self._path, self._about["parts"], order, skip)
        elif skip:  # the remaining part of a pass cannot fill a cache
            yield from self._source.chunks(order, skip)
        else:
            yield from self._write(order)

    def _write(self, order: Sequence[int] | None) -> Iterator[Chunk]:
        """Yield the chunks of the source while storing them in the cache."""
        import pyarrow as pa

        seal = digest(self._source)
        parts: list[int] = []
        chunks = self._source.chunks(order)
        first = next(chunks, None)
        if first is None:
            return
        n_bytes, schema = 0, as_record_batch(first).schema.with_metadata({MARK: str(FORMAT)})
        with _writing_errors(self._path), replacing(self._path) as fresh, open(fresh, "wb") as file:
            writer = pa.ipc.new_file(file, schema)
            for number, chunk in enumerate(chain([first], chunks)):
                batch = as_record_batch(chunk)
                if not batch.schema.equals(schema):
                    raise BadInput(
                        f"{self.name}: later rows have other columns or types; they cannot be cached"
                    )
                batch = batch.replace_schema_metadata(schema.metadata)
                writer.write_batch(batch, custom_metadata=_facts(chunk))
                parts.append(number if order is None else order[number])
                n_bytes += chunk.n_bytes
                yield chunk
            about = {
                "format": FORMAT, "digest": seal, "parts": parts, "n_bytes": n_bytes,
                "n_bad": self._source.n_bad, "made": time.time(),
            }  # fmt: skip
            metadata: dict[str, Any] = {"rosenblatt": json.dumps(about)}
            if self._recorder is not None:
                names = Vocabulary.of(self._recorder.names(), np.empty(0, np.uint32), ALL)
                metadata |= {name: getattr(names, name).tobytes() for name in NAMES}
            writer.write_batch(pa.RecordBatch.from_pylist([], schema=schema), custom_metadata=metadata)
            writer.close()
        self._about = about  # this process knows that the source did not change


@contextlib.contextmanager
def _writing_errors(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OSError(
            error.errno, f"the cache cannot be written ({error.strerror or error})", path
        ) from error


def digest(source: Source) -> str | None:
    """Return a digest that changes with the contents of the source; None if it cannot be identified."""
    entries = source.fingerprint()
    if not entries or any(not isinstance(entry, list) or len(entry) < 2 for entry in entries):
        return None
    found = hashlib.blake2b(digest_size=16)
    found.update(json.dumps([FORMAT, text_blocks.BLOCK, source.settings()], sort_keys=True).encode())
    for path, size, mark, *more in entries:
        if is_remote(path):
            if not mark:  # the server reports no value that changes with the file
                return None
            found.update(json.dumps([path, size, mark, *more]).encode())
            continue
        stat = os.stat(on_disk(path))
        if time.time() - max(stat.st_mtime, stat.st_ctime) < AT_REST:
            return None
        facts = [path, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino, stat.st_dev, *more]
        found.update(json.dumps(facts).encode())
        with open(on_disk(path), "rb") as file:
            for place in np.linspace(0, max(0, stat.st_size - SAMPLE), SAMPLES).astype(int):
                file.seek(int(place))
                found.update(file.read(SAMPLE))
    return found.hexdigest()


def _names(path: str) -> Names | None:
    """Return the names of features in a cache file, or None if it was written without names."""
    import pyarrow as pa

    with pa.memory_map(path) as mapped, pa.ipc.open_file(mapped) as reader:
        _, metadata = reader.get_batch_with_custom_metadata(reader.num_record_batches - 1)
    if any(name.encode() not in metadata for name in NAMES):
        return None
    letters, lengths, hashes = (np.frombuffer(metadata[name.encode()], NAMES[name]) for name in NAMES)
    try:
        return Vocabulary(letters, lengths, hashes, np.empty(0, np.uint8)).names
    except (BadInput, ValueError) as error:
        raise BadInput(f"{path}: the cache is damaged ({error}); remove it to create it again") from error


def _about(path: str) -> dict[str, Any] | None:
    """Return the metadata of a cache file, or None if it does not exist or is invalid."""
    import pyarrow as pa

    if not os.path.exists(path):
        return None
    if os.path.isdir(path):
        raise BadInput(f"{path}: is a folder; give the cache the name of a file")
    try:
        with pa.memory_map(path) as mapped, pa.ipc.open_file(mapped) as reader:
            _, metadata = reader.get_batch_with_custom_metadata(reader.num_record_batches - 1)
            about = json.loads(metadata[b"rosenblatt"])
            n_parts = reader.num_record_batches - 1
            sound = about["format"] == FORMAT and sorted(about["parts"]) == list(range(n_parts))
            sound = sound and isinstance(about["digest"], str | None) and type(about["n_bad"]) is int
            return about if sound else None
    except (pa.ArrowInvalid, OSError, ValueError, KeyError, TypeError, OverflowError):
        with open(path, "rb") as file:
            if MARK in file.read(1 << 16):
                return None  # incomplete, or written by an earlier version: write it again
        raise BadInput(
            f"{path}: exists and is not a cache, so it is not overwritten. Give the cache another name"
        ) from None


def _read(path: str, parts: list[int], order: Sequence[int] | None, skip: int) -> Iterator[Chunk]:
    """Yield parts of the cache; some megabytes of it are mapped into memory at a time."""
    import pyarrow as pa

    place = {part: batch for batch, part in enumerate(parts)}
    wanted = [place[part] for part in (range(len(parts)) if order is None else order)][skip:]
    mapped, reader, used = None, None, AT_ONCE
    for number in wanted:
        if used >= AT_ONCE:
            mapped = pa.memory_map(path)
            reader, used = pa.ipc.open_file(mapped), 0
        assert reader is not None
        try:
            batch, metadata = reader.get_batch_with_custom_metadata(number)
            batch.validate(full=True)
            chunk = from_record_batch(batch, int(metadata[b"n_features"]), int(metadata[b"n_bytes"]))
            _refuse_broken(chunk.rows)
        except (pa.ArrowException, OSError, ValueError, KeyError, TypeError, OverflowError) as error:
            raise BadInput(
                f"{path}: the cache is damaged ({error}); remove it to create it again"
            ) from error
        used += batch.nbytes
        yield chunk


def _refuse_broken(rows: Rows) -> None:
    """Raise an error if indices of sparse rows are out of range; compiled loops do not check them."""
    if isinstance(rows, Dense):
        return
    starts, n_entries = rows.starts, min(len(rows.indices), len(rows.values))
    sound = not rows.starts.size or (
        bool((starts[1:] >= starts[:-1]).all()) and int(starts[0]) == 0 and int(starts[-1]) <= n_entries
    )
    used = rows.indices[: int(starts[-1])] if sound and starts.size else rows.indices[:0]
    if not sound or (used.size and int(used.max()) >= rows.n_features) or not rise(used, starts):
        raise ValueError("the rows are not valid")


def _facts(chunk: Chunk) -> dict[str, str]:
    """Return the facts about a chunk that its record batch does not contain as columns."""
    return {"n_bytes": str(chunk.n_bytes), "n_features": str(n_features(chunk.rows))}


# ---------------------------------------------------------------- chunks as record batches


def as_record_batch(chunk: Chunk) -> Any:
    """Return a chunk as a record batch: y, the weights (if any), and either indices and values or x."""
    import pyarrow as pa

    columns: dict[str, Any] = {}
    if chunk.y is not None:
        columns["y"] = pa.array(chunk.y.astype(np.float64) if chunk.y.dtype.kind in "iub" else chunk.y)
    weighted = (
        chunk.importance.size > 0
    )  # if a cache has weights, a part without weights has an empty column
    columns["weight"] = pa.array(chunk.importance) if weighted else pa.nulls(len(chunk), pa.float64())
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
    """Return the chunk stored in a record batch, without copying it."""
    names = batch.schema.names
    y = _numpy(batch.column("y")) if "y" in names else None
    weight = batch.column("weight")
    importance = ALL_ONE if weight.null_count else _numpy(weight)
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
