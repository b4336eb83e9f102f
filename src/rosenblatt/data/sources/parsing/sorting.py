"""What every parser does to a row once its entries are there: bring them in order."""

from __future__ import annotations

import numpy as np

from rosenblatt.arithmetic.compiling import compiled

ONE = np.uint64(1)
FEW = np.uint64(64)


@compiled
def sort_row(indices, values, begin, end):
    """Sorts the entries of a row by index, values that have the same index in the order they came, and adds
    these up. Returns where the row ends now."""
    if end - begin > FEW:
        order = np.argsort(indices[begin:end], kind="mergesort")
        indices[begin:end] = indices[begin:end][order]
        values[begin:end] = values[begin:end][order]
    else:
        for entry in range(begin + ONE, end):
            index, value = indices[entry], values[entry]
            place = entry
            while place > begin and indices[place - ONE] > index:
                indices[place], values[place] = indices[place - ONE], values[place - ONE]
                place -= ONE
            indices[place], values[place] = index, value
    if begin == end:
        return end
    last = begin
    for entry in range(begin + ONE, end):
        if indices[entry] == indices[last]:
            values[last] += values[entry]
        else:
            last += ONE
            indices[last], values[last] = indices[entry], values[entry]
    return last + ONE
