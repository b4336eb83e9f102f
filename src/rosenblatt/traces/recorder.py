"""`Recorder`: record passes step by step until the run ends or repeats itself."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, ClassVar

import numpy as np

from rosenblatt import rules
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import Batch, to_dense
from rosenblatt.rules import two_claims
from rosenblatt.traces.step_sequence import Cycle, RunStep, StepSequence
from rosenblatt.training.progress import Progress
from rosenblatt.training.run import Plan


class Recorder:
    """Record the steps of a run.

    A subclass trains on one pass and adds a step for each row.
    """

    TRACE: ClassVar[type[StepSequence[Any]]]
    steps_per_pass: int

    def __init__(self, state: Any, batch: Batch, plan: Plan) -> None:
        self.state, self.batch, self.plan = state, batch, plan
        self.steps: list[Any] = []
        self.mistakes = self.updates = 0
        self._points: dict[int, tuple[float, ...]] = {}
        self._seen: dict[Hashable, tuple[int, tuple[int, int]]] = {}
        self._repeat: tuple[int, int] | None = None

    def record(self, keep: str, described: dict[str, Any], max_steps: int | None, bar: Progress) -> Any:
        """Train to the end of the run and return its trace."""
        settings = self.settings() | {"keep": keep, **described}  # contain the initial state
        is_clean = self._run(max_steps, bar)
        settings["max_steps"] = max_steps if len(self.steps) == max_steps and not is_clean else None
        separated = is_clean and _covers_rows(self.plan.order, self.batch)
        return self.TRACE(
            self.steps, self.batch.rows, self.batch.labels, settings, self._cycle(), separated
        )

    def settings(self) -> dict[str, Any]:
        """Return the settings that a trace stores."""
        state, plan = self.state, self.plan
        return {
            "rule": rules.name_of(state.rule),
            "rule_parameters": state.rule._asdict(),
            "claims": _claims_or_reason(state.rule),
            "keep": None,  # set later; defines the position in the file
            "offset": bool(state.offset),
            "order": plan.order if isinstance(plan.order, str) else plan.order.tolist(),
            "tie": state.tie,
            "epochs": None if plan.epochs is None else int(plan.epochs),
            "until": plan.until,
            "random_state": plan.seed,
        }

    def one_pass(self, room: int | None, bar: Progress) -> bool:
        """Train for one pass of at most `room` steps and record it; return whether it was complete."""
        raise NotImplementedError

    def identity(self) -> Hashable:
        """Return a key that is equal for equal states at the same position of a pass."""
        raise NotImplementedError

    def point(self, row: int) -> tuple[float, ...]:
        """Return the features of a row; steps on the same row share them."""
        if row not in self._points:
            self._points[row] = tuple(to_dense(self.batch.rows, row).tolist())
        return self._points[row]

    def add(self, step: RunStep) -> None:
        """Append a step and count its mistake and update."""
        self.steps.append(step)
        self.mistakes += step.mistake
        self.updates += step.updated

    def watch(self) -> None:
        """Detect a cycle: a state that occurred before at the same position of a pass."""
        if self._repeat is not None or (isinstance(self.plan.order, str) and self.plan.order == "shuffled"):
            return
        done, counts = len(self.steps), (self.mistakes, self.updates)
        first, before = self._seen.setdefault(self.identity(), (done, counts))
        # states also repeat when passes are clean; a cycle needs a mistake or update in between
        if counts != before:
            self._repeat = (first, done)

    def _run(self, max_steps: int | None, bar: Progress) -> bool:
        """Make all passes, and return whether the last one was complete and without mistakes."""
        plan, clean = self.plan, False
        while plan.epochs is None or self.state.epochs < plan.epochs:
            mistakes = self.mistakes
            if not self.one_pass(None if max_steps is None else max_steps - len(self.steps), bar):
                return False
            self.state.epochs += 1
            clean = self.mistakes == mistakes
            if clean and plan.until == "separated":
                break
            if plan.epochs is None and self._repeat is not None:
                break
        self.watch()
        return clean

    def _cycle(self) -> Cycle | None:
        if self._repeat is None:
            return None
        start, end = self._repeat
        updates = sum(step.updated for step in self.steps[start:end])
        return Cycle(start, end - start, (end - start) / self.steps_per_pass, updates)


def _covers_rows(order: Any, batch: Batch) -> bool:
    """Return whether a pass visits every row of positive weight; an explicit order may skip rows."""
    present = batch.present()
    rows = np.arange(batch.n_rows) if present is None else present
    return isinstance(order, str) or bool(np.isin(rows, order).all())


def _claims_or_reason(rule: Any) -> list[float] | str:
    """Return the rate and threshold of the rule's two claims, or the reason why it has none."""
    try:
        return list(two_claims(rule))
    except BadInput as error:
        return str(error)
