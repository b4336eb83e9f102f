"""`Service`: a model that learns through a log (the leader).

Only the worker thread changes the model and the log. It appends the waiting examples in one transaction,
learns them after the commit, and then responds. So the examples are learned in the order of the log, and an
acknowledged example is both on disk and in the weights.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import anyio.to_thread

from rosenblatt.errors import BadInput
from rosenblatt.models.loaded import LoadedModel
from rosenblatt.serve.http_schema import Health
from rosenblatt.serve.jobs import Call, Job, Refusal
from rosenblatt.serve.log import Log
from rosenblatt.serve.log_export import as_frames, as_lines
from rosenblatt.serve.log_files import LogFailed, remove_unfinished, snapshot_files
from rosenblatt.serve.log_records import Mark, Snapshot
from rosenblatt.serve.recovery import Recovered, recover, write_snapshot
from rosenblatt.serve.statistics import Statistics
from rosenblatt.serve.transaction import Transaction
from rosenblatt.serve.worker import Worker

KEPT_SNAPSHOTS = 2
POLL = 0.02  # seconds between checks whether an example was learned
OFTEN = 8  # clients that check this often; more of them check less often


class Service(Worker):
    """A model, its log and its worker.

    every: seconds between snapshots. after: examples between snapshots. cuts: whether entries older than
    the second-to-last snapshot are deleted.
    """

    role: Final = "leader"

    def __init__(
        self,
        log: Log,
        recovered: Recovered,
        every: float = 60.0,
        after: int = 1_000_000,
        cuts: bool = False,
    ) -> None:
        super().__init__(recovered, log.state.end)
        self.log, self.every, self.after, self.cuts = log, every, after, cuts
        self.log_trouble: str | None = None  # why examples cannot be written at the moment
        self.snapshot_trouble: str | None = None  # why snapshots cannot be written
        self.broken: str | None = None  # why the service must be restarted
        self._reader = log.reader()
        self._snapshot_at = time.monotonic()
        self._snapshot_position = self._listed_position = recovered.learned
        self._saver: threading.Thread | None = None
        self._n_polling = 0  # clients in `wait_for`

    # ------------------------------------------------------------ called by the worker

    def handle(self, jobs: list[Job]) -> None:
        try:
            if self.broken is not None:
                raise Refusal(503, self.broken)
            Transaction(self, jobs).execute()
        except Exception as error:  # unexpected; waiting clients still get a response
            for job in jobs:
                if job.result is None and job.error is None:
                    job.error = error
            if self.broken is None:
                self._recover(error)

    def _recover(self, error: Exception) -> None:
        """Rebuild the weights from the log after an error that may have changed them."""
        traceback.print_exception(error)
        try:
            self.recovered, self.end = recover(self.log), self.log.state.end
        except Exception as another:
            traceback.print_exception(another)
            self.broken = f"the service failed ({type(error).__name__}) and could not recover; restart it"

    def tick(self) -> None:
        """Start a snapshot if one is due: copy the model and write the copy in a separate thread."""
        fresh = self.learned - self._snapshot_position
        is_due = time.monotonic() - self._snapshot_at >= self.every or fresh >= self.after
        is_busy = self._saver is not None and self._saver.is_alive()
        if not fresh or not is_due or is_busy or self.broken is not None:
            return
        self._snapshot_at, self._snapshot_position = time.monotonic(), self.learned
        try:
            model, position = self.model.copy(), self.learned
            statistics = self.statistics.as_text()
        except MemoryError:
            self.snapshot_trouble = (
                "a snapshot could not be written: there is no memory for a copy of the model"
            )
            return

        def save() -> None:
            try:
                snapshot = write_snapshot(self.log, model, position, statistics)
                self.submit(Call(lambda: self.add_snapshot(snapshot)))
            except (OSError, BadInput, Refusal) as error:
                self.snapshot_trouble = f"a snapshot could not be written: {error}"

        self._saver = threading.Thread(target=save, name="snapshot", daemon=True)
        self._saver.start()

    def add_snapshot(self, snapshot: Snapshot) -> None:
        """Add a snapshot file to the log, and delete the snapshots that it replaces.

        The previous snapshot is kept. The very first snapshot is kept too, if the log has never been cut.
        """
        known = self.log.snapshots()
        older = [each for each in known if each.position < snapshot.position]
        kept = older[: KEPT_SNAPSHOTS - 1]
        if not self.cuts:
            kept += [each for each in older[KEPT_SNAPSHOTS - 1 :] if each.position == 0]
        with self.log.transaction():
            self.log.delete("snapshots", [each for each in known if each not in kept])
            self.log.insert("snapshots", [snapshot])
            if self.cuts and kept:
                self.log.cut_before(kept[-1].position)
        self.snapshot_trouble, self._listed_position = None, snapshot.position
        listed = {each.position for each in (*kept, snapshot)}
        for position, name in snapshot_files(self.log.path).items():
            if position not in listed:
                with suppress(OSError):
                    os.unlink(os.path.join(os.path.dirname(self.log.path), name))

    # ------------------------------------------------------------ called by other threads

    def submit(self, job: Job) -> None:
        if self.broken:
            raise Refusal(503, self.broken)
        super().submit(job)

    @property
    def position(self) -> int:
        """Number of examples in the log."""
        return self.log.position

    @property
    def trouble(self) -> str | None:
        """Description of the current problem, or None."""
        return self.broken or self.log_trouble or self.snapshot_trouble

    def health(self) -> Health:
        return Health(
            status="failed" if self.broken else "ok",
            role=self.role,
            learned=self.learned,
            position=self.position,
            waiting=self.waiting,
            not_learned=self.recovered.not_learned,
            trouble=self.trouble,
        )

    async def wait_for(self, position: int, seconds: float) -> None:
        """Wait until the example at this position is learned, but at most the given number of seconds."""
        until = time.monotonic() + seconds
        self._n_polling += 1
        try:
            while self.learned < position and (left := until - time.monotonic()) > 0:
                await asyncio.sleep(min(left, POLL * max(1.0, self._n_polling / OFTEN)))
        finally:
            self._n_polling -= 1

    async def export_log(self, first: int, limit: int, is_binary: bool) -> tuple[bytes, Mark]:
        """Return up to `limit` examples of the log from position `first` on, and the mark of its end.

        The examples are encoded as frames if `is_binary`, otherwise as JSON lines.
        """
        end = self.end
        last = min(end.position, first + limit - 1)
        self._reader.state = self.log.state
        export = as_frames if is_binary else as_lines
        return await anyio.to_thread.run_sync(export, self._reader, first, last), end

    def stop(self) -> None:
        """Process the jobs in the queue, write a snapshot, and close the log."""
        try:
            if self._saver is not None:
                self._saver.join()
            super().stop()
            if self._saver is not None:  # the last batch may have started another snapshot
                self._saver.join()
            if self.learned > self._listed_position and self.broken is None:
                with suppress(OSError):
                    self.add_snapshot(
                        write_snapshot(self.log, self.model, self.learned, self.statistics.as_text())
                    )
            with suppress(LogFailed):
                self.log.checkpoint()
        finally:
            self._reader.close()
            self.log.close()


def open_service(
    path: str, begin: Callable[[], LoadedModel] | None, fingerprint: str, durability: str = "full",
    say: Callable[[str], None] = lambda _: None, accept_loss: bool = False, **options: Any,
) -> Service:  # fmt: skip
    """Return a service that continues a log, or that starts a new log with the model from `begin`.

    fingerprint: identifies the model, so that a log is never continued with another model. accept_loss:
    continue a log although its end is lost or unknown.
    """
    log = Log(path, durability, accept_loss=accept_loss)
    try:
        if not log.snapshots():
            if begin is None:
                raise BadInput(
                    f"{path}: is a new log; give the model with which it starts, or "
                    "the settings of a new learner"
                )
            model = begin()
            first = write_snapshot(log, model, 0, Statistics().as_text())
            with log.transaction():
                log.add_names(model.names_from(0))
                log.insert("snapshots", [first])
                log.state = log.state._replace(model=fingerprint)
        elif fingerprint and fingerprint != log.state.model:
            raise BadInput(
                f"{path}: the log was started with another model ({log.state.model}, not {fingerprint}); "
                "omit the model to continue this log, or start another log"
            )
        remove_unfinished(log.path)
        return Service(log, recover(log, say), **options)
    except BaseException:
        log.close()
        raise
