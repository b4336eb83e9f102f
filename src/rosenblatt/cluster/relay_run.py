"""Relay: the weights move from worker to worker, and the data stay in place.

A `RelayRun` is a `StreamRun` whose rows are learned on workers. Free workers read and parse loads ahead of
time. The *baton* (the state of the run) is sent to the worker that has the next load and learns there with
the loops of a stream, so the weights are bit for bit the same as after `fit_stream` over the same parts.
From time to time the client fetches the baton to show progress and save a checkpoint. If a worker dies and
Dask cannot repeat its tasks, the run continues from the last baton that was fetched.
"""

from __future__ import annotations

import gc
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from rosenblatt.cluster import dask_client, worker_tasks
from rosenblatt.cluster.array_parts import ArrayParts
from rosenblatt.cluster.dask_client import ClusterLost, Lost
from rosenblatt.cluster.file_parts import FileParts, Load
from rosenblatt.cluster.label_survey import find_teaching
from rosenblatt.cluster.model_answers import error_of
from rosenblatt.cluster.worker_tasks import Baton, Hop
from rosenblatt.data.sources.source import innermost
from rosenblatt.training.compile_time import Stopwatch
from rosenblatt.training.settings import StreamSettings
from rosenblatt.training.streams import shuffling
from rosenblatt.training.streams.stream_run import StreamRun

SMALL = 1 << 20  # a baton with at most this many bytes is sent as a task argument
FETCH_EVERY = 1.0  # seconds, or twenty times as long as the last fetch took
TRIES = 5  # attempts without any progress
KEPT_AT_MOST = 0.4  # fraction of the memory of all workers
IN_MEMORY = 16  # partitions of arrays requested ahead
UNKNOWN_MEMORY = 1 << 30

Step = tuple[Hop, list[Any], int]
"""A hop, the rows of its loads, and the number of its parts."""


