"""Match labels of fixed width, stored as rows of integers, with the known classes."""

from __future__ import annotations

import numpy as np

from rosenblatt.numeric.compiling import jit


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
