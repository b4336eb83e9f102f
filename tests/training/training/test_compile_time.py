"""Time to compile is not time to learn, and is said while it lasts."""

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

X, Y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
LONG = 0.25


@contextmanager
def compiling():
    CLOCK.on_start()
    try:
        yield
    finally:
        CLOCK.on_end()


def compile_something(seconds=LONG):
    """Report to the clock like the compiler of a loop and of a function that the loop calls."""
    with compiling(), compiling():
        time.sleep(seconds)


def test_a_stopwatch_counts_learning_and_compiling_apart():
    watch = Stopwatch(already=2.0)
    compile_something()
    assert watch.compiling >= LONG
    assert 2.0 <= watch.learning < 2.0 + LONG


def test_compiling_that_fails_is_over():
    with pytest.raises(ZeroDivisionError), compiling():
        1 / 0  # noqa: B018
    watch = Stopwatch()
    time.sleep(0.01)
    assert watch.compiling == 0.0


def test_a_pass_of_fit_does_not_count_it():
    def kernel(A, B):
        compile_something()
        return A @ B.T

    model = KernelPerceptron(kernel=kernel, epochs=1).fit(X, Y)
    assert model.history_[0].seconds < LONG


def test_a_pass_over_a_stream_does_not_count_it():
    def parts():
        compile_something()
        yield X, Y

    Perceptron(epochs=1, order="given").fit(X, Y)  # what is to be compiled really
    watch = Stopwatch()
    model = Perceptron(epochs=1, order="given").fit_stream(parts)
    assert watch.compiling >= LONG
    assert model.history_[0].seconds < LONG


@pytest.mark.parametrize("is_screen", [True, False])
@pytest.mark.parametrize("show", [None, True, False])
def test_long_steps_are_reported_while_they_last(show, is_screen, monkeypatch):
    monkeypatch.setattr(compile_time, "TICK", 0.01)
    screen = io.StringIO()
    screen.isatty = lambda: is_screen
    monkeypatch.setattr(sys, "stderr", screen)
    with Progress(show, None):
        compile_something(0.1)
        said = screen.getvalue()
    assert ("compiling a training loop, once per machine: 0 s" in said) == (
        show is True or (show is None and is_screen)
    )
    if said and is_screen:
        assert said.endswith("\r")  # the line is cleared
        assert said.split("\r")[-2].strip() == ""
    assert CLOCK.speakers == []
    compile_something(0.03)
    assert screen.getvalue() == said
