"""`Worker`: a model and the single thread that uses it, which processes a queue of jobs.

Event loops and other threads only put jobs into the queue. All waiting jobs are processed together, so
several requests share one commit.
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
AT_ONCE = 4_000  # examples after which a batch takes no further job
IDLE = 1.0  # seconds between calls of `tick` while there are no jobs
LAST = 20  # answers and labels shown on the status page


class Worker:
    """A model, a queue and a thread; the base class of the service and its followers.

    recovered: the model and its statistics. end: the place in the log up to which the model has learned.
    """

    def __init__(self, recovered: Recovered, end: Mark) -> None:
        self.recovered, self.end = recovered, end
        self.began = time.time()
        self.commits = self.answered = 0
        self.last: deque[dict[str, Any]] = deque(maxlen=LAST)
        self.waiting = 0  # examples in the queue or in the current batch
        self._queue: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._is_stopped = False
        self._thread = threading.Thread(target=self._run, name="worker", daemon=True)

    def handle(self, jobs: list[Job]) -> None:
        """Give each job a result or an error."""
        raise NotImplementedError

    def tick(self) -> None:
        """Do periodic work; called after each batch of jobs, and every second while the queue is empty."""

    @property
    def model(self) -> LoadedModel:
        """Current model."""
        return self.recovered.model

    @property
    def statistics(self) -> Statistics:
        """Statistics of the answers."""
        return self.recovered.statistics

    @property
    def learned(self) -> int:
        """Number of examples that the model has learned."""
        return self.end.position

    def start(self) -> None:
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Put a job into the queue; raise `Refusal` if the queue is full or the worker has stopped."""
        with self._lock:
            is_full = self.waiting > 0 and self.waiting + job.size > MOST_WAITING
            if self._is_stopped or is_full or not self._thread.is_alive():
                raise Refusal.busy()
            self.waiting += job.size
        self._queue.put(job)

    def call(self, function: Callable[[], Any]) -> Any:
        """Call a function in the worker thread, between two batches, and return its result."""
        self.submit(job := Call(function))
        return job.future.result()

    def stop(self) -> None:
        """Process the jobs in the queue, and accept no more."""
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
        by_loop: dict[AbstractEventLoop | None, list[Job]] = defaultdict(list)
        for job in jobs:
            by_loop[job.loop].append(job)
        for loop, some in by_loop.items():  # a single wake-up for each event loop
            if loop is None:
                _set_futures(some)
            else:
                with suppress(RuntimeError):  # the event loop is closed
                    loop.call_soon_threadsafe(_set_futures, some)


def _set_futures(jobs: Sequence[Job]) -> None:
    for job in jobs:
        job.set_future()
