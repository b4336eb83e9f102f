"""State of a learner on a budget, and how it learns, block by block."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import budgets, rules
from rosenblatt.arithmetic.examples import Rows, Sparse, n_features, n_rows, stack, take, tie_label
from rosenblatt.budgets import Slots
from rosenblatt.engine.blocked import COLUMN, IN_DOUBT, SHRINKS
from rosenblatt.engine.budget_walk import NO_WEIGHTS, walk_budgeted, walk_budgeted_fresh
from rosenblatt.errors import BadInput
from rosenblatt.learning.backends import Backend
from rosenblatt.learning.dual.dual_decisions import DualAnswers
from rosenblatt.learning.dual.dual_state import DualState, block_values, error_of, refuse_shrinking
from rosenblatt.learning.dual.lesson import InBlocks
from rosenblatt.learning.dual.support import Terms, with_squares
from rosenblatt.learning.many_batch import ManyBatch
from rosenblatt.learning.run import Counted, Counters, Plan

KEEPERS = ("last", "averaged")
STEPS_OF_ONE = (budgets.Forgetron, budgets.ProjectronPlusPlus)


def check_budget(budget: Any, rule: Any, keep: str) -> None:
    """Raise an error for settings that have no meaning on a budget."""
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


class _Column:
    """Slots of one column, the rows in them, and its clocks."""

    def __init__(self, budget: Any, seed: int) -> None:
        self.slots: Slots = budgets.empty_slots(budget.size, isinstance(budget, budgets.WITH_MATRIX), seed)
        self.roots = np.zeros(budget.size)
        self.clock = np.zeros(1, COLUMN)
        self.rows: Rows | None = None
        self.origin = np.empty(0, np.int64)
        self.matrix: tuple[Any, Any] | None = None

    @property
    def used(self) -> int:
        return int(self.slots.used[0])

    def commit(self, rows: Rows, which: NDArray[np.int64], first: int) -> None:
        """Put the rows of the block that slots were given to into the slots."""
        changed = np.flatnonzero(self.slots.row >= 0)
        if not len(changed):
            return
        numbers = which[self.slots.row[changed]]
        new = take(rows, numbers)
        before = 0 if self.rows is None else n_rows(self.rows)
        together = new if self.rows is None else stack([self.rows, new])
        place = np.arange(self.used)
        place[changed] = before + np.arange(len(changed))
        origin = np.concatenate([self.origin, first + numbers])
        self.rows, self.origin, self.matrix = take(together, place), origin[place], None
        self.slots.row[changed] = -1

    def copy(self) -> _Column:
        twin = copy.copy(self)
        twin.slots = Slots._make(array.copy() for array in self.slots)
        twin.roots, twin.clock = self.roots.copy(), self.clock.copy()
        return twin


class BudgetState(Counted):
    """w of every column as a sum over at most `budget.size` rows each."""

    mistakes_are_errors = False
    has_past = False  # the rows that its vectors were made of are gone
    keep = "last"
    seed = 0
    cache_bytes = 0
    written_out = None

    def __init__(
        self,
        kernel: Any,
        rule: Any,
        offset: bool,
        tie: str,
        n_columns: int,
        budget: Any,
        seed: int,
        backend: Backend,
    ) -> None:
        plain = DualState(kernel, rule, offset, tie, n_columns, backend)  # it checks the parameters
        self.kernel, self.rule, self.offset, self.tie = plain.kernel, plain.rule, plain.offset, plain.tie
        self.backend, self.budget = backend, budget
        self.columns = [_Column(budget, seed + c) for c in range(n_columns)]
        self.looks = self.epochs = self.rows_given = 0
        self.largest2 = 0.0

    @property
    def n_columns(self) -> int:
        return len(self.columns)

    @property
    def n_support(self) -> int:
        return sum(column.used for column in self.columns)

    def clocks(self) -> NDArray[Any]:
        return np.concatenate([column.clock for column in self.columns])

    def counters(self) -> Counters:
        return Counters.of(self.clocks(), self.looks)

    @property
    def examples_seen(self) -> int:
        return self.looks

    def widen(self, n_features: int) -> None:
        """Prepare for rows of more features."""
        for column in self.columns:
            if isinstance(column.rows, Sparse):
                column.rows, column.matrix = column.rows._replace(n_features=n_features), None

    def copy(self) -> BudgetState:
        twin = copy.copy(self)
        twin.columns = [column.copy() for column in self.columns]
        return twin

    @property
    def exact_decisions(self) -> int:
        return self.total("settled")

    def held(self) -> list[Rows]:
        """Return the rows in the slots, column by column."""
        return [column.rows for column in self.columns if column.rows is not None]

    def moments(self) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]:
        """Return the steps at which something happened, and the numbers of their rows."""
        slots = [(column.slots, column.used) for column in self.columns]
        looks = [array[:used] for slot, used in slots for array in (slot.joined, slot.touched)]
        return looks, [column.origin for column in self.columns]

    def deciding(self, keep: str) -> tuple[DualState, str]:
        """Return the state to decide by, and its averaging strategy."""
        check_budget(self.budget, self.rule, keep)
        return self.unlimited(keep), "last"

    def answers(self) -> DualAnswers:
        state, keep = self.deciding(self.keep)
        return DualAnswers(state, keep, self.seed)

    def error(self, batch: ManyBatch) -> float:
        return error_of(self.answers(), self.n_columns, self.tie, batch)

    def check_kept(self) -> None:
        """Do nothing: sums over the slots that overflow are found when they are computed."""

    def lesson(self, batch: ManyBatch, cache_bytes: int = 0) -> BudgetLesson:
        """Return the examples to learn from; their Gram matrix is not stored."""
        return BudgetLesson(self, batch.rows, batch.numbers, batch.importance)

    def on(self, batch: ManyBatch, plan: Plan) -> InBlocks:
        return InBlocks(self.lesson(batch), batch, plan)

    def end_pass(self) -> None:
        self.epochs += 1

    def unlimited(self, keep: str) -> DualState:
        """Return the same w as a plain state, whose last vector is the returned one."""
        state = DualState(self.kernel, self.rule, self.offset > 0.0, self.tie, self.n_columns, self.backend)
        state.looks, state.epochs, state.largest2 = self.looks, self.epochs, self.largest2
        state.is_whole = False  # not known here, and not needed: what is in doubt is settled
        place: dict[int, int] = {}
        for c, column in enumerate(self.columns):
            if column.rows is None:
                continue
            origins, first = np.unique(column.origin, return_index=True)
            new = first[[origin not in place for origin in origins.tolist()]]
            if len(new):
                numbers = state.take_in(take(column.rows, new), column.origin[new], column.roots[new])
                place.update(zip(column.origin[new].tolist(), numbers.tolist(), strict=True))
            order = np.argsort(column.slots.arrived[: column.used], kind="stable")
            member = np.array([place[origin] for origin in column.origin[order].tolist()], np.int64)
            kept = budgets.kept(self.budget, column.slots, keep, self.looks)[order]
            state.add(np.full(len(member), c), member, kept, column.slots.joined[order])
        return state


class BudgetLesson:
    """A data set that a state on a budget learns from; see `dual.lesson.Lesson`."""

    has_short_rows = False  # a block is multiplied with the slots at once

    def __init__(
        self, state: BudgetState, rows: Rows, classes: NDArray[np.int64], importance: NDArray[np.float64]
    ) -> None:
        self.state, self._rows, self._classes, self._importance = state, rows, classes, importance
        self._first = state.rows_given
        state.rows_given += n_rows(rows)
        self._walk = walk_budgeted if rules.is_packaged(state.rule) else walk_budgeted_fresh
        self._memory = rules.start(state.rule)

    def write_down(self) -> None:
        """Everything is written at once."""

    def learn(self, which: NDArray[np.int64], ahead: NDArray[np.int64] | None = None) -> int:
        """Visit these rows, in this order, and return the number of updates.

        The rows after them do not matter on a budget.
        """
        state, backend, before = self.state, self.state.backend, self.state.updates
        X, x2 = with_squares(take(self._rows, which), backend)
        state.largest2 = max(state.largest2, float(x2.max()))
        gram, squares, roots = block_values(state.kernel, X, x2, state.offset, state.largest2, backend)
        error = state.kernel.error(n_features(self._rows), state.largest2)
        importance = self._importance[which] if self._importance.size else self._importance
        for c, column in enumerate(state.columns):
            labels = np.where(self._classes[which] == (c if state.n_columns > 1 else 1), 1, -1).astype(
                np.int8
            )
            values = self._values(column, X, x2, len(which))
            weights = NO_WEIGHTS
            if isinstance(state.budget, budgets.PROJECTING) and column.used == state.budget.size:
                weights = values @ column.slots.matrix
            row, settled = 0, np.nan
            while True:
                status, row = self._walk(
                    values, weights, gram, labels, squares, roots, column.roots, importance, row, settled,
                    tie_label(state.tie), error, state.looks, state.rule, self._memory, state.budget,
                    column.slots, column.clock,
                )  # fmt: skip
                column.commit(self._rows, which, self._first)
                if status == SHRINKS:
                    raise refuse_shrinking(state.rule)
                if status != IN_DOUBT:
                    break
                settled = self._settled(column, take(self._rows, which[row : row + 1]))
                column.clock["settled"] += 1
        state.looks += len(which)
        return state.updates - before

    def _values(self, column: _Column, X: Any, x2: Any, n: int) -> NDArray[np.float64]:
        """Return K̃ of the block's rows with the slots, with space for slots not in use."""
        state = self.state
        values = np.zeros((n, state.budget.size))
        if column.rows is not None:
            if column.matrix is None:
                column.matrix = with_squares(column.rows, state.backend)
            Z, z2 = column.matrix
            values[:, : column.used] = state.backend.get(state.kernel.matrix(X, Z, x2, z2, state.backend))
            values[:, : column.used] += state.offset
        return values

    def _settled(self, column: _Column, row: Rows) -> float:
        """Return the score by the plain loop, in the order in which the slots were filled."""
        order = np.argsort(column.slots.arrived[: column.used], kind="stable")
        alone = DualState(self.state.kernel, self.state.rule, self.state.offset > 0, self.state.tie, 1)
        alone.largest2 = self.state.largest2
        if column.rows is None:
            return 0.0
        alone.take_in(column.rows, column.origin, column.roots[: column.used])
        return alone.plain_sum(Terms(order, column.slots.coefficient[order]), row)
