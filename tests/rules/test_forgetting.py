"""The shifting perceptron: how many mistakes it makes on a target that stands still."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.rules import Forgetting
from tests.rules import naive_rules as naive
from tests.rules import problems
from tests.rules.rule_runs import steps, train_perceptron, weights

FADES = st.sampled_from([1.0, 1.5, 2.0, 5.0, 30.0])


@given(draw=st.data(), fade=FADES)
def test_no_more_than_fade_times_radius_over_margin_squared_mistakes(draw, fade):
    problem = draw.draw(problems.separable())
    model = train_perceptron(Forgetting(fade), problem.X, problem.y, offset=problem.offset, epochs=30)
    assert model.mistakes_ * problem.least**2 <= fade * problem.radius2 * problem.length2


@given(draw=st.data(), fade=FADES)
def test_w_keeps_its_margin_to_the_separator_while_its_length_falls(draw, fade):
    """w·w* ≥ margin, and ‖w‖² ≤ radius²·fade/(k + fade − 1) after k mistakes."""
    problem = draw.draw(problems.separable())
    k = 0
    for step in steps(Forgetting(fade), problem.X, problem.y, epochs=3, offset=problem.offset):
        k += step.mistake
        if k:
            assert problem.separator @ step.after >= problem.least * (1 - 1e-9)
            assert step.after @ step.after <= problem.radius2 * fade / (k + fade - 1) * (1 + 1e-9)


@pytest.mark.parametrize("fade", [50.0, 200.0])
def test_what_has_faded_beyond_any_double_does_no_harm(fade):
    """After 600 mistakes the first ones count 10⁻⁷⁰ or less of the last, and are still divided out."""
    X, y = problems.noisy(n=60, seed=3)
    y = np.where(np.random.default_rng(2).random(60) < 0.5, -1, 1)

    def formula(*look):
        return naive.forgetting(*look, fade=fade)

    looks = list(naive.looks(formula, X, y, epochs=20))
    mistakes = sum(look.mistake for look in looks)
    assert problems.shrunk_by_forgetting(fade, mistakes) < -70
    model = train_perceptron(Forgetting(fade), X, y, epochs=20)
    assert model.mistakes_ == mistakes
    np.testing.assert_allclose(weights(model), looks[-1].w, rtol=1e-9)
