"""The support of one classifier on a budget: slots, and the rows stored in them."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import budgets, rules
from rosenblatt.budgets import Slots
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import Rows, Sparse, n_rows, stack, take

KEEPERS = ("last", "averaged")
STEPS_OF_ONE = (budgets.Forgetron, budgets.ProjectronPlusPlus)


def check_budget(budget: Any, rule: Any, keep: str) -> None:
    """Raise an error for settings that have no meaning with a budget."""
    if keep not in KEEPERS:
        raise BadInput(
            f"keep: {keep!r} needs every vector of the run, and a budget drops the rows they are made of; "
            "use keep='averaged' or 'last'"
        )
    is_step_of_one = rules.facts(rule).is_fixed and rules.constants(rule) == (1.0, 0.0, 0.0)
    if isinstance(budget, STEPS_OF_ONE) and not is_step_of_one:
        raise BadInput(
            f"rule: {type(budget).__name__} is defined for steps of 1 (rule='rosenblatt' with rate 1), "
            f"got {rule!r}; use that rule, or another budget"
        )


class LimitedSupport:
    """Hold at most `budget.size` support rows.

    `origin` holds the number of the example in each slot, counted over all rows given so far. `matrix` is a
    pair, the rows as a matrix and their ‖x‖²; it is None until it is needed.
    """

    def __init__(self, budget: Any, seed: int) -> None:
        self.slots: Slots = budgets.empty_slots(budget.size, isinstance(budget, budgets.WITH_MATRIX), seed)
        self.roots = np.zeros(budget.size)
        self.rows: Rows | None = None
        self.origin = np.empty(0, np.int64)
        self.matrix: tuple[Any, Any] | None = None

    @property
    def n_used(self) -> int:
        return int(self.slots.used[0])

    def in_order(self) -> NDArray[np.int64]:
        """Return the used slots in the order in which they were filled."""
        return np.argsort(self.slots.arrived[: self.n_used], kind="stable")

    def commit(self, rows: Rows, which: NDArray[np.int64], first: int) -> None:
        """Copy rows of a block into the slots that the budget has assigned to them."""
        changed = np.flatnonzero(self.slots.row >= 0)
        if not len(changed):
            return
        numbers = which[self.slots.row[changed]]
        new = take(rows, numbers)
        before = 0 if self.rows is None else n_rows(self.rows)
        together = new if self.rows is None else stack([self.rows, new])
        place = np.arange(self.n_used)
        place[changed] = before + np.arange(len(changed))
        origin = np.concatenate([self.origin, first + numbers])
        self.rows, self.origin, self.matrix = take(together, place), origin[place], None
        self.slots.row[changed] = -1

    def widen(self, n_features: int) -> None:
        """Prepare for rows with more features."""
        if isinstance(self.rows, Sparse):
            self.rows, self.matrix = self.rows._replace(n_features=n_features), None

    def copy(self) -> LimitedSupport:
        twin = copy.copy(self)
        twin.slots = Slots._make(array.copy() for array in self.slots)
        twin.roots = self.roots.copy()
        return twin
