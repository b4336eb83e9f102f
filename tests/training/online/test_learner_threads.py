"""Threads that share a Learner wait for each other, so each example is learned once and completely."""

from __future__ import annotations

import signal
import sys
import threading

import numpy as np
import pytest

from rosenblatt import Learner
from rosenblatt.errors import BadInput

N_THREADS, N_EACH = 4, 500


@pytest.fixture(autouse=True)
def frequent_switches():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(run) -> None:
    """Call run(k) in a thread for each k; raise the first error of any."""
    errors = []

    def catch_errors(k):
        try:
            run(k)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=catch_errors, args=(k,)) for k in range(N_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def as_array(number):
    return np.array([number, number])


def as_dict(number):
    return {"a": number, "b": number}


def as_words(number):
    return f"always and{int(number) % 97}"


@pytest.mark.parametrize("options", [{}, {"multiclass": "one_vs_rest"}, {"kernel": "linear"}], ids=str)
@pytest.mark.parametrize("example", [as_array, as_dict, as_words])
def test_each_example_is_learned_once_and_is_not_mixed_with_another(example, options):
    learner, numbers = Learner(**options), np.random.default_rng(5).integers(-50, 50, (N_THREADS, N_EACH))
    mistakes = [0] * N_THREADS

    def teach(k):
        for number in numbers[k].astype(float):
            mistakes[k] += learner.learn(example(number), bool(number > 3))

    in_threads(teach)
    assert learner.examples_seen == N_THREADS * N_EACH
    if "multiclass" in options:  # counts the mistakes of each class
        assert learner.mistakes >= sum(mistakes) > 0
    else:
        assert learner.mistakes == sum(mistakes) > 0
    if not options and example is not as_words:
        first, second = learner.weights.values() if example is as_dict else learner.weights
        assert first == second


def test_threads_may_learn_many_and_predict_at_once():
    learner = Learner(classes=["even", "odd"])

    def call(k):
        for i in range(100):
            names = [f"n{(i * k + j) % 300}" for j in range(5)]
            if k % 2:
                learner.learn_many([dict.fromkeys(names, 1.0)] * 3, ["odd", "even", "odd"])
            else:
                assert set(learner.predict_many([dict.fromkeys(names, 1.0), {"n1": 1.0}])) <= {
                    "even",
                    "odd",
                }
                assert np.isfinite(learner.decide({names[0]: 1.0}))
                assert learner.predict({names[0]: 1.0}) in {"even", "odd"}

    in_threads(call)
    assert learner.examples_seen == 2 * 100 * 3


def test_a_call_from_within_a_call_is_refused_and_the_learner_stays_usable():
    def kernel(A, B):
        if calls:
            learner.predict([1.0, 2.0])
        return A @ B.T

    calls = []
    learner = Learner(kernel=kernel)
    learner.learn([1.0, 2.0], 1)
    calls.append(1)
    with pytest.raises(BadInput, match="within a call of the same Learner"):
        learner.learn([2.0, 1.0], -1)
    calls.clear()
    learner.learn([2.0, 1.0], -1)


def test_one_learner_may_call_another():
    teacher = Learner()
    teacher.learn([1.0, 2.0], 1)
    learner = Learner(kernel=lambda A, B: teacher.predict([1.0, 1.0]) * (A @ B.T))
    assert learner.learn([1.0, 2.0], 1)
    assert learner.predict([1.0, 2.0]) == 1


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer that interrupts")
@pytest.mark.parametrize("example", [as_array, as_dict])
def test_an_interrupt_does_not_block_the_learner(example):
    class Interrupt(BaseException):
        pass

    def interrupt(number, frame):
        raise Interrupt

    learner = Learner()
    learner.learn(example(1.0), True)  # compiles
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for k in range(300):
            try:
                signal.setitimer(signal.ITIMER_REAL, 2e-5 + k * 1e-7)
                while True:
                    learner.learn(example(1.0), True)
            except Interrupt:
                assert not learner._is_busy
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert learner.predict(example(1.0)) is True
