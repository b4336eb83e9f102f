"""Strategy "voted": all weight vectors vote, each weighted by the number of steps it survived.

A vector differs from the previous one by one example, so the committee is stored as the list of its
updates: vₖ = factorₖ·vₖ₋₁ + deltaₖ·x̃, where x̃ is the row of the update. Entry 0 is the initial vector.
The survival of a vector is 1 when it is created and grows by 1 with each step without an update.

Freund & Schapire, Machine Learning 37 (1999).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.averaging.averaging_hooks import after_quiet, before_update, returned_weights
from rosenblatt.errors import CommitteeHasNoWeights


class Voted(NamedTuple):
    """Hold the committee as a list of updates; the arrays may be longer than the list.

    Parameters
    ----------
    row : ndarray of int64
        The row of each update; −1 for the initial vector.
    delta : ndarray of float64
        The coefficient of that row.
    factor : ndarray of float64
        The factor of the previous vector.
    survival : ndarray of int64
        The number of steps that each vector survived.
    members : ndarray of int64
        The number of entries in use, as an array of length 1.

    Examples
    --------
    >>> from rosenblatt.averaging import begin
    >>> begin("voted", np.zeros(2)).members
    array([1])
    """

    row: NDArray[np.int64]
    delta: NDArray[np.float64]
    factor: NDArray[np.float64]
    survival: NDArray[np.int64]
    members: NDArray[np.int64]


@before_update.of(Voted)
def _(keeper, rows, i, delta, factor, offset, scale):
    member = keeper.members[0]
    keeper.row[member] = i
    keeper.delta[member] = delta
    keeper.factor[member] = factor
    keeper.survival[member] = 1
    keeper.members[0] = member + 1


@after_quiet.of(Voted)
def _(keeper, looks):
    keeper.survival[keeper.members[0] - 1] += looks
    return False


@returned_weights.of(Voted)
def _(keeper, weights, scale, examples_seen):
    raise CommitteeHasNoWeights(
        "a voted committee decides by many weight vectors, so it has no single coef_; use "
        "decision_function or predict, see survival_ and mistakes_, or train with keep='averaged'"
    )


def with_room(keeper: Voted, looks: int) -> Voted:
    """Return the same committee with free space for `looks` further updates.

    Parameters
    ----------
    keeper : Voted
        The committee.
    looks : int
        The number of steps that follow.

    Returns
    -------
    Voted
        The committee, in longer arrays if necessary.

    Examples
    --------
    >>> from rosenblatt.averaging import begin
    >>> len(with_room(begin("voted", np.zeros(2)), looks=5).row)
    6
    """
    needed = int(keeper.members[0]) + looks
    if needed <= len(keeper.row):
        return keeper
    extra = max(needed, 2 * len(keeper.row)) - len(keeper.row)
    row, delta, factor, survival = (
        np.concatenate([array, np.zeros(extra, array.dtype)]) for array in keeper[:4]
    )
    return Voted(row, delta, factor, survival, keeper.members)
