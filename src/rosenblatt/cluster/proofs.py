"""`rows`: rows on a cluster for `separate` and `verify`, which map functions over blocks of rows."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import Batch, Rows, take
from rosenblatt.cluster import clients, tasks
from rosenblatt.cluster.partitions import ArrayParts
from rosenblatt.cluster.parts import FileParts, Load
from rosenblatt.data.labels import classes_of
from rosenblatt.data.sources.reading import is_path, read
from rosenblatt.errors import BadInput
from rosenblatt.proof import pieces as proof_pieces
from rosenblatt.proof.pieces import Pieces, joined_batch


def rows(X: Any, y: Any = None, client: Any = None, **reading: Any) -> ClusterRows:
    """Rows for `separate`, `verify` and `mistake_bound`, which then look at them where they are.

    X, y: dask arrays or dataframes; or files, as `rosenblatt.read` takes them, that all workers see.
    client: as for `fit`, but it must be open as long as the rows are looked at.

    >>> import dask.array as da
    >>> from distributed import Client
    >>> from rosenblatt import cluster, separate, verify
    >>> X, y = da.from_array([[0.0], [1.0], [3.0]], chunks=(2, 1)), da.from_array([0, 0, 1], chunks=2)
    >>> with Client(processes=False, dashboard_address=":0") as client:
    ...     verdict = separate(cluster.rows(X, y, client))
    >>> verdict.margin
    (1.0, 1.0)
    >>> verify(verdict, [[0.0], [1.0], [3.0]], [0, 0, 1]).separable
    True
    """
    if client is None:
        from distributed import default_client

        client = default_client()
    clients.check_workers(client, "rosenblatt")
    if is_path(X):
        return ClusterRows(FileParts(read(X, **reading)), client)
    return ClusterRows(ArrayParts(X, y, None, client), client)


@dataclass
class ClusterRows:
    """Rows on a cluster, as a source of which only pieces are looked at."""

    parts: Any
    client: Any

    @property
    def name(self) -> str:
        return str(self.parts.name)

    def chunks(self) -> Any:
        raise BadInput("these rows are on a cluster; only separate and verify can use them there")

    def fingerprint(self) -> list[Any]:
        return list(self.parts.fingerprint())

    def pieces(self) -> ClusterPieces:
        """Return the blocks of the rows, found in one pass."""
        loads = list(self.parts.loads(None, 0))
        found = [
            self.client.submit(_about, self.parts.submit(self.client, load, None), self.name, pure=False)
            for load in loads
        ]
        told = clients.fetched(self.client, found)
        counts = np.array([n for n, _, _ in told])
        labels = {label for _, _, some in told for label in some}
        if not counts.sum():
            raise BadInput(f"{self.name}: there are no rows; give a source with rows")
        classes = classes_of(np.array(sorted(labels)))
        if len(classes) > 2:
            raise BadInput(f"y: {len(classes)} classes, but a hyperplane has two sides; give rows of two")
        width = max(width for _, width, _ in told)
        return ClusterPieces(self, int(counts.sum()), width, classes, loads, counts)


def _about(load: Any, name: str) -> tuple[int, int, list[Any]]:
    """Rows, features and labels of a load."""
    loaded = tasks.loaded_of(load)
    n, labels, is_table = tasks.labels_in(loaded, name)
    if is_table or any(chunk.importance.size for chunk in loaded.chunks):
        raise BadInput(f"{name}: a proof in pieces needs rows with one label each and without weights")
    width = max((_width(chunk.rows) for chunk in loaded.chunks if len(chunk)), default=0)
    return n, width, labels


def _width(rows: Rows) -> int:
    from rosenblatt.arithmetic.examples import n_features

    return n_features(rows)


@dataclass
class ClusterPieces(Pieces):
    """Blocks of rows that workers process: each task has the loads that contain a block."""

    loads: list[Load] = field(default_factory=list)
    counts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    def map(self, look: Callable[..., Any], *given: Any) -> Iterator[Any]:
        rows: Any = self.source
        client, size = rows.client, proof_pieces.BLOCK_ROWS
        ends = np.cumsum(self.counts)
        held: dict[int, Any] = {}
        waiting: deque[Any] = deque()
        most = 2 * len(clients.workers_of(client)) + 2
        for first in range(0, self.n_rows, size):
            end = min(first + size, self.n_rows)
            inside = range(int(np.searchsorted(ends, first, "right")), int(np.searchsorted(ends, end)) + 1)
            for k in inside:
                if k not in held:
                    held[k] = rows.parts.submit(client, self.loads[k], None)
            slices = [
                (max(0, first - int(ends[k] - self.counts[k])), end - int(ends[k] - self.counts[k]))
                for k in inside
            ]
            waiting.append(
                client.submit(
                    look_at_block, look, first, slices, self.n_features, self.classes, given,
                    *(held[k] for k in inside), pure=False,
                )
            )  # fmt: skip
            held = {k: future for k, future in held.items() if k >= inside[-1]}
            if len(waiting) > most:
                yield from clients.fetched(client, [waiting.popleft()])
        while waiting:
            yield from clients.fetched(client, [waiting.popleft()])

    def __iter__(self) -> Iterator[tuple[int, Batch]]:
        return self.map(_itself)


def _itself(first: int, batch: Batch) -> tuple[int, Batch]:
    return first, batch


def look_at_block(
    look: Callable[..., Any], first: int, slices: list[tuple[int, int]], width: int, classes: Any,
    given: tuple[Any, ...], *loads: Any,
) -> Any:  # fmt: skip
    """Return the result of a function of the rows of a block, which are in these loads."""
    gathered = []
    for (begin, end), load in zip(slices, loads, strict=True):
        before = 0
        for chunk in tasks.loaded_of(load).chunks:
            some = np.arange(max(0, begin - before), min(len(chunk), end - before))
            before += len(chunk)
            if len(some):
                assert chunk.y is not None
                gathered.append((take(tasks.as_read(chunk.rows), some), chunk.y[some]))
    return look(first, joined_batch(gathered, width, classes), *given)
