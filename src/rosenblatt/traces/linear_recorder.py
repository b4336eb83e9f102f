"""`LinearRecorder`: record the steps of a run on w, one row at a time with the training loop."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np

from rosenblatt import rules
from rosenblatt.averaging import Pocket
from rosenblatt.errors import BadInput
from rosenblatt.loops.walk import squared_length
from rosenblatt.numeric.next_row import Given, Listed
from rosenblatt.numeric.row_batches import Batch, as_rows, first_not_finite, n_features, not_finite
from rosenblatt.traces.linear_trace import Step, Trace
from rosenblatt.traces.recorder import Recorder
from rosenblatt.training.column_trainer import learn
from rosenblatt.training.initial_states import Recipe, begin
from rosenblatt.training.orders import Passes
from rosenblatt.training.progress import Progress
from rosenblatt.training.run import Plan
from rosenblatt.training.separate_columns import SeparateColumns

MOST_NUMBERS = 20_000_000
"""A trace stores two vectors per step; a longer one requires max_steps."""

STEPS_BETWEEN_REPORTS = 1000  # takes a few hundredths of a second


class LinearRecorder(Recorder):
    """Record a run of `Perceptron` on two classes."""

    TRACE = Trace

    def __init__(self, batch: Batch, plan: Plan, recipe: Recipe, max_steps: int | None) -> None:
        state = begin(n_features(batch.rows), *recipe)
        (column,) = state.columns
        if isinstance(column.keeper, Pocket):
            column.keeper = column.keeper._replace(ratchet=True)
        super().__init__(state, batch, plan)
        self._passes = Passes(batch, plan.seed)
        self.steps_per_pass = self._passes.looks(plan.order)
        self._is_limited = max_steps is not None
        self._refuse_too_long(max_steps)

    def settings(self) -> dict[str, Any]:
        """Return the settings that a trace stores."""
        covariance = _covariance(self.state)
        start = {"start": self.state.start.tolist()}
        return super().settings() | start | ({"start_covariance": list(covariance)} if covariance else {})

    def one_pass(self, room: int | None, bar: Progress) -> bool:
        """Train for one pass of at most `room` steps and record it; return whether it was complete."""
        for row in self._rows_of_pass():
            if room == 0:
                return False
            self.watch()
            self._step(row)
            room = None if room is None else room - 1
            if len(self.steps) % STEPS_BETWEEN_REPORTS == 0:
                bar.at(len(self.steps), f"pass {self.state.epochs + 1}, {self.mistakes:,} mistakes")
            if not self._is_limited and 2 * len(self.steps) * self.batch.n_features > MOST_NUMBERS:
                raise BadInput(
                    f"trace: not finished after {len(self.steps):,} steps; "
                    f"limit them with max_steps={len(self.steps)}"
                )
        return True

    def identity(self) -> Hashable:
        """Return a key that is equal for equal states at the same position of a pass."""
        order = self.plan.order
        searches = isinstance(order, str) and order.endswith("_mistake")
        place = 0 if searches else len(self.steps) % self.steps_per_pass
        memory = tuple(np.asarray(part).tobytes() for part in self.state.columns[0].memory or ())
        return self.state.current().tobytes(), memory, place

    def _rows_of_pass(self) -> Iterator[int]:
        for segment in self._passes.segments(self.plan.order, self.state.epochs, self.state.columns[0]):
            if isinstance(segment, Given):
                yield from range(segment.start, segment.stop)
            else:
                yield from segment.rows.tolist()

    def _step(self, row: int) -> None:
        state, y = self.state, int(self.batch.labels[row])
        mistakes, updates = state.mistakes, state.updates
        if bad := first_not_finite(self.batch.rows, row):
            raise not_finite(row, *bad)
        x = self.point(row)
        one = as_rows(np.array([x]))
        score = _score(state, one)
        learn(state, self.batch, Listed(np.array([row], np.uint32)))
        current = state.current()
        self.add(
            Step(
                epoch=state.epochs + 1,
                index=row,
                x=x,
                y=y,
                score=score,
                agreement=y * score,
                mistake=state.mistakes > mistakes,
                updated=state.updates > updates,
                weights=tuple(current[:-1].tolist()),
                offset=float(current[-1]),
                agreement_after=y * _score(state, one),
                norm_squared=squared_length(current),
                covariance=_covariance(state),
            )
        )

    def _refuse_too_long(self, max_steps: int | None) -> None:
        steps = self.steps_per_pass * (self.plan.epochs or 1)
        if max_steps is not None:
            steps = min(steps, max_steps)
        width = self.batch.n_features
        if 2 * steps * width > MOST_NUMBERS:
            raise BadInput(
                f"trace: {steps:,} steps of {width:,} features are too many to record; limit them "
                f"with max_steps={MOST_NUMBERS // (2 * width)}, or use Perceptron.fit, whose history_ has "
                "each pass"
            )


def _score(state: SeparateColumns, row: Any) -> float:
    return float(state.values(row, kept=False)[0])


def _covariance(state: SeparateColumns) -> tuple[float, ...]:
    """Return Σ₁₁, Σ₁₂ and Σ₂₂ if there are two weights and the rule stores a covariance, else ()."""
    memory = state.columns[0].memory
    if state.n_features != 2 or memory is None or (sigma := rules.covariance(memory)) is None:
        return ()
    return float(sigma[0, 0]), float(sigma[0, 1]), float(sigma[1, 1])
