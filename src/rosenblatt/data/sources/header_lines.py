"""Determine whether the first line of a table contains the names of its columns."""

from __future__ import annotations

from rosenblatt.data.sources.cells import is_missing, number_in
from rosenblatt.data.sources.field_roles import WORDS_OF_TEXT

COUNTED = 3
NAMES_OF_LABELS = {
    "label",
    "labels",
    "class",
    "target",
    "kind",
    "category",
    "species",
    "outcome",
    "sentiment",
}


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
    if any(number_in(cell) is not None and not cell.strip().isdigit() for cell in names):
        return False
    for column, cell in enumerate(names):
        if number_in(cell) is None and not is_missing(cell):
            below = (row[column] for row in rows if column < len(row))
            known = next((cell for cell in below if not is_missing(cell)), "")
            if number_in(known) is not None:
                return True
    return _counts_columns(strip_cells(names)) and any(
        number_in(cell) is not None and not cell.strip().isdigit() for row in rows for cell in row
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
    if any(number_in(cell) is not None or is_missing(cell) for cell in first):
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
