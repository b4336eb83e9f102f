"""OneColumn: the state of a run of one column, as two classes have it; what `learn` takes and changes."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import keepers, rules
from rosenblatt.arithmetic.examples import TIES, Batch, Dense, Rows, Sparse, stack, take
from rosenblatt.arithmetic.first_met import FirstMet
from rosenblatt.arithmetic.next_row import Given, Listed
from rosenblatt.arithmetic.widening import widen
from rosenblatt.engine.decide import WEIGHTS_OVERFLOWED
from rosenblatt.engine.walk import begun_tally, count_errors, squared_length, walk, walk_fresh
from rosenblatt.errors import BadInput
from rosenblatt.keepers.averaged import Answering, parts
from rosenblatt.keepers.pocket import IN_POCKET, NOT_COMPARED
from rosenblatt.keepers.shape import after_quiet, consider, errors_to_beat, in_the_loop
from rosenblatt.learning.means import Mean
from rosenblatt.learning.near_memory import bring_back, narrowed, renumbered
from rosenblatt.learning.orders import SEARCHES, Passes, looks_of
from rosenblatt.learning.run import Counted, Counters, Plan
from rosenblatt.learning.scoring import linear_scores, mean_scores, votes, wrong
from rosenblatt.learning.troubles import overflow, trouble


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
    began_at_zero: bool = False  # known to have

    n_columns = 1
    mistakes_are_errors = True

    # ------------------------------------------------------------ what it knows

    @property
    def n_features(self) -> int:
        return len(self.weights) - 1

    @property
    def scale(self) -> float:
        return float(self.tally["scale"][0])

    @property
    def examples_seen(self) -> int:
        return self.total("examples_seen")

    def clocks(self) -> NDArray[Any]:
        """Return the clocks of the one column."""
        return self.tally

    def total(self, name: str) -> int:
        return int(self.tally[name][0])  # asked at every step of a trace: an array's sum takes longer

    def counters(self) -> Counters:
        return Counters.of(self.tally, self.examples_seen)

    @property
    def exact_decisions(self) -> int:
        return self.total("exact_decisions")

    @property
    def is_committee(self) -> bool:
        return isinstance(self.keeper, keepers.Voted)

    def current(self) -> NDArray[np.float64]:
        """Return (w, b) as the next step will use them."""
        return self.scale * self.weights

    def kept(self) -> NDArray[np.float64]:
        """Return (w, b) of the averaging strategy."""
        kept: NDArray[np.float64] = keepers.kept(self.keeper, self.weights, self.scale, self.examples_seen)
        return kept

    def mean(self) -> Mean | None:
        """Return the unrounded mean if the strategy keeps one, otherwise None."""
        keeper, looks = self.keeper, self.examples_seen
        if not isinstance(keeper, keepers.Averaged) or not looks:
            return None
        scales = float(keeper.before[0] + keeper.looks[0] * self.scale)
        length = abs(scales) * math.sqrt(squared_length(self.weights)) / looks

        def at_places(at: NDArray[np.int64] | None) -> NDArray[np.float64]:
            made = parts(keeper, self.weights, self.scale)[:, None, :]
            return made if at is None else made[..., at]

        return Mean(length, float(looks), at_places)

    def committees(self) -> list[OneColumn]:
        """Return the committees that vote, one for each column."""
        return [self]

    def survival(self) -> NDArray[np.int64]:
        """Return the number of steps that each member of a committee survived."""
        survival: NDArray[np.int64] = self.keeper.survival[: self.keeper.members[0]].copy()
        return survival

    def held(self) -> list[Rows]:
        """Return the stored rows of examples: those of a committee."""
        return self.support

    def committee(self) -> Rows:
        """Return the rows of the updates that formed the members of a committee, in one piece."""
        if len(self.support) > 1:
            self.support = [stack(self.support)]
        return self.support[0] if self.support else Dense(np.empty((0, self.n_features)))

    @contextmanager
    def answering_first(self) -> Iterator[NDArray[np.int64]]:
        """Predict each row by the mean before it is learned from, while this context lasts.

        It yields the number of wrong predictions so far, and of those for rows of the first class. Only
        for a strategy that keeps a mean.
        """
        told = np.zeros(2, np.int64)
        mean: keepers.Averaged = self.keeper
        self.keeper = Answering(mean.correction, mean.before, mean.looks, told)
        try:
            yield told
        finally:
            self.keeper = mean  # its arrays are those that were written to

    # ------------------------------------------------------------ deciding

    def answers(self) -> OneColumn:
        return self

    def values(self, rows: Rows) -> NDArray[np.float64]:
        """Return w·x + b of every row, its sign exact; for a committee Σ survival × sign."""
        if self.is_committee:
            return votes(self.keeper, self.start, self.committee(), self.offset, self.tie, rows)
        mean = self.mean()
        if mean is None:
            return linear_scores(self.kept(), self.offset, rows)
        return mean_scores(self.kept(), mean, self.offset, rows)

    def best(self, rows: Rows) -> NDArray[np.int64]:
        """Return 1 for rows of the second class, 0 for those of the first; `tie` decides a value of 0."""
        values = self.values(rows)
        return (values >= 0.0 if self.tie == "positive" else values > 0.0).astype(np.int64)

    def error(self, batch: Batch) -> float:
        """Return E(h), the fraction of present rows that are misclassified; `tie` decides a value of 0."""
        present = batch.present()
        rows, labels = batch.rows, batch.labels
        if present is not None:
            rows, labels = take(rows, present), labels[present]
        return float(wrong(self.values(rows), labels, self.tie).mean())

    def check_kept(self) -> None:
        """Raise an error if a mean has overflowed, which it can even if the weights have not."""
        keeper = self.keeper
        if isinstance(keeper, keepers.Averaged) and not np.isfinite(squared_length(keeper.correction)):
            with np.errstate(over="ignore", invalid="ignore"):
                if not np.isfinite(self.kept()).all():
                    raise overflow()

    # ------------------------------------------------------------ learning

    def on(self, batch: Batch, plan: Plan) -> ColumnLesson:
        if isinstance(self.keeper, keepers.Pocket):
            settle_pocket(self, batch, plan)
        return ColumnLesson(self, batch, plan, renumbered(self, batch, plan))

    def why_not_on_device(self, batch: Batch) -> str | None:
        return "trains many classifiers together, and this is one"

    def end_pass(self) -> None:
        self.epochs += 1

    def copy(self) -> OneColumn:
        """Return a state that can be changed without changing this one."""
        twin = copy.copy(self)
        twin.weights = self.weights.copy()
        twin.tally = self.tally.copy()
        twin.keeper = _copied(self.keeper)
        twin.memory = _copied(self.memory)
        twin.support = list(self.support)
        return twin

    def widen(self, n_features: int) -> None:
        """Add features whose weights are 0; the rule determines their memory."""
        self.weights = widen(self.weights, n_features + 1)
        self.start = widen(self.start, n_features + 1)
        self.keeper = keepers.widened(self.keeper, n_features + 1)
        self.memory = rules.widened(self.rule, self.memory, n_features + 1)
        self.support = [
            part._replace(n_features=n_features) if isinstance(part, Sparse) else part
            for part in self.support
        ]


def _copied(parts: Any) -> Any:
    """Return a strategy's state or a memory with copied arrays."""
    if parts is None:
        return None
    return type(parts)(*(part.copy() if isinstance(part, np.ndarray) else part for part in parts))


