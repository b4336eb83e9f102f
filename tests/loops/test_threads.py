"""Work divided among threads handles each row once, for any number of cores."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.loops import threads
from rosenblatt.training.backends import OnHost, Voters


@pytest.mark.parametrize("cores", [1, 3, 64])
@pytest.mark.parametrize("n", [1, 5, 64, 100])
def test_each_row_belongs_to_one_stretch(cores, n, monkeypatch):
    monkeypatch.setattr(threads, "n_threads", lambda jobs: cores)
    times = np.zeros(n, int)

    def count(part):
        times[part] += 1

    threads.in_stretches(count, n, threads.MANY_STEPS)
    assert (times == 1).all()
    threads.in_stretches(count, n, threads.MANY_STEPS - 1)  # too little work: this thread alone
    assert (times == 2).all()


def test_votes_and_exponentials_have_the_same_bits_in_stretches(monkeypatch):
    generator = np.random.default_rng(0)
    values = generator.standard_normal((40, 7))
    voters = Voters(
        np.arange(7),
        generator.standard_normal(7),
        np.arange(8),
        np.abs(generator.standard_normal(7)).cumsum(),
    )

    def answers():
        host = OnHost()
        votes = host.count_votes(values, voters, 1.0, 1.0, (1e-15, 1e-16), np.ones(40))
        return host.exponential(values.copy()), *votes

    alone = answers()
    monkeypatch.setattr(threads, "n_threads", lambda jobs: 3)
    monkeypatch.setattr(threads, "MANY_STEPS", 1)
    for one, other in zip(alone, answers(), strict=True):
        assert one.tobytes() == other.tobytes()
