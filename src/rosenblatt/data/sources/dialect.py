"""The dialect of delimited text: delimiter, quotes, lines before the table, and the header line.

The delimiter is the candidate under which most rows have the same number of cells and most cells contain no
other delimiter, after CleverCSV (van den Burg, Nazábal and Sutton, 2019).
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from rosenblatt.data.sources.cells import (
    BLANKS,
    NO_DELIMITER,
    QUOTE,
    cells_of,
    is_missing,
    lines_in,
    number_in,
    unquote,
)
from rosenblatt.data.sources.field_roles import WORDS_OF_TEXT
from rosenblatt.data.sources.text_blocks import rows_in

TAB, APOSTROPHE, COMMENT = b"\t", b"'", b"#"
CANDIDATES = {b";": 1.0, b",": 1.0, TAB: 1.0, b"|": 1.0, BLANKS: 0.6, b"^": 0.5, b":": 0.5}
"""Delimiters with a factor for their score: a blank, ^ or : is more often part of a cell."""

ROWS_COMPARED, BYTES_COMPARED, CELLS_COMPARED = 200, 1 << 18, 5000
LEAST_REGULAR, LEAST_REGULAR_BLANKS = 0.5, 0.9
"""Least share of rows with the same number of cells, and that share if blanks separate the cells."""

COUNTED = 3
NAMES_OF_LABELS = {
    "label", "labels", "class", "target", "kind", "category", "species", "outcome", "sentiment",
}  # fmt: skip
_ONE_CELL = re.compile(r"[^,;\t|\"]*|\s*[-+]?[$€£]?\d+([.,' ]\d{3})*([.,]\d+)?\s*[%€$£]?\s*")


class Dialect(NamedTuple):
    """State how text is divided into rows and cells."""

    delimiter: bytes
    quote: bytes = QUOTE  # empty: a quote is an ordinary character
    n_before: int = 0  # nonblank lines before the header, or before the first row
    has_header: bool = False

    @property
    def row_delimiters(self) -> bytes:
        """Return the characters after which a quote opens a cell that may contain line ends."""
        if self.quote != QUOTE:
            return b""
        return BLANKS + TAB if self.delimiter == BLANKS else self.delimiter

    def cells_of(self, line: bytes) -> list[tuple[int, bytes]] | None:
        """Return (column, cell) for the cells of a line; None if a quote is not closed."""
        return cells_of(line, self.delimiter, self.quote)

    def texts_of(self, line: bytes) -> list[str]:
        """Return the texts of the cells of a line; a line with an open quote is one cell."""
        line = line.rstrip(b"\r\n")
        if not self.quote or self.quote not in line:
            parts = line.split() if self.delimiter == BLANKS else line.split(self.delimiter)
            return [part.decode(errors="replace") for part in parts]
        cells = self.cells_of(line)
        if cells is None:
            return [line.decode(errors="replace")]
        return [unquote(cell.decode(errors="replace").strip().encode(), self.quote) for _, cell in cells]

    def rows_of(self, text: bytes, is_all: bool = True) -> list[bytes]:
        """Return the nonblank rows of a text; an incomplete last row is dropped unless it is the only one.

        >>> Dialect(b",").rows_of(b'a,b\\n\\n1,"x\\ny"\\n2,', is_all=False)
        [b'a,b\\n', b'1,"x\\ny"\\n']
        """
        if not self.row_delimiters or QUOTE not in text:
            rows = list(lines_in(text))
        else:
            ends = np.empty(text.count(b"\n"), np.int64)
            letters = np.frombuffer(text, np.uint8)
            n, _ = rows_in(letters, len(text) + 1, self.row_delimiters, is_all, ends)
            places = [0, *ends[:n].tolist(), *([len(text)] if is_all else [])]
            rows = [text[begin:end] for begin, end in itertools.pairwise(places) if text[begin:end].strip()]
            rows = rows or list(lines_in(text))
        return rows[:-1] if len(rows) > 1 and not is_all and not rows[-1].endswith(b"\n") else rows

    def settings(self) -> dict[str, Any]:
        """Return the dialect for JSON; other files may have other lines before the table."""
        return {
            "delimiter": self.delimiter.decode(), "quote": self.quote.decode(), "header": self.has_header,
        }  # fmt: skip

    @staticmethod
    def from_settings(settings: Mapping[str, Any]) -> Dialect:
        """Return the dialect with these settings.

        >>> Dialect.from_settings(Dialect(b";", has_header=True).settings()).delimiter
        b';'
        """
        delimiter, quote = settings["delimiter"].encode(), settings["quote"].encode()
        return Dialect(delimiter, quote, 0, bool(settings["header"]))


class Top(NamedTuple):
    """Hold the dialect of a text, and the cells of its first rows."""

    dialect: Dialect
    rows: list[list[str]]
    width: int  # the number of cells in most rows
    score: float = 1.0

    @property
    def first(self) -> list[str]:
        """Return the cells of the first row; a header may lack the name of the first or the last column."""
        first = strip_cells(self.rows[0])
        if len(first) == self.width - 1 and first and all(map(_is_word, first)):
            ends = [row[-1] for row in self.rows[1:] if len(row) == self.width]
            return [*first, ""] if not any(cell.strip() for cell in ends) else ["", *first]
        return first if len(first) == self.width else [""] * self.width


def find_dialect(
    head: bytes, delimiter: bytes | None = None, quotes: bool | None = None, is_all: bool = True
) -> Top | None:
    """Return the dialect of a text, derived from its first lines, or None if there are no rows.

    The header is not decided here. If no delimiter occurs regularly, each line is one cell.

    >>> find_dialect(b"Sales; 2024\\n\\nid;x\\n1;2,5\\n2;3,5\\n").dialect
    Dialect(delimiter=b';', quote=b'"', n_before=0, has_header=False)
    >>> find_dialect(b"# two columns\\na b\\n1 2\\n").dialect.n_before
    1
    """
    piece = head[:BYTES_COMPARED]
    if piece.count(b"\n") < COUNTED:
        piece = head
    ends_file = is_all
    is_all = is_all and len(piece) == len(head)
    declared = re.match(rb"\s*sep=(.)\r?\n", piece)
    if declared and delimiter is None:
        delimiter = declared[1]
    if not piece.strip():
        return None
    candidates = [delimiter] if delimiter else [each for each in CANDIDATES if each in piece]
    if BLANKS not in candidates and TAB in candidates and len(candidates) > 1:
        candidates.append(BLANKS)  # blanks may be tabs
    tops = [_top(piece, each, _has_quotes(head, each, quotes, ends_file), is_all) for each in candidates]
    if delimiter:
        return tops[0]
    one = _top(piece, NO_DELIMITER, _has_quotes(head, NO_DELIMITER, quotes, ends_file), is_all)
    found = max((top for top in tops if top.score > 0.0), key=lambda top: top.score, default=one)
    if found.dialect.delimiter == b":" and all(map(_is_moment, itertools.chain(*one.rows[1:]))):
        return one
    return found


def _is_moment(line: str) -> bool:
    return re.fullmatch(r"[-\d]*[T ]?\d+:\d\d(:\d\d)?([.,]\d+)?\w*", line.strip()) is not None


def _has_quotes(head: bytes, delimiter: bytes, quotes: bool | None, ends_file: bool) -> bool:
    """Return whether quotes enclose cells; between tabs, every quote that opens a cell must be closed."""
    if quotes is not None or delimiter not in (TAB, NO_DELIMITER) or QUOTE not in head:
        return quotes is not False
    dialect = Dialect(delimiter)
    return _are_closed(dialect.rows_of(head, ends_file), dialect)


def _top(piece: bytes, delimiter: bytes, quotes: bool, is_all: bool) -> Top:
    """Return the first rows as cells separated by this delimiter."""
    dialect = Dialect(delimiter)
    rows = dialect.rows_of(piece, is_all)[:ROWS_COMPARED]
    cells = [dialect.texts_of(row) for row in rows]
    if not quotes or _are_apostrophes(piece, delimiter):
        dialect = Dialect(delimiter, APOSTROPHE if quotes else b"")
        rows = dialect.rows_of(piece, is_all)[:ROWS_COMPARED]
        cells = [dialect.texts_of(row) for row in rows]
    remarks = [row.lstrip().startswith(COMMENT) for row in rows]
    if 2 * sum(remarks) >= len(rows):
        remarks = [False] * len(rows)
    for k in np.flatnonzero(remarks).tolist():  # it may be the header
        cells[k] = dialect.texts_of(rows[k].lstrip(b"# "))
    table = [row for row, is_remark in zip(cells, remarks, strict=True) if not is_remark]
    widths = Counter(len(row) for row in table)
    width, n = max(widths.items(), key=lambda each: (each[1], each[0]))
    if width == 1 and len(widths) > 1 and delimiter != BLANKS:  # lines before a short table
        wider = {size: count for size, count in widths.items() if size > 1}
        size, count = max(wider.items(), key=lambda each: (each[1], each[0]))
        if all(len(row) == size for row in table[-count:]):
            width, n = size, count
    n_before = _n_before(cells, remarks, width)
    after = sum(not is_remark for is_remark in remarks[n_before:])
    regular = n / max(1, after, n)
    is_regular = regular >= (LEAST_REGULAR_BLANKS if delimiter == BLANKS else LEAST_REGULAR)
    alike = [cell for row in cells[n_before:] if len(row) == width for cell in row][:CELLS_COMPARED]
    known = sum(_ONE_CELL.fullmatch(cell) is not None for cell in alike) / max(1, len(alike))
    score = CANDIDATES.get(delimiter, 1.0) * regular * known * (width - 1) / width if is_regular else 0.0
    kept = [
        row for row, is_remark in zip(cells[n_before + 1 :], remarks[n_before + 1 :], strict=True)
        if not is_remark
    ]  # fmt: skip
    return Top(dialect._replace(n_before=n_before), [cells[n_before], *kept], width, score)


def _n_before(cells: list[list[str]], remarks: list[bool], width: int) -> int:
    """Return the number of lines before the table: comments, "sep=;", and titles with few cells."""
    first = next((k for k, row in enumerate(cells) if len(row) == width and not remarks[k]), 0)
    if (
        first
        and remarks[first - 1]
        and len(cells[first - 1]) == width
        and any(map(_is_number, cells[first]))
    ):
        return first - 1  # a header after #, as numpy.savetxt writes it
    lead = [k for k in range(first) if not remarks[k]]
    if not lead:
        return first
    last = cells[lead[-1]]
    lacks_one_name = len(last) == width - 1 and (width > 2 or not re.search(r"[\s=]", last[0].strip()))
    if lacks_one_name and all(map(_is_word, last)):
        return lead[-1]
    titles = all(2 * sum(map(_is_number, cells[k])) < len(cells[k]) <= width for k in lead)
    return first if titles and len(cells) > first + 1 else lead[0]


def _is_number(cell: str) -> bool:
    return number_in(cell) is not None


def _is_word(cell: str) -> bool:
    return number_in(cell) is None and not is_missing(cell)


def _are_closed(rows: list[bytes], dialect: Dialect) -> bool:
    """Return whether every quote that opens a cell is closed.

    A quote may be closed on the same line or, in a row with as many cells as the first row, on a later
    line.
    """
    n_cells = 0
    for row in rows:
        cells = dialect.cells_of(row.rstrip(b"\r\n"))
        n_cells = n_cells or len(cells or ())
        if cells is None or (b"\n" in row.rstrip(b"\r\n") and len(cells) != n_cells):
            return False
    return True


def _are_apostrophes(piece: bytes, delimiter: bytes) -> bool:
    """Return whether cells are enclosed in apostrophes, which then contain delimiters or blanks."""
    mark, letter = re.escape(APOSTROPHE), re.escape(delimiter)
    if re.search(rb"(?:^|%s)%s" % (letter, QUOTE), piece, re.MULTILINE):
        return False
    opened = len(re.findall(rb"(?:^|%s)%s" % (letter, mark), piece, re.MULTILINE))
    closed = rb"(?:^|%s)%s[^'\n]+%s(?=%s|\r?$)" % (letter, mark, mark, letter)
    return opened > 1 and len(re.findall(closed, piece, re.MULTILINE)) == opened


# ---------------------------------------------------------------- the header


def is_header(top: list[list[str]]) -> bool:
    """Return whether the first line names the columns.

    A first line with a word above a number names the columns, and so does a first line that numbers them
    (0, 1, 2, …). A first line with any other number, such as 5.1, is a row.

    >>> is_header([["width", "kind"], ["1", "ham"]]), is_header([["5.1", "setosa"], ["4.9", "setosa"]])
    (True, False)
    >>> is_header([["0", "1", "2", "kind"], ["4.9", "0.5", "1", "ham"]])
    True
    """
    names, rows = top[0], top[1:]
    if any(_is_number(cell) and not cell.strip().isdigit() for cell in names):
        return False
    for column, cell in enumerate(names):
        if _is_word(cell):
            below = (row[column] for row in rows if column < len(row))
            known = next((cell for cell in below if not is_missing(cell)), "")
            if _is_number(known):
                return True
    return _counts_columns(strip_cells(names)) and any(
        _is_number(cell) and not cell.strip().isdigit() for row in rows for cell in row
    )


def _counts_columns(names: list[str]) -> bool:
    """Return whether at least three names are numbers, each equal to its column's index (as in pandas)."""
    numbers = [(column, name) for column, name in enumerate(names) if name.isdigit()]
    return len(numbers) >= COUNTED and all(name == str(column) for column, name in numbers)


