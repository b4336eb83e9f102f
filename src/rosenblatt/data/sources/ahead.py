"""Work done ahead of the one who waits for it: in threads, in order, and never too much at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, Queue
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def ahead(
    items: Iterable[Item], job: Callable[[Item], Result], n_threads: int, most: int
) -> Iterator[Result]:
    """job(item) of each item, in order. The items are fetched in one thread and the jobs done in others,
    at most `most` of them ahead. An error is raised where its result would have come.

    >>> list(ahead(range(5), lambda number: number**2, n_threads=2, most=3))
    [0, 1, 4, 9, 16]
    """
    line: Queue[Future[Result] | None] = Queue(most)
    stopped = threading.Event()

    def feed() -> None:
        last: Future[Result] | None = None
        try:
            for item in items:
                line.put(pool.submit(job, item))
                if stopped.is_set():
                    return
        except BaseException as error:  # whatever it is, it belongs to the one who waits
            last = Future()
            last.set_exception(error)
        line.put(last)

    with ThreadPoolExecutor(n_threads) as pool:
        feeder = threading.Thread(target=feed, daemon=True)
        feeder.start()
        try:
            while (future := line.get()) is not None:
                result = future.result()
                yield result
        finally:
            stopped.set()
            _empty(line, feeder)


def _empty(line: Queue[Any], feeder: threading.Thread) -> None:
    """Takes what is still in the line, so that the feeder is not kept waiting to put more into it."""
    for _ in range(200):  # a feeder that waits for standard input is left to itself
        while True:
            try:
                future = line.get_nowait()
            except Empty:
                break
            if future is not None:
                future.cancel()
        feeder.join(0.005)
        if not feeder.is_alive():
            return
