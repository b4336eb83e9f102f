"""Training of classes that share each mistake (ultraconservative learning)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rosenblatt import averaging, rules
from rosenblatt.errors import BadInput, bad_choice
from rosenblatt.loops.column_targets import Classes
from rosenblatt.loops.shared import SHARINGS, Worst, count_shared_errors, walk_shared
from rosenblatt.loops.shared_confident import walk_confident
from rosenblatt.loops.together import DOUBLE
from rosenblatt.numeric.next_row import Given, Listed
from rosenblatt.training.column_trainer import pocket_of_other_rows
from rosenblatt.training.many_batch import ManyBatch
from rosenblatt.training.orders import Passes, looks_of
from rosenblatt.training.overflow_errors import trouble
from rosenblatt.training.panel_columns import PanelColumns, precision
from rosenblatt.training.panel_trainer import refuse_overflow
from rosenblatt.training.run import Plan

KEEPERS = ("last", "averaged", "pocket")


def as_sharing(sharing: Any) -> Any:
    """Return the sharing strategy with this name."""
    if not isinstance(sharing, str) or sharing not in SHARINGS:
        raise bad_choice("sharing", sharing, SHARINGS)
    return SHARINGS[sharing]


def can_share(facts: rules.Facts) -> bool:
    """Return whether classes that share mistakes can use this rule."""
    return (facts.is_additive and not facts.has_sides) or facts.has_variances


def check_sharing(rule: Any, sharing: Any) -> None:
    """Raise an error if a second-order rule is used with a `sharing` other than "worst"."""
    if rules.facts(rule).has_variances and not isinstance(sharing, Worst):
        raise BadInput(
            f"sharing: {rules.name_of(rule)!r} learns from the top rival alone; use sharing='worst'"
        )


def check_shared(rule: Any, keep: str, tie: str, order: Any) -> None:
    """Raise an error for settings that have no meaning if classes share their mistakes."""
    checked = rules.as_rule(rule)
    facts, use = rules.facts(checked), rules.names_of_rules(can_share)
    instead = f"; use {use}, or multiclass='one_vs_rest'"
    if facts.has_variances and checked.covariance == "full":
        raise BadInput(
            f"rule: {rules.name_of(checked)!r} with covariance='full' does not suit "
            "multiclass='ultraconservative': Σ would have a number for each pair of weights of all "
            "classes; use covariance='diagonal', or multiclass='one_vs_rest'"
        )
    if not can_share(facts) and (facts.beyond or facts.has_sides):
        why = f"{facts.beyond}, which the classes would have to share"
        if facts.has_sides:
            why = "it has a margin for positive and one for negative rows, and a class is neither"
        raise BadInput(
            f"rule: {rules.name_of(checked)!r} does not suit multiclass='ultraconservative': {why}{instead}"
        )
    if not (can_share(facts) and rules.is_packaged(checked)):
        raise BadInput(f"rule: multiclass='ultraconservative' does not support user-defined rules{instead}")
    averaging.begin(keep, np.zeros(1))
    if keep not in KEEPERS:
        raise BadInput(
            f"keep: {keep!r} does not suit multiclass='ultraconservative': each vector of the committee "
            "would vote for one class, so all its scores would have to be computed for every row; use "
            "keep='averaged', or multiclass='one_vs_rest'"
        )
    if tie != "mistake":
        raise BadInput(
            f"tie: {tie!r} applies to two classes only; where classes share their mistakes, equal scores "
            "are a mistake; use tie='mistake', or multiclass='one_vs_rest'"
        )
    if isinstance(order, str) and order not in ("given", "shuffled"):
        raise BadInput(
            f"order: {order!r} searches by the score of one classifier; with "
            "multiclass='ultraconservative' use order='shuffled', 'given' or a sequence of rows"
        )


class SharedTrainer:
    """Train classes that share their mistakes on a batch of examples."""

    note = ""

    def __init__(self, state: PanelColumns, batch: ManyBatch, plan: Plan) -> None:
        self._state, self._batch, self._passes = state, batch, Passes(batch, plan.seed)
        self.looks = self._passes.looks(plan.order)
        state.suit(batch.rows)
        if state.keep == "pocket":
            settle_shared_pocket(state, batch, plan.has_all_rows)

    def one_pass(self, order: Any) -> Iterator[None]:
        for segment in self._passes.segments(order, self._state.epochs):
            learn_shared(self._state, self._batch, segment)
            yield


def learn_shared(state: PanelColumns, batch: ManyBatch, order: Given | Listed) -> None:
    """Visit the rows of `order` and learn; after an error the state stays partly trained."""
    assert isinstance(batch.targets, Classes)
    (panel,) = state.panels
    keeper, recorder = _keeper(state), state.recorder
    if recorder is not None:
        per_step = 2 if state.variance is not None or isinstance(state.sharing, Worst) else state.n_columns
        keeper = recorder.wrap(keeper, looks_of(order), per_step, 0)
    given = batch.rows, batch.targets.numbers, batch.importance, order, state.offset
    kept = keeper, panel, precision(panel), panel.weights.reshape(-1)
    if state.variance is not None:
        phi = rules.start(state.rule).phi
        status, row = walk_confident(*given, state.rule, phi, state.variance, *kept)
    else:
        status, row = walk_shared(*given, state.sharing, state.rule, None, *kept)
    if status:
        raise trouble(status, batch.rows, int(row))
    if recorder is not None:
        recorder.take(keeper)
    state.examples_seen += looks_of(order)
    refuse_overflow(state.panels)


def _keeper(state: PanelColumns) -> Any:
    """Return the state of the averaging strategy for the loop; its arrays are views of the panel."""
    beside = state.panels[0].beside
    if state.keep == "averaged":
        return averaging.Averaged(beside, np.zeros(1), np.array([state.examples_seen]))
    if state.keep == "pocket":
        if state.pocket is None:
            state.pocket = averaging.begin("pocket", np.empty(0))
        return state.pocket._replace(best=beside.reshape(-1))
    return averaging.Last()


def settle_shared_pocket(state: PanelColumns, batch: ManyBatch, ratchet: bool) -> None:
    """Prepare the pocket of a state for a batch.

    With `ratchet`, count the errors that its vector makes on all rows.
    """
    keeper, (panel,) = _keeper(state), state.panels
    assert isinstance(batch.targets, Classes)
    if ratchet:
        errors = count_shared_errors(
            batch.rows, batch.targets.numbers, batch.importance, state.offset,
            panel._replace(weights=panel.beside, screen=panel.beside), DOUBLE, batch.n_rows,
        )  # fmt: skip
        if errors != keeper.best_errors[0]:
            is_current = np.array_equal(panel.beside, panel.weights)
            state.pocket = pocket_of_other_rows(np.empty(0), errors, is_current)
    state.pocket = state.pocket._replace(ratchet=ratchet)
