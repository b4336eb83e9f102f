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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.chunk import Chunk, sparse_rows
from rosenblatt.data.sources.feature_names import NONE, Names, Vocabulary
from rosenblatt.data.sources.recorded_names import RecordedNames, is_hashed
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
    before the first one is returned, so that all rows have the final width. `names` states how many names
    of features are recorded: "all", "none" or a number.
    """

    def __init__(
        self,
        source: Source,
        known: Mapping[str, Any] | None = None,
        leader: NumberedFeatures | None = None,
        reads_all_first: bool = False,
        names: str | int = NONE,
    ) -> None:
        super().__init__(source)
        self.reads_all_first = reads_all_first
        self._numbers: FeatureNumbers | None = None
        self._leader = leader
        self._learns = known is None and leader is None
        self.recorded = RecordedNames(source, names)
        if known is not None:
            self.remember(known)

    def remember(self, reading: Mapping[str, Any]) -> None:
        """Restore the features of another run from its `settings`."""
        self._numbers = numbers_in(reading)

    @property
    def hashed_source(self) -> Source | None:
        """Return the source of rows with hashed features if no feature has a number yet, otherwise None."""
        return self._source if self._learns and self._numbers is None else None

    def vocabulary(self, sizes: NDArray[np.float64] | None, n_features: int) -> Vocabulary | None:
        """Return the names of the features with a weight, as `RecordedNames.vocabulary`."""
        if self._numbers is None:
            return None
        return self.recorded.vocabulary(self._numbers.places, len(self._numbers), sizes)

    def survey(
        self,
        n_features: int,
        features: NDArray[np.uint32],
        rows: NDArray[np.uint32],
        names: Iterable[Names],
    ) -> None:
        """Assign numbers to features in this order; take their names, and the number of rows with each.

        Other processes have found them; `n_features` is the number of possible features.
        """
        self._numbers = FeatureNumbers(n_features, features)
        self.recorded.take(names, rows)

    def settings(self) -> dict[str, Any]:
        if self._numbers is None:
            return self._source.settings()
        return {**self._source.settings(), NUMBERS: numbers_as_settings(self._numbers)}

    def chunks(self, order: Sequence[int] | None = None, skip: int = 0) -> Iterator[Chunk]:
        """Yield the chunks in the given order, leaving out the first `skip`."""
        if self.reads_all_first and self._numbers is None:
            for chunk in self._source.chunks():
                self._renumber(chunk.rows)
                chunk.release()
            self.recorded.is_counted = True
        for chunk in self._source.chunks(order, skip):
            yield replace(chunk, rows=self._renumber(chunk.rows), is_sorted=False)
        self.recorded.is_counted = True

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
        self.recorded.count(numbers, len(self._numbers))
        return sparse_rows(rows.values[: len(numbers)], numbers, rows.starts, max(1, len(self._numbers)))


def numbers_as_settings(numbers: FeatureNumbers) -> dict[str, Any]:
    """Return the numbered features for JSON."""
    return {"of": numbers.n_possible, "features": numbers.as_text()}


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
    if not is_hashed(source.settings()):
        return source
    return NumberedFeatures(source, reads_all_first=reads_all_first, names=names)


def numbered_as(source: Source, others: Source) -> Source:
    """Return other rows with the feature numbers that `source` has assigned so far."""
    return NumberedFeatures(others, leader=source) if isinstance(source, NumberedFeatures) else others
