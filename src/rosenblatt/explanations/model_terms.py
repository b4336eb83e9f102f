"""What a linear model has learned: the features of each class with their weights, rows and units."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.feature_names import Names
from rosenblatt.data.sources.field_roles import CATEGORY, NUMBER, TEXT
from rosenblatt.data.sources.field_statistics import Scale
from rosenblatt.data.sources.naming import Feature, FeatureNames, places_of
from rosenblatt.data.sources.number_ranges import edges_of, name_of_ranges, names_of_ranges
from rosenblatt.data.sources.numbered_features import NUMBERS, features_in
from rosenblatt.data.sources.table_fields import FieldFeatures
from rosenblatt.errors import BadInput
from rosenblatt.explanations.feature_terms import Columns, Term
from rosenblatt.storage.perceptrons import PerceptronRecord

MANY_LEVELS, FEW_ROWS = 50, 20
"""In a column with more levels than this, levels with fewer rows than this are summarised, not listed."""
FEW_TEXTS, PART_OF_TEXTS = 5, 0.01
"""Words in fewer rows than this, and in a smaller part of all rows, are summarised too."""

NO_NAMES = (
    "the model stores no names of its hashed features; train it again with --names all (the default of "
    "rosenblatt fit)"
)


class Curve(NamedTuple):
    """Hold what a number column adds to a score: at its knots, or (as steps) in its ranges."""

    column: str
    points: list[tuple[str, float]]  # the knot or the range, and what it adds

    @property
    def span(self) -> float:
        """Return the difference between the largest and the smallest contribution."""
        return max(value for _, value in self.points) - min(value for _, value in self.points)

    def as_dict(self) -> dict[str, Any]:
        """Return the curve for JSON."""
        return {"column": self.column, "points": [{"at": at, "adds": value} for at, value in self.points]}


class LearnedFeature(NamedTuple):
    """Hold one line of what a model has learned: a feature, what it adds to the score, and its rows."""

    term: Term
    weight: float  # of the feature as the model sees it, with the sign of its hash; absolute if unknown
    has_sign: bool
    rows: int | None
    unit: str = ""  # for numbers: the step in the column's own units
    per_unit: float | None = None
    reference: str | None = None  # for categories: the level with the most rows, and the difference to it
    against: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the line for JSON."""
        found: dict[str, Any] = {
            "feature": self.term.label, "column": self.term.column or None, "kind": self.term.kind,
            "value": self.term.value, "weight": self.weight,
            "direction": math.copysign(1.0, self.weight) if self.has_sign else None, "rows": self.rows,
        }  # fmt: skip
        if self.per_unit is not None:
            found |= {"unit": self.unit, "per_unit": self.per_unit}
        if self.reference is not None:
            found |= {"reference": self.reference, "against_reference": self.against}
        return found


