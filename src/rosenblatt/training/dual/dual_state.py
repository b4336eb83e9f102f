"""State of a learner in dual form: w as a sum over support rows, whose number a budget may limit."""

from __future__ import annotations

import copy
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import budgets, kernels, rules
from rosenblatt.errors import BadInput, bad_value
from rosenblatt.kernels.kernel_hooks import pairs
from rosenblatt.loops.blocked import COLUMN, exact_weighted_sum, ordered_sum
from rosenblatt.numeric.blocks import alike
from rosenblatt.numeric.row_batches import Rows, take, tie_label
from rosenblatt.numeric.rows import ROUNDING, SMALL
from rosenblatt.numeric.twofold import exact_multiple
from rosenblatt.training.backends import Backend, OnHost
from rosenblatt.training.dual.limited_support import LimitedSupport, check_budget
from rosenblatt.training.dual.support import Record, Support, Terms
from rosenblatt.training.many_batch import ManyBatch
from rosenblatt.training.run import Counted, Plan
from rosenblatt.training.scoring import wrong

LARGEST = 1e300
NEVER = np.iinfo(np.int64).max


def dual_rule(rule: Any) -> Any:
    """Return the rule; raise an error if it does more than add multiples of examples to w."""
    checked = rules.as_rule(rule)
    if beyond := rules.facts(checked).beyond:
        raise BadInput(
            f"rule: {rules.name_of(checked)!r} has no dual form here: {beyond}, and with a kernel a step "
            "can only add an example to w; use "
            f"{rules.names_of_rules(lambda facts: facts.is_additive)}"
        )
    return checked


