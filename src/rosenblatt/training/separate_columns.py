"""Classifiers that learn one after another, by any rule, averaging strategy and order."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt import averaging, rules
from rosenblatt.averaging.averaged import parts
from rosenblatt.errors import BadInput
from rosenblatt.loops.walk import new_tally, squared_length
from rosenblatt.numeric.row_batches import Dense, Rows, Sparse, stack, take
from rosenblatt.numeric.widening import widen
from rosenblatt.training.column_trainer import ColumnTrainer, SeparateTrainer
from rosenblatt.training.linear_state import LinearState, Mean, Places
from rosenblatt.training.overflow_errors import overflow
from rosenblatt.training.run import Answers, Plan, Trainer
from rosenblatt.training.scoring import linear_scores, mean_scores, second_of_two, votes, wrong


@dataclass
class Column:
    """Hold one binary classifier: its weights and counters, and the states of its rule and its averaging.

    The weights are w̃ = scale·v; `weights` holds v, with the offset last.
    """

    rule: Any
    memory: Any
    keeper: Any
    weights: NDArray[np.float64]
    tally: NDArray[Any]
    offset: float
    tie: str
    start: NDArray[np.float64]
    support: list[Rows] = field(default_factory=list)
    support_rows: int = 0
    stored: int = 1  # number of members of a committee whose rows are in `support`; member 0 has no row
    first_pass: int = 0  # number of passes of the state before this classifier was added
    began_at_zero: bool = False  # True if the initial weights are known to be 0

    @property
    def n_features(self) -> int:
        return len(self.weights) - 1

    @property
    def scale(self) -> float:
        return float(self.tally["scale"][0])

    @property
    def examples_seen(self) -> int:
        return int(self.tally["examples_seen"][0])

    def current(self) -> NDArray[np.float64]:
        """Return the weights (w, b) that the next step will use."""
        return self.scale * self.weights

    def returned_weights(self) -> NDArray[np.float64]:
        """Return the weights (w, b) that the averaging strategy returns."""
        weights: NDArray[np.float64] = averaging.returned_weights(
            self.keeper, self.weights, self.scale, self.examples_seen
        )
        return weights

    def mean(self) -> Mean | None:
        """Return the unrounded mean of the weights if the strategy averages, otherwise None."""
        keeper, looks = self.keeper, self.examples_seen
        if not isinstance(keeper, averaging.Averaged) or not looks:
            return None
        scales = float(keeper.before[0] + keeper.looks[0] * self.scale)
        length = abs(scales) * math.sqrt(squared_length(self.weights)) / looks

        def at_places(at: NDArray[np.int64] | None) -> NDArray[np.float64]:
            made = parts(keeper, self.weights, self.scale)[:, None, :]
            return made if at is None else made[..., at]

        return Mean(length, float(looks), at_places)

    def values(self, rows: Rows, kept: bool = True) -> NDArray[np.float64]:
        """Return w·x + b of every row with its exact sign; for a committee, Σ survival × sign.

        With `kept`, use the weights of the averaging strategy, otherwise the current weights.
        """
        if not kept:  # the loop decides by the sign of v·x; scale·v would be rounded
            return self.scale * linear_scores(self.weights, self.offset, rows)
        if isinstance(self.keeper, averaging.Voted):
            return votes(self.keeper, self.start, self.committee(), self.offset, self.tie, rows)
        if (mean := self.mean()) is not None:
            return mean_scores(self.returned_weights(), mean, self.offset, rows)
        is_there = isinstance(self.keeper, averaging.Last) and self.scale == 1.0  # no copy is needed
        return linear_scores(self.weights if is_there else self.returned_weights(), self.offset, rows)

    def check_overflow(self) -> None:
        """Raise an error if the mean of the weights has overflowed, even if the weights have not."""
        keeper = self.keeper
        if isinstance(keeper, averaging.Averaged) and not np.isfinite(squared_length(keeper.correction)):
            with np.errstate(over="ignore", invalid="ignore"):
                if not np.isfinite(self.returned_weights()).all():
                    raise overflow()

    def survival(self) -> NDArray[np.int64]:
        """Return the number of steps that each member of the committee survived."""
        survival: NDArray[np.int64] = self.keeper.survival[: self.keeper.members[0]].copy()
        return survival

    def committee(self) -> Rows:
        """Return the rows whose updates formed the members of the committee."""
        if len(self.support) > 1:
            self.support = [stack(self.support)]
        return self.support[0] if self.support else Dense(np.empty((0, self.n_features)))

    def copy(self) -> Column:
        """Return a copy that can be changed without changing this column."""
        twin = copy.copy(self)
        twin.weights = self.weights.copy()
        twin.tally = self.tally.copy()
        twin.keeper = _copy_arrays(self.keeper)
        twin.memory = _copy_arrays(self.memory)
        twin.support = list(self.support)
        return twin

    def widen(self, n_features: int) -> None:
        """Add features with weight 0; the rule determines their initial memory."""
        self.weights = widen(self.weights, n_features + 1)
        self.start = widen(self.start, n_features + 1)
        self.keeper = averaging.widen_state(self.keeper, n_features + 1)
        self.memory = rules.widen(self.rule, self.memory, n_features + 1)
        self.support = [
            part._replace(n_features=n_features) if isinstance(part, Sparse) else part
            for part in self.support
        ]


def _copy_arrays(parts: Any) -> Any:
    """Return the state of a rule or an averaging strategy with copied arrays."""
    if parts is None:
        return None
    return type(parts)(*(part.copy() if isinstance(part, np.ndarray) else part for part in parts))


def new_column(
    start: NDArray[np.float64], rule: Any, keep: str, offset: bool, tie: str, is_zero: bool = False
) -> Column:
    """Return the initial state of a classifier whose weights (w, b) are `start`.

    With `is_zero`, `start` is known to be 0. Its memory is then neither read nor copied, because pages of
    zeros that are never touched take no memory.
    """
    if keep == "voted" and rules.keeps_arrays(rule):  # a committee is a list of multiples of rows
        raise BadInput(
            "keep: 'voted' rebuilds its vectors from the rows of their updates, and the steps of "
            f"{rules.name_of(rule)!r} are not multiples of rows; use keep='averaged', or another rule"
        )
    return Column(
        rule=rule,
        memory=rules.widen(rule, rules.start(rule), start.size),
        keeper=averaging.begin(keep, start),
        weights=np.zeros(start.shape) if is_zero else start.copy(),
        tally=new_tally(start[:1] if is_zero else start),
        offset=1.0 if offset else 0.0,
        tie=tie,
        start=start,
        began_at_zero=is_zero,
    )


@dataclass(kw_only=True)
class SeparateColumns(LinearState):
    """Hold a `Column` for each weight vector.

    Two classes have one column; the arrays of this state then have no axis for columns.
    """

    columns: list[Column]
    has_two_classes: bool = False

    @property
    def examples_seen(self) -> int:
        return max(column.examples_seen for column in self.columns)

    def clocks(self) -> NDArray[Any]:
        if len(self.columns) == 1:
            return self.columns[0].tally
        return np.concatenate([column.tally for column in self.columns])

    def current(self, at: Places = None) -> NDArray[np.float64]:
        return self._of_columns([column.current() for column in self.columns], at)

    def returned_weights(self, at: Places = None) -> NDArray[np.float64]:
        return self._of_columns([column.returned_weights() for column in self.columns], at)

    def _of_columns(self, vectors: list[NDArray[np.float64]], at: Places) -> NDArray[np.float64]:
        chosen = vectors if at is None else [vector[at] for vector in vectors]
        return chosen[0] if self.has_two_classes else np.stack(chosen)

    def mean(self) -> Mean | None:
        means = [mean for column in self.columns if (mean := column.mean()) is not None]
        if len(means) < len(self.columns):
            return None
        return Mean(
            np.array([mean.lengths for mean in means]),
            np.array([mean.looks for mean in means]),
            lambda at: np.concatenate([mean.parts(at) for mean in means], axis=1),
        )

    def check_overflow(self) -> None:
        for column in self.columns:
            column.check_overflow()

    # ------------------------------------------------------------ deciding

    def committees(self) -> list[Column]:
        return self.columns if self.is_committee else []

    def values(self, rows: Rows, kept: bool = True) -> NDArray[np.float64]:
        """Return the decision value of each row; for many classifiers, in shape (rows, classifiers)."""
        each = [column.values(rows, kept) for column in self.columns]
        return each[0] if self.has_two_classes else np.column_stack(each)

    def answers(self) -> Answers:
        return ColumnAnswers(self) if self.has_two_classes or self.is_committee else super().answers()

    def answers_about(self, rows: Rows, kept: bool) -> tuple[Answers, Rows]:
        return ColumnAnswers(self, kept), rows

    def error(self, batch: Any) -> float:
        if not self.has_two_classes:
            return super().error(batch)
        present, rows, labels = batch.present(), batch.rows, batch.labels
        if present is not None:
            rows, labels = take(rows, present), labels[present]
        return float(wrong(self.values(rows), labels, self.tie).mean())

    # ------------------------------------------------------------ learning

    def on(self, batch: Any, plan: Plan) -> Trainer:
        if self.has_two_classes:
            return ColumnTrainer(self, 0, batch, plan, prepare=True)
        return SeparateTrainer(self, batch, plan)

    def why_not_on_device(self, batch: Any) -> str | None:
        if self.has_two_classes:
            return "trains many classifiers together, and this is one"
        return "does not support this rule, averaging or order"

    def copy(self) -> Self:
        twin = copy.copy(self)
        twin.columns = [column.copy() for column in self.columns]
        return twin

    def widen(self, n_features: int) -> None:
        for column in self.columns:
            column.widen(n_features)
        self.start = widen(self.start, n_features + 1)

    def add_columns(self, n: int) -> None:
        start = self.start if self.start.ndim == 1 else np.zeros(self.n_features + 1)
        for _ in range(n):
            column = new_column(start.copy(), self.rule, self.keep, bool(self.offset), self.tie)
            column.first_pass = self.epochs
            self.columns.append(column)


class ColumnAnswers:
    """Predict by each classifier separately: a committee by its votes, a single vector by its score.

    With `kept`, use the weights of the averaging strategy, otherwise the current weights.
    """

    def __init__(self, state: SeparateColumns, kept: bool = True) -> None:
        self._state, self._is_kept = state, kept

    def values(self, rows: Rows) -> NDArray[np.float64]:
        return self._state.values(rows, self._is_kept)

    def best(self, rows: Rows) -> NDArray[np.int64]:
        """Return the predicted class number: by sign for two classes, otherwise by the largest value."""
        values = self.values(rows)
        if not self._state.has_two_classes:
            return values.argmax(axis=1)
        return second_of_two(values, self._state.tie)

    def lead(self, rows: Rows, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values[:, 1] - values[:, 0]


def separate_columns(
    start: NDArray[np.float64],
    n_columns: int | None,
    rule: Any,
    keep: str,
    offset: bool,
    tie: str,
    is_zero: bool = False,
) -> SeparateColumns:
    """Return the initial state of `n_columns` classifiers; None means two classes with one classifier.

    `start` holds the initial weights (w, b): one vector for each classifier, or one for all. `is_zero`
    states that they are known to be 0.
    """
    if n_columns is None:
        columns = [new_column(start, rule, keep, offset, tie, is_zero)]
    else:
        each = np.broadcast_to(start, (n_columns, start.shape[-1]))
        columns = [new_column(w.copy(), rule, keep, offset, tie) for w in each]
    return SeparateColumns(
        rule=rule, keep=keep, offset=1.0 if offset else 0.0, tie=tie, start=start, columns=columns,
        has_two_classes=n_columns is None,
    )  # fmt: skip
