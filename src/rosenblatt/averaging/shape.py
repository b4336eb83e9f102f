"""The interface of every averaging strategy: which weight vectors of a run are returned.

The state of a strategy is a NamedTuple of arrays that the loop writes to. A strategy registers only the
hooks below that it needs; a hook that is not registered does nothing. The loop stores w̃ as scale·v: a rule
that shrinks w changes only the scale, so a sparse update stays sparse.
"""

from __future__ import annotations

from rosenblatt.numeric.compiling import chosen_by_class, with_default


@with_default
def before_update(keeper, rows, i, delta, factor, offset, scale):
    """Prepare for the update v ← factor·v + delta·x̃ᵢ (factor is 1 unless v was rescaled or restarted)."""


@with_default
def before_shrink(keeper, scale):
    """Prepare for a change of the scale from `scale`."""


@with_default
def before_rescale(keeper, weights):
    """Prepare for v ← scale·v, applied when the scale is 0 or out of range; afterwards the scale is 1."""


@with_default
def after_quiet(keeper, looks):
    """Record that `looks` steps have passed without an update.

    Return True to request a call of `consider`, if the current vector may be better than the one kept.
    """
    return False


@with_default
def answers_first(keeper):
    """Return whether each row is predicted by the returned weights before it is learned from."""
    return False


@with_default
def value_of_kept(keeper, rows, i, offset, s, scale, quiet):
    """Return a positive multiple of the rounded decision value of row i by the returned weights.

    `quiet` is the number of steps since the last update; `s` is the decision value by v.
    """
    return s


@with_default
def take_answer(keeper, mistake, label):
    """Record whether the prediction of a row was a mistake."""


@with_default
def errors_to_beat(keeper):
    """Return the number of errors at which the loop stops counting; 0 if it need not count."""
    return 0


@with_default
def consider(keeper, weights, scale, errors):
    """Keep scale·weights if its `errors` on all rows are fewer than those of the vector kept."""


@chosen_by_class
def kept(keeper, weights, scale, examples_seen):
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
    >>> kept(begin("last", np.zeros(2)), np.array([1.0, 2.0]), 0.5, 3)
    array([0.5, 1. ])
    """


@with_default
def by_feature(keeper):
    """Return the names of the arrays that have one entry per weight, the offset included.

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
def in_the_loop(keeper):
    """Return the state as the loop takes it; two types of state may share one compiled loop."""
    return keeper


@with_default
def widened(keeper, width):
    """Return the same state for `width` weights, the offset included; new weights start at 0.

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
    >>> widened(begin("averaged", np.zeros(2)), 4).correction
    array([0., 0., 0., 0.])
    """
    return keeper
