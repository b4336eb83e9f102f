"""Determine from its first lines how delimited text is read: delimiter, header, and kinds of columns."""

from __future__ import annotations

import csv
import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from rosenblatt.data.sources.cells import (
    BLANKS,
    NO_DELIMITER,
    QUOTE,
    cells_of,
    is_missing,
    lines_in,
    number_in,
    one_delimiter,
)
from rosenblatt.data.sources.delimited_text import TAB, DelimitedText, blank_missing, row_delimiters
from rosenblatt.data.sources.field_inference import FieldOptions, infer_fields
from rosenblatt.data.sources.field_roles import (
    CATEGORY,
    CELLS_LOOKED_AT,
    FEATURES,
    LABEL,
    TEXT,
    WORDS_OF_TEXT,
)
from rosenblatt.data.sources.header_lines import are_names, is_header, is_name_above_texts, strip_cells
from rosenblatt.data.sources.notations import notation_of
from rosenblatt.data.sources.source import HEAD
from rosenblatt.data.sources.table_fields import FieldFeatures
from rosenblatt.data.sources.text_blocks import rows_in
from rosenblatt.data.sources.wide_rows import MANY, read_wide_rows
from rosenblatt.errors import BadInput, counted

LINES_FOR_HEADER = 20
ENOUGH_NUMBERS = 0.5
MOST_BAD_CELLS, MOST_BAD_SHARE = 5, 0.05
"""Largest number and share of cells in a numeric column that are not numbers; with more, it is text."""

ROWS_TO_COMPARE = 5


def infer_delimited(
    head: bytes,
    name: str = "text",
    delimiter: bytes | None = None,
    header: bool | None = None,
    quotes: bool | None = None,
    **field_options: Any,
) -> DelimitedText:
    """Return the parser for delimited text, derived from its first lines.

    >>> form = infer_delimited(b"5;red;1\\n6;blue;0\\n", "plants.csv", bits=10)
    >>> form.columns.columns, form.delimiter, form.has_header
    ((('0', 'number'), ('1', 'category'), ('2', 'label')), b';', False)
    """
    options = FieldOptions(**field_options)
    target, labelled = options.target, options.labelled
    delimiter, quotes, top = _first_cells(head, name, delimiter, quotes)
    if len(top[0]) < (2 if labelled else 1):
        raise BadInput(
            f"{name}: the first line is one cell, expected features and a label separated by ',', ';', "
            "tabs or blanks; give format='svmlight' if that is what the file holds"
        )
    first = strip_cells(top[0])
    _refuse_sentences(top, delimiter, name)
    if header is None and labelled and len(top) == 1 and all(number_in(cell) is None for cell in first):
        _refuse_open_quote(head, delimiter, quotes, name)
        raise BadInput(f"{name}: there are no rows, only a header line; give a file with rows")
    if header is None:
        header = is_header(top) or (
            isinstance(target, str) and target in first and number_in(target) is None
        )
        header = (
            header or are_names(top) or _stands_apart(head, delimiter, quotes, len(first), target, name)
        )
    names = first if header else [str(place) for place in range(len(first))]
    table = _table(head, delimiter, quotes, names, header, name)
    # text can be converted to any of these
    convertible = {*options.text, *options.categories, *options.dates}
    guessed = [
        cells
        if {column, place, str(place), place - len(names)} & convertible
        else _guess_kind(cells, options.guesses_codes)
        for place, (column, cells) in enumerate(zip(names, table.columns, strict=True))
    ]
    columns = infer_fields(pa.Table.from_arrays(guessed, names), name, **field_options)
    assert isinstance(columns, FieldFeatures)
    doubts = [
        f"column {column!r} has numbers in {_share_of_numbers(cells):.0%} of its cells and words in the "
        f"others: it is treated as {'text' if role == TEXT else 'categories'}"
        for (column, role), cells in zip(columns.columns, table.columns, strict=True)
        if role in (TEXT, CATEGORY) and column not in convertible and _is_mixed(cells)
    ]
    columns = replace(columns, doubts=(*columns.doubts, *doubts))
    for label in columns.names(LABEL):
        columns = replace(columns, text_labels=_share_of_numbers(table.column(names.index(label))) < 1)
    return DelimitedText(delimiter, tuple(names), header, columns, quotes)


