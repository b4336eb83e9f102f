"""The shape of every budget: at most `size` support rows, in slots, and a way to make do with them.

A budget is a NamedTuple of its parameters. The loop calls `admit` at each update, when w is about to gain
change·φ(x); the budget changes the coefficients as it sees fit, and says into which slot x goes, if any.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.compiling import chosen_by_class, compiled, with_default

NOWHERE = -1


class Slots(NamedTuple):
    """The support of one column. w = Σ coefficient·φ(row in the slot) over the slots in use.

    arrived: the number of the update that filled the slot. total and touched make the mean over all looks:
    total gathers coefficient × looks up to look `touched`, from look `joined` on. matrix: K̃ of the slots
    with each other, or its inverse, for budgets that need one. memory: whatever else a budget remembers.
    random: the state of its generator. row: where in the present block the row of a slot is, −1 where it
    was there before.
    """

    coefficient: NDArray[np.float64]
    arrived: NDArray[np.int64]
    total: NDArray[np.float64]
    touched: NDArray[np.int64]
    joined: NDArray[np.int64]
    used: NDArray[np.int64]
    matrix: NDArray[np.float64]
    memory: NDArray[np.float64]
    random: NDArray[np.uint64]
    row: NDArray[np.int64]


def empty_slots(size: int, has_matrix: bool, seed: int) -> Slots:
    side = size if has_matrix else 0
    return Slots(
        coefficient=np.zeros(size),
        arrived=np.zeros(size, np.int64),
        total=np.zeros(size),
        touched=np.zeros(size, np.int64),
        joined=np.zeros(size, np.int64),
        used=np.zeros(1, np.int64),
        matrix=np.zeros((side, side)),
        memory=np.zeros(3),
        random=np.array([seed], np.uint64),
        row=np.full(size, -1, np.int64),
    )


@chosen_by_class
def admit(budget, slots, values, weights, square, mistake, change, look, number):
    """w is about to gain change·φ(x).

    values[k] = K̃(row in slot k, x), square = K̃(x, x). mistake: whether x was answered wrongly. weights:
    K̃⁻¹·values if that is known, else empty. look and number count looks and updates. Returns the slot
    that x goes into, or NOWHERE.
    """


@with_default
def acts(budget, agreement, square, slots, values, weights):
    """The coefficient of an update that the budget itself asks for where the rule does not, or 0."""
    return 0.0


@with_default
def forgets(budget):
    """Whether support rows are ever dropped."""
    return True


@compiled
def account(slots, k, look):
    """Bring the mean of slot k up to a look, before its coefficient changes at it."""
    slots.total[k] += slots.coefficient[k] * (look - slots.touched[k])
    slots.touched[k] = look


@compiled
def put(slots, k, coefficient, look, number):
    """A new row in slot k: what the slot had is forgotten."""
    slots.coefficient[k] = coefficient
    slots.arrived[k] = number
    slots.total[k] = 0.0
    slots.touched[k] = look
    slots.joined[k] = look


@compiled
def oldest(slots):
    """The slot in use that was filled first."""
    found = 0
    for k in range(1, slots.used[0]):
        if slots.arrived[k] < slots.arrived[found]:
            found = k
    return found


@compiled
def free_slot(slots):
    """The next slot that was never used, or NOWHERE."""
    k = slots.used[0]
    if k == slots.coefficient.size:
        return NOWHERE
    slots.used[0] = k + 1
    return k


@compiled
def draw(random, n):
    """A number from 0 to n − 1 (splitmix64)."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    z = random[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.int64(z >> np.uint64(11)) % n


def kept(budget: Any, slots: Slots, keep: str, looks: int) -> NDArray[np.float64]:
    """The coefficients of the slots in use: the last ones, or their means.

    The mean is over all looks where a budget forgets nothing, and so is that of w. Where rows are
    forgotten, the mean of w would need them back; what can be had is the mean of each coefficient over the
    looks since its row came.
    """
    used = slice(0, int(slots.used[0]))
    last = slots.coefficient[used]
    if keep == "last" or not looks:
        return last.copy()
    total = slots.total[used] + last * (looks - slots.touched[used])
    since = slots.joined[used] if forgets(budget) else 0
    mean: NDArray[Any] = total / (looks - since)
    return mean
