"""The mean of the weight vectors after every step, updates or not."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.rules import Alma, Forgetting, Margin, UnevenMargin
from tests.averaging import naive_keepers
from tests.covering import case_id
from tests.rules import naive_rules as naive
from tests.rules import problems
from tests.rules.rule_runs import train_perceptron, weights


def close(got, want):
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9 * np.abs(want).max())


def random_start(draw, width, offset):
    """Weights to start from, as a list and as `init` wants them; without an offset b is 0."""
    start = [float(wj) for wj in draw.draw(st.lists(st.integers(-2, 2), min_size=width, max_size=width))]
    start[-1] *= offset
    return start, (start[:-1], start[-1])


@given(draw=st.data(), offset=st.booleans(), tie=st.sampled_from(["mistake", "negative", "positive"]))
def test_on_whole_numbers_it_is_the_mean_to_the_last_bit(draw, offset, tie):
    X, y = problem = draw.draw(problems.small_integers())
    start, init = random_start(draw, problem.width, offset)
    epochs = draw.draw(st.integers(1, 4))
    rule, formula = draw.draw(
        st.sampled_from(
            [
                ("rosenblatt", naive.rosenblatt),
                (Margin(tau=2.0), partial(naive.margin, tau=2.0)),
                (UnevenMargin(2.0, 1.0), partial(naive.uneven_margin, tau_positive=2.0, tau_negative=1.0)),
            ]
        )
    )
    looks = naive.looks(formula, X, y, epochs, offset, tie, start)
    model = train_perceptron(rule, X, y, epochs=epochs, offset=offset, tie=tie, init=init, keep="averaged")
    assert weights(model).tolist() == naive_keepers.mean(looks)


# ---------------------------------------------------------------- rules that shrink w, for long


def coin_labels(problems, n=60):
    """Labels by the toss of a coin: mistakes never end, so w shrinks as often as it can."""
    X, _ = problems.noisy(n=n, seed=3)
    return X, np.where(np.random.default_rng(2).random(n) < 0.5, -1, 1)


SHRINKING = [
    *((Forgetting(fade), naive.forgetting, n) for fade in (2.0, 20.0, 50.0, 200.0) for n in (2, 20)),
    *((Alma(alpha), naive.alma, epochs) for alpha, epochs in ((0.6, 50), (0.1, 50), (0.02, 100))),
]


@pytest.mark.parametrize(("rule", "formula", "epochs"), SHRINKING, ids=case_id)
def test_the_mean_of_a_rule_that_shrinks_w_is_exact(rule, formula, epochs):
    """The early vectors count in full, however little of them is left in the last one."""
    X, y = coin_labels(problems)
    looks = list(naive.looks(partial(formula, **rule._asdict()), X, y, epochs))
    model = train_perceptron(rule, X, y, epochs=epochs, keep="averaged")
    assert model.mistakes_ == sum(look.mistake for look in looks)
    assert model.updates_ == sum(look.updated for look in looks)
    close(weights(model), naive_keepers.mean(looks))


@pytest.mark.parametrize("layout", ["dense64", "csr64"])
def test_starting_again_from_zero_keeps_what_was_before_in_the_mean(layout):
    """The aggressive ROMMA sets w ← y·x/‖x‖² where w says too little: shrunk to nothing, more than once."""
    X = np.array([[4.0, 1.0], [2.0, 0.25], [1.0, 0.5], [0.5, 0.0], [0.25, 0.125]])
    y = np.array([1, 1, 1, -1, 1])
    X = problems.laid_out(X, layout)
    looks = list(naive.looks(naive.aggressive_romma, X, y, 1, offset=False))
    rows = naive.lifted(X, offset=False)
    anew = [naive.times(label / naive.dot(x, x), x) for x, label in zip(rows, y, strict=True)]
    assert sum(np.allclose(look.w, w) for look, w in zip(looks, anew, strict=True)) >= 3
    model = train_perceptron("aggressive_romma", X, y, epochs=1, offset=False, keep="averaged")
    assert model.updates_ == sum(look.updated for look in looks)
    close(weights(model), naive_keepers.mean(looks))
