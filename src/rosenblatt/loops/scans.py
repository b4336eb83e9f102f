"""Properties of rows that need one pass over all numbers."""

from __future__ import annotations

import numpy as np

from rosenblatt.numeric.compiling import jit, jit_sums

AT_ONCE = 4096


@jit
def all_whole(values):
    """Return whether every number is whole."""
    for start in range(0, values.size, AT_ONCE):
        strange = 0
        for k in range(start, min(start + AT_ONCE, values.size)):
            strange += values[k] != np.rint(values[k])
        if strange > 0:
            return False
    return True


@jit_sums
def squared_rows(values, out):
    """Write ‖xᵢ‖² to out[i]."""
    for i in range(values.shape[0]):
        total = 0.0
        for k in range(values.shape[1]):
            total += np.float64(values[i, k]) * np.float64(values[i, k])
        out[i] = total
