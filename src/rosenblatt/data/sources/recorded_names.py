"""Names of hashed features, recorded while a source is read, with the number of rows with each feature."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.cache import Cached
from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.data.sources.feature_names import (
    NONE,
    NameRecorder,
    Names,
    Vocabulary,
    check_names,
    names_to_store,
)
from rosenblatt.data.sources.hashing import indices_and_signs
from rosenblatt.data.sources.parsing.name_table import add_ones
from rosenblatt.data.sources.source import Source, Wrapped, innermost
from rosenblatt.numeric.row_batches import Sparse


class RecordedNames:
    """Record the names of the features of a source, and count the rows with each feature in one pass.

    `asked` states how many names the model is to store: "all", "none" or a number.
    """

    def __init__(self, source: Source, asked: str | int) -> None:
        self._source, self._asked = source, asked
        self._recorder = record_names(source) if check_names(asked) else None
        self._rows = np.zeros(0, np.uint32)
        self.is_counted = False

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave out the names: a worker of a cluster that gets the source does not need them."""
        return RecordedNames, (self._source, NONE)

    @property
    def are_recorded(self) -> bool:
        """Return whether names are recorded."""
        return self._recorder is not None

    def restore(self, known: Vocabulary | None, n_features: int, is_counted: bool) -> None:
        """Continue with the names and row counts of a checkpoint."""
        if self._recorder is None or known is None:
            return
        self._recorder.extend(known.names)
        rows = known.row_counts(n_features)
        if rows is not None:
            self._rows, self.is_counted = rows, is_counted

    def take(self, names: Iterable[Names], rows: NDArray[np.uint32]) -> None:
        """Use names and row counts that other processes have recorded; record none here."""
        if self._recorder is None:
            return
        attach_recorder(self._source, None)
        for each in names:
            self._recorder.extend(each)
        self._rows, self.is_counted = rows, True

    def count(self, features: NDArray[Any], n_features: int) -> None:
        """Add 1 to the number of rows with each of these features, in the first pass."""
        if self._recorder is None or self.is_counted:
            return
        if n_features > len(self._rows):
            larger = np.zeros(2 * n_features, np.uint32)
            larger[: len(self._rows)] = self._rows
            self._rows = larger
        add_ones(self._rows, features)

    def vocabulary(
        self,
        places: Callable[[NDArray[np.uint32]], NDArray[np.int64]],
        n_features: int,
        sizes: NDArray[np.float64] | None = None,
    ) -> Vocabulary | None:
        """Return the names of the features with a weight, or None if they are not recorded.

        places(indices) returns the features with these hashed indices, −1 if there is none. sizes[j] is the
        largest absolute weight of feature j; with None, all names are returned.
        """
        if self._recorder is None:
            return None
        names, most = self._recorder.names(), check_names(self._asked)
        if sizes is None:
            sizes, most = np.ones(n_features), len(names)
        of_names = places(indices_in(names.hashes, self._source.settings()))
        rows = np.zeros(n_features, np.uint32)
        rows[: len(self._rows)] = self._rows[:n_features]
        return Vocabulary.of(names_to_store(names, of_names, sizes, most), rows, self._asked)


class NamedFeatures(Wrapped):
    """Record the names of the hashed features of a source, whose rows stay as they are."""

    def __init__(self, source: Source, names: str | int) -> None:
        super().__init__(source)
        self.recorded = RecordedNames(source, names)

    @property
    def hashed_source(self) -> Source | None:
        """Return the source of the rows if other processes must record their names, otherwise None."""
        return self._source if self.recorded.are_recorded and not self.recorded.is_counted else None

    @property
    def n_files(self) -> int:
        return self._source.n_files  # type: ignore[attr-defined]

    def of_file(self, number: int) -> Any:
        """Return a source for only one of the files."""
        return self._source.of_file(number)  # type: ignore[attr-defined]

    def chunks(self, order: Sequence[int] | None = None, skip: int = 0) -> Iterator[Chunk]:
        """Yield the chunks in the given order, leaving out the first `skip`."""
        for chunk in self._source.chunks(order, skip):
            if isinstance(chunk.rows, Sparse) and chunk.rows.starts.size:
                used = chunk.rows.indices[: int(chunk.rows.starts[-1])]
                self.recorded.count(used, chunk.rows.n_features)
            yield chunk
        self.recorded.is_counted = True

    def survey(
        self,
        n_features: int,
        features: NDArray[np.uint32],
        rows: NDArray[np.uint32],
        names: Iterable[Names],
    ) -> None:
        """Take the names of the features, found in other processes, and the number of rows with each."""
        counts = np.zeros(n_features, np.uint32)
        counts[features] = rows
        self.recorded.take(names, counts)

    def vocabulary(self, sizes: NDArray[np.float64] | None, n_features: int) -> Vocabulary | None:
        """Return the names of the features with a weight, as `RecordedNames.vocabulary`."""
        return self.recorded.vocabulary(lambda indices: indices.astype(np.int64), n_features, sizes)


def name_features(source: Source, names: str | int) -> Source:
    """Return the source; if its features are hashed, record their names ("all", "none" or a number)."""
    wanted = check_names(names) and is_hashed(source.settings())
    return NamedFeatures(source, names) if wanted else source


def is_hashed(settings: Mapping[str, Any]) -> bool:
    """Return whether a source with these settings hashes the names of its features."""
    if "columns" not in settings:
        return settings.get("format") == "vw"
    from rosenblatt.data.sources.table_fields import FieldFeatures

    return FieldFeatures.from_settings(settings).is_hashed


def record_names(source: Any) -> NameRecorder | None:
    """Let the innermost source record the names that it hashes, and a cache store them.

    Return the recorder, or None if the source cannot record names.
    """
    recorder = NameRecorder()
    if not attach_recorder(source, recorder):
        return None
    while isinstance(source, Wrapped):
        if isinstance(source, Cached):
            source.store_names(recorder)
        source = source._source
    return recorder


def attach_recorder(source: Any, recorder: NameRecorder | None) -> bool:
    """Set the recorder of the innermost source, and return whether it can record names."""
    source = innermost(source)
    if not hasattr(source, "use_columns"):
        return False
    if source.columns is not None:
        source.use_columns(replace(source.columns, recorder=recorder))
    elif source.settings().get("format") == "vw":
        source.record_names(recorder)
    return True


def indices_in(hashes: NDArray[np.uint32], reading: Mapping[str, Any]) -> NDArray[np.uint32]:
    """Return the feature index of names with these hashes."""
    if reading.get("format") == "vw":
        return hashes & np.uint32((1 << reading["bits"]) - 1)
    return indices_and_signs(hashes, reading["bits"])[0]
