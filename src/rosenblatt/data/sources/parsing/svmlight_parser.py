"""Compiled parser of svmlight text."""

from __future__ import annotations

import numpy as np

from rosenblatt.data.sources.parsing.decimals import (
    HASH,
    LETTERS_OF_PLAIN,
    NEWLINE,
    NOUGHT,
    ONE,
    TEN,
    ZERO,
    ends_token,
    is_blank,
    is_digit,
    number_at,
    plain_number_at,
    short_number_at,
)
from rosenblatt.data.sources.parsing.letters import EIGHT, digits_at, eight_letters, letters_before_blank
from rosenblatt.data.sources.parsing.sorting import sort_row
from rosenblatt.numeric.compiling import inline, jit

COLON = ord(":")
LARGEST_INDEX = np.uint64((1 << 31) - 1)
BEYOND = np.uint64(1 << 32)
NOTE = np.uint64(0xFFF8 << 48)
"""A number that Python must parse is stored as a NaN that contains its text position: NOTE | place."""


@jit
def count(text):
    """Return (lines, colons), which bound the numbers of rows and entries."""
    lines, colons = 0, 0
    for i in range(np.uint64(text.size)):
        colons += text[i] == COLON
        lines += text[i] == NEWLINE
    return lines, colons


@jit
def scan(text, first_index, labels, starts, indices, values, bad_lines):
    """Fill the arrays with the rows of a text.

    Return (rows, entries, bad lines, smallest index, largest index). The smallest and largest index are as
    in the text; the stored indices are counted from `first_index`. `text` ends with a newline. A malformed
    line adds only its position, not a row.
    """
    label_notes, value_notes = labels.view(np.uint64), values.view(np.uint64)
    at, end = ZERO, np.uint64(text.size)
    row, entry, bad = ZERO, ZERO, ZERO
    smallest, largest = BEYOND, ZERO
    first = np.uint64(first_index)
    starts[ZERO] = 0
    while at < end:
        while is_blank(text[at]):
            at += ONE
        if text[at] != NEWLINE and text[at] != HASH:
            line, begin, row_begin = at, at, entry
            labels[row], sure, at = any_number_at(text, at)
            if not sure:
                label_notes[row] = NOTE | begin
            least = ZERO  # smallest allowed value of the next index
            row_smallest, row_largest = smallest, largest
            in_order, is_bad = True, False
            while True:
                while is_blank(text[at]):
                    at += ONE
                if text[at] == NEWLINE or text[at] == HASH:
                    break
                begin, index = at, ZERO
                if at + EIGHT <= end:
                    index, n_digits = digits_at(text, at)
                    at += n_digits
                while is_digit(text[at]):
                    index = min(index * TEN + np.uint64(text[at] - NOUGHT), BEYOND)
                    at += ONE
                if text[at] != COLON or at == begin:
                    if at == begin and is_query(text, at):
                        while not ends_token(text[at]):
                            at += ONE
                        continue
                    is_bad = True
                    break
                if index > LARGEST_INDEX or index < first:
                    is_bad = True
                    break
                at += ONE
                value_begin = at
                value, sure, at = quick_number_at(text, at)
                if not sure:
                    value, sure, at = number_at(text, value_begin)
                values[entry] = value
                if not sure:
                    value_notes[entry] = NOTE | value_begin
                indices[entry] = np.uint32(index - first)
                entry += ONE
                in_order = in_order and index >= least
                least = index + ONE
                row_smallest, row_largest = min(row_smallest, index), max(row_largest, index)
            if not in_order and sort_row(indices, values, row_begin, entry) != entry:
                is_bad = True  # an index occurs twice
            if is_bad:
                bad_lines[bad] = line
                bad += ONE
                entry = row_begin
            else:
                smallest, largest = row_smallest, row_largest
                row += ONE
                starts[row] = np.uint32(entry)
        while text[at] != NEWLINE:  # skip a comment, or the text after an error
            at += ONE
        at += ONE
    return row, entry, bad, smallest, largest


@inline
def quick_number_at(text, at):
    """Return (value, sure, end) for a number in one of the usual forms.

    If `sure` is False, call `any_number_at`.
    """
    if at + LETTERS_OF_PLAIN > np.uint64(text.size):
        return 0.0, False, at
    word = eight_letters(text, at)
    if letters_before_blank(word) < EIGHT:
        return short_number_at(text, at)
    return plain_number_at(text, at)


@jit
def any_number_at(text, at):
    """Call `number_at` without inlining it, because it is long and seldom needed."""
    return number_at(text, at)


@inline
def is_query(text, at):
    """Return whether the text at `at` is qid:….

    `text` ends with a newline, so each character exists if the previous one matched.
    """
    for letter in (ord("q"), ord("i"), ord("d"), COLON):
        if text[at] != letter:
            return False
        at += ONE
    return True
