"""Determine the classes, or the table of labels, of data on a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt.cluster import dask_client, worker_tasks
from rosenblatt.cluster.array_parts import ArrayParts
from rosenblatt.cluster.file_parts import Load
from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import Dense
from rosenblatt.training.streams.stream_targets import Teaching, find_classes

Seen = tuple[int, list[Any], bool]
"""Number of rows; the distinct labels, or [number of columns] for a table of labels; is it a table."""


def find_teaching(run: Any) -> Any:
    """Return the classes of a run, or its label columns if y is a table of labels.

    Classes passed by the caller are used as they are. Otherwise, if the first rows have exactly two labels,
    these are the classes; if not, the labels of all rows are read. For arrays, the labels of all rows are
    always read.
    """
    given, survey = run.settings.classes, _Survey(run)
    if given is not None and (like := getattr(run.parts, "labels_like", None)) is not None:
        return Teaching(find_classes(survey, given, like))  # type: ignore[arg-type]
    seen = survey.of_first_rows()
    n = sum(rows for rows, _, _ in seen)
    if not n:
        raise BadInput(f"{run.source.name}: there are no rows; give a source with rows")
    kinds = {is_table for rows, _, is_table in seen if rows}
    if len(kinds) > 1:
        raise BadInput(f"{run.source.name}: some partitions have a table of labels, others have classes")
    labels = {label for _, some, _ in seen for label in some}
    if kinds == {True}:
        if given is not None or len(labels) > 1:
            raise BadInput(
                "classes: y is a table of labels, whose columns are the classes; leave classes out"
            )
        return worker_tasks.Labels(np.arange(labels.pop()))
    if len({isinstance(label, str) for label in labels}) > 1:
        raise BadInput("y: some labels are numbers and some are text; give labels of one kind")
    # `find_classes` rejects targets with as many different labels as rows
    first = np.resize(np.array(sorted(labels)), min(n, 2 * len(labels) + 1))
    return Teaching(find_classes(survey, given, first))  # type: ignore[arg-type]


class _Survey:
    """Provide labels part by part, with the interface that `find_classes` needs."""

    def __init__(self, run: Any) -> None:
        self._run, self.name = run, run.source.name
        self.comes_once = isinstance(run.parts, ArrayParts)  # all labels of arrays have been read already

    def of_first_rows(self) -> list[Seen]:
        run = self._run
        if isinstance(run.parts, ArrayParts):
            return run.parts.labels(run.client, run.patience)
        if run.parts.n_parts is None:  # a compressed file cannot be read partially
            found = self._of_loads(holds=True)
        else:
            parts = run.order_of_parts(0) or range(run.parts.n_parts)
            found = (self._of_load(run.parts.unread(run.client, Load(1, [part]))) for part in parts)
        return [next((each for each in found if each[0]), (0, [], False))]

    def chunks(self) -> Iterator[Chunk]:
        """Yield the labels of each load as a chunk without features."""
        for _, labels, _ in self._of_loads():
            yield Chunk(Dense(np.empty((len(labels), 0))), np.array(labels))

    def _of_loads(self, holds: bool = False) -> Iterator[Seen]:
        run = self._run
        return (self._of_load(rows) for _, rows in run.loads(run.order_of_parts(0), 0, holds))

    def _of_load(self, rows: Any) -> Seen:
        task = self._run.client.submit(worker_tasks.labels_in, rows, self.name, priority=20, pure=False)
        (seen,) = dask_client.fetch(self._run.client, [task], self._run.patience)
        return tuple(seen)
