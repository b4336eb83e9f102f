"""csv, tsv and other delimited text, read in blocks of whole rows.

A quoted cell may contain line ends, as `DataFrame.to_csv` writes them; a quote that is not closed makes
only its line invalid. Blanks around a cell are ignored. A cell is missing if it is empty or one of
`cells.SPELLINGS` without quotes, such as ? or NA; among numbers, -, none and unknown are missing too. true
and false are categories. A line that begins with # and has another number of cells is a comment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv

from rosenblatt.data.sources.cells import (
    BLANKS,
    QUOTE,
    SPELLINGS,
    is_missing,
    number_in,
    one_delimiter,
    unquote,
)
from rosenblatt.data.sources.chunk import NEWLINE, BadLine
from rosenblatt.data.sources.dialect import COMMENT, TAB, Dialect
from rosenblatt.data.sources.field_roles import CATEGORY, DATE, LABEL, NUMBER, TEXT, WEIGHT
from rosenblatt.data.sources.files import UTF8_MARK
from rosenblatt.data.sources.source import TextRows
from rosenblatt.data.sources.table_fields import FieldFeatures
from rosenblatt.data.sources.text_blocks import rows_in
from rosenblatt.data.sources.text_files import TableText
from rosenblatt.data.sources.wide_rows import MANY, read_wide_rows

RETURN = ord("\r")

WIDE = 256
"""With at least this many columns, missing cells are blanked before pyarrow reads them, because pyarrow
needs 60 KB per column to recognise all spellings."""

CELLS: dict[str, Any] = {
    NUMBER: pa.float64(),
    WEIGHT: pa.float64(),
    CATEGORY: pa.dictionary(pa.int32(), pa.string()),
    LABEL: pa.dictionary(pa.int32(), pa.string()),
    TEXT: pa.string(),
    DATE: pa.string(),
}
"""The Arrow type of the cells for each role."""


@dataclass(frozen=True)
class DelimitedText(TableText):
    """Read blocks of delimited text whose columns have the given names, in this order.

    >>> from rosenblatt.data.sources.delimited_inference import infer_delimited
    >>> form = infer_delimited(b"width,height,kind\\n1,2.5,ham\\n3,x,spam\\n5,6,ham\\n", "plants.csv")
    >>> chunk = form.parse(np.frombuffer(b"3,4,spam\\n5,x,ham\\n", np.uint8), begins_file=False)
    >>> chunk.X, chunk.y
    (array([[3., 4.]]), array(['spam'], dtype='<U4'))
    >>> chunk.bad[0].line, chunk.bad[0].column, chunk.bad[0].problem
    (1, 3, "column 'height' holds 'x', expected a number; correct it, or name it among the categories")
    """

    dialect: Dialect
    names: tuple[str, ...]
    columns: FieldFeatures

    @property
    def row_delimiters(self) -> bytes:
        """Return the characters after which a quote opens a cell that may contain line ends."""
        return self.dialect.row_delimiters

    @property
    def lines_before(self) -> int:
        """Return the number of nonblank lines before the first row."""
        return self.dialect.n_before + self.dialect.has_header

    def settings(self) -> dict[str, Any]:
        """Return the settings needed to read another file into the same features, for JSON."""
        form = "tsv" if self.dialect.delimiter == TAB else "csv"
        return {"format": form, "dialect": self.dialect.settings(), **self.columns.settings()}

    def for_file(self, head: bytes, name: str) -> DelimitedText:
        """Return the parser for another file: the same columns, in the order given by its first lines."""
        from rosenblatt.data.sources.delimited_inference import like_delimited  # it imports this module

        return like_delimited(self.columns, head, name, known=self.dialect)

    def read(self, text: NDArray[np.uint8], begins_file: bool) -> TextRows:
        """Return the cells of a block of whole lines."""
        lines = _Lines.in_text(text, self.row_delimiters)
        if begins_file:
            lines = lines.select(slice(self.lines_before, None))
        bad: list[BadLine] = []
        batch = self._cells(lines.body(self.dialect.delimiter), len(lines), lines.are_long)
        if batch is None:
            readable, written, bad = self._sort_out(lines)
            batch = self._cells(np.frombuffer(b"".join(written), np.uint8), len(written), lines.are_long)
            assert batch is not None
            lines = lines.select(readable)

        def place_of(row: int, column: int) -> tuple[int, int]:
            place = self.names.index(batch.schema.names[column - 1])
            cells = self.dialect.cells_of(lines.line(row)) or [(1, b"")]
            return int(lines.numbers[row]), cells[min(place, len(cells) - 1)][0]

        return TextRows(batch, place_of, bad, text.size, lines.n_lines)

    def _cells(self, body: NDArray[np.uint8], n_lines: int, are_long: bool = False) -> Any:
        """Return the used columns as a record batch, or None if a line has cells of other types."""
        there = set(self.names)
        used = set(self.columns.used_columns)
        read_as = self.columns.read_as
        kinds = {n: CELLS[read_as(n, role)] for n, role in self.columns.columns if n in used and n in there}
        if not n_lines:
            return pa.RecordBatch.from_pylist([], pa.schema(kinds))
        try:
            columns = self._read(body, kinds, are_long)
        except pa.ArrowInvalid:
            numbers = {name: kind for name, kind in kinds.items() if kind == pa.float64()}
            others = {name: kind for name, kind in kinds.items() if kind != pa.float64()}
            try:  # a quoted empty cell is a word, but among numbers it is missing
                columns = self._read(body, numbers, are_long, quoted_missing=True)
                columns |= self._read(body, others, are_long)
            except pa.ArrowInvalid:
                return None
        if any(len(column) != n_lines for column in columns.values()):
            return None
        arrays = [_tidy(columns[name]) for name in kinds]
        return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(kinds))

    def _read(
        self, body: NDArray[np.uint8], kinds: dict[str, Any], are_long: bool, quoted_missing: bool = False
    ) -> dict[str, Any]:
        """Return the columns with these Arrow types, by name."""
        if not kinds:
            return {}
        return read_cells(body, self.dialect, self.names, kinds, are_long, quoted_missing)

    def _sort_out(self, lines: _Lines) -> tuple[list[int], list[bytes], list[BadLine]]:
        """Separate the lines that pyarrow can read from malformed lines, and describe the faults."""
        readable: list[int] = []
        written: list[bytes] = []
        bad: list[BadLine] = []
        waiting = [range(len(lines))]
        while waiting:
            some = waiting.pop()
            texts = [lines.line(i) for i in some]
            ready = [one_delimiter(line) if self.dialect.delimiter == BLANKS else line for line in texts]
            together = b"".join(line + b"\n" for line in ready)
            # pyarrow accepts a quote that is closed only by the end of the text
            closed = all(QUOTE not in line or self.dialect.cells_of(line) is not None for line in texts)
            text = np.frombuffer(together, np.uint8)
            if closed and self._cells(text, len(ready), lines.are_long) is not None:
                readable += some
                written += [line + b"\n" for line in ready]
            elif len(some) > 1:
                half = len(some) // 2
                waiting += [some[half:], some[:half]]
            elif texts[0].strip(b" "):
                found = self._explain(texts[0])
                if found is None:
                    continue
                if isinstance(found, bytes):
                    readable.append(some[0])
                    written.append(found + b"\n")
                else:
                    bad.append(BadLine(int(lines.numbers[some[0]]), *found))
        return readable, written, bad

    def _explain(self, line: bytes) -> bytes | tuple[int, str] | None:
        """Return the line in a form that pyarrow can read, or the column and the reason of its fault.

        A comment gives None.
        """
        try:
            line.decode()
        except UnicodeDecodeError as error:
            return (
                error.start + 1,
                "is not UTF-8 text; name its encoding (charset='latin-1'), or save it as UTF-8",
            )
        cells = self.dialect.cells_of(line)
        if line.startswith(COMMENT) and len(cells or ()) != len(self.names):
            return None
        if cells is None:
            return line.rindex(QUOTE) + 1, (
                "a quote is not closed on its line, nor on a later one by a quote that ends a cell; close "
                "it, and double quotes within cells"
            )
        if len(cells) != len(self.names):
            column = cells[len(self.names)][0] if len(cells) > len(self.names) else len(line) + 1
            return column, (
                f"{len(cells)} cells, expected {len(self.names)} as in the first line; give each row the "
                "same number of cells"
            )
        roles = {column: self.columns.read_as(column, role) for column, role in self.columns.columns}
        written = []
        for name, (column, cell) in zip(self.names, cells, strict=True):
            if CELLS.get(roles.get(name, "")) == pa.float64():
                text = unquote(cell, self.dialect.quote)
                number = number_in(text)
                if number is None and not is_missing(text):
                    return column, (
                        f"column {name!r} holds {text.strip()!r}, expected a number; correct it, or name "
                        "it among the categories"
                    )
                cell = b"" if number is None else repr(number).encode()
            written.append(cell)
        rewritten = self.dialect.delimiter.join(written)
        if self._cells(np.frombuffer(rewritten + b"\n", np.uint8), 1, b"\n" in line) is None:
            return 1, "cannot be split into cells (is there a carriage return within the line?)"
        return rewritten


def read_cells(
    body: Any,
    dialect: Dialect,
    names: Sequence[str],
    kinds: Mapping[str, Any],
    are_long: bool = False,
    quoted_missing: bool = False,
    skips_bad: bool = False,
) -> dict[str, Any]:
    """Return the columns with the names and Arrow types `kinds`.

    `are_long` states that rows have line ends in quotes, and `skips_bad` leaves out rows with another
    number of cells; otherwise they raise `pyarrow.ArrowInvalid`.
    """
    if bytes(body[: len(UTF8_MARK)]) == UTF8_MARK:  # pyarrow would remove it from the first cell
        body = np.frombuffer(UTF8_MARK + bytes(body), np.uint8)
    text, spellings = blank_missing(body, dialect, len(names), quoted_missing)
    if len(names) >= MANY and not (dialect.quote and dialect.quote in bytes(text)):
        place_of = {name: place for place, name in enumerate(names)}
        wanted = {place_of[name]: kind for name, kind in kinds.items()}
        found = read_wide_rows(text, dialect.delimiter, len(names), wanted)
        if found is not None:
            return {names[place]: column for place, column in found.items()}
    table = csv.read_csv(
        pa.BufferReader(pa.py_buffer(text)),
        csv.ReadOptions(column_names=names, block_size=len(text) + 1, use_threads=False),
        csv.ParseOptions(
            delimiter=dialect.delimiter.decode(),
            quote_char=dialect.quote.decode() or False,
            newlines_in_values=are_long,
            invalid_row_handler=(lambda row: "skip") if skips_bad else None,
        ),
        csv.ConvertOptions(
            column_types=kinds,
            # selecting columns in pyarrow takes time quadratic in their number
            include_columns=list(kinds) if len(kinds) < len(names) else None,
            null_values=spellings,
            strings_can_be_null=True,
            quoted_strings_can_be_null=quoted_missing,
        ),
    )
    columns = (column.combine_chunks() for column in table.columns)
    return dict(zip(table.column_names, columns, strict=True))


def blank_missing(
    text: Any, dialect: Dialect, n_columns: int, quoted_missing: bool = False
) -> tuple[Any, list[str]]:
    """Return the text for pyarrow, and the spellings of missing cells in this text.

    In a wide table, missing cells are replaced by empty cells, so there is only one spelling.

    >>> blank_missing(b'NA,"NA,x",n/a,nab\\n', Dialect(b","), 1000)
    (b',"NA,x",,nab\\n', [''])
    """
    if n_columns < WIDE:
        return text, SPELLINGS
    content = bytes(text)
    if any(letter in content for letter in (b"?", b"n", b"N")):
        letter = re.escape(dialect.delimiter)
        words = b"|".join(re.escape(word.encode()) for word in SPELLINGS if word)
        missing = rb'("?)(?:%s)\1' % words if quoted_missing else b"(?:%s)" % words
        cell = rb"(?<![^%s\n])%s(?=[%s\r\n])" % (letter, missing, letter)
        if dialect.quote and QUOTE in content:  # delimiters within quotes are part of a cell
            quoted = rb'(?<![^%s\n])"(?:[^"]|"")*"' % letter
            both = re.compile(cell + rb"|(?P<quoted>" + quoted + b")")
            content = both.sub(lambda found: found["quoted"] or b"", content)
        else:
            content = re.sub(cell, b"", content)
    return content, [""]


@dataclass(frozen=True)
class _Lines:
    """Hold the nonempty rows of a text: start and end positions, and the numbers of their first lines."""

    text: NDArray[np.uint8]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    numbers: NDArray[np.int64]
    n_lines: int
    are_long: bool = False  # some row has several lines

    @staticmethod
    def in_text(text: NDArray[np.uint8], delimiters: bytes) -> _Lines:
        line_ends = ends = np.flatnonzero(text == NEWLINE)
        if delimiters and (text == ord(QUOTE)).any():
            found = np.empty(len(line_ends), np.int64)
            ends = found[: rows_in(text, text.size, delimiters, True, found)[0]] - 1
        begins = np.concatenate([[0], ends[:-1] + 1]) if ends.size else ends
        returns = (ends > begins) & (text[ends - 1] == RETURN) if ends.size else ends
        filled = np.flatnonzero(ends - returns > begins)
        are_long = len(ends) < len(line_ends)
        numbers = np.searchsorted(line_ends, begins[filled]) if are_long else filled
        return _Lines(text, begins[filled], (ends - returns)[filled], numbers, len(line_ends), are_long)

    def __len__(self) -> int:
        return len(self.numbers)

    def select(self, which: Sequence[int] | slice) -> _Lines:
        some = which if isinstance(which, slice) else np.array(which, np.int64)
        return replace(self, begins=self.begins[some], ends=self.ends[some], numbers=self.numbers[some])

    def line(self, i: int) -> bytes:
        return self.text[self.begins[i] : self.ends[i]].tobytes()

    def body(self, delimiter: bytes) -> NDArray[np.uint8]:
        """Return all lines in a form that pyarrow can split; runs of blanks become one blank."""
        if delimiter != BLANKS or not len(self):
            return self.text[self.begins[0] :] if len(self) else self.text[:0]
        lines = b"".join(one_delimiter(self.line(i)) + b"\n" for i in range(len(self)))
        return np.frombuffer(lines, np.uint8)


def _tidy(column: Any) -> Any:
    """Strip blanks from a column of categories; spellings of a missing value become missing."""
    if not pa.types.is_dictionary(column.type):
        return column
    words = column.dictionary
    trimmed = pc.utf8_trim_whitespace(words)
    changed = pc.not_equal(words, trimmed)
    if not pc.any(changed).as_py():
        return column
    cells = [
        None if is_changed and word in SPELLINGS else word
        for word, is_changed in zip(trimmed.to_pylist(), changed.to_pylist(), strict=True)
    ]
    return pa.DictionaryArray.from_arrays(column.indices, pa.array(cells, pa.string()))
