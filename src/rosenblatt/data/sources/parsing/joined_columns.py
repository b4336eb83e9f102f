"""Join columns to rows: numbers, hashed categories and hashed words, in rising order of index."""

from __future__ import annotations

import numpy as np

from rosenblatt.data.sources.parsing.sorting import sort_row
from rosenblatt.numeric.compiling import jit

ZERO, ONE = np.uint64(0), np.uint64(1)
NO_TOKEN = np.uint32(0xFFFFFFFF)
"""Token of a cell whose value is missing."""

TILE = 64


@jit
def rows_of(
    numbers, number_indices, number_signs, tokens, token_indices, token_signs,
    word_starts, word_indices, word_values, kept, starts, indices, values,
):  # fmt: skip
    """Write the rows that `kept` marks to `starts`, `indices` and `values`; return (rows, entries).

    numbers[j, i] is the value of row i in number column j. tokens[c, i] is the token of row i in category
    column c. word_indices[word_starts[t, i]:word_starts[t, i+1]] are the words of row i in text column t.
    Zeros are left out. Entries of a row with the same index are added in the order numbers, categories,
    words.
    """
    row, entry = ZERO, ZERO
    starts[ZERO] = 0
    n_numbers, n_tokens = np.uint64(numbers.shape[0]), np.uint64(tokens.shape[0])
    n_texts = np.uint64(word_starts.shape[0])
    for i in range(np.uint64(kept.size)):
        if not kept[i]:
            continue
        begin = entry
        for j in range(n_numbers):
            indices[entry] = number_indices[j]
            values[entry] = numbers[j, i] * number_signs[j]
            entry += np.uint64(numbers[j, i] != 0.0)
        for c in range(n_tokens):
            token = tokens[c, i]
            if token != NO_TOKEN:
                indices[entry], values[entry] = token_indices[token], token_signs[token]
                entry += ONE
        for t in range(n_texts):
            for word in range(word_starts[t, i], word_starts[t, i + ONE]):
                indices[entry], values[entry] = word_indices[word], word_values[word]
                entry += ONE
        entry = sort_row(indices, values, begin, entry)
        row += ONE
        starts[row] = np.uint32(entry)
    return row, entry


@jit
def all_finite(numbers):
    """Return whether all numbers are finite; x − x is 0 exactly for finite numbers."""
    wrong = 0
    for i in range(np.uint64(numbers.size)):
        wrong += numbers[i] - numbers[i] != 0.0
    return wrong == 0


@jit
def transpose(columns, n_rows, rows):
    """Set rows[i, j] to columns[j, i], tile by tile.

    Whole columns would evict each other from the cache.
    """
    n_columns = np.uint64(columns.shape[0])
    for tile in range(0, n_rows, TILE):
        for j in range(n_columns):
            for i in range(np.uint64(tile), np.uint64(min(tile + TILE, n_rows))):
                rows[i, j] = columns[j, i]


@jit
def rise(indices, starts):
    """Return whether the indices of each row rise.

    All adjacent pairs are counted first, then the pairs that belong to two rows are subtracted: one loop
    over all entries is several times as fast as a loop for each short row.
    """
    falls = ZERO
    for entry in range(ONE, np.uint64(indices.size)):
        falls += np.uint64(indices[entry] <= indices[entry - ONE])
    end, before = np.uint64(indices.size), ZERO
    for i in range(ONE, np.uint64(starts.size - 1)):
        at = np.uint64(starts[i])
        if at > before and at < end:
            falls -= np.uint64(indices[at] <= indices[at - ONE])
            before = at
    return falls == ZERO


@jit
def finite_rows(values, starts, kept):
    """Set kept[i] to whether all values of row i are finite."""
    for i in range(np.uint64(kept.size)):
        kept[i] = all_finite(values[np.uint64(starts[i]) : np.uint64(starts[i + ONE])])


@jit
def sort_rows(indices, values, starts):
    """Sort each row by index and add up values of equal indices; return the number of entries left."""
    end = ZERO
    for i in range(np.uint64(starts.size - 1)):
        begin, behind = np.uint64(starts[i]), np.uint64(starts[i + ONE])
        starts[i] = end
        behind = sort_row(indices, values, begin, behind)
        for entry in range(begin, behind):
            indices[end], values[end] = indices[entry], values[entry]
            end += ONE
    starts[starts.size - 1] = end
    return end