class RelayRun(StreamRun):
    """Train on the parts in sequence, on the workers of a cluster."""

    def __init__(
        self,
        parts: Any,
        settings: StreamSettings,
        client: Any,
        watch: Callable[[StreamRun], None] = lambda run: None,
        held_out: Any = None,
        by_classes: Callable[[StreamSettings, int], StreamSettings] = lambda settings, n_classes: settings,
        patience: float = dask_client.PATIENCE,
    ) -> None:
        super().__init__(getattr(parts, "source", parts), settings, 1, watch, held_out, by_classes)
        self.parts, self.client, self.patience = parts, client, patience
        self.workers = dask_client.check_workers(client, settings.rule, patience)
        if hasattr(parts, "meet"):
            parts.meet(client, patience)
        self._held: dict[str, Any] = {}  # futures of rows by load, for this pass or for all passes
        self._keeps: bool | None = None

    # ------------------------------------------------------------ one pass

    def _learn_remaining(self, watch: Stopwatch) -> None:
        tries = 0
        while True:
            before = self.position.parts, self.state
            try:
                if self.teaching is None:
                    self.teaching = find_teaching(self)
                    self.settings = self.by_classes(self.settings, len(self.classes))
                self._carry(watch)
                return
            except Lost as loss:
                self._held.clear()
                self.workers = dask_client.workers_of(self.client, self.patience)
                tries = tries + 1 if before == (self.position.parts, self.state) else 1
                if tries > TRIES:
                    raise ClusterLost(
                        f"workers died {tries} times at the same place, after part {self.position.parts} "
                        f"of pass {len(self.history) + 1} ({loss}); a part may not fit into the memory of "
                        "a worker: split the data into smaller parts, or give the workers more memory"
                    ) from loss
            # Dask does not repeat a task while anything refers to its lost result
            gc.collect()
            time.sleep(0.2 * tries)

    def _carry(self, watch: Stopwatch) -> None:
        """Submit one task after another, from the current position to the end of the pass."""
        if self.history:  # workers may have joined or left
            self.workers = dask_client.workers_of(self.client, self.patience)
        baton, under_way = self._begin_baton(), deque[tuple[Any, int]]()
        due, done = time.monotonic() + FETCH_EVERY, 0
        for hop, rows, n_parts in self._hops():
            baton = self.client.submit(worker_tasks.learn, baton, hop, *rows, priority=10, pure=False)
            under_way.append((baton, n_parts))
            del rows  # lets Dask free the rows once they have been learned
            if time.monotonic() < due:
                if len(under_way) > self._ahead():
                    first, n_parts = under_way.popleft()
                    dask_client.wait_for(self.client, [first], self.patience)
                    done += n_parts
                continue
            began = time.monotonic()
            self._fetch(baton, done + sum(n for _, n in under_way), watch)
            under_way.clear()
            baton, done = self._begin_baton(), 0
            due = time.monotonic() + max(FETCH_EVERY, 20.0 * (time.monotonic() - began))
        if done or under_way:
            self._fetch(baton, done + sum(n for _, n in under_way), watch)
        if not self._may_keep():
            self._held.clear()

    def _fetch(self, baton: Any, n_parts: int, watch: Stopwatch) -> None:
        """Fetch the baton, so that the run can continue from it if workers die."""
        (here,) = dask_client.fetch(self.client, [baton], self.patience)
        self.is_learning = True
        self.state, self.progressive = here.state, here.progressive
        self._advance(n_parts, here.n_bad, here.n_dropped, watch)

    def _advance(self, n_parts: int, n_bad: int, n_dropped: int, watch: Stopwatch) -> None:
        """Record the parts learned and lines skipped by workers; show progress and save a checkpoint."""
        self.position.parts += n_parts
        self.position.seconds = watch.learning
        self.position.bad = self.source.n_bad = self.parts.n_bad = n_bad
        self.parts.n_dropped = innermost(self.source).n_dropped = n_dropped
        self.bytes_done = self.parts.bytes_until(self.position.parts)
        self.is_learning = False
        self._stop_if_interrupted()
        self.watch(self)

    def _error(self, source: Any) -> float:
        assert self.state is not None
        parts = self.parts if source is self.source else source
        parts = parts if hasattr(parts, "submit") else FileParts(parts)
        return error_of(self.client, self.state, self.teaching, parts)

    def _begin_baton(self) -> Any:
        """Return the baton of the current state, as a future if it is large."""
        assert self.teaching is not None
        baton = Baton(
            self.settings, self.teaching, self.state, self.progressive, len(self.history),
            self.position.examples, self.source.name, self.position.bad,
            self.parts.n_dropped if self.position.parts else 0, self.parts.skip_bad,
        )  # fmt: skip
        if self.state is None or self.state.current().nbytes <= SMALL:
            return baton
        return self.client.scatter(baton, hash=False)

    # ------------------------------------------------------------ loads and hops

    def _hops(self) -> Iterator[Step]:
        epoch, skip = len(self.history), self.position.parts
        if self.settings.order != "given":
            yield from self._buffers(self.order_of_parts(epoch), skip, epoch)
            return
        for load, rows in self.loads(None, skip):
            if load.n_parts is not None:
                yield Hop(), [rows], load.n_parts
                continue
            n = len(self._sizes(self._submit_sizes(rows)))  # unknown in advance for compressed files
            yield Hop((slice(skip, None),)), [rows], max(0, n - skip)
            skip = max(0, skip - n)

    def order_of_parts(self, epoch: int) -> list[int] | None:
        """Return the order of the parts in a pass, or None for the given order."""
        if self.settings.order == "given":
            return None
        return shuffling.part_order(self.parts, self.settings.seed, epoch)

    def _buffers(self, order: list[int] | None, first: int, epoch: int) -> Iterator[Step]:
        """Yield steps, each with enough chunks to fill a shuffling buffer, as `shuffling.groups` does."""
        gathered: list[tuple[Any, slice]] = []
        size = n_parts = 0
        skip = 0 if self.parts.n_parts is not None else first

        def buffer() -> Step:
            shuffle = self.settings.seed, epoch, first
            chunks = tuple(some for _, some in gathered)
            hop = Hop(chunks, shuffle, tuple(some.start == 0 for some in chunks))
            return hop, [rows for rows, _ in gathered], n_parts

        for rows, sizes in self._with_sizes(self.loads(order, first)):
            begin = 0
            for number, n_bytes in enumerate(sizes):
                if skip:
                    skip, begin = skip - 1, number + 1
                    continue
                size, n_parts = size + n_bytes, n_parts + 1
                if size >= shuffling.BUFFER_BYTES:
                    gathered.append((rows, slice(begin, number + 1)))
                    yield buffer()
                    first, gathered, size, n_parts, begin = first + n_parts, [], 0, 0, number + 1
            gathered.append((rows, slice(begin, None)))
        if n_parts:
            yield buffer()

    def _with_sizes(self, loads: Iterator[tuple[Load, Any]]) -> Iterator[tuple[Any, list[int]]]:
        """Yield the rows of each load with the byte sizes of its chunks."""
        waiting: deque[tuple[Any, Any]] = deque()
        ahead = IN_MEMORY if isinstance(self.parts, ArrayParts) else 0
        for _, rows in loads:
            waiting.append((rows, self._submit_sizes(rows)))
            if len(waiting) > ahead:
                rows, sizes = waiting.popleft()
                yield rows, self._sizes(sizes)
        for rows, sizes in waiting:
            yield rows, self._sizes(sizes)

    def _submit_sizes(self, rows: Any) -> Any:
        return self.client.submit(worker_tasks.sizes_of, rows, priority=20, pure=False)

    def _sizes(self, submitted: Any) -> list[int]:
        (sizes,) = dask_client.fetch(self.client, [submitted], self.patience)
        return list(sizes)

    def loads(self, order: list[int] | None, skip: int, holds: bool = False) -> Iterator[tuple[Load, Any]]:
        """Yield the loads of a pass with futures of their rows; submit a few futures in advance.

        Rows are kept in memory between passes if their order does not change and they fit into the workers'
        memory. With `holds`, the rows are always kept for the next pass.
        """
        keeps = holds or (order is None and self._may_keep())
        todo, waiting = self.parts.loads(order, skip), deque[tuple[Load, Any]]()
        while True:
            some = list(islice(todo, self._ahead() + 2 - len(waiting)))
            waiting.extend(zip(some, self._submit_loads(some, keeps, self.workers), strict=True))
            if not waiting:
                return
            yield waiting.popleft()

    def _submit_loads(self, loads: list[Load], keeps: bool, at: Sequence[str] = ()) -> list[Any]:
        """Return a future of the rows of each load; futures from earlier passes are reused."""
        lost = ("cancelled", "lost", "error")
        new = [load for load in loads if getattr(self._held.get(load.key), "status", "lost") in lost]
        self._held |= zip((load.key for load in new), self.parts.submit(self.client, new, at), strict=True)
        return [self._held[load.key] if keeps else self._held.pop(load.key) for load in loads]

    def _may_keep(self) -> bool:
        """Return whether to keep rows between passes.

        Rows are kept if there is another pass, Dask does not already keep them, and all rows fit in memory.
        """
        if self._keeps is None:
            again = self.settings.epochs != 1 or self.settings.track_error
            size = None if self.parts.is_in_place or not again else self.parts.in_memory
            memory = dask_client.memory_of(self.client) or UNKNOWN_MEMORY
            self._keeps = size is not None and size <= KEPT_AT_MOST * memory
        return self._keeps

    def _ahead(self) -> int:
        """Return the number of loads and hops to submit ahead of time.

        The number limits the memory of waiting rows; partitions that are in memory anyway need no limit.
        """
        return max(len(self.workers), IN_MEMORY if isinstance(self.parts, ArrayParts) else 0)
