"""Ctrl-C between two groups of rows, never within one: what is saved then is a state that can go on."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rosenblatt.learning.streams.stream_run import StreamRun


@contextmanager
def interruptible(run: StreamRun, *signals: signal.Signals) -> Iterator[None]:
    """While the run learns from a group, a signal waits until that is done; a second one does not."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread is told of signals
        return

    def interrupt(*_: Any) -> None:
        if run.is_learning and not run.is_interrupted:
            run.is_interrupted = True
        else:
            raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
