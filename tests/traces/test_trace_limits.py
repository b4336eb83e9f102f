"""Traces that would be too long are refused with a limit that works."""

from __future__ import annotations

import re
import tracemalloc

import numpy as np
import pytest
from scipy.sparse import csr_array

from rosenblatt import trace
from rosenblatt.errors import BadInput
from rosenblatt.traces import linear_recorder

X = np.array([[2.0, 1.0], [0.0, 2.0], [-0.5, -2.0]])
Y = [1, -1, 1]


def test_the_remedy_works(monkeypatch):
    monkeypatch.setattr(linear_recorder, "MOST_NUMBERS", 60)  # 15 steps of 2 features
    assert len(trace(X, Y, epochs=5)) == 15
    with pytest.raises(BadInput, match="max_steps") as refusal:
        trace(X, Y, epochs=6)
    most = int(re.search(r"max_steps=(\d+)", str(refusal.value)).group(1))
    assert most == 15
    assert len(trace(X, Y, epochs=6, max_steps=most)) == most
    with pytest.raises(BadInput, match="max_steps"):
        trace(X, Y, epochs=6, max_steps=most + 1)


@pytest.mark.parametrize("most", [0, 1, 4, 6])
def test_max_steps_is_the_beginning_of_the_longer_run(most):
    whole = trace(X, Y, epochs=4)
    assert trace(X, Y, epochs=4, max_steps=most).steps == whole[:most]


def test_a_run_cut_short_is_not_reported_to_make_mistakes_that_it_did_not_make():
    steps = trace(X, Y, init=[2.0, -1.0], offset=False, max_steps=2)
    assert steps.mistakes == 0
    assert not steps.separated  # a whole pass without a mistake would be
    assert "the last pass had mistakes" not in steps.summary()


def test_few_steps_of_a_large_sparse_input_take_little_memory():
    rows, features = 1000, 20_000  # 160 MB, were each row written out
    many = csr_array((np.ones(rows), (np.arange(rows), np.arange(rows))), shape=(rows, features))
    y = np.where(np.arange(rows) % 2, 1, -1)
    tracemalloc.start()
    try:
        steps = trace(many, y, max_steps=3)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(steps) == 3
    assert peak < 80e6
