"""Threads over independent parts of a job; compiled loops release the interpreter lock."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from rosenblatt.errors import bad_value


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
        raise bad_value("n_jobs", n_jobs, "a number of threads, -1 for one for each core, or None")
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
