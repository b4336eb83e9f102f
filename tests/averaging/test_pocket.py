"""Gallant's pocket: the vector with the longest run or, with the ratchet, the fewest errors."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Perceptron
from tests.averaging import naive_keepers
from tests.rules import naive_rules as naive
from tests.rules import problems
from tests.rules.rule_runs import train_perceptron, weights

TIES = st.sampled_from(["mistake", "negative", "positive"])


def random_start(draw, width):
    return [float(wj) for wj in draw.draw(st.lists(st.integers(-2, 2), min_size=width, max_size=width))]


@given(draw=st.data(), tie=TIES, offset=st.booleans())
def test_from_any_start_it_is_the_pocket_with_ratchet(draw, tie, offset):
    """The start is in the pocket first, and has errors to beat like any other vector."""
    X, y = problem = draw.draw(problems.small_integers())
    start = random_start(draw, problem.width)
    start[-1] *= offset
    looks = naive.looks(naive.rosenblatt, X, y, 3, offset, tie, start)
    want = naive_keepers.pocket(looks, start, naive_keepers.errors_on(naive, X, y, offset, tie))
    settings = {"epochs": 3, "tie": tie, "offset": offset, "init": (start[:-1], start[-1])}
    model = train_perceptron("rosenblatt", X, y, keep="pocket", **settings)
    assert weights(model).tolist() == want


@given(draw=st.data(), tie=TIES)
def test_the_pocket_never_gets_worse_from_pass_to_pass_nor_than_its_start(draw, tie):
    X, y = problem = draw.draw(problems.small_integers())
    start = random_start(draw, problem.width)
    model = train_perceptron(
        "rosenblatt", X, y, epochs=6, tie=tie, init=(start[:-1], start[-1]), keep="pocket", track_error=True
    )
    first = naive_keepers.errors_on(naive, X, y, tie=tie)(start) / len(y)
    errors = [first, *(epoch.training_error for epoch in model.history_)]
    assert errors == sorted(errors, reverse=True)


@given(draw=st.data())
def test_on_separable_data_the_pocket_comes_to_separate(draw):
    problem = draw.draw(problems.separable())
    model = Perceptron(
        keep="pocket", order="given", offset=problem.offset, until="separated",
        epochs=math.floor(problem.novikoff) + 1,
    ).fit(problem.X, problem.y)  # fmt: skip
    assert model.training_error(problem.X, problem.y) == 0.0


# ---------------------------------------------------------------- streams: the run alone decides


@given(draw=st.data())
def test_in_a_stream_the_longest_run_wins_however_many_errors_it_makes(draw):
    X, y = problem = draw.draw(problems.small_integers())
    cut = draw.draw(st.integers(1, len(y) - 1))
    model = Perceptron(keep="pocket")
    for part in (slice(0, cut), slice(cut, None)):
        model.partial_fit(X[part], y[part], classes=[-1, 1])
    looks = naive.looks(naive.rosenblatt, X, y)
    assert weights(model).tolist() == naive_keepers.pocket(looks, [0.0] * problem.width, errors=None)


def test_a_stream_after_a_fit_is_a_stream():
    """`fit` had all rows to compare on; what comes later by `partial_fit` has not, so the run decides."""
    X, y = np.ones((6, 1)), np.array([1, 1, 1, 1, 1, -1])
    model = train_perceptron("rosenblatt", X, y, epochs=1, offset=False, keep="pocket")
    assert weights(model).tolist() == [1.0, 0.0]  # a run of 4, one error
    # w = 0 now; (−1) comes next, with a run of 8 and three errors after it
    more = np.array([[-1.0]] * 9 + [[1.0]] * 3)
    model.partial_fit(more, np.ones(len(more), int))
    assert weights(model).tolist() == [-1.0, 0.0]
