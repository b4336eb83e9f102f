"""Parse decimal text to the nearest double, like Python's float().

A decimal is mantissa · 10^power. Powers of ten up to 10^22 are doubles, so if the mantissa is at most 2^53,
a single product or quotient of exact numbers is rounded only once (Clinger 1990). A longer mantissa of up
to 19 digits is split into two exact doubles, and the product or quotient is computed to about 100 bits. If
both ends of its error interval round to the same double, that double is the result (Ziv 1991). The
remaining numbers, one in thousands, are parsed by Python.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.data.sources.parsing.letters import (
    EIGHT,
    SIXTEEN,
    decimal_in,
    digits_at,
    eight_letters,
    letters_before_blank,
)
from rosenblatt.numeric.compiling import inline

ZERO, ONE, TEN = np.uint64(0), np.uint64(1), np.uint64(10)
TAB, NEWLINE, RETURN, SPACE, HASH, PLUS, MINUS, DOT, NOUGHT, NINE = (ord(c) for c in "\t\n\r #+-.09")
SMALL_E, LOWER_CASE = ord("e"), 0x20

EXACT = np.uint64(1 << 53)
LOW_BITS = np.uint64((1 << 11) - 1)
MOST_DIGITS = 19  # 10^19 < 2^64
MOST_POWER = 22  # 5^22 < 2^53
POWERS_OF_TEN = np.array([float(f"1e{power}") for power in range(MOST_POWER + 1)])
WHOLE_POWERS = np.array([10**power for power in range(9)], np.uint64)
LOWEST_BYTE, SEVEN = np.uint64(0xFF), np.uint64(7)
LETTERS_OF_PLAIN = np.uint64(34)  # a sign, eight digits, a point, and three 64-bit words of digits
ENDLESS = 10**15  # an exponent larger than the number of digits in any text
SPLITTER = 2.0**27 + 1.0
DOUBT = 2.0**-49  # bound for a correction whose relative error is at most 2^-51


@inline
def is_blank(letter):
    return letter == SPACE or (TAB <= letter <= RETURN and letter != NEWLINE)


@inline
def is_digit(letter):
    return NOUGHT <= letter <= NINE


@inline
def ends_token(letter):
    return letter in (SPACE, HASH) or TAB <= letter <= RETURN


@inline
def two_product(a, b):
    """Return (product, error) with a·b = product + error, without rounding (Dekker 1971)."""
    product = a * b
    a_high = SPLITTER * a - (SPLITTER * a - a)
    b_high = SPLITTER * b - (SPLITTER * b - b)
    a_low, b_low = a - a_high, b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@inline
def nearest_double(mantissa, power):
    """Return (value, sure) for mantissa · 10^power with mantissa < 10^19.

    If `sure` is False, Python must parse the number.
    """
    if mantissa == ZERO:
        return 0.0, True
    if power < -MOST_POWER or power > MOST_POWER:
        return 0.0, False
    scale = POWERS_OF_TEN[np.uint64(abs(power))]
    if mantissa <= EXACT:
        return (np.float64(mantissa) / scale if power < 0 else np.float64(mantissa) * scale), True
    low = np.float64(mantissa & LOW_BITS)
    high = np.float64(mantissa & ~LOW_BITS)
    if power < 0:
        first = high / scale
        product, error = two_product(first, scale)
        rest = ((high - product) - error + low) / scale  # the remainder of a quotient is exact
        doubt = DOUBT * abs(rest)
    else:
        first, error = two_product(high, scale)
        rest = error + low * scale
        doubt = DOUBT * (abs(error) + low * scale)  # the two terms may cancel
    value = first + (rest + doubt)
    return value, value == first + (rest - doubt)


@inline
def decimal_at(text, at):
    """Return (value, is certain, exists, end) for the decimal number at `at`.

    If the value is not certain, Python must parse it. `exists` is False if there is no number, or an
    incomplete one. `text` ends with a newline, so no loop here runs past its end.
    """
    negative = text[at] == MINUS
    if negative or text[at] == PLUS:
        at += ONE
    mantissa, digits, power, some = ZERO, 0, 0, False
    while is_digit(text[at]):
        if digits < MOST_DIGITS:
            mantissa = mantissa * TEN + np.uint64(text[at] - NOUGHT)
        digits += mantissa != ZERO
        some = True
        at += ONE
    if text[at] == DOT:
        at += ONE
        while is_digit(text[at]):
            if digits < MOST_DIGITS:
                mantissa = mantissa * TEN + np.uint64(text[at] - NOUGHT)
            digits += mantissa != ZERO
            power -= 1
            some = True
            at += ONE
    if text[at] | LOWER_CASE == SMALL_E:
        at += ONE
        falling = text[at] == MINUS
        if falling or text[at] == PLUS:
            at += ONE
        some = some and is_digit(text[at])
        exponent = 0
        while is_digit(text[at]):
            if exponent < ENDLESS:
                exponent = exponent * 10 + int(text[at] - NOUGHT)
            at += ONE
        power += -exponent if falling else exponent
    value, sure = nearest_double(mantissa, power)
    return (-value if negative else value), sure and digits <= MOST_DIGITS, some, at


@inline
def number_at(text, at):
    """Return (value, sure, end) for the token at `at`, read as a number.

    If `sure` is False, Python must parse the token.
    """
    value, sure, some, at = decimal_at(text, at)
    sure = sure and some and ends_token(text[at])
    while not ends_token(text[at]):
        at += ONE
    return value, sure, at


@inline
def short_number_at(text, at):
    """Return (value, sure, end) for a number of up to seven characters and a blank, the usual case.

    If `sure` is False, call `number_at`. The text must have eight characters from `at` on.
    """
    word = eight_letters(text, at)
    n = letters_before_blank(word)
    negative = np.uint64((word & LOWEST_BYTE) == np.uint64(MINUS))
    mantissa, behind, sure = decimal_in(word >> (EIGHT * negative), min(n, SEVEN) - negative)
    # both numbers are exact (10^7 < 2^53), so the division rounds only once
    value = np.float64(mantissa) / POWERS_OF_TEN[behind]
    return (-value if negative else value), sure and n < EIGHT and n > negative, at + n


@inline
def plain_number_at(text, at):
    """Return (value, sure, end) for digits with a point: at most 7 before the point and 19 in all.

    If `sure` is False, call `number_at`. The text must have LETTERS_OF_PLAIN characters from `at` on.
    """
    negative = text[at] == MINUS
    at += np.uint64(negative)
    mantissa, before = digits_at(text, at)
    at += before
    behind = ZERO
    if text[at] == DOT:
        at += ONE
        n = EIGHT
        while n == EIGHT and behind <= SIXTEEN:
            digits, n = digits_at(text, at)
            at += n
            mantissa = mantissa * WHOLE_POWERS[n] + digits
            behind += n
    value, sure = nearest_double(mantissa, -np.int64(behind))
    sure = sure and before != ZERO and before < EIGHT and before + behind <= np.uint64(MOST_DIGITS)
    return (-value if negative else value), sure and ends_token(text[at]), at
