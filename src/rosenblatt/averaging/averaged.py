"""Strategy "averaged": return the mean of the weight vectors of all steps.

Let scaleₛ·vₛ be the weights after step s (see `averaging_hooks`), and Aₛ the sum of the scales up to step
s. Then Σ scaleₛ·vₛ = A·v − u, where u accumulates Aₛ₋₁·(vₛ − vₛ₋₁) at updates only (Daumé's form; without
shrinking, Aₛ = s). So the mean costs one addition per feature at each update, and nothing at the other
steps.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.averaging.averaging_hooks import (
    after_quiet,
    answers_first,
    before_rescale,
    before_shrink,
    before_update,
    by_feature,
    returned_value,
    returned_weights,
    take_answer,
    widen_state,
)
from rosenblatt.numeric.rows import add, score
from rosenblatt.numeric.twofold import exact_multiple
from rosenblatt.numeric.widening import widen

NO_PREDICTIONS = np.empty(0, np.int64)


class Averaged(NamedTuple):
    """Hold the state from which the mean over all steps is computed.

    Parameters
    ----------
    correction : ndarray of float64
        The vector u of A·v − u.
    before : ndarray of float64
        The sum of the scales over the steps before the scale last changed, as an array of length 1.
    looks : ndarray of int64
        The number of steps since the scale last changed, as an array of length 1.
    wrong : ndarray of int64
        The number of wrong predictions, and of wrong predictions on negative rows, if rows are predicted
        before learning from them; otherwise empty.

    Examples
    --------
    >>> from rosenblatt.averaging import begin
    >>> begin("averaged", np.zeros(2)).looks
    array([0])
    """

    correction: NDArray[np.float64]
    before: NDArray[np.float64]
    looks: NDArray[np.int64]
    wrong: NDArray[np.int64] = NO_PREDICTIONS


@answers_first.of(Averaged)
def _(keeper):
    return keeper.wrong.size > 0


@returned_value.of(Averaged)
def _(keeper, rows, i, offset, s, scale, quiet):
    scale_sum = keeper.before[0] + (keeper.looks[0] + quiet) * scale
    if scale_sum == 0.0:  # the first step: nothing has been summed yet
        return s
    u, _, _ = score(rows, i, keeper.correction, offset, 0.0)
    return scale_sum * s - u


@take_answer.of(Averaged)
def _(keeper, mistake, label):
    keeper.wrong[0] += mistake
    keeper.wrong[1] += mistake and label < 0.0


@before_update.of(Averaged)
def _(keeper, rows, i, delta, factor, offset, scale):
    scale_sum = keeper.before[0] + keeper.looks[0] * scale
    add(rows, i, delta * scale_sum, offset, keeper.correction)
    keeper.looks[0] += 1


@before_shrink.of(Averaged)
def _(keeper, scale):
    keeper.before[0] += keeper.looks[0] * scale
    keeper.looks[0] = 0


@before_rescale.of(Averaged)
def _(keeper, weights):
    # v is about to change by a factor: move A·v into u and restart A
    for j in range(weights.size):
        keeper.correction[j] -= keeper.before[0] * weights[j]
    keeper.before[0] = 0.0


@after_quiet.of(Averaged)
def _(keeper, looks):
    keeper.looks[0] += looks
    return False


@returned_weights.of(Averaged)
def _(keeper, weights, scale, examples_seen):
    if examples_seen == 0:
        return scale * weights
    scale_sum = keeper.before[0] + keeper.looks[0] * scale
    return (scale_sum * weights - keeper.correction) / examples_seen


def parts(keeper, weights, scale):
    """Return Σ scaleₛ·vₛ = A·v − u exactly, as three vectors whose sum is not evaluated.

    The first two vectors represent A·v (see `twofold`), the third is −u.
    """
    high, low = exact_multiple(keeper.before[0] + keeper.looks[0] * scale, weights)
    return np.stack([high, low, -keeper.correction])


@by_feature.of(Averaged)
def _(keeper):
    return ("correction",)


@widen_state.of(Averaged)
def _(keeper, width):
    return keeper._replace(correction=widen(keeper.correction, width))
