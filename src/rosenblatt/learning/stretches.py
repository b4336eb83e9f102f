"""Rows that are worked on in stretches, one on each core."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from rosenblatt.engine.threads import each_in_threads, n_threads

MANY_STEPS = 1 << 18  # of a nanosecond or more: to begin threads takes a tenth of that


def in_stretches(job: Callable[[slice], Any], n: int, steps: int) -> None:
    """job(slice) for stretches of n rows, on all cores where that is many steps of work; where other
    threads of ours are at work already, each has a core to itself."""
    cores = n_threads(-1)
    if steps < MANY_STEPS or n < cores or threading.current_thread() is not threading.main_thread():
        cores = 1
    bounds = [n * k // cores for k in range(cores + 1)]
    each_in_threads(job, [slice(first, end) for first, end in pairwise(bounds)])
