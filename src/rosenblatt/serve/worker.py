"""A model and the one thread that uses it: it drains a queue of jobs and replies to them.

Event loops and other threads only put jobs into the queue. All jobs that wait are handled together, so
that many requests share one commit.
"""

from __future__ import annotations

import queue
import threading
import time
from asyncio import AbstractEventLoop
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from rosenblatt.models.loaded import LoadedModel
from rosenblatt.serve.jobs import Call, Job, Refusal
from rosenblatt.serve.log_records import Mark
from rosenblatt.serve.recovery import Recovered
from rosenblatt.serve.statistics import Statistics

MOST_WAITING = 20_000  # examples in the queue
AT_ONCE = 4_000  # examples after which no further job joins the others
IDLE = 1.0  # seconds between two calls of `tick` where no jobs come
LAST = 20  # answers and labels that the status page shows


class Worker:
    """A model, a queue and its thread; the base of the service and its followers.

    recovered: the model and its statistics. end: the place in the log that the model has reached.
    """

    def __init__(self, recovered: Recovered, end: Mark) -> None:
        self.recovered, self.end = recovered, end
        self.began = time.time()
        self.commits = self.answered = 0
        self.last: deque[dict[str, Any]] = deque(maxlen=LAST)
        self.waiting = 0  # examples in the queue or in the batch that is executed
        self._queue: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._is_stopped = False
        self._thread = threading.Thread(target=self._run, name="worker", daemon=True)

    def handle(self, jobs: list[Job]) -> None:
        """Give each job a result or an error."""
        raise NotImplementedError

    def tick(self) -> None:
        """Do what is due after a batch, or after a second without one."""

    @property
    def model(self) -> LoadedModel:
        """The model."""
        return self.recovered.model

    @property
    def statistics(self) -> Statistics:
        """The statistics of the answers."""
        return self.recovered.statistics

    @property
    def learned(self) -> int:
        """The number of examples in the weights."""
        return self.end.position

    def save_model(self, path: str) -> Mark:
        """Write the current model; return the place in the log that it has reached."""
        model, end = self.call(lambda: (self.model.copy(), self.end))
        model.save(path)
        return end

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
            self.tick()

    def _execute(self, jobs: list[Job], size: int) -> None:
        for job in jobs:
            if isinstance(job, Call):
                job.execute()
        if others := [job for job in jobs if not isinstance(job, Call)]:
            self.handle(others)
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
