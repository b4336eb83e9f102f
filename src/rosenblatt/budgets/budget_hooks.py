"""The interface of every budget: at most `size` support rows, stored in slots.

A budget is a NamedTuple of its parameters. K̃ is the kernel K, or K + 1 with an offset, and φ maps a row to
the feature space of K̃. At each update w ← w + change·φ(x), the loop calls `admit`; the budget changes the
coefficients and returns the slot in which x is stored, if any.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.compiling import dispatch_by_class, jit, with_default

NOWHERE = -1


class Slots(NamedTuple):
    """Hold the support rows of one binary classifier: w = Σ coefficient·φ(row) over the slots in use.

    Parameters
    ----------
    coefficient : ndarray of float64
        The coefficient of each slot.
    arrived : ndarray of int64
        The index of the update that filled the slot.
    total : ndarray of float64
        The sum of the coefficient over the steps up to `touched`, from which its mean is computed.
    touched : ndarray of int64
        The last step that `total` includes.
    joined : ndarray of int64
        The step at which the row was stored and `total` started from 0.
    used : ndarray of int64
        The number of slots in use, as an array of length 1.
    matrix : ndarray of float64
        The matrix K̃ of the rows in the slots, or its inverse, for budgets that need it.
    memory : ndarray of float64
        Further numbers that a budget stores.
    random : ndarray of uint64
        The state of the random generator.
    row : ndarray of int64
        The index of the slot's row in the current block of rows; −1 if the row is from an earlier block.

    Examples
    --------
    >>> empty_slots(2, has_matrix=False, seed=0).coefficient
    array([0., 0.])
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
    """Return slots with no support rows.

    Parameters
    ----------
    size : int
        The number of slots.
    has_matrix : bool
        Whether to allocate the matrix K̃.
    seed : int
        The seed of the random generator.

    Returns
    -------
    Slots
        Empty slots.

    Examples
    --------
    >>> empty_slots(2, has_matrix=True, seed=0).matrix.shape
    (2, 2)
    """
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


@dispatch_by_class
def admit(budget, slots, values, weights, square, mistake, change, look, number):
    """Apply an update that adds change·φ(x) to w, and return the slot that stores x.

    Parameters
    ----------
    budget : budget object
        The budget.
    slots : Slots
        The support, changed in place.
    values : ndarray of float64
        The array with values[k] = K̃(row in slot k, x).
    weights : ndarray of float64
        K̃⁻¹·values if already computed, otherwise empty.
    square : float
        K̃(x, x).
    mistake : bool
        Whether x was misclassified.
    change : float
        The coefficient of φ(x) in the update.
    look : int
        The index of the step.
    number : int
        The index of the update.

    Returns
    -------
    int
        The slot of x, or NOWHERE if it is not stored.

    Examples
    --------
    >>> from rosenblatt.budgets import Oldest
    >>> slots = empty_slots(1, has_matrix=False, seed=0)
    >>> admit(Oldest(size=1), slots, np.empty(1), np.empty(0), 1.0, True, -1.0, 0, 0), slots.coefficient
    (0, array([-1.]))
    """


@with_default
def acts(budget, agreement, square, slots, values, weights):
    """Return the coefficient of an additional update that the budget makes, or 0 for no update.

    Parameters
    ----------
    budget : budget object
        The budget.
    agreement : float
        The functional margin y·w·φ(x).
    square : float
        K̃(x, x).
    slots : Slots
        The support.
    values : ndarray of float64
        The array with values[k] = K̃(row in slot k, x).
    weights : ndarray of float64
        K̃⁻¹·values if already computed, otherwise empty.

    Returns
    -------
    float
        The coefficient.

    Examples
    --------
    >>> from rosenblatt.budgets import Oldest
    >>> acts(Oldest(), 0.5, 1.0, empty_slots(1, False, 0), np.empty(1), np.empty(0))
    0.0
    """
    return 0.0


@with_default
def forgets(budget):
    """Return whether the budget ever drops support rows.

    Parameters
    ----------
    budget : budget object
        The budget.

    Returns
    -------
    bool
        False for the Projectrons, True otherwise.

    Examples
    --------
    >>> from rosenblatt.budgets import Oldest, Projectron
    >>> forgets(Projectron()), forgets(Oldest())
    (False, True)
    """
    return True


@jit
def account(slots, k, look):
    """Add the steps up to `look` to the total of slot k, before its coefficient changes."""
    slots.total[k] += slots.coefficient[k] * (look - slots.touched[k])
    slots.touched[k] = look


@jit
def put(slots, k, coefficient, look, number):
    """Store a new row in slot k, replacing the old one."""
    slots.coefficient[k] = coefficient
    slots.arrived[k] = number
    slots.total[k] = 0.0
    slots.touched[k] = look
    slots.joined[k] = look


@jit
def oldest(slots):
    """Return the slot in use that was filled first."""
    found = 0
    for k in range(1, slots.used[0]):
        if slots.arrived[k] < slots.arrived[found]:
            found = k
    return found


@jit
def free_slot(slots):
    """Take the next unused slot, or return NOWHERE."""
    k = slots.used[0]
    if k == slots.coefficient.size:
        return NOWHERE
    slots.used[0] = k + 1
    return k


@jit
def draw(random, n):
    """Draw a number from 0 to n − 1 (splitmix64)."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    z = random[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.int64(z >> np.uint64(11)) % n


def returned_coefficients(budget: Any, slots: Slots, keep: str, looks: int) -> NDArray[np.float64]:
    """Return the current or the averaged coefficients of the slots in use.

    If a budget drops no rows, coefficients are averaged over all steps, which gives the mean of w. If it
    drops rows, the mean of w would need the dropped rows, so each coefficient is averaged over the steps
    since its row was added.

    Parameters
    ----------
    budget : budget object
        The budget.
    slots : Slots
        The support.
    keep : {"last", "averaged"}
        The averaging strategy.
    looks : int
        The number of steps so far.

    Returns
    -------
    ndarray of float64
        One coefficient per slot in use.

    Examples
    --------
    >>> from rosenblatt.budgets import Oldest
    >>> slots = empty_slots(1, has_matrix=False, seed=0)
    >>> _ = admit(Oldest(size=1), slots, np.empty(1), np.empty(0), 1.0, True, -1.0, 0, 0)
    >>> returned_coefficients(Oldest(size=1), slots, "last", looks=1)
    array([-1.])
    """
    used = slice(0, int(slots.used[0]))
    last = slots.coefficient[used]
    if keep == "last" or not looks:
        return last.copy()
    total = slots.total[used] + last * (looks - slots.touched[used])
    since = slots.joined[used] if forgets(budget) else 0
    mean: NDArray[Any] = total / (looks - since)
    return mean
