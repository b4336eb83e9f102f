"""Parse y for all estimators: two classes, more than two classes, or a table of labels."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.data.arrow_words import ArrowWords
from rosenblatt.data.few_classes import find_among, guess_classes
from rosenblatt.data.labels import (
    TEXT,
    as_labels,
    check_labels,
    classes_of,
    list_classes,
    one_class,
    places,
)
from rosenblatt.errors import BadInput, UnknownClass
from rosenblatt.loops.column_targets import Classes, LabelLists, LabelTable, Targets, part_of_targets
from rosenblatt.numeric.row_batches import column_names, is_sparse, plain

ANNOUNCE = "announce every class in the first call, partial_fit(X, y, classes=[...])"
NO_ROWS: dict[type, Targets] = {
    Classes: Classes(np.empty(0, np.int64)),
    LabelTable: LabelTable(np.empty((0, 0), np.uint8)),
    LabelLists: LabelLists(np.empty(0, np.int64), np.zeros(1, np.int64)),
}


@dataclass(frozen=True)
class Target:
    """Hold the classes, and the target of each row.

    `labels` holds −1 or +1 for two classes, otherwise class numbers or sets of labels.
    """

    classes: NDArray[Any]
    labels: NDArray[np.int8] | Targets
    names: list[str] | None = None  # names of the labels, if Y is a table with names
    like: Any = None  # "sparse", or the dtype of Y; `predict` returns the same

    @property
    def has_two_classes(self) -> bool:
        return isinstance(self.labels, np.ndarray)

    @property
    def has_labels(self) -> bool:
        return isinstance(self.labels, (LabelTable, LabelLists))

    @property
    def n_columns(self) -> int | None:
        """Return the number of binary classifiers: one for each class or label; None for two classes."""
        return None if self.has_two_classes else len(self.classes)

    def no_totals(self) -> NDArray[np.float64]:
        """Return an array of zeros for the summed weights of the classes."""
        return np.zeros((len(self.classes), 2) if self.has_labels else len(self.classes))

    def table(self, positive: NDArray[np.bool_]) -> Any:
        """Return labels as a table with the type and layout of Y."""
        if not isinstance(self.like, str):
            return positive.astype(self.like)
        from scipy.sparse import csr_array

        return csr_array(positive.astype(np.int64))

    def without_rows(self) -> Target:
        """Return the target with its classes but no rows."""
        return replace(
            self,
            labels=self.labels[:0] if isinstance(self.labels, np.ndarray) else NO_ROWS[type(self.labels)],
        )

    def part(self, chosen: NDArray[np.int64]) -> Target:
        """Return the target of the chosen rows."""
        labels = self.labels
        some = labels[chosen] if isinstance(labels, np.ndarray) else part_of_targets(labels, chosen)
        return replace(self, labels=some)

    @property
    def numbers(self) -> NDArray[Any]:
        """Return the class number of each row."""
        if isinstance(self.labels, np.ndarray):
            return (self.labels > 0).astype(np.intp)
        assert isinstance(self.labels, Classes)
        return self.labels.numbers


def read_target(
    y: Any,
    n: int,
    known: NDArray[Any] | None = None,
    each_has_a_column: bool = False,
    remedy: str = f"{ANNOUNCE}, or set allow_new_classes=True",
) -> Target:
    """Return the target parsed from y, for n rows.

    `known` holds the classes if they are fixed. With `each_has_a_column`, there is a classifier for each
    class even if there are only two. `remedy` is the end of the error message for an unknown label.
    """
    if is_label_table(y):
        return read_labels(y, n)
    guess = (
        guess_classes(y, n)
        if known is None
        else known
        if isinstance(y, ArrowWords) and len(y) == n
        else None
    )
    if guess is not None:
        with suppress(UnknownClass):  # if a later row has another class, continue below
            return Target(guess, encode(y, guess, each_has_a_column))
    labels = check_labels(y, n)
    found = classes_of(labels) if known is None else known
    if known is None and len(found) == 1:
        raise one_class(found[0], n)
    try:
        return Target(found, encode(labels, found, each_has_a_column))
    except UnknownClass as error:
        raise BadInput(f"{error}; {remedy}") from error


def encode(
    labels: NDArray[Any] | ArrowWords, classes: NDArray[Any], each_has_a_column: bool = False
) -> NDArray[np.int8] | Classes:
    """Return labels −1 and +1 for two classes, otherwise class numbers."""
    if (found := find_among(labels, classes)) is not None:
        has_signs = len(classes) == 2 and not each_has_a_column
        return 2 * found - 1 if has_signs else Classes(found.astype(np.int64))
    labels = np.asarray(labels)
    if len(classes) == 2 and not each_has_a_column:
        return as_labels(labels, classes)
    numbers = places(labels, classes)
    if (numbers < 0).any():
        row = int(np.argmin(numbers))
        raise UnknownClass(
            row,
            f"y: label {plain(labels[row])!r} in row {row} is not one of the classes "
            f"{list_classes(classes)}",
        )
    return Classes(numbers)


def target_of_stream(
    y: Any, n: int, classes: ArrayLike | None, before: Target | None, allow_new_classes: bool
) -> Target:
    """Return the target parsed from a part of a stream, given the target of the earlier parts.

    New classes are added if `allow_new_classes`, otherwise they raise an error.
    """
    table = is_label_table(y)
    if before is not None and table != before.has_labels:
        raise _another_kind(table)
    if table:
        target = read_target(y, n)
        if before is not None:
            refuse_another_kind(target, before)
        if classes is not None and np.asarray(classes).tolist() != target.classes.tolist():
            raise BadInput(
                f"classes: got {classes!r}, but y is a table of labels, whose columns are the classes "
                f"0…{len(target.classes) - 1}; leave classes out"
            )
        return target
    known = None if before is None else before.classes
    if classes is not None:
        known = _with_announced(check_classes(classes), known, allow_new_classes)
    if allow_new_classes:
        fresh = _new_classes(y, n, known)
        known = fresh if known is None else np.concatenate([known, fresh])
    return read_target(y, n, known, each_has_a_column=allow_new_classes)


def refuse_another_kind(now: Target, before: Target) -> None:
    """Raise an error if y changes between classes and a table of labels, or changes its labels."""
    if now.has_labels != before.has_labels:
        raise _another_kind(now.has_labels)
    if now.has_labels and len(now.classes) != len(before.classes):
        raise BadInput(
            f"Y: a table of {len(now.classes)} labels, but learning began with {len(before.classes)}; give "
            "the same columns"
        )
    for column, (name, began) in enumerate(zip(now.names or (), before.names or (), strict=False)):
        if name != began:
            raise BadInput(
                f"Y: column {column} is {name!r} here and was {began!r} when learning began; give the same "
                "columns in the same order"
            )


def _another_kind(has_labels: bool) -> BadInput:
    now, began = ("a table of labels", "classes") if has_labels else ("classes", "a table of labels")
    return BadInput(f"y: {now} here, but learning began with {began}; continue as it began")


def _with_announced(
    given: NDArray[Any], known: NDArray[Any] | None, allow_new_classes: bool
) -> NDArray[Any]:
    """Return the known classes, combined with the classes that the call names."""
    if known is None:
        return given
    if allow_new_classes:
        return np.concatenate([known, _new_classes(given, len(given), known)])
    if not np.array_equal(given, np.sort(known)):
        raise BadInput(f"classes: got {given.tolist()}, learning began with {known.tolist()}")
    return known


def _new_classes(y: ArrayLike, n: int, known: NDArray[Any] | None) -> NDArray[Any]:
    """Return the classes of y that are not known yet, sorted."""
    labels = check_labels(y, n)
    seen = set() if known is None else set(known.tolist())
    if known is not None and len(known) and (labels.dtype.kind in TEXT) != (known.dtype.kind in TEXT):
        raise BadInput(
            f"y: labels such as {plain(labels[0])!r} here, but learning began with {plain(known[0])!r}; "
            "classes must be of one kind"
        )
    try:
        fresh = np.array(sorted(set(labels.tolist()) - seen), dtype=labels.dtype)
    except TypeError as error:
        raise BadInput(f"y: labels must be of one kind that can be sorted: {error}") from error
    if known is None or not len(fresh) or fresh.dtype.kind == known.dtype.kind or fresh.dtype.kind in TEXT:
        return fresh
    if fresh.dtype.kind == "f" and known.dtype.kind in "iu" and (np.abs(fresh) < 2**53).all():
        return fresh.astype(known.dtype)  # 2.0 is the same class as 2
    raise BadInput(
        f"y: labels of type {fresh.dtype} here, but learning began with {known.dtype}; give the same type"
    )


def check_classes(classes: ArrayLike) -> NDArray[Any]:
    """Return the classes passed to `partial_fit`, sorted."""
    try:
        given = np.asarray(classes)
        known: NDArray[Any] = np.unique(check_labels(given, len(given)))
    except (TypeError, ValueError) as error:
        raise BadInput(f"classes: expected a list of class labels, got {classes!r} ({error})") from error
    if len(known) < 2:
        raise BadInput(f"classes: expected at least two classes, got {known.tolist()}")
    return known


# ---------------------------------------------------------------- tables of labels


def is_label_table(y: Any) -> bool:
    """Return whether y is a table with one column for each label."""
    if isinstance(y, np.ndarray) and y.ndim == 1:
        return False
    if is_sparse(y):
        return True
    try:
        shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
    except ValueError as error:
        if "inhomogeneous" in str(error):
            raise BadInput(
                "Y: the rows have lists of different lengths; make a column for each label first "
                "(sklearn.preprocessing.MultiLabelBinarizer does), with 1 where a row has it"
            ) from error
        raise
    if len(shape) > 2:
        raise BadInput(
            f"Y: an array of {len(shape)} dimensions; give a class for each row, or a column for each label"
        )
    return len(shape) == 2 and shape[1] != 1


def read_labels(Y: Any, n: int) -> Target:
    """Return the target of a label table, with one column per label and 1 if a row has the label."""
    if Y.shape[0] != n if hasattr(Y, "shape") else len(Y) != n:
        raise BadInput(f"Y: {np.shape(Y)[0]} rows of labels for {n} rows of X; give one for each row")
    if np.shape(Y)[1] == 0:
        raise BadInput("Y: a table of labels without columns; give one column for each label")
    if is_sparse(Y):
        return _sparse_labels(Y)
    names = column_names(Y)
    table = np.asarray(Y)
    if table.dtype.kind == "O":
        with suppress(TypeError, ValueError):
            table = table.astype(np.float64)
    if table.dtype.kind not in "biuf":
        raise BadInput(
            f"Y: Unknown label type: multiclass-multioutput (a table of {table.dtype}); give 0 and 1, or "
            "one column of classes"
        )
    if table.dtype.kind != "b":
        strange = (table != 0) & (table != 1)
        if strange.any():
            row, column = (int(k) for k in np.argwhere(strange)[0])
            raise _not_a_label(row, column, table[row, column])
    like = table.dtype
    values = np.ascontiguousarray(table.astype(np.bool_, copy=False)).view(np.uint8)
    return Target(np.arange(values.shape[1]), LabelTable(values), names, like)


def _sparse_labels(Y: Any) -> Target:
    table = Y.tocsr().copy()
    table.sum_duplicates()
    table.eliminate_zeros()
    if table.data.dtype.kind not in "biuf" or (strange := np.flatnonzero(table.data != 1)).size:
        k = int(strange[0]) if table.data.dtype.kind in "biuf" else 0
        row = int(np.searchsorted(table.indptr, k, side="right")) - 1
        raise _not_a_label(row, int(table.indices[k]), table.data[k])
    labels = LabelLists(table.indices.astype(np.int64), table.indptr.astype(np.int64))
    return Target(np.arange(table.shape[1]), labels, None, "sparse")


def _not_a_label(row: int, column: int, value: Any) -> BadInput:
    what = "Input y contains NaN" if value != value else f"{plain(value)!r}"
    return BadInput(
        f"Y: {what} in row {row}, column {column}; a label is 0 or 1 (Unknown label type: "
        "multiclass-multioutput is not learned; fit one column after another)"
    )


def constant_labels(target: Target, n: int) -> NDArray[np.int64]:
    """Return the labels that either all or none of the n rows have; warn if there are any."""
    labels, n_columns = target.labels, len(target.classes)
    if isinstance(labels, LabelLists):
        positive = np.bincount(labels.labels, minlength=n_columns)
    elif isinstance(labels, LabelTable):
        positive = np.zeros(n_columns, np.int64)
        for first in range(0, n, 255):  # sums of 255 bits fit into a byte: eight times as fast
            positive += labels.table[first : first + 255].sum(axis=0, dtype=np.uint8)
    else:
        return np.empty(0, np.int64)
    found: NDArray[np.int64] = np.flatnonzero((positive == 0) | (positive == n))
    if found.size:
        listed = ", ".join(map(str, found[:5].tolist())) + (", …" if found.size > 5 else "")
        warnings.warn(
            f"Y: {found.size} of {n_columns} label columns are constant ({listed}); they are trained, but "
            "every answer is the same: see constant_labels_",
            stacklevel=3,  # report the line that called fit
        )
    return found
