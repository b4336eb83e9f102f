"""Mixing: in each round, all shards learn in parallel from the same weights; the results are averaged.

In round r every shard starts at wᵣ. Shard s trains on its rows and ends at wᵣₛ; the next round starts at

    wᵣ₊₁ = Σₛ μₛ wᵣₛ,    Σₛ μₛ = 1.

With mix="uniform", μₛ = 1/S. With mix="mistakes", μₛ is proportional to the shard's updates (for
Rosenblatt's rule, its mistakes), separately for each classifier. Let kᵣₛ be the mistakes of shard s in
round r. For Rosenblatt's rule from zero on separable data, Σᵣ Σₛ μᵣₛ kᵣₛ ≤ R²/γ². (If there is an offset, R
and γ refer to the points (x, 1).) So with a uniform mixture there are at most S·R²/γ² mistakes in all.

keep="averaged" returns the mean over rounds of Σₛ μₛ·(mean of w over the steps of shard s in that round).

Sums are computed along a tree whose shape depends only on the number of shards, so the result is
bit-identical for every distribution of the work. McDonald, Hall & Mann, Distributed training strategies for
the structured perceptron, 2010.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from rosenblatt import rules
from rosenblatt.cluster import dask_client
from rosenblatt.cluster.file_parts import FileParts, Load
from rosenblatt.cluster.relay_run import RelayRun
from rosenblatt.cluster.shard_mixtures import Mixture, Tree, add, learn_shard, learn_shards, mix_state
from rosenblatt.cluster.worker_tasks import Hop, refuse_bad_lines
from rosenblatt.errors import BadInput, whole_number
from rosenblatt.training.compile_time import Stopwatch

MOST_IN_MESSAGES = 1 << 23
"""If all shards' results have at most this many bytes, the client adds them; otherwise workers do."""


class MixingRun(RelayRun):
    """Train in rounds of mixing. A shard consists of consecutive parts, which are learned in order."""

    def __init__(self, *given: Any, mix: str = "uniform", shards: int | None = None, **more: Any) -> None:
        super().__init__(*given, **more)
        self._mix, self._shards = mix, shards
        refuse_unmixable(self.settings.rule, self.settings.keep)
        if shards is not None:
            whole_number("shards", shards, 1)

    def _carry(self, watch: Stopwatch) -> None:
        if self.position.parts:
            return  # the round was completed before the run was resumed
        if self.history:
            self.workers = dask_client.workers_of(self.client, self.patience)
        self.progressive.false_positives = None  # no single model answers before it learns
        mixture = self._mixture(self._begin_baton(), self.parts.shards(self._shards))
        if not self._may_keep():
            self._held.clear()
        if mixture is None:
            raise BadInput(f"{self.source.name}: there are no rows; give a source with rows")
        refuse_bad_lines(mixture.n_bad, self.parts.skip_bad, self.source.name)
        assert self.teaching is not None
        state = mix_state(self.state, mixture, self.settings, self.teaching.n_columns, len(self.history))
        if not np.isfinite(np.atleast_2d(state.current())).all():
            raise BadInput("the mixture of the weights overflows; scale the features, or use fewer rounds")
        self.is_learning = True
        self.state = state
        self._advance(self.parts.n_parts or 1, mixture.n_bad, mixture.n_dropped, watch)

    def _mixture(self, begin: Any, shards: list[list[Load]]) -> Mixture | None:
        """Train all shards for one round, and return the sum of their contributions."""
        is_small = self._result_bytes(len(shards)) <= MOST_IN_MESSAGES
        if is_small and self.parts.is_in_place:
            return self._mixture_in_place(begin, shards)
        sums = Tree(add)
        if not is_small:
            sums = Tree(lambda *two: self.client.submit(add, *two, priority=10, pure=False))
        get = dask_client.fetch if is_small else dask_client.wait_for
        hops = enumerate(self._with_hops(shards))
        tasks = (self._submit_shard(begin, number, shard) for number, shard in hops)
        for result in dask_client.in_order(self.client, tasks, self.patience, get):
            sums.add(result)
        whole: Any = sums.total()
        return whole if is_small else dask_client.fetch(self.client, [whole], self.patience)[0]

    def _mixture_in_place(self, begin: Any, shards: list[list[Load]]) -> Mixture | None:
        """Do the same as `_mixture` for partitions in workers' memory, with one task per worker thread."""
        groups = self.parts.group_by_worker(shards)
        given = [
            [(hop, self.parts.submit(self.client, [load])[0]) for hop, load in shard]
            for shard in self._with_hops(shards)
        ]
        tasks = [
            self.client.submit(
                learn_shards, begin, self._mix, [given[k] for k in group], priority=10, pure=False
            )
            for group in groups
        ]
        found = dask_client.fetch(self.client, tasks, self.patience)
        by_number = dict(zip(chain(*groups), chain(*found), strict=True))
        sums = Tree(add)
        for number in range(len(shards)):
            sums.add(by_number[number])
        whole: Mixture | None = sums.total()
        return whole

    def _with_hops(self, shards: list[list[Load]]) -> Iterator[list[tuple[Hop, Load]]]:
        """Yield the loads of each shard, each with a hop that states how to shuffle its rows."""
        is_shuffled, part = self.settings.order == "shuffled", 0
        for shard in shards:
            found = []
            for load in shard:
                shuffle = (self.settings.seed, len(self.history), part) if is_shuffled else None
                found.append((Hop(shuffle=shuffle), load))
                part += load.n_parts or 1
            yield found

    def _submit_shard(self, baton: Any, number: int, shard: list[tuple[Hop, Load]]) -> Any:
        """Submit a chain of tasks that trains on a shard; return the future of its contribution."""
        where: dict[str, Any] = {}
        if isinstance(self.parts, FileParts):  # a shard's rows stay at one worker
            at = self.workers[number % len(self.workers)]
            where = {"workers": [at], "allow_other_workers": True}
        keeps = self._may_keep()
        for place, (hop, load) in enumerate(shard):
            if keeps or load.key in self._held:
                (rows,) = self._submit_loads([load], keeps)
            else:
                rows = self.parts.unread(self.client, load)
            mix = self._mix if place + 1 == len(shard) else None
            baton = self.client.submit(
                learn_shard, baton, hop, place == 0, mix, rows, priority=10 + place, pure=False, **where
            )
        return baton

    def _result_bytes(self, n_shards: int) -> float:
        """Return the approximate number of bytes of the results of n shards."""
        n_features = getattr(self.parts, "n_features", np.inf)  # unknown for files
        columns = self.teaching.n_columns or 1  # type: ignore[union-attr]
        arrays = 3 if self.settings.keep == "averaged" else 2
        return 8.0 * columns * (n_features + 1) * arrays * n_shards


def refuse_unmixable(rule: Any, keep: str) -> None:
    """Raise an error that states the reason if this rule or averaging strategy cannot be mixed."""
    if keep in ("voted", "pocket"):
        why = {
            "voted": "stores all vectors of one run, but each shard is a separate run",
            "pocket": "stores the vector with the longest correct run, which a mixture does not have",
        }[keep]
        raise BadInput(f"keep: {keep!r} {why}; use keep='averaged', or how='relay'")
    if rules.start(rules.as_rule(rule)) is not None or rules.keeps_arrays(rules.as_rule(rule)):
        raise BadInput(
            f"rule: {rules.name_of(rules.as_rule(rule))!r} stores more than w between examples, "
            "which cannot be averaged over shards; use how='relay', or a rule that stores only w"
        )
