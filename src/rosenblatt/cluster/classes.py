"""What the labels on a cluster teach: which classes there are is found once, part by part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt.arithmetic.examples import Dense
from rosenblatt.cluster import clients, tasks
from rosenblatt.cluster.parts import ArrayParts
from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.errors import BadInput
from rosenblatt.learning.streams.stream_targets import Teaching, find_classes


def teaching_of(run: Any) -> Any:
    """The classes: as given, else those of the first rows where they are two (of arrays, of all rows), else
    of all rows; or a table of labels."""
    given, asks_all = run.settings.classes, isinstance(run.parts, ArrayParts)
    found = _Found(run)
    n, labels, is_table = found.first()
    if is_table:
        if given is not None:
            raise BadInput(
                "classes: y is a table of labels, whose columns are named by their numbers; leave it out"
            )
        return tasks.Labels(np.arange(labels[0]))
    if not n:
        raise BadInput(f"{run.source.name}: there are no rows; give a source with rows")
    if asks_all and given is None:
        labels, n = found.all()
    first = np.resize(np.array(sorted(labels)), n)  # as many as the rows they are from
    return Teaching(find_classes(found, given, first))  # type: ignore[arg-type]


class _Found:
    """Labels part by part, as `find_classes` asks for them."""

    comes_once = False

    def __init__(self, run: Any) -> None:
        self._run, self.name = run, run.source.name

    def _parts(self) -> Iterator[tuple[int, list[Any], bool]]:
        run, waiting = self._run, []
        for _, future in run.loads(None, 0):
            key = run._key("labels")
            waiting.append(
                run.client.submit(tasks.labels_in, future, self.name, key=key, priority=20, pure=False)
            )
            if len(waiting) > len(run.workers):
                yield from clients.fetched(run.client, [waiting.pop(0)], run.patience)
        yield from clients.fetched(run.client, waiting, run.patience)

    def first(self) -> tuple[int, list[Any], bool]:
        """Of the first rows there are: how many, their labels, and whether these are a table."""
        return next((found for found in self._parts() if found[0]), (0, [], False))

    def all(self) -> tuple[list[Any], int]:
        found = list(self._parts())
        return list({label for _, labels, _ in found for label in labels}), sum(n for n, _, _ in found)

    def chunks(self) -> Iterator[Chunk]:
        for _, labels, is_table in self._parts():
            if is_table:
                raise BadInput(f"{self.name}: some partitions have a table of labels, others have classes")
            yield Chunk(Dense(np.empty((len(labels), 0))), np.array(labels))
