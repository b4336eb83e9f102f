"""Teacher and learner: the games of the page from either side."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.course.lab.chapters.games.learning import ROUNDS, hidden_game
from rosenblatt.course.lab.chapters.teacher import TEACHER

# ---------------------------------------------------------------- you are the teacher


def test_contradicting_labels_have_no_bound_and_the_page_states_it():
    state = {"challenges": [[0.5, 0.5], [0.5, 0.5]], "labels": [1, -1], "labelling": "own"}
    answer = TEACHER.answer(state)
    assert answer.numbers["bound"] is None
    assert "No line through the origin separates your labels" in " ".join(answer.sentences)


def test_a_point_within_the_margin_is_not_presented():
    answer = TEACHER.answer({"challenges": [[0.01, 0.0], [0.9, 0.0]], "separator": [1, 0]})
    assert answer.numbers["presented"] == [1]
    assert "1 of your points lies within the margin" in answer.sentences[-1]


def test_the_sentence_is_about_the_round_that_is_shown():
    assert TEACHER.answer({"round": 2}).sentences[0].startswith("Round 2 of 8: challenge (0.2, 0.3)")
    assert TEACHER.answer({"round": 0}).sentences[0].startswith("Round 8 of 8")
    assert TEACHER.answer({"round": 300}).sentences[0].startswith("Round 8 of 8")


def test_a_score_of_zero_is_a_mistake_though_the_answer_agrees():
    state = {"challenges": [[-0.9, 0.0]], "separator": [1, 0]}
    answer = TEACHER.answer(state)
    assert answer.numbers["answers"] == answer.numbers["y"] == [-1]
    assert answer.numbers["mistakes"] == [True]
    assert "a score of 0 is a mistake whatever the label" in answer.sentences[0]
    assert TEACHER.answer({**state, "tie": "negative"}).numbers["mistakes"] == [False]


def test_without_challenges_the_page_requests_one():
    for labelling in ("separator", "own"):
        answer = TEACHER.answer({"challenges": [], "labels": [], "labelling": labelling})
        assert answer.sentences == ("No challenge is presented yet: click into the picture.",)


# ---------------------------------------------------------------- you are the learner


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("margin", [0.05, 0.2, 0.7])
def test_a_hidden_game_keeps_its_promise_and_lasts_its_rounds(seed, margin):
    hidden, X = hidden_game(seed, margin)
    assert math.hypot(*hidden) == pytest.approx(1.0)
    assert X.shape == (ROUNDS, 2)
    assert (np.abs(X @ hidden) >= margin).all()
    assert (np.linalg.norm(X, axis=1) <= 1.0 + 1e-12).all()


@given(answers=st.lists(st.sampled_from([-1, 1]), max_size=ROUNDS), seed=st.integers(0, 50))
def test_labels_are_revealed_only_after_the_prediction(answers, seed):
    numbers = TEACHER.answer({"side": "learner", "your_answers": answers, "seed": seed}).numbers
    hidden, X = hidden_game(seed, TEACHER.start["margin"])
    assert len(numbers["challenges"]) == min(len(answers) + 1, ROUNDS)
    assert numbers["labels"] == np.sign(X[: len(answers)] @ hidden).astype(int).tolist()
    assert sum(numbers["your_mistakes"]) == sum(
        a != b for a, b in zip(answers, numbers["labels"], strict=True)
    )
    assert sum(numbers["its_mistakes"]) <= numbers["bound"]
    assert ("hidden" in numbers) == (len(answers) == ROUNDS)


# ---------------------------------------------------------------- the adversarial teacher


@pytest.mark.parametrize("n_features", [2, 3, 10])
@pytest.mark.parametrize("margin", [0.05, 0.1, 0.25, 0.7])
def test_w_stays_between_the_two_claims_to_the_end(margin, n_features):
    answer = TEACHER.answer({"side": "adversary", "margin": margin, "n_features": n_features})
    numbers = answer.numbers
    rounds = np.arange(1, numbers["mistakes"] + 1)
    assert len(numbers["progress"]) == len(numbers["lengths"]) == numbers["mistakes"]
    assert (np.array(numbers["progress"]) >= rounds * margin * (1 - 1e-9)).all()
    assert (np.array(numbers["lengths"]) <= np.sqrt(rounds) * (1 + 1e-9)).all()
    assert numbers["mistakes"] <= numbers["bound"] * (1 + 1e-12)
    assert numbers["bound"] == pytest.approx(1 / margin**2)
    if n_features == 2:
        assert numbers["mistakes"] <= numbers["bound"] / 2 + 1
    else:
        assert numbers["mistakes"] == math.floor(numbers["bound"] * (1 + 1e-12))


@pytest.mark.parametrize(("n_features", "mistakes"), [(3, 100), (2, 43)])
def test_a_margin_of_a_tenth_costs_the_mistakes_stated_in_the_text(n_features, mistakes):
    state = {"side": "adversary", "margin": 0.1, "n_features": n_features}
    assert TEACHER.answer(state).numbers["mistakes"] == mistakes


def test_the_path_has_the_lengths_of_w():
    answer = TEACHER.answer({"side": "adversary", "n_features": 4})
    assert [math.hypot(*point) for point in answer.picture["path"]] == pytest.approx(
        answer.numbers["lengths"]
    )
