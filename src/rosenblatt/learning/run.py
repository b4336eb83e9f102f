"""The run: pass after pass, until it is time to stop."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt import keepers
from rosenblatt.arithmetic.examples import Batch, check_finite, tie_label
from rosenblatt.engine.walk import count_errors
from rosenblatt.errors import BadInput, bad_value
from rosenblatt.keepers.pocket import IN_POCKET, NOT_COMPARED
from rosenblatt.learning.counting import counters_of
from rosenblatt.learning.one_column import (
    OneColumn,
    check_kept,
    learn,
    squared_length,
    store_committee,
)
from rosenblatt.learning.orders import SEARCHES, looks_in_a_pass, one_pass
from rosenblatt.learning.progress import Progress
from rosenblatt.learning.scoring import error_rate
from rosenblatt.learning.settings import PERCEPTRON, settings_of


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
    """How long a run goes on, in which order, and who watches.

    epochs: passes to make; with until="separated" the most passes to make (None: no limit).
    callbacks: each is called with the `Epoch` after a pass; one that returns True ends the run.
    """

    epochs: int | None = 10
    until: str | None = None
    order: str | NDArray[np.uint64] = "shuffled"
    seed: int = 0
    track_error: bool = False
    validation: Any = None  # a Batch, or for many columns a ManyBatch
    callbacks: Sequence[Callable[[Epoch], Any]] = ()
    progress: bool | None = None

    def check(self) -> None:
        if self.until is None and self.epochs is None:
            raise bad_value("epochs", None, "a number of passes, or None with until='separated'")
        for name in ("until", "epochs"):
            settings_of(PERCEPTRON)[name].refuse(getattr(self, name))


class Outcome(NamedTuple):
    """The state that a run leaves (`State`, or that of many columns), its history, and the pass that the
    state is from.

    `final` is the state after the last pass; `state` is another one only with a validation set.
    """

    state: Any
    final: Any
    history: list[Epoch]
    best_epoch: int
    converged: bool


class Passes(NamedTuple):
    """What `make_passes` made: a record of each pass, and the pass that did best on other rows, if any."""

    history: list[Epoch]
    best: Any
    best_epoch: int


def make_passes(
    plan: Plan,
    looks: int,
    one_epoch: Callable[[Progress], Epoch],
    validation_error: Callable[[], float] | None = None,
    snapshot: Callable[[], Any] | None = None,
) -> Passes:
    """Pass after pass, as planned. With a validation error, a snapshot is kept of the pass that has the
    smallest, the first of equals."""
    history: list[Epoch] = []
    best: Any = None
    best_epoch, smallest = 0, 1.0
    with Progress(plan.progress, looks * plan.epochs if plan.epochs else None) as progress:
        while plan.epochs is None or len(history) < plan.epochs:
            record = one_epoch(progress)
            history.append(record)
            if validation_error is not None and snapshot is not None:
                error = validation_error()
                record = history[-1] = record._replace(validation_error=error)
                if best is None or error < smallest:
                    best, best_epoch, smallest = snapshot(), record.epoch, error
            answers = [callback(record) for callback in plan.callbacks]
            stop = any(isinstance(answer, (bool, np.bool_)) and answer for answer in answers)
            if stop or (plan.until == "separated" and record.mistakes == 0):
                break
    return Passes(history, best, best_epoch)


def run(state: OneColumn, batch: Batch, plan: Plan) -> Outcome:
    """Learn from `batch` as planned. `state` is changed in place."""
    plan.check()
    if isinstance(state.keeper, keepers.Pocket):
        refuse_searching(plan.order)
        with_ratchet(state, batch)
    if not (isinstance(plan.order, str) and plan.order in ("given", "shuffled")):
        check_finite(batch.rows, batch.present())
    seen, validation = state.examples_seen, plan.validation
    history, best, best_epoch = make_passes(
        plan,
        looks_in_a_pass(plan.order, batch),
        lambda progress: _one_epoch(state, batch, plan, progress, seen),
        None if validation is None else lambda: _validation_error(state, validation),
        state.copy,
    )
    check_kept(state)
    return Outcome(best or state, state, history, best_epoch or state.epochs, history[-1].mistakes == 0)


def _validation_error(state: OneColumn, validation: Batch) -> float:
    try:
        return error_rate(state, validation)
    except BadInput as error:
        raise BadInput(f"validation: {error}") from error


def refuse_searching(order: str | NDArray[np.uint64]) -> None:
    """Refuse orders that keep="pocket" has no use for."""
    if isinstance(order, str) and order in SEARCHES:
        raise BadInput(
            f"order: {order!r} looks only at what is wrong, so no vector ever has a run of right "
            "answers for keep='pocket' to go by; use order='shuffled' or 'given'"
        )


def with_ratchet(state: OneColumn, batch: Batch) -> None:
    """All rows are there to count errors on: the vector in the pocket is counted first."""
    best = state.keeper.best
    errors = count_errors(
        batch.rows, batch.labels, batch.importance, state.offset, tie_label(state.tie), best,
        squared_length(best), batch.n_rows,
    )  # fmt: skip
    if errors != state.keeper.best_errors[0]:  # other rows than before: runs on those count no more
        standing = IN_POCKET if np.array_equal(best, state.current()) else NOT_COMPARED
        state.keeper = keepers.begin("pocket", best)._replace(
            best_errors=np.array([errors]), standing=np.array([standing])
        )
    state.keeper = state.keeper._replace(ratchet=True)


def _one_epoch(state: OneColumn, batch: Batch, plan: Plan, progress: Progress, before: int) -> Epoch:
    began = time.perf_counter()
    counted = counters_of(state)
    for segment in one_pass(plan.order, state, batch, plan.seed):
        learn(state, batch, segment)
        progress.at(
            state.examples_seen - before,
            f"pass {state.epochs + 1}, {state.mistakes - counted.mistakes:,} mistakes in it so far",
        )
    state.epochs += 1
    store_committee(state, batch)
    return Epoch(
        epoch=state.epochs,
        seconds=time.perf_counter() - began,
        training_error=error_rate(state, batch) if plan.track_error else None,
        **counters_of(state).since(counted),
    )
