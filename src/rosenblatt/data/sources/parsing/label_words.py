"""Match labels of fixed width, stored as rows of integers, with the known classes."""

from __future__ import annotations

import numpy as np

from rosenblatt.numeric.compiling import inline, jit


@jit
def match(words, keys, places):
    """Set places[i] to the index of the key that equals word i, or to −1."""
    width = np.uint64(words.shape[1])
    for i in range(np.uint64(words.shape[0])):
        place = -1
        for c in range(np.uint64(keys.shape[0])):
            # compare all pieces of all keys: with labels in random order, mispredicted branches cost more
            differ = words[i, 0] ^ keys[c, 0]
            for k in range(np.uint64(1), width):
                differ |= words[i, k] ^ keys[c, k]
            place = np.int64(c) if differ == 0 else place
        places[i] = place


@jit
def match_text(text, starts, keys, lengths, places):
    """Set places[i] like `match`, for words of any width.

    Word i consists of the bytes starts[i] … starts[i + 1] of `text`, which is passed as 8-byte integers,
    followed by two extra integers. `keys` holds the bytes of the classes, padded with 0, and `lengths`
    their numbers of bytes.
    """
    masks = np.empty(9, np.uint64)  # masks[n] selects the first n bytes
    for n in range(8):
        masks[n] = (np.uint64(1) << np.uint64(8 * n)) - np.uint64(1)
    masks[8] = ~np.uint64(0)
    for i in range(np.uint64(places.size)):
        first, length = np.int64(starts[i]), np.int64(starts[i + np.uint64(1)]) - np.int64(starts[i])
        at, shift = np.uint64(first >> 3), np.uint64((first & 7) << 3)
        place = -1
        if length <= 8:  # no branch depends on the word, as in `match`
            piece = _piece(text, at, shift) & masks[np.uint64(length)]
            for c in range(np.uint64(keys.shape[0])):
                differ = (piece ^ keys[c, 0]) | np.uint64(length ^ lengths[c])
                place = np.int64(c) if differ == 0 else place
        else:
            for c in range(np.uint64(keys.shape[0])):
                differ = np.uint64(length ^ lengths[c])
                for k in range(np.uint64((length + 7) >> 3) if differ == 0 else np.uint64(0)):
                    own = np.uint64(min(np.int64(8), length - 8 * np.int64(k)))
                    differ |= (_piece(text, at + k, shift) & masks[own]) ^ keys[c, k]
                place = np.int64(c) if differ == 0 else place
        places[i] = place


@inline
def _piece(text, at, shift):
    """Return eight bytes, from bit `shift` of text[at] on."""
    return (text[at] >> shift) | ((text[at + np.uint64(1)] << np.uint64(1)) << (np.uint64(63) - shift))
