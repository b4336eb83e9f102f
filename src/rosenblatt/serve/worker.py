"""One thread that owns the model and the log: it drains a queue of jobs and replies to them.

Event loops and other threads only put jobs into the queue. All jobs that wait are handled together, so
that many requests share one commit.
"""

from __future__ import annotations

import queue
import threading
from asyncio import AbstractEventLoop
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from rosenblatt.serve.jobs import Call, Job, Refusal

MOST_WAITING = 20_000  # examples in the queue
AT_ONCE = 4_000  # examples after which no further job joins the others
IDLE = 1.0  # seconds between two calls of `tick` where no jobs come


class Worker:
    """The queue and its thread.

    handle: execute jobs, each of which gets a result or an error. tick: called after every batch, and once
    a second where there is none.
    """

    def __init__(self, handle: Callable[[list[Job]], None], tick: Callable[[], None]) -> None:
        self._handle, self._tick = handle, tick
        self._queue: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._is_stopped = False
        self._thread = threading.Thread(target=self._run, name="worker", daemon=True)
        self.waiting = 0  # examples in the queue or in the batch that is executed

    def start(self) -> None:
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Put a job into the queue, or raise `Refusal` if there is no room."""
        with self._lock:
            is_full = self.waiting > 0 and self.waiting + job.size > MOST_WAITING
            if self._is_stopped or is_full or not self._thread.is_alive():
                raise Refusal.busy()
            self.waiting += job.size
        self._queue.put(job)

    def call(self, function: Callable[[], Any]) -> Any:
        """Return what a function returns that the worker calls between two batches."""
        self.submit(job := Call(function))
        return job.future.result()

    def stop(self) -> None:
        """Finish the jobs in the queue, and accept no more."""
        with self._lock:
            self._is_stopped = True
        self._queue.put(None)
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        is_over = False
        while not is_over:
            jobs: list[Job] = []
            size = 0
            try:
                job = self._queue.get(timeout=IDLE)
                while job is not None:
                    jobs.append(job)
                    size += job.size
                    if size >= AT_ONCE:
                        break
                    job = self._queue.get_nowait()
                is_over = job is None
            except queue.Empty:
                pass
            self._execute(jobs, size)
            self._tick()

    def _execute(self, jobs: list[Job], size: int) -> None:
        for job in jobs:
            if isinstance(job, Call):
                job.execute()
        if others := [job for job in jobs if not isinstance(job, Call)]:
            self._handle(others)
        with self._lock:
            self.waiting -= size
        reply_to(jobs)


def reply_to(jobs: Sequence[Job]) -> None:
    """Set the futures of jobs; those of an event loop all at once, since waking it takes a while."""
    by_loop: dict[AbstractEventLoop | None, list[Job]] = defaultdict(list)
    for job in jobs:
        by_loop[job.loop].append(job)
    for loop, some in by_loop.items():
        if loop is None:
            _set_futures(some)
        else:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(_set_futures, some)


def _set_futures(jobs: Sequence[Job]) -> None:
    for job in jobs:
        job.set_future()
