"""Curve fitting: what the text promises, and points of one's own."""

from __future__ import annotations

import pytest

from rosenblatt.course.lab.chapters.polynomial_curve import CURVE, PENALTIES


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


def test_points_of_ones_own_are_fitted_as_they_are():
    answer = CURVE.answer({"points": [[-1, 1], [0, 0], [1, 1]], "degree": 2})
    assert answer.numbers["coefficients"] == pytest.approx([0.0, 0.0, 1.0], abs=1e-12)
    assert answer.picture["polynomial"] == "x²"
    assert "goes through every training point" in answer.sentences[-1]
