"""Names of hashed features: recorded while rows are hashed, and stored in the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.parsing.name_table import NameTable, add_names, fill_slots, new_table
from rosenblatt.errors import BadInput, bad_value

ALL, NONE = "all", "none"
MOST_STORED = 1 << 20
"""With more features, a model stores the names of those with the largest weights."""

MOST_RECORDED = 1 << 23
"""The largest number of names that one thread records; further names are unknown."""

MOST_LETTERS = 1 << 30
"""The largest number of bytes of the names in a model file."""

FEWEST, LETTERS = 1 << 14, 24
NO_NAMES = new_table(0, 0)
"""A table that takes no names."""

Result = TypeVar("Result")


def check_names(names: Any) -> int:
    """Return the largest number of names to store, given "all", "none" or that number."""
    if names in (ALL, NONE):
        return MOST_STORED if names == ALL else 0
    try:
        number = int(names)
    except (TypeError, ValueError):
        number = -1
    if number < 0:
        raise bad_value("names", names, "'all', 'none', or the number of names to store")
    return number


class NameRecorder:
    """Record the names of features in several threads, each with its own table.

    >>> from rosenblatt.data.sources.hashing import as_words, hashes_of
    >>> recorder = NameRecorder()
    >>> recorder.add(as_words(["a=b", "c", "a=b"]), hashes_of(["a=b", "c", "a=b"]))
    >>> recorder.names().texts()
    ['a=b', 'c']
    """

    def __init__(self) -> None:
        self._tables: list[NameTable] = []  # tables that no thread is using

    def record(self, hash_names: Callable[[NameTable], Result]) -> Result:
        """Return hash_names(table), called again with a larger table until all names fit."""
        table = self._tables.pop() if self._tables else new_table(FEWEST, FEWEST * LETTERS)
        result = hash_names(table)
        while table.counts[2] and table.ends.size < MOST_RECORDED:
            table = _larger(table)
            result = hash_names(table)
        table.counts[2] = 0
        self._tables.append(table)
        return result

    def add(self, words: Any, hashes: NDArray[np.uint32]) -> None:
        """Add the names in a pyarrow array, given their hashes."""
        if not len(words):
            return
        _, offsets, letters = words.buffers()
        ends = np.frombuffer(offsets, np.int64)[words.offset : words.offset + len(words) + 1]
        text = np.frombuffer(letters or b"", np.uint8)
        self.record(lambda table: add_names(table, hashes, text, ends))

    def extend(self, known: Names) -> None:
        """Add names that were recorded before."""
        ends = np.append(0, known.ends)
        self.record(lambda table: add_names(table, known.hashes, known.letters, ends))

    def names(self) -> Names:
        """Return all names recorded so far."""
        parts = []
        for table in list(self._tables):
            n, used = int(table.counts[0]), int(table.counts[1])
            hashes = table.keys[:n].astype(np.uint32)  # the last 32 bits
            parts.append((Names(table.letters[:used], table.ends[:n], hashes), table.keys[:n]))
        if len(parts) == 1:
            return parts[0][0]
        together = NO_TEXTS
        for part, _ in parts:
            together = together.followed_by(part)
        keys = np.concatenate([np.empty(0, np.uint64), *(keys for _, keys in parts)])
        return together.take(np.unique(keys, return_index=True)[1])


def _larger(table: NameTable) -> NameTable:
    """Return a table with the same names and four times as much space."""
    n, used = int(table.counts[0]), int(table.counts[1])
    larger = new_table(4 * table.ends.size, 4 * table.letters.size)
    larger.keys[:n], larger.ends[:n] = table.keys[:n], table.ends[:n]
    larger.letters[:used] = table.letters[:used]
    larger.counts[:2] = n, used
    fill_slots(larger.slots, table.keys[:n])
    return larger


NOTHING = np.empty(0, np.uint8)


@dataclass(frozen=True)
class Names:
    """Hold many names as bytes, with their 32-bit hashes.

    >>> names = Names.of(["a=b", "c"])
    >>> names.take(np.array([1])).texts(), len(names)
    (['c'], 2)
    """

    letters: NDArray[np.uint8]
    ends: NDArray[np.int64]
    hashes: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.ends)

    @staticmethod
    def of(texts: list[str]) -> Names:
        """Return names with their MurmurHash3."""
        from rosenblatt.data.sources.hashing import hashes_of

        encoded = [text.encode() for text in texts]
        ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
        return Names(np.frombuffer(b"".join(encoded), np.uint8), ends, hashes_of(texts))

    def take(self, places: NDArray[Any]) -> Names:
        """Return the names at these places."""
        import pyarrow as pa

        starts = np.append(0, self.ends)
        buffers = [None, pa.py_buffer(starts), pa.py_buffer(np.ascontiguousarray(self.letters))]
        taken = pa.Array.from_buffers(pa.large_binary(), len(self), buffers).take(pa.array(places))
        _, offsets, letters = taken.buffers()
        ends = np.frombuffer(offsets, np.int64)[taken.offset : taken.offset + len(taken) + 1]
        return Names(
            np.frombuffer(letters or b"", np.uint8)[ends[0] : ends[-1]],
            ends[1:] - ends[0],
            self.hashes[places],
        )

    def texts(self, places: NDArray[Any] | None = None) -> list[str]:
        """Return the names, or those at some places, as texts; bytes that are not UTF-8 are replaced."""
        some = self if places is None else self.take(places)
        letters, ends = some.letters.tobytes(), [0, *some.ends.tolist()]
        return [letters[begin:end].decode(errors="replace") for begin, end in pairwise(ends)]

    def followed_by(self, more: Names) -> Names:
        """Return these names and more."""
        before = len(self.letters)
        return Names(
            np.concatenate([self.letters, more.letters]),
            np.concatenate([self.ends, more.ends + before]),
            np.concatenate([self.hashes, more.hashes]),
        )


NO_TEXTS = Names(NOTHING, np.empty(0, np.int64), np.empty(0, np.uint32))


@dataclass(frozen=True)
class Vocabulary:
    """Hold the names of a model's features, compressed, and the number of training rows with each feature.

    `asked` is the requested number of names, or "all". `rows` contains the row counts of all features,
    compressed.

    >>> known = Vocabulary.of(Names.of(["a=b"]), np.array([7, 2], np.uint32), "all")
    >>> known.names.texts(), known.row_counts(2).tolist()
    (['a=b'], [7, 2])
    """

    letters: NDArray[np.uint8]
    lengths: NDArray[np.uint8]
    hashes: NDArray[np.uint32]
    rows: NDArray[np.uint8]
    asked: str = ALL

    @staticmethod
    def of(names: Names, rows: NDArray[np.uint32], asked: Any) -> Vocabulary:
        """Return the vocabulary with these names, compressed."""
        lengths = np.diff(names.ends, prepend=0).astype("<u4")
        return Vocabulary(
            _pack(names.letters), _pack(lengths), names.hashes.copy(), _pack(rows.astype("<u4")), str(asked)
        )

    @cached_property
    def names(self) -> Names:
        """The names; they are checked here, when they are used."""
        ends = np.cumsum(_unpack(self.lengths, 4 * len(self.hashes)).view("<u4").astype(np.int64))
        total = int(ends[-1]) if len(ends) else 0
        if total > MOST_LETTERS:
            raise BadInput(
                f"the names of the features are damaged ({total} letters); train the model again"
            )
        return Names(_unpack(self.letters, total), ends, self.hashes)

    def row_counts(self, n_features: int) -> NDArray[np.uint32] | None:
        """Return the number of training rows with each feature, or None if they were not counted.

        Features that a service has added since have no training rows.
        """
        if not self.rows.size:
            return None
        counts = np.zeros(n_features, np.uint32)
        known = _unpack(self.rows, 4 * n_features, is_exact=False).view("<u4")
        counts[: len(known)] = known
        return counts


def names_to_store(names: Names, places: NDArray[np.int64], sizes: NDArray[np.float64], most: int) -> Names:
    """Return the names of the features with a weight, at most `most`: those with the largest weights.

    places[k] is the feature of name k, or −1; sizes[j] is the largest absolute weight of feature j. The
    names are in the order of their features, whichever threads recorded them.
    """
    size = np.where(places >= 0, sizes[places], 0.0)
    used = np.flatnonzero(size > 0.0)
    keys = places[used].astype(np.uint64) << np.uint64(32) | names.hashes[used]
    used = used[np.argsort(keys, kind="stable")]
    if len(used) > most:
        least = np.partition(size[used], len(used) - most)[len(used) - most] if most else np.inf
        used = used[size[used] >= least][:most]
    return names.take(used)


def _pack(array: NDArray[Any]) -> NDArray[np.uint8]:
    """Return the bytes of an array, compressed; an empty array stays empty."""
    if not array.size:
        return NOTHING
    import pyarrow as pa

    return np.frombuffer(pa.compress(array.tobytes(), "zstd", asbytes=True), np.uint8)


def _unpack(packed: NDArray[np.uint8], size: int, is_exact: bool = True) -> NDArray[np.uint8]:
    """Return the `size` bytes that were compressed, or unless `is_exact` the first of them."""
    if not size:
        return NOTHING
    import pyarrow as pa

    try:
        if is_exact:
            return np.frombuffer(pa.decompress(packed.tobytes(), size, "zstd", asbytes=True), np.uint8)
        with pa.CompressedInputStream(pa.py_buffer(packed.tobytes()), "zstd") as stream:
            found = stream.read(size)
            return np.frombuffer(found, np.uint8, len(found) // 4 * 4)
    except (pa.ArrowException, OSError) as error:
        raise BadInput(f"the names of the features are damaged ({error}); train the model again") from error
