"""Error messages for problems during training and prediction."""

from __future__ import annotations

from rosenblatt.errors import BadInput
from rosenblatt.loops.decide import ROW_NOT_FINITE, WEIGHTS_OVERFLOWED
from rosenblatt.numeric.row_batches import Rows, first_not_finite, not_finite


def trouble(status: int, rows: Rows, row: int) -> BadInput:
    if status == ROW_NOT_FINITE and (bad := first_not_finite(rows, row)):
        return not_finite(row, *bad)
    assert status == WEIGHTS_OVERFLOWED
    return overflow(f" before row {row}" if row >= 0 else "")


def overflow(where: str = "") -> BadInput:
    return BadInput(
        f"X: the weights overflowed{where}; divide the features by their largest value first "
        "(sklearn.preprocessing.MaxAbsScaler does); if they are small, use a rule whose steps are "
        "bounded, such as 'passive_aggressive_1' or 'scw1'"
    )
