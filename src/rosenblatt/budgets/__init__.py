"""Budgets, one per file: how a kernel learner limits the number of its support rows."""

from __future__ import annotations

import math
import numbers
from typing import Any

from rosenblatt.budgets.budget_hooks import Slots, acts, admit, empty_slots, forgets, returned_coefficients
from rosenblatt.budgets.forgetron import Forgetron
from rosenblatt.budgets.oldest import Oldest
from rosenblatt.budgets.projectron import Projectron, ProjectronPlusPlus
from rosenblatt.budgets.random_budget import RandomBudget
from rosenblatt.errors import BadInput, bad_value, is_integer, whole_number

BUDGETS: dict[str, type] = {
    "projectron": Projectron,
    "projectron++": ProjectronPlusPlus,
    "forgetron": Forgetron,
    "random": RandomBudget,
    "oldest": Oldest,
}
"""Every budget by its name."""

PROJECTING = (Projectron, ProjectronPlusPlus)
WITH_MATRIX = (*PROJECTING, Forgetron)

__all__ = [
    "BUDGETS",
    "PROJECTING",
    "WITH_MATRIX",
    "Forgetron",
    "Oldest",
    "Projectron",
    "ProjectronPlusPlus",
    "RandomBudget",
    "Slots",
    "acts",
    "admit",
    "as_budget",
    "empty_slots",
    "forgets",
    "returned_coefficients",
]


def as_budget(budget: Any) -> Any:
    """Return a budget object, given one or a number of support rows; parameters are checked.

    Parameters
    ----------
    budget : int or budget object
        A number n means Projectron(size=n).

    Returns
    -------
    budget object
        The budget, such as Projectron(size=200, eta=0.1).

    Raises
    ------
    BadInput
        If the argument is not a budget, or a parameter is out of range.

    Examples
    --------
    >>> as_budget(200)
    Projectron(size=200, eta=0.1)
    >>> as_budget(0)
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: budget: expected a number of support rows of at least 1, got 0
    """
    if is_integer(budget):
        budget = Projectron(size=int(budget))
    if type(budget) not in BUDGETS.values():
        raise BadInput(
            f"budget: got {budget!r}, expected None, a number of support rows, or a budget object such as "
            "rosenblatt.budgets.Forgetron(size=500)"
        )
    budget = budget._replace(size=whole_number("budget", budget.size, 1, what="a number of support rows"))
    if isinstance(budget, PROJECTING):
        eta: Any = budget.eta
        lowest = 0.0 if isinstance(budget, Projectron) else 1e-300  # Projectron++ divides by eta
        is_real = isinstance(eta, numbers.Real) and not isinstance(eta, bool)
        if not is_real or not lowest <= eta < math.inf:
            expected = "a finite number of at least 0" if lowest == 0.0 else "a finite number above 0"
            raise bad_value(f"{type(budget).__name__}.eta", eta, expected)
        budget = budget._replace(eta=float(eta))
    return budget
