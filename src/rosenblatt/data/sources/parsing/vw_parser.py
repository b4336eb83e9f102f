"""Compiled parser of Vowpal Wabbit text."""

from __future__ import annotations

import numpy as np

from rosenblatt.data.sources.parsing.decimals import (
    DOT,
    LOWER_CASE,
    MINUS,
    NEWLINE,
    NOUGHT,
    ONE,
    PLUS,
    RETURN,
    SPACE,
    TAB,
    TEN,
    ZERO,
    decimal_at,
    is_blank,
    is_digit,
)
from rosenblatt.data.sources.parsing.murmur import murmur
from rosenblatt.data.sources.parsing.name_table import (
    add_spaced_name,
    fetch_slot,
    is_known,
    key_of,
    letters_in,
)
from rosenblatt.data.sources.parsing.sorting import sort_row
from rosenblatt.numeric.compiling import inline, jit

COLON, BAR, QUOTE = ord(":"), ord("|"), ord("'")
INF, NAN = (ord("i"), ord("n"), ord("f")), (ord("n"), ord("a"), ord("n"))
THREE, FIVE, ONE_ENTRY = np.uint64(3), np.uint64(5), np.uint32(1)
WAITING = np.uint64(32)  # names that are looked up together, once their slots have been fetched
HALF, LOW_HALF = np.uint64(32), np.uint64((1 << 32) - 1)

FEW = np.uint64(8)  # rows with at most this many entries need no buckets
FULL = np.uint32(64)  # a larger bucket means that the indices are no hashes; insertion would be slow
MOST_BUCKET_BITS = np.uint64(12)
N_BUCKETS = 1 << 12


@jit
def scan(
    text, at, row, entry, bad, weighted, known, bits,
    labels, weights, starts, indices, values, bad_lines, unparsed, answers,
    buckets, keys, spare, names,
):  # fmt: skip
    """Fill the arrays with the rows of a text from the line at `at` on.

    `row`, `entry` and `bad` are the numbers of rows, entries and bad lines so far. Return (at, rows,
    entries, bad lines, rows with an importance, numbers to parse). `text` ends with a newline. A
    malformed line adds only its position, not a row. The scan stops early at a line with numbers that
    Python must parse, and writes their positions to `unparsed`. The caller then calls it again from
    that line on, with the first `known` values in `answers`. Names are added to the table `names`.

    All code is in one function: passing arrays on in the inner loops would cost reference counts, a fifth
    of the time.
    """
    mask, end = (ONE << np.uint64(bits)) - ONE, np.uint64(text.size)
    starts[row] = np.uint32(entry)
    records = names.slots.size > 0
    waiting, n_waiting = np.empty((WAITING if records else ZERO, FIVE), np.uint64), ZERO
    while at < end:
        line = at
        while is_blank(text[at]):
            at += ONE
        if text[at] == NEWLINE:
            at += ONE
            continue
        at, row_begin, n_unparsed = line, entry, ZERO

        label, weight, base, n_numbers, is_good = np.nan, 1.0, 0.0, ZERO, True
        while is_good and text[at] != BAR:
            begin = at
            number, sure, some, at = feature_number_at(text, at)
            is_good = some and text[at] == SPACE and n_numbers < THREE
            if is_good:
                if not sure:
                    number, n_unparsed = next_value(begin, unparsed, answers, n_unparsed, known)
                label, weight, base = (
                    number if n_numbers == ZERO else label,
                    number if n_numbers == ONE else weight,
                    number if n_numbers > ONE else base,
                )
                n_numbers += ONE
            elif at == begin and text[at] == SPACE:
                is_good = True
            else:
                at, is_good = end_of_tag(text, begin)
            while text[at] == SPACE:
                at += ONE
        is_good = (
            is_good and is_weight(weight) and base == 0.0 and (n_numbers == ZERO or np.isfinite(label))
        )

        space, scale, anonymous = ZERO, 1.0, ZERO
        space_begin, space_end = at, at
        least, in_order = ZERO, True  # least: smallest allowed value of the next index
        while is_good:
            while text[at] == SPACE or text[at] == TAB:
                at += ONE
            opens_space = text[at] == BAR
            if ends_feature(text[at]) and not opens_space:
                is_good = text[at] == NEWLINE or text[at + ONE] == NEWLINE
                break
            if opens_space:
                at += ONE
                space, scale, anonymous = ZERO, 1.0, ZERO
            begin, hashed = at, ZERO
            while is_digit(text[at]):
                hashed = hashed * TEN + np.uint64(text[at] - NOUGHT)
                at += ONE
            hashed += space
            if not ends_name(text[at]):
                while not ends_name(text[at]):
                    at += ONE
                hashed = hash_of(text, begin, at, space)
            value = scale
            if text[at] == COLON:
                value_begin = at + ONE
                value, sure, some, at = feature_number_at(text, value_begin)
                if ends_feature(text[at]):
                    if not sure:
                        value, n_unparsed = next_value(value_begin, unparsed, answers, n_unparsed, known)
                    value *= scale
                    is_good = some and np.isfinite(value)
                    if begin + ONE == value_begin:
                        hashed += anonymous
                        anonymous += ONE
                        is_good = is_good and not opens_space
                else:
                    is_good = not (opens_space or begins_number(text, value_begin))
                    at = end_of_word(text, at)
                    hashed = hash_of(text, value_begin, at, hashed)
                    value = 1.0
            if opens_space:
                space, scale = hashed, value
                space_begin, space_end = begin, begin
                while not ends_name(text[space_end]):
                    space_end += ONE
            elif value != 0.0:
                if records:  # looked up later, since the table is rarely in the cache
                    fetch_slot(names, hashed & LOW_HALF)
                    waiting[n_waiting, 0] = key_of(hashed, letters_in(text, begin, at))
                    waiting[n_waiting, 1], waiting[n_waiting, 2] = space_begin, space_end
                    waiting[n_waiting, 3], waiting[n_waiting, 4] = begin, at
                    n_waiting += ONE
                    if n_waiting == WAITING:
                        n_waiting = add_waiting(names, text, waiting, n_waiting)
                index = hashed & mask
                indices[entry], values[entry] = np.uint32(index), value
                entry += ONE
                in_order = in_order and index >= least
                least = index + ONE

        if is_good and n_unparsed > known:
            add_waiting(names, text, waiting, n_waiting)
            return line, row, row_begin, bad, weighted, n_unparsed
        known = ZERO
        if is_good and not in_order:
            entry, is_good = merge_row(indices, values, row_begin, entry, bits, buckets, keys, spare)
        if is_good:
            labels[row], weights[row] = label, weight
            weighted += np.uint64(n_numbers > ONE)
            row += ONE
            starts[row] = np.uint32(entry)
        else:
            bad_lines[bad] = line
            bad += ONE
            entry = row_begin
        while text[at] != NEWLINE:  # skip the text after an error
            at += ONE
        at += ONE
    add_waiting(names, text, waiting, n_waiting)
    return at, row, entry, bad, weighted, ZERO


