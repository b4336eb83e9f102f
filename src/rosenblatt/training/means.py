"""The mean of the weight vectors of a run, before it is rounded to one double per weight.

The averaging strategy stores the sum over all steps as A·v − u (see `averaging.averaged`); the mean is this
sum divided by the number of steps. `coef_` is the rounded mean, with roundings in the product, the
difference and the quotient. The sign of a score is computed from the stored sums. On integers the sums are
exact, so the computed sign is that of the true mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.rows import ROUNDING

FLOOR = 1e-300  # exceeds the total loss by underflow in all weights of a mean


class Mean(NamedTuple):
    """Hold the exact means of the weights of one or many classifiers.

    `lengths` is ‖A·v‖/looks, and `looks` the number of steps. `parts(at)` returns arrays of shape
    (classifiers, weights) whose sum over the first axis is the sum over the steps; it is called only if a
    sign is uncertain. `at` holds the indices of the requested weights (None for all).
    """

    lengths: Any
    looks: Any
    parts: Callable[[NDArray[np.int64] | None], NDArray[np.float64]]

    def spread(self, lengths: Any) -> Any:
        """Return a bound on the distance between the rounded means and the exact means.

        `lengths` are the norms of the rounded means.
        """
        return ROUNDING * (3.0 * lengths + self.lengths) + FLOOR
