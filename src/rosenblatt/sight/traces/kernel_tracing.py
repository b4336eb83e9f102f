"""Trace a run with a kernel step by step: the passes are those of the training."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import kernels, rules
from rosenblatt.arithmetic.examples import Batch, Rows, n_rows, take, tie_label, to_dense
from rosenblatt.engine.blocked import ordered_sum
from rosenblatt.engine.decide import is_mistake
from rosenblatt.errors import BadInput
from rosenblatt.learning.backends import OnHost
from rosenblatt.learning.beginning import Recipe
from rosenblatt.learning.dual.dual_decisions import check_keep
from rosenblatt.learning.dual.dual_state import DualState
from rosenblatt.learning.dual.kernel_values import looked_at, only_finite, refuse_heavy
from rosenblatt.learning.dual.lesson import Lesson, check_plan, in_blocks, rows_of_pass
from rosenblatt.learning.dual.support import as_matrix, with_squares
from rosenblatt.learning.progress import Progress
from rosenblatt.learning.run import Plan
from rosenblatt.sight.traces.claims import claims_or_why_not
from rosenblatt.sight.traces.kernel_record import KernelStep, KernelTrace
from rosenblatt.sight.traces.looks import Cycle

MOST_STEPS = 1_000_000
"""Above this many steps a limit is required."""

MOST_HELD = 10_000_000
"""Kernel values cached while a run is recorded: rows that occur again need them."""

CACHE_BYTES = 1 << 28  # of rows of the Gram matrix, as `KernelPerceptron` keeps them


def kernel_trace(
    batch: Batch,
    kernel: tuple[Any, Any, Any, Any],
    plan: Plan,
    recipe: Recipe,
    max_steps: int | None,
    progress: bool | None,
) -> KernelTrace:
    """Record a run of `KernelPerceptron` over two classes.

    `kernel` has its name or the kernel itself, degree, gamma and coef0.
    """
    rule, keep, offset, tie, _ = recipe
    check_keep(keep)
    check_plan(plan)
    refuse_heavy(batch.importance)
    present = batch.present()
    rows = only_finite(batch.rows, looked_at(plan.order, present))
    measured = rows if present is None else take(rows, present)
    state = DualState(kernels.as_kernel(*kernel, rows=measured), rule, offset, tie, 1)
    recorder = _Recorder(state, Batch(rows, batch.labels, batch.importance), plan)
    with Progress(progress, max_steps) as bar:
        is_clean = recorder.run(max_steps, bar)
    separated = is_clean and covers_rows(plan.order, batch)
    settings = _settings(state, plan, keep) | {
        "max_steps": max_steps if len(recorder.steps) == max_steps and not is_clean else None,
    }
    trace = KernelTrace(recorder.steps, rows, batch.labels, settings, recorder.cycle(), separated)
    trace.kernel = state.kernel
    return trace


def covers_rows(order: Any, batch: Batch) -> bool:
    """Return whether a pass goes over every row of a weight above 0; an order that is listed may not."""
    present = batch.present()
    rows = np.arange(batch.n_rows) if present is None else present
    return isinstance(order, str) or bool(np.isin(rows, order).all())


class _Recorder:
    """Run one pass after the other and record their steps."""

    def __init__(self, state: DualState, batch: Batch, plan: Plan) -> None:
        self.state, self.batch, self.plan = state, batch, plan
        self.steps: list[KernelStep] = []
        self._lesson = Lesson(
            state, batch.rows, (batch.labels > 0).astype(np.int64), batch.importance, CACHE_BYTES
        )
        self._values = _Values(state, batch.rows)
        self._points: dict[int, tuple[float, ...]] = {}
        self._updates, self._support = 0, set[int]()
        self._mistakes, self._norm2 = 0, 0.0
        self._watch = _Watch(state, batch.rows, plan)

    def run(self, max_steps: int | None, bar: Progress) -> bool:
        """Run to the end and return whether the last complete pass had no mistake."""
        state, plan, clean = self.state, self.plan, False
        while plan.epochs is None or state.epochs < plan.epochs:
            rows = rows_of_pass(
                plan.order, self.batch.n_rows, self.batch.present(), plan.seed, state.epochs
            )
            left = len(rows) if max_steps is None else min(len(rows), max_steps - len(self.steps))
            self._watch.begin(len(rows))
            if left < len(rows):
                self._learn(rows[:left], bar)
                return False
            before = self._mistakes
            self._learn(rows, bar)
            state.epochs += 1
            clean = self._mistakes == before
            if clean and plan.until == "separated":
                break
            if plan.epochs is None and self._watch.repeat is not None:
                break
        return clean

    def cycle(self) -> Cycle | None:
        if self._watch.repeat is None:
            return None
        start, end = self._watch.repeat
        updates = sum(step.updated for step in self.steps[start:end])
        return Cycle(start, end - start, (end - start) / self._watch.looks, updates)

    def _learn(self, rows: NDArray[np.int64], bar: Progress) -> None:
        """Train on the rows and record the steps."""
        if not len(rows):
            return
        state, first = self.state, self.state.looks
        if len(self.steps) + len(rows) > MOST_STEPS:
            raise BadInput(
                f"trace: not finished after {len(self.steps):,} steps; limit them with "
                f"max_steps={MOST_STEPS}, or use KernelPerceptron.fit, whose history_ has each pass"
            )
        is_last = self.plan.epochs is not None and state.epochs + 1 == self.plan.epochs
        for _ in in_blocks(self._lesson, rows, is_last):
            bar.at(len(self.steps), f"pass {state.epochs + 1}, {state.mistakes:,} mistakes")
        for look, row in enumerate(rows.tolist(), start=first):
            self._watch.look(len(self.steps), self._updates)
            self._write_down(look, row)
        self._watch.look(len(self.steps), self._updates)

    def _write_down(self, look: int, row: int) -> None:
        state, record, y = self.state, self.state.records[0], int(self.batch.labels[row])
        values = self._values.of(row)
        score = self._sum(values)
        updated = self._updates < record.size and int(record.look[self._updates]) == look
        mistake = bool(is_mistake(score, float(y), tie_label(state.tie)))
        coefficient, after = 0.0, score
        if updated:
            coefficient = float(record.delta[self._updates])
            self._updates += 1
            self._support.add(row)
            after = self._sum(values)
            square = self._values.square(row) + state.offset
            # ‖w + cφ‖² = ‖w‖² + 2c·score + c²K(x, x), which rounding must not bring below 0
            self._norm2 = max(0.0, self._norm2 + coefficient * (2.0 * score + coefficient * square))
            self._watch.learned(row, coefficient)
        self._mistakes += mistake
        if row not in self._points:
            self._points[row] = tuple(to_dense(self.batch.rows, row).tolist())
        self.steps.append(
            KernelStep(
                epoch=state.epochs + 1,
                index=row,
                x=self._points[row],
                y=y,
                score=score,
                agreement=y * score,
                mistake=mistake,
                updated=updated,
                coefficient=coefficient,
                support=len(self._support),
                agreement_after=y * after,
                norm_squared=self._norm2,
            )
        )

    def _sum(self, values: NDArray[np.float64]) -> float:
        """Return the score by the plain loop over the updates so far: the value that decides."""
        record, made = self.state.records[0], self._updates
        return float(ordered_sum(values, record.member[:made], record.delta[:made], self.state.offset))


class _Values:
    """K of the rows with the support, by the plain loop, made when first needed."""

    def __init__(self, state: DualState, rows: Rows) -> None:
        self._state, self._rows = state, rows
        self._held: dict[int, NDArray[np.float64]] = {}

    def of(self, row: int) -> NDArray[np.float64]:
        """K(support row k, row) for each k."""
        held, size = self._held.get(row, np.empty(0)), len(self._state.support)
        if len(held) < size:
            if len(self._held) * size > MOST_HELD:
                self._held = {}
            grown = np.concatenate([held, np.full(size - len(held), np.nan)])
            self._state.plain_values(take(self._rows, np.array([row])), np.arange(len(held), size), grown)
            self._held[row] = held = grown
        return held

    def square(self, row: int) -> float:
        """K(x, x) of a row of the support."""
        place = int(np.flatnonzero(self._state.support.origin == row)[0])
        return float(self.of(row)[place])


class _Watch:
    """Detect a state that recurs at the same place of the order: the run then cycles.

    The state is w. If all sums are of whole numbers it is identified by the scores of all rows, which are
    exact; otherwise by the coefficients, equal rows counted together and rows with φ(x) = 0 not at all.
    """

    def __init__(self, state: DualState, rows: Rows, plan: Plan) -> None:
        self.repeat: tuple[int, int] | None = None
        self.looks = 1
        self._state, self._rows, self._order = state, rows, plan.order
        self._scores, self._sums = np.zeros(n_rows(rows)), np.zeros(n_rows(rows))
        self._seen: dict[tuple[bytes, bool, int], tuple[int, int]] = {}
        self._name: bytes | None = None
        self._is_exact = False
        self._place, self._counts = _distinct(state.kernel, rows, state.offset)
        self._X, self._x2 = with_squares(rows, state.backend)

    def begin(self, looks: int) -> None:
        """Prepare for a pass of `looks` steps."""
        self.looks, state = looks, self._state
        self._is_exact = state.rounding(looks, True, state.largest2) == 0.0
        self._name = None

    def learned(self, row: int, coefficient: float) -> None:
        self._name = None
        self._sums[self._place[row]] += coefficient * self._counts[row]
        if self._is_exact:
            at = slice(row, row + 1)
            state = self._state
            values = state.kernel.matrix(self._X[at], self._X, self._x2[at], self._x2, state.backend)[0]
            self._scores += coefficient * (values + state.offset)

    def look(self, done: int, updates: int) -> None:
        """Count the steps and updates made."""
        if self.repeat is not None or (isinstance(self._order, str) and self._order == "shuffled"):
            return
        if self._name is None:
            known = self._scores if self._is_exact else self._sums
            self._name = hashlib.blake2b((known + 0.0).tobytes(), digest_size=16).digest()
        key = (self._name, self._is_exact, done % self.looks)
        first, then = self._seen.setdefault(key, (done, updates))
        # states repeat on every clean pass too; only a repeat with an update between is a cycle
        if updates != then:
            self.repeat = (first, done)


def _distinct(kernel: Any, rows: Rows, offset: float) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the number of each row among the different ones, and 0 for rows that are the origin.

    For other rows the second number is 1. The origin is that of the feature space.
    """
    matrix = as_matrix(rows, OnHost())
    dense = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    place = np.unique(dense, axis=0, return_inverse=True)[1].reshape(-1)
    counts = np.ones(len(place))
    if not isinstance(kernel, kernels.Custom):  # of a function of one's own no one knows what K(x, x) means
        X, x2 = with_squares(rows, OnHost())
        counts = (kernel.diagonal(X, x2, OnHost()) + offset != 0.0).astype(np.float64)
    return place, counts


def _settings(state: DualState, plan: Plan, keep: str) -> dict[str, Any]:
    kernel = state.kernel
    parameters = {} if isinstance(kernel, kernels.Custom) else kernel._asdict()
    return {
        "kernel": {"name": kernels.name_of(kernel), **parameters},
        "rule": rules.name_of(state.rule),
        "rule_parameters": state.rule._asdict(),
        "claims": claims_or_why_not(state.rule),
        "keep": keep,
        "offset": bool(state.offset),
        "order": plan.order if isinstance(plan.order, str) else plan.order.tolist(),
        "tie": state.tie,
        "epochs": None if plan.epochs is None else int(plan.epochs),
        "until": plan.until,
        "random_state": plan.seed,
    }
