"""`rows`: rows on a cluster for `separate` and `verify`; each operation is a map over blocks of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rosenblatt.cluster import dask_client, worker_tasks
from rosenblatt.cluster.array_parts import ArrayParts
from rosenblatt.cluster.file_parts import FileParts
from rosenblatt.data.sources.reading import is_path, read
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import n_features, take
from rosenblatt.proof import labelled_rows
from rosenblatt.proof.labelled_rows import LabelledRows, class_names_of, join_rows


def rows(X: Any, y: Any = None, client: Any = None, **reading: Any) -> ClusterRows:
    """Return rows on a cluster for `separate`, `verify` and `mistake_bound`, which process them in place.

    Parameters
    ----------
    X : dask array, dask dataframe or files
        The rows. Files are given as for `rosenblatt.read`, and all workers must be able to read them.
    y : dask array or str, default=None
        Their labels; files contain them.
    client : distributed.Client, default=None
        A client of Dask, which must stay open while the rows are used; by default the current client.
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
    dask_client.check_workers(client, "rosenblatt")
    parts = FileParts(read(X, **reading)) if is_path(X) else ArrayParts(X, y, None, client)
    return ClusterRows(parts, client)


class ClusterRows(LabelledRows):
    """Process rows on a cluster block by block; a task receives the loads that contain its block."""

    def __init__(self, parts: Any, client: Any) -> None:
        self._parts, self._client, self.name = parts, client, str(parts.name)
        self._loads = list(parts.loads(None, 0))
        found = list(parts.map(client, _shape_of, self.name))
        self._ends = np.cumsum([n for n, _, _ in found], dtype=np.int64)
        n_rows = int(self._ends[-1]) if found else 0
        classes = class_names_of({label for _, _, some in found for label in some}, n_rows, self.name)
        super().__init__(n_rows, max(width for _, width, _ in found), classes)

    def chunks(self) -> Any:
        """Raise an error: these rows are not read in chunks.

        Raises
        ------
        BadInput
            Always.
        """
        raise BadInput("these rows are on a cluster; only separate and verify can use them there")

    def map(self, look: Callable[..., Any], *given: Any) -> Iterator[Any]:
        """Yield the result of `look` for each block of rows, in order."""
        return dask_client.in_order(self._client, self._submit_blocks(look, given))

    def _submit_blocks(self, look: Callable[..., Any], given: tuple[Any, ...]) -> Iterator[Any]:
        """Yield the future of the result for each block; consecutive blocks share loads."""
        size, starts = labelled_rows.BLOCK_ROWS, np.append(0, self._ends[:-1])
        held: dict[int, Any] = {}
        for first in range(0, self.n_rows, size):
            end = min(first + size, self.n_rows)
            inside = range(
                int(np.searchsorted(self._ends, first, "right")), int(np.searchsorted(self._ends, end)) + 1
            )
            held = {k: held.get(k) or self._parts.submit(self._client, [self._loads[k]])[0] for k in inside}
            slices = [(max(0, first - int(starts[k])), end - int(starts[k])) for k in inside]
            yield self._client.submit(
                _look_at_block, look, first, slices, self.n_features, self.classes, given,
                *held.values(), pure=False,
            )  # fmt: skip


def _shape_of(load: Any, name: str) -> tuple[int, int, list[Any]]:
    """Return the number of rows, the number of features and the labels of a load."""
    loaded = worker_tasks.loaded_of(load)
    n, labels, is_table = worker_tasks.labels_in(loaded, name)
    if is_table or any(chunk.importance.size for chunk in loaded.chunks):
        raise BadInput(f"{name}: a proof in pieces needs rows with one label each and without weights")
    return n, max((n_features(chunk.rows) for chunk in loaded.chunks if len(chunk)), default=0), labels


def _look_at_block(
    look: Callable[..., Any], first: int, slices: list[tuple[int, int]], width: int, classes: Any,
    given: tuple[Any, ...], *loads: Any,
) -> Any:  # fmt: skip
    """Return the result of `look` for a block of rows that is cut out of these loads."""
    gathered = []
    for (begin, end), load in zip(slices, loads, strict=True):
        before = 0
        for chunk in worker_tasks.loaded_of(load).chunks:
            some = np.arange(max(0, begin - before), min(len(chunk), end - before))
            before += len(chunk)
            if len(some):
                assert chunk.y is not None
                gathered.append((take(worker_tasks.as_read(chunk.rows), some), chunk.y[some]))
    return look(first, join_rows(gathered, width, classes), *given)
