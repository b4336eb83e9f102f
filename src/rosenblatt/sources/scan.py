"""The walk over the bytes of svmlight text."""

from __future__ import annotations

import numpy as np

from rosenblatt.compiling import compiled
from rosenblatt.sources.decimals import (
    HASH,
    NEWLINE,
    NOUGHT,
    ONE,
    TEN,
    ZERO,
    ends_token,
    is_blank,
    is_digit,
    number_at,
)

FINE, NOT_A_PAIR, TOO_LARGE = 0, 1, 2

COLON = ord(":")
LARGEST_INDEX = np.uint64((1 << 31) - 1)
BEYOND = np.uint64(1 << 32)
NOTE = np.uint64(0xFFF8 << 48)
"""A number left to Python is written as a NaN that carries its place in the text: NOTE | place."""


@compiled
def count(text):
    """Returns (colons, lines): as many entries and rows as there can be."""
    colons, lines = 0, 0
    for i in range(np.uint64(text.size)):
        colons += text[i] == COLON
        lines += text[i] == NEWLINE
    return colons, lines


@compiled
def scan(text, labels, starts, indices, values):
    """Fills the four arrays. Returns (status, place, rows, entries, smallest index, largest, in order).

    In order: the indices of each row rise, so that none occurs twice.
    """
    label_notes, value_notes = labels.view(np.uint64), values.view(np.uint64)
    at, end = ZERO, np.uint64(text.size)
    row, entry = ZERO, ZERO
    smallest, largest, in_order = BEYOND, ZERO, True
    starts[ZERO] = 0
    while at < end:
        while is_blank(text[at]):
            at += ONE
        if text[at] != NEWLINE and text[at] != HASH:
            begin = at
            labels[row], sure, at = number_at(text, at)
            if not sure:
                label_notes[row] = NOTE | begin
            least = ZERO  # that the next index may be
            while True:
                while is_blank(text[at]):
                    at += ONE
                if text[at] == NEWLINE or text[at] == HASH:
                    break
                begin, index = at, ZERO
                while is_digit(text[at]):
                    index = min(index * TEN + np.uint64(text[at] - NOUGHT), BEYOND)
                    at += ONE
                if text[at] != COLON or at == begin:
                    if is_query(text, at):
                        while not ends_token(text[at]):
                            at += ONE
                        continue
                    return NOT_A_PAIR, begin, row, entry, smallest, largest, in_order
                if index > LARGEST_INDEX:
                    return TOO_LARGE, begin, row, entry, smallest, largest, in_order
                at += ONE
                begin = at
                values[entry], sure, at = number_at(text, at)
                if not sure:
                    value_notes[entry] = NOTE | begin
                indices[entry] = np.int32(index)
                entry += ONE
                if index < least:
                    in_order = False
                least = index + ONE
                smallest, largest = min(smallest, index), max(largest, index)
            row += ONE
            starts[row] = np.int64(entry)
        while text[at] != NEWLINE:  # a comment
            at += ONE
        at += ONE
    return FINE, at, row, entry, smallest, largest, in_order


@compiled
def is_query(text, at):
    """Whether qid:… stands here; text ends with a newline, so each letter is there if the last one was."""
    for letter in (ord("q"), ord("i"), ord("d"), COLON):
        if text[at] != letter:
            return False
        at += ONE
    return True
