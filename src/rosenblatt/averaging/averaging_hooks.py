"""The interface of every averaging strategy; a strategy determines which weights a run returns.

The state of a strategy is a NamedTuple of arrays that the loop writes to. A strategy registers only the
hooks below that it needs; an unregistered hook does nothing. The loop stores w̃ as scale·v: a rule that
shrinks w changes only the scale, so a sparse update stays sparse.
"""

from __future__ import annotations

from rosenblatt.numeric.compiling import dispatch_by_class, with_default


@with_default
def before_update(keeper, rows, i, delta, factor, offset, scale):
    """Prepare for the update v ← factor·v + delta·x̃ᵢ; `factor` is 1 unless v was rescaled or restarted."""


@with_default
def before_shrink(keeper, scale):
    """Prepare for a change of the scale; `scale` is its old value."""


@with_default
def before_rescale(keeper, weights):
    """Prepare for v ← scale·v, which sets the scale back to 1."""


@with_default
def after_quiet(keeper, looks):
    """Record `looks` steps without an update.

    Return True to make the loop call `consider`, because the current vector may be better than the stored
    one.
    """
    return False


@with_default
def answers_first(keeper):
    """Return whether `returned_weights` predicts each row before the run learns from it."""
    return False


@with_default
def returned_value(keeper, rows, i, offset, s, scale, quiet):
    """Return a positive multiple of the score of row i under the weights of `returned_weights`.

    The result is rounded. `quiet` is the number of steps since the last update; `s` is the score under v.
    """
    return s


@with_default
def take_answer(keeper, mistake, label):
    """Record whether the prediction of a row was a mistake."""


@with_default
def errors_to_beat(keeper):
    """Return the number of errors at which counting may stop; 0 if errors need not be counted."""
    return 0


@with_default
def consider(keeper, weights, scale, errors):
    """Store scale·weights, with `errors` errors on all rows, if it is better than the stored vector."""


@dispatch_by_class
def returned_weights(keeper, weights, scale, examples_seen):
    """Return the weights (w, b) that result from the run, as a new array.

    Parameters
    ----------
    keeper : Last, Averaged, Voted or Pocket
        The state at the end of the run.
    weights : ndarray of float64
        The last vector v.
    scale : float
        The scale of v: the last weights are scale·v.
    examples_seen : int
        The number of steps.

    Returns
    -------
    ndarray of float64
        The weights used for prediction.

    Raises
    ------
    CommitteeHasNoWeights
        For a voted committee.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.averaging import begin
    >>> returned_weights(begin("last", np.zeros(2)), np.array([1.0, 2.0]), 0.5, 3)
    array([0.5, 1. ])
    """


@with_default
def by_feature(keeper):
    """Return the names of the state's arrays that have one entry per weight, including the offset.

    Parameters
    ----------
    keeper : Last, Averaged, Voted or Pocket
        The state.

    Returns
    -------
    tuple of str
        The names of its fields.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.averaging import begin
    >>> by_feature(begin("averaged", np.zeros(2)))
    ('correction',)
    """
    return ()


@with_default
def widen_state(keeper, width):
    """Return the same state for `width` weights, including the offset; new weights start at 0.

    Parameters
    ----------
    keeper : Last, Averaged, Voted or Pocket
        The state.
    width : int
        The new number of weights.

    Returns
    -------
    Last, Averaged, Voted or Pocket
        The wider state.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt.averaging import begin
    >>> widen_state(begin("averaged", np.zeros(2)), 4).correction
    array([0., 0., 0., 0.])
    """
    return keeper
