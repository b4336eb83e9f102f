"""Time limits for proof searches, with a progress line, and the reasons why a search ends."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from threading import Event
from typing import Literal

from rosenblatt.errors import bad_value
from rosenblatt.loops.threads import one_blas_thread
from rosenblatt.training.progress import Progress

Ending = Literal["searched", "time", "size", "interrupted"]


class TimeIsUp(Exception):
    """Signal that a search has reached its time limit; facts proved earlier remain valid."""


class TooLarge(Exception):
    """Signal that deciding the question would need more memory than a typical machine has."""


class Clock:
    """Enforce a time limit in seconds (None for no limit) and show a progress line.

    To end a search that runs in another thread, set the event `stop`: Ctrl-C reaches the main thread only.
    """

    def __init__(self, time_limit: float | None, progress: Progress, stop: Event | None = None) -> None:
        if time_limit is not None and not (isinstance(time_limit, (int, float)) and time_limit >= 0):
            raise bad_value("time_limit", time_limit, "a number of seconds, or None for no limit")
        self._began = time.monotonic()
        self._limit = math.inf if time_limit is None else float(time_limit)
        self._progress, self._stop = progress, stop
        self.steps = 0

    def share(self, part: float) -> Clock:
        """Return a clock that expires after the fraction `part` of the remaining seconds."""
        limit = None if math.isinf(self._limit) else part * self.seconds_left
        return Clock(limit, self._progress, self._stop)

    @property
    def seconds_elapsed(self) -> float:
        """Seconds since the clock was created."""
        return time.monotonic() - self._began

    @property
    def seconds_left(self) -> float:
        """Seconds left until the time limit."""
        return max(0.0, self._limit - self.seconds_elapsed)

    def tick(self, message: str) -> None:
        """Show one more step on the progress line, then do the same as `check`."""
        self.steps += 1
        self._progress.at(self.steps, message)
        self.check()

    def check(self) -> None:
        """Raise `TimeIsUp` if the time limit is reached, or KeyboardInterrupt if `stop` is set."""
        if self._stop is not None and self._stop.is_set():
            raise KeyboardInterrupt
        if self.seconds_elapsed > self._limit:
            raise TimeIsUp

    def afford(self, seconds: float) -> None:
        """Raise `TimeIsUp` if less time is left than the next step needs, in seconds."""
        if self.seconds_elapsed + seconds > self._limit:
            raise TimeIsUp


def run_to_limit(search: Callable[[], None]) -> Ending:
    """Run a search until it returns, reaches a limit or is interrupted, and return why it ended.

    Matrix products use one BLAS thread, so that the result does not depend on the number of threads; the
    products are also too small to gain from several threads. Callers that run searches in several threads
    must limit BLAS to one thread themselves.
    """
    is_alone = threading.current_thread() is threading.main_thread()
    try:
        with one_blas_thread() if is_alone else nullcontext():
            search()
    except TimeIsUp:
        return "time"
    except TooLarge:
        return "size"
    except KeyboardInterrupt:
        return "interrupted"
    return "searched"
