"""Strategy "pocket": return the best weight vector seen, for data that cannot be separated.

Minimising the training error of a halfspace is NP-hard, so the pocket is a heuristic: it holds the vector
with the longest run of correct predictions so far. With the ratchet, a longer run is not enough: the vector
must also make fewer errors on all training rows than the vector in the pocket, so the pocket never gets
worse. The ratchet needs all rows, so it is available only in `fit`; in a stream (one pass of `partial_fit`,
or `Learner`), only the length of the run decides.

Gallant, "Perceptron-based learning algorithms", IEEE Transactions on Neural Networks 1 (1990).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.averaging.averaging_hooks import (
    after_quiet,
    before_update,
    by_feature,
    consider,
    errors_to_beat,
    returned_weights,
    widen_state,
)
from rosenblatt.numeric.widening import widen

MANY = np.iinfo(np.int64).max
NOT_COMPARED, LEFT, IN_POCKET = 0, 1, 2


class Pocket(NamedTuple):
    """Hold the pocket vector with its run length and errors, and the length of the current run.

    Parameters
    ----------
    best : ndarray of float64
        The weights (w, b) in the pocket.
    best_run : ndarray of int64
        The longest run of correct predictions of these weights, as an array of length 1.
    best_errors : ndarray of int64
        The errors of these weights on all rows, as an array of length 1.
    run : ndarray of int64
        The length of the current run, as an array of length 1.
    standing : ndarray of int64
        The status of the current vector: not compared yet, compared and rejected, or the same as the one in
        the pocket.
    ratchet : bool
        Whether a vector must also make fewer errors on all rows.

    Examples
    --------
    >>> from rosenblatt.averaging import begin
    >>> begin("pocket", np.zeros(2)).best
    array([0., 0.])
    """

    best: NDArray[np.float64]
    best_run: NDArray[np.int64]
    best_errors: NDArray[np.int64]
    run: NDArray[np.int64]
    standing: NDArray[np.int64]
    ratchet: bool


@before_update.of(Pocket)
def _(keeper, rows, i, delta, factor, offset, scale):
    keeper.run[0] = 0
    keeper.standing[0] = NOT_COMPARED


@after_quiet.of(Pocket)
def _(keeper, looks):
    keeper.run[0] += looks
    if keeper.standing[0] == IN_POCKET:
        keeper.best_run[0] = max(keeper.best_run[0], keeper.run[0])
    return keeper.standing[0] == NOT_COMPARED and keeper.run[0] > keeper.best_run[0]


@errors_to_beat.of(Pocket)
def _(keeper):
    return keeper.best_errors[0] if keeper.ratchet else 0


@consider.of(Pocket)
def _(keeper, weights, scale, errors):
    keeper.standing[0] = LEFT
    if keeper.ratchet and errors >= keeper.best_errors[0]:
        return
    for j in range(weights.size):
        keeper.best[j] = scale * weights[j]
    keeper.standing[0] = IN_POCKET
    keeper.best_run[0] = keeper.run[0]
    keeper.best_errors[0] = errors


@returned_weights.of(Pocket)
def _(keeper, weights, scale, examples_seen):
    return keeper.best.copy()


@by_feature.of(Pocket)
def _(keeper):
    return ("best",)


@widen_state.of(Pocket)
def _(keeper, width):
    return keeper._replace(best=widen(keeper.best, width))
