"""The run: pass after pass, until it is time to stop. One loop for all kinds of states."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import check_finite
from rosenblatt.errors import BadInput, bad_value
from rosenblatt.learning.progress import Progress
from rosenblatt.learning.settings import PERCEPTRON, settings_of
from rosenblatt.learning.state import State

PASSING = ("given", "shuffled")
"""Orders in which a pass looks at all rows."""


class Epoch(NamedTuple):
    """What one pass did. Errors are of the weights that the keeper held at its end.

    mistakes: false_positives (answered +, the label is −) and false_negatives (answered −, the label is +),
    which are None where the state is from a file that has no such counts.

    A file has what was learned, not how long it took: in a history that was loaded, seconds are None.
    """

    epoch: int
    mistakes: int
    updates: int
    examples_seen: int
    seconds: float | None
    training_error: float | None = None
    validation_error: float | None = None
    false_positives: int | None = None
    false_negatives: int | None = None


def has_two_kinds(history: Sequence[Epoch]) -> bool:
    """Whether the two kinds of mistakes are known and say more than their sum. Where classes share their
    mistakes each of them is one of both kinds."""
    return all(
        e.false_positives is not None and e.false_negatives == e.mistakes - e.false_positives
        for e in history
    )


@dataclass(frozen=True)
class Plan:
    """How long a run goes on, in which order, where, and who watches.

    epochs: passes to make; with until="separated" the most passes to make (None: no limit).
    has_all_rows: whether the examples are all there are, and not a part of a stream.
    callbacks: each is called with the `Epoch` after a pass; one that returns True ends the run.
    """

    epochs: int | None = 10
    until: str | None = None
    order: str | NDArray[np.uint64] = "shuffled"
    seed: int = 0
    track_error: bool = False
    validation: Any = None  # examples of the same kind
    callbacks: Sequence[Callable[[Epoch], Any]] = ()
    progress: bool | None = None
    n_jobs: int = 1
    device: Any = None  # a backend on which to learn, where the state can; None: here
    has_all_rows: bool = True

    def check(self) -> None:
        if self.until is None and self.epochs is None:
            raise bad_value("epochs", None, "a number of passes, or None with until='separated'")
        for name in ("until", "epochs"):
            settings_of(PERCEPTRON)[name].refuse(getattr(self, name))

    def check_rows(self, batch: Any) -> None:
        """Orders that do not pass over all rows may never come to one that is not finite: look first."""
        if self.has_all_rows and not (isinstance(self.order, str) and self.order in PASSING):
            check_finite(batch.rows, batch.present())

    def is_over(self, history: Sequence[Epoch]) -> bool:
        """Whether a run with this history has made all its passes."""
        if not history:
            return False
        return len(history) == self.epochs or (self.until == "separated" and history[-1].mistakes == 0)

    def is_told_to_stop(self, record: Epoch) -> bool:
        """Whether one of those who watch says so. All of them are told of the pass."""
        answers = [callback(record) for callback in self.callbacks]
        return any(isinstance(answer, (bool, np.bool_)) and answer for answer in answers)


class Outcome(NamedTuple):
    """The state that a run leaves, its history, and the pass that the state is from.

    `final` is the state after the last pass; `state` is another one only with a validation set.
    """

    state: Any
    final: Any
    history: list[Epoch]
    best_epoch: int

    @property
    def converged(self) -> bool:
        return self.history[-1].mistakes == 0


def make_passes(plan: Plan, history: list[Epoch], one_pass: Callable[[], Any]) -> None:
    """Pass after pass, as planned, from where the history stands. `one_pass` makes one and adds to it."""
    while not plan.is_over(history):
        one_pass()
        if plan.is_told_to_stop(history[-1]):
            break


def run(state: State, batch: Any, plan: Plan) -> Outcome:
    """Learn from `batch` as planned. `state` is changed in place. With a validation set, a copy is kept of
    the pass that has the smallest error on it, the first of equals."""
    plan.check()
    lesson = state.on(batch, plan)
    history: list[Epoch] = []
    best, best_epoch, smallest = None, 0, np.inf
    first = counted = state.counters()

    def one_pass() -> None:
        nonlocal best, best_epoch, smallest, counted
        before, began = counted, time.perf_counter()
        for _ in lesson.one_pass(plan.order):
            if time.monotonic() >= progress.due:
                now = state.counters()
                progress.at(
                    now.examples_seen - first.examples_seen,
                    f"pass {state.epochs + 1}, {now.mistakes - before.mistakes:,} mistakes in it so far"
                    f"{lesson.note}",
                )
        state.end_pass()
        seconds, counted = time.perf_counter() - began, state.counters()
        record = Epoch(state.epochs, seconds=seconds, **counted.since(before))
        if plan.track_error:
            record = record._replace(training_error=state.error(batch))
        if plan.validation is not None:
            error = _validation_error(state, plan.validation)
            record = record._replace(validation_error=error)
            if error < smallest:
                best, best_epoch, smallest = state.copy(), record.epoch, error
        history.append(record)

    with Progress(plan.progress, lesson.looks * plan.epochs if plan.epochs else None) as progress:
        make_passes(plan, history, one_pass)
    state.check_kept()
    return Outcome(best or state, state, history, best_epoch or state.epochs)


def learn_once(state: State, batch: Any, plan: Plan) -> Outcome:
    """One pass over rows that are a part of a stream, from where the state stands."""
    before, lesson = state.counters(), state.on(batch, plan)
    for _ in lesson.one_pass(plan.order):
        pass
    state.end_pass()
    record = Epoch(state.epochs, seconds=0.0, **state.counters().since(before))
    return Outcome(state, state, [record], state.epochs)


def _validation_error(state: State, validation: Any) -> float:
    try:
        return state.error(validation)
    except BadInput as error:
        raise BadInput(f"validation: {error}") from error
