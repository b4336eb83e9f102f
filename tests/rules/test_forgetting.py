"""The shifting perceptron: how many mistakes it makes on a target that stands still."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.rules import Forgetting

FADES = st.sampled_from([1.0, 1.5, 2.0, 5.0, 30.0])


@given(draw=st.data(), fade=FADES)
def test_no_more_than_fade_times_radius_over_margin_squared_mistakes(draw, fade, problems, trained):
    problem = draw.draw(problems.separable())
    model = trained(Forgetting(fade), problem.X, problem.y, offset=problem.offset, epochs=30)
    assert model.mistakes_ * problem.least**2 <= fade * problem.radius2 * problem.length2


@given(draw=st.data(), fade=FADES)
def test_w_keeps_its_margin_to_the_separator_while_its_length_falls(draw, fade, problems, steps):
    """w·w* ≥ margin, and ‖w‖² ≤ radius²·fade/(k + fade − 1) after k mistakes."""
    problem = draw.draw(problems.separable())
    k = 0
    for step in steps(Forgetting(fade), problem.X, problem.y, epochs=3, offset=problem.offset):
        k += step.mistake
        if k:
            assert problem.separator @ step.after >= problem.least * (1 - 1e-9)
            assert step.after @ step.after <= problem.radius2 * fade / (k + fade - 1) * (1 + 1e-9)


def test_with_a_fade_of_one_w_is_the_mean_of_the_mistakes_and_decides_as_rosenblatts(
    problems, trained, weights
):
    X, y = problems.noisy()
    plain, mean = (trained(rule, X, y, epochs=3) for rule in ("rosenblatt", Forgetting(fade=1.0)))
    assert mean.mistakes_ == plain.mistakes_
    np.testing.assert_allclose(weights(mean) * mean.mistakes_, weights(plain), rtol=1e-9)


def test_w_is_a_mean_of_the_mistakes_in_which_the_old_count_less_the_larger_the_fade(trained):
    """Orthogonal unit vectors are a mistake each, and each weight is the share of its mistake in w."""
    X, y = np.eye(8), np.array([1, -1] * 4)
    oldest = []
    for fade in (1.0, 2.0, 4.0, 16.0):
        shares = y * trained(Forgetting(fade), X, y, offset=False, epochs=1).coef_[0]
        assert shares.sum() == pytest.approx(1.0, rel=1e-12)
        assert (np.diff(shares) > -1e-15).all()  # the newer, the more
        oldest.append(shares[0])
    assert oldest[0] == pytest.approx(1 / 8, rel=1e-12)
    assert oldest == sorted(oldest, reverse=True)
    assert oldest[-1] < 1e-3


@pytest.mark.parametrize("fade", [50.0, 200.0])
def test_what_has_faded_beyond_any_double_does_no_harm(fade, naive, problems, trained, weights):
    """After 600 mistakes the first ones count 10⁻⁷⁰ or less of the last, and are still divided out."""
    X, y = problems.noisy(n=60, seed=3)
    y = np.where(np.random.default_rng(2).random(60) < 0.5, -1, 1)

    def formula(*look):
        return naive.forgetting(*look, fade=fade)

    looks = list(naive.looks(formula, X, y, epochs=20))
    mistakes = sum(look.mistake for look in looks)
    assert problems.shrunk_by_forgetting(fade, mistakes) < -70
    model = trained(Forgetting(fade), X, y, epochs=20)
    assert model.mistakes_ == mistakes
    np.testing.assert_allclose(weights(model), looks[-1].w, rtol=1e-9)