def _refuse_open_quote(head: bytes, delimiter: bytes, quotes: bool, name: str) -> None:
    """Raise an error if the second row opens a quote that is not closed within the first bytes."""
    rows = _rows(head, row_delimiters(delimiter) if quotes else b"")
    begin = head.find(rows[0]) + len(rows[0])
    line = next(lines_in(head[begin:]), b"")
    if QUOTE in line:
        number = head[: head.find(line, begin)].count(b"\n") + 1
        raise BadInput(
            f"{name} line {number}, column {line.rindex(QUOTE) + 1}: a quote is not closed within "
            f"{len(head) - begin:,} bytes; close it, and double quotes within cells"
        )


def _refuse_sentences(top: list[list[str]], delimiter: bytes, name: str) -> None:
    """Raise an error for lines of words with varying numbers of blanks, since they are not a table."""
    cells = [cell for row in top for cell in row]
    words = sum(number_in(cell) is None for cell in cells)
    sizes = [len(row) for row in top]
    is_ragged = 2 * sum(size != sizes[0] for size in sizes) >= len(sizes)
    if delimiter != BLANKS and sum(len(cell.split()) for cell in cells) < WORDS_OF_TEXT * len(cells):
        return
    if is_ragged and 2 * words > len(cells):
        listed = ", ".join(str(sum(len(cell.split()) for cell in row)) for row in top[:3])
        raise BadInput(
            f"{name}: holds sentences (its first lines have {listed} words), not a table; give csv with a "
            "column of texts and one of labels, or a folder with a folder of text files for each class"
        )


def like_delimited(
    columns: FieldFeatures,
    head: bytes,
    name: str,
    delimiter: bytes | None = None,
    header: bool | None = None,
) -> DelimitedText:
    """Return a parser for another file with these columns; with a header, the order is arbitrary.

    If the model has only one text column, that column may have any name in the file: the file's only column
    is used, or its only column that holds text.

    >>> known = infer_delimited(b"width,colour,kind\\n5,red,1\\n6,blue,0\\n", bits=10)
    >>> like_delimited(known.columns, b"kind,colour,width\\n1,green,7\\n", "new.csv").names
    ('kind', 'colour', 'width')
    """
    needed = [column for column, role in columns.columns if role in FEATURES]
    has_one_text = needed == columns.names(TEXT) and len(needed) == 1
    requested = delimiter
    delimiter, quotes, top = _first_cells(head, name, delimiter, None)
    if (
        has_one_text
        and requested is None
        and needed[0] not in strip_cells(top[0])
        and _is_one_column(top, delimiter)
    ):
        delimiter, quotes, top = _first_cells(head, name, NO_DELIMITER, None)
    first = strip_cells(top[0])
    if has_one_text and header is None and len(first) == 1 and first != needed:
        header = is_name_above_texts(top)
    every = [column for column, _ in columns.columns]
    unlabelled = [column for column, role in columns.columns if role != LABEL]
    if header is None and len(first) > 1 and every == [str(place) for place in range(len(every))]:
        header = first in (every, unlabelled, needed)  # the training file had no header
    if header is None:
        header = (
            set(needed) <= set(first)
            or is_header(top)
            or (has_one_text and (_has_name(columns, first) or are_names(top)))
        )
    if header:
        if has_one_text and needed[0] not in first:
            first = _rename_text_column(first, top, columns, needed[0])
        columns.places_in(first, name)
        return DelimitedText(delimiter, tuple(first), True, columns, quotes)
    orders = [every] if columns.labelled else [every, unlabelled, needed]
    names = next((order for order in orders if len(order) == len(first)), None)
    if names is None:
        raise BadInput(
            f"{name}: has {counted(len(first), 'column')} without names, expected {len(every)} as in the "
            "first file; give it a header line"
        )
    return DelimitedText(delimiter, tuple(names), False, columns, quotes)


def _is_one_column(top: list[list[str]], delimiter: bytes) -> bool:
    """Return whether each line is a text rather than a row of cells.

    Lines are texts if only blanks could separate cells, or if the number of delimiters varies.
    """
    return delimiter == BLANKS or len({len(row) for row in top}) > 1


def _has_name(columns: FieldFeatures, first: list[str]) -> bool:
    return any(column in first for column, role in columns.columns if number_in(column) is None)


