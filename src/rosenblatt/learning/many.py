"""The run of many columns: begin, passes, errors. Which loop learns them is settled here."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from rosenblatt import keepers
from rosenblatt.arithmetic.examples import Rows, check_finite, n_features, take
from rosenblatt.arithmetic.next_row import Given, Listed
from rosenblatt.arithmetic.widening import widen
from rosenblatt.engine.column_targets import Classes, Targets, part_of_targets, signs_of_rows
from rosenblatt.engine.threads import each_in_threads
from rosenblatt.errors import BadInput, bad_choice
from rosenblatt.learning.column_decisions import Decider
from rosenblatt.learning.columns import (
    Columns,
    ManyBatch,
    begin_columns,
    can_learn_together,
    learn_together,
)
from rosenblatt.learning.counting import counters_of
from rosenblatt.learning.one_column import check_kept, overflow
from rosenblatt.learning.orders import looks_in_a_pass, one_pass
from rosenblatt.learning.progress import Progress
from rosenblatt.learning.run import Epoch, Outcome, Plan, make_passes, refuse_searching, with_ratchet
from rosenblatt.learning.scoring import wrong
from rosenblatt.learning.separately import Separate, Votes, batch_of, begin_separately, learn_separately
from rosenblatt.learning.sharing import as_sharing, check_shared, learn_shared, with_shared_ratchet

MULTICLASS = ("one_vs_rest", "ultraconservative")

Many = Columns | Separate


def begin_many(
    n_columns: int,
    rows: Rows,
    rule: Any,
    keep: str,
    offset: bool,
    tie: str,
    init: Any,
    order: Any,
    sharing: Any = None,
) -> Many:
    """The state before the first look. sharing: how classes share a mistake; None: each is on its own."""
    keepers.begin(keep, np.zeros(1))
    if sharing is not None:
        check_shared(rule, keep, tie, order)
        return begin_columns(n_columns, rows, rule, keep, offset, tie, init, as_sharing(sharing))
    if can_learn_together(rule, keep, order):
        return begin_columns(n_columns, rows, rule, keep, offset, tie, init)
    return begin_separately(n_columns, n_features(rows), rule, keep, offset, tie, init)


def check_multiclass(multiclass: Any) -> None:
    if not isinstance(multiclass, str) or multiclass not in MULTICLASS:
        raise bad_choice("multiclass", multiclass, MULTICLASS)


class Elsewhere(Protocol):
    """Columns that learn in another place than the state, such as a GPU."""

    def learn(self, order: Given | Listed) -> None:
        """Look at the rows of `order`."""

    def bring_back(self) -> None:
        """Write what has been learned into the state."""


def run_many(
    state: Many, batch: ManyBatch, plan: Plan, n_jobs: int, elsewhere: Elsewhere | None = None
) -> Outcome:
    """Learn from `batch` as planned. `state` is changed in place."""
    plan.check()
    if not (isinstance(plan.order, str) and plan.order in ("given", "shuffled")):
        check_finite(batch.rows, batch.present())
    _with_ratchet(state, batch, plan.order)
    before, validation = state.examples_seen, plan.validation
    history, best, best_epoch = make_passes(
        plan,
        looks_in_a_pass(plan.order, batch),
        lambda progress: _one_epoch(state, batch, plan, progress, before, n_jobs, elsewhere),
        None if validation is None else lambda: _validation_error(state, validation),
        state.copy,
    )
    check_kept_many(state)
    return Outcome(best or state, state, history, best_epoch or state.epochs, history[-1].mistakes == 0)


def _with_ratchet(state: Many, batch: ManyBatch, order: Any) -> None:
    """All rows are there for keep="pocket" to count errors on: what is in the pocket is counted first."""
    if isinstance(state, Columns):
        with_shared_ratchet(state, batch, True)
        return
    for column, own in enumerate(state.states):
        if isinstance(own.keeper, keepers.Pocket):
            refuse_searching(order)
            with_ratchet(own, batch_of(batch, column))


def _one_epoch(
    state: Many,
    batch: ManyBatch,
    plan: Plan,
    progress: Progress,
    before: int,
    n_jobs: int,
    elsewhere: Elsewhere | None,
) -> Epoch:
    began = time.perf_counter()
    counted = counters_of(state)

    def tick() -> None:
        made = state.mistakes - counted.mistakes
        progress.at(
            state.examples_seen - before, f"pass {state.epochs + 1}, {made:,} mistakes in it so far"
        )

    learn_rows(state, batch, plan.order, plan.seed, n_jobs, True, tick, elsewhere)
    end_pass(state)
    return Epoch(
        epoch=state.epochs,
        seconds=time.perf_counter() - began,
        training_error=error_of(state, batch) if plan.track_error else None,
        **counters_of(state).since(counted),
    )


def learn_rows(
    state: Many,
    batch: ManyBatch,
    order: Any,
    seed: int,
    n_jobs: int,
    ratchet: bool,
    tick: Callable[[], Any] = lambda: None,
    elsewhere: Elsewhere | None = None,
) -> None:
    """A pass over the batch, which may be a part of one over more rows. ratchet: all rows are there for
    keep="pocket" to count errors on."""
    if isinstance(state, Separate):
        shares = [range(k, state.n_columns, n_jobs) for k in range(min(n_jobs, state.n_columns))]
        for first in range(0, state.n_columns, 8 * n_jobs):  # some at a time, to show how far it is
            some = [[c for c in share if first <= c < first + 8 * n_jobs] for share in shares]
            each_in_threads(
                lambda columns: learn_separately(state, batch, order, seed, columns, ratchet), some
            )
            tick()
    else:
        for segment in one_pass(order, state, batch, seed):
            if elsewhere is not None:
                elsewhere.learn(segment)
            elif state.sharing is None:
                learn_together(state, batch, segment, n_jobs)
            else:
                learn_shared(state, batch, segment)
            tick()
    if elsewhere is not None:
        elsewhere.bring_back()


def end_pass(state: Many) -> None:
    """All rows have been looked at once more."""
    state.epochs += 1
    for own in state.states if isinstance(state, Separate) else ():
        own.epochs += 1


def widen_many(state: Many, n_features: int) -> None:
    """Make room for features that were not there before."""
    for part in state.states if isinstance(state, Separate) else [state]:
        part.widen(n_features)
    state.start = widen(state.start, n_features + 1)


def check_kept_many(state: Many) -> None:
    """A mean can overflow where the weights themselves do not."""
    if isinstance(state, Separate):
        for own in state.states:
            check_kept(own)
    elif state.keep == "averaged" and not np.isfinite([panel.beside.sum() for panel in state.panels]).all():
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(state.kept()).all():
                raise overflow()


def decider_of(state: Many) -> Decider | Votes:
    """What answers for the state: `values(rows)`, `best(rows)`; of two columns `lead(rows, values)`."""
    if isinstance(state, Separate) and state.is_committee:
        return Votes(state)
    return Decider(state.kept, state.offset, state.mean)


def error_of(state: Many, batch: ManyBatch) -> float:
    """The part of the rows present that get the wrong class; for labels, the part of all labels."""
    present = batch.present()
    rows, targets = batch.rows, batch.targets
    if present is not None:
        rows, targets = take(rows, present), part_of_targets(targets, present)
    return error_rate_many(state, rows, targets)


def error_rate_many(state: Many, rows: Rows, targets: Targets) -> float:
    if isinstance(targets, Classes):
        return float((decider_of(state).best(rows) != targets.numbers).mean())
    values = decider_of(state).values(rows)
    labels = np.empty(values.shape, np.int8)
    signs_of_rows(targets, np.arange(len(values)), 0, labels)
    return float(wrong(values, labels, state.tie).mean())


def _validation_error(state: Many, validation: ManyBatch) -> float:
    try:
        return error_of(state, validation)
    except BadInput as error:
        raise BadInput(f"validation: {error}") from error
