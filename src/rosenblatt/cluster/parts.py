"""Parts: rows that workers can read, as a source cut into loads. `partitions` has rows that they hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.cluster import clients, tasks
from rosenblatt.data.sources.source import Source, Wrapped
from rosenblatt.errors import BadInput

LOAD_BYTES = 1 << 25
"""Bytes of files that one task reads and parses."""
FEWEST_LOADS, SMALLEST_LOAD = (
    8,
    1 << 22,
)  # small files are cut into these, so that several workers have some
FILE_SHARDS = 16
"""Default number of shards of files."""


class Load(NamedTuple):
    """Parts that one task loads: how many, and in which file or block they are."""

    n_parts: int | None  # None: as many chunks as there turn out to be
    what: Any


class FileParts:
    """Files that each worker opens itself. A compressed file is one part."""

    def __init__(self, source: Any) -> None:
        if source.comes_once:
            raise BadInput(
                f"{source.name}: can be read only once, and only on this machine; give files that all "
                "workers can read"
            )
        self.source, self.name = source, source.name
        self.skip_bad = innermost(source).skip_bad if hasattr(innermost(source), "skip_bad") else 0
        self.n_bad = self.n_dropped = 0
        self._sizes = [tasks.size_in(entry) for entry in source.fingerprint()]
        self._opened: dict[Any, Any] = {}
        self._turn = 0

    @property
    def n_parts(self) -> int | None:
        return self.source.n_parts

    @property
    def n_bytes(self) -> int | None:
        return self.source.n_bytes

    def meet(self, client: Any, patience: float) -> None:
        """Read all rows once to number their features in order of appearance."""
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
        """Return the approximate number of bytes of all rows, parsed."""
        return None if self.n_bytes is None else 3 * self.n_bytes

    def settings(self) -> dict[str, Any]:
        return self.source.settings()

    def fingerprint(self) -> list[Any]:
        return self.source.fingerprint()

    def loads(self, order: Sequence[int] | None, skip: int) -> Iterator[Load]:
        """Yield the loads of a pass over the parts in this order, without the first `skip`."""
        n = self.source.n_parts
        if n is None:
            assert order is None
            if not hasattr(self.source, "of_file"):
                raise BadInput(
                    f"{self.name}: is compressed, so no rows can be held out of it; decompress it, or "
                    "give --test"
                )
            yield from (Load(None, k) for k in range(self.source.n_files))
            return
        parts = list(range(n) if order is None else order)
        for first in range(skip, n, self._each):
            some = parts[first : first + self._each]
            yield Load(len(some), some)

    @property
    def _each(self) -> int:
        """Return the parts of a load."""
        n_bytes = self.n_bytes or 1
        size = min(LOAD_BYTES, max(SMALLEST_LOAD, n_bytes // FEWEST_LOADS))
        return max(1, size * (self.n_parts or 1) // max(size, n_bytes))

    def bytes_until(self, parts: int) -> int:
        """Return the bytes of the files before a part."""
        return (self.n_bytes or 0) * parts // self.n_parts if self.n_parts else 0

    def shards(self, n: int | None) -> list[list[Load]]:
        """Return the loads of each of n shards, which are runs of parts."""
        total = self.source.n_parts
        if total is None:
            return shared_out(list(self.loads(None, 0)), n or FILE_SHARDS)
        bounds = np.linspace(0, total, min(n or FILE_SHARDS, total) + 1).astype(int).tolist()
        return [
            [
                Load(min(end, k + self._each) - k, list(range(k, min(end, k + self._each))))
                for k in range(first, end, self._each)
            ]
            for first, end in pairwise(bounds)
        ]

    def submit_all(
        self, client: Any, loads: Sequence[Load], keys: Sequence[str | None], at: Sequence[str] = ()
    ) -> list[Any]:
        """Return futures of the rows. at: the workers that read them."""
        made = []
        for load, key in zip(loads, keys, strict=True):
            where: dict[str, Any] = {}
            if at:
                where = {"workers": [at[self._turn % len(at)]], "allow_other_workers": True}
                self._turn += 1
            made.append(self.submit(client, load, key, read=tasks.load_ahead if at else None, **where))
        return made

    def submit(
        self, client: Any, load: Load, key: str | None, allowed: int | None = None, read: Any = None,
        **where: Any,
    ) -> Any:  # fmt: skip
        """Return a future of these rows, in the memory of some worker."""
        given = self._to_read(client, load, allowed)
        return client.submit(read or tasks.load_blocks, *given, key=key, pure=False, **where)

    def unread(self, client: Any, load: Load) -> Any:
        """Return the arguments of a task that reads these rows but does not store them, or None."""
        return {"read": self._to_read(client, load, None)}

    def _to_read(self, client: Any, load: Load, allowed: int | None) -> list[Any]:
        if client not in self._opened:  # it is made of the files' names, so that it can be made again
            self._opened[client] = client.submit(_same, self.source, pure=False)
        return [
            self._opened[client], self._sizes, load.what, self.skip_bad if allowed is None else allowed
        ]  # fmt: skip


def shared_out(loads: list[Load], n: int) -> list[list[Load]]:
    bounds = np.linspace(0, len(loads), min(n, len(loads)) + 1).astype(int).tolist()
    return [loads[first:end] for first, end in pairwise(bounds)]


def innermost(source: Any) -> Any:
    """Return the source inside all wrappers."""
    return innermost(source._source) if isinstance(source, Wrapped) else source


def _same(source: Source) -> Source:
    return source
