"""Hash words, word n-grams and character n-grams to feature indices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rosenblatt.data.sources.parsing.murmur import murmur
from rosenblatt.data.sources.parsing.name_table import add_name, fetch_slot, is_known, key_of, letters_in
from rosenblatt.data.sources.parsing.sorting import sort_row
from rosenblatt.numeric.compiling import inline, jit

ZERO, ONE = np.uint64(0), np.uint64(1)
TOP_BIT = np.uint64(31)
WORD_SIZE = np.uint64(1 << 32)
SMALL_LETTER = np.uint8(ord("a") - ord("A"))
BLANK = np.uint8(ord(" "))
SMALL_A, SMALL_Z, LARGE_A, LARGE_Z, NOUGHT, NINE, UNDERSCORE = np.frombuffer(b"azAZ09_", np.uint8)
"""Character codes are integers here, because compiling `ord` takes as long as compiling a loop."""

COUNTS, PRESENCE, LOG_COUNTS = 0, 1, 2
SIZE_BITS, SIZES, NAMES_AHEAD = np.uint64(4), np.uint64(15), np.uint64(24)
HALF, LOW_HALF = np.uint64(32), np.uint64((1 << 32) - 1)


class Runs(NamedTuple):
    """Describe the n-grams to hash: the largest number of words, and the range of letters (0: none)."""

    words: int = 1
    shortest: int = 2  # letters of a word
    lower: bool = True
    fewest: int = 0
    most: int = 0


@jit
def hash_words(text, ends, prefix, letters_prefix, bits, runs, starts, indices, signs, names):
    """Hash the n-grams of each cell text[ends[i]:ends[i+1]] after adding a prefix; return their number.

    The tokens, with their prefix, are added to the table `names`.

    A word is a sequence of letters, digits and _, at least as long as `runs` requires. A-Z become a-z
    unless the case is kept, and any byte beyond ASCII is a letter. Adjacent words are joined by one blank.
    Character n-grams extend over the whole text, in which consecutive blanks count as one.
    """
    mask = np.uint64((1 << bits) - 1)
    longest = ZERO
    for cell in range(np.uint64(ends.size - 1)):
        longest = max(longest, ends[cell + ONE] - ends[cell])
    folded = np.empty(longest + ONE, np.uint8)
    begins, stops = np.empty(longest + ONE, np.uint64), np.empty(longest + ONE, np.uint64)
    token = np.empty(longest + np.uint64(max(prefix.size, letters_prefix.size)), np.uint8)
    found = ZERO
    starts[ZERO] = found
    for cell in range(np.uint64(ends.size - 1)):
        at, end = ends[cell], ends[cell + ONE]
        if runs.words > 0:
            copy_letters(prefix, ZERO, np.uint64(prefix.size), token, ZERO)
            n = split(text, at, end, runs, folded, begins, stops)
            for word in range(n):
                for size in range(min(np.uint64(runs.words), n - word)):
                    length = copy_letters(
                        folded, begins[word], stops[word + size], token, np.uint64(prefix.size)
                    )
                    indices[found] = murmur(token, ZERO, length, np.uint32(0))
                    signs[found] = word << SIZE_BITS | size | letters_in(token, ZERO, length) << HALF
                    found += ONE
            add_new(names, indices, signs, starts[cell], found, mask, folded, begins, stops, token, prefix)
        if runs.most > 0:
            middle = found
            copy_letters(letters_prefix, ZERO, np.uint64(letters_prefix.size), token, ZERO)
            n = letters_of(text, at, end, runs, folded, begins)
            for letter in range(n):
                for size in range(np.uint64(runs.fewest), np.uint64(runs.most) + ONE):
                    if letter + size > n:
                        break
                    length = copy_letters(
                        folded, begins[letter], begins[letter + size], token, np.uint64(letters_prefix.size)
                    )
                    indices[found] = murmur(token, ZERO, length, np.uint32(0))
                    signs[found] = letter << SIZE_BITS | size | letters_in(token, ZERO, length) << HALF
                    found += ONE
            add_new(
                names, indices, signs, middle, found, mask, folded, begins, begins, token, letters_prefix
            )
        starts[cell + ONE] = found
    return found


@inline
def add_new(names, indices, signs, begin, end, mask, folded, begins, stops, token, prefix):
    """Turn hashes into indices and signs, and add the tokens that the table `names` does not have.

    On entry, indices[e] is the hash of entry e, and signs[e] an integer with, from the last bit on, its
    size, the number of its first word (or letter), and the bits of its letters. A look at the table is a
    wait for memory, unless it was fetched ahead.
    """
    records = names.slots.size > 0
    for entry in range(begin, end):
        hashed = indices[entry]
        if records:
            if entry + NAMES_AHEAD < end:
                fetch_slot(names, indices[entry + NAMES_AHEAD])
            place = np.uint64(signs[entry])
            key = key_of(hashed, place >> HALF)
            if not is_known(names, key):
                first, size = (place & LOW_HALF) >> SIZE_BITS, place & SIZES
                length = copy_letters(
                    folded, begins[first], stops[first + size], token, np.uint64(prefix.size)
                )
                add_name(names, key, token, ZERO, length)
        indices[entry], signs[entry] = column_of(np.uint64(hashed), mask)


@inline
def split(text, at, end, runs, folded, begins, stops):
    """Write the words with a blank between them to `folded`, and their positions to `begins` and `stops`.

    Return their number.
    """
    n, filled = ZERO, ZERO
    while at < end:
        begin = filled
        while at < end and is_of_word(text[at]):
            folded[filled] = lower_letter(text[at]) if runs.lower else text[at]
            filled += ONE
            at += ONE
        at += ONE
        if filled - begin >= np.uint64(runs.shortest):
            begins[n], stops[n] = begin, filled
            n += ONE
            folded[filled] = BLANK
            filled += ONE
        else:
            filled = begin
    return n


@inline
def letters_of(text, at, end, runs, folded, begins):
    """Write the text with single blanks to `folded`, and the position of each letter to `begins`.

    The last entry of `begins` is the end of the text. Return the number of letters. A letter beyond ASCII
    has several bytes; all but the first byte are from 0x80 to 0xBF.
    """
    n, filled = ZERO, ZERO
    while at < end:
        byte = text[at]
        at += ONE
        if byte <= BLANK:
            if filled == ZERO or folded[filled - ONE] == BLANK:
                continue
            byte = BLANK
        if (byte & np.uint8(0xC0)) != np.uint8(0x80):
            begins[n] = filled
            n += ONE
        folded[filled] = lower_letter(byte) if runs.lower else byte
        filled += ONE
    if filled > ZERO and folded[filled - ONE] == BLANK:
        filled -= ONE
        n -= ONE
    begins[n] = filled
    return n


@inline
def copy_letters(letters, begin, end, token, length):
    """Append letters[begin:end] to a token of the given length; return the new length."""
    for at in range(begin, end):
        token[length] = letters[at]
        length += ONE
    return length


@inline
def column_of(hashed, mask):
    """Return (index, sign) of a token with this hash, as `hashing.hashed_names` does."""
    is_negative = (hashed >> TOP_BIT) == ONE
    size = WORD_SIZE - hashed if is_negative else hashed
    return np.uint32(size & mask), -1.0 if is_negative else 1.0


@inline
def is_of_word(byte):
    return (
        (SMALL_A <= byte <= SMALL_Z)
        or (LARGE_A <= byte <= LARGE_Z)
        or (NOUGHT <= byte <= NINE)
        or byte == UNDERSCORE
        or byte >= 128
    )


@inline
def lower_letter(byte):
    return np.uint8(byte + SMALL_LETTER) if LARGE_A <= byte <= LARGE_Z else byte


@jit
def weigh_words(starts, indices, values, how, idf, has_length_1):
    """Reduce each cell's tokens to distinct tokens, in rising order of index, and compute their values.

    The value is the count, ±1, or 1 + log(count), multiplied by idf if given, and divided by the norm of
    the vector if `has_length_1`. `starts` is updated. Return the number of entries. `idf` has 2^k numbers;
    the last k bits of an index select the number for a word. A negative number marks a word that no
    training text contains: its factor is the absolute value, and it is left out of the norm, unless there
    is no other word.
    """
    end, last_bits = ZERO, np.uint32(max(idf.size, 1) - 1)
    for cell in range(np.uint64(starts.size - 1)):
        begin, behind = starts[cell], starts[cell + ONE]
        behind = sort_row(indices, values, begin, behind)
        starts[cell] = end
        squares = new_squares = 0.0
        for entry in range(begin, behind):
            value = values[entry]
            count = abs(value)
            if how != COUNTS and count > 0.0:
                value = np.copysign(1.0 if how == PRESENCE else 1.0 + np.log(count), value)
            if idf.size:
                factor = idf[indices[entry] & last_bits]
                value *= abs(factor)
                if factor < 0.0:
                    new_squares += value * value
                else:
                    squares += value * value
            else:
                squares += value * value
            indices[end + entry - begin], values[end + entry - begin] = indices[entry], value
        squares = squares if squares > 0.0 else new_squares
        if has_length_1 and squares > 0.0:
            for entry in range(end, end + behind - begin):
                values[entry] /= np.sqrt(squares)
        end += behind - begin
    starts[starts.size - 1] = end
    return end


@jit
def count_cells(indices, counts):
    """Add to `counts` the number of cells that contain each index.

    `counts` has size 2^k; the last k bits of an index select the entry. After `weigh_words` each index
    occurs only once in a cell.
    """
    last_bits = np.uint32(counts.size - 1)
    for entry in range(np.uint64(indices.size)):
        counts[indices[entry] & last_bits] += 1
