"""All functions about separability refuse invalid rows, labels and parameters alike."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

from rosenblatt import halfspace_by_lp, mistake_bound, overlap, separate
from rosenblatt.errors import BadInput

TWO = [[0.0], [1.0]]
QUESTIONS = {
    "separate": separate,
    "overlap": overlap,
    "halfspace_by_lp": halfspace_by_lp,
    "mistake_bound": mistake_bound,
    "mistake_bound with a kernel": partial(mistake_bound, kernel="gaussian"),
}


@pytest.mark.parametrize("question", [name for name in QUESTIONS if name != "overlap"])
def test_three_classes_are_refused_except_for_a_multinomial_regression(question):
    with pytest.raises(BadInput, match="3 classes"):
        QUESTIONS[question]([[0.0], [1.0], [2.0]], [0, 1, 2])


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(
    ("X", "y", "named", "message"),
    [
        ([[0.0], [math.nan]], [0, 1], {}, "NaN in row 1"),
        ([[0.0], [math.inf]], [0, 1], {}, "infinity"),
        (TWO, [0], {}, "1 labels for 2 rows"),
        (TWO, [0.5, 1.5], {}, "continuous"),
        (TWO, [0, 1], {"offset": "yes"}, "offset"),
        (TWO, [0, 1], {"time_limit": -1}, "time_limit"),
        (TWO, [0, 1], {"time_limit": "long"}, "time_limit"),
        (TWO, [0, 1], {"time_limit": math.nan}, "time_limit"),
    ],
)
def test_every_question_refuses_bad_input_by_name(question, X, y, named, message):
    with pytest.raises(BadInput, match=message):
        QUESTIONS[question](X, y, **named)


@pytest.mark.parametrize("question", [separate, mistake_bound, partial(mistake_bound, kernel="gaussian")])
@pytest.mark.parametrize("tolerance", [-0.1, 1.0, math.nan, math.inf, "small", None])
def test_a_tolerance_is_a_number_from_0_to_1(question, tolerance):
    with pytest.raises(BadInput, match="tolerance"):
        question(TWO, [0, 1], tolerance=tolerance)


@pytest.mark.parametrize("init", [[1.0, 2.0, 3.0], "ones"])
def test_a_start_of_another_length_is_refused(init):
    with pytest.raises(BadInput, match="init"):
        mistake_bound(TWO, [0, 1], init=init)


def test_rows_without_features_or_without_rows_are_refused():
    with pytest.raises(ValueError, match="feature"):
        separate(np.empty((2, 0)), [0, 1])
    with pytest.raises(ValueError, match="X"):
        separate([], [])