def _rename_text_column(
    first: list[str], top: list[list[str]], columns: FieldFeatures, name: str
) -> list[str]:
    """Return the names of the columns; the text column gets the name that it has in the model."""
    known = {column for column, _ in columns.columns}
    places = [place for place, column in enumerate(first) if column not in known]
    if len(places) > 1:
        places = [place for place in places if is_name_above_texts([row[place : place + 1] for row in top])]
    names = [name if places == [place] else column for place, column in enumerate(first)]
    if len(names) == 2 and name in names and columns.names(LABEL) and not known.issuperset(names):
        return [name if column == name else columns.names(LABEL)[0] for column in names]
    return names


def _first_cells(
    head: bytes, name: str, delimiter: bytes | None, quotes: bool | None
) -> tuple[bytes, bool, list[list[str]]]:
    """Return the delimiter, whether quotes enclose cells, and the cells of the first lines."""
    first = next(lines_in(head), None)
    if first is None:
        raise BadInput(f"{name}: there are no rows, only blank lines; give a file with rows")
    delimiter = delimiter or delimiter_of(first)
    if quotes is None:
        quotes = delimiter not in (TAB, NO_DELIMITER) or _are_closed(head, delimiter)
    lines = b"".join(_rows(head, row_delimiters(delimiter) if quotes else b"")[:LINES_FOR_HEADER])
    # a line that is not UTF-8 is reported when its block is parsed
    readable = lines.decode(errors="replace").encode()
    return delimiter, quotes, top_of(_separate_cells(readable, delimiter), name, delimiter, quotes)


def delimiter_of(line: bytes) -> bytes:
    """Return the likeliest delimiter among ; , tab and |, or a blank if none of them occurs.

    >>> delimiter_of(b"1,5;2,5;3\\n"), delimiter_of(b"1 2 3\\n")
    (b';', b' ')
    """
    outside_quotes = b"".join(line.strip().split(b'"')[::2])
    likeliest = max(
        (b";", b",", b"\t", b"|"), key=outside_quotes.count
    )  # ties go to the semicolon, so that 1,5;2,5 has two cells
    return likeliest if likeliest in outside_quotes else b" "


def top_of(content: bytes, name: str, delimiter: bytes, has_quotes: bool = True) -> list[list[str]]:
    """Return the cells of the first lines, which must be UTF-8.

    >>> top_of(b"a,b\\n1,2\\n", "plants.csv", b",")
    [['a', 'b'], ['1', '2']]
    """
    lines = (line.decode() for line in lines_in(content))
    quoting: Any = csv.QUOTE_MINIMAL if has_quotes else csv.QUOTE_NONE
    try:
        cells = csv.reader(lines, delimiter=delimiter.decode(), quoting=quoting)
        return list(itertools.islice(cells, LINES_FOR_HEADER))
    except csv.Error as error:
        raise BadInput(f"{name}: the first lines cannot be split into cells: {error}") from error


def _stands_apart(
    head: bytes, delimiter: bytes, quotes: bool, n_fields: int, target: str | int | None, name: str
) -> bool:
    """Return whether the first line of a table of words contains the names of its columns.

    This is assumed if the label in the first line occurs in no other row, while the labels of other rows
    repeat.
    """
    place = -1 if target is None else target
    if not isinstance(place, int) and not place.lstrip("-").isdigit():
        return False
    names = [str(column) for column in range(n_fields)]
    table = _table(head, delimiter, quotes, names, False, name)
    if not -n_fields <= int(place) < n_fields or table.num_rows < ROWS_TO_COMPARE:
        return False
    label, *others = table.column(int(place) % n_fields).to_pylist()
    has_numbers = any(_share_of_numbers(column) >= ENOUGH_NUMBERS for column in table.columns)
    return not has_numbers and label not in others and 2 * len(set(others)) <= len(others)


def _are_closed(head: bytes, delimiter: bytes) -> bool:
    """Return whether every quote that opens a cell is closed.

    A quote may be closed on the same line or, in a row with as many cells as the first row, on a later
    line.
    """
    n_cells = 0
    for row in _rows(head, delimiter):
        cells = cells_of(row.rstrip(b"\r\n"), delimiter) if QUOTE in row else row.split(delimiter)
        n_cells = n_cells or len(cells or ())
        if cells is None or (b"\n" in row.rstrip(b"\r\n") and len(cells) != n_cells):
            return False
    return True


