"""State of a learner in dual form, and how it learns from a data set, block by block."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import kernels, rules
from rosenblatt.compiling import is_packaged
from rosenblatt.dual.gram import Gram
from rosenblatt.dual.record import Record, Terms
from rosenblatt.dual.spaces import OnHost, Space
from rosenblatt.dual.support import Support, alike
from rosenblatt.errors import BadInput, bad_value
from rosenblatt.examples import Rows, n_features, n_rows, take, tie_label
from rosenblatt.loops.blocked import IN_DOUBT, SHRINKS, ordered_sum, pairs, walk_block, walk_block_fresh

LARGEST = 1e300
NO_DUAL_FORM = {
    rules.Alma: "it shrinks w to length 1 at updates",
    rules.Romma: "it stretches the old w by a factor at each update",
    rules.AggressiveRomma: "it stretches the old w by a factor at each update",
    rules.Forgetting: "it fades the old w at each update",
}


def dual_rule(rule: Any) -> Any:
    """A rule that works in dual form: w changes by a multiple of one example, and by nothing else."""
    checked = rules.as_rule(rule)
    if type(checked) in NO_DUAL_FORM:
        raise BadInput(
            f"rule: {rules.name_of(checked)!r} has no dual form here: {NO_DUAL_FORM[type(checked)]}, "
            "so every coefficient would change; use 'rosenblatt', 'margin', 'uneven_margin' or one of the "
            "passive-aggressive rules"
        )
    return checked


class DualState:
    """w of every column as a sum over support rows: support, records of updates, coefficients."""

    def __init__(
        self, kernel: Any, rule: Any, offset: bool, tie: str, n_columns: int, space: Space | None = None
    ) -> None:
        tie_label(tie)
        if not isinstance(offset, (bool, np.bool_)):
            raise bad_value("offset", offset, "True or False")
        self.kernel = kernel
        self.rule = dual_rule(rule)
        self.offset = 1.0 if offset else 0.0
        self.tie = tie
        self.space = space or OnHost()
        self.support = Support(self.space.chunk)
        self.records = [Record() for _ in range(n_columns)]
        self._coefficients = np.zeros((64, n_columns))
        self.looks = 0
        self.epochs = 0
        self.rows_given = 0
        self.largest2 = 0.0

    # ------------------------------------------------------------ what it knows

    @property
    def n_columns(self) -> int:
        return len(self.records)

    @property
    def coefficients(self) -> NDArray[np.float64]:
        """Σ delta of each support row and column."""
        return self._coefficients[: len(self.support)]

    def total(self, clock: str) -> int:
        """A clock, summed over the columns."""
        return int(sum(record.clock[clock][0] for record in self.records))

    @property
    def mistakes(self) -> int:
        return self.total("mistakes")

    def mistakes_per_column(self) -> list[int]:
        return [int(record.clock["mistakes"][0]) for record in self.records]

    @property
    def n_support(self) -> int:
        return len(self.support)

    def copy(self) -> DualState:
        twin = copy.copy(self)
        twin.support = self.support.copy()
        twin.records = [record.copy() for record in self.records]
        twin._coefficients = self._coefficients.copy()
        return twin

    # ------------------------------------------------------------ learning

    def add(
        self, column: int, member: NDArray[np.int64], delta: NDArray[np.float64], look: NDArray[np.int64]
    ) -> None:
        """Updates of one column, on rows that are in the support."""
        self.records[column].append(member, delta, look)
        np.add.at(self._coefficients[:, column], member, delta)

    def take_in(
        self, rows: Rows, origin: NDArray[np.int64], roots: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """New support rows; returns their numbers."""
        first = len(self.support)
        self.support.append(rows, origin, roots)
        if len(self.support) > len(self._coefficients):
            grown = np.zeros((2 * len(self.support), self.n_columns))
            grown[: len(self._coefficients)] = self._coefficients
            self._coefficients = grown
        return np.arange(first, len(self.support))

    def plain_sum(self, terms: Terms, row: Rows) -> float:
        """Σ weight·K̃(x, row) by the plain loop: the value that decides."""
        values = np.full(len(self.support), np.nan)
        used = np.unique(terms.member)
        self.plain_values(row, used, values)
        total = float(ordered_sum(values, terms.member, terms.weight, self.offset))
        if not np.isfinite(total):
            raise overflow(self.kernel, self.largest2)
        return total

    def plain_values(self, row: Rows, used: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        """values[k] ← K(support row k, row) for the support rows used, by the plain loop."""
        for part, rows, _ in self.support.parts():
            inside = used[(used >= part.start) & (used < part.stop)] - part.start
            if not len(inside):
                continue
            same = alike(row, rows)
            if isinstance(self.kernel, kernels.Custom):
                for k in inside:
                    one = take(rows, np.array([k]))
                    values[part.start + k] = _of_one_pair(self.kernel, one, same)
            else:
                pairs(self.kernel, rows, inside, same, 0, values[part])


def _of_one_pair(kernel: kernels.Custom, left: Rows, right: Rows) -> float:
    from rosenblatt.arithmetic.blocks import block

    return float(kernel.matrix(block(left, slice(0, 1)), block(right, slice(0, 1)), None, None, None)[0, 0])


def refuse_shrinking(rule: Any) -> BadInput:
    return BadInput(
        f"rule: {rules.name_of(rule)!r} has no dual form: its step shrinks w, so every coefficient would "
        "change; use a rule that adds a multiple of the example, and nothing else"
    )


def rows_are_too_large(kernel: Any, squares: NDArray[np.float64], largest2: float) -> None:
    """Refuse rows whose K(x, x) overflows, or would when some of it are added."""
    if not np.isfinite(squares).all() or squares.max() > LARGEST:
        raise overflow(kernel, largest2)


def overflow(kernel: Any, largest2: float) -> BadInput:
    """The sentence for a kernel whose values are too large for a double."""
    name = kernels.name_of(kernel)
    if isinstance(kernel, kernels.Polynomial):
        smaller = f"use gamma={1.0 / largest2:.2g} or less, or " if 0.0 < largest2 < np.inf else ""
        return BadInput(
            f"kernel: (γ x·z + c)^{kernel.degree} overflows, γ‖x‖² goes up to "
            f"{kernel.gamma * largest2:.3g}; {smaller}divide the features by their largest value first "
            "(sklearn.preprocessing.MaxAbsScaler does)"
        )
    return BadInput(
        f"kernel: values of the {name} kernel overflow; divide the features by their largest value first "
        "(sklearn.preprocessing.MaxAbsScaler does)"
    )


class Lesson:
    """A data set that a state learns from: rows, classes, importance, and the kernel values kept for it.

    classes: the number of the class of each row. One column: class 1 against class 0; else column c is
    class c against the rest.
    """

    def __init__(
        self,
        state: DualState,
        rows: Rows,
        classes: NDArray[np.int64],
        importance: NDArray[np.float64],
        cache_bytes: int = 0,
    ) -> None:
        self.state, self._rows, self._classes, self._importance = state, rows, classes, importance
        self._gram = Gram(state.kernel, rows, state.space, cache_bytes)
        self._place = np.full(n_rows(rows), -1, np.int64)  # of each row in the support
        self._first = state.rows_given
        state.rows_given += n_rows(rows)
        self._walk = walk_block if is_packaged(state.rule) else walk_block_fresh
        self._memory = rules.start(state.rule)

    @property
    def n_rows(self) -> int:
        return n_rows(self._rows)

    def learn(self, which: NDArray[np.int64]) -> None:
        """Look at these rows, in this order."""
        state, space = self.state, self.state.space
        X, x2 = self._gram.block(which)
        self._notice(float(x2.max()))
        scores = self._scores(which, X, x2)
        gram = space.get(state.kernel.matrix(X, X, x2, x2, space)) + state.offset
        squares = gram.diagonal().copy()
        rows_are_too_large(state.kernel, squares, state.largest2)
        roots = np.sqrt(state.kernel.roots(squares - state.offset) ** 2 + state.offset)
        error = state.kernel.error(n_features(self._rows), state.largest2)
        importance = self._importance[which] if self._importance.size else self._importance
        position, delta = np.empty(len(which), np.int64), np.empty(len(which))
        for c, record in enumerate(state.records):
            labels = np.where(self._classes[which] == (c if state.n_columns > 1 else 1), 1, -1).astype(
                np.int8
            )
            row, settled = 0, np.nan
            while True:
                status, row, made = self._walk(
                    scores[c], gram, labels, squares, roots, importance, row, settled, tie_label(state.tie),
                    error, state.rule, self._memory, record.clock, position, delta,
                )  # fmt: skip
                self._commit(c, which, position[:made], delta[:made].copy(), roots)
                if status == SHRINKS:
                    raise refuse_shrinking(state.rule)
                if status != IN_DOUBT:
                    break
                settled = state.plain_sum(
                    Terms(record.member, record.delta), take(self._rows, which[row : row + 1])
                )
                record.clock["settled"] += 1
        state.looks += len(which)

    def _notice(self, largest2: float) -> None:
        self.state.largest2 = max(self.state.largest2, largest2)

    def _scores(self, which: NDArray[np.int64], X: Any, x2: Any) -> NDArray[np.float64]:
        """The score of each row (second axis) by the state as it is, for each column (first axis)."""
        state, space = self.state, self.state.space
        scores = np.zeros((len(which), state.n_columns))
        if len(state.support):
            scores += state.offset * state.coefficients.sum(axis=0)
            for part, values in self._gram.with_support(which, X, x2, state.support):
                scores += space.get(values @ space.put(state.coefficients[part]))
        return np.ascontiguousarray(scores.T)

    def _commit(
        self,
        column: int,
        which: NDArray[np.int64],
        position: NDArray[np.int64],
        delta: NDArray[np.float64],
        roots: NDArray[np.float64],
    ) -> None:
        """Write the updates that a walk has made into the state."""
        if not len(position):
            return
        rows = which[position]
        new, first = np.unique(rows[self._place[rows] < 0], return_index=True)
        if len(new):
            new = new[np.argsort(first)]  # in the order in which they came
            at = position[[int(np.flatnonzero(rows == row)[0]) for row in new]]
            self._place[new] = self.state.take_in(take(self._rows, new), self._first + new, roots[at])
        self.state.add(column, self._place[rows], delta, self.state.looks + position)
