"""The perceptron with a margin, the same for both labels or uneven."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Perceptron
from rosenblatt.rules import Margin, UnevenMargin
from tests.rules import naive_rules as naive
from tests.rules import problems
from tests.rules.rule_runs import train_perceptron, weights

TAUS = st.sampled_from([0.0, 0.5, 1.0, 7.0, 40.0])
RATES = st.sampled_from([0.25, 1.0, 4.0])


def until_quiet(rule, problem, most_updates):
    """A run that ends with the first pass that changes nothing; it can take one pass per update."""
    return Perceptron(
        rule=rule, offset=problem.offset, order="given", epochs=math.floor(most_updates) + 1,
        callbacks=lambda epoch: epoch.updates == 0,
    ).fit(problem.X, problem.y)  # fmt: skip


@given(draw=st.data(), tau=TAUS, rate=RATES)
def test_no_more_than_radius2_plus_two_tau_over_margin2_updates(draw, tau, rate):
    problem = draw.draw(problems.separable())
    bound = (problem.radius2 + 2 * tau / rate) * problem.length2 / problem.least**2
    model = until_quiet(Margin(tau, rate), problem, bound)
    assert model.updates_ * problem.least**2 <= (problem.radius2 + 2 * tau / rate) * problem.length2
    assert model.history_[-1].updates == 0
    assert (problem.y * (problem.lifted @ weights(model)) > tau).all()


@given(draw=st.data(), tau_positive=TAUS, tau_negative=TAUS, rate=RATES)
def test_uneven_margins_are_bounded_by_the_larger_and_each_side_gets_its_own(
    draw, tau_positive, tau_negative, rate
):
    problem = draw.draw(problems.separable())
    widest = max(tau_positive, tau_negative)
    bound = (problem.radius2 + 2 * widest / rate) * problem.length2 / problem.least**2
    model = until_quiet(UnevenMargin(tau_positive, tau_negative, rate), problem, bound)
    assert model.updates_ * problem.least**2 <= (problem.radius2 + 2 * widest / rate) * problem.length2
    assert model.history_[-1].updates == 0
    agreement = problem.y * (problem.lifted @ weights(model))
    assert (agreement[problem.y > 0] > tau_positive).all()
    assert (agreement[problem.y < 0] > tau_negative).all()


def test_an_agreement_of_exactly_tau_is_not_enough():
    """After x = 1, y = +1 without offset the agreement is 1: a tau of 1 updates again, one below not."""
    X, y = np.array([[1.0], [-1.0]]), np.array([1, -1])  # the second agrees as the first does
    below = math.nextafter(1.0, 0.0)
    assert train_perceptron(Margin(tau=1.0), X, y, offset=False, epochs=1).updates_ == 2
    assert train_perceptron(Margin(tau=below), X, y, offset=False, epochs=1).updates_ == 1
    *_, last = naive.looks(partial(naive.margin, tau=1.0), X, y, offset=False)
    assert last.w == [2.0, 0.0]


def test_the_agreement_is_compared_with_tau_before_it_is_rounded():
    """The doubles 0.1, 0.2 and 0.3 add up to a little more than the double 0.6; rounded, 0.3 + 0.2 + 0.1
    is 0.6 and 0.1 + 0.2 + 0.3 is the double after it."""
    total = sum(map(Fraction, (0.1, 0.2, 0.3)))
    after = math.nextafter(0.6, 1.0)
    assert Fraction(0.6) < total < Fraction(after)
    for row in ([0.1, 0.2, 0.3], [0.3, 0.2, 0.1]):
        X, y = np.array([row, [-9.0, -9.0, -9.0]]), np.array([1, -1])
        for tau, updates in ((0.6, 0), (after, 1)):
            model = train_perceptron(Margin(tau), X, y, offset=False, epochs=1, init=[1.0, 1.0, 1.0])
            assert model.updates_ == updates