@jit
def add_waiting(names, text, waiting, n_waiting):
    """Add the names that the table lacks, of n_waiting entries (key and places in the text); return 0."""
    for k in range(n_waiting):
        key = waiting[k, 0]
        if not is_known(names, key):
            space_begin, space_end = waiting[k, 1], waiting[k, 2]
            add_spaced_name(names, key, text, space_begin, space_end, waiting[k, 3], waiting[k, 4])
    return ZERO


@jit
def next_value(begin, unparsed, answers, n_unparsed, known):
    """Return the value of an uncertain number (0 if unknown), and the updated count `n_unparsed`."""
    if n_unparsed < known:
        return answers[n_unparsed], n_unparsed + ONE
    unparsed[n_unparsed] = begin
    return 0.0, n_unparsed + ONE


@inline
def is_weight(number):
    return np.isfinite(number) and number >= 0.0


@jit
def end_of_tag(text, at):
    """Return (end, whether it is a tag) for the last token before the bar.

    A tag is quoted, or directly followed by the bar.
    """
    quoted = text[at] == QUOTE
    while not ends_feature(text[at]):
        at += ONE
    while quoted and text[at] == SPACE:
        at += ONE
    return at, text[at] == BAR


@jit
def hash_of(text, begin, end, seed):
    """Return the hash of a name, or of a word used as a value, without control characters at both ends.

    If the remaining text is a number, return that number plus the seed.
    """
    number, is_number = ZERO, False
    if text[begin] <= SPACE or text[end - ONE] <= SPACE:
        while begin < end and text[begin] <= SPACE:
            begin += ONE
        while begin < end and text[end - ONE] <= SPACE:
            end -= ONE
        is_number = True
        for at in range(begin, end):
            is_number = is_number and is_digit(text[at])
            number = number * TEN + np.uint64(text[at] - NOUGHT)
    hashed = np.uint64(murmur(text, begin, end, np.uint32(seed)))
    return number + seed if is_number else hashed