class ModelTerms:
    """Name and describe the features of a linear model.

    Raises
    ------
    BadInput
        If the model is a committee, which has no single weight for a feature.
    """

    def __init__(self, record: PerceptronRecord) -> None:
        if record.state.is_committee:
            raise BadInput(
                "the model is a committee that votes (keep='voted'), so no feature has a single weight; "
                "train with keep='averaged'"
            )
        reading = record.reading or {}
        self.record, self.reading = record, reading
        self.fields = FieldFeatures.from_settings(reading) if "columns" in reading else None
        self.columns = Columns(self.fields)
        self.names = FeatureNames(reading, record.feature_names, record.vocabulary)
        self.classes = [str(label) for label in record.label_names or record.classes.tolist()]

    @property
    def is_binary(self) -> bool:
        """Return whether one weight vector separates two classes."""
        return self.record.state.has_two_classes

    def weights(self, label: str | None = None) -> NDArray[np.float64]:
        """Return the weights (w, b) of a class; those of the first of two classes are negated."""
        number = self.class_number(label)
        if self.is_binary:
            return self.decision_weights if number else -self.decision_weights
        of_class: NDArray[np.float64] = self.decision_weights[number]
        return of_class

    @cached_property
    def decision_weights(self) -> NDArray[np.float64]:
        """The weights (w, b) for predictions: one vector for two classes, otherwise one for each class."""
        return self.record.state.returned_weights()

    def class_number(self, label: str | None) -> int:
        """Return the number of a class; without a name, the last of two classes or the first of more."""
        if label is None:
            return 1 if self.is_binary else 0
        if label not in self.classes:
            listed = ", ".join(self.classes[:10]) + (", …" if len(self.classes) > 10 else "")
            raise BadInput(f"class: got {label!r}, expected one of {listed}")
        return self.classes.index(label)

    def term_of(self, feature: Feature) -> Term:
        """Return the description of a feature; it lists all names that share the feature."""
        terms = [self.columns.term(name) for name in feature.names]
        if len(terms) == 1:
            return terms[0]
        return terms[0]._replace(label=feature._replace(names=tuple(each.label for each in terms)).name)

    # ------------------------------------------------------------ what a class has learned

    def largest_features(
        self, label: str | None, top: int
    ) -> tuple[list[LearnedFeature], list[LearnedFeature]]:
        """Return the `top` features with the largest positive and with the largest negative weights."""
        w = self.weights(label)[:-1]
        sides: tuple[list[LearnedFeature], list[LearnedFeature]] = [], []
        order = np.argsort(-np.abs(w), kind="stable")
        order = order[w[order] != 0.0]
        for first in range(0, len(order), CHUNK):  # the signs of hashed features are known with their names
            some = order[first : first + CHUNK].tolist()
            names = self.names.of(some)
            for j in some:
                found = self._describe(j, names[j], w)
                side = sides[found.weight < 0.0]
                if len(side) < top and not self._is_summarised(found):
                    side.append(found)
            if all(len(side) == top for side in sides):
                break
        return sides

    def _describe(self, j: int, feature: Feature, w: NDArray[np.float64]) -> LearnedFeature:
        term = self.term_of(feature)
        weight = float(feature.sign * w[j]) if feature.sign else abs(float(w[j]))
        found = LearnedFeature(term, weight, bool(feature.sign), self.rows_with(j, term))
        if term.kind == "number":
            step = self._step_of(term.column)
            return found if step is None else found._replace(unit=step[0], per_unit=weight * step[1])
        if term.kind == "category" and (reference := self._references.get(self._level_column(feature))):
            name, place, sign = reference
            if name not in feature.names:
                return found._replace(
                    reference=self.columns.term(name).value, against=weight - float(sign * w[place])
                )
        return found

    def _is_summarised(self, found: LearnedFeature) -> bool:
        """Return whether a line is part of a curve, or a rare level of a column with many levels."""
        if found.term.kind == "piece":
            return True
        column = found.term.column
        if found.term.kind in ("word", "letters"):
            return found.rows is not None and found.rows < self.fewest_texts
        if self.fields is not None and self.fields.encoding.numbers == "bins":
            ranges = {name_of_ranges(name) for name in self.fields.names(NUMBER)}
            if column in ranges:
                return True
        return column in self.many_levels and found.rows is not None and found.rows < FEW_ROWS

    def rows_with(self, j: int, term: Term) -> int | None:
        """Return the number of training rows with a feature, or None if it is unknown."""
        statistics = None if self.fields is None else self.fields.statistics
        if term.kind in ("number", "piece"):
            missing = statistics.missing.get(term.column, 0) if statistics else 0
            return statistics.n_rows - missing if statistics and statistics.n_rows else None
        return None if self._rows is None else int(self._rows[j])

    @cached_property
    def _rows(self) -> NDArray[np.uint32] | None:
        vocabulary = self.record.vocabulary
        return None if vocabulary is None else vocabulary.row_counts(self.record.n_features)

    # ------------------------------------------------------------ numbers in their own units

    def scale_of(self, column: str) -> Scale:
        """Return the scale of a number column."""
        statistics = None if self.fields is None else self.fields.statistics
        return statistics.scales.get(column, Scale()) if statistics else Scale()

    def _step_of(self, column: str) -> tuple[str, float] | None:
        """Return a round step in the units of a column as text, and the step of its feature.

        Ranks have no step.

        The step is the largest of 1, 2, 5, 10, … that is at most the standard deviation.
        """
        scale = self.scale_of(column)
        if scale.knots:
            return None
        power = 10.0 ** math.floor(math.log10(scale.divisor)) if scale.divisor > 0.0 else 1.0
        step = power * max(factor for factor in (1, 2, 5) if factor * power <= scale.divisor * (1 + 1e-9))
        return f"+{step:,.10g} of {column}", step / scale.divisor

    def curves(self, label: str | None) -> list[Curve]:
        """Return the curves of piecewise, ranked and binned number columns, the widest first."""
        if self.fields is None:
            return []
        w, encoding, known = self.weights(label)[:-1], self.fields.encoding, self.fields.statistics
        knots = known.knots if known else {}
        found = []
        for column in self.fields.names(NUMBER):
            if encoding.numbers == "piecewise" and knots.get(column):
                features = dict(self.fields.number_features)[column]
                adds = np.cumsum([0.0, *self._weights_of(features, w)])
                found.append(Curve(column, _points(knots[column], adds)))
            elif encoding.numbers == "bins" and column in knots:
                ranges = names_of_ranges(edges_of(knots[column]).tolist())
                names = [f"{name_of_ranges(column)}={each}" for each in ranges]
                found.append(Curve(column, list(zip(ranges, self._weights_of(names, w), strict=True))))
            elif encoding.numbers == "rank" and (ranks := self.scale_of(column).knots):
                some = ranks[:: max(1, len(ranks) // 16)]
                adds = np.interp(some, ranks, np.linspace(-1.0, 1.0, len(ranks)))
                found.append(Curve(column, _points(some, adds * self._weights_of([column], w)[0])))
        return sorted(
            (curve for curve in found if curve.points and curve.span), key=lambda each: -each.span
        )

    def _weights_of(self, names: Sequence[str], w: NDArray[np.float64]) -> list[float]:
        """Return the weights of features with these names, 0 if the model lacks them."""
        if self.record.feature_names is not None:
            places = {name: j for j, name in enumerate(self.record.feature_names)}
            return [float(w[places[name]]) if name in places else 0.0 for name in names]
        at, signs = places_of(Names.of(list(names)), self.reading, self._features)
        return np.where(at >= 0, signs * w[at], 0.0).tolist()

    @cached_property
    def _features(self) -> NDArray[np.uint32] | None:
        return features_in(self.reading) if NUMBERS in self.reading else None

    # ------------------------------------------------------------ levels of categories

    def _level_column(self, feature: Feature) -> str:
        """Return the categorical column to which a feature belongs, as named in the feature."""
        return next((name for name in self._levels if feature.names[0].startswith(f"{name}=")), "")

    @cached_property
    def _levels(self) -> dict[str, tuple[NDArray[np.int64], NDArray[np.int64], Names]]:
        """The features, row counts and names of the levels of each categorical column, and of words."""
        vocabulary = self.record.vocabulary
        if self.fields is None or vocabulary is None or self._rows is None:
            return {}
        import pyarrow as pa
        import pyarrow.compute as pc

        names = vocabulary.names
        buffers = [None, pa.py_buffer(np.append(0, names.ends)), pa.py_buffer(names.letters.tobytes())]
        words = pa.Array.from_buffers(pa.large_string(), len(names), buffers)
        places = places_of(names, self.reading, self._features)[0]
        found = {}
        for column in self.fields.names(CATEGORY, TEXT):
            these = pc.starts_with(words, f"{column}=").to_numpy(zero_copy_only=False) & (places >= 0)
            at = np.flatnonzero(these)
            found[column] = places[at], self._rows[places[at]].astype(np.int64), names.take(at)
        return found

    @cached_property
    def fewest_texts(self) -> int:
        """The number of rows in which a word must be to be listed."""
        statistics = None if self.fields is None else self.fields.statistics
        n_rows = statistics.n_rows if statistics else 0
        return min(FEW_TEXTS, math.ceil(PART_OF_TEXTS * n_rows))

    @cached_property
    def rare_words(self) -> dict[str, int]:
        """For each text column, the number of words with a weight that are not listed."""
        texts = () if self.fields is None else self.fields.names(TEXT)
        counts = {
            name: int((self._levels[name][1] < self.fewest_texts).sum())
            for name in texts
            if name in self._levels
        }
        return {name: n for name, n in counts.items() if n}

    @cached_property
    def _categories(self) -> Sequence[str]:
        return () if self.fields is None else self.fields.names(CATEGORY)

    @cached_property
    def _references(self) -> dict[str, tuple[str, int, float]]:
        """The level with the most rows of each categorical column: its name, feature and sign."""
        found = {}
        for column, (places, rows, names) in self._levels.items():
            if len(places) > 1 and column in self._categories:
                k = int(np.argmax(rows))
                sign = 1.0 if names.hashes.view(np.int32)[k] >= 0 else -1.0
                found[column] = names.texts(np.array([k]))[0], int(places[k]), sign
        return found

    @cached_property
    def many_levels(self) -> dict[str, tuple[int, int]]:
        """For each column with many levels, their number and the largest number of rows of one."""
        return {
            column: (len(places), int(rows.max()))
            for column, (places, rows, _) in self._levels.items()
            if len(places) > MANY_LEVELS and column in self._categories
        }


CHUNK = 256  # features that are named together


def _points(knots: Iterable[float], adds: NDArray[np.float64]) -> list[tuple[str, float]]:
    return [(f"{knot:,.4g}", float(value)) for knot, value in zip(knots, adds, strict=True)]


def learned_facts(terms: ModelTerms, label: str | None, top: int) -> list[dict[str, Any]]:
    """Return what a model has learned about one class, or about each class, for JSON."""
    number = terms.class_number(label)
    chosen = [number] if label is not None or terms.is_binary else range(len(terms.classes))
    found = []
    for k in chosen:
        name = terms.classes[k]
        positive, negative = terms.largest_features(name, top)
        found.append(
            {
                "class": name,
                "against": terms.classes[1 - k] if terms.is_binary else None,
                "positive": [each.as_dict() for each in positive],
                "negative": [each.as_dict() for each in negative],
                "curves": [curve.as_dict() for curve in terms.curves(name)[:top]],
                "offset": float(terms.weights(name)[-1]),
            }
        )
    return found


def summaries(terms: ModelTerms) -> list[dict[str, Any]]:
    """Return the columns with many levels or rare words, for JSON."""
    levels = [
        {"column": column, "levels": n, "most_rows": rows}
        for column, (n, rows) in terms.many_levels.items()
    ]
    words = [
        {"column": column, "rare_words": n, "fewer_rows_than": terms.fewest_texts}
        for column, n in terms.rare_words.items()
    ]
    return levels + words
