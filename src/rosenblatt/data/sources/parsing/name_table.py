"""A table of the distinct names that a loop has hashed, so that a model knows what its features are called.

Most names in a text are in the table already. Finding such a name reads one slot, which is in the
processor's cache for frequent names.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.compiling import inline, jit
from rosenblatt.numeric.prefetch import prefetch

EMPTY, ONE, TWO, HALF = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(32)
SPREAD, LAST_16 = np.uint64(0x9E37), np.uint64(0xFFFF)
CARET, COLON, NOUGHT, NINE, PLUS, MINUS, DOT = np.frombuffer(b"^:09+-.", np.uint8)
SIGNS = PLUS, MINUS, DOT


class NameTable(NamedTuple):
    """Hold names by their keys; names with equal keys count as one.

    A key is the hash of a name and 16 bits of its letters, so that two names rarely share one, even among
    millions. `slots` is a hash table of the keys, at most half full, and 0 marks an empty slot. Name k
    consists of the bytes letters[ends[k−1]:ends[k]], and its key is keys[k]. `counts` holds the number of
    names, the number of their bytes, and whether a name did not fit. A table without slots takes no names.
    """

    slots: NDArray[np.uint64]
    keys: NDArray[np.uint64]
    ends: NDArray[np.int64]
    letters: NDArray[np.uint8]
    counts: NDArray[np.int64]


def new_table(n_names: int, n_letters: int) -> NameTable:
    """Return an empty table for up to this many names, a power of two, and bytes; 0 stores no names."""
    return NameTable(
        np.zeros(2 * n_names, np.uint64),
        np.empty(n_names, np.uint64),
        np.empty(n_names, np.int64),
        np.empty(n_letters, np.uint8),
        np.zeros(3, np.int64),
    )


@inline
def letters_in(text, begin, end):
    """Return 16 bits that depend on the length and three letters of text[begin:end]."""
    length = np.uint64(end) - np.uint64(begin)
    if length == 0:
        return length
    found = np.uint64(text[end - ONE]) * SPREAD + np.uint64(text[begin + length // TWO])
    return (found * SPREAD + np.uint64(text[begin]) + length) & LAST_16


@inline
def key_of(hashed, letters):
    """Return the key of a name with this hash and these 16 bits of its letters; it is not 0."""
    return np.uint64(np.uint32(hashed)) | (letters + ONE) << HALF


@inline
def slot_of(slots, key):
    """Return the slot that holds a key, or the empty slot for it."""
    last = np.uint64(slots.size) - ONE
    slot = key & last
    while slots[slot] != EMPTY and slots[slot] != key:
        slot = (slot + ONE) & last
    return slot


@inline
def fetch_slot(table, hashed):
    """Fetch the slot of a hash from memory, for a later call of `is_known`."""
    prefetch(table.slots, np.uint64(hashed) & (np.uint64(table.slots.size) - ONE))


@inline
def is_known(table, key):
    """Return whether the table has a name with this key; it must have slots."""
    return table.slots[slot_of(table.slots, key)] != EMPTY


@jit
def add_name(table, key, text, begin, end):
    """Add the name text[begin:end], or note that it does not fit."""
    n, used = table.counts[0], table.counts[1]
    length = np.int64(end) - np.int64(begin)
    if n == table.ends.size or used + length > table.letters.size:
        table.counts[2] = 1
        return
    table.slots[slot_of(table.slots, key)] = key
    for k in range(length):
        table.letters[used + k] = text[np.int64(begin) + k]
    table.keys[n], table.ends[n] = key, used + length
    table.counts[0], table.counts[1] = n + 1, used + length


@jit
def add_spaced_name(table, key, text, space_begin, space_end, begin, end):
    """Add a Vowpal Wabbit name as namespace^name, including a word used as its value."""
    length = np.uint64(0)
    name = np.empty(space_end - space_begin + ONE + end - begin, np.uint8)
    for k in range(space_begin, space_end):
        name[length] = text[k]
        length += ONE
    if length > 0:
        name[length] = CARET
        length += ONE
    is_named, is_number = text[begin] != COLON, False
    for k in range(begin, end):
        if text[k] == COLON and is_named:  # a number is no part of the name, but a word is
            follows = text[k + ONE]
            is_number = NOUGHT <= follows <= NINE or follows in SIGNS
        if is_number:
            break
        name[length] = text[k]
        length += ONE
    add_name(table, key, name, np.uint64(0), length)


@jit
def add_names(table, hashes, text, offsets):
    """Add the names text[offsets[i]:offsets[i+1]] that the table does not have."""
    for i in range(hashes.size):
        key = key_of(hashes[i], letters_in(text, np.uint64(offsets[i]), np.uint64(offsets[i + 1])))
        if not is_known(table, key):
            add_name(table, key, text, offsets[i], offsets[i + 1])


@jit
def add_ones(counts, numbers):
    """Add 1 to counts[j] for each j in `numbers`."""
    for number in numbers:
        counts[number] += np.uint32(1)


@jit
def fill_slots(slots, keys):
    """Put keys into the slots of a table."""
    for key in keys:
        slots[slot_of(slots, key)] = key
