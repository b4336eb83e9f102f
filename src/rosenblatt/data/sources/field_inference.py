"""Options for the columns of a table, and the treatment of each column derived from the first rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rosenblatt.data.sources.arrow_cells import field_in, is_number
from rosenblatt.data.sources.derived_fields import Dated, dates_of
from rosenblatt.data.sources.encoding import Encoding, FieldOptions
from rosenblatt.data.sources.field_roles import (
    CATEGORY,
    DATE,
    LABEL,
    LEFT_OUT,
    NUMBER,
    SINGLE_WORDS,
    TEXT,
    Role,
    doubts_of,
    find_leaks,
    roles_in,
    without_leaks,
)
from rosenblatt.data.sources.hashing import BITS
from rosenblatt.data.sources.notations import POINT, notation_of
from rosenblatt.data.sources.sparse_fields import SparseFields, are_sparse, infer_sparse, notes_in
from rosenblatt.data.sources.table_fields import FieldFeatures
from rosenblatt.errors import BadInput

BITS_OF_RUNS = 22
MOST_DATES = 4
"""With more date columns, the days between two of them are no features."""

LETTERS_OF_A_WORD = 1, 4
"""Lengths of character n-grams in a column of single words: better than 2 to 4, 2 to 5 and 1 to 5."""


def infer_fields(first: Any, name: str = "table", **field_options: Any) -> FieldFeatures | SparseFields:
    """Return the treatment of each column, from the first rows of a pyarrow RecordBatch or Table.

    `field_options` holds the fields of `FieldOptions`. Numbers and booleans are numbers. Strings and
    dictionaries are categories, or text if the cells have three words or more on average; `text` and
    `categories` override this. The label is `target`, by default the last column; it may be absent only
    with `labelled=False`. A table with list columns `indices` and `values` has sparse rows.

    >>> import pyarrow as pa
    >>> infer_fields(pa.table({"a": [1], "when": pa.array([0], "date64")}), target="a")
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: table: column 'when' holds date64[ms], which is neither a number nor a
    category; leave it out (leave_out=['when']), or convert it
    """
    options = FieldOptions(**field_options)
    notes = notes_in(first.schema)
    target = notes.get("target") if options.target is None else options.target
    weight = notes.get("weight") if options.weight is None else options.weight
    if are_sparse(first.schema):
        return infer_sparse(first.schema, target, weight, options.labelled, name)
    chosen = {
        LEFT_OUT: options.leave_out,
        TEXT: options.text,
        CATEGORY: options.categories,
        DATE: options.dates,
    }
    roles = roles_in(first, target, weight, chosen, options.labelled, name, options.guesses_codes)
    leaks = find_leaks(first, roles)
    roles = without_leaks(roles, leaks) if options.guesses_codes else roles
    roles, encoding = _with_letters(roles, options.encoding)
    labels = [column for column, role in roles.items() if role.kind == LABEL]
    text_labels = bool(labels) and not is_number(first.schema.field(labels[0]).type)
    columns = tuple((column, role.kind) for column, role in roles.items())
    for column in (column for pair in encoding.given_pairs for column in pair):
        if column not in roles or roles[column].kind not in (CATEGORY, NUMBER):
            raise BadInput(
                f"{name}: pairs: {column!r} is not a column of categories or numbers; name it among the "
                "categories"
            )
    runs = encoding.ngrams > 1 or encoding.characters is not None
    has_runs = runs and any(role == TEXT for _, role in columns)
    bits = (BITS_OF_RUNS if has_runs else BITS) if options.bits is None else options.bits
    dates = tuple(_date_format_of(first, column, name) for column, role in columns if role == DATE)
    return FieldFeatures(
        columns, bits, options.missing, text_labels, options.labelled, encoding, dates,
        2 <= len(dates) <= MOST_DATES,
        notations=tuple(_notation_of_column(first, column) for column, role in columns if role == NUMBER
                        and not is_number(first.schema.field(column).type)),
        reasons={column: role.why for column, role in roles.items()}, doubts=doubts_of(first, roles, leaks),
    )  # fmt: skip


def _with_letters(roles: dict[str, Role], encoding: Encoding) -> tuple[dict[str, Role], Encoding]:
    """Choose the role of columns of single words, text or category; return all roles and the encoding.

    If no other column holds text, the words are split into character n-grams (of 1 to 4 letters, unless the
    encoding states a length). Otherwise the columns become categories.
    """
    single = [column for column, role in roles.items() if role.why == SINGLE_WORDS]
    if not single:
        return roles, encoding
    has_texts = any(role.kind == TEXT and role.why != SINGLE_WORDS for role in roles.values())
    if encoding.characters is None and not has_texts:
        return roles, replace(encoding, ngrams=0, characters=LETTERS_OF_A_WORD)
    if encoding.characters is not None and not has_texts:
        return roles, encoding
    return roles | {column: Role(CATEGORY, SINGLE_WORDS) for column in single}, encoding


def _notation_of_column(first: Any, column: str) -> tuple[str, str]:
    notation = notation_of(field_in(first, first.schema.names.index(column)))
    return column, notation or POINT


def _date_format_of(first: Any, column: str, name: str) -> Dated:
    found = dates_of(field_in(first, first.schema.names.index(column)), column)
    if found is None:
        raise BadInput(
            f"{name}: column {column!r} has no dates in a known format; write them as 2024-12-31 17:30"
        )
    return found


def fields_from_settings(settings: Mapping[str, Any]) -> FieldFeatures | SparseFields:
    """Return the treatment of the columns restored from `settings()`.

    >>> fields_from_settings({"sparse": True, "target": "y", "weight": None}).target
    'y'
    """
    kind = SparseFields if "sparse" in settings else FieldFeatures
    return kind.from_settings(settings)
