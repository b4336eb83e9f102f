"""The one stream of learning: requests wait in line, are written to the log, learned, and then answered.

A thread takes all requests that wait, writes what they teach in one transaction, learns it, and tells those
who wait. So many requests share one commit; the order of the log is the order of learning; and what was
acknowledged is on the disk and in the weights. The line is bounded: who comes when it is full is told to
come again.
"""

from __future__ import annotations

import os
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from rosenblatt.errors import BadInput
from rosenblatt.serve.group import Group
from rosenblatt.serve.log import Log, LogFailed
from rosenblatt.serve.recovery import Recovered, recover, remove_strays, write_snapshot
from rosenblatt.serve.served import Served
from rosenblatt.serve.statistics import Statistics
from rosenblatt.serve.work import Refused, Work

MOST_WAITING = 20_000  # examples in line
AT_ONCE = 4_000  # examples of one transaction
KEPT_SNAPSHOTS = 2
LAST = 20  # answers and reveals that the page shows


class Busy(Exception):
    """The line is full."""


class Service:
    """A model that learns by a log. every: seconds between snapshots; after: examples between them."""

    def __init__(
        self,
        log: Log,
        recovered: Recovered,
        every: float = 60.0,
        after: int = 1_000_000,
        cuts: bool = False,
    ) -> None:
        self.log, self.every, self.after, self.cuts = log, every, after, cuts
        self.served, self.statistics = recovered.served, recovered.statistics
        self.learned, self.not_learned = recovered.learned, recovered.not_learned
        self.began = time.time()
        self.trouble: str | None = None  # why nothing can be written at the moment
        self.broken: str | None = None  # why it learns no more until it is started again
        self.last: deque[dict[str, Any]] = deque(maxlen=LAST)
        self.commits = self.answered = 0
        self._snapshot_at, self._snapshot_position = time.monotonic(), recovered.learned
        self._line: deque[Work] = deque()
        self._waiting = 0
        self._changed = threading.Condition()
        self._ends = False
        self._saver: threading.Thread | None = None
        self._thread = threading.Thread(target=self._run, name="learning", daemon=True)

    def start(self) -> None:
        self._thread.start()

    # ------------------------------------------------------------ from other threads

    @property
    def waiting(self) -> int:
        return self._waiting

    def submit(self, work: Work) -> None:
        """Put it in line; `Busy` if there is no room."""
        with self._changed:
            if self._ends or not self._thread.is_alive():
                raise Busy
            if self._waiting and self._waiting + work.size > MOST_WAITING:
                raise Busy
            self._waiting += work.size
            self._line.append(work)
            self._changed.notify()

    def call(self, function: Callable[[], Any]) -> Any:
        """What the function returns, between two groups: nothing changes while it runs."""
        work = Work(0)
        work.function = function
        self.submit(work)
        future: Any = work.future
        return future.result()

    def copy(self) -> tuple[Served, int, Statistics]:
        """The model of this moment, and how many examples it has learned."""
        return self.call(self._copied)

    def _copied(self) -> tuple[Served, int, Statistics]:
        return self.served.copy(), self.learned, Statistics.of(self.statistics.as_text())

    def end(self) -> None:
        """Finish what is in line, write a snapshot, and let the log go."""
        with self._changed:
            self._ends = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join()
        if self._saver is not None:
            self._saver.join()
            self._run_calls()
        if self.learned > self._snapshot_position and self.broken is None:
            with suppress(OSError):
                self.add_snapshot(write_snapshot(self.log, self.served, self.learned, self.statistics))
        with suppress(LogFailed):
            self.log.checkpoint()
        self.log.close()

    # ------------------------------------------------------------ the stream

    def _run(self) -> None:
        while works := self._next():
            group = Group(self, works)
            try:
                if self.broken is not None:
                    group.fail(Refused(503, self.broken))
                else:
                    group.run()
            except Exception as error:  # nobody foresaw it; those who wait must hear of it all the same
                group.fail(error)
                self._begin_again(error)
            with self._changed:
                self._waiting -= sum(work.size for work in works)
            self._maybe_snapshot()

    def _begin_again(self, error: Exception) -> None:
        """After what nobody foresaw the weights may not be those of the log: make them again from it."""
        traceback.print_exception(error)
        try:
            recovered = recover(self.log)
        except Exception as another:
            traceback.print_exception(another)
            self.broken = (
                f"the service failed ({type(error).__name__}) and could not begin again; restart it"
            )
            return
        self.served, self.statistics = recovered.served, recovered.statistics
        self.learned, self.not_learned = recovered.learned, recovered.not_learned

    def _next(self) -> list[Work]:
        """All that waits, up to a limit; nothing when it is over."""
        with self._changed:
            while not self._line:
                if self._ends:
                    return []
                self._changed.wait(1.0)
                if not self._line:
                    break
            works: list[Work] = []
            size = 0
            while self._line and (not works or size + self._line[0].size <= AT_ONCE):
                works.append(self._line.popleft())
                size += works[-1].size
            return works or [Work(0)]

    def _run_calls(self) -> None:
        """What is left in line when the thread has ended."""
        for work in list(self._line):
            if work.function is not None:
                work.function()
        self._line.clear()

    # ------------------------------------------------------------ snapshots

    def _maybe_snapshot(self) -> None:
        fresh = self.learned - self._snapshot_position
        is_due = time.monotonic() - self._snapshot_at >= self.every or fresh >= self.after
        if (
            not fresh
            or not is_due
            or self.broken is not None
            or (self._saver is not None and self._saver.is_alive())
        ):
            return
        self._snapshot_at, self._snapshot_position = time.monotonic(), self.learned
        served, learned, statistics = self._copied()

        def save() -> None:
            try:
                snapshot = write_snapshot(self.log, served, learned, statistics)
            except (OSError, BadInput) as error:
                self.trouble = f"a snapshot could not be written: {error}"
                return
            work = Work(0)
            work.function = lambda: self.add_snapshot(snapshot)
            with self._changed:
                self._line.append(work)
                self._changed.notify()

        self._saver = threading.Thread(target=save, name="snapshot", daemon=True)
        self._saver.start()

    def add_snapshot(self, snapshot: Any) -> None:
        """Tell the log of a snapshot that is on the disk. The old ones go, but for one, and for the first
        as long as the log has what is behind it."""
        old = self.log.snapshots()
        kept = {each.position for each in old[: KEPT_SNAPSHOTS - 1]} | ({0} if not self.cuts else set())
        gone = [each for each in old if each.position not in kept and each.position != snapshot.position]
        with self.log.transaction():
            self.log.add_snapshot(snapshot)
            for each in gone:
                self.log.drop_snapshot(each.position)
            if self.cuts and old:
                self.log.cut(min(each.position for each in old if each.position in kept or not gone))
        for each in gone:
            with suppress(OSError):
                os.unlink(os.path.join(os.path.dirname(self.log.path), each.file))


def open_service(
    path: str, begin: Callable[[], Served] | None, fingerprint: str, durability: str = "full",
    say: Callable[[str], None] = lambda _: None, **options: Any,
) -> Service:  # fmt: skip
    """The service of a log: as it was, or begun with a model. fingerprint: what the model is, so that a log
    is not gone on with by another."""
    log = Log(path, durability)
    try:
        if not log.snapshots():
            if begin is None:
                raise BadInput(f"{path}: is a new log; say which model it begins with, or its settings")
            served = begin()
            first = write_snapshot(log, served, 0, Statistics())
            with log.transaction():
                log.add_names(served.names_from(0))
                log.set_fact("model", fingerprint)
                log.add_snapshot(first)
        elif fingerprint and fingerprint != log.fact("model"):
            raise BadInput(
                f"{path}: the log was begun with another model ({log.fact('model')}, not {fingerprint}); "
                "leave the model out to go on with it, or begin another log"
            )
        remove_strays(log)
        return Service(log, recover(log, say), **options)
    except BaseException:
        log.close()
        raise
