"""Tasks of workers: functions without side effects, since Dask may repeat a task on another worker."""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.cluster.chunk_leases import lease
from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.data.sources.feature_names import NameRecorder, Names
from rosenblatt.data.sources.iterables import as_chunk
from rosenblatt.data.sources.recorded_names import attach_recorder
from rosenblatt.data.sources.source import Wrapped
from rosenblatt.errors import BadInput
from rosenblatt.loops.column_targets import LabelTable
from rosenblatt.numeric.row_batches import Dense, Rows, Sparse
from rosenblatt.training.many_batch import ManyBatch
from rosenblatt.training.settings import StreamSettings
from rosenblatt.training.streams.progressive import Progressive
from rosenblatt.training.streams.shuffling import Group, buffered_bytes, labels_of, shuffled_group
from rosenblatt.training.streams.stream_run import Position, StreamRun
from rosenblatt.version import __version__

_GATES: dict[str, threading.Semaphore] = {}

# ---------------------------------------------------------------- parts in a worker's memory


class Loaded(NamedTuple):
    """Rows of some parts in chunks, with the number of malformed lines and of dropped rows."""

    chunks: list[Chunk]
    n_bad: int = 0
    n_dropped: int = 0


class LoadedSource(NamedTuple):
    """Loaded rows with the interface of a source."""

    name: str
    loaded: Loaded = Loaded([])

    def chunks(self) -> Iterator[Chunk]:
        return iter(self.loaded.chunks)


def load_ahead(
    source: Any, sizes: list[int | None], blocks: Sequence[int] | int, allowed: int | None
) -> Loaded:
    """Do the same as `load_blocks` without blocking learning tasks of the same worker.

    This task's slot is free for learning tasks; parallel reads are limited to the worker's threads.
    """
    from distributed import get_worker, secede

    gate = _GATES.setdefault(get_worker().address, threading.Semaphore(threads_here()))
    secede()
    with gate:
        return load_blocks(source, sizes, blocks, allowed)


def load_blocks(
    source: Any,
    sizes: list[int | None],
    blocks: Sequence[int] | int,
    allowed: int | None,
    recorder: NameRecorder | None = None,
) -> Loaded:
    """Return the rows of the given blocks of files, or of the file with the number `blocks`.

    `sizes` contains the file sizes on the client; `allowed` is the number of malformed lines to skip.
    `recorder` records the names of features that are hashed.
    """
    for entry, other in zip(source.fingerprint(), sizes, strict=True):
        own = size_in(entry)
        if own != other:
            raise BadInput(
                f"{entry[0]}: has {own:,} bytes on {here()}, and {other:,} where the run started; give "
                "all workers the same files"
            )
    in_order: Sequence[int] | None = None
    if isinstance(blocks, int):
        source = source.of_file(blocks)
    else:
        in_order = blocks
    source, innermost = _own_copy(source if recorder is None else copy.deepcopy(source))
    innermost.skip_bad = allowed
    innermost._n_threads = 1  # other tasks on this machine parse at the same time
    if recorder is not None:
        attach_recorder(innermost, recorder)
    chunks = [lease(chunk) for chunk in source.chunks(in_order)]
    return Loaded(chunks, source.n_bad, getattr(source, "n_dropped", 0))


def _own_copy(source: Any) -> tuple[Any, Any]:
    """Return copies of a source and of its innermost source, with their own counts of malformed lines.

    Several tasks of a worker share the original source.
    """
    twin = copy.copy(source)
    if not isinstance(source, Wrapped):
        return twin, twin
    twin._source, innermost = _own_copy(source._source)
    return twin, innermost


def size_in(entry: Any) -> int | None:
    """Return the file size in an entry of a fingerprint, or None if it contains none."""
    return entry[1] if isinstance(entry, list) and len(entry) > 1 else None


def loaded_of(load: Any, recorder: NameRecorder | None = None) -> Loaded:
    """Return the rows of a load: rows already loaded, partitions in memory, or files still to be read.

    `recorder` records the names of features of files.
    """
    if isinstance(load, Loaded):
        return load
    if isinstance(load, dict):
        source, sizes, blocks, allowed = load["read"]
        return load_blocks(source, sizes, blocks, allowed, recorder)
    return Loaded([chunk for X, y, weight, name in load for chunk in load_pair(X, y, weight, name).chunks])


