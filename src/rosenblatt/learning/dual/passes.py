"""The run in dual form: passes over a data set, in blocks."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.learning.backends import Backend
from rosenblatt.learning.counting import counters_of
from rosenblatt.learning.dual.budgeted import BudgetLesson, BudgetState
from rosenblatt.learning.dual.dual_state import DualState
from rosenblatt.learning.dual.lesson import Lesson
from rosenblatt.learning.orders import SEARCHES, row_numbers, shuffled
from rosenblatt.learning.progress import Progress
from rosenblatt.learning.run import Epoch, Passes, Plan, make_passes


def run(
    state: DualState | BudgetState,
    lesson: Lesson | BudgetLesson,
    present: NDArray[np.int64] | None,
    plan: Plan,
    training_error: Callable[[], float] | None = None,
    validation_error: Callable[[], float] | None = None,
) -> Passes:
    """Learn as planned. `state` is changed in place."""
    check_plan(plan)
    looks = len(rows_of_pass(plan, lesson.n_rows, present, 0))
    seen, first = state.looks, state.epochs
    return make_passes(
        plan,
        looks,
        lambda progress: _one_epoch(state, lesson, present, plan, progress, seen, first, training_error),
        validation_error,
        state.copy,
    )


def check_plan(plan: Plan) -> None:
    """Refuse a plan that cannot be followed in dual form."""
    plan.check()
    if isinstance(plan.order, str) and plan.order in SEARCHES:
        raise BadInput(
            f"order: {plan.order!r} would need the score of every row before each look, which costs a "
            "whole Gram matrix a pass; use order='shuffled' or 'given'"
        )


def rows_of_pass(plan: Plan, n: int, present: NDArray[np.int64] | None, epoch: int) -> NDArray[np.int64]:
    """The rows that one pass looks at, in their order."""
    if isinstance(plan.order, np.ndarray):
        rows = plan.order if present is None else plan.order[np.isin(plan.order, present)]
    elif plan.order == "given":
        rows = row_numbers(n, present)
    else:
        rows = shuffled(n, present, plan.seed, epoch)
    return rows.astype(np.int64)


def looked_at(
    order: str | NDArray[np.uint64], present: NDArray[np.int64] | None
) -> NDArray[np.int64] | None:
    """The rows that a run will look at; None: all."""
    if isinstance(order, str):
        return present
    named = np.unique(order).astype(np.int64)
    found = named if present is None else np.intersect1d(named, present)
    if not found.size:
        raise BadInput("order: every row it names has sample weight 0; there is nothing to look at")
    return found


def _one_epoch(
    state: DualState | BudgetState,
    lesson: Lesson | BudgetLesson,
    present: NDArray[np.int64] | None,
    plan: Plan,
    progress: Progress,
    before: int,
    first: int,
    training_error: Callable[[], float] | None,
) -> Epoch:
    began = time.perf_counter()
    counted = counters_of(state)
    learn_all(
        lesson,
        rows_of_pass(plan, lesson.n_rows, present, state.epochs),
        lambda: progress.at(
            state.looks - before,
            f"pass {state.epochs + 1}, {state.mistakes - counted.mistakes:,} mistakes in it so far, "
            f"{state.n_support:,} support rows",
        ),
        is_last=plan.epochs is not None and state.epochs + 1 == plan.epochs + first,
    )
    state.epochs += 1
    return Epoch(
        epoch=state.epochs,
        seconds=time.perf_counter() - began,
        training_error=training_error() if training_error else None,
        **counters_of(state).since(counted),
    )


def learn_all(
    lesson: Lesson | BudgetLesson,
    rows: NDArray[np.int64],
    after_block: Callable[[], Any] = lambda: None,
    is_last: bool = True,
) -> None:
    """Look at the rows, a block at a time. is_last: no row is looked at again after that."""
    size, start = lesson.state.backend.block, 0
    while start < len(rows):
        before = lesson.state.total("updates")
        end = start + size
        with np.errstate(over="ignore", invalid="ignore"):  # a score that is not finite is found in doubt
            lesson.learn(rows[start:end], rows[end:] if is_last else None)
        after_block()
        start = end
        size = next_size(size, lesson.state.total("updates") - before, lesson.state.backend)


def next_size(size: int, updates: int, backend: Backend) -> int:
    """Larger blocks while little is learned in them, smaller ones while much is."""
    if 32 * updates < size:
        return min(2 * size, backend.largest_block)
    return max(size // 2, backend.block) if 2 * updates > size else size
