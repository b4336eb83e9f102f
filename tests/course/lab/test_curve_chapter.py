"""Curve fitting: errors and coefficients against numpy and exact fractions, and what the text promises."""

from __future__ import annotations

import math
import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt.course.lab.chapters.polynomial_curve import CURVE, HIGHEST_DEGREE, PENALTIES
from rosenblatt.errors import BadInput


def naive_coefficients(points, degree, l2):
    """The normal equations (ΦᵀΦ + λI) w = Φᵀy, good enough at low degree."""
    x, y = np.array(points, float).T
    rows = np.vander(x, degree + 1, increasing=True)
    return np.linalg.solve(rows.T @ rows + l2 * np.eye(degree + 1), rows.T @ y)


@pytest.mark.parametrize("l2", [0.0, 1e-3, 1.0])
@pytest.mark.parametrize("degree", [0, 1, 3, 5])
def test_the_curve_minimises_the_sum_of_squares_and_the_penalty(degree, l2):
    answer = CURVE.answer({"degree": degree, "l2": l2})
    points = np.array(answer.picture["points"])
    coefficients = naive_coefficients(points, degree, l2)
    assert answer.numbers["coefficients"] == pytest.approx(coefficients, rel=1e-7, abs=1e-9)
    missed = points[:, 1] - np.polynomial.polynomial.polyval(points[:, 0], coefficients)
    assert answer.numbers["training_error"] == pytest.approx(missed @ missed)
    assert answer.numbers["errors"][0] == pytest.approx(math.sqrt(missed @ missed / len(points)))


@given(n_points=st.integers(2, 21), seed=st.integers(0, 999))
@settings(max_examples=15)
def test_degree_n_minus_1_leaves_no_training_error(n_points, seed):
    numbers = CURVE.answer({"n_points": n_points, "degree": n_points - 1, "seed": seed}).numbers
    assert numbers["errors"][0] < 1e-9


@given(seed=st.integers(0, 999))
@settings(max_examples=10)
def test_a_higher_degree_never_fits_worse_and_a_larger_penalty_never_better(seed):
    numbers = CURVE.answer({"seed": seed}).numbers
    by_degree = [training for training, _ in numbers["by_degree"]]
    by_l2 = [training for training, _ in numbers["by_l2"]]
    assert all(after <= before + 1e-9 for before, after in pairwise(by_degree))
    assert all(after >= before - 1e-9 for before, after in pairwise(by_l2))


def test_the_page_opens_with_overfitting_and_both_remedies_work():
    start = CURVE.answer().numbers
    assert start["errors"][0] < 1e-9
    assert start["errors"][1] > 3 * 0.2  # the noise
    assert max(map(abs, start["coefficients"])) > 100
    assert CURVE.answer({"degree": 3}).numbers["errors"][1] < 0.25
    assert CURVE.answer({"l2": 1e-3}).numbers["errors"][1] < 0.25
    assert CURVE.answer({"auto": True}).numbers["errors"][1] < 0.3
    assert CURVE.answer({"n_points": 40}).numbers["errors"][1] < 0.25


def test_the_error_of_the_chosen_curve_is_a_point_of_both_charts():
    numbers = CURVE.answer({"degree": 7, "l2": PENALTIES[5]}).numbers
    assert numbers["errors"] == numbers["by_degree"][7] == numbers["by_l2"][5]


def test_the_chosen_penalty_has_the_smallest_held_out_error():
    numbers = CURVE.answer({"auto": True, "n_points": 20}).numbers
    errors = dict(numbers["held_out"])
    assert errors[numbers["l2"]] == min(errors.values())


def test_one_moved_point_moves_the_curve_of_degree_9_more_than_that_of_degree_3():
    points = CURVE.answer().picture["points"]
    moved = [[x, y + 0.2 * (row == 5)] for row, (x, y) in enumerate(points)]

    def change(degree):
        before, after = (
            np.array(CURVE.answer({"degree": degree, "points": given}).picture["curve"])
            for given in (points, moved)
        )
        within = np.abs(before[:, 0]) <= 1.0
        return np.abs(after[within, 1] - before[within, 1]).max()

    assert change(9) > 2 * change(3)


def test_points_of_ones_own_are_fitted_as_they_are():
    answer = CURVE.answer({"points": [[-1, 1], [0, 0], [1, 1]], "degree": 2})
    assert answer.numbers["coefficients"] == pytest.approx([0.0, 0.0, 1.0], abs=1e-12)
    assert answer.picture["polynomial"] == "x²"
    assert "goes through every training point" in answer.sentences[-1]


@pytest.mark.parametrize(
    "changes",
    [
        {"degree": 0},
        {"l2": 1e-3, "degree": 12},
        {"auto": True},
        {"auto": True, "n_points": 3, "noise": 0.0},
        {"n_points": 1},
        {"n_points": 40, "degree": 20, "seed": 7, "noise": 1.0},
        {"points": [[0.1, 0.25], [0.1, -0.5], [-1.3, 2.5]], "degree": 4, "l2": 0.1},
    ],
    ids=str,
)
def test_the_same_in_python_gives_the_numbers_of_the_page(same_in_python, changes):
    same_in_python(CURVE, changes)


def test_the_largest_state_is_answered_in_well_under_a_second():
    largest = {"n_points": 40, "degree": HIGHEST_DEGREE, "auto": True}
    CURVE.answer(largest)
    took = []
    for _ in range(3):
        began = time.process_time()
        CURVE.answer(largest)
        took.append(time.process_time() - began)
    assert min(took) < 1.0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"degree": 21}, "from 0 to 20"),
        ({"degree": 2.5}, "whole number"),
        ({"l2": -1}, "from 0 to 1000"),
        ({"l2": "auto"}, "expected a number"),
        ({"noise": 2}, "from 0 to 1"),
        ({"n_points": 41}, "from 1 to 40"),
        ({"points": [[0, 0]] * 41}, "at most 40"),
        ({"points": [[1.5, 0]]}, "outside the picture"),
        ({"points": [[0, float("inf")]]}, "finite number"),
        ({"points": [0.5]}, "expected 2 numbers"),
        ({"points": {"x": 1}}, "expected a list"),
        ({"points": [[0.5, 1.0]], "auto": True}, "more points"),
    ],
)
def test_states_that_make_no_curve_get_a_sentence(changes, said):
    with pytest.raises(BadInput, match=said):
        CURVE.answer(changes)