def are_names(top: list[list[str]]) -> bool:
    """Return whether the first line of a table of words contains the names of its columns.

    All cells of the line must be short and distinct. In addition, one cell must head a column of texts, or
    be a usual name of a label column (such as "label") that no later row contains.
    """
    first, rows = strip_cells(top[0]), [row for row in top[1:] if len(row) == len(top[0])]
    if not rows or len(set(first)) < len(first) or any(len(cell.split()) > 2 for cell in first):
        return False
    if not all(map(_is_word, first)):
        return False
    for place, cell in enumerate(first):
        below = [row[place] for row in rows]
        if is_name_above_texts([[cell], *([text] for text in below)]):
            return True
        if cell.lower() in NAMES_OF_LABELS and cell not in strip_cells(below):
            return True
    return False


def is_name_above_texts(top: list[list[str]]) -> bool:
    """Return whether the first text names the column: it has at most two words, above longer texts."""
    words = [len(row[0].split()) for row in top if row]
    return len(words) > 1 and words[0] <= 2 and sum(words[1:]) >= WORDS_OF_TEXT * len(words[1:])


def strip_cells(cells: list[str]) -> list[str]:
    return [cell.strip() for cell in cells]


def distinct_names(names: list[str]) -> list[str]:
    """Return names of columns as pandas gives them: a, a.1, and "Unnamed: 2" for an empty name.

    >>> distinct_names(["a", "a", "", "a"])
    ['a', 'a.1', 'Unnamed: 2', 'a.2']
    """
    found: list[str] = []
    times: Counter[str] = Counter()
    known = set(names)
    for place, name in enumerate(names):
        name = made = name or f"Unnamed: {place}"
        while times[name] and (made := f"{name}.{times[name]}") in known:
            times[name] += 1
        times[name] += 1
        found.append(made)
    return found
