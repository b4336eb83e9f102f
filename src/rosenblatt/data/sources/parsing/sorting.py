"""Sort the entries of a parsed row; all parsers use this module."""

from __future__ import annotations

import numpy as np

from rosenblatt.numeric.compiling import part

ZERO, ONE = np.uint64(0), np.uint64(1)
FEW = np.uint64(64)
DIGIT = np.uint32(11)  # bits per digit
BUCKETS = 1 << 11
LAST_BUCKET = np.uint32(BUCKETS - 1)


@part
def sort_row(indices, values, begin, end):
    """Sort the entries of a row by index, and add up values with the same index in their order.

    Return the new end of the row.
    """
    if end - begin > FEW:
        sort_by_digits(indices, values, begin, end)
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


@part
def sort_by_digits(indices, values, begin, end):
    """Sort entries by index, digit by digit from the lowest; equal indices keep their order."""
    n = end - begin
    largest = ZERO
    for entry in range(begin, end):
        largest = max(largest, np.uint64(indices[entry]))
    other_indices, other_values = np.empty(n, indices.dtype), np.empty(n, values.dtype)
    counts = np.empty(BUCKETS, np.uint32)
    shift = np.uint32(0)
    while (largest >> np.uint64(shift)) > ZERO:
        for bucket in range(BUCKETS):
            counts[bucket] = np.uint32(0)
        for entry in range(begin, end):
            counts[(np.uint32(indices[entry]) >> shift) & LAST_BUCKET] += np.uint32(1)
        before = np.uint32(0)
        for bucket in range(BUCKETS):
            here = counts[bucket]
            counts[bucket] = before
            before += here
        for entry in range(begin, end):
            bucket = (np.uint32(indices[entry]) >> shift) & LAST_BUCKET
            place = counts[bucket]
            other_indices[place], other_values[place] = indices[entry], values[entry]
            counts[bucket] = place + np.uint32(1)
        for place in range(n):
            indices[begin + place], values[begin + place] = other_indices[place], other_values[place]
        shift += DIGIT
