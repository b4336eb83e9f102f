"""Contributions of shards, their sums, and the state after mixing (see `mixing_run`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.averaging import Averaged
from rosenblatt.cluster.worker_tasks import Baton, Hop, learn
from rosenblatt.numeric.row_batches import Dense, Rows, Sparse
from rosenblatt.numeric.widening import widen
from rosenblatt.training.initial_states import Recipe, begin_columns
from rosenblatt.training.panel_columns import PanelColumns
from rosenblatt.training.separate_columns import separate_columns
from rosenblatt.training.settings import StreamSettings

COUNTS = ("mistakes", "updates", "exact_decisions", "false_positives")


@dataclass
class Mixture:
    """Sums over shards: mass, mass × weights, mass × mean and counts per classifier; numbers of rows."""

    weights: NDArray[np.float64]
    means: NDArray[np.float64] | None
    mass: NDArray[np.float64]
    counts: NDArray[np.int64]  # one row per name in COUNTS, one column per classifier
    examples: int
    start: NDArray[np.float64]
    by_feature: bool
    n_bad: int
    n_dropped: int


# ---------------------------------------------------------------- tasks of workers


def begin_shard(baton: Baton) -> Baton:
    """Return the baton with which a shard starts: the weights of the round, zero counters and averages."""
    if baton.state is None:
        return baton
    state = baton.state
    fresh = state_at(
        np.atleast_2d(state.current()), baton.settings, baton.teaching.n_columns, is_by_feature(state)
    )
    return replace(baton, state=fresh)


def shard_mixture(baton: Baton, mix: str) -> Mixture | None:
    """Return the contribution of a shard to the mixture, or None if it has no rows."""
    state = baton.state
    if state is None or not state.examples_seen:
        return None
    clocks = state.clocks()
    mass = np.ones(state.n_columns)
    if mix == "mistakes":
        mass = clocks["updates"].astype(np.float64)
        if baton.settings.multiclass == "ultraconservative":  # a mistake changes several classes together
            mass = np.full(state.n_columns, mass.sum())
    weights = np.atleast_2d(state.current())
    means = np.atleast_2d(state.returned_weights()) if baton.settings.keep == "averaged" else None
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
    """Return the baton after one load of a shard, or the shard's contribution after the last load.

    `begins` marks the first load. `mix` is None except for the last load.
    """
    baton = learn(begin_shard(baton) if begins else baton, hop, load)
    return baton if mix is None else shard_mixture(baton, mix)


def learn_shards(baton: Baton, mix: str, shards: list[list[tuple[Hop, Any]]]) -> list[Mixture | None]:
    """Return the contributions of several shards, all of whose rows are on this worker."""
    found = []
    for shard in shards:
        after = begin_shard(baton)
        for hop, load in shard:
            after = learn(after, hop, load)
        found.append(shard_mixture(after, mix))
    return found


class Tree:
    """Add terms along a binary tree whose shape depends only on the number of terms."""

    def __init__(self, add_two: Callable[[Any, Any], Any]) -> None:
        self._add_two, self._sums = add_two, list[tuple[int, Any]]()  # (number of terms, their sum)

    def add(self, term: Any) -> None:
        """Append a term to the sum."""
        self._sums.append((1, term))
        while len(self._sums) > 1 and self._sums[-2][0] == self._sums[-1][0]:
            self._join()

    def total(self) -> Any:
        """Return the sum of all terms."""
        while len(self._sums) > 1:
            self._join()
        return self._sums[0][1]

    def _join(self) -> None:
        (n, one), (m, other) = self._sums[-2:]
        self._sums[-2:] = [(n + m, self._add_two(one, other))]


def add(one: Mixture | None, other: Mixture | None) -> Mixture | None:
    """Return the sum of two contributions."""
    if one is None or other is None:
        return one or other
    width = max(one.weights.shape[1], other.weights.shape[1])
    one, other = _widen(one, width), _widen(other, width)
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


def _widen(mixture: Mixture, width: int) -> Mixture:
    if mixture.weights.shape[1] == width:
        return mixture
    means = None if mixture.means is None else widen(mixture.means, width)
    weights, start = widen(mixture.weights, width), widen(mixture.start, width)
    return replace(mixture, weights=weights, means=means, start=start)


# ---------------------------------------------------------------- states


def is_by_feature(state: Any) -> bool:
    """Return whether the weights of a multiclass state are stored by feature, for sparse rows."""
    return isinstance(state, PanelColumns) and state.by_feature


def state_at(
    weights: NDArray[np.float64], settings: StreamSettings, n_columns: int | None, by_feature: bool
) -> Any:
    """Return a state with these weights and zero counters."""
    s, d = settings, weights.shape[1] - 1
    if n_columns is None:
        return separate_columns(weights[0].copy(), None, s.rule, s.keep, s.offset, s.tie)
    nothing = np.empty(0)
    rows: Rows = Dense(np.empty((0, d)))
    if by_feature:
        rows = Sparse(nothing, nothing.astype(np.uint32), np.zeros(1, np.uint32), d)
    sharing = s.sharing if s.multiclass == "ultraconservative" else None
    recipe = Recipe(s.rule, s.keep, s.offset, s.tie, (weights[:, :-1], weights[:, -1]))
    return begin_columns(recipe, rows, n_columns, "given", sharing)


def mix_state(
    before: Any, mixture: Mixture, settings: StreamSettings, n_columns: int | None, rounds: int
) -> Any:
    """Return the state after a round, given the mixture and the state `before` (None at first)."""
    width, mass = mixture.weights.shape[1], mixture.mass[:, None]
    old = None if before is None else widen(np.atleast_2d(before.current()), width)
    if old is None:
        old = widen(np.atleast_2d(mixture.start), width)
    with np.errstate(invalid="ignore"):  # a classifier without updates has mass 0
        weights = np.where(mass > 0.0, mixture.weights / mass, old)
    state = state_at(weights, settings, n_columns, mixture.by_feature)
    state.start = widen(mixture.start if before is None else before.start, width)
    state.epochs = 0 if before is None else before.epochs
    examples_seen = mixture.examples + (0 if before is None else before.examples_seen)
    counts = mixture.counts.copy()
    if before is not None:
        counts += np.stack([before.clocks()[name].astype(np.int64) for name in COUNTS])
    mean = None
    if mixture.means is not None:
        with np.errstate(invalid="ignore"):
            mean = np.where(mass > 0.0, mixture.means / mass, weights)
        if before is not None:  # the stored mean: a resumed run has nothing else
            mean = (rounds * widen(np.atleast_2d(before.returned_weights()), width) + mean) / (rounds + 1)
    _keep(state, weights, mean, counts, examples_seen)
    return state


def _keep(
    state: Any,
    weights: NDArray[np.float64],
    mean: NDArray[np.float64] | None,
    counts: NDArray[np.int64],
    looks: int,
) -> None:
    """Set a state's counters, and prepare its averaging to return this mean."""
    beside = None if mean is None else float(looks) * weights - float(looks) * mean
    if isinstance(state, PanelColumns):
        clocks = state.clocks()
        for name, values in zip(COUNTS, counts, strict=True):
            clocks[name] = values
        state.examples_seen = looks
        state.write(weights, beside, clocks)
        return
    for k, column in enumerate(state.columns):
        if state.has_two_classes:
            column.start = state.start
        for name, values in zip(COUNTS, counts, strict=True):
            column.tally[name] = values[k]
        column.tally["examples_seen"] = looks
        if beside is not None:
            column.keeper = Averaged(beside[k], np.zeros(1), np.array([looks]))