def column_at(
    start: NDArray[np.float64], rule: Any, keep: str, offset: bool, tie: str, is_zero: bool = False
) -> OneColumn:
    """Return the initial state of a column whose (w, b) is `start`.

    is_zero tells that it is known to be 0, so that its memory is neither read nor copied: zeros that are
    never written take none.
    """
    if keep == "voted" and rules.keeps_arrays(rule):  # a committee is a list of multiples of rows
        raise BadInput(
            "keep: 'voted' rebuilds its vectors from the rows of their updates, and the steps of "
            f"{rules.name_of(rule)!r} are not multiples of rows; use keep='averaged', or another rule"
        )
    return OneColumn(
        rule=rule,
        memory=rules.widened(rule, rules.start(rule), start.size),
        keeper=keepers.begin(keep, start),
        weights=np.zeros(start.shape) if is_zero else start.copy(),
        tally=begun_tally(start[:1] if is_zero else start),
        offset=1.0 if offset else 0.0,
        tie=tie,
        start=start,
        began_at_zero=is_zero,
    )


def loop_of(rule: Any) -> Any:
    """Return the loop that learns by this rule; that of a user's rule is not stored on disk."""
    return walk if rules.is_packaged(rule) else walk_fresh


def pass_by(state: OneColumn, looks: int = 1) -> None:
    """Advance the clocks, and that of the averaging strategy, by steps without an update or an example."""
    keeper = state.keeper
    if after_quiet(keeper, looks) and not errors_to_beat(keeper):  # without rows errors cannot be counted
        consider(keeper, state.weights, state.scale, 0)
    state.tally["examples_seen"] += looks


