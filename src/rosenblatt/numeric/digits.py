"""Exact signs of many integer sums: large weights are split into digits, for one matrix product.

Consider Σ wⱼxⱼ with whole xⱼ and with wⱼ of any size, and write w = Σ digit_t·2^(b·t). If b is small
enough, Σ digit·x is below 2^52, so floating point computes it without rounding, in any order. Only the
carries are computed afterwards.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

WIDEST = 26  # bits of x; wider numbers leave too few bits for a digit
MOST_COLUMNS = 1 << 18


def fits(values: NDArray[np.float64], exponent: int, columns: int) -> bool:
    """Return whether values/2^exponent are integers of at most 26 bits, in at most 2^18 columns."""
    if columns > MOST_COLUMNS:
        return False
    largest = float(np.abs(values).max(initial=0.0))
    return largest == 0.0 or np.frexp(largest)[1] - exponent <= WIDEST


def signs(matrix: Any, w: list[int], constant: int = 0) -> NDArray[np.int8]:
    """Return the sign of matrixᵢ·w + constant for each row i; the entries must be integers below 2^26.

    The matrix may be dense or CSR.

    Examples
    --------
    >>> signs(np.array([[3.0, -1.0], [1.0, 2.0]]), [10**40, 3 * 10**40]).tolist()
    [0, 1]
    """
    bits = 51 - WIDEST - matrix.shape[1].bit_length()
    length = max(abs(number).bit_length() for number in (*w, constant))
    mask = (1 << bits) - 1
    planes = range(0, max(1, length), bits)

    def in_digits(number: int) -> list[int]:
        side, size = (1, number) if number >= 0 else (-1, -number)
        return [side * ((size >> shift) & mask) for shift in planes]

    sums = matrix @ np.array([in_digits(number) for number in w], np.float64).reshape(len(w), len(planes))
    whole = sums.astype(np.int64) + np.array(in_digits(constant), np.int64)
    carry = np.zeros(matrix.shape[0], np.int64)
    rest = np.zeros(matrix.shape[0], np.int64)
    for plane in range(len(planes)):
        total = whole[:, plane] + carry
        carry = total >> bits
        rest |= total & mask
    return np.where(carry < 0, -1, np.where((carry > 0) | (rest != 0), 1, 0)).astype(np.int8)
