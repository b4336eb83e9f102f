"""Exact sums of products of doubles: a long fixed-point accumulator.

Every double is an integer times a power of two, so a product a·b is an integer of at most 106 bits times a
power of two that is at least 2^−2252. The accumulator is one integer that is wide enough for all products
(Kulisch 1971). It consists of signed limbs of 32 bits in 64-bit integers, so billions of terms can be added
before a carry must be moved. Nothing overflows or underflows, and there are no special cases: 1e300 and
5e-324 can be terms of the same sum.

It is much slower than a dot product, and is used only if the sign of the fast sum is uncertain.
"""

from __future__ import annotations

import math

from rosenblatt.numeric.compiling import jit, part

BITS = 32
MASK = (1 << BITS) - 1
BIAS = 71 * BITS  # bit 0 of the accumulator is worth 2^-2272, below any product of two doubles
LIMBS = 140  # up to 2^2048 for the largest product, and 60 bits for 2^60 of them
HALF = 27  # a 53-bit integer is split into two halves, whose products fit into 63 bits
SMALLEST = 5e-324


@part
def clear(total):
    for k in range(LIMBS):
        total[k] = 0


@part
def _deposit(total, amount, bit):
    """Add amount·2^bit to the total; |amount| must be below 2^55."""
    limb = bit // BITS
    shift = bit % BITS
    negative = amount < 0
    magnitude = -amount if negative else amount
    low = (magnitude & MASK) << shift
    high = (magnitude >> BITS) << shift
    first, second, third = low & MASK, (low >> BITS) + (high & MASK), high >> BITS
    if negative:
        first, second, third = -first, -second, -third
    total[limb] += first
    total[limb + 1] += second
    total[limb + 2] += third


@jit
def add_product(total, a, b):
    """Add a·b to the total without rounding; both factors must be finite."""
    fraction_a, exponent_a = math.frexp(a)
    fraction_b, exponent_b = math.frexp(b)
    if fraction_a == 0.0 or fraction_b == 0.0:
        return
    integer_a = int(fraction_a * 9007199254740992.0)  # times 2^53 it is an integer, without rounding
    integer_b = int(fraction_b * 9007199254740992.0)
    # both parts are truncated towards zero, so integer = high·2^27 + low holds for either sign
    high_a, high_b = int(integer_a / 134217728.0), int(integer_b / 134217728.0)
    low_a, low_b = integer_a - (high_a << HALF), integer_b - (high_b << HALF)
    bit = BIAS + (exponent_a - 53) + (exponent_b - 53)
    _deposit(total, low_a * low_b, bit)
    _deposit(total, low_a * high_b + high_a * low_b, bit + HALF)
    _deposit(total, high_a * high_b, bit + 2 * HALF)


@jit
def sign(total):
    """Return the sign of the total (−1, 0 or +1), and move its carries.

    Afterwards every limb is a digit of 32 bits, and the top limb holds the sign.
    """
    carry = 0
    nonzero = 0
    for k in range(LIMBS):
        digit = total[k] + carry
        carry = digit >> BITS
        total[k] = digit & MASK
        nonzero |= total[k]
    if carry < 0:
        return -1
    return 1 if nonzero != 0 else 0


@part
def _integer_bits(total, start, stop):
    """Return bits start … stop − 1 (at most 53) of the total as an integer."""
    bits = 0
    for position in range(stop - 1, start - 1, -1):
        digit = total[position // BITS] >> (position % BITS)
        bits = (bits << 1) | (digit & 1)
    return bits


@jit
def round_total(total):
    """Return the double nearest to the total, ties to even; replace the total by its absolute value.

    The result is 0 only if the total is 0.
    """
    side = sign(total)
    if side == 0:
        return 0.0
    if side < 0:
        for k in range(LIMBS):
            total[k] = -total[k]
        total[LIMBS - 1] += 1 << BITS  # two's complement: undo the borrow that `sign` carried out
        sign(total)
    top = LIMBS - 1
    while total[top] == 0:
        top -= 1
    length = top * BITS
    digit = total[top]
    while digit > 0:
        digit >>= 1
        length += 1
    # the lowest bit that is kept: the result has 53 bits, or fewer if it is denormal
    last = max(length - 53, BIAS - 1074)
    mantissa = _integer_bits(total, last, length) if length > last else 0
    half = last - 1
    if (total[half // BITS] >> (half % BITS)) & 1:
        below = total[half // BITS] & ((1 << (half % BITS)) - 1)
        for k in range(half // BITS):
            below |= total[k]
        if below != 0 or mantissa & 1:
            mantissa += 1
    top_bit = length - BIAS + (mantissa >> 53)  # rounding up may have added one bit
    magnitude = math.inf if top_bit > 1024 else math.ldexp(float(mantissa), last - BIAS)
    if magnitude == 0.0:
        magnitude = SMALLEST
    return magnitude if side > 0 else -magnitude
