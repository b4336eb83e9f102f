"""Passes over a data set in dual form, in blocks that are scored at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.learning.backends import Backend
from rosenblatt.learning.many_batch import ManyBatch
from rosenblatt.learning.orders import SEARCHES, looks_in_a_pass, row_numbers, shuffled
from rosenblatt.learning.run import Plan


class InBlocks:
    """A lesson in dual form, pass after pass."""

    def __init__(self, lesson: Any, batch: ManyBatch, plan: Plan) -> None:
        check_plan(plan)
        self._lesson, self._plan = lesson, plan
        self._n, self._present = batch.n_rows, batch.present()
        self._last = None if plan.epochs is None else lesson.state.epochs + plan.epochs
        self.looks = looks_in_a_pass(plan.order, batch)

    @property
    def note(self) -> str:
        return f", {self._lesson.state.n_support:,} support rows"

    def one_pass(self, order: Any) -> Iterator[None]:
        epoch = self._lesson.state.epochs
        rows = rows_of_pass(order, self._n, self._present, self._plan.seed, epoch)
        yield from in_blocks(self._lesson, rows, is_last=epoch + 1 == self._last)


def check_plan(plan: Plan) -> None:
    """Refuse a plan that cannot be followed in dual form."""
    plan.check()
    if isinstance(plan.order, str) and plan.order in SEARCHES:
        raise BadInput(
            f"order: {plan.order!r} would need the score of every row before each look, which costs a "
            "whole Gram matrix a pass; use order='shuffled' or 'given'"
        )


def rows_of_pass(
    order: Any, n: int, present: NDArray[np.int64] | None, seed: int, epoch: int
) -> NDArray[np.int64]:
    """The rows that one pass looks at, in their order."""
    if isinstance(order, np.ndarray):
        rows = order if present is None else order[np.isin(order, present)]
    elif order == "given":
        rows = row_numbers(n, present)
    else:
        rows = shuffled(n, present, seed, epoch)
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


def in_blocks(lesson: Any, rows: NDArray[np.int64], is_last: bool = True) -> Iterator[None]:
    """Look at the rows, a block at each step. is_last: no row is looked at again after that."""
    state, size, start = lesson.state, lesson.state.backend.block, 0
    while start < len(rows):
        before, end = state.updates, start + size
        with np.errstate(over="ignore", invalid="ignore"):  # a score that is not finite is found in doubt
            lesson.learn(rows[start:end], rows[end:] if is_last else None)
        yield
        start = end
        size = next_size(size, state.updates - before, state.backend)


def next_size(size: int, updates: int, backend: Backend) -> int:
    """Larger blocks while little is learned in them, smaller ones while much is."""
    if 32 * updates < size:
        return min(2 * size, backend.largest_block)
    return max(size // 2, backend.block) if 2 * updates > size else size
