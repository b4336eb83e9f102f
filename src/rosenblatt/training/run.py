"""The run: pass after pass until it stops, by one loop for all kinds of states; counters of mistakes.

A mistake is a false positive (predicted +, the label is −) or a false negative (predicted −, the label is
+). A score of 0 that is a mistake counts by its label. If classes share their mistakes, each mistake counts
as both: a false negative of the row's class, and a false positive of the rival with the largest score.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import Rows, check_finite
from rosenblatt.training.compile_time import CLOCK
from rosenblatt.training.progress import Progress
from rosenblatt.training.settings import PERCEPTRON, check

if TYPE_CHECKING:
    from rosenblatt.training.dual.dual_state import DualState
    from rosenblatt.training.linear_state import LinearState

State: TypeAlias = "LinearState | DualState"


class Answers(Protocol):
    """Define the object that predicts for a state; it may cache values until the state learns again."""

    def values(self, rows: Rows) -> NDArray[np.float64]:
        """Return the decision value of each row, or of each row and classifier, with its exact sign."""

    def best(self, rows: Rows) -> NDArray[np.int64]:
        """Return the number of the predicted class for each row."""


class Trainer(Protocol):
    """Define the object that trains a state on a data set; it holds the data that passes reuse."""

    @property
    def looks(self) -> int:
        """Return the number of steps in one pass."""

    @property
    def note(self) -> str:
        """Return a note about the state to show during training."""

    def one_pass(self, order: Any) -> Iterator[None]:
        """Visit the rows of `order` in parts; yield between parts."""


class PassObserver(Protocol):
    """Define an object that observes the passes of a run."""

    def begin_pass(self) -> None:
        """Prepare for the next pass."""

    def end_pass(self, result: Callable[[], Any]) -> bool:
        """Return whether the run ends; `result()` is the outcome of the run so far."""


def learn_all(trainer: Trainer, order: Any) -> None:
    """Learn from some rows of a batch: all rows ("given"), a range (`Given`), or a list."""
    for _ in trainer.one_pass(order):
        pass


PASSING = ("given", "shuffled")
"""Orders in which a pass visits all rows."""


class Counters(NamedTuple):
    """Hold the counters of a state at one moment, summed over its classifiers."""

    mistakes: int = 0
    false_positives: int = 0
    false_negatives: int = 0
    updates: int = 0
    examples_seen: int = 0

    def since(self, before: Counters) -> dict[str, Any]:
        """Return the increase of each counter since `before`, by name."""
        return {name: getattr(self, name) - getattr(before, name) for name in self._fields}


PER_CLASS = ("mistakes_per_class", "false_positives_per_class", "false_negatives_per_class")
"""The mistake counters of each classifier."""

COUNTED = (*Counters._fields, "epochs", "exact_decisions", *PER_CLASS)
"""The names of `Counted.summary`."""


class Counted:
    """Provide totals of the counters of a state with one or many classifiers."""

    epochs: int
    sharing: Any = None  # how classes share a mistake; None: each classifier makes separate mistakes

    if TYPE_CHECKING:

        @property
        def examples_seen(self) -> int:
            """Return the number of steps so far."""

        @property
        def exact_decisions(self) -> int:
            """Return the number of steps that the fast score could not decide."""

    def clocks(self) -> NDArray[Any]:
        """Return the counters of all classifiers as a structured array."""
        raise NotImplementedError

    def counters(self) -> Counters:
        """Return the counters with their current values, summed over the classifiers."""
        clocks = self.clocks()
        mistakes, false_positives = int(clocks["mistakes"].sum()), int(clocks["false_positives"].sum())
        missed = mistakes if self.sharing is not None else mistakes - false_positives
        return Counters(mistakes, false_positives, missed, int(clocks["updates"].sum()), self.examples_seen)

    def summary(self) -> dict[str, Any]:
        """Return all counters by name: the totals, and the mistakes of each classifier."""
        clocks = self.clocks()
        mistakes, taken = clocks["mistakes"].astype(np.int64), clocks["false_positives"].astype(np.int64)
        missed = mistakes if self.sharing is not None else mistakes - taken
        values = *self.counters(), self.epochs, self.exact_decisions, mistakes, taken, missed
        return dict(zip(COUNTED, values, strict=True))

    def total(self, name: str) -> int:
        """Return one counter, summed over the classifiers."""
        return int(self.clocks()[name].sum())

    @property
    def mistakes(self) -> int:
        """Return the number of mistakes, summed over the classifiers."""
        return self.total("mistakes")

    @property
    def updates(self) -> int:
        """Return the number of updates, summed over the classifiers."""
        return self.total("updates")


class Epoch(NamedTuple):
    """Record one pass; its errors are measured with the weights that averaging returns after the pass.

    Parameters
    ----------
    epoch : int
        The number of the pass, counted from 1.
    mistakes : int
        The mistakes of the pass.
    updates : int
        The updates of the pass.
    examples_seen : int
        The steps of the pass.
    seconds : float or None
        The duration of the pass in seconds; None in a history loaded from a file.
    training_error : float or None, default=None
        The error on the training rows, if it was measured.
    validation_error : float or None, default=None
        The error on the held-out rows, if there are any.
    false_positives : int, default=0
        The mistakes on negative examples.
    false_negatives : int, default=0
        The mistakes on positive examples.

    Examples
    --------
    >>> from rosenblatt import Perceptron
    >>> model = Perceptron(order="given").fit([[2.0, 1.0], [0.0, 2.0]], [1, 0])
    >>> [epoch.mistakes for epoch in model.history_[:3]]
    [2, 0, 0]
    """

    epoch: int
    mistakes: int
    updates: int
    examples_seen: int
    seconds: float | None
    training_error: float | None = None
    validation_error: float | None = None
    false_positives: int = 0
    false_negatives: int = 0


def has_two_kinds(history: Sequence[Epoch]) -> bool:
    """Return whether each mistake counts as only one of the two kinds, in all passes.

    If classes share their mistakes, each mistake is both a false positive and a false negative.
    """
    return all(e.false_negatives == e.mistakes - e.false_positives for e in history)


@dataclass(frozen=True)
class Plan:
    """State the length, order and device of a run, and its observers.

    `epochs` is the number of passes; with until="separated" it is the largest number (None for no limit).
    `has_all_rows` states whether the examples are the whole data set, not a part of a stream. Each of the
    callbacks is called with the `Epoch` after a pass; if it returns True, the run ends. The observer is
    called before and after each pass, and may request the outcome so far.
    """

    epochs: int | None = 10
    until: str | None = None
    order: str | NDArray[np.uint64] = "shuffled"
    seed: int = 0
    track_error: bool = False
    validation: Any = None  # held-out examples
    callbacks: Sequence[Callable[[Epoch], Any]] = ()
    observer: PassObserver | None = None
    progress: bool | None = None
    n_jobs: int | None = None  # threads, as `loops.threads.n_threads` counts them
    device: Any = None  # the backend to learn on, if the state supports it; None: the host
    has_all_rows: bool = True

    def check(self) -> None:
        """Raise an error if a setting is invalid."""
        check(PERCEPTRON, vars(self), planned=True)

    def check_rows(self, batch: Any) -> None:
        """For orders that may leave out rows, raise an error if a value is not finite."""
        if self.has_all_rows and not (isinstance(self.order, str) and self.order in PASSING):
            check_finite(batch.rows, batch.present())

    def is_over(self, history: Sequence[Epoch]) -> bool:
        """Return whether a run with this history has finished all its passes."""
        if not history:
            return False
        return len(history) == self.epochs or (self.until == "separated" and history[-1].mistakes == 0)

    def looks_at_weights(self, passes: int, mistakes: int) -> bool:
        """Return whether the weights may be needed after this pass, for an observer or as the result."""
        may_be_the_last = passes == self.epochs or (self.until is not None and mistakes == 0)
        is_observed = bool(self.callbacks) or self.observer is not None
        return may_be_the_last or is_observed or self.track_error or self.validation is not None

    def is_stopped_by(self, record: Epoch) -> bool:
        """Call every callback with the record of a pass; return whether one of them ends the run."""
        answers = [callback(record) for callback in self.callbacks]
        return any(isinstance(answer, (bool, np.bool_)) and answer for answer in answers)


class Outcome(NamedTuple):
    """Hold the states at the end of a run, its history, and the number of the best pass.

    `final` is the state after the last pass. `state` is the state after the best pass; it differs from
    `final` only if there is a validation set.
    """

    state: Any
    final: Any
    history: list[Epoch]
    best_epoch: int

    @property
    def has_converged(self) -> bool:
        """Return whether the last pass had no mistake."""
        return self.history[-1].mistakes == 0

    def copy(self) -> Outcome:
        """Return a copy that does not change while the run goes on."""
        return self._replace(state=self.state.copy(), history=[*self.history])

    def fitted_attributes(self) -> dict[str, Any]:
        """Return the fitted attributes that an estimator shows about the run, by name."""
        return {
            **{f"{name}_": value for name, value in self.final.summary().items()},
            "converged_": self.has_converged,
            "history_": self.history,
            "best_epoch_": self.best_epoch,
        }


def make_passes(
    plan: Plan, history: list[Epoch], one_pass: Callable[[], Any], result: Callable[[], Any]
) -> None:
    """Make the remaining passes of a plan, starting from the end of the history.

    `one_pass` makes a pass and appends its record to the history; `result` returns the outcome so far.
    """
    observer = plan.observer
    while not plan.is_over(history):
        if observer is not None:
            observer.begin_pass()
        one_pass()
        is_stopped = plan.is_stopped_by(history[-1])
        if observer is not None and observer.end_pass(result):
            is_stopped = True
        if is_stopped:
            break


def run(state: State, batch: Any, plan: Plan) -> Outcome:
    """Train `state` in place on `batch`, following `plan`.

    With a validation set, a copy of the state after the pass with the smallest validation error is stored;
    ties go to the earlier pass.
    """
    plan.check_rows(batch)
    lesson = state.on(batch, plan)
    history: list[Epoch] = []
    best, best_epoch, smallest = None, 0, np.inf
    first = counted = state.counters()

    def show(before: Counters) -> None:
        if time.monotonic() >= progress.due:
            now = state.counters()
            progress.at(
                now.examples_seen - first.examples_seen,
                f"pass {state.epochs + 1}, {now.mistakes - before.mistakes:,} mistakes in it so far"
                f"{lesson.note}",
            )

    def one_pass() -> None:
        nonlocal best, best_epoch, smallest, counted
        before, began, compiled = counted, time.perf_counter(), CLOCK.total
        for _ in lesson.one_pass(plan.order):
            show(before)
        show(before)
        state.epochs += 1
        seconds = max(0.0, time.perf_counter() - began - (CLOCK.total - compiled))
        counted = state.counters()
        record = Epoch(state.epochs, seconds=seconds, **counted.since(before))
        if plan.track_error:
            record = record._replace(training_error=state.error(batch))
        if plan.validation is not None:
            error = _validation_error(state, plan.validation)
            record = record._replace(validation_error=error)
            if error < smallest:
                best, best_epoch, smallest = state.copy(), record.epoch, error
        history.append(record)

    def outcome() -> Outcome:
        return Outcome(best or state, state, history, best_epoch or state.epochs)

    with Progress(plan.progress, lesson.looks * plan.epochs if plan.epochs else None) as progress:
        make_passes(plan, history, one_pass, lambda: outcome().copy())
    state.check_overflow()
    return outcome()


def learn_once(state: State, batch: Any, plan: Plan) -> Outcome:
    """Make one pass over some rows of a stream, continuing from the state."""
    before, lesson = state.counters(), state.on(batch, plan)
    learn_all(lesson, plan.order)
    state.epochs += 1
    record = Epoch(state.epochs, seconds=0.0, **state.counters().since(before))
    return Outcome(state, state, [record], state.epochs)


def _validation_error(state: State, validation: Any) -> float:
    try:
        return state.error(validation)
    except BadInput as error:
        raise BadInput(f"validation: {error}") from error
