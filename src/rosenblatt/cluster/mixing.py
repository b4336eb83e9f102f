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
from typing import Any

import numpy as np

from rosenblatt import rules
from rosenblatt.cluster import clients
from rosenblatt.cluster.mixtures import (
    Mixture,
    Tree,
    added,
    learn_shard,
    learn_shards,
    mixed,
    summed,
)
from rosenblatt.cluster.parts import FileParts, Load
from rosenblatt.cluster.relay import RelayRun
from rosenblatt.cluster.tasks import Hop
from rosenblatt.errors import BadInput, bad_value
from rosenblatt.learning.compile_time import Stopwatch

MOST_IN_A_MESSAGE, MOST_AT_ONE_WORKER = 1 << 23, 1 << 28
"""Largest total bytes of the shards' results that are added up here, and on one worker."""


class MixingRun(RelayRun):
    """A run whose passes are rounds of mixing. Each shard is a run of parts that are trained on in turn."""

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
        begin = self._begin_baton()
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
        """Return the sum over all shards, each of them a chain of tasks, added up on the workers."""
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
        """Return groups of shards whose rows are on the same worker, for one task each.

        None if their places are unknown or their results are too large for one worker.
        """
        if not getattr(self.parts, "is_in_place", False):
            return None
        if self._brought(len(shards)) > MOST_AT_ONE_WORKER:
            return None
        threads = clients.threads_of(self.client)
        by_place: dict[Any, list[list[int]]] = {}
        for number, shard in enumerate(shards):
            place = self.parts.place_of(shard)
            groups = by_place.setdefault(place, [[] for _ in range(threads.get(place, 1))])
            min(groups, key=len).append(number)
        return [group for groups in by_place.values() for group in groups if group]

    def _at_once(self, begin: Any, shards: list[list[Load]], together: list[list[int]]) -> Mixture | None:
        """Return the same sum with one task for the shards on the same worker.

        Small results are added up here, others by one of the workers.
        """
        firsts = np.cumsum([0, *(sum(load.n_parts or 1 for load in shard) for shard in shards)]).tolist()
        asked = [
            self.client.submit(
                learn_shards, begin, [self._hop(firsts[k]) for k in group], self._mix,
                [self._submit_loads(shards[k], keeps=False) for k in group],
                key=self._key("learn"), priority=10, pure=False,
            )
            for group in together
        ]  # fmt: skip
        if self._brought(len(shards)) <= MOST_IN_A_MESSAGE:
            return summed(together, *clients.fetched(self.client, asked, self.patience))
        whole = self.client.submit(summed, together, *asked, key=self._key("add"), pure=False)
        (mixture,) = clients.fetched(self.client, [whole], self.patience)
        return mixture

    def _brought(self, n_shards: int) -> int:
        """Return the approximate number of bytes that a number of shards return."""
        columns = self.teaching.n_columns or 1  # type: ignore[union-attr]
        kept = 3 if self.settings.keep == "averaged" else 2
        return 8 * columns * (self.parts.n_features + 1) * kept * n_shards

    def _hop(self, part: int) -> Hop:
        if self.settings.order != "shuffled":
            return Hop()
        return Hop(shuffle=(self.settings.seed, len(self.history), part))

    def _take(self, mixture: Mixture, watch: Stopwatch) -> None:
        if mixture.n_bad > self.parts.skip_bad:
            raise BadInput(
                f"{self.source.name}: {mixture.n_bad:,} malformed lines, but only {self.parts.skip_bad:,} "
                "may be skipped; correct them, or allow more (skip_bad)"
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

    def _begin_baton(self) -> Any:
        self.progressive.false_positives = None  # nobody answers for all shards
        return super()._begin_baton()

    def _added(self, one: Any, other: Any) -> Any:
        return self.client.submit(added, one, other, key=self._key("add"), priority=10, pure=False)


def refuse_unmixable(rule: Any, keep: str) -> None:
    """Refuse settings that have no mixture, with the reason."""
    if keep in ("voted", "pocket"):
        why = {
            "voted": "keeps all vectors of one run, and each shard has a run of its own",
            "pocket": "keeps the vector with the longest correct run, and a mixture has none",
        }[keep]
        raise BadInput(f"keep: {keep!r} {why}; use keep='averaged', or how='relay'")
    if rules.start(rules.as_rule(rule)) is not None or rules.keeps_arrays(rules.as_rule(rule)):
        raise BadInput(
            f"rule: {rules.name_of(rules.as_rule(rule))!r} keeps more than w between examples, and that "
            "has no average over shards; use how='relay', or a rule that keeps only w"
        )
