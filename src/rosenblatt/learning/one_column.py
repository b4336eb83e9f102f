"""OneColumn: the state of a run of one column, as two classes have it; what `learn` takes and changes."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt import keepers, rules
from rosenblatt.arithmetic.compiling import is_packaged
from rosenblatt.arithmetic.examples import (
    Batch,
    Rows,
    Sparse,
    first_not_finite,
    not_finite,
    stack,
    take,
    tie_label,
)
from rosenblatt.arithmetic.next_row import Given, Listed
from rosenblatt.arithmetic.widening import widen
from rosenblatt.engine.decide import ROW_NOT_FINITE, WEIGHTS_OVERFLOWED
from rosenblatt.engine.walk import TALLY, walk, walk_fresh
from rosenblatt.errors import BadInput, bad_choice, bad_value
from rosenblatt.keepers.averaged import parts
from rosenblatt.keepers.shape import after_quiet, consider, errors_to_beat
from rosenblatt.learning.counting import Counted
from rosenblatt.learning.means import Mean

INITS = ("zeros", "unit")


@dataclass
class OneColumn(Counted):
    """The weights w̃ = scale·v with v in `weights` (offset last), and all that goes with them."""

    rule: Any
    memory: Any
    keeper: Any
    weights: NDArray[np.float64]
    tally: NDArray[Any]
    offset: float
    tie: str
    start: NDArray[np.float64]
    epochs: int = 0
    support: list[Rows] = field(default_factory=list)
    support_rows: int = 0
    stored: int = 1  # members of a committee whose rows are in `support`; member 0 has none

    @property
    def n_features(self) -> int:
        return len(self.weights) - 1

    @property
    def scale(self) -> float:
        return float(self.tally["scale"][0])

    @property
    def examples_seen(self) -> int:
        return self.total("examples_seen")

    def clock(self, name: str) -> NDArray[Any]:
        """A clock of the one column."""
        found: NDArray[Any] = self.tally[name]
        return found

    def total(self, name: str) -> int:
        return int(self.tally[name][0])  # asked at every step of a trace: an array's sum takes longer

    @property
    def exact_decisions(self) -> int:
        return self.total("exact_decisions")

    @property
    def is_committee(self) -> bool:
        return isinstance(self.keeper, keepers.Voted)

    def current(self) -> NDArray[np.float64]:
        """(w, b) as the next look will use them."""
        return self.scale * self.weights

    def kept(self) -> NDArray[np.float64]:
        """(w, b) as the keeper leaves them."""
        kept: NDArray[np.float64] = keepers.kept(self.keeper, self.weights, self.scale, self.examples_seen)
        return kept

    def mean(self) -> Mean | None:
        """What is kept, unrounded, where it is a mean."""
        keeper, looks = self.keeper, self.examples_seen
        if not isinstance(keeper, keepers.Averaged) or not looks:
            return None
        scales = float(keeper.before[0] + keeper.looks[0] * self.scale)
        length = abs(scales) * math.sqrt(squared_length(self.weights)) / looks
        return Mean(length, float(looks), lambda: parts(keeper, self.weights, self.scale)[:, None, :])

    def survival(self) -> NDArray[np.int64]:
        """The looks that each member of a committee lasted."""
        survival: NDArray[np.int64] = self.keeper.survival[: self.keeper.members[0]].copy()
        return survival

    def committee(self) -> Rows:
        """The rows that the members of a committee were made on, in one piece."""
        if len(self.support) > 1:
            self.support = [stack(self.support)]
        return self.support[0]

    def copy(self) -> OneColumn:
        """A state that can be changed without changing this one."""
        twin = copy.copy(self)
        twin.weights = self.weights.copy()
        twin.tally = self.tally.copy()
        twin.keeper = _copied(self.keeper)
        twin.memory = _copied(self.memory)
        twin.support = list(self.support)
        return twin

    def widen(self, n_features: int) -> None:
        """Make room for features that were not there before; their weights are 0, and the rule says what
        else they begin with."""
        self.weights = widen(self.weights, n_features + 1)
        self.start = widen(self.start, n_features + 1)
        self.keeper = keepers.widened(self.keeper, n_features + 1)
        self.memory = rules.widened(self.rule, self.memory, n_features + 1)
        self.support = [
            part._replace(n_features=n_features) if isinstance(part, Sparse) else part
            for part in self.support
        ]


def _copied(parts: Any) -> Any:
    """A keeper or a memory whose arrays are its own."""
    if parts is None:
        return None
    return type(parts)(*(part.copy() if isinstance(part, np.ndarray) else part for part in parts))


def begin(
    n_features: int,
    rule: Any = "rosenblatt",
    keep: str = "last",
    offset: bool = True,
    tie: str = "mistake",
    init: Any = "zeros",
) -> OneColumn:
    """The state before the first look.

    >>> begin(2, init="unit").current()
    array([0.70710678, 0.70710678, 0.        ])
    """
    rule = rules.as_rule(rule)
    check_parameters(offset, tie)
    weights = _initial_weights(init, n_features)
    _refuse_lone_offset(weights, offset)
    refuse_votes(rule, keep)
    tally = np.zeros(1, TALLY)
    tally["scale"], tally["norm2"] = 1.0, squared_length(weights)
    return OneColumn(
        rule=rule,
        memory=rules.widened(rule, rules.start(rule), n_features + 1),
        keeper=keepers.begin(keep, weights),
        weights=weights,
        tally=tally,
        offset=1.0 if offset else 0.0,
        tie=tie,
        start=weights.copy(),
    )


def refuse_votes(rule: Any, keep: str) -> None:
    """A committee is a list of multiples of rows."""
    if keep == "voted" and rules.keeps_arrays(rule):
        raise BadInput(
            f"keep: 'voted' makes its vectors again from the rows they learned from, and the steps of "
            f"{rules.name_of(rule)!r} are no multiples of rows; use keep='averaged', or another rule"
        )


def check_parameters(offset: Any, tie: Any) -> None:
    tie_label(tie)
    if not isinstance(offset, (bool, np.bool_)):
        raise bad_value("offset", offset, "True or False")


def initial_columns(init: Any, n_columns: int, n_features: int, offset: bool) -> NDArray[np.float64]:
    """Where so many columns start: one (w, b) for all of them, or one in each row."""
    w, b = init if _is_pair(init) else (init, None)
    w = w if isinstance(w, str) else _as_numbers(w)
    if isinstance(w, str) or w.ndim < 2:
        start = _initial_weights(init, n_features)
        _refuse_lone_offset(start, offset)
        return start
    if w.ndim > 2 or len(w) != n_columns:
        raise BadInput(
            f"init: weights of shape {w.shape} for {n_columns} columns of {n_features} features; give a "
            "row for each class or label"
        )
    b = np.zeros(1) if b is None else _as_vector(b)
    if b.size not in (1, n_columns):
        raise BadInput(f"init: {b.size} offsets for {n_columns} columns; give one for each, or one for all")
    b = np.broadcast_to(b, (n_columns,))
    each = np.stack([_initial_weights((w[c], b[c]), n_features) for c in range(n_columns)])
    for start in each:
        _refuse_lone_offset(start, offset)
    return each


def _is_pair(init: Any) -> bool:
    return isinstance(init, tuple) and len(init) == 2 and np.ndim(_as_numbers(init[0])) > 0


def _refuse_lone_offset(weights: NDArray[np.float64], offset: bool) -> None:
    if weights[-1] and not offset:
        raise BadInput(
            f"init: a start with b = {weights[-1]:g}, but offset=False leaves no b; give weights only"
        )


def squared_length(weights: NDArray[np.float64]) -> float:
    """‖w̃‖², infinite where it is too large for a double."""
    with np.errstate(over="ignore"):
        return float(np.einsum("j,j->", weights, weights))  # BLAS would wake threads that then spin


def _initial_weights(init: Any, n_features: int) -> NDArray[np.float64]:
    weights = np.zeros(n_features + 1)
    if isinstance(init, str):
        if init not in INITS:
            raise bad_choice("init", init, (*INITS, "an array of weights", "a pair (weights, offset)"))
        if init == "unit":
            weights[:-1] = 1.0 / np.sqrt(n_features)
        return weights
    w, b = init if _is_pair(init) else (init, 0.0)
    w, b = _as_vector(w), _as_vector(b)
    if b.size != 1:
        raise BadInput(f"init: expected one number for the offset, got {b.size}")
    if w.size != n_features:
        raise BadInput(f"init: {w.size} weights for {n_features} features; give one for each feature")
    weights[:-1], weights[-1] = w, b[0]
    if not np.isfinite(weights).all():
        raise BadInput("init: the starting weights must be finite")
    return weights


def _as_vector(w: ArrayLike) -> NDArray[np.float64]:
    return _as_numbers(w).ravel()


def _as_numbers(w: ArrayLike) -> NDArray[np.float64]:
    try:
        return np.asarray(w, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadInput(f"init: expected 'zeros', 'unit' or an array of weights, got {w!r}") from error


def loop_of(rule: Any) -> Any:
    """The loop that learns by this rule; that of a rule from outside is not kept on disk."""
    return walk if is_packaged(rule) else walk_fresh


def learn(state: OneColumn, batch: Batch, order: Given | Listed) -> None:
    """Look at the rows of `order`. The state changes in place; on an error it is half-learned."""
    if isinstance(state.keeper, keepers.Voted):
        looks = order.stop - order.start if isinstance(order, Given) else len(order.rows)
        state.keeper = keepers.with_room(state.keeper, looks)
    state.memory, status, row, _ = loop_of(state.rule)(
        batch.rows,
        batch.labels,
        batch.importance,
        order,
        state.offset,
        tie_label(state.tie),
        state.rule,
        state.memory,
        state.keeper,
        state.weights,
        state.tally,
    )
    if not np.isfinite(state.tally["norm2"][0]) and not np.isfinite(state.weights).all():
        status = WEIGHTS_OVERFLOWED  # at the last look, so that no later one could find it
    if status:
        raise trouble(status, batch.rows, int(row))


def pass_by(state: OneColumn, looks: int = 1) -> None:
    """So many looks at which there was nothing to learn and no example to show: only the clocks go on, and
    that of the keeper."""
    keeper = state.keeper
    if after_quiet(keeper, looks) and not errors_to_beat(keeper):  # without rows errors cannot be counted
        consider(keeper, state.weights, state.scale, 0)
    state.tally["examples_seen"] += looks


def check_kept(state: OneColumn) -> None:
    """A mean can overflow where the weights themselves do not."""
    keeper = state.keeper
    if isinstance(keeper, keepers.Averaged) and not np.isfinite(squared_length(keeper.correction)):
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(state.kept()).all():
                raise overflow()


def trouble(status: int, rows: Rows, row: int) -> BadInput:
    if status == ROW_NOT_FINITE and (bad := first_not_finite(rows, row)):
        return not_finite(row, *bad)
    assert status == WEIGHTS_OVERFLOWED
    return overflow(f" before row {row}" if row >= 0 else "")


def overflow(where: str = "") -> BadInput:
    return BadInput(
        f"X: the weights overflowed{where}; divide the features by their largest value first "
        "(sklearn.preprocessing.MaxAbsScaler does)"
    )


def store_committee(state: OneColumn, batch: Batch) -> None:
    """Copy the rows that new members of a committee were made on: the batch may go away."""
    if not isinstance(state.keeper, keepers.Voted):
        return
    members = int(state.keeper.members[0])
    new = state.keeper.row[state.stored : members]
    if new.size:
        rows, place = np.unique(new, return_inverse=True)
        state.support.append(take(batch.rows, rows))
        state.keeper.row[state.stored : members] = state.support_rows + place
        state.support_rows += len(rows)
    state.stored = members
