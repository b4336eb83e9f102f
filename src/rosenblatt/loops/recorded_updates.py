"""A wrapper of an averaging strategy that records every update: its row, its step and its coefficients.

The record suffices to write the weights as a sum over training rows (`training.update_record`). The wrapper
is a separate class, so loops that record nothing are compiled without this code.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.averaging.averaging_hooks import (
    after_quiet,
    answers_first,
    before_rescale,
    before_shrink,
    before_update,
    returned_value,
    take_answer,
)
from rosenblatt.numeric.compiling import inline, with_default
from rosenblatt.rules.covariance_memory import ScaledRow

UPDATE = np.dtype(
    [
        ("row", np.int64),
        ("step", np.int64),  # the number of steps before the update
        ("column", np.int32),
        ("coefficient", np.float64),  # w̃ gains coefficient·Σx̃, or coefficient·x̃
        ("beta", np.float64),  # Σ ← diag(Σ − beta·(Σx̃)(Σx̃)ᵀ) after the update
        ("shrink", np.float64),  # factor of w̃ just before the update
    ]
)


class Recorded(NamedTuple):
    """Hold a strategy and the updates of a run.

    `updates` has space for one entry per step and changed column. `counts` holds the number of entries, the
    number of steps, and the column that learns. `scales` holds the scale of the weights before they shrank;
    it is 0 if they did not shrink.
    """

    inner: Any
    updates: NDArray[Any]
    counts: NDArray[np.int64]
    scales: NDArray[np.float64]


@with_default
def note_update(stride, keeper, i, coefficient, shrink):
    """Add an update to the record; an update that changes several columns has an entry for each."""
    note_column(keeper, i, keeper.counts[2], coefficient, 0.0, shrink)


@inline
def note_column(keeper, i, column, coefficient, beta, shrink):
    """Add the change of one column to the record."""
    update = keeper.updates[keeper.counts[0]]
    update["row"], update["step"], update["column"] = i, keeper.counts[1], column
    update["coefficient"], update["beta"], update["shrink"] = coefficient, beta, shrink
    keeper.counts[0] += 1


@note_update.of(ScaledRow)
def _(stride, keeper, i, coefficient, shrink):
    note_column(keeper, i, keeper.counts[2], coefficient, stride.beta, shrink)


@before_shrink.of(Recorded)
def _(keeper, scale):
    keeper.scales[0] = scale
    before_shrink(keeper.inner, scale)


@before_rescale.of(Recorded)
def _(keeper, weights):
    before_rescale(keeper.inner, weights)


@before_update.of(Recorded)
def _(keeper, rows, i, delta, factor, offset, scale):
    before = keeper.scales[0]
    note_update(rows, keeper, i, delta * scale, factor * scale / before if before != 0.0 else 1.0)
    keeper.scales[0] = 0.0
    keeper.counts[1] += 1
    before_update(keeper.inner, rows, i, delta, factor, offset, scale)


@after_quiet.of(Recorded)
def _(keeper, looks):
    keeper.counts[1] += looks
    return after_quiet(keeper.inner, looks)


@answers_first.of(Recorded)
def _(keeper):
    return answers_first(keeper.inner)


@returned_value.of(Recorded)
def _(keeper, rows, i, offset, s, scale, quiet):
    return returned_value(keeper.inner, rows, i, offset, s, scale, quiet)


@take_answer.of(Recorded)
def _(keeper, mistake, label):
    take_answer(keeper.inner, mistake, label)
