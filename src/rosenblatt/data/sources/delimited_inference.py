"""Determine how delimited text is read: its dialect, the names of its columns, and their kinds."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from rosenblatt.data.sources.cells import (
    BLANKS,
    NO_DELIMITER,
    QUOTE,
    SPELLINGS,
    is_missing,
    lines_in,
    number_in,
    one_delimiter,
)
from rosenblatt.data.sources.delimited_text import DelimitedText, read_cells
from rosenblatt.data.sources.derived_fields import dates_of
from rosenblatt.data.sources.dialect import (
    Dialect,
    Top,
    are_names,
    distinct_names,
    find_dialect,
    is_header,
    is_name_above_texts,
    strip_cells,
)
from rosenblatt.data.sources.encoding import FieldOptions
from rosenblatt.data.sources.field_inference import infer_fields
from rosenblatt.data.sources.field_roles import (
    CATEGORY,
    CELLS_LOOKED_AT,
    FEATURES,
    LABEL,
    NUMBER,
    TEXT,
    WORDS_OF_TEXT,
)
from rosenblatt.data.sources.notations import PLAIN, notation_of
from rosenblatt.data.sources.source import HEAD
from rosenblatt.data.sources.table_fields import FieldFeatures
from rosenblatt.errors import BadInput, counted

ENOUGH_NUMBERS = 0.5
MOST_BAD_CELLS, MOST_BAD_SHARE = 5, 0.01
"""Largest number and share of cells in a numeric column that are not numbers; with more, it is text."""

ROWS_TO_COMPARE = 5
LEADING_ZERO, CODE = re.compile(r"0\d+"), re.compile(r"\d{2,}")
LEAST_LEADING_ZEROS = 0.01


def infer_delimited(
    head: bytes,
    name: str = "text",
    delimiter: bytes | None = None,
    header: bool | None = None,
    quotes: bool | None = None,
    sample: bytes = b"",
    **field_options: Any,
) -> DelimitedText:
    """Return the parser for delimited text, derived from its first lines.

    `sample` holds later lines of the text, from which the kinds of the columns are determined too.

    >>> form = infer_delimited(b"5;red;1\\n6;blue;0\\n", "plants.csv", bits=10)
    >>> form.columns.columns, form.dialect.delimiter, form.dialect.has_header
    ((('0', 'number'), ('1', 'category'), ('2', 'label')), b';', False)
    """
    options = FieldOptions(**field_options)
    target, labelled = options.target, options.labelled
    top = _top(head, name, delimiter, quotes)
    if top.width < 2 and labelled:
        _refuse_sentences(top, name)
        raise BadInput(
            f"{name}: the first line is one cell, expected features and a label separated by ',', ';', "
            "tabs or blanks; give format='svmlight' if that is what the file holds"
        )
    first = top.first
    is_alone = len(top.rows) == 1 and all(cell and number_in(cell) is None for cell in first)
    if header is None and is_alone and labelled:
        _refuse_open_quote(head, top.dialect, name)
        raise BadInput(f"{name}: there are no rows, only a header line; give a file with rows")
    unnamed = [str(place) for place in range(len(first))]
    if header is None:
        header = (
            is_header([first, *top.rows[1:]])
            or (isinstance(target, str) and target in first and number_in(target) is None)
            or are_names(top.rows)
            or (is_alone and len(first) > 1 and len(set(first)) == len(first))
            or _stands_apart(_table(head, top.dialect, unnamed, name), target)
        )
    names = distinct_names(first) if header else unnamed
    dialect = top.dialect._replace(has_header=header)
    table = _table(head, dialect, names, name, sample)
    # text can be converted to any of these
    convertible = {*options.text, *options.categories, *options.dates}
    guessed, coded = [], []
    for place, (column, cells) in enumerate(zip(names, table.columns, strict=True)):
        is_given = bool({column, place, str(place), place - len(names)} & convertible)
        guessed.append(cells if is_given else _guess_kind(cells, options.guesses_codes))
        if not is_given and pa.types.is_floating(guessed[-1].type) and _has_codes(cells):
            coded.append((column, PLAIN))
    columns = infer_fields(pa.Table.from_arrays(guessed, names), name, **field_options)
    assert isinstance(columns, FieldFeatures)
    doubts = [
        f"column {column!r} has numbers in {_share_of_numbers(cells):.0%} of its cells and words in the "
        f"others: it is treated as {'text' if role == TEXT else 'categories'}"
        for (column, role), cells in zip(columns.columns, table.columns, strict=True)
        if role in (TEXT, CATEGORY) and column not in convertible and _is_mixed(cells)
    ]
    numbers = set(columns.names(NUMBER))
    notations = (*columns.notations, *(each for each in coded if each[0] in numbers))
    columns = replace(columns, doubts=(*columns.doubts, *doubts), notations=notations)
    for label in columns.names(LABEL):
        words = pc.unique(table.column(names.index(label)).drop_null()).to_pylist()
        words = [word for word in words if word.strip() not in SPELLINGS]  # "none" may be a class
        columns = replace(columns, text_labels=any(number_in(word) is None for word in words))
    return DelimitedText(dialect, tuple(names), columns)


def _top(head: bytes, name: str, delimiter: bytes | None, quotes: bool | None = None) -> Top:
    top = find_dialect(head, delimiter, quotes, is_all=len(head) < HEAD)
    if top is None:
        raise BadInput(f"{name}: there are no rows, only blank lines; give a file with rows")
    return top


def _refuse_open_quote(head: bytes, dialect: Dialect, name: str) -> None:
    """Raise an error if the second row opens a quote that is not closed within the first bytes."""
    first = dialect.rows_of(head)[dialect.n_before]
    begin = head.find(first) + len(first)
    line = next(lines_in(head[begin:]), b"")
    if QUOTE in line:
        number = head[: head.find(line, begin)].count(b"\n") + 1
        raise BadInput(
            f"{name} line {number}, column {line.rindex(QUOTE) + 1}: a quote is not closed within "
            f"{len(head) - begin:,} bytes; close it, and double quotes within cells"
        )


def _refuse_sentences(top: Top, name: str) -> None:
    """Raise an error if lines that are not divided into cells are sentences."""
    sizes = [sum(len(cell.split()) for cell in row) for row in top.rows]
    if sum(sizes) >= WORDS_OF_TEXT * len(sizes):
        listed = ", ".join(map(str, sizes[:3]))
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
    known: Dialect | None = None,
) -> DelimitedText:
    """Return a parser for another file with these columns; with a header, the order is arbitrary.

    The file is read in the dialect `known` if its rows then have as many cells as expected. If the model
    has only one text column, that column may have any name in the file: the file's only column is used, or
    its only column that holds text.

    >>> form = infer_delimited(b"width,colour,kind\\n5,red,1\\n6,blue,0\\n", bits=10)
    >>> like_delimited(form.columns, b"kind,colour,width\\n1,green,7\\n", "new.csv").names
    ('kind', 'colour', 'width')
    """
    needed = [column for column, role in columns.columns if role in FEATURES]
    every = [column for column, _ in columns.columns]
    unlabelled = [column for column, role in columns.columns if role != LABEL]
    has_one_text = needed == columns.names(TEXT) and len(needed) == 1
    requested = delimiter
    top = _known_top(head, known, delimiter, [every, unlabelled, needed])
    top = _top(head, name, delimiter) if top is None else top
    is_one_column = top.dialect.delimiter == BLANKS or len({len(row) for row in top.rows}) > 1
    if has_one_text and requested is None and needed[0] not in strip_cells(top.rows[0]) and is_one_column:
        top = _top(head, name, NO_DELIMITER)
    first = top.first
    if has_one_text and header is None and len(first) == 1 and first != needed:
        header = is_name_above_texts(top.rows)
    if header is None and len(first) > 1 and every == [str(place) for place in range(len(every))]:
        header = first in (every, unlabelled, needed)  # the training file had no header
    if header is None:
        header = (
            set(needed) <= set(distinct_names(first))
            or is_header([first, *top.rows[1:]])
            or (has_one_text and (_has_name(columns, first) or are_names(top.rows)))
        )
    dialect = top.dialect._replace(has_header=header)
    if header:
        first = distinct_names(first)
        if has_one_text and needed[0] not in first:
            first = _rename_text_column(first, top.rows, columns, needed[0])
        columns.places_in(first, name)
        return DelimitedText(dialect, tuple(first), columns)
    orders = [every] if columns.labelled else [every, unlabelled, needed]
    names = next((order for order in orders if len(order) == len(first)), None)
    if names is None:
        raise BadInput(
            f"{name}: has {counted(len(first), 'column')} without names, expected {len(every)} as in the "
            "first file; give it a header line"
        )
    return DelimitedText(dialect, tuple(names), columns)


def _known_top(
    head: bytes, known: Dialect | None, delimiter: bytes | None, orders: list[list[str]]
) -> Top | None:
    """Return the first rows in the dialect of the training file, or None if that dialect does not fit."""
    if known is None or delimiter not in (None, known.delimiter):
        return None
    top = find_dialect(head, known.delimiter, None if known.quote else False, len(head) < HEAD)
    if top is None or not top.score:
        return None
    if known.has_header:
        return top if {*orders[-1]} <= {*distinct_names(top.first)} else None
    return top if top.width in map(len, orders) else None


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


def _stands_apart(table: Any, target: str | int | None) -> bool:
    """Return whether the first line of a table of words contains the names of its columns.

    This is assumed if the label in the first line occurs in no other row, while the labels of other rows
    repeat.
    """
    place, n_fields = -1 if target is None else target, table.num_columns
    if not isinstance(place, int) and not place.lstrip("-").isdigit():
        return False
    if not -n_fields <= int(place) < n_fields or table.num_rows < ROWS_TO_COMPARE:
        return False
    label, *others = table.column(int(place) % n_fields).to_pylist()
    has_numbers = any(_share_of_numbers(column) >= ENOUGH_NUMBERS for column in table.columns)
    return not has_numbers and label not in others and 2 * len(set(others)) <= len(others)


def _table(head: bytes, dialect: Dialect, names: list[str], name: str, sample: bytes = b"") -> Any:
    """Return the cells of the first rows and of a sample as text, without malformed rows."""
    rows = dialect.rows_of(head, is_all=len(head) < HEAD)[dialect.n_before + dialect.has_header :]
    are_long = any(b"\n" in row.rstrip(b"\r\n") for row in rows)
    if not are_long:  # otherwise lines of the sample may be parts of rows
        rows += dialect.rows_of(sample)
    if len(rows) > 1 and not rows[-1].endswith(b"\n"):  # the last row may be cut off
        rows = rows[:-1]
    # a line that is not UTF-8 is reported when its block is parsed
    text = b"".join(rows).decode(errors="replace").encode()
    if dialect.delimiter == BLANKS:
        text = b"\n".join(map(one_delimiter, text.split(b"\n")))
    kinds = dict.fromkeys(map(str, range(len(names))), pa.string())
    if not text:
        return pa.table({place: pa.array([], kind) for place, kind in kinds.items()})
    try:
        found = read_cells(text, dialect, list(kinds), kinds, are_long, skips_bad=True)
    except pa.ArrowInvalid as error:
        raise BadInput(f"{name}: {error}; save it as UTF-8 text, one row per line") from error
    return pa.table(found)


# ---------------------------------------------------------------- kinds of columns


def _guess_kind(cells: Any, guesses_codes: bool) -> Any:
    """Return cells as numbers if they are numbers, otherwise unchanged.

    Cells such as 1,200 are text with a number notation, and 02139 is a code.
    """
    if cells.null_count == len(cells) or _share_of_numbers(cells) < ENOUGH_NUMBERS or _is_mixed(cells):
        return cells if cells.null_count < len(cells) else cells.cast(pa.float64())
    some = cells.slice(0, CELLS_LOOKED_AT).drop_null().to_pylist()
    stripped = [text for cell in some if not is_missing(text := cell.strip())]
    if _are_padded(stripped):
        return cells
    others = [text for text in stripped if number_in(text) is None]
    if guesses_codes and others and notation_of(pa.array(others)):
        return cells
    if guesses_codes and all(len(text) == 8 for text in stripped) and dates_of(pa.array(stripped), ""):
        return cells
    numbers = [None if cell is None else number_in(cell) for cell in cells.to_pylist()]
    return pa.array(numbers, pa.float64())


def _are_padded(texts: list[str]) -> bool:
    """Return whether digits are codes: all of the same length, and some begin with 0."""
    n_zeros = sum(LEADING_ZERO.fullmatch(text) is not None for text in texts)
    return (
        n_zeros > LEAST_LEADING_ZEROS * len(texts)
        and len(set(map(len, texts))) == 1
        and all(map(CODE.fullmatch, texts))
    )


def _has_codes(cells: Any) -> bool:
    """Return whether numbers have a missing value that pyarrow does not recognise, such as -."""
    words = {word.strip() for word in pc.unique(cells.drop_null()).to_pylist()}
    return any(number_in(word) is None and is_missing(word) for word in words.difference(SPELLINGS))


def _is_mixed(cells: Any) -> bool:
    """Return whether there are more words among the numbers than typing errors would explain."""
    share = _share_of_numbers(cells)
    n_words = (1.0 - share) * (len(cells) - cells.null_count)
    return ENOUGH_NUMBERS <= share < 1.0 - MOST_BAD_SHARE and round(n_words) > MOST_BAD_CELLS


def _share_of_numbers(cells: Any) -> float:
    """Return the fraction of numbers among the cells that are not missing."""
    known = cells.drop_null()
    try:
        known.cast(pa.float64())
        return 1.0
    except pa.ArrowInvalid:
        pass
    counts = pc.value_counts(known)
    n_cells = n_numbers = 0
    for word, count in zip(
        counts.field("values").to_pylist(), counts.field("counts").to_pylist(), strict=True
    ):
        is_number = number_in(word) is not None or word.strip().lower().lstrip("+-") in ("inf", "infinity")
        n_numbers += count * is_number
        n_cells += count * (is_number or not is_missing(word))
    return n_numbers / n_cells if n_cells else 0.0
