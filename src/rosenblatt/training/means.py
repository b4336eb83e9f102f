"""The mean of weight vectors, before it is rounded to one double per weight.

The averaging strategy stores sums over steps, A·v − u (see `averaging.averaged`), and the mean is that over
the number of steps. `coef_` has it rounded: the product, the difference and the quotient. The sign of a
score is that of the stored sums, so on integers, where they are exact, it is that of the true mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.rows import ROUNDING

FLOOR = 1e-300  # more than all weights of a mean can lose by underflow


class Mean(NamedTuple):
    """Hold the mean of a column, or of many in arrays: ‖A·v‖/looks, looks, and `parts(at)`.

    `parts(at)` returns arrays of columns × weights whose sum over the first axis is the sum over the
    steps. It is computed only if a sign is uncertain. `at` has the places of the weights that are wanted
    (None for all).
    """

    lengths: Any
    looks: Any
    parts: Callable[[NDArray[np.int64] | None], NDArray[np.float64]]

    def spread(self, lengths: Any) -> Any:
        """Return a bound on the distance of the rounded means, of these lengths, from the means."""
        return ROUNDING * (3.0 * lengths + self.lengths) + FLOOR
