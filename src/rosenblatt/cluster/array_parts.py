"""Partitions of Dask arrays and dataframes as parts of the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.cluster import dask_client, worker_tasks
from rosenblatt.cluster.file_parts import Load, Parts, share_out
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import is_sparse

TOGETHER_BYTES = 1 << 28
"""The most bytes of partitions that one task trains on."""


class ArrayParts(Parts):
    """Treat each partition of a Dask array or dataframe as a part; partitions may be computed or lazy."""

    name = "the partitions"
    comes_once = False

    def __init__(self, X: Any, y: Any, weight: Any, client: Any) -> None:
        self._blocks = blocks_of(X, y, weight)
        self._collections, self._client = (X, y, weight), client
        self.n_parts: int | None = len(self._blocks)
        self.labels_like = _like(y)

    @cached_property
    def _futures(self) -> list[list[Any]] | None:
        """Futures of the partitions if they are in the memory of workers, otherwise None."""
        if is_dataframe(self._collections[0]):
            return None
        return _futures_of(self._blocks, self._collections, self._client)

    @cached_property
    def _places(self) -> list[tuple[str, int]] | None:
        """Worker and size in bytes of each partition, or None if the partitions are not in memory."""
        if self._futures is None:
            return None
        held, X = [X for X, _, _ in self._futures], self._collections[0]
        if _has_known_size(X):
            sizes = dict.fromkeys((future.key for future in held), int(X.nbytes) // len(held))
        else:
            sizes = self._client.nbytes([future.key for future in held], summary=False)
        who = self._client.who_has(held)
        return [(min(who.get(future.key) or ("",)), int(sizes.get(future.key, 0))) for future in held]

    @property
    def is_in_place(self) -> bool:
        """Whether the partitions are in the memory of workers."""
        return self._futures is not None

    @cached_property
    def n_bytes(self) -> int | None:
        """Size of X in bytes; None for dataframes."""
        X = self._collections[0]
        if is_dataframe(X):
            return None
        if _has_known_size(X):
            return int(X.nbytes)
        from dask import delayed

        made = self._client.compute([delayed(_size)(block) for block, _, _ in self._blocks])
        return sum(dask_client.fetch(self._client, made))

    @property
    def in_memory(self) -> int | None:
        """Number of bytes that all rows take in memory, or None if unknown."""
        return self.n_bytes

    @property
    def n_features(self) -> int:
        """Number of columns of X."""
        return int(self._collections[0].shape[1])

    def bytes_until(self, parts: int) -> int:
        """Return 0, since no file is read."""
        return 0

    def labels(self, client: Any, patience: float) -> list[tuple[int, list[Any], bool]]:
        """Return the result of `labels_in` for each partition, without loading its rows."""
        from dask import delayed

        tasks = [delayed(worker_tasks.labels_alone)(y, self.name) for _, y, _ in self._blocks]
        return dask_client.fetch(client, client.compute(tasks), patience)

    def settings(self) -> dict[str, Any]:
        """Return the reading options that a model stores."""
        return {"format": "iterable"}

    def fingerprint(self) -> list[Any]:
        """Return a constant: to resume a run, the caller must pass the same collections again."""
        return ["iterable"]

    def loads(self, order: Sequence[int] | None, skip: int) -> Iterator[Load]:
        """Yield loads of consecutive partitions that are in the memory of the same worker."""
        parts = list(range(len(self._blocks)) if order is None else order)[skip:]
        if self._places is None:
            yield from (Load(1, [part]) for part in parts)
            return
        first = held = 0
        for k, part in enumerate(parts):
            place, size = self._places[part]
            if k > first and (place != self._places[parts[first]][0] or held + size > TOGETHER_BYTES):
                yield Load(k - first, parts[first:k])
                first, held = k, 0
            held += size
        if parts:
            yield Load(len(parts) - first, parts[first:])

    def group_by_worker(self, shards: list[list[Load]]) -> list[list[int]]:
        """Assign each shard to a thread of the worker with its rows; return a list of shards per thread."""
        assert self._places is not None
        workers = dask_client.worker_infos(self._client)
        groups: dict[str, list[list[int]]] = {}
        for number, shard in enumerate(shards):
            place = self._places[shard[0].what[0]][0]
            threads = int(workers[place]["nthreads"]) if place in workers else 1
            of_place = groups.setdefault(place, [[] for _ in range(threads)])
            min(of_place, key=len).append(number)
        return [group for of_place in groups.values() for group in of_place if group]

    def shards(self, n: int | None) -> list[list[Load]]:
        """Return the loads of each of n shards; by default each partition is a shard."""
        return share_out([Load(1, [part]) for part in range(len(self._blocks))], n or len(self._blocks))

    def submit(self, client: Any, loads: Sequence[Load], at: Sequence[str] = ()) -> list[Any]:
        """Return futures of the rows; partitions in workers' memory are used without a copy."""
        if self._futures is not None:
            return [[[*self._futures[k], f"partition {k}"] for k in load.what] for load in loads]
        from dask import delayed

        parts = [load.what[0] for load in loads]
        made = [delayed(worker_tasks.load_pair)(*self._blocks[k], f"partition {k}") for k in parts]
        return list(client.compute(made))


