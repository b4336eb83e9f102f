"""Relay: the weights travel, the data stay.

A `StreamRun` whose groups of rows are looked at on workers. Loads (reading, parsing) are done ahead by
whoever is free; the baton goes to where the next load lies, and there learns with the loops of a stream. So
the bits are those of `fit_stream` over the same parts. Now and then the baton is fetched: that is shown,
saved, and what the run goes on from when a worker dies with what it had.
"""

from __future__ import annotations

import gc
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from rosenblatt.cluster import clients, tasks
from rosenblatt.cluster.answering import error_of
from rosenblatt.cluster.classes import teaching_of
from rosenblatt.cluster.clients import ClusterLost, Lost
from rosenblatt.cluster.partitions import ArrayParts
from rosenblatt.cluster.parts import FileParts, Load, innermost
from rosenblatt.cluster.tasks import Baton, Hop
from rosenblatt.errors import BadInput
from rosenblatt.learning.compile_time import Stopwatch
from rosenblatt.learning.settings import StreamSettings
from rosenblatt.learning.streams import shuffling
from rosenblatt.learning.streams.stream_run import StreamRun

SMALL = 1 << 20  # bytes of a baton that is sent with the task that begins with it
FETCH_EVERY = 1.0  # seconds, or twenty times as long as the last fetch took
TRIES = 5  # without a step ahead
KEPT_AT_MOST = 0.4  # of the memory of all workers
IN_MEMORY = 16  # partitions of collections requested ahead
UNKNOWN_MEMORY = 1 << 30


@dataclass
class Pending:
    """A hop that is not finished: the future of the baton after it, and the loads it learns from."""

    baton: Any
    n_parts: int
    loads: list[tuple[Load, Any]]


