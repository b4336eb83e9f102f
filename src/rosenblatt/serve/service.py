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
from rosenblatt.serve.changes import LogFailed
from rosenblatt.serve.log import Log, Mark
from rosenblatt.serve.log_end import remove_unfinished, snapshot_files
from rosenblatt.serve.recovery import Recovered, recover, write_snapshot
from rosenblatt.serve.served import Served
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
        self.end_learned, self.not_learned = log.state.end, recovered.not_learned
        self.began = time.time()
        self.log_trouble: str | None = None  # why no examples can be written at the moment
        self.snapshot_trouble: str | None = None  # why no snapshot can be
        self.broken: str | None = None  # why it learns no more until it is started again
        self.last: deque[dict[str, Any]] = deque(maxlen=LAST)
        self.commits = self.answered = 0
        self._snapshot_at, self._snapshot_position = time.monotonic(), recovered.learned
        self._saves = False  # a snapshot has been asked for
        self._saver: threading.Thread | None = None
        self.turns = Turns(self)

    @property
    def learned(self) -> int:
        """The number of examples in the weights."""
        return self.end_learned.position

    @property
    def trouble(self) -> str | None:
        """What is wrong at the moment."""
        return self.broken or self.log_trouble or self.snapshot_trouble

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

    def copy(self) -> tuple[Served, Mark, Statistics]:
        """Return the model of this moment, and the place in the log that it has reached."""
        return self.call(self._copied)

    def _copied(self) -> tuple[Served, Mark, Statistics]:
        return self.served.copy(), self.end_learned, Statistics.of(self.statistics.as_text())

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
        self.end_learned, self.not_learned = self.log.state.end, recovered.not_learned

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
        served, end, statistics = self._copied()
        self._snapshot_at, self._snapshot_position = time.monotonic(), end.position

        def save() -> None:
            try:
                snapshot = write_snapshot(self.log, served, end.position, statistics)
                self.turns.add(Work.of(lambda: self.add_snapshot(snapshot)))
            except (OSError, BadInput) as error:
                self.snapshot_trouble = f"a snapshot could not be written: {error}"
            finally:
                self._saves = False

        self._saver = threading.Thread(target=save, name="snapshot", daemon=True)
        self._saver.start()

    def add_snapshot(self, snapshot: Any) -> None:
        """List a snapshot that is on the disk, and remove those that it replaces.

        One older snapshot is kept, and the first of all as long as the log has the entries behind it.
        """
        older = [each for each in self.log.snapshots() if each.position < snapshot.position]
        kept = older[: KEPT_SNAPSHOTS - 1]
        if not self.cuts:
            kept += [each for each in older[KEPT_SNAPSHOTS - 1 :] if each.position == 0]
        with self.log.transaction():
            self.log.replace_snapshots(
                [each for each in self.log.snapshots() if each not in kept], snapshot
            )
            if self.cuts and kept:
                self.log.cut_before(kept[-1].position)
        self.snapshot_trouble = None
        listed = {each.position for each in (*kept, snapshot)}
        for position, name in snapshot_files(self.log.path).items():
            if position not in listed:
                with suppress(OSError):
                    os.unlink(os.path.join(os.path.dirname(self.log.path), name))


def open_service(
    path: str, begin: Callable[[], Served] | None, fingerprint: str, durability: str = "full",
    say: Callable[[str], None] = lambda _: None, accept_loss: bool = False, **options: Any,
) -> Service:  # fmt: skip
    """Return the service of a log, restored or begun with a model.

    fingerprint: identifies the model, so that the log is not continued with another. accept_loss: continue
    a log whose end is lost or unknown.
    """
    log = Log(path, durability, accept_loss=accept_loss)
    try:
        if not log.snapshots():
            if begin is None:
                raise BadInput(f"{path}: is a new log; name the model that it begins with, or its settings")
            served = begin()
            first = write_snapshot(log, served, 0, Statistics())
            with log.transaction():
                log.add_names(served.names_from(0))
                log.set_model(fingerprint)
                log.replace_snapshots([], first)
        elif fingerprint and fingerprint != log.state.model:
            raise BadInput(
                f"{path}: the log was begun with another model ({log.state.model}, not {fingerprint}); "
                "leave the model out to go on with it, or begin another log"
            )
        remove_unfinished(log.path)
        return Service(log, recover(log, say), **options)
    except BaseException:
        log.close()
        raise
