"""Process eight characters together in a 64-bit word: find the end of digits and their value.

The first character is in the lowest byte. Lemire, "Number parsing at a gigabyte per second", Software:
Practice and Experience 51 (2021).
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

from rosenblatt.numeric.compiling import inline

EIGHT = np.uint64(8)
NOUGHTS = np.uint64(0x3030303030303030)
BEYOND_NINE = np.uint64(0x7676767676767676)  # added to a byte above 9, it sets the highest bit
HIGHEST_BITS = np.uint64(0x8080808080808080)
PAIRS, FOURS = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
BLANKS_AND_ONE, DOTS = np.uint64(0x2121212121212121), np.uint64(0x2E2E2E2E2E2E2E2E)
ONES = np.uint64(0x0101010101010101)
TENS, HUNDREDS, TEN_THOUSANDS = np.uint64(2561), np.uint64(6553601), np.uint64(42949672960001)
ZERO, ONE, THREE, FOUR, SIXTEEN, THIRTY_TWO = (np.uint64(number) for number in (0, 1, 3, 4, 16, 32))


@intrinsic
def _eight_letters(typing_context, text, at):
    """Return text[at : at + 8] as one integer; the caller ensures that these bytes exist."""

    def generate(context, builder, signature, arguments):
        memory = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.bitcast(builder.gep(memory.data, [arguments[1]]), ir.IntType(64).as_pointer())
        return builder.load(place, align=1)

    return types.uint64(text, at), generate


@intrinsic
def _zeros_below(typing_context, word):
    """Return the number of zero bits below the lowest 1 bit; 64 for zero."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.IntType(1)(0))

    return types.uint64(word), generate


def _eight_letters_interpreted(text, at):
    return np.frombuffer(text[int(at) : int(at) + 8].tobytes(), "<u8")[0]


def _zeros_below_interpreted(word):
    number = int(word)
    return np.uint64((number & -number).bit_length() - 1 if number else 64)


eight_letters = _eight_letters_interpreted if config.DISABLE_JIT else _eight_letters
zeros_below = _zeros_below_interpreted if config.DISABLE_JIT else _zeros_below


@inline
def number_in(values, n):
    """Return the number formed by the first n ≤ 8 bytes, each of which holds the value of a digit."""
    half = FOUR * (EIGHT - n)  # shift twice by half the bits: a single shift by 64 is undefined
    word = (values << half) << half  # zeros before the digits
    word = (word * TENS) >> EIGHT
    word = ((word & PAIRS) * HUNDREDS) >> SIXTEEN
    return ((word & FOURS) * TEN_THOUSANDS) >> THIRTY_TWO


@inline
def digits_below(values):
    """Return the number of leading bytes that are at most 9."""
    # a carry from a byte that is not a digit changes only the bytes after it
    return zeros_below(((values + BEYOND_NINE) | values) & HIGHEST_BITS) >> THREE


@inline
def digits_at(text, at):
    """Return (number, count): the value and the count of the leading digits among eight characters."""
    values = eight_letters(text, at) ^ NOUGHTS  # each digit becomes its value
    n = digits_below(values)
    return number_in(values, n), n


@inline
def letters_before_blank(word):
    """Return the number of characters before the first blank or control character; 8 if there is none."""
    return zeros_below((word - BLANKS_AND_ONE) & ~word & HIGHEST_BITS) >> THREE


@inline
def place_of_dot(word):
    """Return the index of the first decimal point; 8 if there is none."""
    others = word ^ DOTS
    return zeros_below((others - ONES) & ~others & HIGHEST_BITS) >> THREE


@inline
def decimal_in(word, n):
    """Return (mantissa, digits after the point, sure) for the first n < 8 characters of a word.

    They must be digits with at most one point. No branch depends on the text, so none is mispredicted.
    """
    dot = min(place_of_dot(word), n)
    has_dot = np.uint64(dot < n)
    before = (ONE << (EIGHT * dot)) - ONE  # n < 8, so there is no shift by 64 bits
    digits = n - has_dot
    values = ((word & before) | ((word >> (EIGHT * has_dot)) & ~before)) ^ NOUGHTS
    sure = digits != ZERO and digits_below(values) >= digits
    return number_in(values, digits), digits - dot, sure
