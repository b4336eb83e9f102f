"""Process rows in consecutive parts, one on each core."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, TypeVar

from rosenblatt.loops.threads import each_in_threads, n_threads, one_blas_thread

Part = TypeVar("Part")
Made = TypeVar("Made")

MANY_STEPS = 1 << 18  # steps of a nanosecond or more: starting threads takes a tenth of their time


def mapped(job: Callable[[Part], Made], parts: Sequence[Part]) -> list[Made]:
    """Return job(part) for each part, in order; several parts run on all cores.

    Matrix products then use one thread each, so their bits do not depend on the number of cores.
    """
    cores = min(n_threads(-1), len(parts))
    if len(parts) == 1 or threading.current_thread() is not threading.main_thread():
        return [job(part) for part in parts]
    with one_blas_thread(), ThreadPoolExecutor(cores) as pool:
        return list(pool.map(job, parts))


def in_stretches(job: Callable[[slice], Any], n: int, steps: int) -> None:
    """Call job(slice) for consecutive slices of n rows, on all cores if there is enough work.

    Outside the main thread there is one slice, since the other cores run other threads of this package.
    """
    cores = n_threads(-1)
    if steps < MANY_STEPS or n < cores or threading.current_thread() is not threading.main_thread():
        cores = 1
    bounds = [n * k // cores for k in range(cores + 1)]
    each_in_threads(job, [slice(first, end) for first, end in pairwise(bounds)])
