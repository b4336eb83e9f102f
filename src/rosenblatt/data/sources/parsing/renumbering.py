"""Renumber features with a table that holds 0 for unknown features, otherwise the index plus one."""

from __future__ import annotations

import numpy as np

from rosenblatt.numeric.compiling import jit

ZERO, ONE = np.uint64(0), np.uint64(1)


@jit
def new_places(indices, place_of, met, n, places):
    """Write the index of feature indices[e] to places[e], and append new features to `met`.

    Return the new number of features.
    """
    end = np.uint64(n)
    for entry in range(np.uint64(indices.size)):
        index = indices[entry]
        place = np.uint64(place_of[index])
        if place == ZERO:
            met[end] = index
            end += ONE
            place = end
            place_of[index] = np.uint32(place)
        places[entry] = np.uint32(place - ONE)
    return end


@jit
def drop_unknown(values, indices, starts, place_of, kept_values, places, new_starts):
    """Copy the entries of known features, in their order, with their new indices; return their number."""
    end = ZERO
    for row in range(np.uint64(starts.size - 1)):
        new_starts[row] = end
        for entry in range(np.uint64(starts[row]), np.uint64(starts[row + ONE])):
            index = np.uint64(indices[entry])
            place = np.uint64(place_of[index]) if index < np.uint64(place_of.size) else ZERO
            kept_values[end], places[end] = values[entry], np.uint32(place - ONE)
            end += np.uint64(place > ZERO)
    new_starts[starts.size - 1] = end
    return end
