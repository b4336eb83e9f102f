"""Time limits for proof searches, with a progress line."""

from __future__ import annotations

import math
import time
from threading import Event

from rosenblatt.errors import bad_value
from rosenblatt.training.progress import Progress


class TimeIsUp(Exception):
    """Signal that a search has reached its time limit; facts proved earlier remain valid."""


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
        """Return a clock that ends after this part of the seconds left."""
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
