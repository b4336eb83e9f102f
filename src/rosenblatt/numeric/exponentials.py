"""Compute e^x of many numbers in steps that compilers vectorise.

Write x = k·ln 2 + r with k whole and |r| ≤ ln 2 / 2. Then e^x = 2^k·e^r. The series of e^r up to r¹² leaves
out r¹³/13! < 2e-16, and 2^k is the double with the exponent field k + 1023. ln 2 is stored as the sum of
two numbers; the first has so few digits that its product with k is exact.
"""

from __future__ import annotations

import math

import numpy as np

from rosenblatt.numeric.compiling import jit_with_fma

LEAST = -708.0
"""Smaller x are replaced by this number; its e^x is 3e-308."""

PER_LN2 = 1.0 / math.log(2.0)
LN2, LN2_REST = float.fromhex("0x1.62e42fefa3800p-1"), float.fromhex("0x1.ef35793c76730p-45")
TO_WHOLE = 1.5 * 2.0**52
"""Adding a small number to this constant rounds it to an integer, held in the last bits of the sum."""

(
    SERIES_2, SERIES_3, SERIES_4, SERIES_5, SERIES_6, SERIES_7, SERIES_8, SERIES_9, SERIES_10, SERIES_11,
    SERIES_12,
) = (1.0 / math.factorial(k) for k in range(2, 13))  # fmt: skip


@jit_with_fma
def exponentials(values, work):
    """Replace values[j] by e^values[j]; all values must be at most 0, and `work` is a buffer of equal size.

    The error is less than 5 roundings: 2.3 from truncating the series, 0.4 from r, 0.8 from the sum of the
    terms after 1, and 1 from the last sum.
    """
    bits = work.view(np.int64)
    for j in range(values.size):
        x = max(values[j], LEAST)
        work[j] = x * PER_LN2 + TO_WHOLE
        k = work[j] - TO_WHOLE
        r = (x - k * LN2) - k * LN2_REST
        total = SERIES_11 + r * SERIES_12
        total = SERIES_10 + r * total
        total = SERIES_9 + r * total
        total = SERIES_8 + r * total
        total = SERIES_7 + r * total
        total = SERIES_6 + r * total
        total = SERIES_5 + r * total
        total = SERIES_4 + r * total
        total = SERIES_3 + r * total
        total = SERIES_2 + r * total
        bits[j] = (bits[j] + 1023) << 52  # move k from the last bits to the exponent field of 2^k
        values[j] = (1.0 + (r + r * r * total)) * work[j]