class ColumnLesson:
    """The examples that one column learns from."""

    note = ""

    def __init__(self, state: OneColumn, batch: Batch, plan: Plan, met: FirstMet | None = None) -> None:
        self._state, self._batch, self._plan, self._met = state, batch, plan, met
        self._rows, self._near = (batch.rows, state) if met is None else (met.rows, narrowed(state, met))
        self._began = state.epochs
        self._loop, self._tie = loop_of(state.rule), TIES[state.tie]
        self._passes = Passes(batch, plan.seed)
        self.looks = self._passes.looks(plan.order)

    def one_pass(self, order: Any) -> Iterator[None]:
        """Visit the rows of `order`. The state changes in place; on an error it is half-learned."""
        state, batch, near = self._state, self._batch, self._near
        before = state.mistakes
        for segment in self._passes.segments(order, state):
            if isinstance(state.keeper, keepers.Voted):
                state.keeper = keepers.with_room(state.keeper, looks_of(segment))
            state.memory, status, row, _ = self._loop(
                self._rows, batch.labels, batch.importance, segment, state.offset, self._tie, state.rule,
                state.memory, in_the_loop(near.keeper), near.weights, state.tally,
            )  # fmt: skip
            if not np.isfinite(state.tally["norm2"][0]) and not np.isfinite(near.weights).all():
                status = WEIGHTS_OVERFLOWED  # at the last look, so that no later one could find it
            if status:
                raise trouble(status, batch.rows, int(row))
            yield
        if isinstance(state.keeper, keepers.Voted):
            store_committee(state, batch)
        passes = state.epochs + 1 - self._began
        if self._met is not None and self._plan.looks_at_weights(passes, state.mistakes - before):
            bring_back(near, state, self._met)


ANY_PLAN = Plan()


def learn(state: OneColumn, batch: Batch, order: Given | Listed) -> None:
    """Visit the rows of `order` and learn, without the other parts of a run."""
    for _ in ColumnLesson(state, batch, ANY_PLAN).one_pass(order):
        pass


def store_committee(state: OneColumn, batch: Batch) -> None:
    """Copy the rows that new members of a committee were made on: the batch may go away."""
    members = int(state.keeper.members[0])
    new = state.keeper.row[state.stored : members]
    if new.size:
        rows, place = np.unique(new, return_inverse=True)
        state.support.append(take(batch.rows, rows))
        state.keeper.row[state.stored : members] = state.support_rows + place
        state.support_rows += len(rows)
    state.stored = members


def settle_pocket(state: OneColumn, batch: Batch, plan: Plan) -> None:
    """Count the errors of the vector in the pocket if all rows are available.

    In a part of a stream keep="pocket" goes by runs of correct steps alone.
    """
    if not plan.has_all_rows:
        state.keeper = state.keeper._replace(ratchet=False)
        return
    refuse_searching(plan.order)
    best = state.keeper.best
    errors = count_errors(
        batch.rows, batch.labels, batch.importance, state.offset, TIES[state.tie], best,
        squared_length(best), batch.n_rows,
    )  # fmt: skip
    if errors != state.keeper.best_errors[0]:  # other rows than before: runs on those count no more
        standing = IN_POCKET if np.array_equal(best, state.current()) else NOT_COMPARED
        state.keeper = keepers.begin("pocket", best)._replace(
            best_errors=np.array([errors]), standing=np.array([standing])
        )
    state.keeper = state.keeper._replace(ratchet=True)


def refuse_searching(order: Any) -> None:
    """Refuse orders that keep="pocket" has no use for."""
    if isinstance(order, str) and order in SEARCHES:
        raise BadInput(
            f"order: {order!r} visits only misclassified rows, so no vector has a run of correct "
            "predictions, which keep='pocket' needs; use order='shuffled' or 'given'"
        )
