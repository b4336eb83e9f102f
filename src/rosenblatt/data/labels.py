"""Labels, one for each row, and their classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.errors import BadInput, UnknownClass
from rosenblatt.numeric.row_batches import chunks, plain

TEXT = "OUST"  # dtype kinds of arrays that hold text or arbitrary objects
NUMBERS = "fiub"


def check_labels(y: ArrayLike, n: int) -> NDArray[Any]:
    """Return y as an array of n class labels; refuse missing labels and real-valued measurements."""
    if y is None:
        raise BadInput("y: this estimator requires y to be passed, but the target y is None")
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise BadInput(f"y: expected one label for each row, got an array of shape {labels.shape}")
    if len(labels) != n:
        raise BadInput(f"y: {len(labels)} labels for {n} rows of X; give one label for each row")
    if labels.dtype.kind == "f":
        refuse_real_labels(labels)
    if labels.dtype.kind in "OT":
        _refuse_missing_labels(labels)
    if labels.dtype.kind in "mM" and np.isnat(labels).any():
        row = int(np.flatnonzero(np.isnat(labels))[0])
        raise BadInput(f"y: Input y contains NaN (not a time) in row {row}; drop the row or label it")
    if labels.dtype.kind == "c":
        raise BadInput("y: Unknown label type: complex numbers; give strings or whole numbers as classes")
    return labels


def _refuse_missing_labels(y: NDArray[Any]) -> None:
    for row, label in enumerate(y.tolist()):
        if isinstance(label, (tuple, list, dict, set, np.ndarray)):
            raise BadInput(
                f"y: row {row} holds a {type(label).__name__}, expected a class: a string or a number (for "
                "several labels give a table of 0 and 1; sklearn's MultiLabelBinarizer makes one)"
            )
        # NaN, NaT and NA are not equal to themselves, or not comparable
        if label is None or type(label).__name__ in ("NAType", "NaTType") or label != label:
            raise BadInput(f"y: Input y contains NaN or None in row {row}; drop the row or label it")


def refuse_real_labels(y: NDArray[Any]) -> None:
    """Raise an error if labels of a floating-point type are not whole numbers."""
    if not np.isfinite(y).all():
        row = int(np.flatnonzero(~np.isfinite(y))[0])
        raise BadInput(
            f"y: Input y contains {'NaN' if np.isnan(y[row]) else 'infinity'} in row {row}; "
            "drop the row or label it"
        )
    if (y != np.floor(y)).any():
        row = int(np.flatnonzero(y != np.floor(y))[0])
        raise BadInput(
            f"y: Unknown label type: continuous ({y[row]} in row {row}); a classifier needs classes, "
            "not measurements"
        )


def one_label(label: Any) -> Any:
    """Return a label as a dict key: NumPy scalars become Python objects."""
    if isinstance(label, np.generic):
        label = label.item()
    try:
        hash(label)
    except TypeError as error:
        raise BadInput(f"y: got {label!r}, expected a class: a string, a number, …") from error
    if label is None or label != label:
        raise BadInput(f"y: got {label!r}, expected a class; leave out rows without a label")
    return label


def classes_of(labels: NDArray[Any]) -> NDArray[Any]:
    """Return the sorted classes of checked labels."""
    if labels.dtype.kind in TEXT:
        try:
            return np.array(sorted(set(labels.tolist())), dtype=labels.dtype)
        except TypeError as error:
            raise BadInput(f"y: labels must be of one kind that can be sorted: {error}") from error
    # numbers are scanned for their extremes, because sorting would copy all of y
    low, high = labels.min(), labels.max()
    if all(
        np.count_nonzero(labels[part] == low) + np.count_nonzero(labels[part] == high) == len(labels[part])
        for part in chunks(len(labels))
    ):
        return np.array([low, high], dtype=labels.dtype)
    return np.unique(labels)


def as_labels(y: ArrayLike, classes: ArrayLike = (-1, 1)) -> NDArray[np.int8]:
    """Return labels −1 for classes[0] and +1 for classes[1]; a single class is +1.

    >>> as_labels(["b", "a", "b"], classes=["a", "b"])
    array([ 1, -1,  1], dtype=int8)
    >>> as_labels([1, 0])
    Traceback (most recent call last):
    rosenblatt.errors.UnknownClass: y: label 0 in row 1 is neither -1 nor 1
    """
    y, classes = np.asarray(y), np.asarray(classes)
    negative, positive = classes[0], classes[-1]
    if y.ndim != 1:
        raise BadInput(f"y: expected one label for each row, got an array of shape {y.shape}")
    labels = np.empty(len(y), np.int8)
    for part in chunks(len(y)):
        chunk = y[part]
        is_positive = np.asarray(chunk == positive)
        labels[part] = is_positive
        known = np.count_nonzero(is_positive)
        if len(classes) == 2 and negative != positive:
            known += np.count_nonzero(chunk == negative)
        if known != len(chunk):
            row = part.start + int(np.flatnonzero(~is_positive & (chunk != negative))[0])
            other = f"neither {plain(negative)!r} nor" if len(classes) == 2 else "not"
            got = f"y: label {plain(y[row])!r} in row {row}"
            raise UnknownClass(row, f"{got} is {other} {plain(positive)!r}")
    labels *= 2
    labels -= 1
    return labels


def places(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.int64]:
    """Return the index of each label in `classes`, which may be in any order; −1 for unknown labels.

    >>> places(np.array(["b", "c", "a"]), np.array(["b", "a"]))
    array([ 0, -1,  1])
    """
    kinds = labels.dtype.kind, classes.dtype.kind
    if any(kind in NUMBERS for kind in kinds) and any(kind in "US" for kind in kinds):
        return np.full(len(labels), -1, np.int64)
    order = np.argsort(classes, kind="stable")
    rising = classes[order]
    try:
        place = np.searchsorted(rising, labels).clip(max=len(rising) - 1)
        is_known = np.asarray(rising[place] == labels)
    except TypeError as error:
        raise BadInput(f"y: labels must be of one kind that can be sorted: {error}") from error
    return np.where(is_known, order[place], -1).astype(np.int64)


def list_classes(classes: NDArray[Any]) -> str:
    """Return a text that lists the first classes, for a message.

    >>> list_classes(np.arange(9)), list_classes(np.array(["ham", "spam"]))
    ('[0, 1, 2, 3, 4, …]', "['ham', 'spam']")
    """
    names = ", ".join(repr(plain(label)) for label in classes[:5])
    return f"[{names}{', …' if len(classes) > 5 else ''}]"


def one_class(found: Any, n: int) -> BadInput:
    return BadInput(
        f"y: only one class, {plain(found)!r}, in {n} rows; two classes are needed to learn "
        "from (partial_fit takes classes=[...] to announce the one that comes later)"
    )


def tidy_labels(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels as int64 if all are whole numbers, otherwise as float64; text stays text.

    >>> import numpy as np
    >>> tidy_labels(np.array([-1.0, 1.0])), tidy_labels(np.array([0.5, 1.0]))
    (array([-1,  1]), array([0.5, 1. ]))
    """
    if labels.dtype.kind == "S":
        return labels.astype(np.str_)
    if labels.dtype.kind == "f":
        # beyond 2^53 adjacent doubles differ by more than 1, so such a label is no exact integer
        whole = (labels == np.floor(labels)).all() and (np.abs(labels) <= 2.0**53).all()
        return labels.astype(np.int64 if whole else np.float64)
    return labels.astype(np.int64) if np.can_cast(labels.dtype, np.int64) else labels
