"""Passive-aggressive rules: the loss that they suffer is bounded by that of any other vector."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.rules import PassiveAggressive, PassiveAggressive1, PassiveAggressive2
from tests.rules import problems
from tests.rules.rule_runs import steps

ROUNDING = 1 + 1e-9
TRUST = st.sampled_from([0.01, 0.1, 1.0, 10.0])


@st.composite
def any_vector(draw, width, offset):
    """u, any vector at all; it has no offset where the rule has none."""
    part = st.floats(-2.0, 2.0, allow_nan=False)
    u = np.array(draw(st.lists(part, min_size=width, max_size=width)))
    u[-1] *= offset
    return u


def losses(u, run):
    return np.array([max(0.0, 1.0 - step.y * (u @ step.x)) for step in run])


@given(draw=st.data())
def test_the_squared_losses_sum_to_no_more_than_radius2_times_the_length2_of_a_vector_without_loss(draw):
    problem = draw.draw(problems.separable())
    run = list(steps(PassiveAggressive(), problem.X, problem.y, epochs=5, offset=problem.offset))
    u = problem.separator / problem.least
    assert losses(u, run).max() < 1e-12
    bound = problem.radius2 * (u @ u) * ROUNDING
    assert sum(step.loss**2 for step in run) <= bound
    assert sum(step.mistake for step in run) <= bound  # a mistake has a loss of at least 1


@given(draw=st.data(), C=TRUST, offset=st.booleans())
def test_mistakes_and_squared_losses_of_the_variants_are_bounded_by_the_losses_of_any_vector(
    draw, C, offset
):
    """Whatever the labels: mistakes ≤ max(R², 1/C)·(‖u‖² + 2C·Σ ℓᵤ) for the first variant, and
    Σ loss² ≤ (R² + 1/(2C))·(‖u‖² + 2C·Σ ℓᵤ²) for the second."""
    X, y = problem = draw.draw(problems.small_integers())
    u = draw.draw(any_vector(problem.width, offset))
    variants = (PassiveAggressive1(C), PassiveAggressive2(C))
    first, second = (list(steps(rule, X, y, epochs=3, offset=offset)) for rule in variants)
    radius2, of_u = max(step.x @ step.x for step in first), losses(u, first)
    bound = max(radius2, 1 / C) * (u @ u + 2 * C * of_u.sum())
    assert sum(step.mistake for step in first) <= bound * ROUNDING
    bound = (radius2 + 1 / (2 * C)) * (u @ u + 2 * C * (of_u**2).sum())
    assert sum(step.loss**2 for step in second) <= bound * ROUNDING


def test_the_update_gives_the_example_a_margin_of_one_and_no_other_change_is_smaller():
    X, y = problems.noisy()
    for step in steps(PassiveAggressive(), X, y):
        change = step.after - step.before
        assert step.updated == (step.loss > 0.0)
        if step.updated:
            assert step.y * (step.after @ step.x) == pytest.approx(1.0, rel=1e-12)
            # by Cauchy and Schwarz no change that brings in the loss is shorter than loss/‖x‖
            assert np.linalg.norm(change) == pytest.approx(step.loss / np.linalg.norm(step.x), rel=1e-9)