def load_pair(X: Any, y: Any, weight: Any, name: str) -> Loaded:
    """Return the rows of one partition of a Dask array or dataframe."""
    try:
        if y is not None and np.ndim(y) == 2 and np.shape(y)[1] > 1:
            return Loaded([_chunk_of_labels(X, y, weight)])
        flat = np.ravel(np.asarray(y)) if y is not None else np.zeros(np.shape(X)[0])
        chunk = as_chunk((X, flat, weight) if weight is not None else (X, flat))
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from None
    return Loaded([chunk if y is not None else replace(chunk, y=None)])


def _chunk_of_labels(X: Any, y: Any, weight: Any) -> Chunk:
    """Return rows and a table of labels as a chunk."""
    table = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
    if not np.isin(table, (0, 1)).all():
        raise BadInput("y: a table of labels has 1 where a row has a label, and 0 where not")
    numbered = as_chunk((X, np.zeros(len(table)), *([] if weight is None else [weight])))
    return replace(numbered, y=table.astype(np.uint8))


def sizes_of(load: Any) -> list[int]:
    """Return the bytes of each chunk, as `shuffling` counts them to fill its buffers."""
    return [buffered_bytes(chunk) for chunk in loaded_of(load).chunks]


def labels_in(load: Any, name: str) -> tuple[int, list[Any], bool]:
    """Return (number of rows, distinct labels, False); the third value states that y is no table of labels.

    For a table of labels, return the number of rows, a list with the number of columns, and True.
    """
    rows: int = 0
    labels: set[Any] = set()
    for chunk in loaded_of(load).chunks:
        if not len(chunk):
            continue
        y = labels_of(chunk, name)
        rows += len(y)
        if y.ndim == 2:
            return rows, [y.shape[1]], True
        labels |= set(np.unique(y).tolist())
    return rows, list(labels), False


def labels_alone(y: Any, name: str) -> tuple[int, list[Any], bool]:
    """Return the result of `labels_in` for the labels of a partition, without loading its rows."""
    if np.ndim(y) == 2 and np.shape(y)[1] > 1:
        return np.shape(y)[0], [np.shape(y)[1]], True
    flat = np.ravel(np.asarray(y))
    return labels_in(Loaded([Chunk(Dense(np.empty((len(flat), 0))), flat)]), name)


class FoundFeatures(NamedTuple):
    """The features of sparse rows in order of first appearance, the number of rows with each, their names.

    `width` is the number of possible features, 0 if there are no sparse rows.
    """

    width: int
    features: NDArray[np.uint32]
    rows: NDArray[np.uint32]
    names: Sequence[Names] = ()

    @staticmethod
    def joined(parts: Sequence[FoundFeatures]) -> FoundFeatures:
        """Return the features of several parts of the rows."""
        nothing = np.empty(0, np.uint32)
        features = np.concatenate([nothing, *(each.features for each in parts)])
        distinct, first, places = np.unique(features, return_index=True, return_inverse=True)
        rows = np.zeros(len(distinct), np.uint32)
        np.add.at(rows, places, np.concatenate([nothing, *(each.rows for each in parts)]))
        order = np.argsort(first)
        width = max((each.width for each in parts), default=0)
        names = [names for each in parts for names in each.names]
        return FoundFeatures(width, distinct[order].astype(np.uint32), rows[order], names)


def features_in(load: Any, with_names: bool) -> FoundFeatures:
    """Return the features of a load; their names only if they are wanted."""
    recorder = NameRecorder() if with_names else None
    found = []
    for chunk in loaded_of(load, recorder).chunks:
        if isinstance(chunk.rows, Sparse):
            features = chunk.rows.indices[: int(chunk.rows.starts[-1])]
            part = FoundFeatures(chunk.rows.n_features, features, np.ones(len(features), np.uint32))
            found.append(FoundFeatures.joined([part]))
    together = FoundFeatures.joined(found)
    return together if recorder is None else together._replace(names=[recorder.names()])


# ---------------------------------------------------------------- training


@dataclass(frozen=True)
class Labels:
    """Describe a table of labels, with one column per label, as `Teaching` describes classes."""

    classes: NDArray[Any]
    has_classes = False

    @property
    def n_columns(self) -> int | None:
        return len(self.classes)

    def batch(self, rows: Rows, y: NDArray[Any], importance: NDArray[np.float64]) -> ManyBatch:
        if y.ndim != 2 or y.shape[1] != len(self.classes):
            raise BadInput(f"y: labels of shape {y.shape}, expected {len(self.classes)} columns as before")
        return ManyBatch(rows, LabelTable(np.ascontiguousarray(y)), importance)


