"""Keep every weight vector; each votes with the number of looks it survived.

A vector differs from the one before by one example, so the committee is stored as the list of its
updates: vₖ = factorₖ·vₖ₋₁ + deltaₖ·x̃ of the row it was made on. Entry 0 is the vector at the start.
A vector's survival is 1 on its creation, and grows by each look that it lasts.

Freund & Schapire, Machine Learning 37 (1999).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import CommitteeHasNoWeights
from rosenblatt.keepers.shape import after_quiet, before_update, kept


class Voted(NamedTuple):
    """The committee, in arrays with room to grow; `members[0]` of the entries are used."""

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


@kept.of(Voted)
def _(keeper, weights, scale, examples_seen):
    raise CommitteeHasNoWeights(
        "a voted committee decides by many weight vectors, so it has no single coef_; use "
        "decision_function or predict, see survival_ and mistakes_, or train with keep='averaged'"
    )


def with_room(keeper: Voted, looks: int) -> Voted:
    """The same committee with space for as many updates as there are looks to come."""
    needed = int(keeper.members[0]) + looks
    if needed <= len(keeper.row):
        return keeper
    extra = max(needed, 2 * len(keeper.row)) - len(keeper.row)
    row, delta, factor, survival = (
        np.concatenate([array, np.zeros(extra, array.dtype)]) for array in keeper[:4]
    )
    return Voted(row, delta, factor, survival, keeper.members)
