"""Column: one binary classifier, with its weights, counters, and the state of its rule and averaging."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import averaging, rules
from rosenblatt.averaging.averaged import parts
from rosenblatt.errors import BadInput
from rosenblatt.loops.walk import begun_tally, squared_length
from rosenblatt.numeric.examples import Dense, Rows, Sparse, stack
from rosenblatt.numeric.widening import widen
from rosenblatt.training.means import Mean
from rosenblatt.training.overflow_errors import overflow
from rosenblatt.training.scoring import linear_scores, mean_scores, votes


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
    epochs: int = 0
    support: list[Rows] = field(default_factory=list)
    support_rows: int = 0
    stored: int = 1  # number of members of a committee whose rows are in `support`; member 0 has no row
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

    def kept(self) -> NDArray[np.float64]:
        """Return the weights (w, b) that the averaging strategy returns."""
        kept: NDArray[np.float64] = averaging.kept(
            self.keeper, self.weights, self.scale, self.examples_seen
        )
        return kept

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

        With `kept`, the weights are those of the averaging strategy, otherwise the current ones.
        """
        if not kept:  # the loop decides by the sign of v·x; scale·v would be rounded
            return self.scale * linear_scores(self.weights, self.offset, rows)
        if isinstance(self.keeper, averaging.Voted):
            return votes(self.keeper, self.start, self.committee(), self.offset, self.tie, rows)
        if (mean := self.mean()) is not None:
            return mean_scores(self.kept(), mean, self.offset, rows)
        is_there = isinstance(self.keeper, averaging.Last) and self.scale == 1.0  # no copy is needed
        return linear_scores(self.weights if is_there else self.kept(), self.offset, rows)

    def check_kept(self) -> None:
        """Raise an error if the mean of the weights has overflowed, even if the weights have not."""
        keeper = self.keeper
        if isinstance(keeper, averaging.Averaged) and not np.isfinite(squared_length(keeper.correction)):
            with np.errstate(over="ignore", invalid="ignore"):
                if not np.isfinite(self.kept()).all():
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
        self.keeper = averaging.widened(self.keeper, n_features + 1)
        self.memory = rules.widened(self.rule, self.memory, n_features + 1)
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
        memory=rules.widened(rule, rules.start(rule), start.size),
        keeper=averaging.begin(keep, start),
        weights=np.zeros(start.shape) if is_zero else start.copy(),
        tally=begun_tally(start[:1] if is_zero else start),
        offset=1.0 if offset else 0.0,
        tie=tie,
        start=start,
        began_at_zero=is_zero,
    )
