"""`ahead` computes results in threads, in order, up to a limit, and raises errors in their place."""

from __future__ import annotations

import threading
import time

import pytest

from rosenblatt.data.sources.source import ahead
from tests.patience import HANGS


def test_results_are_returned_in_order():
    def job(number):
        time.sleep(0.01 * (number % 3))
        return number

    assert list(ahead(range(20), job, 4, 6)) == list(range(20))


def test_the_number_of_results_ahead_is_limited():
    begun, lock = [], threading.Lock()

    def items():
        for number in range(50):
            with lock:
                begun.append(number)
            yield number

    results = ahead(items(), lambda number: number, 2, 3)
    for taken in range(10):
        next(results)
        time.sleep(0.01)
        with lock:
            assert len(begun) <= taken + 6  # three wait, one is taken, one is made, one was just asked for
    results.close()


def test_an_error_comes_after_the_results_before_it():
    def job(number):
        if number == 3:
            raise ValueError("three")
        return number

    results = ahead(range(10), job, 2, 4)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="three"):
        next(results)


def test_an_error_of_the_items_comes_after_the_results_before_it():
    def items():
        yield 1
        yield 2
        raise OSError("gone")

    results = ahead(items(), lambda number: number, 2, 4)
    assert [next(results), next(results)] == [1, 2]
    with pytest.raises(OSError, match="gone"):
        next(results)


def test_an_early_exit_leaves_no_thread_behind():
    before = set(threading.enumerate())
    for _ in range(5):
        results = ahead(range(10_000), lambda number: number, 2, 4)
        assert next(results) == 0
        results.close()
    assert not set(threading.enumerate()) - before


def test_one_of_its_own_threads_may_be_the_one_that_closes_it():
    """As where the last reference to it goes away in a thread of the pool."""
    may_close, closed = threading.Event(), []

    def job(number):
        if number == 1:
            assert may_close.wait(HANGS)
            results.close()
            closed.append(number)
        return number

    results = ahead(range(4), job, 2, 4)
    assert next(results) == 0
    may_close.set()
    end = time.monotonic() + HANGS
    while not closed and time.monotonic() < end:
        time.sleep(0.01)
    assert closed == [1]
