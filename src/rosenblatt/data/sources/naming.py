"""Names of features: columns, stored names, or index numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.feature_names import NO_TEXTS, Names, Vocabulary
from rosenblatt.data.sources.numbered_features import NUMBERS, features_in
from rosenblatt.data.sources.recorded_names import indices_in


class Feature(NamedTuple):
    """Hold the names of a feature, and the sign that hashing gives to its values (0 if unknown).

    Several names have the same feature if their hashes agree; those with fewer words come first. The sign
    is that of the first name.
    """

    names: tuple[str, ...]
    sign: float = 1.0

    @property
    def name(self) -> str:
        """Return the names as text."""
        return " or ".join(self.names[:3]) + (" or others" if len(self.names) > 3 else "")


def field_names(reading: Mapping[str, Any]) -> list[str] | None:
    """Return the feature names of a table of numbers, or None if features are hashed.

    >>> columns = [["width", "number"], ["kind", "label"]]
    >>> field_names({"columns": columns, "bits": 18, "missing": "error", "text_labels": False})
    ['width']
    """
    if "columns" not in reading:
        return None
    from rosenblatt.data.sources.table_fields import FieldFeatures

    return FieldFeatures.from_settings(reading).feature_names


class FeatureNames:
    """Name the features of a model by its reading settings, its columns, and its stored names.

    >>> FeatureNames({"format": "svmlight", "first_index": 1}).of([4])
    {4: Feature(names=('index 5',), sign=1.0)}
    >>> reading = {"columns": [["t", "text"]], "bits": 4, "missing": "zero", "text_labels": False}
    >>> FeatureNames(reading, vocabulary=Vocabulary.of(Names.of(["t=a"]), np.empty(0), "all")).of([11, 12])
    {11: Feature(names=('t=a',), sign=1.0), 12: Feature(names=('hash 12',), sign=0.0)}
    """

    def __init__(
        self,
        reading: Mapping[str, Any] | None,
        columns: Sequence[str] | None = None,
        vocabulary: Vocabulary | None = None,
    ) -> None:
        self._reading, self._columns = reading or {}, columns
        self._vocabulary = vocabulary

    @property
    def is_hashed(self) -> bool:
        """Return whether features are hashed, so that only recorded names are known."""
        return self._columns is None and ("columns" in self._reading or self._reading.get("format") == "vw")

    @property
    def are_missing(self) -> bool:
        """Return whether features are hashed and the model stores no names."""
        return self.is_hashed and self._vocabulary is None

    def of(self, wanted: Any) -> dict[int, Feature]:
        """Return the names of some features."""
        if self._columns is not None:
            return {j: Feature((self._columns[j],)) for j in wanted}
        if not self.is_hashed:
            first = self._reading.get("first_index", 0)
            word = "index " if self._reading.get("format") == "svmlight" else "x"
            return {j: Feature((f"{word}{j + first}",)) for j in wanted}
        unnamed = 1.0 if self._reading.get("format") == "vw" else 0.0  # Vowpal Wabbit has no signs
        order, places = self._order
        wanted = np.asarray(wanted, np.int64)
        ends = np.searchsorted(places, np.stack([wanted, wanted + 1]))
        sizes = ends[1] - ends[0]
        which = np.arange(sizes.sum()) + np.repeat(ends[0] - np.append(0, np.cumsum(sizes)[:-1]), sizes)
        these = order[which]
        texts = zip(self._names.texts(these), self._signs[these].tolist(), strict=True)
        found = {}
        for j, n in zip(wanted.tolist(), sizes.tolist(), strict=True):
            hashed = j if self._features is None else int(self._features[j])
            some = sorted(islice(texts, n), key=lambda each: each[0].count(" "))
            found[j] = Feature((f"hash {hashed}",), unnamed)
            if some:
                found[j] = Feature(tuple(text for text, _ in some), some[0][1])
        return found

    @cached_property
    def _features(self) -> NDArray[np.uint32] | None:
        """The hashed features in the order of their numbers, or None if they are not renumbered."""
        return features_in(self._reading) if NUMBERS in self._reading else None

    @cached_property
    def _names(self) -> Names:
        """The stored names, and the names that follow from the columns."""
        recorded = NO_TEXTS if self._vocabulary is None else self._vocabulary.names
        return recorded.followed_by(names_of_columns(self._reading))

    @cached_property
    def _signs(self) -> NDArray[np.float64]:
        return places_of(self._names, self._reading)[1]

    @cached_property
    def _order(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The order of the names by feature, and the features in this order."""
        places = places_of(self._names, self._reading, self._features)[0]
        order = np.argsort(places, kind="stable")
        return order, places[order]


def names_of_columns(reading: Mapping[str, Any]) -> Names:
    """Return the names of hashed features that follow from the columns: numbers, and missing values."""
    if "columns" not in reading:
        return NO_TEXTS
    from rosenblatt.data.sources.derived_fields import mark_of
    from rosenblatt.data.sources.field_roles import CATEGORY, NUMBER, TEXT
    from rosenblatt.data.sources.table_fields import FieldFeatures

    fields = FieldFeatures.from_settings(reading)
    return Names.of([*fields.names_of_numbers, *map(mark_of, fields.names(NUMBER, CATEGORY, TEXT))])


def places_of(
    names: Names, reading: Mapping[str, Any], features: NDArray[np.uint32] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the feature of each name, −1 if the model lacks it, and the sign of its values.

    `features` holds the hashed features in the order of their numbers, if they are renumbered.
    """
    indices, signs = indices_in(names.hashes, reading), np.ones(len(names))
    if reading.get("format") != "vw":
        signs = np.where(names.hashes.view(np.int32) >= 0, 1.0, -1.0)
    if features is None:
        return indices.astype(np.int64), signs
    order = np.argsort(features, kind="stable")
    at = np.minimum(np.searchsorted(features[order], indices), max(0, len(features) - 1))
    places = order[at] if len(features) else np.zeros(len(names), np.int64)
    known = features[places] == indices if len(features) else np.zeros(len(names), np.bool_)
    return np.where(known, places, -1), signs
