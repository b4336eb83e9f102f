"""Learning from rows that come in parts: one column or many, in the same words for both."""

from __future__ import annotations

from typing import Any

from rosenblatt.arithmetic.examples import Batch
from rosenblatt.keepers import Pocket
from rosenblatt.learning import many
from rosenblatt.learning.columns import Columns, ManyBatch
from rosenblatt.learning.many import Many, learn_rows, widen_many
from rosenblatt.learning.one_column import OneColumn, learn, store_committee
from rosenblatt.learning.orders import one_pass
from rosenblatt.learning.sharing import with_shared_ratchet

AnyState = OneColumn | Many


def learn_part(state: AnyState, batch: Batch | ManyBatch, order: Any, n_jobs: int = 1) -> None:
    """Look at these rows: all as "given", some by `Given`, or as listed. They are a part of a pass: nobody
    has all rows, so keep="pocket" goes by runs of right answers alone."""
    if isinstance(state, OneColumn):
        assert isinstance(batch, Batch)
        if isinstance(state.keeper, Pocket) and state.keeper.ratchet:
            state.keeper = state.keeper._replace(ratchet=False)
        for segment in one_pass(order, state, batch, seed=0):
            learn(state, batch, segment)
        store_committee(state, batch)
        return
    assert isinstance(batch, ManyBatch)
    if isinstance(state, Columns):
        with_shared_ratchet(state, batch, False)
    learn_rows(state, batch, order, 0, n_jobs, ratchet=False)


def end_pass(state: AnyState) -> None:
    """All rows have been looked at once more."""
    if isinstance(state, OneColumn):
        state.epochs += 1
    else:
        many.end_pass(state)


def make_room(state: AnyState, n_features: int) -> None:
    """Room for features that were not there before; their weights are 0."""
    if n_features <= state.n_features:
        return
    if isinstance(state, OneColumn):
        state.widen(n_features)
    else:
        widen_many(state, n_features)
