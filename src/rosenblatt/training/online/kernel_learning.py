"""The state of a `Learner` with a kernel, and one learning step; a linear learner does not import it."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt import budgets, kernels
from rosenblatt.errors import BadInput
from rosenblatt.loops.column_targets import Classes
from rosenblatt.numeric.row_batches import Rows, check_finite
from rosenblatt.training.dual.dual_decisions import DualAnswers, check_keep
from rosenblatt.training.dual.dual_state import DualState, dual_rule
from rosenblatt.training.dual.limited_support import check_budget
from rosenblatt.training.many_batch import ManyBatch

_ONE_ROW = np.zeros(1, np.int64)


def begin_dual(kernel: Any, rule: Any, keep: str, offset: bool, tie: str, budget: Any) -> DualState:
    """Return the initial state for these parameters, or raise an error if they are invalid."""
    check_keep(keep)
    if keep == "random":
        raise BadInput(
            "keep: 'random' draws one vector of a finished run, and the run of a Learner never ends; "
            "use KernelPerceptron, or keep='averaged'"
        )
    kernel = kernels.as_kernel(kernel)
    if budget is not None:
        budget = budgets.as_budget(budget)
        check_budget(budget, dual_rule(rule), keep)
    return DualState(kernel, rule, offset, tie, 1, budget=budget)


def learn_row(state: DualState, row: Rows, sign: int) -> None:
    """Train the state on one row with the label `sign`."""
    check_finite(row, None)
    lesson = state.lesson(ManyBatch(row, Classes(np.array([1 if sign > 0 else 0]))))
    with np.errstate(over="ignore", invalid="ignore"):  # a score that is not finite counts as uncertain
        lesson.learn(_ONE_ROW)
        lesson.write_down()


def answers_of(state: DualState, rows: Rows, keep: str) -> DualAnswers:
    """Return the object that predicts by strategy `keep`; raise an error if a row is not finite."""
    check_finite(rows, None)
    state, keep = state.deciding(keep)
    return DualAnswers(state, keep, 0)
