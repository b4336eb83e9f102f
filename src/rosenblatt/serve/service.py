"""The one stream of learning: requests wait in line, are written to the log, learned, and then answered.

All requests that wait are taken together: what they teach is written in one transaction, then learned, and
then those who wait are told (`turns` says by whom). So many requests share one commit; the order of the log
is the order of learning; and what was acknowledged is on the disk and in the weights.
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
from rosenblatt.serve.log import Log
from rosenblatt.serve.recovery import Recovered, recover, remove_strays, write_snapshot
from rosenblatt.serve.served import Served
from rosenblatt.serve.statements import LogFailed
from rosenblatt.serve.statistics import Statistics
from rosenblatt.serve.turns import Turns
from rosenblatt.serve.work import Work

KEPT_SNAPSHOTS = 2
LAST = 20  # answers and reveals that the page shows


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
        self._saves = False  # a snapshot has been asked for
        self._saver: threading.Thread | None = None
        self.turns = Turns(self)

    def start(self) -> None:
        self.turns.start()

    def submit(self, work: Work) -> None:
        """Put it in line; `Busy` if there is no room."""
        self.turns.submit(work)

    def call(self, function: Callable[[], Any]) -> Any:
        """What the function returns, between two groups: nothing changes while it runs."""
        return self.turns.call(function)

    @property
    def waiting(self) -> int:
        return self.turns.waiting

    def copy(self) -> tuple[Served, int, Statistics]:
        """The model of this moment, and how many examples it has learned."""
        return self.call(self._copied)

    def _copied(self) -> tuple[Served, int, Statistics]:
        return self.served.copy(), self.learned, Statistics.of(self.statistics.as_text())

    def end(self) -> None:
        """Finish what is in line, write a snapshot, and let the log go."""
        self.turns.wait()
        if self._saver is not None:
            self._saver.join()
        self.turns.end()
        if self.learned > self._snapshot_position and self.broken is None:
            self._snapshot_position = self.learned
            with suppress(OSError):
                self.add_snapshot(write_snapshot(self.log, self.served, self.learned, self.statistics))
        with suppress(LogFailed):
            self.log.checkpoint()
        self.log.close()

    def begin_again(self, error: Exception) -> None:
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

    # ------------------------------------------------------------ snapshots

    def maybe_snapshot(self) -> None:
        """Ask for a snapshot where one is due."""
        fresh = self.learned - self._snapshot_position
        is_due = time.monotonic() - self._snapshot_at >= self.every or fresh >= self.after
        if fresh and is_due and not self._saves and self.broken is None:
            self._saves = True
            self.turns.add(Work.of(self._begin_snapshot))

    def _begin_snapshot(self) -> None:
        """Copy what there is between two groups; the file is written beside them."""
        served, learned, statistics = self._copied()
        self._snapshot_at, self._snapshot_position = time.monotonic(), learned

        def save() -> None:
            try:
                snapshot = write_snapshot(self.log, served, learned, statistics)
                self.turns.add(Work.of(lambda: self.add_snapshot(snapshot)))
            except (OSError, BadInput) as error:
                self.trouble = f"a snapshot could not be written: {error}"
            finally:
                self._saves = False

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
