"""Partitions of dask arrays and dataframes as parts, by place or as lazy objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import is_sparse
from rosenblatt.cluster import clients, tasks
from rosenblatt.cluster.parts import Load, shared_out
from rosenblatt.errors import BadInput

TOGETHER_BYTES = 1 << 28
"""Bytes of partitions in the memory of one worker that one task trains on."""


class ArrayParts:
    """Partitions of dask arrays or dataframes: each is a part, wherever it lies or can be made again."""

    n_bad = n_dropped = skip_bad = 0
    name = "the partitions"
    comes_once = False

    def __init__(self, X: Any, y: Any, weight: Any, client: Any) -> None:
        self._blocks = blocks_of(X, y, weight)
        self._X, self._client = X, client
        self.n_parts: int | None = len(self._blocks)
        self.labels_like = _like(y)
        self._beside_them = y, weight

    @cached_property
    def _futures(self) -> list[list[Any]] | None:
        if is_dataframe(self._X):
            return None
        return _futures_of(self._blocks, (self._X, *self._beside_them), self._client)

    @cached_property
    def _places(self) -> list[tuple[str, int]] | None:
        if self._futures is None:
            return None
        known = self.n_bytes if self.is_dense else None
        return _places(self._client, self._futures, None if known is None else known // len(self._blocks))

    @property
    def is_in_place(self) -> bool:
        """Return whether the partitions lie in the memory of workers as they are."""
        return self._futures is not None

    @cached_property
    def n_bytes(self) -> int | None:
        """Of the numbers, as a list of such chunks has them; None for dataframes."""
        return _numbers_in(self._X, self._client, [block for block, _, _ in self._blocks])

    @property
    def in_memory(self) -> int | None:
        return self.n_bytes

    @property
    def is_dense(self) -> bool:
        """Return whether the rows are arrays of a size that is known before they are made."""
        return not is_dataframe(self._X) and _has_known_size(self._X)

    @property
    def n_features(self) -> int:
        return int(self._X.shape[1])

    def bytes_until(self, parts: int) -> int:
        return 0

    def labels(self, client: Any, patience: float) -> list[tuple[int, list[Any], bool]]:
        """Return the result of `tasks.labels_in` for each partition, without its rows."""
        if self._futures is None:
            from dask import delayed

            asked = [delayed(tasks.labels_in_blocks)([y], self.name) for _, y, _ in self._blocks]
            return [told for (told,) in clients.fetched(client, client.compute(asked), patience)]
        by_place: dict[Any, list[int]] = {}
        for part, (place, _) in enumerate(self._places or ()):  # one task for what lies side by side
            by_place.setdefault(place, []).append(part)
        asked = [
            client.submit(
                tasks.labels_in_blocks, [self._futures[k][1] for k in parts], self.name, pure=False
            )
            for parts in by_place.values()
        ]
        told = dict(
            zip(
                [k for parts in by_place.values() for k in parts],
                [each for some in clients.fetched(client, asked, patience) for each in some],
                strict=True,
            )
        )
        return [told[k] for k in range(len(told))]

    def settings(self) -> dict[str, Any]:
        return {"format": "iterable"}

    def fingerprint(self) -> list[Any]:
        """Return no fingerprint: collections cannot be identified, so the caller vouches for them."""
        return ["iterable"]

    def loads(self, order: Sequence[int] | None, skip: int) -> Iterator[Load]:
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

    def place_of(self, shard: Sequence[Load]) -> Any:
        """Return the worker that has the first of these partitions; None if unknown."""
        return None if self._places is None else self._places[shard[0].what[0]][0]

    def shards(self, n: int | None) -> list[list[Load]]:
        """Return the loads of each of n shards; by default each partition is one."""
        return shared_out([Load(1, [part]) for part in range(len(self._blocks))], n or len(self._blocks))

    def submit_all(
        self, client: Any, loads: Sequence[Load], keys: Sequence[str | None], at: Sequence[str] = ()
    ) -> list[Any]:
        """Submit the loads in one message; partitions in place are used as they are."""
        if self._futures is not None:
            return [[[*self._futures[k], f"partition {k}"] for k in load.what] for load in loads]
        from dask import delayed

        made = []
        for load, key in zip(loads, keys, strict=True):
            (part,) = load.what
            X, y, weight = self._blocks[part]
            made.append(delayed(tasks.load_pair)(X, y, weight, f"partition {part}", dask_key_name=key))
        return list(client.compute(made))

    def submit(self, client: Any, load: Load, key: str | None, allowed: int | None = None) -> Any:
        return self.submit_all(client, [load], [key])[0]

    def unread(self, client: Any, load: Load) -> Any:
        return None


def blocks_of(X: Any, y: Any, weight: Any) -> list[tuple[Any, Any, Any]]:
    """Return the partitions with their labels and weights, as lazy objects."""
    if is_dataframe(X) and isinstance(y, str):
        if y not in X.columns:
            raise BadInput(f"y: the dataframe has no column {y!r}; it has {', '.join(map(str, X.columns))}")
        X, y = X.drop(columns=[y]), X[y]
    if not is_dask(X):
        raise BadInput(
            f"X: got {type(X).__name__}, expected a dask array or dataframe, or files; turn an array in "
            "memory into one with dask.array.from_array(X, chunks=(100_000, -1))"
        )
    partitions = _delayed(X, "X")
    beside = [_beside(name, other, X, len(partitions)) for name, other in (("y", y), ("weight", weight))]
    return list(zip(partitions, *beside, strict=True))


def _like(y: Any) -> NDArray[Any] | None:
    """Return an empty array of the type of all labels; None for several types or a table."""
    kind = getattr(getattr(y, "dtype", None), "kind", "O")
    return np.empty(0, y.dtype) if kind in "biufU" and getattr(y, "ndim", 0) == 1 else None


def _futures_of(
    blocks: list[tuple[Any, Any, Any]], collections: tuple[Any, Any, Any], client: Any
) -> list[list[Any]] | None:
    """Return the futures of all blocks if those of X are in the memory of workers, otherwise None."""
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


def _places(client: Any, futures: list[list[Any]], each: int | None) -> list[tuple[str, int]]:
    """Return the worker that has each partition, and the partition's size.

    each: the approximate size, if known.
    """
    keys = [X.key for X, _, _ in futures]
    who = client.who_has([X for X, _, _ in futures])
    sizes = client.nbytes(keys, summary=False) if each is None else dict.fromkeys(keys, each)
    return [(min(who.get(key) or ("",)), int(sizes.get(key, 0))) for key in keys]


def _numbers_in(X: Any, client: Any, blocks: list[Any]) -> int | None:
    """Return the bytes of all numbers of arrays in such chunks; None for dataframes."""
    if is_dataframe(X):
        return None
    if _has_known_size(X):
        return int(X.nbytes)
    from dask import delayed

    return sum(client.gather(client.compute([delayed(_size)(block) for block in blocks])))


def _has_known_size(X: Any) -> bool:
    return isinstance(X._meta, np.ndarray) and X.nbytes == X.nbytes


def _size(block: Any) -> int:
    return int(block.data.nbytes if is_sparse(block) else np.asarray(block).nbytes)


def _beside(name: str, other: Any, X: Any, n: int) -> list[Any]:
    """Return as many partitions of another collection; None for each if there is no collection."""
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
    made = _delayed(other, name)
    if len(made) != n:
        raise BadInput(f"{name}: has {len(made)} partitions, but X has {n}; give both the same partitions")
    return made


def _delayed(collection: Any, name: str) -> list[Any]:
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
