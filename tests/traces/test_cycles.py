"""Cycles of a run: a repeated state is found and described."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import rules, trace
from rosenblatt.errors import BadInput
from rosenblatt.traces import Cycle, linear_recorder

XOR = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
XOR_LABELS = [-1, 1, 1, -1]
THREE = np.array([[0.0, 1.0], [0.0, -1.0], [-1.0, 0.5]])
THREE_LABELS = [1, 1, -1]


@st.composite
def small_integers(draw):
    rows = draw(st.integers(2, 5))
    X = [[float(draw(st.integers(-2, 2))) for _ in range(2)] for _ in range(rows)]
    y = [1, -1, *(draw(st.sampled_from([-1, 1])) for _ in range(rows - 2))]
    return np.array(X), y


def test_the_three_points_of_the_notes():
    steps = trace(THREE, THREE_LABELS, offset=False, tie="positive", epochs=4)
    assert steps.cycle == Cycle(start=3, period=3, passes=1.0, updates=2)


@given(
    small_integers(), st.booleans(), st.sampled_from(["given", "first_mistake", "worst_mistake", (0, 1, 1)])
)
def test_after_a_cycle_everything_comes_again(data, offset, order):
    X, y = data
    steps = trace(X, y, offset=offset, order=order, epochs=20)
    if steps.cycle is not None:
        assert_repeats(steps)
        assert not steps.separated
        assert steps.cycle.updates > 0


def assert_repeats(steps):
    start, period, _, updates = steps.cycle
    looks = [(s.index, s.score, s.mistake, s.weights, s.offset) for s in steps]
    assert len(looks) >= start + period
    for at in range(start, len(looks) - period):
        assert looks[at] == looks[at + period]
    assert updates == sum(s.updated for s in steps[start : start + period])


@given(small_integers(), st.booleans(), st.sampled_from(["given", "first_mistake", "worst_mistake"]))
def test_on_integers_every_run_ends_separated_or_in_a_cycle(data, offset, order):
    # the perceptron cycling theorem: the weights stay bounded, and there are finitely many of them
    X, y = data
    steps = trace(X, y, offset=offset, order=order, epochs=None, until="separated")
    assert steps.separated == (steps.cycle is None)
    if steps.separated:
        lifted = X @ steps.weights + steps.offset
        assert (np.array(y) * lifted > 0).all()


def test_an_order_of_mistakes_has_no_place_to_be_at():
    # (1, 0) is + and −: each update undoes the one before, in two steps of a pass of three
    X, y = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), [1, -1, 1]
    steps = trace(X, y, order="first_mistake", offset=False, epochs=3)
    assert steps.cycle == Cycle(start=0, period=2, passes=2 / 3, updates=2)


def test_absent_rows_do_not_count_in_the_period():
    steps = trace(np.vstack([XOR, [[9.0, 9.0]]]), [*XOR_LABELS, 1], sample_weight=[1, 1, 1, 1, 0], epochs=3)
    assert steps.cycle == Cycle(start=0, period=4, passes=1.0, updates=4)


def test_a_cycle_that_was_not_reached_is_not_claimed():
    assert trace(THREE, THREE_LABELS, offset=False, tie="positive", epochs=1).cycle is None
    assert trace(XOR, XOR_LABELS, max_steps=3).cycle is None


def test_the_memory_of_a_rule_is_part_of_the_state():
    # the mean of +1 and −1 is 0, where it began; but the next mistake is the third, and weighs less
    steps = trace([[1.0], [1.0]], [1, -1], rule=rules.Forgetting(fade=1.0), offset=False, epochs=2)
    assert [s.weights[0] for s in steps[:3]] == [1, 0, pytest.approx(1 / 3)]
    assert steps.cycle is None


@pytest.mark.parametrize("settings", [{"rule": "forgetting"}, {"order": "shuffled"}])
def test_a_run_that_neither_ends_nor_repeats_is_stopped_with_a_remedy(monkeypatch, settings):
    looks = 0
    learn = linear_recorder.learn

    def count_and_learn(*arguments):
        nonlocal looks
        looks += 1
        assert looks <= 5000, "a run without end fills the memory"
        learn(*arguments)

    monkeypatch.setattr(linear_recorder, "MOST_NUMBERS", 400)  # that is 100 steps of 2 features
    monkeypatch.setattr(linear_recorder, "learn", count_and_learn)
    with pytest.raises(BadInput, match="max_steps"):
        trace(XOR, XOR_LABELS, epochs=None, until="separated", **settings)
