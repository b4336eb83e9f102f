"""Terms: the features of a model by their column, their kind and their value, as text for readers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from rosenblatt.data.sources.derived_fields import Dated, mark_of
from rosenblatt.data.sources.field_roles import CATEGORY, NUMBER, TEXT
from rosenblatt.data.sources.table_fields import FieldFeatures

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September",
          "October", "November", "December")  # fmt: skip
DAYS = {"Mon": "Monday", "Tue": "Tuesday", "Wed": "Wednesday", "Thu": "Thursday", "Fri": "Friday",
        "Sat": "Saturday", "Sun": "Sunday"}  # fmt: skip


class Term(NamedTuple):
    """Describe a feature: its column, the kind of its value, the value, and text that names all of it.

    The kinds are "number", "piece", "category", "word", "letters", "missing", "unknown" and "feature",
    which is a feature without a column.
    """

    column: str
    kind: str
    value: str
    label: str


@dataclass(frozen=True)
class Columns:
    """Split the names of features into columns and values, using the reading settings of a model."""

    fields: FieldFeatures | None

    @cached_property
    def _numbers(self) -> dict[str, tuple[str, str]]:
        """The column and the kind of each feature of a number column, by name."""
        if self.fields is None:
            return {}
        is_split = self.fields.encoding.numbers == "piecewise"
        return {
            feature: (column, "piece" if is_split else "number")
            for column, features in self.fields.number_features
            for feature in features
        }

    @cached_property
    def _marks(self) -> dict[str, str]:
        names = () if self.fields is None else self.fields.names(NUMBER, CATEGORY, TEXT)
        return {mark_of(name): name for name in names}

    @cached_property
    def _parts_of_dates(self) -> dict[str, tuple[Dated, str]]:
        dates = () if self.fields is None else self.fields.dates
        return {name: (dated, name[len(dated.name) + 1 :]) for dated in dates for name in dated.categories}

    @cached_property
    def _prefixes(self) -> list[tuple[str, str, str]]:
        """The prefixes of categories and words, the longest first, with their column and kind."""
        if self.fields is None:
            return []
        found = [(f"{name}=", name, "category") for name in self.fields.names(CATEGORY)]
        for name in self.fields.names(TEXT):
            found += [(f"{name}=", name, "word"), (f"{name}~", name, "letters")]
        return sorted(found, key=lambda each: -len(each[0]))

    def term(self, name: str) -> Term:
        """Return the description of a feature, given one of its names.

        >>> from rosenblatt.data.sources.table_fields import FieldFeatures
        >>> columns = Columns(FieldFeatures((("city", "category"), ("mail", "text"), ("y", "label"))))
        >>> columns.term("city=Rome"), columns.term("mail=free money").label
        (Term(column='city', kind='category', value='Rome', label='city = Rome'), '"free money"')
        """
        if name in self._numbers:
            column, kind = self._numbers[name]
            return Term(column, kind, name, name)
        for prefix, column, kind in self._prefixes:
            if not name.startswith(prefix):
                continue
            value = name[len(prefix) :]
            if column in self._parts_of_dates:
                dated, part = self._parts_of_dates[column]
                is_month = part == "month" and value.isdigit() and 1 <= int(value) <= 12
                value = MONTHS[int(value) - 1] if is_month else f"{value} h" if part == "hour" else value
                value = DAYS.get(value, value) if part == "weekday" else value
                return Term(dated.name, "category", value, f"{dated.name}: {value}")
            if kind == "category":
                return Term(column, kind, value, f"{column} = {value or '(empty)'}")
            where = f"{column}: " if len(self.fields.names(TEXT)) > 1 else ""  # type: ignore[union-attr]
            return Term(column, kind, value, f'{where}{"letters " * (kind == "letters")}"{value}"')
        if name in self._marks:
            return Term(self._marks[name], "missing", "", name)
        return Term("", "unknown" if name.startswith("hash ") else "feature", name, name)
