"""Rosenblatt's rule: Novikoff's theorem, and the two inequalities that prove it."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Perceptron
from rosenblatt.rules import Rosenblatt
from tests.rules import problems
from tests.rules.rule_runs import steps, train_perceptron, weights


@given(draw=st.data(), rate=st.sampled_from([1.0, 0.25, 3.0]))
def test_no_more_than_radius_over_margin_squared_mistakes_until_separated(draw, rate):
    problem = draw.draw(problems.separable())
    model = Perceptron(
        rule=Rosenblatt(rate), offset=problem.offset, order="given", until="separated",
        epochs=math.floor(problem.novikoff) + 1,
    ).fit(problem.X, problem.y)  # fmt: skip
    # in whole numbers: k·least² ≤ radius²·‖u‖²
    assert model.mistakes_ * problem.least**2 <= problem.radius2 * problem.length2
    # each pass but the last has a mistake, so that many passes are enough
    assert model.converged_
    assert model.score(problem.X, problem.y) == 1.0


def test_the_bound_is_met_with_equality_by_orthogonal_points():
    """d unit vectors, each its own mistake: radius 1, margin 1/√d, d mistakes."""
    d = 6
    X, y = np.eye(d), np.array([1, -1] * (d // 2))
    assert train_perceptron("rosenblatt", X, y, offset=False, epochs=3).mistakes_ == d


@given(draw=st.data())
def test_each_mistake_moves_w_towards_the_separator_by_the_margin_and_out_by_no_more_than_the_radius(draw):
    problem = draw.draw(problems.separable())
    u = problem.separator
    for step in steps("rosenblatt", problem.X, problem.y, epochs=2, offset=problem.offset):
        gain = u @ step.after - u @ step.before
        growth = step.after @ step.after - step.before @ step.before
        if step.mistake:
            assert gain >= problem.least
            assert growth <= problem.radius2
        else:
            assert (step.after == step.before).all()


@given(draw=st.data(), exponent=st.integers(-8, 8))
def test_the_rate_only_scales_w(draw, exponent):
    X, y = draw.draw(problems.small_integers())
    rate = 2.0**exponent  # a power of two scales without rounding
    one, other = (train_perceptron(Rosenblatt(r), X, y, epochs=3) for r in (1.0, rate))
    assert other.mistakes_ == one.mistakes_
    assert (weights(other) == rate * weights(one)).all()
