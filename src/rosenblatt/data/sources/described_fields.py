"""Describe how each column of a table is treated, and which option changes the treatment."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any, NamedTuple

from rosenblatt.data.sources.field_roles import (
    ASKED,
    BY_FORMAT,
    CATEGORY,
    DATE,
    LABEL,
    LEFT_OUT,
    NUMBER,
    TEXT,
    WEIGHT,
)
from rosenblatt.data.sources.table_fields import FieldFeatures

FEWEST_TOGETHER, MOST_NAMES = 4, 8
LINE, WIDTHS = 80, (17, 21, 15, 7, 12)
"""Width of the table, and the largest widths of its columns; the reason and the name get the rest."""

NUMBERS = {
    "given": "numbers", "standard": "numbers, standardised", "largest": "numbers, scaled",
    "rank": "numbers, as ranks", "piecewise": "numbers, piecewise", "bins": "numbers, in ranges",
}  # fmt: skip
RUNS = {0: "characters", 1: "words", 2: "words and word pairs", 3: "words, pairs and triples"}


class Described(NamedTuple):
    """Describe how a column is treated.

    The fields are its treatment, the reason, the number of missing values (None: not counted), and the
    option that changes the treatment.

    >>> Described("age", "numbers", "numbers", 3, "--categories").to_change
    '--categories age'
    """

    column: str
    taken_for: str
    why: str
    gaps: int | None
    option: str

    @property
    def to_change(self) -> str:
        """Return the option that changes the treatment, with its value."""
        value = "COLUMN" if self.option == "--target" else self.column
        return f"{self.option} {value}" if self.option else ""


def describe_columns(columns: FieldFeatures) -> list[Described]:
    """Return a description of each column of a table.

    >>> describe_columns(FieldFeatures((("width", "number"), ("kind", "label"))))[0]
    Described(column='width', taken_for='numbers', why='', gaps=None, option='--categories')
    """
    encoding, missing = columns.encoding, columns.statistics.missing if columns.statistics else {}
    timed = {dated.name for dated in columns.dates if dated.has_time}
    words = {
        LABEL: "label", WEIGHT: "row weight", LEFT_OUT: "dropped", CATEGORY: "categories",
        NUMBER: NUMBERS[encoding.numbers], TEXT: RUNS[encoding.ngrams],
    }  # fmt: skip
    options = {
        LABEL: "--target", LEFT_OUT: "--categories", CATEGORY: "--text", NUMBER: "--categories",
        TEXT: "--categories", DATE: "--categories", WEIGHT: "",
    }  # fmt: skip
    found = []
    for name, role in columns.columns:
        taken_for = words.get(role) or ("year … weekday, hour" if name in timed else "year, month, weekday")
        if role == DATE and columns.date_pairs:
            taken_for = "date, days between"
        why = columns.reasons.get(name, "")
        option = "" if why in (ASKED, BY_FORMAT) else options[role]
        found.append(Described(name, taken_for, why, missing.get(name), option))
    return found


def columns_by_treatment(columns: FieldFeatures) -> list[str]:
    """Return one line for each treatment, with the names of the first columns that are treated so.

    >>> columns_by_treatment(FieldFeatures((("x", "number"), ("y", "number"), ("kind", "label"))))
    ['numbers: x, y', 'label: kind']
    """
    alike: dict[str, list[str]] = {}
    for each in describe_columns(columns):
        alike.setdefault(each.taken_for, []).append(each.column)
    lines = []
    for treatment, names in alike.items():
        more = [f"and {len(names) - MOST_NAMES:,} more"] if len(names) > MOST_NAMES else []
        lines.append(f"{treatment}: {', '.join([*names[:MOST_NAMES], *more])}")
    return lines


def as_lines(found: Iterable[Described]) -> list[str]:
    """Return the descriptions as lines of a text table; similar adjacent columns share a line.

    >>> columns = FieldFeatures((("width", "number"), ("kind", "label")))
    >>> print(*as_lines(describe_columns(columns)), sep="\\n")
    column  treated as  reason  missing  to change it
    width   numbers                      --categories
    kind    label                        --target
    """
    rows = [("column", "treated as", "reason", "missing", "to change it")]
    for alike, group in groupby(found, key=lambda each: each[1:]):
        some = list(group)
        names = [each.column for each in some]
        gaps = "" if alike[2] is None else f"{alike[2]:,}"
        if len(some) >= FEWEST_TOGETHER:
            names = [f"{len(some):,} columns {names[0]} … {names[-1]}"]
        rows += [(name, alike[0], alike[1], gaps, alike[3]) for name in names]
    widths = [min(max(len(row[place]) for row in rows), most) for place, most in enumerate(WIDTHS)]
    spare = LINE - sum(widths) - 2 * (len(widths) - 1)
    for place in (2, 0):  # the reason may be longer if other columns are short
        longer = min(max(len(row[place]) for row in rows), widths[place] + max(0, spare))
        spare, widths[place] = spare - (longer - widths[place]), longer
    return [
        "  ".join(
            cell.rjust(width) if place == 3 else _cut(cell, width).ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def as_dicts(found: Iterable[Described]) -> list[dict[str, Any]]:
    """Return the descriptions as dicts for JSON."""
    return [{**each._asdict(), "option": each.to_change} for each in found]


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
