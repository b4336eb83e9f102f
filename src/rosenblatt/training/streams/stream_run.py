"""StreamRun: pass after pass over a source, with the same result as for rows in memory; it can be resumed.

Ctrl-C stops the run between two groups of rows, never within a group, so the saved state can be resumed.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import rules
from rosenblatt.data.sources.source import Source
from rosenblatt.errors import BadInput, UnknownClass
from rosenblatt.numeric.row_batches import Rows, n_features
from rosenblatt.training.compile_time import Stopwatch
from rosenblatt.training.initial_states import Recipe, begin_linear
from rosenblatt.training.linear_state import LinearState
from rosenblatt.training.run import Counters, Epoch, PassObserver, Plan, learn_all, make_passes
from rosenblatt.training.separate_columns import separate_columns
from rosenblatt.training.settings import STREAM, StreamSettings, check
from rosenblatt.training.streams.evaluations import evaluate
from rosenblatt.training.streams.progressive import Progressive, learn_and_count
from rosenblatt.training.streams.shuffling import Group, groups, part_order
from rosenblatt.training.streams.stream_targets import Teaching, find_classes, fit_to, needs_all
from rosenblatt.training.update_record import UpdateRecorder


def shuffle_seed(random_state: int) -> int:
    """Return the seed that `Perceptron(random_state=…)` draws for its shuffles."""
    return int(np.random.RandomState(random_state).randint(2**31 - 1))


@dataclass
class Position:
    """Hold the position of a run: the finished parts of the current pass, and the counters at its start."""

    parts: int = 0
    mistakes: int = 0
    updates: int = 0
    examples: int = 0
    seconds: float = 0.0
    bad: int = 0  # lines of the current pass that were skipped
    false_positives: int = 0
    false_negatives: int = 0

    @property
    def start_counters(self) -> Counters:
        """Return the counters at the start of the pass."""
        return Counters(
            self.mistakes, self.false_positives, self.false_negatives, self.updates, self.examples
        )


class StreamRun:
    """Train a model on a source.

    `watch` is called with the run after each group of rows; it may raise an exception to stop the run.
    """

    def __init__(
        self,
        source: Source,
        settings: StreamSettings,
        n_jobs: int = 1,
        watch: Callable[[StreamRun], None] = lambda run: None,
        held_out: Source | None = None,
        by_classes: Callable[[StreamSettings, int], StreamSettings] = lambda settings, n_classes: settings,
    ) -> None:
        """Prepare a run over a source.

        `held_out` provides rows whose error is measured after each pass. `by_classes` adapts the settings
        to the number of classes, which is not known before the first rows are read.
        """
        rule = rules.as_rule(settings.rule)
        check(STREAM, vars(settings))
        check(STREAM, vars(settings), planned=True)
        self.source = source
        self.settings = settings.but(rule=rule)
        self.n_jobs = n_jobs
        self.watch = watch
        self.held_out = held_out
        self.by_classes = by_classes
        self.recorder: UpdateRecorder | None = None  # set before the run to record its updates
        self.teaching: Teaching | None = None
        self.state: LinearState | None = None
        self.history: list[Epoch] = []
        self.progressive = Progressive()
        self.position = Position()
        self.bytes_done = 0  # bytes read in this pass by this process
        self.after_pass: Sequence[Callable[[Epoch], Any]] = ()  # the run ends if one returns True
        self.observer: PassObserver | None = None
        self.is_learning = False  # True within a group, where state and position do not match
        self.is_interrupted = False

    # ------------------------------------------------------------ results

    @property
    def classes(self) -> NDArray[Any]:
        assert self.teaching is not None
        return self.teaching.classes

    @property
    def has_converged(self) -> bool:
        return bool(self.history) and self.history[-1].mistakes == 0

    # ------------------------------------------------------------ learning

    def go(self) -> None:
        """Make all remaining passes."""
        settings = self.settings
        plan = Plan(settings.epochs, settings.until, callbacks=self.after_pass, observer=self.observer)
        make_passes(plan, self.history, self._one_pass, lambda: self)
        state = self.state
        assert state is not None
        state.check_overflow()

    def _one_pass(self) -> None:
        watch = Stopwatch(already=self.position.seconds)
        self.bytes_done = 0
        self._learn_remaining(watch)
        self._end_pass(watch)

    def _learn_remaining(self, watch: Stopwatch) -> None:
        """Learn from all remaining groups of the current pass."""
        for group in self._groups():
            self.is_learning = True
            if len(group.y):
                self.learn(group)
            self.bytes_done += group.n_bytes
            group.release()
            self.position.parts += group.n_parts
            self.position.seconds = watch.learning
            self.position.bad = self.source.n_bad
            self.is_learning = False
            del group  # free it first: the next group may be as large
            self._stop_if_interrupted()
            self.watch(self)

    def _end_pass(self, watch: Stopwatch) -> None:
        state = self.state
        if state is None:
            raise BadInput(f"{self.source.name}: there are no rows; give a source with rows")
        self.is_learning = True
        state.epochs += 1
        now = state.counters()
        self.history.append(
            Epoch(
                state.epochs,
                seconds=watch.learning,
                training_error=self._error(self.source) if self.settings.track_error else None,
                validation_error=None if self.held_out is None else self._error(self.held_out),
                **now.since(self.position.start_counters),
            )
        )
        self.position = Position(
            mistakes=now.mistakes,
            updates=now.updates,
            examples=now.examples_seen,
            false_positives=now.false_positives,
            false_negatives=now.false_negatives,
        )
        self.is_learning = False
        self._stop_if_interrupted()

    def _stop_if_interrupted(self) -> None:
        if self.is_interrupted:
            raise KeyboardInterrupt

    def _error(self, source: Source) -> float:
        """Return the error of the model on a source, whose rows are read again."""
        assert self.state is not None
        return evaluate(self.state, self.classes, source).error

    def _groups(self) -> Any:
        made: Any = groups(
            self.source, self.settings.order, self.settings.seed, len(self.history), self.position.parts
        )
        if self.teaching is not None:
            return made
        for first in made:
            if len(first.y):
                break
            self.position.parts += first.n_parts
        else:
            return iter(())
        given, labels = self.settings.classes, first.y.copy()
        if given is None and needs_all(self.source, labels):
            made.close()  # close this reader; reading starts again when the classes are known
            self.teaching = Teaching(find_classes(self.source, given, labels))
            return self._groups()
        self.teaching = Teaching(find_classes(self.source, given, labels))
        return chain([first], made)

    def learn(self, group: Group) -> None:
        """Learn from a group of rows, which is a part of a pass."""
        assert self.teaching is not None
        if self.state is None:
            self.state = self._begin(group.rows)
        state, width = self.state, n_features(group.rows)
        if width > state.n_features:
            state.widen(width)
        try:
            batch = self.teaching.batch(fit_to(group.rows, state.n_features), group.y, group.importance)
        except UnknownClass as error:
            before = state.examples_seen - self.position.examples
            where = f" row {before + error.row + 1:,}" if isinstance(group.order, str) else ""
            raise BadInput(f"{self.source.name}{where}: {error}") from error
        if self.recorder is not None:
            vars(state)["recorder"] = self.recorder
            order = part_order(self.source, self.settings.seed, len(self.history))
            shuffled = self.settings.order == "shuffled" and order is not None
            parts = range(self.position.parts, self.position.parts + group.n_parts)
            self.recorder.begin(
                [order[k] for k in parts] if shuffled and order else list(parts),
                list(group.sizes), batch.rows, self.teaching.numbers(group.y), not self.history,
            )  # fmt: skip
        # the rows are only a part of a pass
        lesson = state.on(batch, Plan(epochs=1, order="given", n_jobs=self.n_jobs, has_all_rows=False))
        if self.history or not self.teaching.has_classes:
            learn_all(lesson, group.order)
        else:
            learn_and_count(self.progressive, self.settings.keep, state, lesson, batch, group.order)

    def _begin(self, rows: Rows) -> LinearState:
        assert self.teaching is not None
        s = self.settings = self.by_classes(self.settings, len(self.classes))
        sharing = s.sharing if s.multiclass == "ultraconservative" else None
        n_columns = self.teaching.n_columns
        if self.recorder is not None and n_columns is not None and sharing is None:
            start = np.zeros(n_features(rows) + 1)  # only separate columns record their updates
            return separate_columns(start, n_columns, s.rule, s.keep, s.offset, s.tie)
        return begin_linear(
            Recipe(s.rule, s.keep, s.offset, s.tie, s.init), rows, n_columns, "given", sharing
        )


@contextmanager
def interruptible(run: StreamRun, *signals: signal.Signals) -> Iterator[None]:
    """Delay a signal until the current group of rows is learned; a second signal is not delayed."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread receives signals
        return

    def interrupt(*_: Any) -> None:
        if run.is_learning and not run.is_interrupted:
            run.is_interrupted = True
        else:
            raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