def blocks_of(X: Any, y: Any, weight: Any) -> list[tuple[Any, Any, Any]]:
    """Return the partitions of X with their labels and weights, as lazy objects."""
    if is_dataframe(X) and isinstance(y, str):
        if y not in X.columns:
            raise BadInput(f"y: the dataframe has no column {y!r}; it has {', '.join(map(str, X.columns))}")
        X, y = X.drop(columns=[y]), X[y]
    if not is_dask(X):
        raise BadInput(
            f"X: got {type(X).__name__}, expected a dask array or dataframe, or files; turn an array in "
            "memory into one with dask.array.from_array(X, chunks=(100_000, -1))"
        )
    partitions = _delayed_blocks(X, "X")
    beside = [_beside(name, other, X, len(partitions)) for name, other in (("y", y), ("weight", weight))]
    return list(zip(partitions, *beside, strict=True))


def _like(y: Any) -> NDArray[Any] | None:
    """Return an empty array with the type of the labels; None for a table of labels or mixed types."""
    kind = getattr(getattr(y, "dtype", None), "kind", "O")
    return np.empty(0, y.dtype) if kind in "biufU" and getattr(y, "ndim", 0) == 1 else None


def _futures_of(
    blocks: list[tuple[Any, Any, Any]], collections: tuple[Any, Any, Any], client: Any
) -> list[list[Any]] | None:
    """Return futures of all blocks if the blocks of X are in the memory of workers, otherwise None."""
    from distributed import futures_of

    held = [
        {f.key: f for f in futures_of(each) if f.client is client} if is_dask(each) else {}
        for each in collections
    ]
    if not all(X.key in held[0] for X, _, _ in blocks):
        return None
    columns = [[held[0][X.key] for X, _, _ in blocks]]
    for number in (1, 2):
        wanted = [block[number] for block in blocks]
        if wanted[0] is None:
            columns.append([None] * len(blocks))
        elif all(each.key in held[number] for each in wanted):
            columns.append([held[number][each.key] for each in wanted])
        else:
            columns.append(list(client.compute(wanted)))
    return [list(block) for block in zip(*columns, strict=True)]


def _has_known_size(X: Any) -> bool:
    return isinstance(X._meta, np.ndarray) and X.nbytes == X.nbytes


def _size(block: Any) -> int:
    return int(block.data.nbytes if is_sparse(block) else np.asarray(block).nbytes)


def _beside(name: str, other: Any, X: Any, n: int) -> list[Any]:
    """Return the n partitions of the labels or weights `other`; if it is None, return n Nones."""
    if other is None:
        return [None] * n
    if not is_dask(other):
        import dask.array as da

        lengths = getattr(X, "chunks", [(float("nan"),)])[0]
        if any(length != length for length in lengths):
            raise BadInput(
                f"{name}: is in memory, but the lengths of the partitions of X are unknown; call "
                "X.compute_chunk_sizes()"
            )
        other = da.from_array(other, chunks=(lengths, *[-1] * (other.ndim - 1)))
    made = _delayed_blocks(other, name)
    if len(made) != n:
        raise BadInput(f"{name}: has {len(made)} partitions, but X has {n}; give both the same partitions")
    return made


def _delayed_blocks(collection: Any, name: str) -> list[Any]:
    blocks = collection.to_delayed()
    if isinstance(blocks, list):
        return blocks
    if blocks.ndim == 2 and blocks.shape[1] > 1:
        raise BadInput(
            f"{name}: its columns are cut into {blocks.shape[1]} chunks; a worker needs whole rows: "
            "rechunk({1: -1})"
        )
    return list(blocks.ravel())


def is_dask(X: Any) -> bool:
    return type(X).__module__.startswith("dask") and hasattr(X, "to_delayed")


def is_dataframe(X: Any) -> bool:
    return is_dask(X) and hasattr(X, "columns")
