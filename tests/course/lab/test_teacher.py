"""Teacher and learner: the game of the page is that of a naive perceptron, from either side."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.course.lab.chapters.games.learning import ROUNDS, hidden_game
from rosenblatt.course.lab.chapters.teacher import TEACHER
from rosenblatt.errors import BadInput

HUNDREDTHS = st.integers(-100, 100).map(lambda hundredth: hundredth / 100)
POINTS = st.lists(st.tuples(HUNDREDTHS, HUNDREDTHS).map(list), max_size=12)


def naive_mistakes(X, y, offset=False):
    """The textbook: w starts at 0, a score of 0 is a mistake, w ← w + y·x."""
    w, b, mistakes = [0.0, 0.0], 0.0, []
    for x, label in zip(X, y, strict=True):
        wrong = label * (w[0] * x[0] + w[1] * x[1] + b) <= 0
        mistakes.append(wrong)
        if wrong:
            w = [w[0] + label * x[0], w[1] + label * x[1]]
            b += label if offset else 0.0
    return mistakes, [*w, b]


# ---------------------------------------------------------------- you are the teacher


@given(points=POINTS, offset=st.booleans(), quarter=st.integers(0, 3))
def test_the_learner_plays_as_the_textbook_says_and_keeps_within_the_bound(points, offset, quarter):
    w_star = [[1, 0], [0, 1], [-1, 0], [0, -1]][quarter]
    state = {"challenges": points, "separator": w_star, "margin": 0.25, "offset": offset}
    numbers = TEACHER.answer(state).numbers
    kept = [x for x in points if abs(x[0] * w_star[0] + x[1] * w_star[1]) >= 0.25]
    assert numbers["X"] == kept
    assert numbers["y"] == [1 if x[0] * w_star[0] + x[1] * w_star[1] > 0 else -1 for x in kept]
    mistakes, weights = naive_mistakes(kept, numbers["y"], offset)
    assert numbers["mistakes"] == mistakes
    if kept:
        assert numbers["weights"][-1] == weights
        radius2 = max(x[0] ** 2 + x[1] ** 2 for x in kept) + offset
        assert numbers["bound"] == pytest.approx(radius2 / 0.25**2)
    assert sum(mistakes) <= numbers["bound"] + 1e-9


@given(points=POINTS, data=st.data(), offset=st.booleans())
def test_labels_of_ones_own_get_the_bound_that_separate_proves(points, data, offset):
    labels = data.draw(st.lists(st.sampled_from([-1, 1]), min_size=len(points), max_size=len(points)))
    state = {"challenges": points, "labels": labels, "labelling": "own", "offset": offset}
    numbers = TEACHER.answer(state).numbers
    mistakes, _ = naive_mistakes(points, labels, offset)
    assert numbers["mistakes"] == mistakes
    if numbers["bound"] is not None:
        assert sum(mistakes) <= numbers["bound"]


def test_contradicting_labels_have_no_bound_and_the_page_says_so():
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


def test_without_challenges_the_page_asks_for_one():
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
def test_labels_are_told_only_after_the_answer(answers, seed):
    numbers = TEACHER.answer({"side": "learner", "your_answers": answers, "seed": seed}).numbers
    hidden, X = hidden_game(seed, TEACHER.start["margin"])
    assert len(numbers["challenges"]) == min(len(answers) + 1, ROUNDS)
    assert numbers["labels"] == np.sign(X[: len(answers)] @ hidden).astype(int).tolist()
    assert sum(numbers["your_mistakes"]) == sum(
        a != b for a, b in zip(answers, numbers["labels"], strict=True)
    )
    mistakes, _ = naive_mistakes(X[: len(answers)].tolist(), numbers["labels"])
    assert numbers["its_mistakes"] == mistakes
    assert sum(mistakes) <= numbers["bound"]
    assert ("hidden" in numbers) == (len(answers) == ROUNDS)


def test_the_hidden_w_is_shown_when_asked_for():
    numbers = TEACHER.answer({"side": "learner", "revealed": True}).numbers
    assert numbers["hidden"] == hidden_game(1, TEACHER.start["margin"])[0].tolist()


def test_your_own_w_answers_by_its_side():
    numbers = TEACHER.answer({"side": "learner", "your_answers": [1] * 5, "your_w": [0.0, -2.0]}).numbers
    assert numbers["by_your_w"] == [1 if x[1] < 0 else -1 for x in numbers["challenges"]]


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
def test_a_tenth_of_a_margin_costs_what_the_text_says(n_features, mistakes):
    state = {"side": "adversary", "margin": 0.1, "n_features": n_features}
    assert TEACHER.answer(state).numbers["mistakes"] == mistakes


def test_the_path_has_the_lengths_of_w():
    answer = TEACHER.answer({"side": "adversary", "n_features": 4})
    assert [math.hypot(*point) for point in answer.picture["path"]] == pytest.approx(
        answer.numbers["lengths"]
    )


# ---------------------------------------------------------------- the same in Python, and bad states


@pytest.mark.parametrize(
    "changes",
    [
        {"offset": True, "tie": "positive"},
        {"labelling": "own"},
        {"labelling": "own", "offset": True, "labels": [1, 1, 1, 1, -1, -1, -1, -1]},
        {"labelling": "own", "challenges": [], "labels": []},
        {"challenges": []},
        {"challenges": [[0.333, -1e-9], [1e5, 2.0]], "separator": [-0.1, 0.7]},
        {"side": "learner"},
        {"side": "learner", "your_answers": [1, -1, 1], "your_w": [0.3, 0.4], "revealed": True},
        {"side": "learner", "your_answers": [1] * ROUNDS, "seed": 7, "margin": 0.4},
        {"side": "adversary"},
        {"side": "adversary", "n_features": 2, "margin": 0.5},
        {"side": "adversary", "n_features": 7, "margin": 0.07},
    ],
    ids=str,
)
def test_the_same_in_python_gives_the_numbers_of_the_page(same_in_python, changes):
    same_in_python(TEACHER, changes)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"side": "pupil"}, "expected one of 'teacher', 'learner', 'adversary'"),
        ({"separator": [0, 0]}, "drag its end away from the origin"),
        ({"challenges": [[0.1, 0.2]] * 201}, "this page takes at most 200"),
        ({"challenges": [[0.1, float("nan")]]}, "finite number"),
        ({"challenges": "none"}, "expected a list"),
        ({"labelling": "own", "labels": [1]}, "1 labels for 8 points"),
        ({"labelling": "own", "labels": [0] * 8}, "expected one of -1, \\+1"),
        ({"margin": 0}, "expected a number from 0.05 to 0.7"),
        ({"round": -1}, "expected a number from 0 to 500"),
        ({"side": "learner", "your_answers": [1] * 21}, "at most 20"),
        ({"side": "learner", "your_answers": [2]}, "expected -1 or \\+1 for each challenge"),
        ({"side": "learner", "seed": 1.5}, "whole number"),
        ({"side": "adversary", "n_features": 11}, "from 2 to 10"),
        ({"side": "adversary", "margin": 0.01}, "from 0.05 to 0.7"),
    ],
)
def test_states_that_make_no_game_get_a_sentence(changes, said):
    with pytest.raises(BadInput, match=said):
        TEACHER.answer(changes)
