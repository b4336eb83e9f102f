"""The worked examples of the lecture notes, number by number."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.course.lectures import EXAMPLES
from rosenblatt.errors import BadInput

KEYS = [
    "001-perceptron",
    "001-line",
    "001-exercise",
    "001-origin",
    "001-addition",
    "003-cycle",
    "004-two-points",
    "xor",
    "order",
]


def right_at_the_end(steps):
    return (steps.labels * (steps.points @ steps.weights + steps.offset) > 0).all()


# ---------------------------------------------------------------- the collection


@pytest.mark.parametrize("key", KEYS)
def test_a_part_is_named_by_its_name_or_its_number_from_1(key):
    example = EXAMPLES[key]
    for number, name in enumerate(example.parts, start=1):
        for which in (number, np.int64(number), str(number), name):
            assert example.name_of(which) == name
        assert str(example.run(number)) == str(example.run(name))


@pytest.mark.parametrize("which", [0, 3, -1, True, 1.0, "0", "3", "", [1]])
def test_a_number_that_no_part_has_is_refused_with_the_range(which):
    with pytest.raises(BadInput, match=r"part: got .*, expected one of .*, or its number, 1 to 2"):
        EXAMPLES["003-cycle"].run(which)


def test_a_line_has_no_settings_to_change():
    with pytest.raises(BadInput, match=r"epochs: a setting of a run, and 'line' of '001-line' is a line"):
        EXAMPLES["001-line"].run(epochs=2)


# ---------------------------------------------------------------- what comes of each run

RUNS = [
    ("001-perceptron", "run", 2, [2, -1], 0, None),
    ("003-cycle", "without offset", None, None, 0, (3, 3, 1, 2)),
    ("003-cycle", "with offset", 3, [1, -0.5], 1, None),
    ("004-two-points", "run", 2, [0, -1, 1], 0, None),
    ("xor", "halfspace", None, None, None, (0, 4, 1, 4)),
    ("xor", "(x·z)²", 2, [0, -2, -2, 0], 0, None),  # −4·x₁x₂ is the whole answer
    ("xor", "(x·z)² on {0, 1}²", None, None, 0, (11, 4, 1, 1)),  # φ(0, 0) = 0: wrong in every pass
    ("xor", "(x·z + 1)² on {0, 1}²", 21, None, 0, None),
]


@pytest.mark.parametrize(("key", "part", "mistakes", "w", "b", "cycle"), RUNS)
def test_a_run_ends_separated_or_in_the_cycle_of_the_notes(key, part, mistakes, w, b, cycle):
    steps = EXAMPLES[key].run(part)
    assert (steps.cycle and tuple(steps.cycle)) == cycle
    assert steps.separated == right_at_the_end(steps) == (cycle is None)
    assert steps.mistakes == mistakes or mistakes is None
    assert w is None or steps.weights.tolist() == w
    assert b is None or steps.offset == b


@pytest.mark.parametrize(
    ("key", "part", "scores"),
    [
        ("001-exercise", "w = (−3, 2), b = 2", [-2, 1, 7, -3]),
        ("001-exercise", "w = (3, 2), b = −2, which fits the arrows", [6, 3, -3, -1]),
        ("001-origin", "line", [0, 0, 3, -3]),
    ],
)
def test_a_line_has_the_scores_of_the_notes(key, part, scores):
    found = EXAMPLES[key].run(part)
    assert found.scores.tolist() == scores
    assert found.answers.tolist() == np.sign(scores).tolist()


# ---------------------------------------------------------------- slips


def test_003_cycle_names_the_slip():
    example = EXAMPLES["003-cycle"]
    assert "drops the sign of y" in example.slip
    assert "(−1, ½)" in example.slip
    assert "already classified correctly" in example.slip
    first = example.run()[2]
    assert (first.x, first.y) == ((-1, 0.5), -1)
    assert first.weights == (1, -0.5)  # w + y·x
    # with the notes' (−1, ½) the next point, (0, 1) positive, is right: there is nothing to update on
    assert np.dot((-1, 0.5), (0, 1)) > 0


def test_001_exercise_names_both_slips():
    slip = EXAMPLES["001-exercise"].slip
    assert "the arrows +, ?, −, − do not fit the line written beside them" in slip
    assert "w = (3, 2), b = −2 is one of several lines that they fit" in slip
    points = np.array([(2.0, 1.0), (-1.0, 1.0), (1.0, -1.0)])  # the second arrow is "?"
    for w, b in (((3.0, 2.0), -2.0), ((1.0, 1.0), -1.0)):
        assert np.sign(points @ w + b).tolist() == [1, -1, -1]
    assert "x₂ = 1.5x₁ − 1, not 3x₁ − 2" in slip
    for x1 in (0.0, 1.0, 2.0):
        assert -3 * x1 + 2 * (1.5 * x1 - 1) + 2 == 0
    assert -3 * 1.0 + 2 * (3 * 1.0 - 2) + 2 != 0  # what the notes write is another line


def test_004_names_the_slip_of_the_pseudocode():
    assert "y·w·x < 0" in EXAMPLES["004-two-points"].slip
    # from w = 0 no point has y·w·x < 0
    start = EXAMPLES["004-two-points"].run()[0]
    assert not start.agreement < 0
    assert start.mistake


# ---------------------------------------------------------------- xor


def test_xor_features_have_the_kernel_as_inner_product():
    example = EXAMPLES["xor"]
    for name, kernel in [
        ("(x·z)²", lambda gram: gram**2),
        ("(x·z)² on {0, 1}²", lambda gram: gram**2),
        ("(x·z + 1)² on {0, 1}²", lambda gram: (gram + 1) ** 2),
    ]:
        corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        corners = corners if "{0, 1}" in name else 2 * corners - 1
        features = np.array(example.parts[name].points)
        assert (features @ features.T).tolist() == kernel(corners @ corners.T).tolist()


# ---------------------------------------------------------------- order and start


def test_order_two_orders_end_in_different_weights():
    example = EXAMPLES["order"]
    assert example.run("in order").path() == [(0, 0), (2, 1), (2, -1)]
    assert example.run("in reverse").path() == [(0, 0), (-0.5, -2), (1.5, -1)]
    for part in ("in order", "in reverse"):
        assert example.run(part).separated
        assert right_at_the_end(example.run(part))


def test_order_a_point_stays_wrong_after_its_own_update():
    steps = EXAMPLES["order"].run("stays wrong")
    still_wrong = [s for s in steps if s.updated and s.agreement_after <= 0]
    assert [(s.x, s.agreement, s.agreement_after) for s in still_wrong] == [
        ((1, 0), -4, -3),
        ((1, 0), -3, -2),
        ((1, 0), -2, -1),
        ((1, 0), -1, 0),
    ]
    assert steps.weights.tolist() == [-1, 4]
    assert steps.separated
