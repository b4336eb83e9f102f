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
from rosenblatt.data.sources.parsing.renumbering import drop_unknown, new_places
from rosenblatt.data.sources.source import Source, Wrapped
from rosenblatt.errors import BadInput
from rosenblatt.numeric.examples import Rows, Sparse

MET = "met"
"""The key of the known features in `settings`."""


class Places:
    """Store the index of each known feature.

    A table has one number for each possible feature; its untouched pages take no memory.

    >>> places = Places(1 << 20)
    >>> places.learn(np.array([700, 5, 700], np.uint32)), len(places), places.features
    (array([0, 1, 0], dtype=uint32), 2, array([700,   5], dtype=uint32))
    """

    def __init__(self, n_features: int, met: NDArray[np.uint32] | None = None) -> None:
        self._place_of = np.zeros(n_features, np.uint32)  # 0: unknown; otherwise its index + 1
        self._met, self._n = np.empty(1024, np.uint32), 0
        self._packed = -1, ""
        if met is not None:
            self.learn(met)

    def __len__(self) -> int:
        return self._n

    def __reduce__(self) -> tuple[Any, ...]:
        return Places, (len(self._place_of), self.features.copy())  # the table can be rebuilt from these

    @property
    def features(self) -> NDArray[np.uint32]:
        """Return the known features in the order of their indices."""
        return self._met[: self._n]

    def settings(self) -> dict[str, Any]:
        """Return the known features for JSON, compressed again only if their number has changed."""
        if self._packed[0] != self._n:
            packed = zlib.compress(self.features.astype("<u4").tobytes(), 1)
            self._packed = self._n, base64.b64encode(packed).decode("ascii")
        return {"of": len(self._place_of), "features": self._packed[1]}

    def learn(self, indices: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return the index of each feature; new features get the next indices."""
        if self._n + len(indices) > len(self._met):
            self._met = np.concatenate([self.features, np.empty(2 * (self._n + len(indices)), np.uint32)])
        places = np.empty(len(indices), np.uint32)
        self._n = int(new_places(indices, self._place_of, self._met, self._n, places))
        return places

    def renumber(self, rows: Sparse) -> Sparse:
        """Return rows with the indices of known features; unknown features are dropped."""
        n = len(rows.indices)
        values, indices, starts = np.empty(n, rows.values.dtype), np.empty(n, np.uint32), rows.starts.copy()
        n = drop_unknown(rows.values, rows.indices, rows.starts, self._place_of, values, indices, starts)
        return sparse_rows(values[:n], indices[:n], starts, max(1, self._n))


class MetFeatures(Wrapped):
    """Number the features of the rows of a source in order of appearance.

    `known` holds the features of a model, to which no features are added. `leader` is the source that adds
    features, if this source holds other rows for the same model. With `meets_all_first`, all rows are read
    before the first one is returned, so that all rows have the final width.
    """

    def __init__(
        self,
        source: Source,
        known: Mapping[str, Any] | None = None,
        leader: MetFeatures | None = None,
        meets_all_first: bool = False,
    ) -> None:
        super().__init__(source)
        self._meets_all_first = meets_all_first
        self._places: Places | None = None
        self._leader = leader
        self._learns = known is None and leader is None
        if known is not None:
            self.remember(known)

    def remember(self, reading: Mapping[str, Any]) -> None:
        """Restore the features of another run from its `settings`."""
        self._places = Places(int(reading[MET]["of"]), features_in(reading))

    @property
    def unmet(self) -> Source | None:
        """Return the source of rows with hashed features if no feature has a number yet, otherwise None."""
        return self._source if self._learns and self._places is None else None

    def meet(self, n_features: int, features: NDArray[np.uint32]) -> None:
        """Set the number of possible features, and the known features in order of appearance."""
        self._places = Places(n_features, features)

    @property
    def n_dropped(self) -> int:
        return self._source.n_dropped  # type: ignore[attr-defined]

    @property
    def notes(self) -> list[str]:
        return list(getattr(self._source, "notes", ()))

    def settings(self) -> dict[str, Any]:
        if self._places is None:
            return self._source.settings()
        return {**self._source.settings(), MET: self._places.settings()}

    def __iter__(self) -> Iterator[Chunk]:
        return self.chunks()

    def chunks(self, order: Sequence[int] | None = None, skip: int = 0) -> Iterator[Chunk]:
        """Yield the chunks in the given order, leaving out the first `skip`."""
        if self._meets_all_first and self._places is None:
            for chunk in self._source.chunks():
                self._renumber(chunk.rows)
                chunk.release()
        for chunk in self._source.chunks(order, skip):
            yield replace(chunk, rows=self._renumber(chunk.rows), is_sorted=False)

    def tables(self) -> Iterator[Any]:
        return self._source.tables()  # type: ignore[attr-defined]

    def _renumber(self, rows: Rows) -> Rows:
        if not isinstance(rows, Sparse):
            return rows
        if self._leader is not None:
            self._places = self._leader._places
        if self._places is None:
            self._places = Places(rows.n_features)
        if not self._learns:
            return self._places.renumber(rows)
        used = rows.indices[: int(rows.starts[-1])] if rows.starts.size else rows.indices[:0]
        places = self._places.learn(used)
        return sparse_rows(rows.values[: len(places)], places, rows.starts, max(1, len(self._places)))


def features_in(reading: Mapping[str, Any]) -> NDArray[np.uint32]:
    """Return the hashed features of a model in the order of their indices."""
    try:
        packed = zlib.decompress(base64.b64decode(reading[MET]["features"], validate=True))
        return np.frombuffer(packed, "<u4").astype(np.uint32)
    except (KeyError, TypeError, ValueError, binascii.Error, zlib.error) as error:
        raise BadInput(f"the model's list of features is damaged ({error}); train it again") from error


def number_features(source: Source, meets_all_first: bool = False) -> Source:
    """Return the source; if its features are hashed, number them in order of appearance."""
    settings = source.settings()
    is_hashed = settings["format"] == "vw"
    if "columns" in settings:
        from rosenblatt.data.sources.table_fields import FieldFeatures

        is_hashed = FieldFeatures.from_settings(settings).is_hashed
    return MetFeatures(source, meets_all_first=meets_all_first) if is_hashed else source


def numbered_as(source: Source, others: Source) -> Source:
    """Return other rows with the feature numbers that `source` has assigned so far."""
    return MetFeatures(others, leader=source) if isinstance(source, MetFeatures) else others