class RelayRun(StreamRun):
    """A run over parts on a cluster."""

    def __init__(
        self,
        parts: Any,
        settings: StreamSettings,
        client: Any,
        watch: Callable[[StreamRun], None] = lambda run: None,
        held_out: Any = None,
        by_classes: Callable[[StreamSettings, int], StreamSettings] = lambda settings, n_classes: settings,
        patience: float = clients.PATIENCE,
    ) -> None:
        super().__init__(getattr(parts, "source", parts), settings, 1, watch, held_out, by_classes)
        self.parts, self.client, self.patience = parts, client, patience
        self.workers = clients.check_workers(client, settings.rule, patience)
        if hasattr(parts, "meet"):
            parts.meet(client, patience)
        self._name, self._n_tasks = uuid.uuid4().hex[:8], 0
        self.begun: dict[str, Any] = {}  # loads requested when the labels were read
        self._kept: dict[Any, Any] = {}
        self._keeps: bool | None = None

    # ------------------------------------------------------------ one pass

    def _look_at_all(self, watch: Stopwatch) -> None:
        tries = 0
        while True:
            stood = self.position.parts, self.state
            try:
                if self.teaching is None:
                    self._begin_teaching()
                self._carry(watch)
                return
            except Lost as loss:
                self._kept.clear()
                self.begun.clear()
                self.workers = clients.workers_of(self.client, self.patience)
                tries = tries + 1 if stood == (self.position.parts, self.state) else 1
                if tries > TRIES:
                    raise ClusterLost(
                        f"workers died {tries} times at the same place, after part {self.position.parts} "
                        f"of pass {len(self.history) + 1} ({loss}); a part may not fit into the memory of "
                        "a worker: split the data into smaller parts, or give the workers more memory"
                    ) from loss

            # forget lost results first: a task in progress when workers died is not started again
            # again while anybody holds it
            gc.collect()
            time.sleep(0.2 * tries)

    def _begin_teaching(self) -> None:
        self.teaching = teaching_of(self)
        self.settings = self.by_classes(self.settings, len(self.classes))

    def _carry(self, watch: Stopwatch) -> None:
        """Run hop after hop, from the current position to the end of the pass."""
        if self.history:  # some may have come, or gone
            self.workers = clients.workers_of(self.client, self.patience)
        baton, under_way = self._begin_baton(), deque[Pending]()
        due, done = time.monotonic() + FETCH_EVERY, 0
        ahead = self._ahead()
        for hop, loads, n_parts in self._hops():
            baton = self._submit_learn(baton, hop, loads)
            under_way.append(Pending(baton, n_parts, loads))
            is_due = time.monotonic() >= due
            while under_way and (is_due or len(under_way) > ahead):
                done += self._finish(under_way.popleft())
            if is_due:
                began = time.monotonic()
                self._fetch(baton, done, watch)
                baton, done = self._begin_baton(), 0
                due = time.monotonic() + max(FETCH_EVERY, 20.0 * (time.monotonic() - began))
                self._stop_if_asked()
                self.watch(self)
        self.begun.clear()
        if under_way:
            with suppress(Lost, BadInput, tasks.TooManyBad):  # which of them has failed is found below
                clients.wait_for(self.client, [baton], self.patience)
        while under_way:
            done += self._finish(under_way.popleft())
        if done:
            self._fetch(baton, done, watch)
            self._stop_if_asked()
            self.watch(self)

    def _finish(self, pending: Pending) -> int:
        """Wait for a hop; its rows may then be forgotten."""
        try:
            clients.wait_for(self.client, [pending.baton], self.patience)
        except tasks.TooManyBad as bad:  # said by the one who reads them once more
            for load, _ in pending.loads:
                again = self.parts.submit(self.client, load, self._key("read"), allowed=bad.args[0])
                clients.wait_for(self.client, [again], self.patience)
            raise
        return pending.n_parts

    def _fetch(self, baton: Any, n_parts: int, watch: Stopwatch) -> None:
        """Fetch the baton: the run continues from it if workers die."""
        (here,) = clients.fetched(self.client, [baton], self.patience)
        self.is_learning = True
        self.state, self.progressive = here.state, here.progressive
        self.position.parts += n_parts
        self.position.seconds = watch.learning
        self._told(here.n_bad, here.n_dropped)
        self.bytes_done = self.parts.bytes_until(self.position.parts)
        self.is_learning = False

    def _error(self, source: Any) -> float:
        assert self.state is not None
        return error_of(self.client, self.state, self.teaching, self._parts_of(source))

    def _parts_of(self, source: Any) -> Any:
        parts = self.parts if source is self.source else source
        return parts if hasattr(parts, "submit") else FileParts(parts)

    def _told(self, n_bad: int, n_dropped: int) -> None:
        """Store how many malformed lines and rows with missing values the workers skipped."""
        self.position.bad = self.source.n_bad = self.parts.n_bad = n_bad
        self.parts.n_dropped = n_dropped
        innermost(self.source).n_dropped = n_dropped

    # ------------------------------------------------------------ batons

    def _begin_baton(self) -> Any:
        """Return the baton of the current state: itself where it is small, else a future at some worker."""
        assert self.teaching is not None
        baton = Baton(
            self.settings, self.teaching, self.state, self.progressive, len(self.history),
            self.position.examples, self.source.name, self.position.bad,
            getattr(self.parts, "n_dropped", 0) if self.position.parts else 0, self.parts.skip_bad,
        )  # fmt: skip
        if self.state is None or self.state.current().nbytes <= SMALL:
            return baton
        return self.client.scatter(baton, hash=False)

    def _submit_learn(self, baton: Any, hop: Hop, loads: list[tuple[Load, Any]]) -> Any:
        return self.client.submit(
            tasks.learn, baton, hop, *(future for _, future in loads), key=self._key("learn"), priority=10,
            pure=False,
        )  # fmt: skip

    # ------------------------------------------------------------ loads, and what is learned together

    def _hops(self) -> Iterator[tuple[Hop, list[tuple[Load, Any]], int]]:
        """Yield the steps that are submitted together: the hop, its loads, and the number of its parts."""
        epoch, skip = len(self.history), self.position.parts
        if self.settings.order == "given":
            for load, future in self.loads(None, skip):
                if load.n_parts is not None:
                    yield Hop(), [(load, future)], load.n_parts
                    continue
                n = len(self._sizes(future))  # unknown for compressed files
                yield Hop((slice(skip, None),)), [(load, future)], max(0, n - skip)
                skip = max(0, skip - n)
            return
        yield from self._buffers(self.order_of_parts(epoch), skip, epoch)

    def order_of_parts(self, epoch: int) -> list[int] | None:
        """Return the order of the parts in that pass; None: as they are."""
        if self.settings.order == "given":
            return None
        return shuffling.part_order(self.parts, self.settings.seed, epoch)

    def _buffers(
        self, order: list[int] | None, first: int, epoch: int
    ) -> Iterator[tuple[Hop, list[tuple[Load, Any]], int]]:
        """Gather chunks until there is a full buffer of them, as `shuffling.groups` does."""
        gathered: list[tuple[Load, Any, slice]] = []
        held = n_parts = 0
        skip = 0 if self.parts.n_parts is not None else first
        for load, future, sizes in self._with_sizes(self.loads(order, first)):
            begun = 0
            for number, size in enumerate(sizes):
                if skip:
                    skip, begun = skip - 1, number + 1
                    continue
                held += max(size.n_bytes, size.of_values // 2)
                n_parts += 1
                if held >= shuffling.BUFFER_BYTES:
                    gathered.append((load, future, slice(begun, number + 1)))
                    yield self._buffer(gathered, epoch, first, n_parts)
                    first, gathered, held, n_parts, begun = first + n_parts, [], 0, 0, number + 1
            gathered.append((load, future, slice(begun, None)))
        if n_parts:
            yield self._buffer(gathered, epoch, first, n_parts)

    def _buffer(
        self, gathered: list[tuple[Load, Any, slice]], epoch: int, first: int, n_parts: int
    ) -> tuple[Hop, list[tuple[Load, Any]], int]:
        chunks = tuple(some for _, _, some in gathered)
        hop = Hop(chunks, (self.settings.seed, epoch, first), tuple(some.start == 0 for some in chunks))
        return hop, [(load, future) for load, future, _ in gathered], n_parts

    def _with_sizes(
        self, loads: Iterator[tuple[Load, Any]]
    ) -> Iterator[tuple[Load, Any, list[tasks.Size]]]:
        """Yield loads with the sizes of their chunks; request those of partitions in memory at once."""
        waiting: deque[tuple[Load, Any, Any]] = deque()
        ahead = IN_MEMORY if isinstance(self.parts, ArrayParts) else 0
        for load, future in loads:
            waiting.append((load, future, self._submit_sizes(future)))
            if len(waiting) > ahead:
                yield self._sized(*waiting.popleft())
        while waiting:
            yield self._sized(*waiting.popleft())

    def _sized(self, load: Load, future: Any, made: Any) -> tuple[Load, Any, list[tasks.Size]]:
        return load, future, clients.fetched(self.client, [made], self.patience)[0]

    def _submit_sizes(self, future: Any) -> Any:
        return self.client.submit(tasks.sizes_of, future, key=self._key("size"), priority=20, pure=False)

    def _sizes(self, future: Any) -> list[tasks.Size]:
        (sizes,) = clients.fetched(self.client, [self._submit_sizes(future)], self.patience)
        return sizes

    def loads(
        self, order: list[int] | None, skip: int, begun: dict[str, Any] | None = None
    ) -> Iterator[tuple[Load, Any]]:
        """Yield the loads of a pass, a few of them ahead of the caller.

        They are kept between passes if the order stays and all of them fit into the memory of the workers.
        begun: where to keep them for the pass that starts with them.
        """
        keeps = order is None and self._may_keep()
        todo, waiting = self.parts.loads(order, skip), deque[tuple[Load, Any]]()
        while some := list(islice(todo, self._ahead() + 2 if not waiting else 1)):
            futures = self._submit_loads(some, keeps, self.workers)
            if begun is not None:
                begun |= {repr(load.what): future for load, future in zip(some, futures, strict=True)}
            waiting.extend(zip(some, futures, strict=True))
            yield waiting.popleft()
        while waiting:
            yield waiting.popleft()

    def _submit_loads(self, loads: list[Load], keeps: bool, at: Sequence[str] = ()) -> list[Any]:
        """Return a future for each load; existing ones are reused. at: as for the parts."""
        there = {repr(load.what): self._known(repr(load.what), keeps) for load in loads}
        new = [load for load in loads if there[repr(load.what)] is None]
        asked = self.parts.submit_all(self.client, new, [self._key("read") for _ in new], at)
        there |= {repr(load.what): future for load, future in zip(new, asked, strict=True)}
        if keeps:
            self._kept |= there
        return [there[repr(load.what)] for load in loads]

    def _known(self, name: str, keeps: bool) -> Any:
        future = self.begun.pop(name, None)
        future = self._kept.get(name) if future is None and keeps else future
        return None if getattr(future, "status", "") in ("cancelled", "lost", "error") else future

    def _may_keep(self) -> bool:
        if self._keeps is None:
            again = self.settings.epochs != 1 or self.settings.track_error
            in_place = getattr(self.parts, "is_in_place", False)  # they are kept by others
            self._keeps = again and not in_place and self.fits()
        return self._keeps

    def fits(self) -> bool:
        """Return whether all rows fit into the memory of the workers."""
        size = self.parts.in_memory
        return size is not None and size <= KEPT_AT_MOST * (
            clients.memory_of(self.client) or UNKNOWN_MEMORY
        )

    def _ahead(self) -> int:
        """Return how far ahead loads and hops are submitted.

        Waiting rows take memory, except those of collections that are in memory anyway.
        """
        return max(len(self.workers), IN_MEMORY if isinstance(self.parts, ArrayParts) else 0)

    def _key(self, what: str) -> str:
        """Return a unique name of a task, which Dask's dashboard shows."""
        self._n_tasks += 1
        return f"{what}-{self._name}{self._n_tasks:08x}"
