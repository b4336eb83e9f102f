"""Train many classifiers on a device, which visits blocks of rows; the host decides uncertain signs.

For a block of rows X̃, the device computes S = W X̃ᵀ and G = X̃ X̃ᵀ in double precision. Each column
(binary classifier) jumps from update to update: an update on row i adds ±G[i] to its scores of the later
rows. Then the updates are written into W in their order, each with one rounding, so W has the same bits as
on the host. A column stops at a row whose score is too near its threshold; the host decides by the exact
sum, and the column continues.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from rosenblatt import rules
from rosenblatt.gpu.block_walks import walks_for
from rosenblatt.gpu.torch_backend import OnDevice
from rosenblatt.loops.blocked import IN_DOUBT, UNDERFLOW, meaning
from rosenblatt.loops.column_targets import Classes, LabelTable, signs_of_rows
from rosenblatt.loops.decide import in_doubt
from rosenblatt.loops.together import DOUBLE, SHORTEST2
from rosenblatt.numeric.next_row import Given, Listed
from rosenblatt.numeric.row_batches import Dense, tie_label
from rosenblatt.numeric.rows import ROUNDING
from rosenblatt.training.many_batch import ManyBatch
from rosenblatt.training.orders import Passes, looks_of, parts_of
from rosenblatt.training.overflow_errors import overflow, trouble
from rosenblatt.training.panel_columns import PanelColumns
from rosenblatt.training.run import Plan

BLOCK = 1024  # rows per block
COUNTED = ("updates", "mistakes", "false_positives")  # in the order in which a walk returns them


class DeviceTrainer:
    """Train the columns of a state on a batch held by the device."""

    note = ""

    def __init__(self, state: PanelColumns, batch: ManyBatch, plan: Plan) -> None:
        self._state, self._passes = state, Passes(batch, plan.seed)
        self.looks = self._passes.looks(plan.order)
        self._there = DeviceColumns(state, batch, plan.device)

    def one_pass(self, order: Any) -> Iterator[None]:
        for segment in self._passes.segments(order, self._state.epochs):
            self._there.learn(segment)
            yield
        self._there.bring_back()


class DeviceColumns:
    """Hold the columns of a state, and the examples they learn from, on a device.

    `learn` visits rows; `bring_back` writes the learned weights into the state.
    """

    def __init__(self, state: PanelColumns, batch: ManyBatch, backend: OnDevice) -> None:
        assert isinstance(batch.rows, Dense)
        state.suit(batch.rows)
        (panel,) = state.panels
        self._state, self._batch, self._backend = state, batch, backend
        self._walks = walks_for(backend)
        self._values, self._rows_there = batch.rows.values, None
        if backend.has_room(batch.rows.values.nbytes):
            self._rows_there = backend.copy_of(batch.rows.values)
        self._targets_there = self._put_targets()
        self._importance_there = backend.copy_of(batch.importance) if batch.importance.size else None
        d = state.n_features
        self._weights = backend.copy_of(panel.weights[:, : d + 1])
        self._beside = backend.copy_of(panel.beside[:, : d + 1]) if panel.beside.size else None
        self._since = backend.copy_of(panel.clocks["since"].astype(np.float64))
        self._lengths = backend.copy_of(np.sqrt(panel.clocks["length2"]))
        self._counts = self._since.new_zeros((state.n_columns, len(COUNTED)))
        rate, positive, negative = rules.constants(state.rule)
        self._tau_positive, self._tau_negative = positive, negative
        error, rounding = (d + 16) * ROUNDING, 4 * ROUNDING
        self._parameters = backend.copy_of(np.array([error, rounding, UNDERFLOW, rate, positive, negative]))

    def _put_targets(self) -> Any:
        """Copy the targets to the device if they fit; return None if they do not."""
        targets = self._batch.targets
        if isinstance(targets, Classes):
            return self._backend.copy_of(targets.numbers)
        if isinstance(targets, LabelTable) and self._backend.has_room(targets.table.nbytes):
            return self._backend.copy_of(targets.table)
        return None

    def learn(self, order: Given | Listed) -> None:
        """Visit the rows of `order`; all columns learn."""
        with np.errstate(over="ignore", invalid="ignore"):
            for part in parts_of(order, BLOCK):
                which = np.arange(part.start, part.stop) if isinstance(part, Given) else part.rows
                self._block(which.astype(np.int64))
                self._state.examples_seen += looks_of(part)

    def _block(self, which: NDArray[np.int64]) -> None:
        numbers = self._backend.copy_of(which)
        rows = self._lifted_rows(which, numbers)
        scores, gram = self._weights @ rows.T, rows @ rows.T
        roots = (gram.diagonal() + rows.shape[1] * DOUBLE.tiny).sqrt() * (1.0 + 1e-9)
        labels = self._labels(which, numbers)
        importance = None if self._importance_there is None else self._importance_there[numbers]
        mass, terms = self._lengths.clone(), self._lengths.new_zeros(len(self._lengths))
        start = numbers.new_zeros(len(mass), dtype=torch.int32)
        known = start.clone()
        looks = self._state.examples_seen - self._since
        while True:
            result = self._walks.walk(
                scores, gram, labels, roots, importance, start, known, mass, terms, self._parameters
            )
            self._walks.write(
                self._weights, self._beside, rows, result, labels, importance, looks, self._parameters
            )
            self._counts = self._counts + result[:, 2 : 2 + len(COUNTED)]
            if not bool((result[:, 0] == IN_DOUBT).any()):
                break
            start, known = self._decide_exactly(which, result[:, :2])
        squares = (self._weights * self._weights).sum(dim=1)
        self._lengths = (squares + SHORTEST2).sqrt() * (1.0 + 1e-9)

    def _lifted_rows(self, which: NDArray[np.int64], numbers: Any) -> Any:
        """Return the rows (x, offset) in double precision."""
        x = (
            self._backend.copy_of(self._values[which])
            if self._rows_there is None
            else self._rows_there[numbers]
        )
        rows = self._backend.empty((len(which), x.shape[1] + 1))
        rows[:, :-1] = x
        rows[:, -1] = self._state.offset
        return rows

    def _labels(self, which: NDArray[np.int64], numbers: Any) -> Any:
        """Return the labels −1 and +1 of these rows, in shape (classifiers, rows)."""
        columns = self._state.n_columns
        if self._targets_there is None:
            signs = np.empty((len(which), columns), np.int8)
            signs_of_rows(self._batch.targets, which, 0, signs)
            return self._backend.copy_of(signs).T.contiguous()
        there = self._targets_there[numbers]
        if there.ndim == 1:
            each = self._backend.numbers(np.arange(columns))
            return (2 * (there[None, :] == each[:, None]).to(torch.int8) - 1).contiguous()
        return (2 * there.T.to(torch.int8) - 1).contiguous()

    def _decide_exactly(self, which: NDArray[np.int64], stopped: Any) -> tuple[Any, Any]:
        """Return the row at which each column continues, and the code of the exact decision about that row.

        The codes are those of `loops.blocked.FREE`.
        """
        status, at = stopped.cpu().numpy().T
        known = np.zeros(len(at), np.int32)
        doubtful = np.flatnonzero(status == IN_DOUBT)
        weights = self._weights[self._backend.copy_of(doubtful)].cpu().numpy()
        state = self._state
        for w, c in zip(weights, doubtful.tolist(), strict=True):
            row = int(which[at[c]])
            sign = np.empty((1, state.n_columns), np.int8)
            signs_of_rows(self._batch.targets, which[at[c] : at[c] + 1], 0, sign)
            y = float(sign[0, c])
            tau = self._tau_positive if y > 0.0 else self._tau_negative
            failed, _, mistake, acts = in_doubt(
                self._batch.rows, row, y, state.offset, tie_label(state.tie), tau, w, 1.0
            )
            if failed:
                raise trouble(failed, self._batch.rows, row)
            known[c] = meaning(mistake, acts)
            state.panels[0].clocks[c]["exact_decisions"] += 1
        return self._backend.copy_of(at.astype(np.int32)), self._backend.copy_of(known)

    def bring_back(self) -> None:
        """Write the learned weights into the state."""
        (panel,) = self._state.panels
        d = self._state.n_features
        panel.weights[:, : d + 1] = self._weights.cpu().numpy()
        if self._beside is not None:
            panel.beside[:, : d + 1] = self._beside.cpu().numpy()
        panel.clocks["length2"] = self._lengths.cpu().numpy() ** 2
        for name, made in zip(COUNTED, self._counts.cpu().numpy().T.astype(np.int64), strict=True):
            panel.clocks[name] += made
        self._counts = self._counts * 0
        self._state.panels = [panel._replace(screen=panel.weights)]
        if not np.isfinite(panel.weights).all():
            raise overflow()
