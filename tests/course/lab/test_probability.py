"""Probability: Bayes' rule by counting, likelihoods by hand, and estimates that really are the largest."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rosenblatt.course.lab.chapters.probability import PROBABILITY
from rosenblatt.errors import BadInput

COLOURS = ["red", "green", "blue"]
COUNTS = st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any), min_size=1, max_size=3)
TENTHS = st.integers(-50, 50).map(lambda tenth: tenth / 10)
DATA = st.lists(TENTHS, min_size=2, max_size=8).filter(lambda data: len(set(data)) > 1)


def of(topic, **changes):
    return PROBABILITY.answer({"topic": topic, **changes})


# ---------------------------------------------------------------- boxes and balls


def counted_posterior(counts, picks, drawn, replacement):
    """Every way in which balls can come, counted one by one."""
    weights = []
    for row, pick in zip(counts, picks, strict=True):
        balls = [colour for colour, count in zip(COLOURS, row, strict=True) for _ in range(count)]
        n = len(drawn)
        ways = list(itertools.product(balls, repeat=n) if replacement else itertools.permutations(balls, n))
        hits = sum(list(way) == drawn for way in ways)
        weights.append(Fraction(hits, len(ways)) * pick if ways else Fraction(0))
    return [weight / sum(weights) for weight in weights] if sum(weights) else None


@given(counts=COUNTS, data=st.data(), replacement=st.booleans())
def test_the_posterior_is_that_of_counting_all_ways(counts, data, replacement):
    picks = data.draw(st.lists(st.integers(1, 4), min_size=len(counts), max_size=len(counts)))
    drawn = data.draw(st.lists(st.sampled_from(COLOURS), min_size=1, max_size=2))
    expected = counted_posterior(counts, picks, drawn, replacement)
    state = {"counts": counts, "picks": picks, "drawn": drawn, "replacement": replacement}
    if expected is None:
        with pytest.raises(BadInput, match="cannot come out of these boxes"):
            of("boxes", **state)
    else:
        posterior = of("boxes", **state).numbers["posterior"]
        assert [Fraction(share) for share in posterior.values()] == expected


def test_the_start_is_the_example_of_the_text():
    answer = of("boxes")
    assert answer.numbers["total"] == "13/24"
    assert answer.numbers["posterior"] == {"box 1": "4/13", "box 2": "9/13"}
    assert of("boxes", drawn=["blue"]).numbers["posterior"] == {"box 1": "1", "box 2": "0"}


def test_the_joint_table_adds_up_to_one():
    joint = of("boxes", picks=[2, 5]).numbers["joint"]
    assert sum(map(Fraction, joint.values())) == 1


def test_without_a_draw_the_prior_stands():
    answer = of("boxes", drawn=[], picks=[1, 3])
    assert "posterior" not in answer.numbers
    assert answer.picture["after_draws"] == [[0.25, 0.75]]


@pytest.mark.parametrize("seed", range(20))
def test_balls_drawn_unseen_come_from_one_box_and_end_with_it(seed):
    drawn = []
    state = {"counts": [[2, 1, 0], [0, 1, 2]], "seed": seed, "replacement": False}
    while (colour := of("boxes", **state, drawn=drawn).picture["next"]) is not None:
        drawn.append(colour)
    assert sorted(drawn) in (["green", "red", "red"], ["blue", "blue", "green"])
    assert sorted(of("boxes", **state, drawn=drawn).picture["after_draws"][-1]) == [0.0, 1.0]


def test_long_fractions_are_shown_as_digits_and_stay_exact_in_the_numbers():
    answer = of("boxes", counts=[[97, 3, 1], [89, 5, 6]], drawn=["red"] * 12)
    assert (
        Fraction(answer.numbers["posterior"]["box 1"]) + Fraction(answer.numbers["posterior"]["box 2"]) == 1
    )
    assert max(len(cell) for row in answer.picture["steps"] for cell in row) <= 24
    assert "P(these 12 balls)" in answer.sentences[0]


# ---------------------------------------------------------------- likelihoods


@given(data=DATA, mean=TENTHS, variance=st.sampled_from([0.05, 0.5, 1.0, 9.0]))
def test_the_gaussian_log_likelihood_is_the_sum_of_the_notes(data, mean, variance):
    numbers = of("gaussian", data=data, mean=mean, variance=variance).numbers
    squares = sum((x - mean) ** 2 for x in data)
    by_hand = -len(data) * math.log(math.sqrt(2 * math.pi * variance)) - squares / (2 * variance)
    assert numbers["log_likelihood"] == pytest.approx(by_hand, rel=1e-9, abs=1e-9)
    assert numbers["best_mean"] == pytest.approx(np.mean(data), abs=1e-12)
    assert numbers["best_variance"] == pytest.approx(np.var(data), rel=1e-9)
    assert numbers["best_log_likelihood"] >= numbers["log_likelihood"] - 1e-9


@given(data=DATA)
@settings(max_examples=20)
def test_no_point_of_the_curves_is_above_the_marked_one(data):
    answer = of("gaussian", data=data)
    assert max(answer.picture["by_mean"]) <= answer.picture["top_by_mean"] + 1e-9
    assert max(answer.picture["by_variance"]) <= answer.numbers["best_log_likelihood"] + 1e-9


@given(trials=st.lists(st.integers(0, 1), min_size=1, max_size=20), p=st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_the_likelihood_of_trials_is_p_to_the_ones_and_q_to_the_zeros(trials, p):
    answer = of("bernoulli", trials=trials, p=p)
    ones = sum(trials)
    assert math.exp(answer.numbers["log_likelihood"]) == pytest.approx(
        p**ones * (1 - p) ** (len(trials) - ones)
    )
    assert answer.numbers["best_p"] == pytest.approx(ones / len(trials))
    assert max(answer.picture["by_p"]) <= answer.numbers["best_log_likelihood"] + 1e-9
    assert answer.picture["next"] in (0, 1)


@given(marks=DATA, low=TENTHS, high=TENTHS)
def test_the_likelihood_of_ends_is_their_width_or_nothing(marks, low, high):
    assume(low < high)
    numbers = of("uniform", marks=marks, low=low, high=high).numbers
    holds = low <= min(marks) and max(marks) <= high
    by_hand = -len(marks) * math.log(high - low) if holds else -math.inf
    assert numbers["log_likelihood"] == pytest.approx(by_hand, rel=1e-9, abs=1e-9)
    assert (numbers["best_low"], numbers["best_high"]) == (min(marks), max(marks))


def test_a_die_counts_its_sides():
    numbers = of("uniform", marks=[1, 6, 2], low=1, high=6, whole=True).numbers
    assert numbers["log_likelihood"] == pytest.approx(-3 * math.log(6))
    assert (numbers["mean"], numbers["variance"]) == (3.5, pytest.approx(35 / 12))


@given(points=st.lists(st.tuples(TENTHS, TENTHS).map(list), min_size=4, max_size=12))
def test_mean_and_covariance_are_those_of_numpy_and_beat_independence(points):
    table = np.array(points)
    assume(np.linalg.eigvalsh(np.cov(table.T))[0] > 1e-6)
    numbers = of("joint", points=points).numbers
    assert numbers["mean"] == pytest.approx(table.mean(axis=0), abs=1e-9)
    assert np.array(numbers["covariance"]) == pytest.approx(np.cov(table.T, bias=True), rel=1e-9, abs=1e-9)
    assert numbers["correlation"] == pytest.approx(np.corrcoef(table.T)[0, 1], abs=1e-9)
    assert numbers["log_likelihood"] >= numbers["apart_log_likelihood"] - 1e-9


def test_every_point_of_an_ellipse_is_as_many_deviations_away():
    answer = of("joint")
    mean, covariance = np.array(answer.numbers["mean"]), np.array(answer.numbers["covariance"])
    for deviations, ellipse in enumerate(answer.picture["ellipses"], start=1):
        away = np.array(ellipse) - mean
        squares = np.einsum("ni,ij,nj->n", away, np.linalg.inv(covariance), away)
        assert squares == pytest.approx(np.full(len(away), deviations**2))


def test_points_without_covariance_are_called_independent():
    answer = of("joint", points=[[1, 0], [-1, 0], [0, 2], [0, -2]])
    assert answer.numbers["correlation"] == 0
    assert "independent" in answer.sentences[1]


# ---------------------------------------------------------------- the same in Python, and bad states


@pytest.mark.parametrize(
    "changes",
    [
        {"drawn": []},
        {"drawn": ["red", "green", "red"], "replacement": False, "picks": [2, 5]},
        {"counts": [[1, 0, 0], [0, 0, 7], [99, 1, 1]], "picks": [0, 1, 2], "drawn": ["blue"] * 12},
        {"topic": "gaussian", "data": [0.1, -0.25, 6], "mean": -6, "variance": 0.05},
        {"topic": "bernoulli"},
        {"topic": "bernoulli", "trials": [1], "p": 0},
        {"topic": "uniform"},
        {"topic": "uniform", "whole": True, "low": -2, "high": 3},
        {"topic": "uniform", "low": 0.5},
        {"topic": "joint"},
        {"topic": "joint", "points": [[0.1, 0.2], [1, 1], [-3, 2.25]]},
    ],
    ids=str,
)
def test_the_same_in_python_gives_the_numbers_of_the_page(same_in_python, changes):
    same_in_python(PROBABILITY, changes)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"topic": "dice"}, "expected one of 'boxes'"),
        ({"counts": []}, "1 to 4 boxes"),
        ({"counts": [[1, 1, 1]] * 5}, "1 to 4 boxes"),
        ({"counts": [[1, 1]], "picks": [1]}, "3 numbers of balls for each box"),
        ({"counts": [[1, 1.5, 0]], "picks": [1]}, "1.5 green balls in box 1"),
        ({"counts": [[1, 100, 0]], "picks": [1]}, "expected 0 to 99"),
        ({"counts": [["x", 1, 0]], "picks": [1]}, "expected a number"),
        ({"counts": [[0, 0, 0], [1, 1, 1]]}, "box 1 is empty"),
        ({"picks": [1]}, "1 numbers for 2 boxes"),
        ({"picks": [0, 0]}, "not all of them 0"),
        ({"drawn": ["red"] * 13}, "at most 12"),
        ({"drawn": ["pink"]}, "expected red, green, blue, got 'pink'"),
        ({"drawn": "red"}, "a list"),
        ({"drawn": [["red"]]}, "expected red, green, blue"),
        ({"counts": [[1, 1, 0], [1, 1, 0]], "drawn": ["blue"]}, "cannot come out"),
        ({"topic": "gaussian", "data": []}, "click into the picture"),
        ({"topic": "gaussian", "data": [7]}, "outside the picture"),
        ({"topic": "gaussian", "data": [1, 1]}, "at least two different ones"),
        ({"topic": "gaussian", "data": [0.5] * 41}, "at most 40"),
        ({"topic": "gaussian", "variance": 0}, "from 0.05 to 9"),
        ({"topic": "bernoulli", "trials": []}, "add a 1 or a 0"),
        ({"topic": "bernoulli", "trials": [2]}, "0 and 1 only"),
        ({"topic": "bernoulli", "p": 1.5}, "from 0 to 1"),
        ({"topic": "uniform", "low": 4}, "drag the ends apart"),
        ({"topic": "uniform", "whole": True, "marks": [0.5]}, "whole numbers are wanted"),
        ({"topic": "joint", "points": [[0, 0], [1, 1]]}, "only 2 points"),
        ({"topic": "joint", "points": [[0, 0], [1, 1], [2, 2]]}, "a line"),
        ({"topic": "joint", "points": [[0, 0], [1, 9], [2, 2]]}, "outside the picture"),
        ({"topic": "joint", "points": [[0, 0]] * 61}, "at most 60"),
    ],
)
def test_states_without_an_answer_get_a_sentence(changes, said):
    with pytest.raises(BadInput, match=said):
        PROBABILITY.answer(changes)
