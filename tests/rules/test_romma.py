"""ROMMA: the shortest vector beyond the old one that gives the newest example its margin of 1."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.rules import AggressiveRomma, Romma
from tests.rules import problems
from tests.rules.rule_runs import steps, train_perceptron

EITHER = pytest.mark.parametrize("rule", [Romma(), AggressiveRomma()])


@EITHER
@given(draw=st.data())
def test_no_more_than_radius2_length2_mistakes(rule, draw):
    problem = draw.draw(problems.separable())
    model = train_perceptron(rule, problem.X, problem.y, offset=problem.offset, epochs=20)
    # u = separator/least gives every example a margin of 1
    assert model.mistakes_ * problem.least**2 <= problem.radius2 * problem.length2


@EITHER
@given(draw=st.data())
def test_w_grows_by_the_inverse_radius2_at_each_mistake_and_never_passes_a_vector_with_margin_one(
    rule, draw
):
    problem = draw.draw(problems.separable(most_rows=10, widest=3))
    shortest = problem.length2 / problem.least**2
    for step in steps(rule, problem.X, problem.y, epochs=3, offset=problem.offset):
        before, after = step.before @ step.before, step.after @ step.after
        assert after >= before * (1 - 1e-9)
        assert after <= shortest * (1 + 1e-9)
        if step.mistake:
            assert after - before >= 1 / problem.radius2 - 1e-9 * after


@EITHER
def test_the_update_meets_both_constraints_and_is_the_shortest_that_does(rule):
    """min ‖v‖ with y v·x ≥ 1 and v·w ≥ ‖w‖²: v is a mix of w and y·x with weights that are not negative,
    and a constraint that is not tight has no weight. By duality nothing shorter meets both."""
    X, y = problems.noisy()
    updates = [step for step in steps(rule, X, y, epochs=3) if step.updated]
    assert len(updates) > 10
    for step in updates:
        w, v = step.before, step.after
        w2 = w @ w
        assert step.y * (v @ step.x) == pytest.approx(1.0, rel=1e-9)
        assert v @ w >= w2 * (1 - 1e-9)
        basis = np.column_stack([w, step.y * step.x])
        (of_w, of_x), *_ = np.linalg.lstsq(basis, v)
        np.testing.assert_allclose(basis @ [of_w, of_x], v, atol=1e-9 * np.abs(v).max())
        assert of_w >= -1e-9
        assert of_x >= -1e-9
        assert of_w * abs(v @ w - w2) <= 1e-9 * max(1.0, w2)


def test_the_aggressive_form_restarts_if_the_example_alone_gives_the_longer_vector():
    """w = x makes ‖w‖²‖x'‖² < y w·x' for a shorter x' of the same direction: then w ← y·x'/‖x'‖²."""
    X, y = np.array([[2.0, 0.0], [1.0, 0.0]]), np.array([1, 1])
    first, second = steps(AggressiveRomma(), X, y, offset=False)
    assert first.after.tolist() == [0.5, 0.0, 0.0]
    assert second.agreement == 0.5
    assert second.after.tolist() == [1.0, 0.0, 0.0]


@EITHER
@given(
    x=st.lists(st.integers(-1000, 1000), min_size=1, max_size=4).filter(any),
    length=st.sampled_from([0.1, 0.7, 1.0, 1e-3]),
    offset=st.booleans(),
)
def test_an_example_with_both_labels_leaves_the_newer(rule, x, length, offset):
    """From w = x/‖x‖² there is no v for −x: ‖w‖²‖x‖² = s², so w ← y·x/‖x‖². Rounding must not decide
    it the other way, by dividing one rounding error by another."""
    X = np.array([x, x]) * length
    _, second = steps(rule, X, np.array([1, -1]), offset=offset)
    np.testing.assert_allclose(second.after, -second.x / (second.x @ second.x), rtol=1e-9)
