"""Learning on a budget of support rows from a data set, block by block."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import budgets, rules
from rosenblatt.loops.blocked import IN_DOUBT, SHRINKS
from rosenblatt.loops.budget_walk import NO_WEIGHTS, walk_budgeted
from rosenblatt.numeric.row_batches import Rows, n_features, n_rows, take, tie_label
from rosenblatt.training.dual.dual_state import DualState, block_values, refuse_shrinking
from rosenblatt.training.dual.limited_support import LimitedSupport
from rosenblatt.training.dual.support import Terms, with_squares


class BudgetLesson:
    """Train a state with a budget on a data set; the interface is that of `dual.lesson.Lesson`."""

    has_short_rows = False  # a block is multiplied with all slots together

    def __init__(
        self, state: DualState, rows: Rows, classes: NDArray[np.int64], importance: NDArray[np.float64]
    ) -> None:
        self.state, self._rows, self._classes, self._importance = state, rows, classes, importance
        self._first = state.rows_given
        state.rows_given += n_rows(rows)
        self._walk = rules.loop_for(state.rule, walk_budgeted)
        self._memory = rules.start(state.rule)

    def write_down(self) -> None:
        """Do nothing: updates are written to the state immediately."""

    def learn(self, which: NDArray[np.int64], ahead: NDArray[np.int64] | None = None) -> int:
        """Visit these rows in this order, and return the number of updates; `ahead` is ignored."""
        state, backend, before = self.state, self.state.backend, self.state.updates
        X, x2 = with_squares(take(self._rows, which), backend)
        state.largest2 = max(state.largest2, float(x2.max()))
        gram, squares, roots = block_values(state.kernel, X, x2, state.offset, state.largest2, backend)
        error = state.kernel.error(n_features(self._rows), state.largest2)
        importance = self._importance[which] if self._importance.size else self._importance
        for c, (support, record) in enumerate(zip(state.limited_supports, state.records, strict=True)):
            labels = np.where(self._classes[which] == (c if state.n_columns > 1 else 1), 1, -1).astype(
                np.int8
            )
            values = self._values(support, X, x2, len(which))
            weights = NO_WEIGHTS
            if isinstance(state.budget, budgets.PROJECTING) and support.n_used == state.budget.size:
                weights = values @ support.slots.matrix
            row, settled = 0, np.nan
            while True:
                status, row = self._walk(
                    values, weights, gram, labels, squares, roots, support.roots, importance, row, settled,
                    tie_label(state.tie), error, state.looks, state.rule, self._memory, state.budget,
                    support.slots, record.clock,
                )  # fmt: skip
                support.commit(self._rows, which, self._first)
                if status == SHRINKS:
                    raise refuse_shrinking(state.rule)
                if status != IN_DOUBT:
                    break
                settled = self._plain_score(support, take(self._rows, which[row : row + 1]))
                record.clock["settled"] += 1
        state.looks += len(which)
        return state.updates - before

    def _values(self, support: LimitedSupport, X: Any, x2: Any, n: int) -> NDArray[np.float64]:
        """Return K + offset between the rows of a block and the rows in the slots; 0 for unused slots."""
        state = self.state
        values = np.zeros((n, state.budget.size))
        if support.rows is not None:
            if support.matrix is None:
                support.matrix = with_squares(support.rows, state.backend)
            Z, z2 = support.matrix
            values[:, : support.n_used] = state.backend.get(
                state.kernel.matrix(X, Z, x2, z2, state.backend)
            )
            values[:, : support.n_used] += state.offset
        return values

    def _plain_score(self, support: LimitedSupport, row: Rows) -> float:
        """Return the score of a row, summed over the slots in the order in which they were filled."""
        alone = DualState(self.state.kernel, self.state.rule, self.state.offset > 0, self.state.tie, 1)
        alone.largest2 = self.state.largest2
        if support.rows is None:
            return 0.0
        alone.take_in(support.rows, support.origin, support.roots[: support.n_used])
        order = support.in_order()
        return alone.plain_sum(Terms(order, support.slots.coefficient[order]), row)
