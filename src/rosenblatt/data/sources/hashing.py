"""Feature hashing: map a name to a feature index without storing a list of names.

Let h be MurmurHash3 of the name's UTF-8 bytes as an int32. The index is |h| mod 2^bits, and values get the
sign of h, so that names with the same index cancel on average instead of adding up (Weinberger et al.
2009). Index and sign are equal to those of scikit-learn's ``FeatureHasher(n_features=2**bits)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.options import BY_NAME
from rosenblatt.data.sources.parsing.murmur import murmur_each
from rosenblatt.errors import BadInput

BITS, MOST_BITS = BY_NAME["bits"].default, 31
"""The default and the largest number of bits; indices have 32 bits, and scipy uses one for the sign."""


def hashed_names(
    names: Sequence[str] | Any, bits: int, seed: int = 0
) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
    """Return the feature index (below 2^bits) of each name, and the sign (−1 or +1) of its values.

    Names are strings in a sequence, a numpy array, or a pyarrow array; each word of a dictionary-encoded
    array is hashed only once.

    >>> hashed_names(["colour=red", "colour=blue", "price"], bits=10)
    (array([641, 512, 498], dtype=uint32), array([ 1., -1., -1.]))
    """
    check_bits(bits)
    return indices_and_signs(hashes_of(names, seed), bits)


def indices_and_signs(
    hashes: NDArray[np.uint32], bits: int
) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
    """Return the feature index and the sign of names with these hashes."""
    signed = hashes.view(np.int32)
    size = np.abs(signed.astype(np.int64))  # |−2^31| needs more than 32 bits
    return (size & ((1 << bits) - 1)).astype(np.uint32), np.where(signed >= 0, 1.0, -1.0)


def check_bits(bits: int | None) -> None:
    """Raise an error if feature indices cannot have this number of bits."""
    BY_NAME["bits"].check(BITS if bits is None else bits)


def hashes_of(names: Sequence[str] | Any, seed: int = 0) -> NDArray[np.uint32]:
    """Return the MurmurHash3 of each name with the given seed.

    >>> hashes_of(["", "a"]).tolist()
    [0, 1009084850]
    """
    import pyarrow as pa

    words = as_words(names)
    if isinstance(words, pa.DictionaryArray):
        of_each_word = hashes_of(words.dictionary, seed)
        return of_each_word[words.indices.to_numpy(zero_copy_only=False)]
    hashes = np.empty(len(words), np.uint32)
    if hashes.size:
        _, offsets, letters = words.buffers()
        ends = np.frombuffer(offsets, np.int64)[words.offset : words.offset + len(words) + 1]
        murmur_each(_bytes_in(letters), ends.view(np.uint64), np.uint32(seed), hashes)
    return hashes


def as_words(names: Sequence[str] | Any) -> Any:
    """Return the names as one pyarrow array: strings with 64-bit offsets, or dictionary-encoded strings."""
    import pyarrow as pa

    if isinstance(names, str | bytes):
        raise BadInput(f"names: expected several strings, got one, {names!r}; give [{names!r}]")
    if isinstance(names, pa.ChunkedArray):
        names = names.unify_dictionaries().combine_chunks()
    try:
        words = names if isinstance(names, pa.Array) else pa.array(names, from_pandas=False)
        if words.null_count:
            first = np.flatnonzero(words.is_null())[0]
            raise BadInput(f"name {first} is missing; give every feature a name, such as ''")
        if isinstance(words, pa.DictionaryArray):
            return words
        if not (_is_text(words.type) or len(words) == 0):
            raise BadInput(f"names: expected strings, got {words.type}; write them as text first")
        return words.cast(pa.large_string())
    except (pa.ArrowException, TypeError, UnicodeError) as error:
        raise BadInput(f"names: expected strings of valid text, got something else: {error}") from None


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return kind in (pa.string(), pa.large_string(), pa.string_view())


def _bytes_in(buffer: Any) -> NDArray[np.uint8]:
    """Return the bytes of a pyarrow buffer as a read-only array, so that the loop has only one type."""
    letters = np.frombuffer(buffer, np.uint8) if buffer is not None else np.empty(0, np.uint8)
    letters.flags.writeable = False
    return letters
