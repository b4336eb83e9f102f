"""Mixing: all shards learn at once from the same weights, then these are mixed, round after round.

Round r begins at wᵣ for every shard. Shard s walks its rows with the rule and ends at wᵣₛ; the next round
begins at

    wᵣ₊₁ = Σₛ μₛ wᵣₛ,    Σₛ μₛ = 1,

with μₛ = 1/S ("uniform"), or in proportion to the updates that shard made ("mistakes": for Rosenblatt's
rule these are its mistakes), column by column. With kᵣₛ mistakes of shard s in round r, Rosenblatt's rule
from zero makes Σᵣ Σₛ μᵣₛ kᵣₛ ≤ R²/γ² on separable data (of the lifted points, with an offset): at most
S·R²/γ² mistakes in all when the mixture is uniform.

keep="averaged": the mean over rounds of Σₛ μₛ·(mean of w over the looks of shard s in that round).

Sums are made in a tree whose shape depends on the number of shards alone, so the bits do not depend on who
does what. McDonald, Hall & Mann, Distributed training strategies for the structured perceptron, 2010.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import rules
from rosenblatt.arithmetic.examples import Dense, Rows, Sparse
from rosenblatt.arithmetic.widening import widen
from rosenblatt.cluster import clients
from rosenblatt.cluster.parts import FileParts, Load
from rosenblatt.cluster.relay import RelayRun
from rosenblatt.cluster.tasks import Baton, Hop, learn
from rosenblatt.errors import BadInput, bad_value
from rosenblatt.keepers import Averaged
from rosenblatt.learning.beginning import Recipe, begin_columns
from rosenblatt.learning.columns import Columns
from rosenblatt.learning.compile_time import Stopwatch
from rosenblatt.learning.one_column import OneColumn, column_at
from rosenblatt.learning.settings import StreamSettings

MOST_AT_ONCE = 1 << 23
"""Bytes that all shards together bring, where these come in one message each worker."""
COUNTS = ("mistakes", "updates", "exact_decisions", "false_positives")


@dataclass
class Mixture:
    """Sums over shards: of mass × weights, of mass × mean, of the mass itself, column by column; of what
    they counted."""

    weights: NDArray[np.float64]
    means: NDArray[np.float64] | None
    mass: NDArray[np.float64]
    counts: NDArray[np.int64]  # COUNTS of each column
    examples: int
    start: NDArray[np.float64]
    by_feature: bool
    n_bad: int
    n_dropped: int


# ---------------------------------------------------------------- what workers do


def begin_shard(baton: Baton) -> Baton:
    """A shard begins at the weights of the round, with nothing kept and nothing counted."""
    if baton.state is None:
        return baton
    state = baton.state
    fresh = state_at(
        np.atleast_2d(state.current()), baton.settings, baton.teaching.n_columns, is_by_feature(state)
    )
    return replace(baton, state=fresh)


def shard_mixture(baton: Baton, mix: str) -> Mixture | None:
    """What a shard brings to the mixture; None where it had no rows."""
    state = baton.state
    if state is None or not state.examples_seen:
        return None
    clocks = state.clocks()
    mass = np.ones(state.n_columns)
    if mix == "mistakes":
        mass = clocks["updates"].astype(np.float64)
        if baton.settings.multiclass == "ultraconservative":  # a mistake is one of all classes
            mass = np.full(state.n_columns, mass.sum())
    weights = np.atleast_2d(state.current())
    means = np.atleast_2d(state.kept()) if baton.settings.keep == "averaged" else None
    return Mixture(
        mass[:, None] * weights,
        None if means is None else mass[:, None] * means,
        mass,
        np.stack([clocks[name].astype(np.int64) for name in COUNTS]),
        state.examples_seen,
        np.asarray(state.start),
        is_by_feature(state),
        baton.n_bad,
        baton.n_dropped,
    )


def learn_shard(baton: Baton, hop: Hop, begins: bool, mix: str | None, load: Any) -> Any:
    """The baton after one load of a shard. begins: it is the first. mix: it is the last, and this is what
    the shard brings."""
    baton = learn(begin_shard(baton) if begins else baton, hop, load)
    return baton if mix is None else shard_mixture(baton, mix)


def learn_shards(baton: Baton, hops: list[Hop], mix: str, shards: list[list[Any]]) -> list[Mixture | None]:
    """What each of some shards brings, whose partitions all lie here."""
    found = []
    for hop, (first, *rest) in zip(hops, shards, strict=True):
        after = learn(begin_shard(baton), hop, first)
        for number, load in enumerate(rest, 1):
            shuffle = None if hop.shuffle is None else (*hop.shuffle[:2], hop.shuffle[2] + number)
            after = learn(after, hop._replace(shuffle=shuffle), load)
        found.append(shard_mixture(after, mix))
    return found


class Tree:
    """A sum whose shape depends on the number of terms alone: a binary counter of them."""

    def __init__(self, add: Callable[[Any, Any], Any]) -> None:
        self._add, self._sums = add, list[tuple[int, Any]]()  # (terms, their sum)

    def add(self, term: Any) -> None:
        self._sums.append((1, term))
        while len(self._sums) > 1 and self._sums[-2][0] == self._sums[-1][0]:
            self._join()

    def total(self) -> Any:
        while len(self._sums) > 1:
            self._join()
        return self._sums[0][1]

    def _join(self) -> None:
        (n, one), (m, other) = self._sums[-2:]
        self._sums[-2:] = [(n + m, self._add(one, other))]


def added(one: Mixture | None, other: Mixture | None) -> Mixture | None:
    """The sums over the shards of both."""
    if one is None or other is None:
        return one or other
    width = max(one.weights.shape[1], other.weights.shape[1])
    both = [replace(each, **_widened(each, width)) for each in (one, other)]
    one, other = both
    return replace(
        one,
        weights=one.weights + other.weights,
        means=None if one.means is None or other.means is None else one.means + other.means,
        mass=one.mass + other.mass,
        counts=one.counts + other.counts,
        examples=one.examples + other.examples,
        by_feature=one.by_feature or other.by_feature,
        n_bad=one.n_bad + other.n_bad,
        n_dropped=one.n_dropped + other.n_dropped,
    )


def _widened(mixture: Mixture, width: int) -> dict[str, Any]:
    return {
        name: None if array is None else widen(array, width)
        for name, array in (
            ("weights", mixture.weights),
            ("means", mixture.means),
            ("start", mixture.start),
        )
    }


# ---------------------------------------------------------------- states


def is_by_feature(state: Any) -> bool:
    """Whether the panels of a state of many columns are laid out for sparse rows."""
    return isinstance(state, Columns) and state.by_feature


def state_at(
    weights: NDArray[np.float64], settings: StreamSettings, n_columns: int | None, by_feature: bool
) -> Any:
    """The state before the first look of columns whose (w, b) are these."""
    s, d = settings, weights.shape[1] - 1
    if n_columns is None:
        return column_at(weights[0].copy(), s.rule, s.keep, s.offset, s.tie)
    nothing = np.empty(0)
    rows: Rows = Dense(np.empty((0, d)))
    if by_feature:
        rows = Sparse(nothing, nothing.astype(np.uint32), np.zeros(1, np.uint32), d)
    sharing = s.sharing if s.multiclass == "ultraconservative" else None
    recipe = Recipe(s.rule, s.keep, s.offset, s.tie, (weights[:, :-1], weights[:, -1]))
    return begin_columns(recipe, rows, n_columns, "given", sharing)


def mixed(
    before: Any, mixture: Mixture, settings: StreamSettings, n_columns: int | None, rounds: int
) -> Any:
    """The state after a round. before: that of `rounds` rounds; None before the first."""
    width, mass = mixture.weights.shape[1], mixture.mass[:, None]
    old = None if before is None else widen(np.atleast_2d(before.current()), width)
    if old is None:
        old = widen(np.atleast_2d(mixture.start), width)
    with np.errstate(invalid="ignore"):  # columns that nothing has moved have no mass
        weights = np.where(mass > 0.0, mixture.weights / mass, old)
    state = state_at(weights, settings, n_columns, mixture.by_feature)
    state.start = widen(mixture.start if before is None else before.start, width)
    state.epochs = 0 if before is None else before.epochs
    looks = mixture.examples + (0 if before is None else before.examples_seen)
    counts = mixture.counts.copy()
    if before is not None:
        counts += np.stack([before.clocks()[name].astype(np.int64) for name in COUNTS])
    mean = None
    if mixture.means is not None:
        with np.errstate(invalid="ignore"):
            mean = np.where(mass > 0.0, mixture.means / mass, weights)
        if before is not None:  # as it is kept: a run that is resumed has no more than that
            mean = (rounds * widen(np.atleast_2d(before.kept()), width) + mean) / (rounds + 1)
    _keep(state, weights, mean, counts, looks)
    return state


def _keep(
    state: Any,
    weights: NDArray[np.float64],
    mean: NDArray[np.float64] | None,
    counts: NDArray[np.int64],
    looks: int,
) -> None:
    """Give a state its counters, and what makes its keeper leave this mean."""
    beside = None if mean is None else float(looks) * weights - float(looks) * mean
    if isinstance(state, Columns):
        clocks = state.clocks()
        for name, values in zip(COUNTS, counts, strict=True):
            clocks[name] = values
        state.examples_seen = looks
        state.write(weights, beside, clocks)
        return
    columns = [state] if isinstance(state, OneColumn) else state.states
    for k, column in enumerate(columns):
        for name, values in zip(COUNTS, counts, strict=True):
            column.tally[name] = values[k]
        column.tally["examples_seen"] = looks
        column.epochs = state.epochs
        if beside is not None:
            column.keeper = Averaged(beside[k], np.zeros(1), np.array([looks]))


# ---------------------------------------------------------------- rounds


class MixingRun(RelayRun):
    """A run whose passes are rounds of mixing. Each shard is a run of parts that learn in turn."""

    def __init__(self, *given: Any, mix: str = "uniform", shards: int | None = None, **more: Any) -> None:
        super().__init__(*given, **more)
        self._mix, self._shards = mix, shards
        refuse_unmixable(self.settings.rule, self.settings.keep)
        if shards is not None and (isinstance(shards, bool) or not isinstance(shards, int) or shards < 1):
            raise bad_value("shards", shards, "a whole number of at least 1")

    def _carry(self, watch: Stopwatch) -> None:
        if self.position.parts:
            return  # the round is over, and was saved
        if self.history:
            self.workers = clients.workers_of(self.client, self.patience)
        (begin,) = self._begin_batons()
        shards = self.parts.shards(self._shards)
        together = self._side_by_side(shards)
        mixture = (
            self._mixture(begin, shards) if together is None else self._at_once(begin, shards, together)
        )
        self.begun.clear()
        if mixture is None:
            raise BadInput(f"{self.source.name}: there are no rows; give a source with rows")
        self._take(mixture, watch)
        self._stop_if_asked()
        self.watch(self)

    def _mixture(self, begin: Any, shards: list[list[Load]]) -> Mixture | None:
        """The sum over all shards, each of them a chain of tasks, added up on the workers."""
        sums, keeps = Tree(self._added), self._may_keep()
        under_way: deque[Any] = deque()
        part = 0
        for turn, shard in enumerate(shards):
            baton, where = begin, {}
            if isinstance(self.parts, FileParts):  # rows stay where they are read
                at = self.workers[turn % len(self.workers)]
                where = {"workers": [at], "allow_other_workers": True}
            for number, load in enumerate(shard):
                read: Any = self.parts.unread(self.client, load)
                if keeps or read is None or repr(load.what) in self.begun:
                    (read,) = self._submit_loads([load], keeps)
                baton = self.client.submit(
                    learn_shard, baton, self._hop(part), number == 0,
                    self._mix if number + 1 == len(shard) else None, read,
                    key=self._key("learn"), priority=10 + number, pure=False, **where,
                )  # fmt: skip
                part += load.n_parts or 1
            under_way.append(baton)
            sums.add(baton)
            del baton
            while len(under_way) > 2 * len(self.workers):
                clients.wait_for(self.client, [under_way.popleft()], self.patience)
        (mixture,) = clients.fetched(self.client, [sums.total()], self.patience)
        return mixture

    def _side_by_side(self, shards: list[list[Load]]) -> list[list[int]] | None:
        """Numbers of shards whose rows lie at the same worker, for one task each; None where nobody knows
        where they lie, or what all of them bring is too much for one message."""
        if not getattr(self.parts, "is_in_place", False):
            return None
        columns = self.teaching.n_columns or 1  # type: ignore[union-attr]
        each = 8 * columns * (self.parts.n_features + 1) * (2 if self.settings.keep == "averaged" else 1)
        if each * len(shards) > MOST_AT_ONCE:
            return None
        threads = clients.threads_of(self.client)
        by_place: dict[Any, list[list[int]]] = {}
        for number, shard in enumerate(shards):
            place = self.parts.place_of(shard)
            groups = by_place.setdefault(place, [[] for _ in range(threads.get(place, 1))])
            min(groups, key=len).append(number)
        return [group for groups in by_place.values() for group in groups if group]

    def _at_once(self, begin: Any, shards: list[list[Load]], together: list[list[int]]) -> Mixture | None:
        """The same, with one task for the shards that lie side by side."""
        firsts = np.cumsum([0, *(sum(load.n_parts or 1 for load in shard) for shard in shards)]).tolist()
        asked = [
            self.client.submit(
                learn_shards, begin, [self._hop(firsts[k]) for k in group], self._mix,
                [self._submit_loads(shards[k], keeps=False) for k in group],
                key=self._key("learn"), priority=10, pure=False,
            )
            for group in together
        ]  # fmt: skip
        found = clients.fetched(self.client, asked, self.patience)
        brought = {
            k: each
            for group, some in zip(together, found, strict=True)
            for k, each in zip(group, some, strict=True)
        }
        sums = Tree(added)
        for k in range(len(shards)):
            sums.add(brought[k])
        return sums.total()

    def _hop(self, part: int) -> Hop:
        if self.settings.order != "shuffled":
            return Hop()
        return Hop(shuffle=(self.settings.seed, len(self.history), part))

    def _take(self, mixture: Mixture, watch: Stopwatch) -> None:
        if mixture.n_bad > self.parts.skip_bad:
            raise BadInput(
                f"{self.source.name}: {mixture.n_bad:,} bad lines, and {self.parts.skip_bad:,} may be "
                "passed over; mend them, or allow more (skip_bad)"
            )
        assert self.teaching is not None
        state = mixed(self.state, mixture, self.settings, self.teaching.n_columns, len(self.history))
        if not np.isfinite(np.atleast_2d(state.current())).all():
            raise BadInput("the mixture of the weights overflows; scale the features, or use fewer rounds")
        self.is_learning = True
        self.state = state
        self.position.parts = self.parts.n_parts or 1
        self.position.seconds = watch.learning
        self._told(mixture.n_bad, mixture.n_dropped)
        self.bytes_done = self.parts.bytes_until(self.position.parts)
        self.is_learning = False

    def _begin_batons(self) -> list[Any]:
        self.progressive.false_positives = None  # nobody answers for all shards
        return super()._begin_batons()

    def _added(self, one: Any, other: Any) -> Any:
        return self.client.submit(added, one, other, key=self._key("add"), priority=10, pure=False)


def refuse_unmixable(rule: Any, keep: str) -> None:
    """Refuse what has no mixture, with the reason."""
    if keep in ("voted", "pocket"):
        why = {
            "voted": "is a list of all vectors of one run, and shards have as many lists",
            "pocket": "is the vector with the longest run of right answers, and a mixture has had none",
        }[keep]
        raise BadInput(f"keep: {keep!r} {why}; use keep='averaged', or how='relay'")
    if rules.start(rules.as_rule(rule)) is not None or rules.keeps_arrays(rules.as_rule(rule)):
        raise BadInput(
            f"rule: {rules.name_of(rules.as_rule(rule))!r} remembers more than w from look to look, and "
            "what shards remember has no mixture; use how='relay', or a rule without memory"
        )
