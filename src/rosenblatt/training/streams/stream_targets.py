"""The targets of a stream: its classes are determined once, then every chunk becomes a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.labels import NUMBERS, list_classes, places, tidy_labels
from rosenblatt.data.sources.source import Source
from rosenblatt.data.targets import encode
from rosenblatt.errors import BadInput, UnknownClass
from rosenblatt.loops.column_targets import Classes
from rosenblatt.numeric.row_batches import Batch, Dense, Rows, keep_entries, plain
from rosenblatt.training.many_batch import ManyBatch
from rosenblatt.training.streams.shuffling import labels_of

MOST_NAMES = 50


@dataclass(frozen=True)
class Teaching:
    """Hold the sorted classes. The second of two classes is +1; three or more have a classifier each."""

    classes: NDArray[Any]
    has_classes = True  # each row has exactly one class; batches of labels differ

    @property
    def n_columns(self) -> int | None:
        """Return the number of classifiers; None for two classes, which need only one."""
        return None if len(self.classes) == 2 else len(self.classes)

    def numbers(self, y: NDArray[Any]) -> NDArray[np.int64]:
        """Return the index of each label in the classes, or −1 if it is not one of them."""
        return places(y, self.classes)

    def batch(self, rows: Rows, y: NDArray[Any], importance: NDArray[np.float64]) -> Batch | ManyBatch:
        """Return the examples as the batch that the training loops need."""
        try:
            taught = encode(y, self.classes)
        except UnknownClass as error:
            got, known = plain(y[error.row]), list_classes(self.classes)[1:-1]
            raise UnknownClass(
                error.row,
                f"label {got!r} is not one of the classes {known} of the first rows; name all classes in "
                "advance (classes=[…], --classes)",
            ) from error
        if isinstance(taught, Classes):
            return ManyBatch(rows, taught, importance)
        return Batch(rows, taught, importance)


def find_classes(source: Source, given: Sequence[Any] | None, first: NDArray[Any]) -> NDArray[Any]:
    """Return the classes: the given ones, or the first labels if these are exactly two classes.

    Otherwise the classes are the labels of all rows, if the source can be read again.
    """
    if given is not None:
        return _classes_from_user(given, first)
    found = set(first.tolist())
    _refuse_names(found, len(first), source.name)
    if needs_all(source, first):
        for chunk in source.chunks():
            if len(chunk):
                found |= set(labels_of(chunk, source.name).tolist())
            chunk.release()
    if len(found) < 2:
        only = f"only one class, {next(iter(found))!r}" if found else "no labels"
        raise BadInput(
            f"{source.name}: {only}; two classes are needed to learn from (list classes that "
            "appear later: classes=[…], --classes)"
        )
    if len({isinstance(label, str) for label in found}) > 1:
        raise BadInput(f"{source.name}: some labels are numbers and some are text; give labels of one kind")
    return tidy_labels(np.array(sorted(found)))


def needs_all(source: Source, first: NDArray[Any]) -> bool:
    """Return whether all labels must be read to find the classes, and can be read."""
    return len(set(first.tolist())) != 2 and not source.comes_once


def _refuse_names(found: set[Any], n_rows: int, source: str) -> None:
    """Raise an error for labels that are not classes: numbers to predict, or row IDs."""
    shown = str(next(iter(found)))[:60] if found else ""
    has_fractions = any(isinstance(label, float) and not label.is_integer() for label in found)
    if len(found) > MOST_NAMES and has_fractions:
        raise BadInput(
            f"{source}: the label has {len(found):,} different values in {n_rows:,} rows, such as {shown}: "
            "this looks like a number to predict, not a class; give target (--target), or divide the "
            "numbers into classes"
        )
    if len(found) > MOST_NAMES and 2 * len(found) > n_rows:
        raise BadInput(
            f"{source}: {len(found):,} different labels in {n_rows:,} rows, such as {shown!r}: is this "
            "the label column? If not, give target (--target)"
        )


def _classes_from_user(given: Sequence[Any], first: NDArray[Any]) -> NDArray[Any]:
    """Return the classes named by the user, converted to numbers if the labels are numbers."""
    names = list(given)
    if first.dtype.kind in NUMBERS:
        try:
            names = [float(name) for name in names]
        except ValueError as error:
            raise BadInput(f"classes: the labels are numbers, but {error}; give numbers") from error
    else:
        names = [str(name) for name in names]
    if len(set(names)) < 2:
        raise BadInput(f"classes: expected at least two classes, got {list(given)!r}")
    return tidy_labels(np.array(sorted(set(names))))


def fit_to(rows: Rows, n_features: int) -> Rows:
    """Return rows for a state with `n_features` features, without unknown features of sparse rows."""
    if isinstance(rows, Dense):
        if rows.values.shape[1] != n_features:
            raise BadInput(
                f"rows of {rows.values.shape[1]} features, but the model has {n_features}; give the "
                "columns that it was trained on"
            )
        return rows
    if rows.n_features <= n_features:
        return rows._replace(n_features=n_features)
    return keep_entries(rows, rows.indices[: int(rows.starts[-1])] < n_features, n_features)
