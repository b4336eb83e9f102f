"""Describe how each column of a table is treated, and which option changes the treatment."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any, NamedTuple

from rosenblatt.data.sources.field_roles import ASKED, CATEGORY, DATE, LABEL, LEFT_OUT, NUMBER, TEXT, WEIGHT
from rosenblatt.data.sources.table_fields import FieldFeatures

FEWEST_TOGETHER = 4
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
    hours = {dated.name: ", hour" if dated.has_time else "" for dated in columns.dates}
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
        taken_for = f"year, month, weekday{hours[name]}" if role == DATE else words[role]
        why = columns.reasons.get(name, "")
        option = "" if why == ASKED else options[role]
        found.append(Described(name, taken_for, why, missing.get(name), option))
    return found


def as_lines(found: Iterable[Described]) -> list[str]:
    """Return the descriptions as lines of a text table; similar adjacent columns share a line.

    >>> columns = FieldFeatures((("width", "number"), ("kind", "label")))
    >>> print(*as_lines(describe_columns(columns)), sep="\\n")
    column  treated as  reason  missing  to change it
    width   numbers                      --categories width
    kind    label                        --target COLUMN
    """
    rows = [("column", "treated as", "reason", "missing", "to change it")]
    for alike, group in groupby(found, key=lambda each: each[1:]):
        some = list(group)
        names = [each.column for each in some]
        gaps = "" if alike[2] is None else f"{alike[2]:,}"
        shown = [(_cut(each.column, 32), _cut(each.to_change, 40)) for each in some]
        if len(some) >= FEWEST_TOGETHER:
            shown = [(f"{len(some):,} columns {_cut(names[0], 20)} … {_cut(names[-1], 20)}", alike[3])]
        rows += [(name, alike[0], _cut(alike[1], 48), gaps, option) for name, option in shown]
    widths = [max(len(row[place]) for row in rows) for place in range(5)]
    return [
        "  ".join(
            cell.rjust(width) if place == 3 else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def as_dicts(found: Iterable[Described]) -> list[dict[str, Any]]:
    """Return the descriptions as dicts for JSON."""
    return [{**each._asdict(), "option": each.to_change} for each in found]


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
