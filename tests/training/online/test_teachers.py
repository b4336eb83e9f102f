"""Teachers: the examples they present, the mistakes they force, and the bound on these mistakes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def test_a_game_from_data_is_a_run_over_it():
    generator = np.random.default_rng(2)
    rows = generator.normal(size=(50, 3))
    labels = np.where(rows @ [1.0, 2.0, -1.0] > 0, 1, -1)
    learner = Learner()
    game = teachers.play(learner, teachers.FromData(rows, labels), rounds=150)
    model = Perceptron(order="given", epochs=3).fit(rows, labels)
    assert game.mistakes[-1] == learner.mistakes == model.mistakes_
    assert game.mistakes[[49, 99, 149]].tolist() == np.cumsum([e.mistakes for e in model.history_]).tolist()
    assert (game.false_positives + game.false_negatives).tolist() == game.mistakes.tolist()
    assert game.false_positives[-1] == model.false_positives_ > 0
    assert learner.weights.tobytes() == model.coef_[0].tobytes()


@pytest.mark.parametrize("offset", [True, False])
def test_with_a_margin_the_bound_equals_that_of_the_challenges_so_far(offset):
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


def mistakes_forced(margin, n_features, rounds=5000, **parameters):
    """How many mistakes the adversary brings about until it has no challenge left."""
    learner = Learner(**{"offset": False, **parameters})
    game = teachers.play(learner, teachers.Adversarial(margin, n_features), rounds=rounds)
    assert game.rounds < rounds
    assert game.mistakes.tolist() == list(range(1, game.rounds + 1))
    return game.rounds


@pytest.mark.parametrize("tie", ["mistake", "positive", "negative"])
@pytest.mark.parametrize("n_features", [3, 4, 10, 100])
def test_three_features_suffice_for_all_mistakes_that_the_theorem_allows(n_features, tie):
    for whole in (2, 4, 7, 16, 25, 100):  # where 1/ρ² is whole, the last challenge has no room at all
        assert mistakes_forced(whole**-0.5, n_features, tie=tie) == whole
    for margin in (0.9, 0.3, 0.13):
        assert mistakes_forced(margin, n_features, tie=tie) == math.floor(1 / margin**2)


@pytest.mark.parametrize(
    ("margin", "mistakes"),
    [(0.8, 1), (0.7, 2), (0.55, 2), (0.5, 2), (0.3, 4), (0.25, 6), (0.2, 10), (0.1, 43), (0.02, 1208)],
)
def test_in_a_plane_w_swings_from_side_to_side_about_half_as_often_as_the_bound(margin, mistakes):
    assert mistakes_forced(margin, 2) == mistakes
    assert mistakes <= 1 / (2 * margin**2) + 1  # proved in the docs
    if margin <= 0.25:
        assert mistakes > 1 / (2 * margin**2) - 1 / margin + 0.5


@pytest.mark.parametrize("tie", ["mistake", "positive", "negative"])
def test_with_one_feature_one_mistake_is_the_maximum(tie):
    assert mistakes_forced(0.1, 1, tie=tie) == 1
    assert mistakes_forced(0.1, 1, tie=tie, init=np.array([-4.5])) == 5


@pytest.mark.parametrize("margin", [0.5, 0.3, 0.2, 0.1])
def test_with_an_offset_too_nothing_is_given_away(margin):
    assert mistakes_forced(margin, 3, offset=True) == 2 * math.floor(1 / margin**2 + 1e-9)
    assert mistakes_forced(margin, 2, offset=True) > 0.4 * 2 / margin**2


@given(
    margin=st.floats(0.1, 0.95),
    n_features=st.integers(1, 6),
    tie=st.sampled_from(["mistake", "positive", "negative"]),
    offset=st.booleans(),
    rate=st.sampled_from([1.0, 0.25, 3.0]),
    start=st.lists(st.floats(-3, 3), min_size=6, max_size=6) | st.none(),
)
def test_every_challenge_is_fair_and_no_start_or_rate_passes_the_bound(
    margin, n_features, tie, offset, rate, start
):
    init = "zeros" if start is None else np.array(start[:n_features])
    learner = Learner(rule=rules.Rosenblatt(rate), offset=offset, tie=tie, init=init)
    adversary = teachers.Adversarial(margin, n_features)
    presented = []
    while len(presented) < 3000 and (x := adversary.challenge(learner)) is not None:
        presented.append((x, adversary.label(x)))
        assert learner.learn(*presented[-1])
    assert len(presented) < 3000
    for x, label in presented:
        assert abs(np.linalg.norm(x) - 1.0) <= adversary.ROUNDING
        assert label * (x @ adversary.separator) >= margin
    again = Learner(rule=rules.Rosenblatt(rate), offset=offset, tie=tie, init=init)
    game = teachers.play(again, adversary, rounds=3000)
    assert (game.mistakes <= game.bound).all()
    assert game.rounds == len(presented)


@given(margin=st.floats(0.15, 0.9), rate=st.sampled_from([1.0, 0.5]), data=st.data())
def test_from_any_start_three_features_allow_what_no_teacher_can_exceed(margin, rate, data):
    """A mistake needs w·w* ≤ √(1 − ρ²)‖w‖, w·w* grows by at least ρ and ‖w‖² by at most 1."""
    w = np.array(data.draw(st.lists(st.integers(-20, 20), min_size=3, max_size=3))) / 8
    w[0] = abs(w[0])
    made = mistakes_forced(margin, 3, rule=rules.Rosenblatt(rate), init=w)
    along, squared = w[0] / rate, w @ w / rate**2

    def first_impossible(slack):
        return next(
            t
            for t in range(10_000)
            if along + t * margin > math.sqrt((1 - margin**2) * (squared + t)) + slack * t
        )

    assert first_impossible(-1e-9) <= made <= first_impossible(1e-9)


def test_a_start_that_is_right_already_costs_the_bound_little_and_a_wrong_one_much():
    bounds = [
        teachers.play(
            Learner(rule=rules.Rosenblatt(rate), offset=False, init=np.array([along, 0.0, 0.0])),
            teachers.Adversarial(0.1),
            rounds=1,
        ).bound
        for along, rate in ((-5.0, 1.0), (-5.0, 10.0), (-0.5, 1.0))
    ]
    # t·0.1 − 5 ≤ √(25 + t): t = 200; w₀/rate is what counts
    assert [bound.tolist() for bound in bounds] == [[pytest.approx(end)] for end in (200, 110, 110)]


def test_a_teacher_that_keeps_its_separator_to_itself_leaves_the_bound_of_the_worst():
    start = np.array([3.0, 4.0])
    rows, labels = [[1.0, 0.0], [-1.0, 0.0]], [1, -1]
    game = teachers.play(
        Learner(offset=False, init=start), teachers.FromData(rows, labels, margin=1.0), rounds=2
    )
    assert game.bound.tolist() == pytest.approx([11, 11])  # t − 5 ≤ √(25 + t)


@pytest.mark.parametrize(
    "parameters",
    [
        {"kernel": "gaussian"},
        {"rule": "passive_aggressive", "init": np.array([1.0, 0.0])},
        {"rule": "alma"},
        {"multiclass": "one_vs_rest"},
    ],
    ids=str,
)
def test_if_no_theorem_applies_there_is_no_bound(parameters):
    learner = Learner(offset=False, **parameters)
    game = teachers.play(learner, teachers.FromData(X, Y, margin=0.1), rounds=3)
    assert np.isnan(game.bound).all()


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
    ids=lambda value: "" if callable(value) else str(value),
)
@pytest.mark.parametrize("margin", [0.3, 0.05])
def test_every_challenge_is_fair_and_no_rule_makes_more_mistakes_than_its_theorem_allows(
    rule, theorem, margin
):
    teacher = Watched(teachers.Adversarial(margin))
    rounds = int(3 * theorem(margin))
    game = teachers.play(Learner(rule=rule, offset=False), teacher, rounds=rounds)
    for x, label in teacher.presented:
        assert np.linalg.norm(x) <= 1 + 1e-12
        assert label * x[0] >= margin  # w* is the first axis
    assert game.mistakes.tolist() == list(range(1, game.rounds + 1))
    assert game.mistakes[-1] <= theorem(margin) * (1 + 1e-12)  # lengths are 1 up to rounding
    assert game.rounds < rounds


@pytest.mark.parametrize("margin", [0.0, 1.0, -0.1, 2.0, float("nan")])
def test_a_margin_is_between_zero_and_one(margin):
    with pytest.raises(BadInput, match="margin: expected a number between 0 and 1"):
        teachers.Adversarial(margin)


# ---------------------------------------------------------------- the game


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
