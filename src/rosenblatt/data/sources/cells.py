"""Lines and cells of delimited text."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator

from rosenblatt.errors import bad_value

SPELLINGS = [
    "", "?", "NA", "na", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "n.a.", "N.A.", "<NA>",
]  # fmt: skip
"""Spellings of a missing value in every column; Nan and Null may be names."""

MISSING = {*map(str.lower, SPELLINGS), "-", "--", ".", "none", "unknown"}
"""Spellings of a missing value among numbers, in any case."""

QUOTE, BLANKS = b'"', b" "
NO_DELIMITER = b"\x1f"
"""Delimiter for lines with one cell each; it does not occur in text."""


DELIMITERS = {
    "tab": b"\t", "\\t": b"\t", "comma": b",", "semicolon": b";", "pipe": b"|", "colon": b":",
    "blanks": BLANKS,
}  # fmt: skip
"""Delimiters by name."""


def delimiter_of(delimiter: str | None) -> bytes | None:
    """Return the delimiter as one byte, given the character or its name; None stays None.

    >>> delimiter_of("tab"), delimiter_of(";"), delimiter_of(None)
    (b'\\t', b';', None)
    """
    if delimiter is None:
        return None
    known = DELIMITERS.get(delimiter, delimiter.encode() if isinstance(delimiter, str) else b"")
    if len(known) != 1 or known in (QUOTE, b"\n", b"\r") or known.isalnum():
        raise bad_value(
            "delimiter", delimiter, f"one character such as , ; |, or one of {', '.join(DELIMITERS)}"
        )
    return known


def is_missing(cell: str) -> bool:
    """Return whether a cell among numbers spells a missing value.

    >>> is_missing(" NaN "), is_missing("--"), is_missing("0")
    (True, True, False)
    """
    return cell.strip().lower() in MISSING


def number_in(cell: str) -> float | None:
    """Return the finite number in a cell, or None.

    >>> number_in(" +1e3 "), number_in("inf"), number_in("ham")
    (1000.0, None, None)
    """
    try:
        number = float(cell) if "_" not in cell else math.nan  # 1_000 is a number in Python only
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def lines_in(content: bytes) -> Iterator[bytes]:
    """Return an iterator over the lines that are not blank.

    >>> list(lines_in(b"\\na,b\\n \\n1,2"))
    [b'a,b\\n', b'1,2']
    """
    return (line for line in io.BytesIO(content) if line.strip())


def one_delimiter(line: bytes) -> bytes:
    """Return a line whose cells are separated by exactly one blank instead of one or more.

    >>> one_delimiter(b" 1\\t2  3 ")
    b'1 2 3'
    """
    return b" ".join(line.split())


def cells_of(line: bytes, delimiter: bytes, quote: bytes = QUOTE) -> list[tuple[int, bytes]] | None:
    """Return (column, cell) for the cells of a line, with columns from 1; None if a quote is not closed.

    >>> cells_of(b'1,"a, b",3', b",")
    [(1, b'1'), (3, b'"a, b"'), (10, b'3')]
    """
    cells: list[tuple[int, bytes]] = []
    at = 0
    while True:
        if delimiter == BLANKS:
            at = len(line) - len(line[at:].lstrip())
            if at == len(line) and cells:
                return cells
        closed = at
        if quote and line[at : at + 1] == quote:
            closed = line.find(quote, at + 1) + 1
            while closed and line[closed : closed + 1] == quote:
                closed = line.find(quote, closed + 1) + 1
            if not closed:
                return None
        end = line.find(delimiter, closed)
        if delimiter == BLANKS and b"\t" in line[closed : end if end >= 0 else None]:
            end = line.find(b"\t", closed)
        cells.append((at + 1, line[at : end if end >= 0 else None]))
        if end < 0:
            return cells
        at = end + 1


def unquote(cell: bytes, quote: bytes = QUOTE) -> str:
    """Return the text of a cell, without its quotes.

    >>> unquote(b'"say ""when"" now"')
    'say "when" now'
    """
    text, mark = cell.decode(), quote.decode()
    if not mark or not text.startswith(mark):
        return text
    inside, _, behind = text[1:].rpartition(mark)
    return inside.replace(2 * mark, mark) + behind
