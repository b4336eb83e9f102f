"""Cells: delimited text split by pyarrow, and columns of text turned to numbers."""

from __future__ import annotations

import io
import itertools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput

MISSING = {"", "?", "na", "n/a", "nan", "null"}
"""How people write that a value is missing, in any case."""

SMALLEST_BLOCK = 1 << 20

QUOTE, BLANKS = b'"', b" "


def is_missing(cell: str) -> bool:
    """Whether the cell says that its value is missing.

    >>> is_missing(" NaN "), is_missing("0")
    (True, False)
    """
    return cell.strip().lower() in MISSING


def number_in(cell: str) -> float | None:
    """The finite number that the cell holds; None where it holds none.

    >>> number_in(" +1e3 "), number_in("inf"), number_in("ham")
    (1000.0, None, None)
    """
    try:
        number = float(cell) if "_" not in cell else math.nan  # 1_000 is a number in Python only
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def numbers_in(cells: Any) -> NDArray[np.float64] | tuple[int, str]:
    """The numbers in a pyarrow column of text; else the row and the text of the first that is none.

    >>> import pyarrow as pa
    >>> numbers_in(pa.array(["1", " 2.5"])), numbers_in(pa.array(["1", "ham"]))
    (array([1. , 2.5]), (1, 'ham'))
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    for tidy in (lambda cells: cells, pc.utf8_trim_whitespace):
        try:
            numbers: NDArray[np.float64] = np.asarray(pc.cast(tidy(cells), pa.float64()))
        except pa.ArrowInvalid:
            continue
        if np.isfinite(numbers).all():
            return numbers
    numbers = np.empty(len(cells))
    for row, cell in enumerate(cells.to_pylist()):
        number = number_in(cell)
        if number is None:
            return row, cell.strip()
        numbers[row] = number
    return numbers


def split(body: bytes, name: str, delimiter: bytes, n_columns: int, lines_above: int = 0) -> list[Any]:
    """The columns of delimited text without a header, as pyarrow columns of text.

    >>> [column.to_pylist() for column in split(b"1,ham\\n2,spam", "mail.csv", b",", 2)]
    [['1', '2'], ['ham', 'spam']]
    """
    import pyarrow as pa
    from pyarrow import csv

    names = [str(column) for column in range(n_columns)]
    wrong: list[Any] = []

    def note(row: Any) -> str:
        wrong.append(row)
        return "error"

    longest = max((len(line) for line in itertools.islice(io.BytesIO(body), 100)), default=0)
    try:
        table = csv.read_csv(
            pa.BufferReader(body),
            # a row must fit into a block, or pyarrow gives up
            read_options=csv.ReadOptions(column_names=names, block_size=max(SMALLEST_BLOCK, 8 * longest)),
            parse_options=csv.ParseOptions(delimiter=delimiter.decode(), invalid_row_handler=note),
            convert_options=csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string())),
        )
    except pa.ArrowInvalid as error:
        if not wrong:
            raise BadInput(f"{name}: {error}; save it as UTF-8 text, one row a line") from error
    else:
        return list(table.columns)
    lines = enumerate(body.decode(errors="replace").split("\n"), lines_above + 1)
    line = next((number for number, text in lines if text.rstrip("\r") == wrong[0].text), None)
    raise BadInput(
        f"{name}{f' line {line}' if line else ''}: {wrong[0].actual_columns} cells, expected {n_columns} "
        "as in the first line; give each row the same number of cells"
    )


def one_delimiter(line: bytes) -> bytes:
    """A line of cells with any blanks between them, with one.

    >>> one_delimiter(b" 1\\t2  3 ")
    b'1 2 3'
    """
    return b" ".join(line.split())


def cells_of(line: bytes, delimiter: bytes, has_quotes: bool = True) -> list[tuple[int, bytes]] | None:
    """The cells of a line with their columns (from 1), quotes and all; None where a quote is not closed.

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
        if has_quotes and line[at : at + 1] == QUOTE:
            closed = line.find(QUOTE, at + 1) + 1
            while closed and line[closed : closed + 1] == QUOTE:
                closed = line.find(QUOTE, closed + 1) + 1
            if not closed:
                return None
        end = line.find(delimiter, closed)
        if delimiter == BLANKS and b"\t" in line[closed : end if end >= 0 else None]:
            end = line.find(b"\t", closed)
        cells.append((at + 1, line[at : end if end >= 0 else None]))
        if end < 0:
            return cells
        at = end + 1


def unquoted(cell: bytes) -> str:
    """The text of a cell.

    >>> unquoted(b'"say ""when"" now"')
    'say "when" now'
    """
    text = cell.decode()
    if not text.startswith('"'):
        return text
    inside, _, behind = text[1:].rpartition('"')
    return inside.replace('""', '"') + behind
