"""Threads for independent parts of a job and for consecutive rows; compiled loops release the GIL."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, TypeVar

from rosenblatt.errors import bad_value

Part = TypeVar("Part")
Made = TypeVar("Made")

MANY_STEPS = 1 << 18  # steps of a nanosecond or more: starting threads takes a tenth of their time


def n_threads(n_jobs: Any) -> int:
    """Return the number of threads for `n_jobs`.

    None means 1 thread, −1 one per core, −2 all cores but one.

    Examples
    --------
    >>> n_threads(None), n_threads(3), n_threads(-1) >= 1
    (1, 3, True)
    """
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not hasattr(n_jobs, "__index__") or n_jobs == 0:
        raise bad_value("n_jobs", n_jobs, "a number of threads, -1 for one thread per core, or None")
    if n_jobs > 0:
        return int(n_jobs)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores + 1 + int(n_jobs))


def each_in_threads(job: Callable[[Any], Any], parts: Sequence[Any]) -> None:
    """Call job(part) for each part in a separate thread; a single part runs in the current thread.

    If several calls fail, the error of the first part is raised.
    """
    if len(parts) == 1:
        job(parts[0])
        return
    with ThreadPoolExecutor(len(parts)) as pool:
        for done in [pool.submit(job, part) for part in parts]:
            done.result()


@functools.cache
def _thread_pools() -> Any:
    """Return the thread controller of the BLAS libraries; finding them takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Limit each matrix product to one BLAS thread while several threads of this package are working."""
    with _thread_pools().limit(limits=1, user_api="blas"):
        yield


def map_parts(job: Callable[[Part], Made], parts: Sequence[Part]) -> list[Made]:
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

    Outside the main thread there is only one slice, because other threads of this package use the other
    cores.
    """
    cores = n_threads(-1)
    if steps < MANY_STEPS or n < cores or threading.current_thread() is not threading.main_thread():
        cores = 1
    bounds = [n * k // cores for k in range(cores + 1)]
    each_in_threads(job, [slice(first, end) for first, end in pairwise(bounds)])


def apply_in_stretches(ufunc: Callable[..., Any], array: Any) -> Any:
    """Apply a ufunc to an array in place, on all cores if the array is large; return the array."""
    in_stretches(lambda part: ufunc(array[part], out=array[part]), len(array), array.size)
    return array
