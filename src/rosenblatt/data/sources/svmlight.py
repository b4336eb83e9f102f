"""svmlight and libsvm text: one row per line, ``label index:value index:value … # comment``.

Indices count from 1, or from 0 if an index 0 occurs. The indices of a row may be in any order, but no index
occurs twice. ``qid:…`` is ignored. Numbers are read as the nearest doubles.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.chunk import ALL_ONE, Buffers, Chunk, explain_lines, sparse_rows
from rosenblatt.data.sources.parsing.svmlight_parser import (
    LARGEST_INDEX,
    NOTE,
    scan,
)
from rosenblatt.numeric.row_batches import take

TOKEN = re.compile(rb"[^\s#]*")
MOST_DIGITS, MOST_LETTERS = 20, 60
BLACK = re.compile(rb"[^ \t\v\f\r]+")


def buffer_for(size: int) -> tuple[NDArray[Any], ...]:
    """Return arrays that are large enough for `size` bytes: a row takes at least 2 bytes, an entry 3."""
    return _buffer(size // 2 + 1, size // 3 + 1)


def _buffer(rows: int, entries: int) -> tuple[NDArray[Any], ...]:
    return (
        np.empty(rows),
        np.empty(rows + 1, np.uint32),
        np.empty(entries, np.uint32),
        np.empty(entries),
        np.empty(rows, np.uint64),
    )


BUFFERS = Buffers(buffer_for)


@dataclass(frozen=True)
class SvmlightText:
    """Read blocks of svmlight text whose indices count from `first_index`.

    >>> text = np.frombuffer(b"+1 1:0.5 3:2  # a comment\\n-1 2:x\\n", np.uint8)
    >>> chunk = SvmlightText().parse(text)
    >>> chunk.X.toarray(), chunk.y
    (array([[0.5, 0. , 2. ]]), array([1.]))
    >>> chunk.bad[0].line, chunk.bad[0].column, chunk.bad[0].problem
    (1, 6, "value 'x' is not a number; write index:number")
    """

    first_index: int = 1
    _buffers: Buffers = field(default_factory=lambda: BUFFERS, repr=False, compare=False)

    def parse(self, text: NDArray[np.uint8], begins_file: bool = False) -> Chunk:
        """Return the rows of a block of whole lines; the last line must end with a newline."""
        buffer, release = self._buffers.take(text.size)
        labels, starts, indices, values, bad_lines = buffer
        n_rows, n_entries, n_bad, _, largest = scan(text, self.first_index, *buffer)
        labels, values = labels[:n_rows], values[:n_entries]
        starts, indices = starts[: n_rows + 1], indices[:n_entries]
        bad = bad_lines[:n_bad].tolist()
        unread = read_notes(labels, text, 0)
        places = read_notes(values, text, 0.0)
        unread |= {
            int(np.searchsorted(starts, entry, "right")) - 1: place for entry, place in places.items()
        }
        width = max(1, int(largest) - self.first_index + 1) if n_entries else 1
        rows, y = sparse_rows(values, indices, starts, width), labels
        if unread:
            kept = np.setdiff1d(np.arange(int(n_rows)), list(unread))
            rows, y = take(rows, kept), labels[kept]  # type: ignore[assignment]
        found = explain_lines(text, [*bad, *unread.values()], lambda line: explain(line, self.first_index))
        return Chunk(rows, y, ALL_ONE, text.size, bad=found, release=release)

    def settings(self) -> dict[str, Any]:
        return {"format": "svmlight", "first_index": self.first_index}


def first_index_of(head: bytes) -> int:
    """Return the first index: 0 if one of the first lines has an index 0, otherwise 1.

    >>> first_index_of(b"+1 1:2\\n-1 0:1 3:2\\n"), first_index_of(b"+1 1:2\\n-1 3:2\\n")
    (0, 1)
    """
    text = np.frombuffer(head[: head.rfind(b"\n") + 1] or head + b"\n", np.uint8)
    smallest = scan(text, 0, *buffer_for(text.size))[3]
    return 0 if smallest == 0 else 1


def read_notes(numbers: NDArray[np.float64], text: NDArray[np.uint8], instead: float) -> dict[int, int]:
    """Parse, in place, the numbers that the compiled parser left to Python.

    Replace invalid numbers by `instead`; return the text position of each, by its index in `numbers`.
    """
    bad = {}
    for i in np.flatnonzero(np.isnan(numbers)):
        place = int(numbers[i : i + 1].view(np.uint64)[0] & ~NOTE)
        number = as_number(token_at(text, place))
        if number is None or not math.isfinite(number):
            bad[int(i)] = place
        numbers[i] = instead if number is None else number
    return bad


def as_number(token: bytes) -> float | None:
    """Return the value of a token, which may be infinite, or None if it is not a number."""
    try:
        return float(token) if b"_" not in token else None  # 1_000 is a number in Python only
    except ValueError:
        return None


def shorten(token: bytes) -> str:
    """Return a token as text for an error message, shortened if it is long."""
    text = token.decode(errors="replace")
    return text if len(text) <= MOST_LETTERS else text[:MOST_LETTERS] + "…"


def token_at(text: NDArray[np.uint8], place: int) -> bytes:
    """Return the token at a position, up to the next blank."""
    length = 100
    while True:
        window = text[place : place + length].tobytes()
        token = TOKEN.match(window)
        assert token is not None
        if token.end() < len(window) or place + length >= text.size:
            return token.group()
        length *= 10


def explain(line: bytes, first_index: int = 1) -> tuple[int, str]:
    """Return the column and the reason why a line of svmlight text cannot be read.

    >>> explain(b"+1 1:2 1:3")
    (8, 'index 1 occurs twice; give each index at most once in a row')
    """
    tokens = [(match.start() + 1, match.group()) for match in BLACK.finditer(line.partition(b"#")[0])]
    (column, label), pairs = tokens[0], tokens[1:]
    if problem := _not_a_number(label, "label"):
        return column, problem
    seen: set[int] = set()
    for column, pair in pairs:
        got = shorten(pair)
        number, colon, value = pair.partition(b":")
        if colon and number == b"qid":
            continue
        if not colon or not number.isdigit():
            return column, f"expected index:value, got {got!r}; write indices as whole numbers"
        index = (
            int(number[-MOST_DIGITS:]) if not number[:-MOST_DIGITS].strip(b"0") else int(LARGEST_INDEX) + 1
        )
        if index > LARGEST_INDEX:
            return column, f"the index of {got!r} is above {LARGEST_INDEX}; renumber the features"
        if problem := _not_a_number(value, "value"):
            return column + len(number) + 1, problem
        if index < first_index:
            return column, (
                f"index {index}, but the first lines count from {first_index}; give first_index=0 for all "
                "files of this model"
            )
        if index in seen:
            return column, f"index {index} occurs twice; give each index at most once in a row"
        seen.add(index)
    raise AssertionError(f"nothing is wrong with {line!r}")


def _not_a_number(token: bytes, what: str) -> str | None:
    number, got = as_number(token), shorten(token)
    if number is not None and math.isfinite(number):
        return None
    if number is not None:
        return f"{what} {got!r} is not a finite number; drop the row or fill it in"
    if what == "value":
        return f"value {got!r} is not a number; write index:number"
    if "," in got:
        return f"{got!r} contains several labels; this reader takes one label per row"
    return f"expected a number as label, got {got!r}; start the line with its label"
