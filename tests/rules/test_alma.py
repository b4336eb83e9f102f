"""ALMA: how many corrections it makes, and the margin that it comes to."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Perceptron
from rosenblatt.rules import Alma
from tests.rules import problems
from tests.rules.rule_runs import steps, weights

ALPHAS = st.sampled_from([0.3, 0.5, 0.9, 1.0])


def most_corrections(alpha, margin):
    return 2 / margin**2 * (2 / alpha - 1) ** 2 + 8 / alpha - 4


@given(draw=st.data(), alpha=ALPHAS)
def test_it_ends_within_its_bound_at_a_margin_of_one_minus_alpha_of_the_widest(draw, alpha):
    problem = draw.draw(problems.separable(most_rows=12, widest=3))
    margin = problem.normalised_margin(problem.separator)  # the widest is at least this
    bound = most_corrections(alpha, margin)
    model = Perceptron(
        rule=Alma(alpha), offset=problem.offset, order="given", epochs=math.floor(bound) + 1,
        callbacks=lambda epoch: epoch.updates == 0,
    ).fit(problem.X, problem.y)  # fmt: skip
    assert model.updates_ <= bound * (1 + 1e-9)
    assert model.history_[-1].updates == 0
    assert problem.normalised_margin(weights(model)) >= (1 - alpha) * margin * (1 - 1e-9)


@given(draw=st.data(), alpha=ALPHAS)
def test_no_order_and_no_repetition_makes_more_corrections_than_the_bound(draw, alpha):
    problem = draw.draw(problems.separable())
    n = len(problem.y)
    order = draw.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=4 * n))
    model = Perceptron(rule=Alma(alpha), offset=problem.offset, order=order, epochs=5)
    model.fit(problem.X, problem.y)
    bound = most_corrections(alpha, problem.normalised_margin(problem.separator))
    assert model.updates_ <= bound * (1 + 1e-9)


@given(draw=st.data(), alpha=ALPHAS, offset=st.booleans())
def test_w_never_leaves_the_unit_ball(draw, alpha, offset):
    X, y = draw.draw(problems.small_integers())
    for step in steps(Alma(alpha), X, y, epochs=3, offset=offset):
        assert np.linalg.norm(step.after) <= 1 + 1e-12


@pytest.mark.parametrize("alpha", [0.5, 0.1, 0.02])
def test_a_small_alpha_comes_near_to_the_widest_margin(alpha):
    """The widest margin of these points is known by symmetry: w = (1, 0), and the cosine is 3/5."""
    X = np.array([[9.0, 8.0], [3.0, 4.0], [3.0, -4.0], [-3.0, 4.0], [-3.0, -4.0]])
    y = np.array([1, 1, 1, -1, -1])
    model = Perceptron(
        rule=Alma(alpha), offset=False, order="given", epochs=100_000,
        callbacks=lambda epoch: epoch.updates == 0,
    ).fit(X, y)  # fmt: skip
    w = model.coef_[0]
    cosine = (y * (X @ w) / np.linalg.norm(X, axis=1)).min() / np.linalg.norm(w)
    assert model.history_[-1].updates == 0
    assert (1 - alpha) * 0.6 <= cosine <= 0.6 + 1e-12
