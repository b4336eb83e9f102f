"""Train the classifiers of `PanelColumns` in one pass over the rows, row by row or in blocks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from rosenblatt import rules
from rosenblatt.loops.decide import FINE
from rosenblatt.loops.threads import each_in_threads, n_threads, one_blas_thread
from rosenblatt.loops.together import Panel, Screen, walk_blocks, walk_rows
from rosenblatt.numeric.blas_products import gemm_address
from rosenblatt.numeric.next_row import Given, Listed
from rosenblatt.numeric.row_batches import TIES, Dense, Rows, n_rows
from rosenblatt.training.many_batch import ManyBatch
from rosenblatt.training.orders import Passes, looks_of, parts_of
from rosenblatt.training.overflow_errors import overflow, trouble
from rosenblatt.training.panel_columns import MANY_COLUMNS, PanelColumns, precision
from rosenblatt.training.run import Plan
from rosenblatt.training.shared_blocks import Stage, learn_in_stages

CHUNK_BYTES = 1 << 19  # bytes of rows that stay in a core's cache while its panels learn in turn

Share = list[tuple[Panel, Screen]]
"""The panels that one thread trains, each with the constants of its error bound."""


class PanelTrainer:
    """Train all classifiers of a state on the same examples, in one pass over the rows."""

    note = ""

    def __init__(self, state: PanelColumns, batch: ManyBatch, plan: Plan) -> None:
        state.suit(batch.rows)
        self._state, self._batch, self._n_columns = state, batch, state.n_columns
        self._passes = Passes(batch, plan.seed)
        self.looks = self._passes.looks(plan.order)
        self._shares = _shares(state, 1 if plan.n_jobs is None else n_threads(plan.n_jobs))
        self._is_blocked = isinstance(batch.rows, Dense) and self._n_columns >= MANY_COLUMNS
        self._made_by = state.offset, TIES[state.tie], state.rule, None, rules.facts(state.rule).is_fixed

    def one_pass(self, order: Any) -> Iterator[None]:
        """Visit the rows of `order`; all classifiers learn.

        After an error the state stays partly trained.
        """
        state, shares = self._state, self._shares
        for number, segment in enumerate(self._passes.segments(order, state.epochs)):
            if number:
                yield
            looks = looks_of(segment)
            if self._is_blocked:
                self._in_blocks(segment, shares)
            elif len(shares) == 1:
                self._row_by_row(segment, shares[0])
            else:
                each_in_threads(partial(self._row_by_row, segment), shares)
            state.examples_seen += looks
            refuse_overflow(state.panels)

    def _row_by_row(self, order: Given | Listed, share: Share) -> None:
        batch, before = self._batch, self._state.examples_seen
        for part in parts_of(order, _rows_in_cache(batch.rows)) if len(share) > 1 else [order]:
            for panel, screen in share:
                status, row = walk_rows(
                    batch.rows, batch.targets, batch.importance, batch.balance, part, *self._made_by, panel,
                    screen, before,
                )  # fmt: skip
                if status:
                    raise trouble(status, batch.rows, int(row))
            if len(share) > 1:
                before += looks_of(part)

    def _in_blocks(self, order: Given | Listed, shares: list[Share]) -> None:
        """Learn in blocks of rows.

        One matrix product computes the scores of a block for all classifiers of a thread; then each
        classifier visits the rows by its own scores.
        """
        batch, before, size = self._batch, self._state.examples_seen, block_size(self._n_columns)
        rows = batch.rows
        assert isinstance(rows, Dense)
        gemm = gemm_address(rows.values.dtype)
        rooms = [np.empty(size * len(panel.clocks), panel.screen.dtype) for ((panel, _),) in shares]
        ended = [(FINE, -1)] * len(shares)

        def learn(thread: int, stage: Stage, looks_before: int) -> None:
            if ended[thread][0] != FINE:
                return  # continue to prepare blocks for the other threads, which may find an earlier error
            ((panel, screen),) = shares[thread]
            status, row = walk_blocks(
                stage.rows(), stage.which, batch.targets, batch.importance, batch.balance, size,
                stage.grams, gemm, rooms[thread], *self._made_by, panel, screen, before + looks_before,
            )  # fmt: skip
            if status:
                ended[thread] = status, int(stage.which[row])

        with one_blas_thread():  # each thread multiplies its own matrices
            learn_in_stages(rows, order, size, len(shares), learn)
        for status, row in ended:
            if status:
                raise trouble(status, rows, row)


def refuse_overflow(panels: list[Panel]) -> None:
    """Raise an error if the last step has made a weight infinite, since no later step can detect it."""
    for panel in panels:
        if not np.isfinite(panel.clocks["length2"]).all() and not np.isfinite(panel.weights).all():
            raise overflow()


def _shares(state: PanelColumns, n_jobs: int) -> list[Share]:
    """Divide the classifiers among the threads."""
    if state.by_feature:
        shares = [share for k in range(n_jobs) if (share := state.panels[k::n_jobs])]
    else:
        n, panel = state.n_columns, state.panels[0]
        bounds = np.linspace(0, n, min(n_jobs, n) + 1).astype(int)
        shares = [[_slice(panel, int(first), int(end))] for first, end in pairwise(bounds)]
    return [[(panel, precision(panel)) for panel in share] for share in shares]


def _slice(panel: Panel, first: int, end: int) -> Panel:
    """Return a view of columns first … end − 1 of a panel."""
    part = slice(first, end)
    return Panel(
        panel.first + first, panel.weights[part], panel.beside[part], panel.screen[part], panel.clocks[part]
    )


def block_size(n_columns: int) -> int:
    """Return the number of rows in a block.

    The Gram matrix of n rows costs as much as the scores of n/2 classifiers.
    """
    return 256 if n_columns >= 512 else 128


def _rows_in_cache(rows: Rows) -> int:
    n = n_rows(rows)
    size = rows.values.nbytes if isinstance(rows, Dense) else rows.values.nbytes + rows.indices.nbytes
    return max(1, CHUNK_BYTES * n // max(1, size))
