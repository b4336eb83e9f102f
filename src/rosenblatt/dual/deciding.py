"""Decision values in dual form: what each keeper answers, for many rows at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.rows import ROUNDING
from rosenblatt.dual.explicit import Monomials
from rosenblatt.dual.record import KEEPERS, Terms
from rosenblatt.dual.state import DualState, bounding_roots, overflow
from rosenblatt.dual.support import rows_of, with_squares
from rosenblatt.errors import bad_choice
from rosenblatt.examples import Rows, n_features, n_rows, take, tie_label
from rosenblatt.kernels import Custom
from rosenblatt.loops.blocked import UNDERFLOW
from rosenblatt.loops.dual_votes import count_dual_votes

BLOCK_BYTES = 1 << 25  # of kernel values of one block of rows with all support rows
MOST_ROWS = 1024


def check_keep(keep: Any) -> None:
    if not isinstance(keep, str) or keep not in KEEPERS:
        raise bad_choice("keep", keep, KEEPERS)


def decision_values(
    state: DualState, rows: Rows, keep: str, drawn: int = 0, written_out: Monomials | None = None
) -> NDArray[np.float64]:
    """The value of each row (first axis) and column (second axis): Σ weight·K̃, or for "voted" the votes.

    Where rounding could change the answer (the sign of one column, the largest of several), the values are
    those of the plain loop. written_out: as in `dual.state.Lesson`.
    """
    check_keep(keep)
    if keep == "voted":
        return _votes(state, rows)
    terms = [record.terms(keep, state.looks, drawn) for record in state.records]
    weights = np.column_stack([t.merged(len(state.support)) for t in terms])
    values = np.empty((n_rows(rows), state.n_columns))
    mass = np.abs(weights).T @ state.support.roots
    long = max((len(t.member) for t in terms), default=0) + len(state.support) + 16
    w = written_out.combined(state.support, weights) if written_out is not None else np.empty(0)
    for part, X, x2 in _blocks(state, rows, 1):
        roots = _roots(state, X, x2)
        error = _error(state, rows, x2) + long * ROUNDING
        if written_out is not None:
            found = written_out.map(X) @ w
            error += written_out.error
        else:
            found = _by_support(state, weights, X, x2)
        found += state.offset * weights.sum(axis=0)
        doubt = error * roots[:, None] * mass + UNDERFLOW
        _settle(state, rows, part, terms, found, doubt)
        values[part] = found
    return values


def _by_support(state: DualState, weights: NDArray[np.float64], X: Any, x2: Any) -> NDArray[np.float64]:
    """Σ weight·K(x, support row) for the rows of X."""
    found = np.zeros((X.shape[0], state.n_columns))
    for which, values in _with_support(state, X, x2):
        found += state.space.get(values @ state.space.put(weights[which]))
    return found


def _settle(
    state: DualState,
    rows: Rows,
    part: slice,
    terms: list[Terms],
    found: NDArray[np.float64],
    doubt: NDArray[np.float64],
) -> None:
    """Where the answer is in doubt, put in the values of the plain loop."""
    if isinstance(state.kernel, Custom) or not len(state.support):
        return
    if state.n_columns == 1:
        unsure = np.abs(found) <= doubt
    else:
        best = np.argmax(found, axis=1)[:, None]
        gap = np.take_along_axis(found, best, 1) - found
        rivals = gap <= doubt + np.take_along_axis(doubt, best, 1)
        unsure = rivals & (rivals.sum(axis=1) > 1)[:, None]
    for i, c in np.argwhere(unsure):
        found[i, c] = state.plain_sum(terms[c], take(rows, np.array([part.start + i])))


def _votes(state: DualState, rows: Rows) -> NDArray[np.float64]:
    tie = -1.0 if tie_label(state.tie) <= 0.0 else 1.0
    votes = np.empty((n_rows(rows), state.n_columns))
    for part, X, x2 in _blocks(state, rows, len(state.support)):
        roots, error = _roots(state, X, x2), _error(state, rows, x2)
        values = np.empty((part.stop - part.start, len(state.support)))
        for which, kernel_values in _with_support(state, X, x2):
            values[:, which] = state.space.get(kernel_values)
        for c, record in enumerate(state.records):
            survival = record.survival(state.looks)
            mass = np.cumsum(np.abs(record.delta) * state.support.roots[record.member])
            counted, unsure = np.empty(len(values)), np.zeros(len(values), np.bool_)
            count_dual_votes(
                values,
                record.member,
                record.delta,
                survival,
                state.offset,
                tie,
                error,
                mass,
                roots,
                counted,
                unsure,
            )
            if not isinstance(state.kernel, Custom):
                for i in np.flatnonzero(unsure):
                    counted[i] = _plain_votes(
                        state, c, take(rows, np.array([part.start + i])), survival, tie
                    )
            votes[part, c] = counted
    return votes


def _plain_votes(
    state: DualState, column: int, row: Rows, survival: NDArray[np.int64], tie: float
) -> float:
    record = state.records[column]
    values = np.full(len(state.support), np.nan)
    state.plain_values(row, np.unique(record.member), values)
    running = np.cumsum(
        record.delta * (values[record.member] + state.offset)
    )  # numpy's cumsum is the plain loop
    return float(survival[0] * tie + survival[1:] @ np.where(running == 0.0, tie, np.sign(running)))


def _blocks(state: DualState, rows: Rows, width: int) -> Iterator[tuple[slice, Any, Any]]:
    """Rows in blocks, as matrices with their ‖x‖²."""
    step = max(1, min(MOST_ROWS, BLOCK_BYTES // (8 * max(1, width))))
    for start in range(0, n_rows(rows), step):
        part = slice(start, min(start + step, n_rows(rows)))
        yield part, *with_squares(rows_of(rows, part), state.space)


def _with_support(state: DualState, X: Any, x2: Any) -> Iterator[tuple[slice, Any]]:
    for part, support_rows, _ in state.support.parts():
        Z, z2 = state.support.matrix(part, support_rows, state.space)
        yield part, state.kernel.matrix(X, Z, x2, z2, state.space)


def _roots(state: DualState, X: Any, x2: Any) -> NDArray[np.float64]:
    if isinstance(state.kernel, Custom):
        return np.zeros(X.shape[0])  # it would cost as much as the values themselves
    with np.errstate(over="ignore"):
        diagonal = state.space.get(state.kernel.diagonal(X, x2, state.space))
    if not np.isfinite(diagonal).all():
        raise overflow(state.kernel, float(x2.max()))
    return bounding_roots(state.kernel, diagonal, state.offset)


def _error(state: DualState, rows: Rows, x2: Any) -> float:
    return float(state.kernel.error(n_features(rows), max(state.largest2, float(x2.max()))))
