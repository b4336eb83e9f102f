"""The Learner protocol: answer an example, then receive its label."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Learner
from rosenblatt.errors import BadInput

FIRST = [([2.0, 1.0], 1), ([0.0, 2.0], -1), ([-0.5, -2.0], 1)]

quarters = st.integers(-8, 8).map(lambda k: k / 4)
rounds = st.lists(
    st.tuples(st.tuples(quarters, quarters), st.sampled_from([-1, 1])), min_size=1, max_size=20
)


def what_it_knows(learner):
    counts = (learner.examples_seen, learner.mistakes, learner.updates)
    return learner.weights.tolist(), learner.offset_weight, counts


# ---------------------------------------------------------------- the protocol


def test_the_notes_first_example_as_a_game():
    learner = Learner(offset=False, tie="negative")
    played = [(learner.answer(x), learner.reveal(y), tuple(learner.weights)) for x, y in FIRST * 2]
    assert played == [
        (-1, True, (2, 1)),
        (1, True, (2, -1)),
        (1, False, (2, -1)),
        (1, False, (2, -1)),
        (-1, False, (2, -1)),
        (1, False, (2, -1)),
    ]
    assert learner.mistakes == 2


def test_a_label_without_a_challenge_is_refused():
    with pytest.raises(BadInput, match=r"reveal: no example is waiting.*call answer\(x\) first"):
        Learner().reveal(1)


def test_the_label_equals_that_of_the_last_challenge():
    learner = Learner(offset=False)
    learner.answer([1.0, 0.0])
    learner.answer([0.0, 1.0])
    learner.reveal(1)
    assert learner.weights.tolist() == [0, 1]


def test_a_label_that_is_refused_may_be_corrected():
    learner = Learner(offset=False)
    learner.answer([1.0, 0.0])
    with pytest.raises(BadInput):
        learner.reveal(2)
    assert learner.reveal(1)
    assert learner.weights.tolist() == [1, 0]


@given(rounds)
def test_to_answer_is_not_to_learn(played):
    learner = Learner()
    for x, y in played:
        learner.learn(x, y)
        before = what_it_knows(learner)
        learner.answer(x)
        learner.predict(x)
        learner.decide(x)
        assert what_it_knows(learner) == before


@given(rounds, st.booleans(), st.sampled_from(["mistake", "negative", "positive"]))
def test_learn_is_answer_and_reveal_in_one(played, offset, tie):
    in_one, in_two = (Learner(offset=offset, tie=tie) for _ in range(2))
    for x, y in played:
        in_two.answer(x)
        assert in_one.learn(x, y) == in_two.reveal(y)
        assert what_it_knows(in_one) == what_it_knows(in_two)


@given(rounds, st.booleans(), st.sampled_from(["negative", "positive"]))
def test_reveal_states_whether_the_answer_was_a_mistake(played, offset, tie):
    learner = Learner(offset=offset, tie=tie)
    for x, y in played:
        answer = learner.answer(x)
        assert learner.reveal(y) == (answer != y)


@pytest.mark.parametrize(
    ("rule", "seen", "challenge"),
    [
        ("alma", [((-2, 3), -1)], (3, 2)),
        ("romma", [((-2, 1), 1), ((-2, -3), -1)], (-2, -1)),
        ("aggressive_romma", [((3, -2), -1), ((-1, -1), 1)], (-2, 3)),
        ("forgetting", [((1, -3, 1), 1), ((2, 1, 1), 1)], (-1, -2, 1)),
    ],
)
@pytest.mark.parametrize("label", [-1, 1])
def test_the_answer_and_the_verdict_are_about_the_same_weights(rule, seen, challenge, label):
    # these challenges lie on the hyperplane, as near as doubles can tell
    learner = Learner(rule=rule, offset=False, tie="negative")
    for x, y in seen:
        learner.learn(np.array(x, float), y)
    answer = learner.answer(np.array(challenge, float))
    assert learner.reveal(label) == (answer != label)


# ---------------------------------------------------------------- four clocks


def test_decisions_too_close_for_floating_point_are_counted():
    learner = Learner(offset=False)
    learner.learn([1e16, 1.0, -1e16], 1)
    assert learner.exact_decisions == 1  # w = 0
    learner.learn([1.0, -1.0, 1.0], 1)  # 1e16 − 1 − 1e16: rounding would say 0
    assert learner.exact_decisions == 2
    assert learner.weights.tolist() == [1e16, 0.0, -1e16]


# ---------------------------------------------------------------- the start


def test_weights_may_start_anywhere():
    learner = Learner(init=np.array([1.0, -2.0]))
    assert learner.answer([3.0, 1.0]) == 1
    assert learner.weights.tolist() == [1, -2]
    learner = Learner(init=([1.0, -2.0], -5.0), n_features=2)
    assert learner.answer([3.0, 1.0]) == -1
    assert learner.offset_weight == -5


def test_a_start_of_the_wrong_length_is_refused():
    with pytest.raises(BadInput, match="init: 2 weights for 3 features"):
        Learner(init=[1.0, 2.0], n_features=3)
    with pytest.raises(BadInput, match="init: 2 weights for 3 features"):
        Learner(init=[1.0, 2.0]).answer([1.0, 2.0, 3.0])


@pytest.mark.parametrize("init", ["unit", [1.0, 2.0]])
def test_named_features_start_at_zero(init):
    with pytest.raises(BadInput, match=r"init: named features may appear at any time"):
        Learner(init=init).learn({"a": 1.0}, 1)


# ---------------------------------------------------------------- what can go wrong at the beginning


@pytest.mark.parametrize("what", ["weights", "offset_weight", "state"])
def test_weights_of_unknown_number_are_not_there_yet(what):
    with pytest.raises(BadInput, match="has seen no example yet, and n_features was not given"):
        getattr(Learner(), what)
