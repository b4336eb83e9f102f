"""Compile time is excluded from training time, and reported while it lasts."""

from __future__ import annotations

import io
import sys
import time
from contextlib import contextmanager

import numpy as np
import pytest

from rosenblatt import KernelPerceptron, Perceptron
from rosenblatt.training import compile_time
from rosenblatt.training.compile_time import CLOCK, Stopwatch
from rosenblatt.training.progress import Progress
from tests.patience import HANGS

X, Y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
LONG = 0.25


@pytest.fixture
def passes(monkeypatch):
    """Return a function that advances the clock; it does not advance otherwise."""
    now = [100.0]

    def advance(seconds):
        now[0] += seconds

    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    return advance


@contextmanager
def compiling():
    CLOCK.on_start()
    try:
        yield
    finally:
        CLOCK.on_end()


def compile_something(passes, seconds=LONG):
    """Report to the clock like the compiler of a loop and of a function that the loop calls."""
    with compiling(), compiling():
        passes(seconds)


def test_a_stopwatch_counts_learning_and_compiling_apart(passes):
    watch = Stopwatch(already=2.0)
    compile_something(passes)
    passes(0.5)
    assert (watch.compiling, watch.learning) == (LONG, 2.5)


def test_compiling_that_fails_is_over(passes):
    with pytest.raises(ZeroDivisionError), compiling():
        1 / 0  # noqa: B018
    watch = Stopwatch()
    passes(0.5)
    assert (watch.compiling, watch.learning) == (0.0, 0.5)


def test_a_pass_of_fit_does_not_count_it(passes):
    def kernel(A, B):
        compile_something(passes)
        return A @ B.T

    model = KernelPerceptron(kernel=kernel, epochs=1).fit(X, Y)
    assert model.history_[0].seconds == 0.0


def test_a_pass_over_a_stream_does_not_count_it(passes):
    def parts():
        compile_something(passes)
        yield X, Y

    Perceptron(epochs=1, order="given").fit(X, Y)  # what is to be compiled really
    watch = Stopwatch()
    model = Perceptron(epochs=1, order="given").fit_stream(parts)
    assert watch.compiling == LONG
    assert model.history_[0].seconds == 0.0


@pytest.mark.parametrize("is_screen", [True, False])
@pytest.mark.parametrize("show", [None, True, False])
def test_long_steps_are_reported_while_they_last(show, is_screen, monkeypatch):
    monkeypatch.setattr(compile_time, "TICK", 0.01)
    screen = io.StringIO()
    screen.isatty = lambda: is_screen
    monkeypatch.setattr(sys, "stderr", screen)
    is_shown = show is True or (show is None and is_screen)
    end = time.monotonic() + (HANGS if is_shown else 0.1)
    with Progress(show, None):
        with compiling():
            while not screen.getvalue() and time.monotonic() < end:
                time.sleep(0.001)
        message = screen.getvalue()
    assert ("compiling a training loop, once per machine: " in message) == is_shown
    if message and is_screen:
        assert message.endswith("\r")  # the line is cleared
        assert message.split("\r")[-2].strip() == ""
    assert CLOCK.speakers == []
    compile_something(time.sleep, 0.03)
    assert screen.getvalue() == message
