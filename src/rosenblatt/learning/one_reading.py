"""Columns that learn together: all of them in one reading of the rows, row by row or in blocks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from itertools import pairwise
from typing import Any

import numpy as np

from rosenblatt.arithmetic.examples import Dense, Rows, n_rows, take, tie_label
from rosenblatt.arithmetic.next_row import Given, Listed
from rosenblatt.engine.threads import each_in_threads, one_blas_thread
from rosenblatt.engine.together import Panel, walk_block, walk_rows
from rosenblatt.learning.columns import MANY_COLUMNS, Columns
from rosenblatt.learning.many_batch import ManyBatch
from rosenblatt.learning.orders import looks_in_a_pass, looks_of, one_pass, parts_of
from rosenblatt.learning.panel_memory import precision
from rosenblatt.learning.run import Plan
from rosenblatt.learning.troubles import trouble

CHUNK_BYTES = 1 << 19  # rows that stay in a core's cache while its panels take turns


class TogetherLesson:
    """The examples that all columns learn from, in one reading of the rows."""

    note = ""

    def __init__(self, state: Columns, batch: ManyBatch, plan: Plan) -> None:
        self._state, self._batch, self._seed, self._n_jobs = state, batch, plan.seed, plan.n_jobs
        self.looks = looks_in_a_pass(plan.order, batch)

    def one_pass(self, order: Any) -> Iterator[None]:
        for segment in one_pass(order, self._state, self._batch, self._seed):
            learn_together(self._state, self._batch, segment, self._n_jobs)
            yield


def learn_together(state: Columns, batch: ManyBatch, order: Given | Listed, n_jobs: int = 1) -> None:
    """Look at the rows of `order`; all columns learn. On an error the state is half-learned."""
    state.suit(batch.rows)
    blocked = isinstance(batch.rows, Dense) and state.n_columns >= MANY_COLUMNS
    engine = _in_blocks if blocked else _row_by_row
    shares = _shares(state, n_jobs)
    if len(shares) == 1:
        engine(state, batch, order, shares[0])
    else:
        with one_blas_thread() if blocked else nullcontext():  # each thread multiplies its own matrices
            each_in_threads(lambda share: engine(state, batch, order, share), shares)
    state.examples_seen += looks_of(order)
    state.refuse_overflow()


def _shares(state: Columns, n_jobs: int) -> list[list[Panel]]:
    """The columns, shared out among so many threads."""
    if state.by_feature:
        return [share for k in range(n_jobs) if (share := state.panels[k::n_jobs])]
    panel = state.panels[0]
    bounds = np.linspace(0, state.n_columns, min(n_jobs, state.n_columns) + 1).astype(int)
    return [[_slice(panel, int(first), int(end))] for first, end in pairwise(bounds)]


def _slice(panel: Panel, first: int, end: int) -> Panel:
    """Some columns of a panel by column, in the same memory."""
    part = slice(first, end)
    return Panel(
        panel.first + first, panel.weights[part], panel.beside[part], panel.screen[part], panel.clocks[part]
    )


def _row_by_row(state: Columns, batch: ManyBatch, order: Given | Listed, share: list[Panel]) -> None:
    before = state.examples_seen
    for part in parts_of(order, _rows_in_cache(batch.rows) if len(share) > 1 else looks_of(order)):
        for panel in share:
            status, row = walk_rows(
                batch.rows, batch.targets, batch.importance, batch.balance, part, state.offset,
                tie_label(state.tie), state.rule, None, state.is_fixed, panel, precision(panel), before,
            )  # fmt: skip
            if status:
                raise trouble(status, batch.rows, int(row))
        before += looks_of(part)


def _in_blocks(state: Columns, batch: ManyBatch, order: Given | Listed, share: list[Panel]) -> None:
    """Scores of a block of rows for all columns are one matrix product; then each column walks its own."""
    (panel,) = share
    before, d = state.examples_seen, state.n_features
    by_these = panel.screen[:, :d]
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for part in parts_of(order, block_size(state.n_columns)):
            which = np.arange(part.start, part.stop) if isinstance(part, Given) else part.rows
            block = take(batch.rows, which)
            scores = by_these @ block.values.T
            gram = block.values @ block.values.T
            status, row = walk_block(
                block, which, batch.targets, batch.importance, batch.balance, scores, gram, state.offset,
                tie_label(state.tie), state.rule, None, state.is_fixed, panel, precision(panel), before,
            )  # fmt: skip
            if status:
                raise trouble(status, batch.rows, int(which[row]))
            before += looks_of(part)


def block_size(n_columns: int) -> int:
    """Rows of a block. Its Gram matrix costs a product with half as many columns as it has rows."""
    return 256 if n_columns >= 512 else 128


def _rows_in_cache(rows: Rows) -> int:
    n = n_rows(rows)
    size = rows.values.nbytes if isinstance(rows, Dense) else rows.values.nbytes + rows.indices.nbytes
    return max(1, CHUNK_BYTES * n // max(1, size))
