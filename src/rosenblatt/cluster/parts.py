"""Parts: rows that are on the cluster, or that its workers can read, as a source that is cut into loads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.arithmetic.examples import is_sparse
from rosenblatt.cluster import clients, tasks
from rosenblatt.data.sources.source import Source, Wrapped
from rosenblatt.errors import BadInput

LOAD_BYTES = 1 << 25
"""Of files, that one task reads and parses."""
FILE_SHARDS = 16
"""Shards of files, unless asked for otherwise."""


class Load(NamedTuple):
    """Parts that one task loads: how many, and in which file or block they are."""

    n_parts: int | None  # None: as many chunks as there turn out to be
    what: Any


class FileParts:
    """Files that each worker opens for itself. What is packed comes a file at a time."""

    def __init__(self, source: Any) -> None:
        if source.comes_once:
            raise BadInput(
                f"{source.name}: can be read only once, and here; workers need files that all of them see"
            )
        self.source, self.name = source, source.name
        self.skip_bad = innermost(source).skip_bad if hasattr(innermost(source), "skip_bad") else 0
        self.n_bad = self.n_dropped = 0
        self._sizes = [tasks.size_in(entry) for entry in source.fingerprint()]
        self._opened: dict[Any, Any] = {}

    @property
    def n_parts(self) -> int | None:
        return self.source.n_parts

    @property
    def n_bytes(self) -> int | None:
        return self.source.n_bytes

    def meet(self, client: Any, patience: float) -> None:
        """One look at all rows where their features are numbered as they are met."""
        unmet = getattr(self.source, "unmet", None)
        if unmet is None:
            return
        hashed = FileParts(unmet)
        found = clients.fetched(
            client,
            [
                client.submit(tasks.features_in, hashed.submit(client, load, None), pure=False)
                for load in hashed.loads(None, 0)
            ],
            patience,
        )
        width = max((width for width, _ in found), default=0)
        if width:
            self.source.meet(width, tasks.in_order(np.concatenate([features for _, features in found])))

    @property
    def in_memory(self) -> int | None:
        """About as many bytes as all rows take, parsed."""
        return None if self.n_bytes is None else 3 * self.n_bytes

    def settings(self) -> dict[str, Any]:
        return self.source.settings()

    def fingerprint(self) -> list[Any]:
        return self.source.fingerprint()

    def loads(self, order: Sequence[int] | None, skip: int) -> Iterator[Load]:
        """What to load for a pass over the parts in this order, without the first `skip`."""
        n = self.source.n_parts
        if n is None:
            assert order is None
            if not hasattr(self.source, "of_file"):
                raise BadInput(
                    f"{self.name}: is packed, and some rows are held out of it; unpack it, or give --test"
                )
            yield from (Load(None, k) for k in range(self.source.n_files))
            return
        parts = list(range(n) if order is None else order)
        for first in range(skip, n, self._each):
            some = parts[first : first + self._each]
            yield Load(len(some), some)

    @property
    def _each(self) -> int:
        """The parts of a load."""
        return max(1, LOAD_BYTES * (self.n_parts or 1) // max(LOAD_BYTES, self.n_bytes or 1))

    def shards(self, n: int | None) -> list[list[Load]]:
        """What to load for each of n shards, which are runs of parts."""
        total = self.source.n_parts
        if total is None:
            return _shared_out(list(self.loads(None, 0)), n or FILE_SHARDS)
        bounds = np.linspace(0, total, min(n or FILE_SHARDS, total) + 1).astype(int).tolist()
        return [
            [
                Load(min(end, k + self._each) - k, list(range(k, min(end, k + self._each))))
                for k in range(first, end, self._each)
            ]
            for first, end in pairwise(bounds)
        ]

    def submit(self, client: Any, load: Load, key: str | None, allowed: int | None = None) -> Any:
        """A future of these rows, in the memory of some worker."""
        if client not in self._opened:  # it is made of the files' names, so that it can be made again
            self._opened[client] = client.submit(_same, self.source, pure=False)
        return client.submit(
            tasks.load_blocks, self._opened[client], self._sizes, load.what,
            self.skip_bad if allowed is None else allowed, key=key, pure=False,
        )  # fmt: skip


def _shared_out(loads: list[Load], n: int) -> list[list[Load]]:
    bounds = np.linspace(0, len(loads), min(n, len(loads)) + 1).astype(int).tolist()
    return [loads[first:end] for first, end in pairwise(bounds)]


def innermost(source: Any) -> Any:
    """What others are wrapped around."""
    return innermost(source._source) if isinstance(source, Wrapped) else source


def _same(source: Source) -> Source:
    return source


class ArrayParts:
    """Partitions of dask arrays or dataframes: each is a part, wherever it lies or can be made again."""

    n_bad = n_dropped = skip_bad = 0
    name = "the partitions"
    comes_once = False

    def __init__(self, X: Any, y: Any, weight: Any, client: Any = None) -> None:
        self._blocks = blocks_of(X, y, weight)
        self.n_bytes = self.in_memory = _numbers_in(X, client, [block for block, _, _ in self._blocks])
        self.n_parts: int | None = len(self._blocks)

    def labels(self, client: Any, patience: float) -> list[tuple[int, list[Any], bool]]:
        """What `tasks.labels_in` says of each partition; its rows are not needed for that."""
        from dask import delayed

        found = [delayed(tasks.labels_in_block)(y, self.name) for _, y, _ in self._blocks]
        return clients.fetched(client, client.compute(found), patience)

    def settings(self) -> dict[str, Any]:
        return {"format": "iterable"}

    def fingerprint(self) -> list[Any]:
        """Nobody can tell one collection from another; the user vouches for it."""
        return ["iterable"]

    def loads(self, order: Sequence[int] | None, skip: int) -> Iterator[Load]:
        for part in list(range(len(self._blocks)) if order is None else order)[skip:]:
            yield Load(1, part)

    def shards(self, n: int | None) -> list[list[Load]]:
        """What to load for each of n shards; by default each partition is one."""
        return _shared_out(list(self.loads(None, 0)), n or len(self._blocks))

    def submit(self, client: Any, load: Load, key: str | None, allowed: int | None = None) -> Any:
        from dask import delayed

        X, y, weight = self._blocks[load.what]
        name = f"partition {load.what}"
        return client.compute(delayed(tasks.load_pair)(X, y, weight, name, dask_key_name=key))


def blocks_of(X: Any, y: Any, weight: Any) -> list[tuple[Any, Any, Any]]:
    """The partitions, with their labels and weights, as what makes each of them."""
    if is_dataframe(X) and isinstance(y, str):
        if y not in X.columns:
            raise BadInput(f"y: the dataframe has no column {y!r}; it has {', '.join(map(str, X.columns))}")
        X, y = X.drop(columns=[y]), X[y]
    if not is_dask(X):
        raise BadInput(
            f"X: got {type(X).__name__}, expected a dask array or dataframe, or files; what is in memory "
            "here fits into dask.array.from_array(X, chunks=(100_000, -1))"
        )
    partitions = _delayed(X, "X")
    beside = [_beside(name, other, X, len(partitions)) for name, other in (("y", y), ("weight", weight))]
    return list(zip(partitions, *beside, strict=True))


def _numbers_in(X: Any, client: Any, blocks: list[Any]) -> int | None:
    """The bytes of all numbers of arrays, as a list of such chunks has them; None for dataframes."""
    if is_dataframe(X):
        return None
    if isinstance(X._meta, np.ndarray) and X.nbytes == X.nbytes:
        return int(X.nbytes)
    from dask import delayed

    return sum(client.gather(client.compute([delayed(_size)(block) for block in blocks])))


def _size(block: Any) -> int:
    return int(block.data.nbytes if is_sparse(block) else np.asarray(block).nbytes)


def _beside(name: str, other: Any, X: Any, n: int) -> list[Any]:
    """As many partitions of another collection; None for each where there is none."""
    if other is None:
        return [None] * n
    if not is_dask(other):
        import dask.array as da

        lengths = getattr(X, "chunks", [(float("nan"),)])[0]
        if any(length != length for length in lengths):
            raise BadInput(f"{name}: is in memory, and the partitions of X do not say how long they are")
        other = da.from_array(other, chunks=(lengths, *[-1] * (other.ndim - 1)))
    made = _delayed(other, name)
    if len(made) != n:
        raise BadInput(f"{name}: has {len(made)} partitions, and X {n}; give both the same ones")
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