class DualState(Counted):
    """Hold w of every classifier as a sum over support rows.

    With a budget each classifier has a separate support in `limited_supports`. In that case updates are not
    recorded, so past vectors are not available, and the records hold only the counters.

    `keep` and `seed` determine which vector predicts. Every averaging strategy can be computed from the
    records of updates. `cache_bytes` limits the stored part of the Gram matrix. `written_out` is the
    kernel's explicit feature space, if it is small enough to store w itself. `cache_bytes` and
    `written_out` do not change the result.
    """

    mistakes_are_errors = False
    keep = "last"
    seed = 0
    cache_bytes = 0
    written_out: kernels.Monomials | None = None

    def __init__(
        self,
        kernel: Any,
        rule: Any,
        offset: bool,
        tie: str,
        n_columns: int,
        backend: Backend | None = None,
        budget: Any = None,
        seed: int = 0,
    ) -> None:
        tie_label(tie)
        if not isinstance(offset, (bool, np.bool_)):
            raise bad_value("offset", offset, "True or False")
        self.kernel = kernel
        self.rule = dual_rule(rule)
        self.offset = 1.0 if offset else 0.0
        self.tie = tie
        self.backend = backend or OnHost()
        self.budget = budget
        self.records = [Record() for _ in range(n_columns)]
        self.limited_supports: list[LimitedSupport] = []
        if budget is not None:
            self.limited_supports = [LimitedSupport(budget, seed + c) for c in range(n_columns)]
        self.support = Support(self.backend.chunk)
        self._coefficients = np.zeros((64, n_columns))
        self.looks = 0
        self.epochs = 0
        self.rows_given = 0
        self.largest2 = 0.0
        self.is_whole = True  # all features and coefficients so far are integers

    # ------------------------------------------------------------ contents

    @property
    def n_columns(self) -> int:
        return len(self.records)

    @property
    def has_past(self) -> bool:
        """Return whether earlier vectors can be recomputed from the stored support rows."""
        return self.budget is None

    @property
    def coefficients(self) -> NDArray[np.float64]:
        """Return Σ delta for each support row and classifier."""
        return self._coefficients[: len(self.support)]

    def in_order(self) -> NDArray[np.int64]:
        """Return the support rows in the order of their first updates."""
        first = np.full(len(self.support), NEVER)
        for record in self.records:
            np.minimum.at(first, record.member, record.look)
        order = np.argsort(first, kind="stable")
        return order[first[order] < NEVER]

    def as_of(self, looks: int) -> DualState:
        """Return the state after `looks` steps, for predictions only.

        Its only counter is the number of updates.
        """
        before = copy.copy(self)
        before.looks = looks
        before.records = [record.until(looks) for record in self.records]
        return before

    def clocks(self) -> NDArray[Any]:
        clocks = np.empty(len(self.records), COLUMN)
        for c, record in enumerate(self.records):  # np.concatenate takes ten times as long
            clocks[c] = record.clock[0]
        return clocks

    def joined_clocks(self) -> NDArray[Any]:
        """Return the counters of all classifiers in one array; the records become views of this array."""
        shared = self.records[0].clock.base
        if shared is not None and all(record.clock.base is shared for record in self.records):
            return shared
        clocks = self.clocks()
        for c, record in enumerate(self.records):
            record.clock = clocks[c : c + 1]
        return clocks

    @property
    def examples_seen(self) -> int:
        return self.looks

    @property
    def n_support(self) -> int:
        return len(self.support) + sum(support.n_used for support in self.limited_supports)

    @property
    def exact_decisions(self) -> int:
        return self.total("settled")

    def stored_rows(self) -> list[Rows]:
        """Return all stored support rows, in several parts."""
        limited = [support.rows for support in self.limited_supports if support.rows is not None]
        return [*(rows for _, rows in self.support.parts()), *limited]

    def moments(self) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]:
        """Return the steps of all recorded updates, and the example numbers of the support rows."""
        looks, origins = [record.look for record in self.records], [self.support.origin]
        for support in self.limited_supports:
            looks += [support.slots.joined[: support.n_used], support.slots.touched[: support.n_used]]
            origins.append(support.origin)
        return looks, origins

    def widen(self, n_features: int) -> None:
        """Prepare for rows with more features."""
        self.support.widen(n_features)
        for support in self.limited_supports:
            support.widen(n_features)

    def copy(self) -> DualState:
        twin = copy.copy(self)
        twin.support = self.support.copy()
        twin.limited_supports = [support.copy() for support in self.limited_supports]
        twin.records = [record.copy() for record in self.records]
        twin._coefficients = self._coefficients.copy()
        return twin

    # ------------------------------------------------------------ deciding

    def deciding(self, keep: str) -> tuple[DualState, str]:
        """Return the state and the strategy to predict with for `keep`; with a budget, see `unlimited`."""
        if self.budget is None:
            return self, keep
        check_budget(self.budget, self.rule, keep)
        return self.without_budget(keep), "last"

    def without_budget(self, keep: str) -> DualState:
        """Return a state without a budget whose last w is the vector that `keep` would return."""
        state = DualState(self.kernel, self.rule, self.offset > 0.0, self.tie, self.n_columns, self.backend)
        state.looks, state.epochs, state.largest2 = self.looks, self.epochs, self.largest2
        state.is_whole = False  # unknown here; uncertain predictions are recomputed anyway
        place: dict[int, int] = {}
        for c, support in enumerate(self.limited_supports):
            if support.rows is None:
                continue
            origins, first = np.unique(support.origin, return_index=True)
            new = first[[origin not in place for origin in origins.tolist()]]
            if len(new):
                numbers = state.take_in(take(support.rows, new), support.origin[new], support.roots[new])
                place.update(zip(support.origin[new].tolist(), numbers.tolist(), strict=True))
            order = support.in_order()
            member = np.array([place[origin] for origin in support.origin[order].tolist()], np.int64)
            delta = budgets.returned_coefficients(self.budget, support.slots, keep, self.looks)[order]
            state.add(np.full(len(member), c), member, delta, support.slots.joined[order])
        return state

    def answers(self, keep: str | None = None) -> Any:
        """Return the object that predicts by an averaging strategy, by default the strategy `self.keep`."""
        from rosenblatt.training.dual.dual_decisions import DualAnswers  # that module imports this one

        return DualAnswers(*self.deciding(keep or self.keep), self.seed)

    def error(self, batch: ManyBatch, keep: str | None = None) -> float:
        """Return the fraction of misclassified rows, not counting rows with weight 0.

        With one classifier, `tie` determines whether a value of 0 is wrong.
        """
        present, answers = batch.present(), self.answers(keep)
        if self.n_columns > 1:
            return batch.error(answers, self.tie)
        if present is not None:
            batch = batch.part(present)
        signs = np.where(batch.numbers == 1, 1, -1).astype(np.int8)
        return float(wrong(answers.values(batch.rows), signs, self.tie).mean())

    def check_overflow(self) -> None:
        """Do nothing: a sum over the support that overflows is detected when it is computed."""

    # ------------------------------------------------------------ learning

    def lesson(self, batch: ManyBatch, cache_bytes: int = 0) -> Any:
        """Return a trainer for these examples; it may cache `cache_bytes` bytes of their Gram matrix."""
        examples = self, batch.rows, batch.numbers, batch.importance
        if self.budget is not None:
            from rosenblatt.training.dual.budget_lesson import BudgetLesson  # these modules import this one

            return BudgetLesson(*examples)
        if self.written_out is None and (device_lesson := self.backend.device_lesson(self.rule)):
            return device_lesson(*examples, cache_bytes)
        from rosenblatt.training.dual.lesson import Lesson

        return Lesson(*examples, cache_bytes, self.written_out)

    def on(self, batch: ManyBatch, plan: Plan) -> Any:
        from rosenblatt.training.dual.lesson import InBlocks

        # in a single pass no value would be needed twice
        return InBlocks(self.lesson(batch, 0 if plan.epochs == 1 else self.cache_bytes), batch, plan)

    def add(
        self,
        columns: NDArray[np.int64],
        member: NDArray[np.int64],
        delta: NDArray[np.float64],
        look: NDArray[np.int64],
        new: tuple[Rows, NDArray[np.int64], NDArray[np.float64]] | None = None,
    ) -> None:
        """Add updates of several classifiers by support rows; the updates must be sorted by classifier.

        `new` holds the arguments of `take_in` for rows that must be added to the support first.
        """
        if new is not None:
            self.take_in(*new)
        bounds = [*np.flatnonzero(np.diff(columns, prepend=-1)).tolist(), len(columns)]
        for first, end in pairwise(bounds):
            some = slice(first, end)
            self.records[columns[first]].append(member[some], delta[some], look[some])
        np.add.at(self._coefficients.reshape(-1), member * self.n_columns + columns, delta)

    def take_in(
        self, rows: Rows, origin: NDArray[np.int64], roots: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """Add support rows, and return their indices in the support."""
        first = len(self.support)
        self.support.append(rows, origin, roots)
        if len(self.support) > len(self._coefficients):
            grown = np.zeros((2 * len(self.support), self.n_columns))
            grown[: len(self._coefficients)] = self._coefficients
            self._coefficients = grown
        return np.arange(first, len(self.support))

    def rounding(self, looks: int, is_whole: bool, largest2: float) -> float:
        """Return the unit roundoff of sums over the support, or 0 if the sums are exact.

        Sums are exact if all terms are integers and the sums stay below 2^53 for the next `looks` steps, in
        any order of summation.
        """
        if not (self.is_whole and is_whole and kernels.keeps_whole(self.kernel)):
            return ROUNDING
        with np.errstate(over="ignore"):
            largest = float(self.kernel.diagonal(None, np.array([largest2]), OnHost())[0]) + self.offset
        most = int(self.joined_clocks()["updates"].max()) + looks
        step = rules.constants(self.rule).rate if rules.facts(self.rule).is_fixed else np.inf
        return 0.0 if step % 1.0 == 0.0 and largest * step * most < 2.0**53 else ROUNDING

    def plain_sum(self, terms: Terms, row: Rows) -> float:
        """Return Σ weight·K̃(x, row), summed in the order of the updates, to decide uncertain predictions.

        K̃ is the kernel plus offset. For a mean, the sum over all steps is returned, not divided by their
        number; only its kernel values are rounded.
        """
        values = np.full(len(self.support), np.nan)
        used = np.unique(terms.member)
        self.plain_values(row, used, values)
        if terms.times is None:
            total = float(ordered_sum(values, terms.member, terms.delta, self.offset))
        elif not np.isfinite(values[used]).all():
            total = np.nan
        else:
            weight, rest = exact_multiple(terms.delta, terms.times.astype(np.float64))
            total = float(exact_weighted_sum(values, terms.member, weight, rest, self.offset))
        if not np.isfinite(total):
            raise overflow(self.kernel, self.largest2)
        return total

    def plain_values(self, row: Rows, used: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        """Write K(support row k, row) to values[k] for the support rows in `used`, pair by pair."""
        for part, rows in self.support.parts():
            inside = used[(used >= part.start) & (used < part.stop)] - part.start
            if not len(inside):
                continue
            same = alike(row, rows)
            if isinstance(self.kernel, kernels.Custom):
                for k in inside:
                    one = take(rows, np.array([k]))
                    values[part.start + k] = self.kernel.of_one_pair(one, same)
            else:
                pairs(self.kernel, rows, inside, same, 0, values[part])


def refuse_shrinking(rule: Any) -> BadInput:
    return BadInput(
        f"rule: {rules.name_of(rule)!r} has no dual form: its step shrinks w, so every coefficient would "
        "change; use a rule that adds a multiple of the example, and nothing else"
    )


def refuse_overflow(kernel: Any, largest2: float) -> None:
    """Raise an error if K(x, x) exceeds the range of a double, or would exceed it in a sum."""
    if isinstance(kernel, kernels.Custom):
        return
    with np.errstate(over="ignore", invalid="ignore"):
        diagonal = kernel.diagonal(None, np.array([largest2]), OnHost())
    if not np.isfinite(largest2) or not diagonal[0] <= LARGEST:
        raise overflow(kernel, largest2)


def block_values(
    kernel: Any, X: Any, x2: Any, offset: float, largest2: float, backend: Backend
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return K̃ = K + offset between the rows of a block, K̃(x, x), and the roots that bound K̃."""
    with np.errstate(over="ignore", invalid="ignore"):
        is_custom = isinstance(kernel, kernels.Custom)
        gram = backend.get(kernel.matrix(X, X, x2, x2, backend))
        diagonal = gram.diagonal() if is_custom else backend.get(kernel.diagonal(X, x2, backend))
        if not np.isfinite(diagonal).all() or diagonal.max() > LARGEST:
            raise overflow(kernel, largest2)
        return gram + offset, diagonal + offset, bounding_roots(kernel, diagonal, offset)


def bounding_roots(kernel: Any, diagonal: NDArray[np.float64], offset: float) -> NDArray[np.float64]:
    """Return root(x) such that |K(x, z) + offset| ≤ root(x)·root(z), even if a product underflows."""
    return np.sqrt(kernel.roots(diagonal) ** 2 + offset + SMALL)


def overflow(kernel: Any, largest2: float) -> BadInput:
    """Return the error for a kernel whose values are too large for a double."""
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
