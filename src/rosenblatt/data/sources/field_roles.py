"""Determine the role of each column of a table: label, weight, number, category, text, or dropped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from rosenblatt.data.sources.arrow_cells import field_in, is_number, is_text, strings_in
from rosenblatt.data.sources.derived_fields import dates_of
from rosenblatt.data.sources.labelled_table import list_names, target_field
from rosenblatt.data.sources.notations import notation_of
from rosenblatt.errors import BadInput

LABEL, WEIGHT, LEFT_OUT = "label", "weight", "left out"
NUMBER, CATEGORY, TEXT, DATE = "number", "category", "text", "date"
FEATURES = (NUMBER, CATEGORY, TEXT, DATE)

WORDS_OF_TEXT = 3
WORDS_OF_A_NAME = 1.5
CELLS_LOOKED_AT = 1000
FEWEST_OF_A_CODE = 20
"""Rows needed to recognise IDs or a row counter."""

FEWEST_OF_A_PART, MOST_LEFT_OUT = 100, 5.0
"""Rows needed to recognise a row counter in a part of a file, and its largest mean step."""

FEWEST_FOR_A_LEAK, LEAK = 100, 0.99
"""Rows needed to decide whether one column alone predicts the label, and the accuracy required."""

ROWS_OF_A_BIN = 20

FEWEST_DOUBTED = 10
"""Up to this number of classes there is no warning, however few rows there are."""

ASKED, BY_FORMAT, LEAKING = "requested", "fixed by the format", "leaks the label"

MOSTLY_DIFFERENT = "mostly different in each row"
SINGLE_WORDS = f"single words, {MOSTLY_DIFFERENT}"
DIFFERENT_WORDS, DIFFERENT_WORDS_ALONE, LETTERS = 0.8, 0.2, 0.95
"""Least fraction of distinct words in a column of single words, the same if there are no other features,
and least fraction of words made of letters."""

PANDAS_INDEX = "__index_level_"
"""Prefix of the columns in which pandas stores its index."""


class Role(NamedTuple):
    """Hold the role of a column, and the reason for it."""

    kind: str
    why: str


def wrong_kind(kind: Any, role: str) -> str | None:
    """Return the reason why a column of an Arrow type cannot have a role, or None if it can.

    >>> wrong_kind(pa.float64(), "number"), wrong_kind(pa.string(), "number")
    (None, 'holds string, expected numbers; convert it, or name it among the categories')
    """
    words = kind.value_type if pa.types.is_dictionary(kind) else kind
    if role == NUMBER and not is_number(kind):
        return f"holds {kind}, expected numbers; convert it, or name it among the categories"
    if role == TEXT and not (is_text(words) or pa.types.is_null(kind)):
        return f"holds {kind}, expected text; convert it, or do not name it as text"
    is_date = pa.types.is_timestamp(kind) or pa.types.is_date(kind) or pa.types.is_null(kind)
    if role == DATE and not (is_text(words) or is_date):
        return f"holds {kind}, expected dates; convert it, or name it among the categories"
    if role == CATEGORY and not (is_text(words) or (is_number(words) and not pa.types.is_floating(words))):
        return f"holds {kind}, expected text or whole numbers for categories; convert it"
    return None


def roles_in(
    first: Any,
    target: str | int | None,
    weight: str | int | None,
    chosen: dict[str, Sequence[str | int]],
    labelled: bool,
    name: str,
    guesses_codes: bool = False,
) -> dict[str, Role]:
    """Return the role of each column, from the first rows of a table.

    `chosen` lists the columns whose role the user chose. With `guesses_codes`, row counters and IDs are
    dropped and dates are split into parts.

    >>> table = pa.table({"a": [1], "b": ["x"], "c": [0]})
    >>> roles = roles_in(table, None, None, {"left out": ["a"]}, True, "table")
    >>> roles["a"], roles["b"].kind, roles["c"].kind
    (Role(kind='left out', why='requested'), 'category', 'label')
    """
    names = list(first.schema.names)
    if len(set(names)) < len(names):
        twice = next(column for column in names if names.count(column) > 1)
        raise BadInput(f"{name}: several columns are named {twice!r}; give each its own name")
    roles = {
        column: Role(LEFT_OUT, "the index of a pandas table")
        for column in names
        if column.startswith(PANDAS_INDEX)
    }
    for role, columns in chosen.items():
        for which in [columns] if isinstance(columns, str | int) else columns:
            roles[_column_name(which, names, role, name)] = Role(role, ASKED)
    if weight is not None:
        roles[_column_name(weight, names, WEIGHT, name)] = Role(WEIGHT, ASKED)
    label = _label(target, [column for column in names if column not in roles], names, labelled, name)
    if label is not None:
        roles[label] = Role(LABEL, "the last column" if target is None else ASKED)
    for place, column in enumerate(names):
        cells = field_in(first, place)
        if column not in roles:
            roles[column] = _guess_role(cells, column, name, guesses_codes)
        elif roles[column].kind in FEATURES and (problem := wrong_kind(cells.type, roles[column].kind)):
            raise BadInput(f"{name}: column {column!r} {problem}")
    features = [column for column, role in roles.items() if role.kind in FEATURES]
    if len(features) == 1 and roles[features[0]].kind == CATEGORY and roles[features[0]].why != ASKED:
        cells = field_in(first, names.index(features[0]))
        roles[features[0]] = _guess_role(cells, features[0], name, guesses_codes, is_alone=True)
    if not features:
        raise BadInput(f"{name}: no column is left for the features; the table has {list_names(names)}")
    return {column: roles[column] for column in names}


def _column_name(which: str | int, names: list[str], role: str, file: str) -> str:
    """Return the name of a column, given its name or number."""
    if isinstance(which, str) and which in names:
        return which
    try:
        number = int(which)
    except ValueError:
        number = len(names)
    if not -len(names) <= number < len(names):
        raise BadInput(f"{file}: {role}: there is no column {which!r}; the columns are {list_names(names)}")
    return names[number]


def _label(
    target: str | int | None, free: list[str], names: list[str], labelled: bool, name: str
) -> str | None:
    if target is None:
        return free[-1] if free and labelled else None
    if not labelled and isinstance(target, str) and target not in names:
        return None
    return names[target_field(target, len(names), names, name)]


def _guess_role(cells: Any, column: str, name: str, guesses_codes: bool, is_alone: bool = False) -> Role:
    some = cells.slice(0, CELLS_LOOKED_AT)
    if guesses_codes and len(cells) and cells.null_count == len(cells):
        return Role(LEFT_OUT, "empty at first")
    if is_number(cells.type):
        if guesses_codes and (why := _why_id(some, column)):
            return Role(LEFT_OUT, why)
        return Role(NUMBER, "numbers")
    if guesses_codes and (notation := notation_of(some)):
        return Role(NUMBER, f"written {notation}")
    if guesses_codes and (dated := dates_of(some, column)):
        return Role(DATE, "dates and times" if dated.has_time else "dates")
    if wrong_kind(cells.type, CATEGORY):
        raise BadInput(
            f"{name}: column {column!r} holds {cells.type}, which is neither a number nor a category; "
            f"leave it out (leave_out=[{column!r}]), or convert it"
        )
    if wrong_kind(cells.type, TEXT):
        return Role(CATEGORY, "categories")
    texts = strings_in(some).drop_null().to_pylist()
    n_words = sum(len(cell.split()) for cell in texts)
    if texts and n_words >= WORDS_OF_TEXT * len(texts):
        return Role(TEXT, f"{n_words / len(texts):.0f} words on average")
    n_different = len(set(texts))
    if guesses_codes and len(texts) >= FEWEST_OF_A_CODE:
        least = (DIFFERENT_WORDS_ALONE if is_alone else DIFFERENT_WORDS) * len(texts)
        if n_words == len(texts) and n_different > least and _are_words(texts):
            return Role(TEXT, SINGLE_WORDS)
        if n_words == len(texts) and is_id_name(column) and n_different > len(texts) / 2:
            return Role(LEFT_OUT, "ID by its name")
        if n_words == len(texts) == n_different:
            return Role(LEFT_OUT, "an ID: one word, different in each row")
        if n_words >= WORDS_OF_A_NAME * len(texts) and n_different > len(texts) / 2:
            # single words that are all different would not generalise as categories
            return Role(TEXT, f"{n_words / len(texts):.1f} words on average, {MOSTLY_DIFFERENT}")
    return Role(CATEGORY, f"{n_different} values")


def _are_words(texts: list[str]) -> bool:
    """Return whether nearly all texts consist of letters, unlike IDs."""
    return sum(re.sub(r"[-'’.]", "", text.strip()).isalpha() for text in texts) >= LETTERS * len(texts)


def is_id_name(column: str) -> bool:
    """Return whether the name of a column indicates IDs, such as PassengerId, customer_id or index.

    >>> [is_id_name(name) for name in ("Bean ID", "PatientId", "row_nr", "paid", "Identity", "Number")]
    [True, True, True, False, False, False]
    """
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+", column)
    words = [part.lower() for part in parts]
    counts_rows = words[:1] == ["row"] and words[1:] in (
        ["number"],
        ["num"],
        ["no"],
        ["nr"],
        ["id"],
        ["index"],
    )
    return (
        counts_rows or words[-1:] in (["id"], ["uuid"], ["guid"]) or words in (["index"], ["unnamed", "0"])
    )


def _why_id(cells: Any, column: str) -> str | None:
    """Return the reason why integers are IDs, or None if they may be measurements.

    They are IDs if they increase by one, or by slightly more on average, as in a part of a file; or if the
    column's name indicates IDs and most rows have distinct numbers.
    """
    if cells.null_count or len(cells) < FEWEST_OF_A_CODE or pa.types.is_null(cells.type):
        return None
    numbers = cells.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    n = len(numbers)
    if not np.isfinite(numbers).all():
        return None
    is_whole = numbers == np.floor(numbers)
    steps = np.diff(numbers)
    has_few_gaps = (steps == 1.0).all() or (n >= FEWEST_OF_A_PART and steps.mean() <= MOST_LEFT_OUT)
    if is_whole.all() and (steps > 0.0).all() and has_few_gaps:
        return "running number"
    if is_id_name(column) and is_whole.mean() > 0.99 and len(np.unique(numbers)) > n / 2:
        return "ID by its name"
    return None


def without_leaks(roles: dict[str, Role], leaks: Mapping[str, bool]) -> dict[str, Role]:
    """Drop the columns that predict the label through the order of IDs, unless no feature would be left."""
    ids = {column for column, is_id in leaks.items() if is_id and roles[column].why != ASKED}
    kept = roles | dict.fromkeys(ids, Role(LEFT_OUT, LEAKING))
    return kept if any(role.kind in FEATURES for role in kept.values()) else roles


def doubts_of(first: Any, roles: dict[str, Role], leaks: Iterable[str]) -> tuple[str, ...]:
    """Return warnings with remedies: few rows per class, or a column that alone predicts the label."""
    n_seen = min(first.num_rows, CELLS_LOOKED_AT)
    doubts = [
        f"column {column!r} is different in each row, and its order predicts the label almost perfectly in "
        f"{n_seen:,} rows: it is dropped; categories=[{column!r}] keeps it"
        if roles[column].why == LEAKING
        else f"column {column!r} alone predicts the label almost perfectly in {n_seen:,} rows: if it is "
        f"not known before the label, leave it out (leave_out=[{column!r}])"
        for column in leaks
    ]
    for column, role in roles.items():
        if role.kind == LABEL:
            cells = field_in(first, first.schema.names.index(column))
            try:
                cells = (strings_in(cells) if is_text(cells.type) else cells).drop_null()
                n, n_classes = len(cells), len(cells.unique())
            except pa.ArrowNotImplementedError:  # lists and the like, which are refused as labels later
                continue
            if n >= FEWEST_OF_A_CODE and n_classes > max(FEWEST_DOUBTED, n // 4):
                doubts.append(
                    f"the label, column {column!r}, has {n_classes:,} different values in {n:,} rows: if "
                    "it is not the label, name another (target='COLUMN')"
                )
        elif role.kind == CATEGORY and role.why != ASKED:
            cells = field_in(first, first.schema.names.index(column)).slice(0, CELLS_LOOKED_AT)
            if notation := notation_of(cells):
                doubts.append(
                    f"column {column!r} looks like numbers written as {notation}, but is treated as "
                    "categories: guesses_codes=True treats them as numbers"
                )
    return tuple(doubts)


def find_leaks(first: Any, roles: dict[str, Role]) -> dict[str, bool]:
    """Return the columns that alone predict the label almost perfectly, and whether they may be IDs."""
    names = first.schema.names
    labels = [column for column, role in roles.items() if role.kind == LABEL]
    if not labels or first.num_rows < FEWEST_FOR_A_LEAK:
        return {}
    n = min(first.num_rows, CELLS_LOOKED_AT)
    rows = pa.array(np.linspace(0, first.num_rows - 1, n).astype(np.int64))  # the table may be sorted
    label = _codes(_pick(first, names.index(labels[0]), rows))
    if np.bincount(label).max() > 0.95 * n:
        return {}
    leaks = {}
    for column, role in roles.items():
        if role.kind not in (NUMBER, CATEGORY):
            continue
        cells, is_id = _pick(first, names.index(column), rows), False
        if role.kind == CATEGORY:
            n_right = _right_by_group(_codes(cells), label)
        elif is_number(cells.type):
            numbers = cells.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
            n_right = _right_by_number(numbers, label)
            is_id = bool((numbers == np.floor(numbers)).all() and len(np.unique(numbers)) == n)
        else:
            continue
        if n_right >= LEAK * n:
            leaks[column] = is_id
    return leaks


def _pick(first: Any, place: int, rows: Any) -> Any:
    """Return the cells of a column in some rows; pyarrow cannot take texts as polars stores them."""
    cells = field_in(first, place)
    return (strings_in(cells) if is_text(cells.type) else cells).take(rows)


def _right_by_number(numbers: Any, label: Any) -> int:
    """Return the number of rows whose label follows from a number or from rows with similar numbers."""
    n = len(numbers)
    values, of_value = np.unique(numbers, return_inverse=True)
    if len(values) <= n // ROWS_OF_A_BIN:
        return _right_by_group(of_value, label)
    order = np.argsort(numbers, kind="stable")
    bins = np.empty(n, np.int64)
    bins[order] = np.arange(n) // ROWS_OF_A_BIN
    # where classes meet inside a bin, the next smaller number may still predict the label
    like_previous = 1 + int(np.count_nonzero(np.diff(label[order]) == 0))
    return max(_right_by_group(bins, label), like_previous)


def _right_by_group(groups: Any, label: Any) -> int:
    """Return the number of rows with the most frequent label of their group, without groups of one row."""
    counts = np.zeros((groups.max() + 1, label.max() + 1), np.int64)
    np.add.at(counts, (groups, label), 1)
    return int(counts.max(axis=1)[counts.sum(axis=1) > 1].sum())


def _codes(cells: Any) -> Any:
    """Return integers for the first cells; equal cells get equal integers."""
    known: dict[Any, int] = {}
    cells = cells.slice(0, CELLS_LOOKED_AT)
    if pa.types.is_temporal(cells.type) and not pa.types.is_interval(cells.type):
        # Python has no times after the year 9999
        cells = cells.view(pa.int64() if cells.type.bit_width == 64 else pa.int32())
    values = cells.to_pylist()
    if pa.types.is_nested(cells.type):  # lists have no hash
        values = [repr(value) for value in values]
    return np.array([known.setdefault(value, len(known)) for value in values], np.int64)
