"""Whose turn it is: requests wait in line, and one group of them at a time is written and learned.

Where that is quick, the loop of the requests takes the turn itself: two threads that both want the
interpreter take twice as long as one. Only the commit, which waits for the disk, is left to the thread
beside it. What may take longer, and what comes from elsewhere, is done by that thread altogether. The line
is bounded: who comes when it is full is told to come again.
"""

from __future__ import annotations

import queue
import threading
import time
from asyncio import AbstractEventLoop
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from rosenblatt.serve.group import Group
from rosenblatt.serve.work import Ask, Busy, Refused, Work

if TYPE_CHECKING:
    from rosenblatt.serve.service import Service

MOST_WAITING = 20_000  # examples in line
AT_ONCE = 4_000  # examples of one transaction
IN_LOOP = 1_000  # examples of one that the loop may do itself
IN_LOOP_BYTES = 1_000_000  # of their bodies
QUICK = 0.01  # seconds that it may take
LONGEST_END = 60.0  # seconds that the end waits for what is in line


class Turns:
    """One group after the other, each by the loop or by the thread; `service` is what they change."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self.waiting = 0  # examples in line
        self._line: deque[Work] = deque()
        self._lock = threading.Lock()  # of the line, and of whether the turn is taken
        self._is_taken = self._ends = False
        self._pace: dict[tuple[bool, bool], float] = {}  # seconds an example, by what there was to do
        self._loop: AbstractEventLoop | None = None  # that may have the turn
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="learning", daemon=True)

    def start(self) -> None:
        self._thread.start()

    # ------------------------------------------------------------ in line

    def submit(self, work: Work) -> None:
        """Put it in line; `Busy` if there is no room. A work of a loop is submitted by that loop."""
        if self._ends or not self._thread.is_alive():
            raise Busy
        if self.waiting and self.waiting + work.size > MOST_WAITING:
            raise Busy
        self.add(work)

    def add(self, work: Work) -> None:
        with self._lock:
            self.waiting += work.size
            self._line.append(work)
            if self._is_taken:
                return
            self._is_taken = True
        self._go_on(work.loop)

    def call(self, function: Callable[[], Any]) -> Any:
        """What the function returns, between two groups: nothing changes while it runs."""
        self.submit(work := Work.of(function))
        future: Any = work.future
        return future.result()

    def _taken(self) -> list[Work]:
        """All that waits, up to a limit; with nothing in line the turn is over."""
        works: list[Work] = []
        size = 0
        with self._lock:
            while self._line and (not works or size + self._line[0].size <= AT_ONCE):
                works.append(self._line.popleft())
                size += works[-1].size
            self._is_taken = bool(works)
        return works

    def end(self) -> None:
        """Finish what is in line, and no more."""
        self._ends = True
        self.wait()
        self._jobs.put(None)
        if self._thread.is_alive():
            self._thread.join()

    def wait(self) -> None:
        """Until nothing is in line, or a loop that had the turn is no more: the log has what it left."""
        until = time.monotonic() + LONGEST_END
        while self._is_taken and self._thread.is_alive() and time.monotonic() < until:
            if self._loop is not None and self._loop.is_closed():
                return
            time.sleep(0.002)

    # ------------------------------------------------------------ turns

    def _go_on(self, here: AbstractEventLoop | None) -> None:
        """The next turn, if anybody waits: by the loop of who comes next. here: the loop of this thread."""
        with self._lock:
            if not self._line:
                self._is_taken = False
                return
            self._loop = loop = self._line[0].loop
        if loop is None:
            self._jobs.put(self._take_in_thread)
        elif loop is here:
            loop.call_soon(self._take_in_loop, loop)
        else:
            try:
                loop.call_soon_threadsafe(self._take_in_loop, loop)
            except RuntimeError:  # it has ended
                self._jobs.put(self._take_in_thread)

    def _take_in_loop(self, loop: AbstractEventLoop) -> None:
        if not (works := self._taken()):
            return
        group = Group(self._service, works)
        if not self._is_quick(works):
            self._jobs.put(partial(self._do, group))
            return
        try:
            group.begin()
        except Exception as error:
            self._jobs.put(partial(self._fail, group, error))
            return
        if group.is_split:
            self._jobs.put(partial(self._do, group))
        elif group.writes:
            self._jobs.put(partial(self._commit, group, loop))
        else:
            self._finish(group, loop)

    def _take_in_thread(self) -> None:
        if works := self._taken():
            self._do(Group(self._service, works))

    def _is_quick(self, works: list[Work]) -> bool:
        size = sum(work.size for work in works)
        pace = self._pace.get(_kind(works), QUICK)  # what was never done has to be compiled
        is_plain = self._service.broken is None and all(work.function is None for work in works)
        is_small = size <= IN_LOOP and sum(work.bytes for work in works) <= IN_LOOP_BYTES
        return is_plain and is_small and size * pace < QUICK

    def _finish(self, group: Group, loop: AbstractEventLoop) -> None:
        """Learn what is on the disk now, in the loop."""
        try:
            group.end()
        except Exception as error:
            self._jobs.put(partial(self._fail, group, error))
            return
        self._over(group, loop)

    def _over(self, group: Group, here: AbstractEventLoop | None = None) -> None:
        if group.size:
            # a group has some work that is not of any example
            self._pace[_kind(group.works)] = group.seconds / max(32, group.size)
        group.tell(here)
        with self._lock:
            self.waiting -= group.size
        self._service.maybe_snapshot()
        self._go_on(here)

    # ------------------------------------------------------------ in the thread

    def _run(self) -> None:
        while True:
            try:
                job = self._jobs.get(timeout=1.0)
            except queue.Empty:
                self._service.maybe_snapshot()
                continue
            if job is None:
                return
            job()

    def _do(self, group: Group) -> None:
        """The whole of it."""
        try:
            if self._service.broken is not None:
                group.fail(Refused(503, self._service.broken))
            else:
                group.run()
        except Exception as error:
            self._fail(group, error)
        else:
            self._over(group)

    def _commit(self, group: Group, loop: AbstractEventLoop) -> None:
        try:
            group.commit()
        except Exception as error:
            self._fail(group, error)
            return
        try:
            loop.call_soon_threadsafe(self._finish, group, loop)
        except RuntimeError:  # the loop has ended
            self._finish_here(group)

    def _finish_here(self, group: Group) -> None:
        try:
            group.end()
        except Exception as error:
            self._fail(group, error)
        else:
            self._over(group)

    def _fail(self, group: Group, error: Exception) -> None:
        """Nobody foresaw it; those who wait must hear of it all the same."""
        group.fail(error)
        self._service.begin_again(error)
        self._over(group)


def _kind(works: Any) -> tuple[bool, bool]:
    asks = sum(isinstance(work, Ask) for work in works)
    return asks > 0, asks < len(works)
