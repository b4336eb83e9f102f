"""The proof of the mistake bound, checked at every mistake of a run."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rosenblatt import rules, trace
from rosenblatt.errors import BadInput

FIRST = np.array([[2.0, 1.0], [0.0, 2.0], [-0.5, -2.0]])
LABELS = [1, -1, 1]


@st.composite
def separable(draw, offset):
    """Points at least 0.05 away (lifted) from the hyperplane of a w* of length 1, labelled by it."""
    features = draw(st.integers(1, 4))
    generator = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    star = generator.normal(size=features + 1)
    star[-1] *= offset
    star /= np.linalg.norm(star)
    X = 3 * generator.normal(size=(draw(st.integers(4, 25)), features))
    score = X @ star[:-1] + star[-1]
    X, score = X[abs(score) > 0.05], score[abs(score) > 0.05]
    y = np.where(score > 0, 1, -1)
    assume(len(y) > 0)
    return X, y, star[:-1], float(star[-1])


@pytest.mark.parametrize("offset", [True, False])
@given(st.data())
def test_both_claims_hold_at_each_mistake_and_the_bound_is_kept(offset, data):
    X, y, w_star, b_star = data.draw(separable(offset))
    steps = trace(X, y, offset=offset, until="separated", epochs=None)
    claims = steps.check_claims(w_star, b_star)
    assert claims.progress_holds
    assert claims.growth_holds
    assert claims.holds
    assert steps.separated
    assert len(claims.claims) == steps.mistakes <= claims.bound
    assert [c.step for c in claims.claims] == [i for i, s in enumerate(steps) if s.mistake]


@pytest.mark.parametrize("offset", [True, False])
@given(st.data())
def test_claims_are_about_the_lifted_points_where_there_is_an_offset(offset, data):
    X, y, w_star, b_star = data.draw(separable(offset))
    claims = trace(X, y, offset=offset, epochs=2).check_claims(w_star, b_star)
    lifted = np.column_stack([X, np.full(len(X), float(offset))])
    assert claims.radius == pytest.approx(np.linalg.norm(lifted, axis=1).max())
    assert claims.margin == pytest.approx((y * (lifted @ [*w_star, b_star])).min())
    assert claims.bound == pytest.approx((claims.radius / claims.margin) ** 2)


def test_the_claims_of_the_notes_first_example():
    claims = trace(FIRST, LABELS, offset=False, tie="negative", epochs=2).check_claims([1.0, 0.0])
    # w: (0, 0) → (2, 1) → (2, −1)
    assert [(c.step, c.progress, c.growth) for c in claims.claims] == [(0, 2, 5), (1, 0, 0)]
    claims = trace(FIRST, LABELS, offset=False, tie="negative", epochs=2).check_claims([2.0, -1.0])
    assert claims.margin == pytest.approx(1 / math.sqrt(5))
    assert claims.radius == math.sqrt(5)
    assert claims.bound == pytest.approx(25)
    assert str(claims) == (
        "2 mistakes, margin 0.447214, radius 2.23607, bound 25: both claims hold at every mistake"
    )


@pytest.mark.parametrize("length", [1e-3, 1.0, 1e6])
def test_the_length_of_w_star_does_not_matter(length):
    steps = trace(FIRST, LABELS, offset=False)
    claims = steps.check_claims([2 * length, -length])
    assert claims.margin == pytest.approx(1 / math.sqrt(5))
    assert claims.holds


def test_a_w_star_that_does_not_separate_gives_no_bound():
    claims = trace(FIRST, LABELS, offset=False).check_claims([0.0, 1.0])
    assert claims.margin == -2
    assert claims.bound == math.inf
    assert "does not separate the points (margin -2)" in str(claims)
    assert "no bound follows" in str(claims)


def test_a_w_star_with_a_point_on_its_hyperplane_gives_no_bound():
    claims = trace([[1.0, 0.0], [0.0, -1.0]], [1, -1], offset=False).check_claims([1.0, 0.0])
    assert claims.margin == 0
    assert claims.bound == math.inf
    assert "no bound follows" in str(claims)


def test_a_run_without_mistakes_has_nothing_to_claim():
    claims = trace([[1.0], [2.0]], [1, 1], init=[1.0], offset=False).check_claims([1.0])
    assert claims.claims == []
    assert claims.holds


def test_updates_that_are_no_mistakes_are_not_in_the_proof():
    steps = trace(FIRST, LABELS, rule=rules.Margin(tau=3.0), offset=False, epochs=3)
    claims = steps.check_claims([2.0, -1.0])
    assert steps.updates > steps.mistakes
    assert [c.step for c in claims.claims] == [i for i, s in enumerate(steps) if s.mistake]


def test_a_rule_that_takes_longer_steps_breaks_the_second_claim():
    claims = trace(FIRST, LABELS, rule=rules.Rosenblatt(rate=2.0), offset=False).check_claims([2.0, -1.0])
    assert claims.progress_holds
    assert not claims.growth_holds
    assert not claims.holds
    assert "a claim fails" in str(claims)


def test_a_rule_that_takes_shorter_steps_breaks_the_first_claim():
    claims = trace(FIRST, LABELS, rule=rules.Rosenblatt(rate=0.1), offset=False).check_claims([2.0, -1.0])
    assert not claims.progress_holds
    assert claims.growth_holds


def test_a_claim_that_fails_once_is_not_said_to_fail_everywhere():
    X, y = np.array([[1.0, 0.0], [0.0, 1.0]]), [1, -1]
    claims = trace(X, y, offset=False, sample_weight=[1.0, 3.0]).check_claims([1.0, -1.0])
    assert [c.growth <= claims.radius**2 for c in claims.claims] == [True, False]
    assert "fails at every mistake" not in str(claims)


def test_a_start_other_than_zero_may_cost_more_mistakes_than_radius_over_margin_squared():
    # tγ + w₀·w* ≤ √(‖w₀‖² + tR²): from −50 it takes 51 mistakes, though (R/γ)² is 1
    steps = trace([[1.0], [-1.0]], [1, -1], init=[-50.0], offset=False, until="separated", epochs=None)
    claims = steps.check_claims([1.0])
    assert steps.mistakes == 51
    assert claims.holds
    assert steps.mistakes <= claims.bound


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("offset", "arguments", "problem"),
    [
        (True, ([1.0],), "w_star: 1 weights for 2 features"),
        (True, ([1.0, 2.0, 3.0],), "w_star: 3 weights for 2 features"),
        (False, ([1.0, 2.0], 0.5), "b_star: this run has no offset"),
        (False, ([0.0, 0.0],), "w_star: the zero vector separates nothing"),
        (True, ([0.0, 0.0], 0.0), "w_star: the zero vector separates nothing"),
        (True, ([math.nan, 1.0],), "w_star"),
        (True, ([1.0, 1.0], math.inf), "b_star"),
    ],
)
def test_a_separator_that_is_none_is_refused(offset, arguments, problem):
    with pytest.raises(BadInput, match=problem):
        trace(FIRST, LABELS, offset=offset).check_claims(*arguments)


def test_with_an_offset_the_separator_may_be_the_offset_alone():
    claims = trace([[3.0], [4.0]], [1, 1]).check_claims([0.0], 2.0)
    assert claims.margin == 1