def _rows(head: bytes, delimiters: bytes) -> list[bytes]:
    """Return the rows in the first bytes; an incomplete last row is dropped unless it is the only one."""
    if not delimiters or QUOTE not in head:
        return list(lines_in(head))
    is_all = len(head) < HEAD
    ends = np.empty(head.count(b"\n"), np.int64)
    n, _ = rows_in(np.frombuffer(head, np.uint8), len(head) + 1, delimiters, is_all, ends)
    places = [0, *ends[:n].tolist(), *([len(head)] if is_all else [])]
    rows = [head[begin:end] for begin, end in itertools.pairwise(places) if head[begin:end].strip()]
    return rows or list(lines_in(head))


def _readable(rows: list[bytes], delimiter: bytes) -> bytes:
    """Return rows as UTF-8 text that pyarrow can split; a line that is not UTF-8 is reported later."""
    return _separate_cells(b"".join(rows).decode(errors="replace").encode(), delimiter)


def _separate_cells(text: bytes, delimiter: bytes) -> bytes:
    return b"\n".join(map(one_delimiter, text.split(b"\n"))) if delimiter == BLANKS else text


def _table(head: bytes, delimiter: bytes, quotes: bool, names: list[str], header: bool, name: str) -> Any:
    """Return the cells of the first complete lines as text, without malformed lines."""
    rows = _rows(head, row_delimiters(delimiter) if quotes else b"")
    are_long = any(b"\n" in row.rstrip(b"\r\n") for row in rows)
    if len(rows) > 1 + header and not rows[-1].endswith(b"\n"):  # the last row may be cut off
        rows = rows[:-1]
    if len(names) >= MANY and not (quotes and QUOTE in b"".join(rows[header:])):
        text, _ = blank_missing(_readable(rows[header:], delimiter), delimiter, len(names), quotes)
        kinds = dict.fromkeys(range(len(names)), pa.string())
        if (found := read_wide_rows(text, delimiter, len(names), kinds)) is not None:
            return pa.Table.from_arrays(list(found.values()), list(map(str, found)))
    body, spellings = blank_missing(_readable(rows, delimiter), delimiter, len(names), quotes)
    places = [str(place) for place in range(len(names))]
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(body),
            arrow_csv.ReadOptions(
                column_names=places,
                skip_rows_after_names=int(header),
                block_size=len(body) + 1,
                use_threads=False,
            ),
            arrow_csv.ParseOptions(
                delimiter=delimiter.decode(),
                quote_char='"' if quotes else False,
                newlines_in_values=are_long,
                invalid_row_handler=lambda row: "skip",
            ),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(places, pa.string()),
                null_values=spellings,
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid as error:
        raise BadInput(f"{name}: {error}; save it as UTF-8 text, one row per line") from error
    return table


def _guess_kind(cells: Any, guesses_notations: bool) -> Any:
    """Return whether a column holds text or numbers, judged by its first cells.

    Cells such as 1,200 are text with a number notation.
    """
    some = cells.slice(0, CELLS_LOOKED_AT).to_pylist()
    if _share_of_numbers(cells) < ENOUGH_NUMBERS or _is_mixed(cells):
        return cells
    others = [
        cell for cell in some if cell is not None and number_in(cell) is None and not is_missing(cell)
    ]
    if guesses_notations and others and notation_of(pa.array(others)):
        return cells
    numbers = [None if cell is None else number_in(cell) for cell in some]
    return pa.array(numbers + [None] * (len(cells) - len(some)), pa.float64())


def _is_mixed(cells: Any) -> bool:
    """Return whether there are more words among the numbers than typing errors would explain."""
    share = _share_of_numbers(cells)
    n_words = (1.0 - share) * (len(cells) - cells.null_count)
    return ENOUGH_NUMBERS <= share < 1.0 - MOST_BAD_SHARE and round(n_words) > MOST_BAD_CELLS


def _share_of_numbers(cells: Any) -> float:
    """Return the fraction of numbers among the cells that are not missing."""
    counts = pc.value_counts(cells.drop_null())
    n_cells = n_numbers = 0
    for word, count in zip(
        counts.field("values").to_pylist(), counts.field("counts").to_pylist(), strict=True
    ):
        if word == word.strip() or not is_missing(word):  # pyarrow recognises only spellings without blanks
            n_cells += count
            n_numbers += count * (number_in(word) is not None)
    return n_numbers / n_cells if n_cells else 1.0
