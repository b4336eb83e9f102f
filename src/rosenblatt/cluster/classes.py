"""Find the classes of labels on a cluster once, part by part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt.arithmetic.examples import Dense
from rosenblatt.cluster import clients, tasks
from rosenblatt.cluster.partitions import ArrayParts
from rosenblatt.cluster.parts import Load
from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.errors import BadInput
from rosenblatt.learning.streams.stream_targets import Teaching, find_classes


def teaching_of(run: Any) -> Any:
    """Return the classes, or a table of labels.

    Classes are as given, otherwise those of the first rows if they are two (of all rows for arrays),
    otherwise those of all rows.
    """
    given, found = run.settings.classes, _Found(run)
    if given is not None and (like := getattr(run.parts, "labels_like", None)) is not None:
        return Teaching(find_classes(found, given, like))  # type: ignore[arg-type]
    told = found.of_arrays() if isinstance(run.parts, ArrayParts) else [found.first()]
    n = sum(rows for rows, _, _ in told)
    if not n:
        raise BadInput(f"{run.source.name}: there are no rows; give a source with rows")
    kinds = {is_table for rows, _, is_table in told if rows}
    if len(kinds) > 1:
        raise BadInput(f"{run.source.name}: some partitions have a table of labels, others have classes")
    labels = {label for _, some, _ in told for label in some}
    if kinds == {True}:
        if given is not None or len(labels) > 1:
            raise BadInput("classes: y is a table of labels, as wide in all partitions; leave classes out")
        return tasks.Labels(np.arange(labels.pop()))
    if len({isinstance(label, str) for label in labels}) > 1:
        raise BadInput("y: some labels are numbers and some are text; give labels of one kind")
    # as many labels as rows would be too many for classes
    first = np.resize(np.array(sorted(labels)), min(n, 2 * len(labels) + 1))
    return Teaching(find_classes(found, given, first))  # type: ignore[arg-type]


class _Found:
    """Labels part by part, as `find_classes` asks for them."""

    def __init__(self, run: Any) -> None:
        self._run, self.name = run, run.source.name
        self.comes_once = isinstance(run.parts, ArrayParts)  # all of them have been seen

    def of_arrays(self) -> list[tuple[int, list[Any], bool]]:
        """Compute all labels of lazy partitions at once if they fit into memory; store the partitions."""
        run = self._run
        if run.parts.is_in_place or not run.parts.is_dense or not run.fits():
            return run.parts.labels(run.client, run.patience)
        return list(self._parts(run.begun))

    def _parts(self, begun: dict[str, Any] | None = None) -> Iterator[tuple[int, list[Any], bool]]:
        """Yield labels part by part. begun: where requested loads are kept."""
        run, waiting = self._run, []
        for _, future in run.loads(run.order_of_parts(0), 0, begun):
            key = run._key("labels")
            waiting.append(
                run.client.submit(tasks.labels_in, future, self.name, key=key, priority=20, pure=False)
            )
            if len(waiting) > len(run.workers):
                yield from clients.fetched(run.client, [waiting.pop(0)], run.patience)
        yield from clients.fetched(run.client, waiting, run.patience)

    def first(self) -> tuple[int, list[Any], bool]:
        """Return the number of the first rows, their labels, and whether these are a table."""
        run = self._run
        if run.parts.n_parts is None:  # a file is the least that can be read
            found = self._parts(run.begun)
        else:
            found = map(self._of_part, run.order_of_parts(0) or range(run.parts.n_parts))
        return next((each for each in found if each[0]), (0, [], False))

    def _of_part(self, part: int) -> tuple[int, list[Any], bool]:
        run = self._run
        unread = run.parts.unread(run.client, Load(1, [part]))
        asked = run.client.submit(tasks.labels_in, unread, self.name, key=run._key("labels"), pure=False)
        (found,) = clients.fetched(run.client, [asked], run.patience)
        told: tuple[int, list[Any], bool] = found
        return told

    def chunks(self) -> Iterator[Chunk]:
        for _, labels, _ in self._parts():
            yield Chunk(Dense(np.empty((len(labels), 0))), np.array(labels))
