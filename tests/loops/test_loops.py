"""The loops release the GIL, and how a pass is cut changes nothing."""

from __future__ import annotations

import os
import threading
import time

import numpy as np
import pytest

from rosenblatt import Perceptron
from rosenblatt.data.labels import as_labels
from rosenblatt.numeric.next_row import Given
from rosenblatt.numeric.row_batches import Batch, as_rows
from rosenblatt.rules import Rosenblatt
from rosenblatt.training import orders
from rosenblatt.training.column_trainer import learn
from rosenblatt.training.initial_states import begin


def make_batch(X, y):
    return Batch(as_rows(X), as_labels(y), np.empty(0))


@pytest.fixture
def noisy():
    generator = np.random.default_rng(0)
    X = generator.standard_normal((3000, 12))
    y = np.where(X @ generator.standard_normal(12) + generator.standard_normal(3000) > 0, 1, -1)
    return X, y


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="interpreted code holds the GIL")
def test_python_runs_on_while_a_loop_learns():
    generator = np.random.default_rng(0)
    X = generator.standard_normal((400_000, 64))
    y = np.where(X[:, 0] + generator.standard_normal(400_000) > 0, 1, -1)
    batch = make_batch(X, y)
    learn(begin(64), batch, Given(0, 10))  # compile
    pulse, stop = [], threading.Event()

    def beat():
        while not stop.is_set():
            pulse.append(time.perf_counter())
            time.sleep(0.001)

    other = threading.Thread(target=beat)
    other.start()
    inside = []
    while len(inside) < 100 and max(inside, default=0) < 5:  # a busy machine may leave no time to the other
        began = time.perf_counter()
        learn(begin(64), batch, Given(0, len(y)))
        ended = time.perf_counter()
        inside.append(sum(began < moment < ended for moment in pulse))
    stop.set()
    other.join()
    # one call lasts tens of milliseconds; with the GIL held there are beats only as it begins and ends
    assert max(inside) >= 5


@pytest.mark.parametrize("keep", ["last", "averaged", "voted", "pocket"])
@pytest.mark.parametrize("order", ["given", "shuffled"])
def test_how_a_pass_is_cut_into_segments_changes_nothing(noisy, monkeypatch, keep, order):
    X, y = noisy
    whole = Perceptron(keep=keep, order=order, epochs=2, random_state=0).fit(X, y)
    monkeypatch.setattr(orders, "SEGMENT_BYTES", 1000)
    cut = Perceptron(keep=keep, order=order, epochs=2, random_state=0).fit(X, y)
    assert cut.mistakes_ == whole.mistakes_
    assert np.array_equal(cut.decision_function(X), whole.decision_function(X))


def test_weights_that_overflow_are_named_with_a_remedy():
    X = np.array([[1.7e308, 1.0], [-1.7e308, 1.0]])
    model = Perceptron(rule=Rosenblatt(rate=10.0), order="given", epochs=1)
    # interpreted, numpy warns of overflow
    with (
        np.errstate(over="ignore"),
        pytest.raises(ValueError, match=r"overflowed before row 1.*MaxAbsScaler"),
    ):
        model.fit(X, [1, -1])
    with np.errstate(over="ignore"), pytest.raises(ValueError, match=r"overflowed;.*MaxAbsScaler"):
        Perceptron(rule=Rosenblatt(rate=10.0), order=[0], epochs=1).fit(X, [1, -1])
