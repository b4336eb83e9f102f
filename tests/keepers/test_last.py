"""The last vector is kept: the one that the next look would use."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Learner, Perceptron


@given(draw=st.data())
def test_the_weights_are_those_after_the_last_look(draw, naive, problems, trained, weights):
    X, y = problem = draw.draw(problems.small_integers())
    start = draw.draw(st.lists(st.integers(-2, 2), min_size=problem.width, max_size=problem.width))
    epochs = draw.draw(st.integers(1, 3))
    *_, last = naive.looks(naive.rosenblatt, X, y, epochs, init=[float(wj) for wj in start])
    model = trained("rosenblatt", X, y, epochs=epochs, init=(start[:-1], start[-1]))
    assert weights(model).tolist() == last.w


def test_the_last_vector_is_what_is_kept_unless_another_keeper_is_asked_for(problems, weights):
    X, y = problems.noisy()
    silent, asked = (Perceptron(order="given", **keep).fit(X, y) for keep in ({}, {"keep": "last"}))
    assert (weights(silent) == weights(asked)).all()


def test_a_learner_decides_by_the_vector_it_has_now(both, problems):
    rule, _ = both
    X, y = problems.fitting(rule)
    learner = Learner(rule=rule)
    for x, label in zip(X, y, strict=True):
        learner.learn(x, int(label))
        now = learner.weights @ x + learner.offset_weight
        np.testing.assert_allclose(learner.decide(x), now, rtol=1e-9, atol=1e-12)
