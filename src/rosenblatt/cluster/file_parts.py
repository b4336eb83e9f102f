"""Loads (the units of data that a task reads), and files divided into loads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.cluster import dask_client, worker_tasks
from rosenblatt.data.sources.source import Source, innermost
from rosenblatt.errors import BadInput

LOAD_BYTES = 1 << 25
"""Bytes of files that one task reads and parses."""
FEWEST_LOADS, SMALLEST_LOAD = 8, 1 << 22
"""Small files are divided into this many loads of at least this size, for several workers."""
FILE_SHARDS = 16
"""Default number of shards of files."""


class Load(NamedTuple):
    """Consecutive parts that one task loads: their number, and a description of where they are."""

    n_parts: int | None  # None if the number of chunks is unknown until they are read
    what: Any

    @property
    def key(self) -> str:
        """The load as a dictionary key."""
        return repr(self.what)


class Parts:
    """Define data that workers load part by part."""

    name: str
    n_bad = n_dropped = skip_bad = 0

    def loads(self, order: Sequence[int] | None, skip: int) -> Iterator[Load]:
        """Yield the loads of a pass over the parts in the given order, without the first `skip` parts."""
        raise NotImplementedError

    def submit(self, client: Any, loads: Sequence[Load], at: Sequence[str] = ()) -> list[Any]:
        """Return futures of the rows of these loads.

        Reads of files are assigned round-robin to the workers listed in `at`.
        """
        raise NotImplementedError

    def unread(self, client: Any, load: Load) -> Any:
        """Return a task argument from which `loaded_of` reads the rows without keeping them in memory."""
        return self.submit(client, [load])[0]

    def map(
        self, client: Any, look: Callable[..., Any], *given: Any, patience: float = dask_client.PATIENCE
    ) -> Iterator[Any]:
        """Yield look(load, …) for each load in order; workers compute a few loads ahead."""
        dask_client.workers_of(client, patience)
        loads = (self.unread(client, load) for load in self.loads(None, 0))
        tasks = (client.submit(look, load, *given, pure=False) for load in loads)
        yield from dask_client.in_order(client, tasks, patience)


class FileParts(Parts):
    """Read files on the workers themselves; a compressed file is a single part."""

    is_in_place = False

    def __init__(self, source: Any) -> None:
        if source.comes_once:
            raise BadInput(
                f"{source.name}: can be read only once, and only on this machine; give files that all "
                "workers can read"
            )
        self.source, self.name = source, source.name
        self.skip_bad = getattr(innermost(source), "skip_bad", 0)
        self._sizes = [worker_tasks.size_in(entry) for entry in source.fingerprint()]
        self._opened: dict[Any, Any] = {}
        self._turn = 0

    @property
    def n_parts(self) -> int | None:
        return self.source.n_parts

    @property
    def n_bytes(self) -> int | None:
        return self.source.n_bytes

    @property
    def in_memory(self) -> int | None:
        """Estimated memory of all parsed rows in bytes."""
        return None if self.n_bytes is None else 3 * self.n_bytes

    def meet(self, client: Any, patience: float) -> None:
        """Read all rows once to number their features in order of first appearance, and to name them."""
        hashed = getattr(self.source, "hashed_source", None)
        if hashed is None:
            return
        has_names = self.source.recorded.are_recorded
        look = worker_tasks.features_in
        parts = list(FileParts(hashed).map(client, look, has_names, patience=patience))
        found = worker_tasks.FoundFeatures.joined(parts)
        if found.width:
            self.source.survey(*found)

    def loads(self, order: Sequence[int] | None, skip: int) -> Iterator[Load]:
        n = self.source.n_parts
        if n is not None:
            yield from self._cut(list(range(n) if order is None else order)[skip:])
            return
        assert order is None
        if not hasattr(self.source, "of_file"):
            raise BadInput(
                f"{self.name}: is compressed, so no rows can be held out of it; decompress it, or "
                "give --test"
            )
        yield from (Load(None, k) for k in range(self.source.n_files))

    def _cut(self, parts: list[int]) -> Iterator[Load]:
        n_bytes = self.n_bytes or 1
        size = min(LOAD_BYTES, max(SMALLEST_LOAD, n_bytes // FEWEST_LOADS))
        each = max(1, size * (self.n_parts or 1) // max(size, n_bytes))
        for first in range(0, len(parts), each):
            some = parts[first : first + each]
            yield Load(len(some), some)

    def bytes_until(self, parts: int) -> int:
        """Return the estimated number of bytes before a part."""
        return (self.n_bytes or 0) * parts // self.n_parts if self.n_parts else 0

    def shards(self, n: int | None) -> list[list[Load]]:
        """Return the loads of each of n shards; a shard consists of consecutive parts."""
        total = self.source.n_parts
        if total is None:
            return share_out(list(self.loads(None, 0)), n or FILE_SHARDS)
        return [list(self._cut(some)) for some in share_out(list(range(total)), n or FILE_SHARDS)]

    def submit(self, client: Any, loads: Sequence[Load], at: Sequence[str] = ()) -> list[Any]:
        made = []
        for load in loads:
            where: dict[str, Any] = {}
            if at:
                where = {"workers": [at[self._turn % len(at)]], "allow_other_workers": True}
                self._turn += 1
            read = worker_tasks.load_ahead if at else worker_tasks.load_blocks
            made.append(client.submit(read, *self._to_read(client, load), pure=False, **where))
        return made

    def unread(self, client: Any, load: Load) -> Any:
        return {"read": self._to_read(client, load)}

    def _to_read(self, client: Any, load: Load) -> list[Any]:
        if client not in self._opened:  # cheap to recompute: it holds only file names
            self._opened[client] = client.submit(_same, self.source, pure=False)
        return [self._opened[client], self._sizes, load.what, self.skip_bad]


def share_out(items: list[Any], n: int) -> list[list[Any]]:
    """Return the items as n consecutive lists of nearly equal length."""
    bounds = np.linspace(0, len(items), min(n, len(items)) + 1).astype(int).tolist()
    return [items[first:end] for first, end in pairwise(bounds)]


def _same(source: Source) -> Source:
    return source
