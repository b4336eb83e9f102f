"""Renumber hashed features in order of first appearance.

The weights of 2^22 hashed features for twenty classes would take gigabytes, nearly all for features that no
row has. Here the first feature that occurs becomes feature 0, the next one feature 1. So there are only as
many weights as features in the rows, and the weights of common words are adjacent. The entries of a row
keep their order. In prediction, entries of features without a weight are dropped.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.chunk import Chunk, sparse_rows
from rosenblatt.data.sources.feature_names import (
    ALL,
    NONE,
    NameRecorder,
    Vocabulary,
    check_names,
    names_to_store,
)
from rosenblatt.data.sources.hashing import indices_and_signs
from rosenblatt.data.sources.parsing.name_table import add_ones
from rosenblatt.data.sources.source import Source, Wrapped
from rosenblatt.errors import BadInput
from rosenblatt.numeric.feature_numbers import FeatureNumbers
from rosenblatt.numeric.row_batches import Rows, Sparse

NUMBERS = "met"
"""The key of the numbered features in `settings`."""


class NumberedFeatures(Wrapped):
    """Number the features of the rows of a source in order of appearance.

    `known` holds the features of a model, to which no features are added. `leader` is the source that adds
    features, if this source holds other rows for the same model. With `reads_all_first`, all rows are read
    before the first one is returned, so that all rows have the final width.
    """

    def __init__(
        self,
        source: Source,
        known: Mapping[str, Any] | None = None,
        leader: NumberedFeatures | None = None,
        reads_all_first: bool = False,
    ) -> None:
        super().__init__(source)
        self._reads_all_first = reads_all_first
        self._numbers: FeatureNumbers | None = None
        self._leader = leader
        self._learns = known is None and leader is None
        self.recorder: NameRecorder | None = None  # set if the names of the features are recorded
        self.names: str | int = ALL  # how many names the model is to store
        self._rows: NDArray[np.uint32] | None = None  # rows with each feature, counted in the first pass
        self._is_counted = False
        if known is not None:
            self.remember(known)

    def remember(self, reading: Mapping[str, Any]) -> None:
        """Restore the features of another run from its `settings`."""
        self._numbers = numbers_in(reading)

    @property
    def hashed_source(self) -> Source | None:
        """Return the source of rows with hashed features if no feature has a number yet, otherwise None."""
        return self._source if self._learns and self._numbers is None else None

    def record_names(self, names: str | int, known: Vocabulary | None = None) -> None:
        """Record the names of the features from now on, and count the rows with each of them."""
        if known is not None:
            assert self._numbers is not None
            self._rows = known.row_counts(len(self._numbers))
            self._is_counted = self._reads_all_first
        self.names, self.recorder = names, record_names(self._source, known)

    def vocabulary(self, sizes: NDArray[np.float64] | None = None) -> Vocabulary | None:
        """Return the names of the features with a weight, or None if they are not recorded.

        sizes[j] is the largest absolute weight of feature j; with None, all names are returned.
        """
        if self.recorder is None or self._numbers is None:
            return None
        names, most = self.recorder.names(), check_names(self.names)
        if sizes is None:
            sizes, most = np.ones(len(self._numbers)), len(names)
        places = self._numbers.places(indices_in(names.hashes, self._source.settings()))
        names = names_to_store(names, places, sizes, most)
        rows = np.empty(0, np.uint32) if self._rows is None else self._rows[: len(self._numbers)]
        return Vocabulary.of(names, rows, self.names)

    def set_features(self, n_features: int, features: NDArray[np.uint32]) -> None:
        """Set the number of possible features, and the known features in order of appearance."""
        self._numbers = FeatureNumbers(n_features, features)

    def settings(self) -> dict[str, Any]:
        if self._numbers is None:
            return self._source.settings()
        return {**self._source.settings(), NUMBERS: numbers_as_settings(self._numbers)}

    def chunks(self, order: Sequence[int] | None = None, skip: int = 0) -> Iterator[Chunk]:
        """Yield the chunks in the given order, leaving out the first `skip`."""
        if self._reads_all_first and self._numbers is None:
            for chunk in self._source.chunks():
                self._renumber(chunk.rows)
                chunk.release()
            self._is_counted = True
        for chunk in self._source.chunks(order, skip):
            yield replace(chunk, rows=self._renumber(chunk.rows), is_sorted=False)
        self._is_counted = True

    def tables(self) -> Iterator[Any]:
        return self._source.tables()  # type: ignore[attr-defined]

    def _renumber(self, rows: Rows) -> Rows:
        if not isinstance(rows, Sparse):
            return rows
        if self._leader is not None:
            self._numbers = self._leader._numbers
        if self._numbers is None:
            self._numbers = FeatureNumbers(rows.n_features)
        if not self._learns:
            return self._numbers.drop_unknown(rows)
        used = rows.indices[: int(rows.starts[-1])] if rows.starts.size else rows.indices[:0]
        numbers = self._numbers.learn(used)
        if self.recorder is not None and not self._is_counted:
            self._count(numbers)
        return sparse_rows(rows.values[: len(numbers)], numbers, rows.starts, max(1, len(self._numbers)))

    def _count(self, numbers: NDArray[Any]) -> None:
        """Add the rows of a chunk to the number of rows with each feature."""
        assert self._numbers is not None
        known = np.zeros(0, np.uint32) if self._rows is None else self._rows
        if len(self._numbers) > len(known):
            self._rows = np.zeros(2 * len(self._numbers), np.uint32)
            self._rows[: len(known)] = known
        if self._rows is not None:  # None: no row has a feature yet
            add_ones(self._rows, numbers)


def record_names(source: Any, known: Vocabulary | None = None) -> NameRecorder | None:
    """Let the innermost source record the names that it hashes.

    Return the recorder, or None if the source cannot record names.
    """
    while isinstance(source, Wrapped):
        source = source._source
    if not hasattr(source, "use_columns"):
        return None
    recorder = NameRecorder(None if known is None else known.names)
    if source.columns is not None:
        source.use_columns(replace(source.columns, recorder=recorder))
    elif source.settings()["format"] == "vw":
        source.record_names(recorder)
    return recorder


def numbers_as_settings(numbers: FeatureNumbers) -> dict[str, Any]:
    """Return the numbered features for JSON."""
    return {"of": numbers.n_possible, "features": numbers.as_text()}


def indices_in(hashes: NDArray[np.uint32], reading: Mapping[str, Any]) -> NDArray[np.uint32]:
    """Return the feature index of names with these hashes."""
    if reading.get("format") == "vw":
        return hashes & np.uint32((1 << reading["bits"]) - 1)
    return indices_and_signs(hashes, reading["bits"])[0]


def numbers_in(reading: Mapping[str, Any]) -> FeatureNumbers:
    """Return the numbers of the features of a model."""
    return FeatureNumbers(int(reading[NUMBERS]["of"]), features_in(reading))


def features_in(reading: Mapping[str, Any]) -> NDArray[np.uint32]:
    """Return the hashed features of a model in the order of their indices."""
    try:
        packed = zlib.decompress(base64.b64decode(reading[NUMBERS]["features"], validate=True))
        return np.frombuffer(packed, "<u4").astype(np.uint32)
    except (KeyError, TypeError, ValueError, binascii.Error, zlib.error) as error:
        raise BadInput(f"the model's list of features is damaged ({error}); train it again") from error


def number_features(source: Source, reads_all_first: bool = False, names: str | int = NONE) -> Source:
    """Return the source; if its features are hashed, number them in order of appearance.

    `names` states how many of their names are recorded: "all", "none" or a number.
    """
    settings = source.settings()
    is_hashed = settings["format"] == "vw"
    if "columns" in settings:
        from rosenblatt.data.sources.table_fields import FieldFeatures

        is_hashed = FieldFeatures.from_settings(settings).is_hashed
    if not is_hashed:
        return source
    numbered = NumberedFeatures(source, reads_all_first=reads_all_first)
    if check_names(names):
        numbered.record_names(names)
    return numbered


def numbered_as(source: Source, others: Source) -> Source:
    """Return other rows with the feature numbers that `source` has assigned so far."""
    return NumberedFeatures(others, leader=source) if isinstance(source, NumberedFeatures) else others
