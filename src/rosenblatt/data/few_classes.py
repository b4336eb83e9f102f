"""Find the classes in large arrays of labels, without a Python object for each text label.

Labels that are not among the known classes are left to `data.labels`.
"""

from __future__ import annotations

from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.arrow_words import ArrowWords
from rosenblatt.data.labels import NUMBERS
from rosenblatt.data.sources.parsing.label_words import match
from rosenblatt.numeric.row_batches import CHUNK

MANY_ROWS = 1 << 16
MOST_WORDS = 64  # each row is compared with every class


def guess_classes(y: Any, n: int) -> NDArray[Any] | None:
    """Return the labels of the first rows, sorted, as likely classes: two integers or a few words."""
    if isinstance(y, ArrowWords) and len(y) == n >= MANY_ROWS:
        words = sorted(y.first_words())
        return np.array(words, object) if 2 <= len(words) <= MOST_WORDS else None
    if not isinstance(y, np.ndarray) or y.shape != (n,) or n == 0:
        return None
    some = y[:CHUNK]
    if y.dtype.kind in NUMBERS:
        guess = np.unique(some)
        is_sane = len(guess) == 2 and np.isfinite(guess).all() and (guess == np.floor(guess)).all()
        return guess if is_sane else None
    if n < MANY_ROWS or not (y.dtype.kind in "US" or (y.dtype.kind == "O" and _are_words(some))):
        return None
    words = sorted(set(some.tolist()))
    return np.array(words, y.dtype) if 2 <= len(words) <= MOST_WORDS else None


def find_among(labels: NDArray[Any] | ArrowWords, classes: NDArray[Any]) -> NDArray[Any] | None:
    """Return the index of each label in `classes`; None if there are many classes or unknown labels."""
    if len(labels) < MANY_ROWS or not 2 <= len(classes) <= MOST_WORDS:
        return None
    if isinstance(labels, ArrowWords):
        if not _are_words(classes):
            return None
        found = labels.places_among(classes.tolist())
        return found if found.min() >= 0 else None
    kind = labels.dtype.kind
    if kind in "US" and kind == classes.dtype.kind:
        both = np.promote_types(labels.dtype, classes.dtype)  # the wider dtype
        found = np.empty(len(labels), np.int8)  # small: new memory costs more than the comparison
        match(_pieces(labels.astype(both, copy=False)), _pieces(classes.astype(both)), found)
    elif kind == "O" and _are_words(classes):
        place_of = {label: place for place, label in enumerate(classes.tolist())}
        try:
            found = np.fromiter(map(place_of.get, labels.tolist(), repeat(-1)), np.int8, len(labels))
        except TypeError:  # a list or a dict
            return None
    else:
        return None
    return found if found.min() >= 0 else None


def _are_words(labels: NDArray[Any]) -> bool:
    return labels.dtype.kind in "US" or all(type(label) is str for label in labels.tolist())


def _pieces(words: NDArray[Any]) -> NDArray[Any]:
    """Return words of fixed width as rows of integers, each row as short as possible."""
    whole = np.ascontiguousarray(words, dtype=words.dtype.newbyteorder("="))
    size = next(size for size in (8, 4, 2, 1) if whole.dtype.itemsize % size == 0)
    return whole.view(f"u{size}").reshape(len(words), -1)
