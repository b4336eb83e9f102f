"""Columns derived from other columns: parts of dates, pairs of categories, indicators of missing values."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from rosenblatt.data.sources.arrow_cells import codes_in, is_text, strings_in

ISO = "ISO 8601"
DAYS = (
    "%d.%m.%Y", "%Y/%m/%d", "%m/%d/%Y", "%d/%m/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d %b %Y", "%d-%b-%Y",
    "%d-%b-%y", "%b %d, %Y", "%b %d %Y", "%a %b %d %Y", "%a, %d %b %Y", "%m/%d/%y", "%d/%m/%y", "%d.%m.%y",
)  # fmt: skip
TIMES = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
YEARS = 1000, 2999
"""Years of dates; otherwise %Y would also read the year 20 in 31.12.20."""
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
ENOUGH_DATES = 0.95


class Dated(NamedTuple):
    """Hold the name and date format of a column, and whether its dates have a time of day."""

    name: str
    written: str = ISO
    has_time: bool = False

    @property
    def numbers(self) -> list[str]:
        return [f"{self.name} year"]

    @property
    def categories(self) -> list[str]:
        parts = ("month", "weekday", "hour") if self.has_time else ("month", "weekday")
        return [f"{self.name} {part}" for part in parts]


def dates_of(cells: Any, name: str) -> Dated | None:
    """Return the format in which the cells write dates, or None if they are not dates.

    >>> dates_of(pa.array(["2024-02-29 17:30", "2023-01-01 09:00", None]), "when")
    Dated(name='when', written='ISO 8601', has_time=True)
    >>> dates_of(pa.array(["31.12.2023", "01.02.2024"]), "when").written
    '%d.%m.%Y'
    """
    kind = cells.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return Dated(name, ISO, pa.types.is_timestamp(kind))
    words = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not is_text(words):
        return None
    texts = strings_in(cells).drop_null()
    texts = texts.filter(pc.greater(pc.utf8_length(texts), 0))
    if not len(texts) or not pc.any(pc.match_substring_regex(texts, r"\d\D+\d|^[12]\d{7}$")).as_py():
        return None
    for written in (ISO, *(day + time for day in DAYS for time in TIMES)):
        moments = moments_in(texts, written)
        years = pc.year(moments)
        is_likely = pc.and_(pc.greater_equal(years, YEARS[0]), pc.less_equal(years, YEARS[1]))
        if (pc.sum(is_likely).as_py() or 0) >= ENOUGH_DATES * len(texts):
            seconds = pc.cast(moments.drop_null(), pa.int64())
            has_time = bool(np.any(seconds.to_numpy(zero_copy_only=False) % 86_400))
            return Dated(name, written, has_time)
    return None


def moments_in(cells: Any, written: str) -> Any:
    """Return dates as pyarrow timestamps in seconds; cells that are not dates become missing."""
    if pa.types.is_timestamp(cells.type) or pa.types.is_date(cells.type) or pa.types.is_null(cells.type):
        return pc.cast(cells, pa.timestamp("s"), safe=False)
    if written != ISO:
        return pc.strptime(strings_in(cells), format=written, unit="s", error_is_null=True)
    codes, words = codes_in(cells)
    known = [_iso(word) for word in words.to_pylist()]
    found = np.array([*known, np.datetime64("NaT", "s")], "datetime64[s]")[codes]
    return pa.array(found)


def _iso(word: str) -> Any:
    try:
        moment = datetime.fromisoformat(word.strip())
    except ValueError:
        return np.datetime64("NaT", "s")
    return np.datetime64(moment.replace(tzinfo=None, microsecond=0))


def parts_of(cells: Any, dated: Dated) -> dict[str, Any]:
    """Return the year as a number, and month, weekday and hour as categories; missing if there is no date.

    >>> parts = parts_of(pa.array(["2024-02-29"]), Dated("when"))
    >>> {name: part.to_pylist() for name, part in parts.items()}
    {'when year': [2024.0], 'when month': ['2'], 'when weekday': ['Thu']}
    """
    moments = moments_in(cells, dated.written)
    days = pc.day_of_week(moments)
    parts = {
        "year": pc.cast(pc.year(moments), pa.float64()),
        "month": pc.cast(pc.month(moments), pa.large_string()),
        "weekday": pa.array(WEEKDAYS, pa.large_string()).take(days),
        "hour": pc.cast(pc.hour(moments), pa.large_string()),
    }
    wanted = {*dated.numbers, *dated.categories}
    return {
        f"{dated.name} {part}": made for part, made in parts.items() if f"{dated.name} {part}" in wanted
    }


def difference_of(one: Dated, other: Dated) -> str:
    """Return the name of the days between two dates."""
    return f"{other.name} - {one.name}"


def days_between(one: Any, dated: Dated, other: Any, other_dated: Dated) -> Any:
    """Return the days from one date to the other; missing if either is missing.

    >>> days_between(pa.array(["2024-02-28"]), Dated("a"), pa.array(["2024-03-01"]), Dated("b")).to_pylist()
    [2.0]
    """
    seconds = (
        pc.cast(moments_in(cells, each.written), pa.int64())
        for cells, each in ((one, dated), (other, other_dated))
    )
    return pc.divide(pc.cast(pc.subtract_checked(*reversed(list(seconds))), pa.float64()), 86_400.0)


def cross(one: Any, other: Any) -> Any:
    """Combine two categorical columns into one; the result is missing if either cell is missing.

    >>> cross(pa.array(["red", "red", None]), pa.array(["big", "small", "big"])).to_pylist()
    ['red & big', 'red & small', None]
    """
    (codes, words), (more_codes, more_words) = codes_in(one), codes_in(other)
    pairs = np.where((codes < 0) | (more_codes < 0), -1, codes * len(more_words) + more_codes)
    there, places = np.unique(pairs, return_inverse=True)
    texts, more_texts = words.to_pylist(), more_words.to_pylist()
    names = [
        f"{texts[pair // len(more_texts)]} & {more_texts[pair % len(more_texts)]}" if pair >= 0 else None
        for pair in there.tolist()
    ]
    return pa.DictionaryArray.from_arrays(
        pa.array(places.astype(np.int32)), pa.array(names, pa.large_string())
    )


def name_of_pair(pair: Sequence[str]) -> str:
    return " & ".join(pair)


def mark_of(column: str) -> str:
    """Return the name of the feature that indicates missing values in a column."""
    return f"{column} is missing"
