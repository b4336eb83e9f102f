"""csv, tsv and other tables of cells: a line a row, the label in one column, numbers in all others.

The cells are split as text; then each feature is turned to doubles (the nearest ones), so that a cell
that is not a number can be shown with its line.
"""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.cells import is_missing, number_in, numbers_in, split
from rosenblatt.data.sources.labelled_table import Table, listed, target_column, tidy_labels
from rosenblatt.errors import BadInput

LINES_FOR_HEADER = 20


def read_delimited(
    content: bytes, name: str = "text", target: str | int | None = None, delimiter: bytes | None = None
) -> Table:
    """The table that delimited text holds; a header is known by words above numbers.

    >>> read_delimited(b"width;height;kind\\n1; 2.5;ham\\n3;4;spam\\n")
    Table(X=array([[1. , 2.5],
           [3. , 4. ]]), y=array(['ham', 'spam'], dtype='<U4'), feature_names=['width', 'height'])
    >>> read_delimited(b"1,2\\n3,x\\n", "plants.csv", target=0)
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: plants.csv line 2: column 1 holds text, 'x'; encode it as numbers or
    leave it out, or name the label's column with target
    """
    first = next(lines_in(content), None)
    if first is None:
        raise BadInput(f"{name}: there are no rows, only blank lines; give a file with rows")
    delimiter = delimiter or delimiter_of(first)
    if delimiter == b" ":  # any run of blanks is one delimiter
        content = b"\n".join(b" ".join(line.split()) for line in content.split(b"\n"))
    top = top_of(content, name, delimiter)
    n_columns = len(top[0])
    if n_columns < 2:
        raise BadInput(
            f"{name}: the first line is one cell, expected features and a label with ',', ';', "
            "a tab or blanks between them; give format='svmlight' if that is what the file holds"
        )
    names = [cell.strip() for cell in top[0]] if is_header(top) else None
    label = target_column(target, n_columns, names, name)
    above, body = _behind_first_line(content) if names else (0, content)
    cells = split(body, name, delimiter, n_columns, above)
    features = [column for column in range(n_columns) if column != label]
    X = np.empty((len(cells[label]), len(features)))
    bad: list[tuple[int, int, str]] = []
    for j, column in enumerate(features):
        numbers = numbers_in(cells[column])
        if isinstance(numbers, tuple):
            bad.append((column, *numbers))
        else:
            X[:, j] = numbers
    y, missing = _labels(cells[label])
    if missing is not None:
        bad.append((label, missing, ""))
    if bad:
        raise _bad_columns(bad, names, name, body, above)
    return Table(X, y, [names[column] for column in features] if names else None)


def lines_in(content: bytes) -> Iterator[bytes]:
    """The lines that are not blank.

    >>> list(lines_in(b"\\na,b\\n \\n1,2"))
    [b'a,b\\n', b'1,2']
    """
    return (line for line in io.BytesIO(content) if line.strip())


def delimiter_of(line: bytes) -> bytes:
    """The likeliest of ; , and tab; blanks where there is none of them.

    >>> delimiter_of(b"1,5;2,5;3\\n"), delimiter_of(b"1 2 3\\n")
    (b';', b' ')
    """
    outside_quotes = b"".join(line.strip().split(b'"')[::2])
    likeliest = max((b";", b",", b"\t"), key=outside_quotes.count)  # on a tie ;, which leaves 1,5;2,5 whole
    return likeliest if likeliest in outside_quotes else b" "


def top_of(content: bytes, name: str, delimiter: bytes, has_quotes: bool = True) -> list[list[str]]:
    """The cells of the first lines.

    >>> top_of(b"a,b\\n1,2\\n", "plants.csv", b",")
    [['a', 'b'], ['1', '2']]
    """
    lines = itertools.islice(lines_in(content), LINES_FOR_HEADER)
    try:
        quoting: Any = csv.QUOTE_MINIMAL if has_quotes else csv.QUOTE_NONE
        return list(
            csv.reader((line.decode() for line in lines), delimiter=delimiter.decode(), quoting=quoting)
        )
    except UnicodeDecodeError as error:
        raise BadInput(f"{name}: is not UTF-8 text ({error}); save it as UTF-8") from error
    except csv.Error as error:
        raise BadInput(f"{name}: the first lines cannot be split into cells: {error}") from error


def is_header(top: list[list[str]]) -> bool:
    """Whether the first line names the columns: it has a word above a number.

    A name may be a number if it counts (0, 1, 2, …): 5.1 is a value, and its line is a row.

    >>> is_header([["width", "kind"], ["1", "ham"]]), is_header([["5.1", "setosa"], ["4.9", "setosa"]])
    (True, False)
    """
    names, rows = top[0], top[1:]
    if any(number_in(cell) is not None and not cell.strip().isdigit() for cell in names):
        return False
    for column, cell in enumerate(names):
        if number_in(cell) is None and not is_missing(cell):
            below = (row[column] for row in rows if column < len(row))
            known = next((cell for cell in below if not is_missing(cell)), "")
            if number_in(known) is not None:
                return True
    return False


def _behind_first_line(content: bytes) -> tuple[int, bytes]:
    """How many lines the header and the blank lines above it take, and what comes after."""
    stripped = content.lstrip()
    _, _, body = stripped.partition(b"\n")
    return content.count(b"\n", 0, len(content) - len(body)), body


def _labels(cells: Any) -> tuple[NDArray[Any], int | None]:
    """Numbers if all labels are, else text; and the first row whose label is missing."""
    codes, texts = [], []  # few labels are different, so each is read once
    encoded = cells.dictionary_encode().unify_dictionaries()
    for chunk in encoded.chunks:
        codes.append(chunk.indices.to_numpy())
        texts = [text.strip() for text in chunk.dictionary.to_pylist()]
    code = np.concatenate(codes)
    missing = np.isin(code, [i for i, text in enumerate(texts) if is_missing(text)])
    if missing.any():
        return code, int(np.argmax(missing))
    numbers = [number_in(text) for text in texts]
    if None in numbers:
        return np.array(texts)[code], None
    return tidy_labels(np.array(numbers, dtype=np.float64)[code]), None


def _bad_columns(
    bad: list[tuple[int, int, str]], names: Sequence[str] | None, name: str, body: bytes, above: int
) -> BadInput:
    """The sentence for columns that are not all numbers: text first, else what is missing."""
    text = [trouble for trouble in bad if not is_missing(trouble[2])]
    chosen = text or bad
    _, row, cell = chosen[0]
    lines = (n for n, line in enumerate(body.split(b"\n"), above + 1) if line.rstrip(b"\r"))
    where = f"{name} line {next(itertools.islice(lines, row, None))}"
    columns: list[str | int] = [names[column] if names else column for column, _, _ in chosen]
    it = "it" if len(columns) == 1 else "them"
    which = f"column {listed(columns)} holds" if len(columns) == 1 else f"columns {listed(columns)} hold"
    if not text:
        return BadInput(f"{where}: {which} missing values; drop these rows or fill the values in")
    return BadInput(
        f"{where}: {which} text, {cell!r}; encode {it} as numbers or leave {it} out, "
        "or name the label's column with target"
    )
