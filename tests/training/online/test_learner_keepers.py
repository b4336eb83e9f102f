"""What a learner keeps decides as the estimator's does: the mean, the committee, the pocket."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt import Learner
from rosenblatt.errors import CommitteeHasNoWeights

KEEPERS = ["last", "averaged", "voted", "pocket"]


@pytest.fixture(scope="module")
def stream():
    generator = np.random.default_rng(9)
    X = np.round(generator.normal(size=(80, 3)), 1)
    y = np.where(X @ [1.0, -1.0, 0.5] + 0.8 * generator.normal(size=80) > 0, 1, -1)
    return X, y, np.round(generator.normal(size=(40, 3)), 1)


def taught(X, y, as_example=lambda x: x, **parameters):
    learner = Learner(**parameters)
    for x, label in zip(X, y.tolist(), strict=True):
        learner.learn(as_example(x), label)
    return learner


@pytest.mark.parametrize("keep", KEEPERS)
def test_answers_come_from_the_weights_as_they_are_now(stream, keep):
    X, y, challenges = stream
    plain, kept = taught(X, y), taught(X, y, keep=keep)
    assert [kept.answer(x) for x in challenges] == [plain.answer(x) for x in challenges]
    assert kept.weights.tolist() == plain.weights.tolist()
    assert kept.mistakes == plain.mistakes


@pytest.mark.parametrize("keep", KEEPERS)
def test_averages_survive_an_enlargement_of_the_arrays(keep):
    learner, wide = Learner(keep=keep), Learner(keep=keep, n_features=101)
    for _ in range(5):  # a long run of right answers for the pocket
        learner.learn({"a": 3.0}, 1)
        wide.learn(3.0 * np.eye(101)[0], 1)
    assert learner.learn({"a": 1.0, **{f"new {j}": 1.0 for j in range(100)}}, -1)
    wide.learn(np.ones(101), -1)
    for a in (-3.0, -0.5, 2.0):
        assert learner.decide({"a": a}) == wide.decide(a * np.eye(101)[0]) != 0


def test_a_committee_shows_no_weights_but_those_of_now(stream):
    X, y, _ = stream
    learner = taught(X, y, keep="voted")
    assert learner.weights.shape == (3,)
    with pytest.raises(CommitteeHasNoWeights):
        learner.state.returned_weights()
