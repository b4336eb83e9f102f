"""`KernelRecorder`: record the steps of a run with a kernel, using the passes of the training code."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import kernels
from rosenblatt.errors import BadInput
from rosenblatt.loops.blocked import ordered_sum
from rosenblatt.loops.decide import is_mistake
from rosenblatt.numeric.row_batches import Batch, Rows, n_rows, take, tie_label
from rosenblatt.traces.kernel_trace import KernelStep, KernelTrace
from rosenblatt.traces.recorder import Recorder
from rosenblatt.training.backends import OnHost
from rosenblatt.training.dual.dual_decisions import check_keep
from rosenblatt.training.dual.dual_state import DualState
from rosenblatt.training.dual.kernel_values import looked_at, only_finite, refuse_heavy
from rosenblatt.training.dual.lesson import Lesson, check_plan, in_blocks
from rosenblatt.training.dual.support import as_matrix, with_squares
from rosenblatt.training.initial_states import Recipe
from rosenblatt.training.orders import Passes
from rosenblatt.training.progress import Progress
from rosenblatt.training.run import Plan

MOST_STEPS = 1_000_000
"""A longer run requires max_steps."""

MOST_CACHED = 10_000_000
"""The most kernel values that are cached while a run is recorded."""

CACHE_BYTES = 1 << 28  # cache for rows of the Gram matrix, as in `KernelPerceptron`


class KernelRecorder(Recorder):
    """Record a run of `KernelPerceptron` on two classes.

    `kernel` consists of the kernel or its name, degree, gamma and coef0.
    """

    TRACE = KernelTrace

    def __init__(self, batch: Batch, plan: Plan, recipe: Recipe, kernel: tuple[Any, Any, Any, Any]) -> None:
        check_keep(recipe.keep)
        check_plan(plan)
        refuse_heavy(batch.importance)
        present = batch.present()
        rows = only_finite(batch.rows, looked_at(plan.order, present))
        measured = rows if present is None else take(rows, present)
        of_rows = kernels.as_kernel(*kernel, rows=measured)
        state = DualState(of_rows, recipe.rule, recipe.offset, recipe.tie, 1)
        super().__init__(state, Batch(rows, batch.labels, batch.importance), plan)
        self._lesson = Lesson(
            state, rows, (batch.labels > 0).astype(np.int64), batch.importance, CACHE_BYTES
        )
        self._values = _Values(state, rows)
        self._support = set[int]()
        self._norm2 = 0.0
        self._identity = _Identity(state, rows)

    def record(self, keep: str, described: dict[str, Any], max_steps: int | None, bar: Progress) -> Any:
        """Run to the end and return the trace."""
        trace = super().record(keep, described, max_steps, bar)
        trace.kernel = self.state.kernel
        return trace

    def settings(self) -> dict[str, Any]:
        """Return the settings that a trace stores."""
        kernel = self.state.kernel
        parameters = {} if isinstance(kernel, kernels.Custom) else kernel._asdict()
        return {"kernel": {"name": kernels.name_of(kernel), **parameters}} | super().settings()

    def one_pass(self, room: int | None, bar: Progress) -> bool:
        """Train for one pass of at most `room` steps and record it; return whether it was complete."""
        state, plan = self.state, self.plan
        rows = Passes(self.batch, plan.seed).rows(plan.order, state.epochs).astype(np.int64)
        self.steps_per_pass = len(rows)
        self._identity.begin_pass(len(rows))
        is_whole = room is None or len(rows) <= room
        rows = rows[:room]
        if not len(rows):
            return is_whole
        if len(self.steps) + len(rows) > MOST_STEPS:
            raise BadInput(
                f"trace: not finished after {len(self.steps):,} steps; limit them with "
                f"max_steps={MOST_STEPS}, or use KernelPerceptron.fit, whose history_ has each pass"
            )
        first = state.looks
        is_last = plan.epochs is not None and state.epochs + 1 == plan.epochs
        for _ in in_blocks(self._lesson, rows, is_last):
            bar.at(len(self.steps), f"pass {state.epochs + 1}, {state.mistakes:,} mistakes")
        for look, row in enumerate(rows.tolist(), start=first):
            self.watch()
            self._step(look, row)
        self.watch()
        return is_whole

    def identity(self) -> Hashable:
        """Return a key that is equal for equal states at the same position of a pass."""
        return *self._identity.of_state(), len(self.steps) % (self.steps_per_pass or 1)

    def _step(self, look: int, row: int) -> None:
        state, record, y = self.state, self.state.records[0], int(self.batch.labels[row])
        values, made = self._values.of(row), self.updates
        score = after = self._sum(values, made)
        coefficient = 0.0
        if updated := made < record.size and int(record.look[made]) == look:
            coefficient = float(record.delta[made])
            self._support.add(row)
            after = self._sum(values, made + 1)
            square = self._values.square(row) + state.offset
            # ‖w + cφ‖² = ‖w‖² + 2c·score + c²K(x, x); rounding must not make it negative
            self._norm2 = max(0.0, self._norm2 + coefficient * (2.0 * score + coefficient * square))
            self._identity.add(row, coefficient)
        self.add(
            KernelStep(
                epoch=state.epochs + 1,
                index=row,
                x=self.point(row),
                y=y,
                score=score,
                agreement=y * score,
                mistake=bool(is_mistake(score, float(y), tie_label(state.tie))),
                updated=updated,
                coefficient=coefficient,
                support=len(self._support),
                agreement_after=y * after,
                norm_squared=self._norm2,
            )
        )

    def _sum(self, values: NDArray[np.float64], made: int) -> float:
        """Return the score after the first `made` updates, summed in the order of the training code."""
        record = self.state.records[0]
        return float(ordered_sum(values, record.member[:made], record.delta[:made], self.state.offset))


class _Values:
    """Compute and cache kernel values between rows and support rows, in the order of the training code."""

    def __init__(self, state: DualState, rows: Rows) -> None:
        self._state, self._rows = state, rows
        self._cache: dict[int, NDArray[np.float64]] = {}

    def of(self, row: int) -> NDArray[np.float64]:
        """Return K(support row k, row) for every k."""
        values, size = self._cache.get(row, np.empty(0)), len(self._state.support)
        if (known := len(values)) < size:
            if len(self._cache) * size > MOST_CACHED:
                self._cache = {}
            values = np.concatenate([values, np.full(size - known, np.nan)])
            self._state.plain_values(take(self._rows, np.array([row])), np.arange(known, size), values)
            self._cache[row] = values
        return values

    def square(self, row: int) -> float:
        """Return K(x, x) for a support row."""
        place = int(np.flatnonzero(self._state.support.origin == row)[0])
        return float(self.of(row)[place])


class _Identity:
    """Compute a key for w that is equal for equal weight vectors of a run.

    If all sums are exact (integers), the key is made from the scores of all rows. Otherwise it is made from
    the coefficients, added up over equal rows and without rows for which φ(x) = 0.
    """

    def __init__(self, state: DualState, rows: Rows) -> None:
        self._state = state
        self._scores, self._sums = np.zeros(n_rows(rows)), np.zeros(n_rows(rows))
        self._digest: bytes | None = None
        self._is_exact = False
        self._place, self._counts = _distinct(state.kernel, rows, state.offset)
        self._X, self._x2 = with_squares(rows, state.backend)

    def begin_pass(self, steps: int) -> None:
        """Prepare for a pass with this number of steps."""
        self._is_exact = self._state.rounding(steps, True, self._state.largest2) == 0.0
        self._digest = None

    def add(self, row: int, coefficient: float) -> None:
        self._digest = None
        self._sums[self._place[row]] += coefficient * self._counts[row]
        if self._is_exact:
            at = slice(row, row + 1)
            state = self._state
            values = state.kernel.matrix(self._X[at], self._X, self._x2[at], self._x2, state.backend)[0]
            self._scores += coefficient * (values + state.offset)

    def of_state(self) -> tuple[bytes, bool]:
        """Return the key of the current w."""
        if self._digest is None:
            numbers = self._scores if self._is_exact else self._sums
            self._digest = hashlib.blake2b((numbers + 0.0).tobytes(), digest_size=16).digest()
        return self._digest, self._is_exact


def _distinct(kernel: Any, rows: Rows, offset: float) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return for each row a number, which equal rows share, and a factor.

    The factor is 0 for rows that map to the origin of the feature space, and 1 for all other rows.
    """
    matrix = as_matrix(rows, OnHost())
    dense = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
    place = np.unique(dense, axis=0, return_inverse=True)[1].reshape(-1)
    counts = np.ones(len(place))
    if not isinstance(kernel, kernels.Custom):  # K(x, x) of a custom kernel need not be a squared norm
        X, x2 = with_squares(rows, OnHost())
        counts = (kernel.diagonal(X, x2, OnHost()) + offset != 0.0).astype(np.float64)
    return place, counts
