"""svmlight and libsvm text: one row a line, ``label index:value index:value … # comment``.

Indices count from 1; from 0 where an index 0 occurs in the file. They may stand in any order, but each
at most once in a row. ``qid:…`` is passed over. Numbers are read to the nearest double.
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.sources.scan import LARGEST_INDEX, NOT_A_PAIR, NOTE, TOO_LARGE, count, scan
from rosenblatt.sources.table import Table, tidy_labels

TOKEN = re.compile(rb"[^\s#]*")


def read_svmlight(content: bytes, name: str = "text", n_features: int | None = None) -> Table:
    """The table that svmlight text holds.

    >>> X, y, _ = read_svmlight(b"1.5 2:1\\n2 qid:7 3:4 1:5\\n")
    >>> X.toarray(), y
    (array([[0., 1., 0.],
           [5., 0., 4.]]), array([1.5, 2. ]))
    >>> read_svmlight(b"+1 1:2\\n-1 2:x\\n", "train.svm")
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: train.svm line 2: value 'x' is not a number; write index:number
    """
    from scipy.sparse import csr_array

    if not content.endswith(b"\n"):
        content += b"\n"
    text = np.frombuffer(content, np.uint8)
    colons, lines = count(text)
    labels, values, indices = np.empty(lines), np.empty(colons), np.empty(colons, np.int32)
    starts = np.empty(lines + 1, np.int64)
    status, place, n_rows, n_entries, smallest, largest, in_order = scan(
        text, labels, starts, indices, values
    )
    _settle(labels[:n_rows], content, name, "label")
    _settle(values[:n_entries], content, name, "value")
    if status in (NOT_A_PAIR, TOO_LARGE):
        raise _bad_pair(status, int(place), content, name)
    if n_rows == 0:
        raise BadInput(f"{name}: there are no rows, only blank lines and comments; give a file with rows")
    labels, starts = labels[:n_rows], starts[: n_rows + 1]
    indices, values = indices[:n_entries], values[:n_entries]
    first_index = 0 if n_entries and smallest == 0 else 1
    indices -= first_index
    found = int(largest) - first_index + 1 if n_entries else 0
    if n_features is not None and found > n_features:
        row = int(np.searchsorted(starts, np.argmax(indices >= n_features), "right")) - 1
        raise BadInput(
            f"{name} line {_line_of_row(content, row)}: an index beyond {n_features} features "
            f"(the file has {found}, counted from {first_index}); give n_features={found} or leave it out"
        )
    if found == 0 and n_features is None:
        raise BadInput(f"{name}: no row has a feature; give index:value pairs, or n_features")
    if n_entries <= LARGEST_INDEX:
        starts = starts.astype(np.int32)
    X = csr_array((values, indices, starts), shape=(int(n_rows), n_features or found))
    if not in_order:
        _sort(X, content, name, first_index)
    return Table(X, tidy_labels(labels))


def _settle(numbers: NDArray[np.float64], content: bytes, name: str, what: str) -> None:
    """Reads what the compiled walk left to Python, in place."""
    for i in np.flatnonzero(np.isnan(numbers)):
        place = int(numbers[i : i + 1].view(np.uint64)[0] & ~NOTE)
        token = _token_at(content, place)
        try:
            number = float(token) if b"_" not in token else None
        except ValueError:
            number = None
        if number is None or not math.isfinite(number):
            raise _bad_number(token, number, what, f"{name} line {_line_at(content, place)}")
        numbers[i] = number


def _bad_number(token: bytes, number: float | None, what: str, where: str) -> BadInput:
    got = token.decode(errors="replace")
    if number is not None:
        return BadInput(f"{where}: {what} {got!r} is not a finite number; drop the row or fill it in")
    if what == "value":
        return BadInput(f"{where}: value {got!r} is not a number; write index:number")
    if "," in got:
        return BadInput(
            f"{where}: {got!r} is several labels in one; this reader takes one label for each row"
        )
    return BadInput(f"{where}: expected a number as label, got {got!r}; start the line with its label")


def _bad_pair(status: int, place: int, content: bytes, name: str) -> BadInput:
    got = _token_at(content, place).decode(errors="replace")
    where = f"{name} line {_line_at(content, place)}"
    if status == TOO_LARGE:
        return BadInput(f"{where}: the index of {got!r} is above {LARGEST_INDEX}; renumber the features")
    return BadInput(f"{where}: expected index:value, got {got!r}; write indices as whole numbers")


def _sort(X: Any, content: bytes, name: str, first_index: int) -> None:
    """Brings each row's indices in order, and refuses a row that has one twice."""
    X.sort_indices()
    twice = np.flatnonzero(X.indices[1:] == X.indices[:-1]) + 1
    twice = twice[~np.isin(twice, X.indptr)]  # the same index in two rows is no harm
    if twice.size:
        row = int(np.searchsorted(X.indptr, twice[0], "right")) - 1
        raise BadInput(
            f"{name} line {_line_of_row(content, row)}: index {X.indices[twice[0]] + first_index} "
            "occurs twice; give each index at most once in a row"
        )


def _token_at(content: bytes, place: int) -> bytes:
    match = TOKEN.match(content, place)
    return match.group() if match else b""


def _line_at(content: bytes, place: int) -> int:
    return content.count(b"\n", 0, place) + 1


def _line_of_row(content: bytes, row: int) -> int:
    """The line that holds a row: looked up anew, for only an error wants it."""
    lines = (n for n, line in enumerate(content.split(b"\n"), 1) if line.partition(b"#")[0].strip())
    return next(line for seen, line in enumerate(lines) if seen == row)
