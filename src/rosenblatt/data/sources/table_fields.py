"""Tables with named columns: the label column, and the features computed from the other columns.

Numbers are unchanged, scaled, or represented by the range that contains them. A category becomes the token
"column=value", and a text one token "column=word" for each of its words. A date becomes a number for the
year and the categories month, weekday and hour. `Encoding` holds the options, and `Statistics` the values
that need a pass over all rows, such as means.

If there are tokens, everything is hashed into 2^bits features. The result has the same bits as the result
of scikit-learn's ``FeatureHasher(n_features=2**bits, input_type="dict")`` with one dict per row, {number
column: value, …, "column=value": 1, …, "column=word": count, …}. Otherwise the rows are dense, with one
feature for each column.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import accumulate, combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from rosenblatt.data.sources.arrow_cells import (
    RowFaults,
    codes_in,
    field_in,
    importance_in,
    is_small,
    labels_in,
    n_missing,
    without_infinite,
    write_numbers,
)
from rosenblatt.data.sources.chunk import ALL_ONE, Buffers, Chunk, sparse_rows
from rosenblatt.data.sources.derived_fields import (
    Dated,
    cross,
    days_between,
    difference_of,
    mark_of,
    name_of_pair,
    parts_of,
)
from rosenblatt.data.sources.encoding import AUTO, RATIO, Encoding
from rosenblatt.data.sources.feature_names import NameRecorder
from rosenblatt.data.sources.field_roles import (
    CATEGORY,
    FEATURES,
    LABEL,
    LEFT_OUT,
    NUMBER,
    TEXT,
    WEIGHT,
    wrong_kind,
)
from rosenblatt.data.sources.field_statistics import Moments, Statistics, merge_moments
from rosenblatt.data.sources.hashing import BITS, hashed_names, hashes_of, indices_and_signs
from rosenblatt.data.sources.labelled_table import list_names
from rosenblatt.data.sources.notations import parse_numbers, unread_cells
from rosenblatt.data.sources.number_ranges import (
    choose_pairs,
    edges_of,
    name_of_ranges,
    names_of_pieces,
    ranges_in,
    write_pieces,
)
from rosenblatt.data.sources.parsing.joined_columns import NO_TOKEN, rows_of, transpose
from rosenblatt.data.sources.parsing.words import count_cells
from rosenblatt.data.sources.row_samples import RowSample
from rosenblatt.data.sources.text_cells import words_in
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import Dense, Rows

NO_GAIN = "no gain when compared"
BITS_OF_COUNTS = 22
"""Document frequencies are counted in at most 2^22 entries, for any number of features."""

_COLUMNS = Buffers(np.empty)


def _hashed_buffer(size: int) -> tuple[NDArray[Any], ...]:
    return np.empty(size + 1, np.uint32), np.empty(size, np.uint32), np.empty(size)


@dataclass(frozen=True)
class FieldFeatures:
    """Store the treatment of each column of a table, in the order of the first table.

    Columns of later tables are matched by name.

    >>> from rosenblatt.data.sources.field_inference import infer_fields
    >>> table = pa.table({"width": [1.5, 2.0], "colour": ["red", "blue"], "kind": ["ham", "spam"]})
    >>> columns = infer_fields(table, bits=10)
    >>> columns.columns
    (('width', 'number'), ('colour', 'category'), ('kind', 'label'))
    >>> chunk = columns.chunk(table)
    >>> chunk.X.indices.tolist(), chunk.X.data.tolist(), chunk.y.tolist()
    ([641, 815, 512, 815], [1.0, -1.5, -1.0, -2.0], ['ham', 'spam'])
    """

    columns: tuple[tuple[str, str], ...]  # name and role
    bits: int = BITS
    missing: str = "error"
    text_labels: bool = False
    labelled: bool = True  # False: labels and weights may be absent, as in prediction
    encoding: Encoding = field(default_factory=Encoding)
    dates: tuple[Dated, ...] = ()
    has_differences: bool = False  # whether the days between two dates are a feature
    statistics: Statistics | None = None  # None: not computed yet, or not needed
    notations: tuple[tuple[str, str], ...] = ()  # (column, notation) for numbers written as text
    reasons: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    doubts: tuple[str, ...] = field(default=(), repr=False, compare=False)
    recorder: NameRecorder | None = field(default=None, repr=False, compare=False)
    _buffers: Buffers = field(default_factory=lambda: Buffers(_hashed_buffer), repr=False, compare=False)
    _dense_buffers: Buffers = field(
        default_factory=lambda: Buffers(partial(np.empty, dtype=np.uint64)), repr=False, compare=False
    )

    def names(self, *roles: str) -> list[str]:
        """Return the columns with one of these roles, including derived columns."""
        made = [(name, NUMBER) for dated in self.dates for name in dated.numbers]
        made += [(difference_of(*pair), NUMBER) for pair in self.date_pairs]
        made += [(name, CATEGORY) for dated in self.dates for name in dated.categories]
        given = [*self.columns, *made]
        if self.encoding.numbers == "bins":
            given += [(name_of_ranges(name), CATEGORY) for name, role in given if role == NUMBER]
        given += [(name_of_pair(pair), CATEGORY) for pair in self.pairs]
        return [name for name, role in given if role in roles]

    def without(self, names: Sequence[str]) -> FieldFeatures:
        """Return the same treatment of columns, but without these."""
        if not names:
            return self
        columns = tuple((name, LEFT_OUT if name in names else role) for name, role in self.columns)
        reasons = {**self.reasons, **dict.fromkeys(names, NO_GAIN)}
        return replace(self, columns=columns, reasons=reasons, statistics=None)

    @property
    def date_pairs(self) -> list[tuple[Dated, Dated]]:
        """Return the pairs of date columns whose difference is a feature."""
        return list(combinations(self.dates, 2)) if self.has_differences else []

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Return the pairs of columns that are combined, named by the user or chosen from the rows."""
        if self.encoding.pairs == AUTO:
            return self.statistics.pairs if self.statistics else ()
        return self.encoding.given_pairs

    @cached_property
    def number_features(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return each number column with the names of its features; ranges are categories, not numbers."""
        if self.encoding.numbers == "bins":
            return ()
        names = self.names(NUMBER)
        if self.encoding.numbers != "piecewise":
            return tuple((name, (name,)) for name in names)
        knots = self.statistics.knots if self.statistics else {}
        return tuple((name, tuple(names_of_pieces(name, knots.get(name, ())))) for name in names)

    @cached_property
    def names_of_numbers(self) -> list[str]:
        """Return the names of the features of all number columns."""
        return [feature for _, features in self.number_features for feature in features]

    @property
    def used_columns(self) -> list[str]:
        """Return the names of the columns that are read."""
        return [name for name, role in self.columns if role != LEFT_OUT]

    def read_as(self, column: str, role: str) -> str:
        """Return the role for parsing the cells: numbers in a special notation are parsed as text."""
        return TEXT if any(column == name for name, _ in self.notations) else role

    @property
    def is_hashed(self) -> bool:
        return bool(self.names(CATEGORY, TEXT))

    @property
    def gaps(self) -> tuple[str, ...]:
        """Return the number columns with an indicator feature for missing values (in dense rows)."""
        return self.statistics.gaps if self.statistics and self.missing == "mark" else ()

    @property
    def n_features(self) -> int:
        return 1 << self.bits if self.is_hashed else len(self.names_of_numbers) + len(self.gaps)

    @property
    def feature_names(self) -> list[str] | None:
        """Return the name of each feature, or None if features are hashed."""
        if self.is_hashed:
            return None
        return [*self.names_of_numbers, *(mark_of(name) for name in self.gaps)]

    @property
    def needs_statistics(self) -> bool:
        """Return whether all rows must be read before the first row can be converted to numbers."""
        if self.statistics is not None:
            return False
        numbers = bool(self.names(NUMBER))
        scaled = numbers and (self.encoding.numbers != "given" or self.missing == "mark")
        chosen = self.encoding.pairs == AUTO or self._numbers_in_pairs
        return bool(scaled or chosen or (self.encoding.counts_texts and self.names(TEXT)))

    @property
    def _numbers_in_pairs(self) -> set[str]:
        """Return the number columns whose ranges are combined with another column."""
        return {column for pair in self.pairs for column in pair} & set(self.names(NUMBER))

    @property
    def has_ranges(self) -> bool:
        """Return whether a range of numbers becomes a category, so that its name depends on all rows."""
        return bool(self._numbers_in_pairs or (self.encoding.numbers == "bins" and self.names(NUMBER)))

    def settings(self) -> dict[str, Any]:
        """Return the settings needed to read another table into the same features, for JSON."""
        settings: dict[str, Any] = {
            "columns": [list(column) for column in self.columns],
            "bits": self.bits,
            "missing": self.missing,
            "text_labels": self.text_labels,
        }
        if self.encoding != Encoding():
            settings["encoding"] = self.encoding.settings()
        if self.dates:
            settings["dates"] = [list(dated) for dated in self.dates]
        if self.has_differences:
            settings["has_differences"] = True
        if self.notations:
            settings["notations"] = [list(each) for each in self.notations]
        if self.statistics is not None:
            settings["statistics"] = self.statistics.settings()
        return settings

    @staticmethod
    def from_settings(settings: Mapping[str, Any]) -> FieldFeatures:
        """Return the columns restored from `settings()`.

        >>> columns = FieldFeatures((("width", "number"), ("kind", "label")))
        >>> FieldFeatures.from_settings(columns.settings()) == columns
        True
        """
        known = settings.get("statistics")
        return FieldFeatures(
            tuple((str(name), str(role)) for name, role in settings["columns"]),
            settings["bits"],
            settings["missing"],
            settings["text_labels"],
            encoding=Encoding.from_settings(settings.get("encoding", {})),
            dates=tuple(Dated(*dated) for dated in settings.get("dates", ())),
            has_differences=settings.get("has_differences", False),
            statistics=None if known is None else Statistics.from_settings(known),
            notations=tuple((name, notation) for name, notation in settings.get("notations", ())),
        )

    # ------------------------------------------------------------ statistics of all rows

    def with_statistics(
        self, tables: Iterable[Any], name: str = "table", y: NDArray[Any] | None = None
    ) -> FieldFeatures:
        """Return the same columns with the means, scales, quantiles, pairs and word counts of these tables.

        `y` holds the labels if they are not a column of the tables.
        """
        collector = StatisticsCollector(self, name)
        collector.add_all(tables, y)
        return collector.fields_with_statistics()

    def _choose_pairs(
        self, sample: RowSample, knots: Mapping[str, tuple[float, ...]], name: str
    ) -> tuple[tuple[str, str], ...]:
        """Return the pairs of columns that predict the label better than either column alone."""
        table, labels = sample.rows()
        cells = self._given_cells(table, self.places_in(table.schema.names, name))
        for column, role in self.columns:
            if role == LABEL and column in cells:
                labels = codes_in(cells[column])[0]
        if labels is None:
            raise BadInput("pairs: 'auto' chooses the pairs by the labels; give y too")
        for column in self.names(NUMBER):
            edges = edges_of(knots[column], in_pair=True)
            cells[column] = ranges_in(_as_numbers(cells[column]), edges)
        names = [column for column in self.names(NUMBER, CATEGORY) if column in cells]
        columns = {column: codes_in(cells[column])[0] for column in names}
        known = labels >= 0
        return choose_pairs({column: codes[known] for column, codes in columns.items()}, labels[known])

    # ------------------------------------------------------------ rows

    def chunk(self, batch: Any, name: str = "table") -> Chunk:
        """Return the rows of a record batch.

        Rows that cannot be read are left out and listed in `Chunk.bad`, by row and column number.
        """
        assert not self.needs_statistics, "all rows are read once before"
        places = self.check_columns(batch.schema, name)
        faults = RowFaults(batch.num_rows, self.missing)
        cells = self.cells(batch, places, faults)
        for column, _ in self.notations:
            given = field_in(batch, places[column])
            faults.note(
                unread_cells(given, cells[column]),
                places[column] + 1,
                lambda row, column=column, given=given: (  # type: ignore[misc]
                    f"column {column!r} holds {given[row].as_py()!r}, expected a number; correct it, or "
                    "name it among the categories"
                ),
            )
        # if labels are not needed, rows with invalid labels are kept
        of_labels = faults if self.labelled else RowFaults(batch.num_rows, "error")
        y = importance = None
        for column, role in self.columns:
            if role == LABEL and column in cells:
                y = labels_in(cells[column], column, places[column] + 1, self.text_labels, of_labels)
            elif role == WEIGHT and column in cells:
                importance = importance_in(cells[column], column, places[column] + 1, of_labels)
        if of_labels is not faults and not of_labels.kept.all():
            y = importance = None
        made = self._hash_features if self.is_hashed else self._dense
        rows, release = made(batch, cells, self._places_of_all(places), faults)
        if not faults.kept.all():
            y = y if y is None else y[faults.kept]
            importance = importance if importance is None else importance[faults.kept]
        weight = ALL_ONE if importance is None else importance
        n_dropped = batch.num_rows - int(faults.kept.sum()) - len(faults.bad)
        return Chunk(
            rows, y, weight, batch.nbytes, batch.num_rows, faults.bad, release, n_dropped,
            infinite=tuple(faults.infinite),
        )  # fmt: skip

    def places_in(self, names: Sequence[str], name: str) -> dict[str, int]:
        """Return the position of each column among these names; raise an error if a column is missing."""
        first = {column: place for place, column in reversed(list(enumerate(names)))}
        places = {column: first[column] for column in self.used_columns if column in first}
        optional = (LEFT_OUT,) if self.labelled else (LEFT_OUT, LABEL, WEIGHT)
        for column, role in self.columns:
            if column not in places and role not in optional:
                raise BadInput(
                    f"{name}: has no column {column!r} ({role}), only {list_names(names) or 'none'}; "
                    "give tables that have all columns of the first one"
                )
        return places

    def check_columns(self, schema: Any, name: str) -> dict[str, int]:
        """Return the position of each column; raise an error if one is missing or has an unusable type."""
        places = self.places_in(schema.names, name)
        written = dict(self.notations)
        for column, role in self.columns:
            if column in written:
                continue
            if role in FEATURES and (problem := wrong_kind(schema.field(places[column]).type, role)):
                raise BadInput(f"{name}: column {column!r} {problem}")
        return places

    def cells(self, batch: Any, places: dict[str, int], faults: RowFaults | None = None) -> dict[str, Any]:
        """Return the columns by name, including derived columns."""
        cells = self._given_cells(batch, places, faults)
        knots = self.statistics.knots if self.statistics else {}
        if self.encoding.numbers == "bins":
            for column in self.names(NUMBER):
                cells[name_of_ranges(column)] = ranges_in(
                    _as_numbers(cells[column]), edges_of(knots[column])
                )
        numbers = self._numbers_in_pairs
        for pair in self.pairs:
            cells[name_of_pair(pair)] = cross(
                *(
                    ranges_in(_as_numbers(cells[column]), edges_of(knots[column], in_pair=True))
                    if column in numbers
                    else cells[column]
                    for column in pair
                )
            )
        return cells

    def _given_cells(
        self, batch: Any, places: dict[str, int], faults: RowFaults | None = None
    ) -> dict[str, Any]:
        """Return a dict from the name of a column to its cells; each part of a date is a column.

        Infinite numbers become missing values, unless `missing="error"`, which refuses them.
        """
        cells = {column: field_in(batch, place) for column, place in places.items()}
        for column, notation in self.notations:
            cells[column] = parse_numbers(cells[column], notation)
        for column, role in self.columns if self.missing != "error" else ():
            if role == NUMBER:
                cells[column] = without_infinite(cells[column], column, places[column] + 1, faults)
        for dated in self.dates:
            cells |= parts_of(cells[dated.name], dated)
        for one, other in self.date_pairs:
            cells[difference_of(one, other)] = days_between(cells[one.name], one, cells[other.name], other)
        return cells

    def _places_of_all(self, places: dict[str, int]) -> dict[str, int]:
        """Return the position of each column; a derived column has the position of its source."""
        made = {
            name: places[dated.name] for dated in self.dates for name in (*dated.numbers, *dated.categories)
        }
        made |= {difference_of(one, other): places[one.name] for one, other in self.date_pairs}
        places = places | made
        ranges = {name_of_ranges(name): places[name] for name in self.names(NUMBER)}
        return places | ranges | {name_of_pair(pair): places.get(pair[0], 0) for pair in self.pairs}

    def _dense(
        self, batch: Any, cells: dict[str, Any], places: dict[str, int], faults: RowFaults
    ) -> tuple[Rows, Any]:
        n, width = batch.num_rows, self.n_features
        n_numbers = len(self.names_of_numbers)
        names = [name for name, _ in self.number_features]
        small = self.encoding.numbers == "given" and all(is_small(cells[name].type) for name in names)
        buffer, release = self._dense_buffers.take(n * width + 1)
        rows = buffer.view(np.float32 if small else np.float64)[: n * width].reshape(n, width)
        columns, missing, give_back = self._numbers(n, cells, places, np.arange(n_numbers), faults)
        transpose(columns, n, rows)
        give_back()
        for place, name in enumerate(self.gaps, n_numbers):
            rows[:, place] = 0.0
            rows[missing.get(name, ()), place] = 1.0
        if not faults.kept.all():
            rows = rows[faults.kept]
        rows.flags.writeable = False
        return Dense(rows), release

    def _hash_features(
        self, batch: Any, cells: dict[str, Any], places: dict[str, int], faults: RowFaults
    ) -> tuple[Rows, Any]:
        names, n = self.names_of_numbers, batch.num_rows
        indices, signs = hashed_names(names, self.bits)
        order = np.argsort(indices, kind="stable")  # then the rows are nearly sorted
        numbers, missing, give_back = self._numbers(n, cells, places, np.argsort(order), faults)
        tokens = self._tokens(n, cells, places, missing, faults)
        words = self._words(cells, places, faults)
        buffer, release = self._buffers.take(n * (len(names) + len(tokens[0])) + len(words[1]) + 1)
        n_rows, n_entries = rows_of(
            numbers, indices[order], signs[order], *tokens, *words, faults.kept, *buffer
        )
        give_back()
        row_starts, columns, values = buffer
        rows = sparse_rows(
            values[:n_entries], columns[:n_entries], row_starts[: n_rows + 1], self.n_features
        )
        return rows, release

    def _numbers(
        self,
        n: int,
        cells: dict[str, Any],
        places: dict[str, int],
        slots: NDArray[np.int64],
        faults: RowFaults,
    ) -> tuple[NDArray[np.float64], dict[str, NDArray[np.int64]], Any]:
        """Return (features of numbers, rows with missing values by column, function to release the memory).

        numbers[slots[j], i] is the value of feature j of `names_of_numbers` in row i.
        """
        # columns whose distance is a power of two would all use the same few cache lines
        stride = n + 8 + n % 2
        buffer, give_back = _COLUMNS.take((len(slots) + 1) * stride)
        numbers = buffer[: (len(slots) + 1) * stride].reshape(len(slots) + 1, stride)
        scales = self.statistics.scales if self.statistics else {}
        knots = self.statistics.knots if self.statistics else {}
        missing = {}
        done = 0
        for name, features in self.number_features:
            is_split = self.encoding.numbers == "piecewise"
            slot = len(slots) if is_split else slots[done]
            gaps = write_numbers(cells[name], name, places[name] + 1, faults, numbers[slot, :n])
            if is_split:
                pieces = [numbers[slots[j], :n] for j in range(done, done + len(features))]
                write_pieces(numbers[slot, :n], knots[name], pieces)
            elif name in scales:
                scales[name].apply(numbers[slot, :n])
            done += len(features)
            if gaps.size:
                for j in range(done - len(features), done):
                    numbers[slots[j], gaps] = 0.0
                missing[name] = gaps
        return numbers[: len(slots)], missing, give_back

    def _tokens(
        self,
        n: int,
        cells: dict[str, Any],
        places: dict[str, int],
        missing_numbers: dict[str, NDArray[np.int64]],
        faults: RowFaults,
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]]:
        """Return the token of each category in each row, and the hashed index and sign of each token.

        If missing values are marked, a missing category has a separate token, and a missing number adds a
        token.
        """
        marks = list(missing_numbers) if self.missing == "mark" else []
        names = self.names(CATEGORY)
        tokens = np.full((len(names) + len(marks), n), NO_TOKEN, np.uint32)
        hashed = []
        known = 0
        for c, name in enumerate(names):
            codes, words = codes_in(cells[name])
            missing = codes < 0
            if missing.any():
                faults.note_missing(np.flatnonzero(missing), places[name] + 1, name)
            np.add(codes, known, out=tokens[c], casting="unsafe")
            tokens[c, missing] = NO_TOKEN
            prefix = pa.scalar(f"{name}=", pa.large_string())
            names_of_words = pc.binary_join_element_wise(prefix, words, pa.scalar("", pa.large_string()))
            hashes = hashes_of(names_of_words)
            if self.recorder is not None:
                self.recorder.add(names_of_words, hashes)
            hashed.append(indices_and_signs(hashes, self.bits))
            known += len(words)
            if self.missing == "mark" and missing.any():
                tokens[c, missing] = known
                hashed.append(hashed_names([mark_of(name)], self.bits))
                known += 1
        for c, name in enumerate(marks, len(names)):
            tokens[c, missing_numbers[name]] = known
            hashed.append(hashed_names([mark_of(name)], self.bits))
            known += 1
        indices = [np.empty(0, np.uint32), *(indices for indices, _ in hashed)]
        signs = [np.empty(0), *(signs for _, signs in hashed)]
        return tokens, np.concatenate(indices), np.concatenate(signs)

    def _words(
        self, cells: dict[str, Any], places: dict[str, int], faults: RowFaults
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.float64]]:
        """Return the start of the words of each text, and the hashed index and value of each word."""
        factors = self.statistics.word_factors if self.statistics else np.empty(0)
        found = []
        for name in self.names(TEXT):
            texts = cells[name]
            if texts.null_count:
                missing = texts.is_null().to_numpy(zero_copy_only=False)
                faults.note_missing(np.flatnonzero(missing), places[name] + 1, name)
            found.append(words_in(texts, name, self.bits, self.encoding, factors, self.recorder))
        if not found:
            return np.empty((0, 1), np.uint64), np.empty(0, np.uint32), np.empty(0)
        before = accumulate((len(words.indices) for words in found[:-1]), initial=0)
        starts = np.stack([words.starts + np.uint64(n) for words, n in zip(found, before, strict=True)])
        return (
            starts,
            np.concatenate([words.indices for words in found]),
            np.concatenate([words.values for words in found]),
        )


class StatisticsCollector:
    """Collect the statistics of tables batch by batch; the result does not depend on the batches."""

    def __init__(self, fields: FieldFeatures, name: str = "table") -> None:
        self._fields, self._name, self.n_rows = fields, name, 0
        self._moments = {column: Moments() for column in fields.names(NUMBER)}
        self._texts = fields.names(TEXT) if fields.encoding.counts_texts else []
        n_counts = 1 << min(fields.bits, BITS_OF_COUNTS) if self._texts else 0
        by_class = bool(self._texts) and fields.encoding.words == RATIO
        self._counts = np.zeros((2, n_counts) if by_class else n_counts, np.uint32)
        self._classes: list[Any] = []
        self._sample = RowSample() if fields.encoding.pairs == AUTO else None
        self._missing = dict.fromkeys(fields.used_columns, 0)

    def add_all(self, batches: Iterable[Any], y: NDArray[Any] | None = None) -> None:
        """Add record batches, and the labels of all their rows if these are not one of the columns."""
        first = 0
        for batch in batches:
            self.add(batch, None if y is None else y[first : first + batch.num_rows])
            first += batch.num_rows

    def add(self, batch: Any, y: NDArray[Any] | None = None) -> None:
        """Add the rows of a record batch, and their labels if these are not one of its columns."""
        fields = self._fields
        places = fields.check_columns(batch.schema, self._name)
        cells = fields._given_cells(batch, places)
        if self._sample is not None:
            self._sample.add(batch, y)
        self.n_rows += batch.num_rows
        for column in places:
            self._missing[column] += n_missing(cells[column])
        for column, seen in self._moments.items():
            seen.add(_as_numbers(cells[column]))
        once = replace(fields.encoding, words="presence", unit_length=False)
        numbers = self._class_numbers(cells, y) if self._counts.ndim == 2 else None
        for column in self._texts:
            words = words_in(cells[column], column, fields.bits, once)
            if numbers is None:
                count_cells(words.indices, self._counts)
                continue
            of_words = np.repeat(numbers, np.diff(words.starts).astype(np.int64))
            for k, counts in enumerate(self._counts):
                count_cells(words.indices[of_words == k], counts)

    def _class_numbers(self, cells: dict[str, Any], y: NDArray[Any] | None) -> NDArray[np.int64]:
        """Return the number of the class of each row, 0 or 1, or −1 if its label is missing."""
        label = next((name for name in self._fields.names(LABEL) if name in cells), None)
        if label is not None:
            codes, names = codes_in(cells[label])
            known = {int(code): names[int(code)].as_py() for code in np.unique(codes[codes >= 0])}
        elif y is not None:
            values, codes = np.unique(y, return_inverse=True)
            known = dict(enumerate(values.tolist()))
        else:
            raise BadInput(f"words: {RATIO!r} depends on the labels; give y too")
        numbers = np.full(max(known, default=0) + 2, -1)
        for code, value in known.items():
            if value not in self._classes:
                self._classes.append(value)
            numbers[code] = self._classes.index(value)
        if len(self._classes) > 2:
            raise BadInput(f"words: {RATIO!r} needs two classes, but there are more; use 'tfidf'")
        return numbers[codes]

    def fields_with_statistics(self) -> FieldFeatures:
        """Return the columns with the statistics of the rows so far."""
        fields, moments = self._fields, self._moments
        known = replace(
            merge_moments(moments.items(), fields.encoding.numbers),
            n_rows=self.n_rows,
            missing=dict(self._missing),
            counts=self._counts.copy(),
        )
        in_ranges = (
            set(moments) if fields.encoding.numbers in ("piecewise", "bins") else fields._numbers_in_pairs
        )
        if self._sample is not None:
            of_all = {column: seen.knots for column, seen in moments.items()}
            known = replace(known, pairs=fields._choose_pairs(self._sample, of_all, self._name))
            in_ranges |= {column for pair in known.pairs for column in pair}
        knots = {column: moments[column].knots for column in moments if column in in_ranges}
        return replace(fields, statistics=replace(known, knots=knots))


def _as_numbers(column: Any) -> NDArray[np.float64]:
    """Return a column of numbers as an array; a missing value is NaN."""
    numbers: NDArray[np.float64] = column.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return numbers