@inline
def ends_feature(letter):
    return letter in (SPACE, TAB, BAR, NEWLINE, RETURN)


@inline
def ends_name(letter):
    return letter == COLON or ends_feature(letter)


@inline
def end_of_word(text, at):
    """Return the end of a value that is not a number; only a blank ends it."""
    while text[at] == BAR or not ends_feature(text[at]):
        at += ONE
    return at


@jit
def begins_number(text, at):
    """Return whether C's strtof would find a nonempty number at `at`."""
    if text[at] == MINUS or text[at] == PLUS:
        at += ONE
    if text[at] == DOT:
        return is_digit(text[at + ONE])
    return is_digit(text[at]) or says(text, at, INF) or says(text, at, NAN)


@inline
def says(text, at, letters):
    """Return whether `letters` are at `at`, in lower or upper case.

    `text` ends with a newline, so each character exists if the previous one matched.
    """
    for letter in letters:
        if text[at] | LOWER_CASE != letter:
            return False
        at += ONE
    return True


@jit
def merge_row(indices, values, begin, end, bits, buckets, keys, spare):
    """Sort a row by index and add up values of equal indices in their order.

    Return (end of the row, whether all sums are finite). Hashes are uniform, so distributing the entries by
    their first bits to about as many buckets as there are entries leaves hardly anything to sort.
    """
    if end - begin < FEW or put_in_buckets(indices, begin, end, bits, buckets, keys) > FULL:
        new_end = sort_row(indices, values, begin, end)
    else:
        insert(keys, end - begin)
        new_end = sum_keys(keys, end - begin, indices, values, begin, spare)
    is_finite = True
    if new_end != end:
        for entry in range(begin, new_end):
            is_finite = is_finite and np.isfinite(values[entry])
    return new_end, is_finite


@inline
def put_in_buckets(indices, begin, end, bits, buckets, keys):
    """Write a key (index and position in the row) for each entry, ordered by the first bits of the index.

    Return the largest number of entries with the same first bits.
    """
    n_bits = ZERO
    while (ONE << n_bits) < end - begin and n_bits < min(MOST_BUCKET_BITS, np.uint64(bits)):
        n_bits += ONE
    shift, n_buckets = np.uint32(np.uint64(bits) - n_bits), ONE << n_bits
    for bucket in range(n_buckets):
        buckets[bucket] = 0
    for entry in range(begin, end):
        buckets[indices[entry] >> shift] += ONE_ENTRY
    place, fullest = np.uint32(0), np.uint32(0)
    for bucket in range(n_buckets):
        size = buckets[bucket]
        buckets[bucket] = place
        place = np.uint32(place + size)
        fullest = max(fullest, size)
    for entry in range(begin, end):
        bucket = indices[entry] >> shift
        place = buckets[bucket]
        buckets[bucket] = np.uint32(place + ONE_ENTRY)
        keys[place] = np.uint64(indices[entry]) << HALF | (entry - begin)
    return fullest


@inline
def insert(keys, n_keys):
    """Sort keys that are nearly in order, by insertion."""
    for n in range(ONE, n_keys):
        key, place = keys[n], n
        while place > ZERO and keys[place - ONE] > key:
            keys[place] = keys[place - ONE]
            place -= ONE
        keys[place] = key


@inline
def sum_keys(keys, n_keys, indices, values, begin, spare):
    """Write a row in the order of its keys, adding equal indices; return the end of the row."""
    for n in range(n_keys):
        spare[n] = values[begin + n]
    last = begin
    indices[last], values[last] = np.uint32(keys[ZERO] >> HALF), spare[keys[ZERO] & LOW_HALF]
    for n in range(ONE, n_keys):
        index, value = np.uint32(keys[n] >> HALF), spare[keys[n] & LOW_HALF]
        if index == indices[last]:
            values[last] += value
        else:
            last += ONE
            indices[last], values[last] = index, value
    return last + ONE


@inline
def feature_number_at(text, at):
    """Return (value, is certain, exists, end) for the number at `at`.

    If the value is not certain, Python must parse it. `exists` is False if there is no number, if it is
    incomplete, or if other characters follow it at `end`.
    """
    value, sure, some, at = decimal_at(text, at)
    is_whole = ends_feature(text[at])  # inside `and`, the last use of text would cost reference counts
    some = some and is_whole
    return value, sure or not some, some, at
