"""Probability: draws from one box, and pictures of likelihoods."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.course.lab.chapters.probability import PROBABILITY

TENTHS = st.integers(-50, 50).map(lambda tenth: tenth / 10)
DATA = st.lists(TENTHS, min_size=2, max_size=8).filter(lambda data: len(set(data)) > 1)


def of(topic, **changes):
    return PROBABILITY.answer({"topic": topic, **changes})


# ---------------------------------------------------------------- boxes and balls


def test_the_start_is_the_example_of_the_text():
    answer = of("boxes")
    assert answer.numbers["total"] == "13/24"
    assert answer.numbers["posterior"] == {"box 1": "4/13", "box 2": "9/13"}
    assert of("boxes", drawn=["blue"]).numbers["posterior"] == {"box 1": "1", "box 2": "0"}


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


@given(data=DATA)
@settings(max_examples=20)
def test_no_point_of_the_curves_is_above_the_marked_one(data):
    answer = of("gaussian", data=data)
    assert max(answer.picture["by_mean"]) <= answer.picture["top_by_mean"] + 1e-9
    assert max(answer.picture["by_variance"]) <= answer.numbers["best_log_likelihood"] + 1e-9


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