@dataclass
class Baton:
    """The state of a run and its settings, passed from worker to worker."""

    settings: StreamSettings
    teaching: Any
    state: Any
    progressive: Progressive
    passes: int  # completed passes
    examples: int  # examples seen when the current pass began
    name: str
    n_bad: int = 0  # malformed lines skipped in the current pass
    n_dropped: int = 0
    allowed: int | None = 0  # malformed lines that may be skipped; None: a few of each block
    version: str = __version__

    def run(self) -> StreamRun:
        """Return a run that continues from this state, without a source."""
        refuse_another_version(self.version)
        source: Any = LoadedSource(self.name)  # a run on a worker is given its rows by `learn`
        run = StreamRun(source, self.settings, n_jobs=threads_here())
        run.teaching = self.teaching
        run.state = None if self.state is None else self.state.copy()
        run.progressive = copy.deepcopy(self.progressive)
        run.history = [None] * self.passes  # type: ignore[list-item]
        run.position = Position(examples=self.examples)
        return run


class Hop(NamedTuple):
    """Describe the rows on which one task trains before the baton moves on."""

    chunks: tuple[slice, ...] = (slice(None),)  # the chunks used from each load
    shuffle: tuple[int, int, int] | None = None  # seed, pass and first part; None for no shuffling
    counts: tuple[bool, ...] = (True,)  # whether to count each load's malformed lines here


def learn(baton: Baton, hop: Hop, *given: Any) -> Baton:
    """Return the baton after training on the rows of these loads."""
    loads = [loaded_of(load) for load in given]
    counted = [load for load, counts in zip(loads, hop.counts, strict=True) if counts]
    n_bad = baton.n_bad + sum(load.n_bad for load in counted)
    refuse_bad_lines(n_bad, baton.allowed, baton.name)
    run = baton.run()
    gathered = [chunk for load, some in zip(loads, hop.chunks, strict=True) for chunk in load.chunks[some]]
    for group in groups_of(gathered, hop, baton.name):
        if len(group.y):
            run.learn(group)
    return replace(
        baton,
        state=run.state,
        progressive=run.progressive,
        settings=run.settings,
        n_bad=n_bad,
        n_dropped=baton.n_dropped + sum(load.n_dropped for load in counted),
    )


def refuse_bad_lines(n_bad: int, allowed: int | None, name: str) -> None:
    """Raise an error if there are more malformed lines than allowed; None: each block was checked."""
    if allowed is not None and n_bad > allowed:
        raise BadInput(
            f"{name}: {n_bad:,} malformed lines, but only {allowed:,} may be skipped; correct them, or "
            "allow more (skip_bad)"
        )


def groups_of(gathered: list[Chunk], hop: Hop, name: str) -> list[Group]:
    """Return chunks as the groups that a stream run would process."""
    if hop.shuffle is not None:
        return [shuffled_group(gathered, name, *hop.shuffle)]
    return [
        Group(as_read(chunk.rows), labels_of(chunk, name), _own(chunk.importance), "given", 1, 0, None)
        for chunk in gathered
    ]


def as_read(rows: Rows) -> Rows:
    """Make the arrays of rows read-only, and return the rows."""
    for array in (rows.values,) if isinstance(rows, Dense) else (rows.values, rows.indices, rows.starts):
        array.flags.writeable = False
    return rows


def _own(array: NDArray[Any]) -> NDArray[Any]:
    """Return a writable array, because loops are compiled for writable arrays."""
    return array if array.flags.writeable else array.copy()


# ---------------------------------------------------------------- information about this worker


def here() -> str:
    """Return a name for the worker that runs this task, or "this machine"."""
    from distributed import get_worker

    try:
        return f"the worker {get_worker().address}"
    except ValueError:
        return "this machine"


def threads_here() -> int:
    """Return the number of threads of the worker that runs this task."""
    from distributed import get_worker

    try:
        return max(1, int(get_worker().state.nthreads))
    except ValueError:
        return 1


def refuse_another_version(version: str) -> None:
    """Raise an error if the run was started with another version of the package."""
    if version != __version__:
        raise BadInput(
            f"{here()} has rosenblatt {__version__}, and the run was started with {version}; install the "
            "same version on all machines"
        )
