"""Compile time, measured separately from the learning time.

The first use of a combination of rule, averaging strategy and row layout compiles its loop, which takes
seconds. Later uses load the machine code from disk. Numba reports when compiling starts and ends
(`numba.core.event`).
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from rosenblatt.numeric.code_cache import LISTENERS

if TYPE_CHECKING:
    from rosenblatt.training.progress import Progress

TICK = 1.0  # seconds of compiling before the first report, and between reports


class CompileClock:
    """Measure the seconds this process spends compiling; report them to the last callback in `speakers`."""

    def __init__(self) -> None:
        self.speakers: list[Progress] = []
        self.total = 0.0  # seconds of finished compilations; `seconds` includes the current one
        self._depth = 0  # compilations are nested: compiling a loop compiles its callees
        self._began = 0.0
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._spoke: Progress | None = None

    @property
    def seconds(self) -> float:
        """Return the seconds spent compiling so far, including the current compilation."""
        return self.total + (time.perf_counter() - self._began if self._depth else 0.0)

    def on_start(self) -> None:
        self._depth += 1
        if self._depth == 1:
            self._began, self._done = time.perf_counter(), threading.Event()
            if self.speakers:
                threading.Thread(target=self._speak, args=(self._done,), daemon=True).start()

    def on_end(self) -> None:
        if self._depth == 1:
            self.total = self.seconds
            with self._lock:
                self._done.set()
                if self._spoke is not None:
                    self._spoke.compiling(None)
                self._spoke = None
        self._depth -= 1

    def _speak(self, done: threading.Event) -> None:
        while not done.wait(TICK):
            with self._lock:
                if self.speakers and not done.is_set():
                    self._spoke = self.speakers[-1]
                    self._spoke.compiling(self.seconds)


CLOCK = CompileClock()
LISTENERS.append(CLOCK)


class Stopwatch:
    """Measure the seconds since its creation plus `already`, with compile time counted separately."""

    def __init__(self, already: float = 0.0) -> None:
        self._began, self._compiled = time.perf_counter() - already, CLOCK.seconds

    @property
    def compiling(self) -> float:
        return CLOCK.seconds - self._compiled

    @property
    def learning(self) -> float:
        return max(0.0, time.perf_counter() - self._began - self.compiling)


def after_compiling(seconds: float) -> str:
    """Return a note on the compile time, to be shown after the learning time; empty if it is negligible.

    Examples
    --------
    >>> after_compiling(3.94), after_compiling(0.004)
    ('after compiling for 3.9 s, once', '')
    """
    return f"after compiling for {seconds:.1f} s, once" if seconds >= 0.05 else ""
