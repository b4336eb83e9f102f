"""Teachers: what they present, what it costs the learner, and that the bound is kept."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from rosenblatt import Learner, Perceptron, rules, teachers
from rosenblatt.errors import BadInput

X = np.array([[2.0, 1.0], [0.0, 2.0], [-0.5, -2.0]])
Y = [1, -1, 1]


class Watched:
    """A teacher that keeps what it presented."""

    def __init__(self, teacher):
        self.teacher, self.margin = teacher, teacher.margin
        self.presented = []

    def challenge(self, learner):
        x = self.teacher.challenge(learner)
        if x is not None:
            self.presented.append((x.copy(), self.teacher.label(x)))
        return x

    def label(self, x):
        return self.teacher.label(x)


# ---------------------------------------------------------------- from data


def test_rows_are_presented_in_order_pass_after_pass():
    teacher, learner = teachers.FromData(X, Y), Learner()
    for turn in range(7):
        x = teacher.challenge(learner)
        assert x.tolist() == X[turn % 3].tolist()
        assert teacher.label(x) == Y[turn % 3]


def test_a_game_from_data_is_a_run_over_it():
    generator = np.random.default_rng(2)
    rows = generator.normal(size=(50, 3))
    labels = np.where(rows @ [1.0, 2.0, -1.0] > 0, 1, -1)
    learner = Learner()
    game = teachers.play(learner, teachers.FromData(rows, labels), rounds=150)
    model = Perceptron(order="given", epochs=3).fit(rows, labels)
    assert game.mistakes[-1] == learner.mistakes == model.mistakes_
    assert game.mistakes[[49, 99, 149]].tolist() == np.cumsum([e.mistakes for e in model.history_]).tolist()
    assert learner.weights.tobytes() == model.coef_[0].tobytes()


def test_sparse_rows_are_presented_too():
    game = teachers.play(Learner(offset=False), teachers.FromData(csr_array(X), Y), rounds=6)
    assert game.mistakes.tolist() == [1, 2, 2, 2, 2, 2]


def test_without_a_margin_there_is_no_bound():
    game = teachers.play(Learner(offset=False), teachers.FromData(X, Y), rounds=4)
    assert np.isnan(game.bound).all()
    assert game.margin is None
    assert str(game) == "4 rounds, 2 mistakes"


@pytest.mark.parametrize("offset", [True, False])
def test_with_a_margin_the_bound_is_that_of_the_challenges_so_far(offset):
    margin = 0.2
    game = teachers.play(Learner(offset=offset), teachers.FromData(X, Y, margin=margin), rounds=5)
    squares = (X**2).sum(axis=1) + offset
    so_far = np.maximum.accumulate(squares[[0, 1, 2, 0, 1]])
    np.testing.assert_allclose(game.bound, so_far / margin**2)
    assert game.radius == pytest.approx(np.sqrt(squares.max()))
    assert game.margin == margin


@pytest.mark.parametrize(
    ("rows", "labels", "problem"),
    [
        (X, [1, -1], "y: 2 labels for 3 rows"),
        (X, [1, 0, 1], "label 0 in row 1"),
        ([1.0, 2.0], [1, -1], "2D"),
    ],
)
def test_data_that_does_not_fit_together_is_refused(rows, labels, problem):
    with pytest.raises(BadInput, match=problem):
        teachers.FromData(rows, labels)


# ---------------------------------------------------------------- the adversary


@pytest.mark.parametrize("margin", [0.3, 0.1, 0.03, 0.01])
def test_the_adversary_brings_the_mistakes_to_nine_tenths_of_the_bound_and_not_beyond(margin):
    learner = Learner(offset=False)
    game = teachers.play(learner, teachers.Adversarial(margin, n_features=3), rounds=int(2 / margin**2))
    assert 0.9 / margin**2 <= game.mistakes[-1] <= 1 / margin**2
    assert (game.mistakes <= game.bound).all()
    assert game.mistakes[-1] == learner.mistakes
    assert game.rounds < int(2 / margin**2)  # it ended because nothing was left to ask


@pytest.mark.parametrize(
    "parameters",
    [
        {"offset": False},
        {"offset": True},
        {"offset": False, "tie": "negative"},
        {"offset": False, "tie": "positive"},
        {"offset": True, "tie": "positive"},
        {"offset": False, "rule": "margin"},
        {"offset": False, "rule": "passive_aggressive"},
        {"offset": False, "rule": "alma"},
        {"offset": False, "rule": "romma"},
        {"offset": True, "rule": "forgetting"},
        {"offset": False, "init": "unit"},
        {"offset": False, "init": np.array([-3.0, 1.0, 0.0])},
    ],
    ids=str,
)
def test_every_challenge_is_fair_and_is_a_mistake(parameters):
    margin = 0.1
    teacher = Watched(teachers.Adversarial(margin, n_features=3))
    game = teachers.play(Learner(**parameters), teacher, rounds=600)
    assert game.rounds >= 50
    for x, label in teacher.presented:
        assert np.linalg.norm(x) <= 1 + 1e-12
        assert label * x[0] >= margin  # w* is the first axis
    assert game.mistakes.tolist() == list(range(1, game.rounds + 1))


@pytest.mark.parametrize("margin", [0.3, 0.1, 0.03])
def test_with_an_offset_the_bound_and_the_mistakes_are_of_the_lifted_points(margin):
    game = teachers.play(Learner(), teachers.Adversarial(margin), rounds=int(4 / margin**2))
    assert game.radius**2 == pytest.approx(2.0)
    assert 1.8 / margin**2 <= game.mistakes[-1] <= 2 / margin**2
    assert (game.mistakes <= game.bound).all()


@pytest.mark.parametrize("n_features", [3, 4, 10])
def test_more_features_give_no_more_room_than_three(n_features):
    game = teachers.play(Learner(offset=False), teachers.Adversarial(0.1, n_features), rounds=200)
    assert game.mistakes[-1] == 99


def test_in_a_plane_there_is_little_room_to_hide():
    game = teachers.play(Learner(offset=False), teachers.Adversarial(0.1, n_features=2), rounds=200)
    assert game.mistakes[-1] == 2


@pytest.mark.parametrize(
    ("rule", "theorem"),
    [
        ("rosenblatt", lambda margin: 1 / margin**2),
        (rules.Rosenblatt(rate=0.01), lambda margin: 1 / margin**2),
        (rules.Margin(tau=0.5), lambda margin: (1 + 2 * 0.5) / margin**2),
        ("passive_aggressive", lambda margin: 1 / margin**2),
        ("romma", lambda margin: 1 / margin**2),
        ("alma", lambda margin: 2 / margin**2 * (2 / 0.9 - 1) ** 2 + 8 / 0.9 - 4),
        (rules.Forgetting(fade=2.0), lambda margin: 2 / margin**2),
    ],
    ids=str,
)
@pytest.mark.parametrize("margin", [0.3, 0.05])
def test_no_rule_makes_more_mistakes_than_its_theorem_allows(rule, theorem, margin):
    learner = Learner(rule=rule, offset=False)
    rounds = int(3 * theorem(margin))
    game = teachers.play(learner, teachers.Adversarial(margin), rounds=rounds)
    assert game.mistakes[-1] <= theorem(margin)
    assert game.rounds < rounds


@pytest.mark.parametrize(
    "parameters",
    [{"rule": "alma"}, {"rule": "forgetting"}, {"init": np.array([-5.0, 0.0, 0.0])}],
    ids=str,
)
def test_the_bound_of_a_game_cannot_be_passed(parameters):
    # (radius/margin)² is the bound of Rosenblatt's rule from w = 0; elsewhere another one, or none
    learner = Learner(offset=False, n_features=3, **parameters)
    game = teachers.play(learner, teachers.Adversarial(0.1), rounds=1000)
    assert not (game.mistakes > game.bound).any()


def test_the_same_game_can_be_played_again():
    one, two = (
        teachers.play(Learner(offset=False), teachers.Adversarial(0.05), rounds=500) for _ in range(2)
    )
    assert one.mistakes.tolist() == two.mistakes.tolist()


@pytest.mark.parametrize("margin", [0.0, 1.0, -0.1, 2.0, float("nan")])
def test_a_margin_is_between_zero_and_one(margin):
    with pytest.raises(BadInput, match="margin: expected a number between 0 and 1"):
        teachers.Adversarial(margin)


def test_in_one_dimension_nothing_can_be_hidden():
    with pytest.raises(BadInput, match="n_features: expected at least 2"):
        teachers.Adversarial(0.1, n_features=1)


# ---------------------------------------------------------------- the game


def test_the_mistake_curve_never_falls_and_never_jumps():
    generator = np.random.default_rng(6)
    rows = generator.normal(size=(40, 3))
    labels = np.where(generator.random(40) < 0.5, 1, -1)
    game = teachers.play(Learner(), teachers.FromData(rows, labels, margin=0.1), rounds=200)
    steps = np.diff(game.mistakes, prepend=0)
    assert set(steps.tolist()) == {0, 1}
    assert (np.diff(game.bound) >= 0).all()
    assert game.rounds == len(game.mistakes) == len(game.bound) == 200


def test_a_game_counts_its_own_mistakes_only():
    learner = Learner(offset=False)
    learner.learn([1.0, 0.0], -1)
    game = teachers.play(learner, teachers.FromData(X, Y), rounds=3)
    assert game.mistakes[-1] == learner.mistakes - 1


def test_a_game_of_no_rounds():
    game = teachers.play(Learner(), teachers.FromData(X, Y, margin=0.1), rounds=0)
    assert game.rounds == 0
    assert str(game) == "0 rounds, 0 mistakes"


def test_a_game_in_words():
    game = teachers.play(Learner(offset=False), teachers.Adversarial(0.25), rounds=100)
    assert str(game) == "15 rounds, 15 mistakes, bound 16.0"


class Spelling:
    """A teacher of one's own, with named features and an end."""

    def __init__(self, words):
        self.words, self.said = words, None

    def challenge(self, learner):
        self.said = self.words.pop(0) if self.words else None
        return None if self.said is None else self.example(self.said)

    def example(self, word):
        return {letter: float(word.count(letter)) for letter in word}

    def label(self, x):
        return 1 if "ei" in self.said else -1


def test_a_teacher_of_ones_own_with_named_features():
    learner = Learner()
    game = teachers.play(learner, Spelling(["weigh", "field", "ceiling", "pie"]), rounds=10)
    assert game.rounds == 4
    assert game.mistakes[-1] == learner.mistakes
    assert game.radius**2 == pytest.approx(10)  # ceiling: five letters once, i twice, and the offset's 1


class SparseTeacher(Spelling):
    def example(self, word):
        return csr_array([[float(word.count(letter)) for letter in "abcdefghijklmnopqrstuvwxyz"]])


def test_a_teacher_of_ones_own_with_sparse_rows():
    learner = Learner()
    game = teachers.play(learner, SparseTeacher(["weigh", "field"]), rounds=10)
    assert game.rounds == 2
    assert game.radius**2 == pytest.approx(6)
