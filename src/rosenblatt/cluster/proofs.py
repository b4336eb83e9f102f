"""`rows`: rows on a cluster for `separate` and `verify`; each operation is a map over blocks of rows."""

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
    """Return rows on a cluster for `separate`, `verify` and `mistake_bound`, which process them in place.

    Parameters
    ----------
    X : dask array, dask dataframe or files
        The rows; files, as `rosenblatt.read` takes them, must be visible to all workers.
    y : dask array or str, default=None
        Their labels; files contain them.
    client : distributed.Client, default=None
        A client of Dask, open as long as the rows are used; by default the current one.
    **reading : dict
        Options of `rosenblatt.read` for files.

    Returns
    -------
    ClusterRows
        The rows, to be passed as `X`.

    Raises
    ------
    BadInput
        If the rows cannot be used.

    Examples
    --------
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
    """Hold rows on a cluster as a source that is processed in pieces."""

    parts: Any
    client: Any

    @property
    def name(self) -> str:
        """Name of the source."""
        return str(self.parts.name)

    def chunks(self) -> Any:
        """Raise an error: these rows are not read in chunks.

        Raises
        ------
        BadInput
            Always.
        """
        raise BadInput("these rows are on a cluster; only separate and verify can use them there")

    def fingerprint(self) -> list[Any]:
        """Return values that change when the rows do."""
        return list(self.parts.fingerprint())

    def pieces(self) -> ClusterPieces:
        """Return the shape, classes and parts of the rows, determined in one reading."""
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
    """Return the number of rows, the number of features and the labels of a load."""
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
    """Hold blocks of rows that workers process: each task has the loads that contain its block."""

    loads: list[Load] = field(default_factory=list)
    counts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    def map(self, look: Callable[..., Any], *given: Any) -> Iterator[Any]:
        """Yield the result of `look` for each block of rows, in order."""
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
    """Return the result of `look` for the rows of a block, which lie in these loads."""
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
