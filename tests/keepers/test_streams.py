"""One pass is one pass: over all rows at once, or in any parts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Learner, Perceptron


def in_parts(model, X, y, cuts):
    for first, end in zip((0, *cuts), (*cuts, len(y)), strict=True):
        model.partial_fit(X[first:end], y[first:end], classes=[-1, 1])
    return model


def what_is_kept(model, Z):
    """The weights where there is one vector; else the committee's survivals and votes."""
    if model.keep == "voted":
        return model.survival_.tolist() + model.decision_function(Z).tolist()
    return model.coef_[0].tolist() + model.intercept_.tolist()


def clocks(model):
    kinds = model.false_positives_, model.false_negatives_
    return model.mistakes_, *kinds, model.updates_, model.examples_seen_


@pytest.mark.parametrize("keep", ["last", "averaged", "voted"])
@given(draw=st.data())
def test_any_parts_of_a_pass_are_the_pass_to_the_last_bit(keep, draw, problems):
    X, y = draw.draw(problems.small_integers())
    X = X * draw.draw(st.sampled_from([1.0, 0.1]))  # whole numbers, and numbers that must be rounded
    layout = draw.draw(st.sampled_from(["dense64", "csr64"]))
    cuts = sorted(draw.draw(st.sets(st.integers(1, len(y) - 1))))
    X = problems.laid_out(X, layout)
    whole = Perceptron(keep=keep, order="given", epochs=1).fit(X, y)
    parts = in_parts(Perceptron(keep=keep), X, y, cuts)
    assert clocks(parts) == clocks(whole)
    assert parts.epochs_ == len(cuts) + 1
    assert what_is_kept(parts, X) == what_is_kept(whole, X)


@pytest.mark.parametrize("keep", ["last", "averaged", "voted"])
def test_the_same_is_true_of_every_rule(both, keep, problems):
    rule, _ = both
    X, y = problems.fitting(rule)
    whole = Perceptron(rule=rule, keep=keep, order="given", epochs=1).fit(X, y)
    for cuts in ((1,), (5, 6, 30), tuple(range(1, len(y)))):
        parts = in_parts(Perceptron(rule=rule, keep=keep), X, y, cuts)
        assert clocks(parts) == clocks(whole)
        np.testing.assert_allclose(what_is_kept(parts, X), what_is_kept(whole, X), rtol=1e-12)


@pytest.mark.parametrize("keep", ["last", "averaged", "voted"])
def test_a_learner_that_sees_one_example_at_a_time_makes_the_same_pass(keep, problems):
    X, y = problems.noisy()
    whole = Perceptron(keep=keep, order="given", epochs=1).fit(X, y)
    learner = Learner(keep=keep)
    for x, label in zip(X, y, strict=True):
        learner.learn(x, int(label))
    kinds = learner.false_positives, learner.false_negatives
    assert (learner.mistakes, *kinds, learner.updates, learner.examples_seen) == clocks(whole)
    assert [learner.decide(x) for x in X] == whole.decision_function(X).tolist()


@pytest.mark.parametrize("keep", ["last", "averaged", "voted", "pocket"])
def test_what_is_kept_does_not_change_what_is_learned(keep, problems):
    """A keeper looks on: mistakes and updates are those of the rule alone."""
    X, y = problems.noisy()
    alone = Perceptron(order="given", epochs=4).fit(X, y)
    watched = Perceptron(keep=keep, order="given", epochs=4).fit(X, y)
    assert clocks(watched) == clocks(alone)
    assert [epoch.mistakes for epoch in watched.history_] == [epoch.mistakes for epoch in alone.history_]


def test_an_unknown_keeper_is_answered_with_the_keepers_there_are(problems):
    sentence = "^keep: got 'best', expected one of 'last', 'averaged', 'voted', 'pocket'$"
    with pytest.raises(ValueError, match=sentence):
        Perceptron(keep="best").fit(*problems.noisy())
