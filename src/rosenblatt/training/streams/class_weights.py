"""A source that multiplies the weight of each row by the weight of its class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.importance import class_importance
from rosenblatt.data.sources.chunk import ALL_ONE, Chunk
from rosenblatt.data.sources.source import Source, Wrapped
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import class_name
from rosenblatt.training.streams.shuffling import labels_of


class WeightedClasses(Wrapped):
    """Multiply the weight of each row by the weight of its class.

    `class_weight` is "balanced" or a mapping from the names of classes to weights, with 1 for all others.
    "balanced" means rows/(number of classes × rows of the class); all rows are counted first.
    """

    def __init__(self, source: Source, class_weight: str | Mapping[str, float]) -> None:
        super().__init__(source)
        self._class_weight = class_weight

    def fingerprint(self) -> list[Any]:
        return [*self._source.fingerprint(), ["class weights", self._class_weight]]

    @cached_property
    def _weights(self) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return the classes in sorted order, and their weights."""
        totals: dict[Any, float] = {}
        for chunk in self._source.chunks():
            if len(chunk):
                labels, numbers = np.unique(labels_of(chunk, self.name), return_inverse=True)
                added = np.bincount(numbers, weights=chunk.importance if chunk.importance.size else None)
                for label, total in zip(labels.tolist(), added.tolist(), strict=True):
                    totals[label] = totals.get(label, 0.0) + total
            chunk.release()
        classes = np.array(sorted(totals))
        return classes, weights_by_name(
            self._class_weight, classes, np.array([totals[label] for label in classes.tolist()])
        )

    def chunks(self, order: Sequence[int] | None = None, skip: int = 0) -> Iterator[Chunk]:
        """Yield the chunks in the given order, leaving out the first `skip`."""
        classes, weights = self._weights
        for chunk in self._source.chunks(order, skip):
            each = weights[np.searchsorted(classes, labels_of(chunk, self.name))] if len(chunk) else ALL_ONE
            own = chunk.importance
            yield replace(chunk, importance=each * own if own.size else each)


def weights_by_name(
    class_weight: str | Mapping[str, float], classes: NDArray[Any], totals: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weight of each class, given the total weight of its rows.

    >>> weights_by_name({"spam": 5.0}, np.array(["ham", "spam"]), np.array([90.0, 10.0]))
    array([1., 5.])
    >>> weights_by_name("balanced", np.array(["ham", "spam"]), np.array([90.0, 10.0])).round(3)
    array([0.556, 5.   ])
    """
    nothing = np.empty(0, np.int64)
    if not isinstance(class_weight, Mapping):
        return class_importance(class_weight, classes, nothing, ALL_ONE, totals.copy())
    label_of = {class_name(label): label for label in classes.tolist()}
    if strange := [name for name in class_weight if str(name) not in label_of]:
        raise BadInput(
            f"class_weight: {strange[0]!r} is not a class; the classes are {', '.join(label_of)}"
        )
    known = {label_of[str(name)]: weight for name, weight in class_weight.items()}
    return class_importance(known, classes, nothing, ALL_ONE)
