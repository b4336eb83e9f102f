"""Labels of fixed width, as rows of whole numbers: which of some words each is."""

from __future__ import annotations

import numpy as np

from rosenblatt.arithmetic.compiling import compiled


@compiled
def match(words, keys, places):
    """places[i] ← the key that is word i, −1 where none is."""
    width = np.uint64(words.shape[1])
    for i in range(np.uint64(words.shape[0])):
        place = -1
        for c in range(np.uint64(keys.shape[0])):
            # all pieces of all keys: where labels come in no order, to guess which is next costs more
            differ = words[i, 0] ^ keys[c, 0]
            for k in range(np.uint64(1), width):
                differ |= words[i, k] ^ keys[c, k]
            place = np.int64(c) if differ == 0 else place
        places[i] = place
