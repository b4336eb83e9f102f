"""The worked examples of the lecture notes, number by number."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from rosenblatt import trace
from rosenblatt.course.lectures import EXAMPLES, Addition, Example, Line, Run
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


def mistakes_per_pass(steps):
    return [sum(s.mistake for s in steps if s.epoch == e) for e in range(1, steps[-1].epoch + 1)]


def right_at_the_end(steps):
    return (steps.labels * (steps.points @ steps.weights + steps.offset) > 0).all()


# ---------------------------------------------------------------- the collection


def test_every_worked_example_is_there_by_its_key():
    assert list(EXAMPLES) == KEYS
    assert all(example.key == key for key, example in EXAMPLES.items())


@pytest.mark.parametrize("key", KEYS)
def test_an_example_prints_its_title_and_every_part(key):
    example = EXAMPLES[key]
    text = str(example)
    assert text.startswith(f"{key} (notes {example.notes}): {example.title}\n")
    for name in example.parts:
        part = example.parts[name]
        assert f"[{name}]\n{part.run() if isinstance(part, Run) else part}" in text


@pytest.mark.parametrize("key", KEYS)
def test_an_example_runs_its_first_part_where_none_is_named(key):
    example = EXAMPLES[key]
    assert str(example.run()) == str(example.run(next(iter(example.parts))))


def test_a_part_that_does_not_exist_is_refused_with_the_list():
    with pytest.raises(
        BadInput, match="part: got 'half', expected one of 'without offset', 'with offset', or"
    ):
        EXAMPLES["003-cycle"].run("half")


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


def test_a_run_may_be_changed():
    assert len(EXAMPLES["001-perceptron"].run(epochs=5)) == 15


# ---------------------------------------------------------------- 001


def test_001_perceptron_path_of_theta():
    steps = EXAMPLES["001-perceptron"].run()
    assert steps.points.tolist() == [[2, 1], [0, 2], [-0.5, -2]]
    assert steps.labels.tolist() == [1, -1, 1]
    assert steps.path() == [(0, 0), (2, 1), (2, -1)]


def test_001_perceptron_two_mistakes_in_the_first_pass_and_none_in_the_second():
    steps = EXAMPLES["001-perceptron"].run()
    assert mistakes_per_pass(steps) == [2, 0]
    assert [s.mistake for s in steps] == [True, True, False, False, False, False]
    assert steps.separated
    assert right_at_the_end(steps)


def test_001_perceptron_scores():
    steps = EXAMPLES["001-perceptron"].run()
    assert [s.score for s in steps] == [0, 2, 1, 3, -2, 1]
    assert [s.agreement for s in steps] == [0, -2, 1, 3, 2, 1]


def test_001_perceptron_counts_sign_of_zero_as_minus_one():
    example = EXAMPLES["001-perceptron"]
    assert example.parts["run"].settings["tie"] == "negative"
    # from w = 0, the first point (+) is a mistake; had it been negative, it would not be
    assert example.run()[0].mistake
    assert not trace([[2.0, 1.0], [0.0, 2.0]], [-1, 1], offset=False, tie="negative")[0].mistake


def test_001_line_and_its_normal():
    line = EXAMPLES["001-line"].parts["line"]
    assert (line.w, line.b) == ((2, 3), -6)
    sides = dict(zip(line.points, line.run().answers.tolist(), strict=True))
    assert sides[(3, 0)] == sides[(0, 2)] == 0  # where it meets the axes
    assert sides[(0, 0)] == -1
    along = np.subtract((3, 0), (0, 2))
    assert along @ np.array(line.w) == 0  # the normal is at right angles to the line


def test_001_exercise_scores_of_the_line_that_is_written():
    scores, answers = EXAMPLES["001-exercise"].run("w = (−3, 2), b = 2")
    assert scores.tolist() == [-2, 1, 7, -3]
    assert answers.tolist() == [-1, 1, 1, -1]


def test_001_exercise_scores_of_the_line_that_the_arrows_belong_to():
    scores, answers = EXAMPLES["001-exercise"].run("w = (3, 2), b = −2, which the arrows belong to")
    assert scores.tolist() == [6, 3, -3, -1]
    assert answers.tolist() == [1, 1, -1, -1]


def test_001_exercise_is_on_the_four_points_of_the_notes():
    for line in EXAMPLES["001-exercise"].parts.values():
        assert line.points == ((2, 1), (1, 1), (-1, 1), (1, -1))


def test_001_exercise_names_both_slips():
    slip = EXAMPLES["001-exercise"].slip
    assert "+, ?, −, − belong to w = (3, 2), b = −2" in slip
    assert "x₂ = 1.5x₁ − 1, not 3x₁ − 2" in slip
    for x1 in (0.0, 1.0, 2.0):
        assert -3 * x1 + 2 * (1.5 * x1 - 1) + 2 == 0
    assert -3 * 1.0 + 2 * (3 * 1.0 - 2) + 2 != 0  # what the notes write is another line


def test_001_origin_line():
    line = EXAMPLES["001-origin"].parts["line"]
    assert (line.w, line.b) == ((1, 2), 0)
    sides = dict(zip(line.points, line.run().answers.tolist(), strict=True))
    assert sides[(0, 0)] == 0
    assert sides[(2, -1)] == 0
    assert (sides[(1, 1)], sides[(-1, -1)]) == (1, -1)


def test_sides_are_shown_in_words():
    assert str(EXAMPLES["001-origin"].run()) == "0 → on the line, 0 → on the line, 3 → +, −3 → −"


def test_001_addition():
    addition = EXAMPLES["001-addition"].parts["sum"]
    assert (addition.theta, addition.x) == ((1, 1), (-2, 1))
    assert EXAMPLES["001-addition"].run().tolist() == [-1, 2]


# ---------------------------------------------------------------- 003


def test_003_cycle_weights():
    steps = EXAMPLES["003-cycle"].run("without offset")
    assert steps.points.tolist() == [[0, 1], [0, -1], [-1, 0.5]]
    assert steps.labels.tolist() == [1, 1, -1]
    assert steps.path()[:4] == [(0, 0), (1, -0.5), (1, 0.5), (1, -0.5)]
    assert [s.index for s in steps if s.updated] == [2, 0, 1, 0, 1]


def test_003_cycle_goes_on_for_ever_between_two_vectors():
    steps = EXAMPLES["003-cycle"].run("without offset", epochs=50)
    for step in steps[3:]:
        if step.updated:
            assert step.weights == {0: (1, 0.5), 1: (1, -0.5)}[step.index]
    assert mistakes_per_pass(steps) == [1] + 49 * [2]


def test_003_cycle_has_a_period_of_three_steps_with_two_updates():
    steps = EXAMPLES["003-cycle"].run("without offset")
    assert (steps.cycle.start, steps.cycle.period) == (3, 3)
    assert (steps.cycle.passes, steps.cycle.updates) == (1, 2)
    assert not steps.separated


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


def test_003_with_offset_three_mistakes():
    steps = EXAMPLES["003-cycle"].run("with offset")
    assert steps.mistakes == 3
    assert steps.weights.tolist() == [1, -0.5]
    assert steps.offset == 1
    assert steps.separated
    assert steps.cycle is None
    assert right_at_the_end(steps)


def test_003_has_no_margin_without_offset():
    # the first two points are opposite and of one class: whatever w·x is on one, it is −w·x on the other
    points = EXAMPLES["003-cycle"].parts["without offset"].points
    assert np.add(points[0], points[1]).tolist() == [0, 0]
    for w in ([1, 0], [1, 0.5], [3, -2]):
        assert EXAMPLES["003-cycle"].run("without offset").check_claims(w).margin <= 0


# ---------------------------------------------------------------- 004


def test_004_two_points():
    steps = EXAMPLES["004-two-points"].run()
    assert steps.points.tolist() == [[1, 1, 2], [1, 2, 1]]
    assert steps.labels.tolist() == [1, -1]
    assert steps.path() == [(0, 0, 0), (-1, -2, -1), (0, -1, 1)]
    assert steps.updates == steps.mistakes == 2
    assert steps.separated
    assert right_at_the_end(steps)


def test_004_two_points_in_the_given_order_takes_the_same_path():
    steps = EXAMPLES["004-two-points"].run(order="given")
    assert steps.path() == [(0, 0, 0), (-1, -2, -1), (0, -1, 1)]


def test_004_names_the_slip_of_the_pseudocode():
    assert "y·w·x < 0" in EXAMPLES["004-two-points"].slip
    # from w = 0 no point has y·w·x < 0
    start = EXAMPLES["004-two-points"].run()[0]
    assert not start.agreement < 0
    assert start.mistake


# ---------------------------------------------------------------- xor


def test_xor_is_the_four_corners():
    part = EXAMPLES["xor"].parts["halfspace"]
    assert part.points == ((-1, -1), (-1, 1), (1, -1), (1, 1))
    assert part.labels == (-1, 1, 1, -1)


@pytest.mark.parametrize("offset", [True, False])
def test_xor_is_computed_by_no_halfspace(offset):
    steps = EXAMPLES["xor"].run("halfspace", offset=offset)
    assert not steps.separated
    assert steps.cycle is not None
    assert steps.cycle.updates > 0


def test_xor_with_offset_comes_back_to_zero_after_each_pass():
    steps = EXAMPLES["xor"].run("halfspace")
    assert (steps.cycle.start, steps.cycle.period, steps.cycle.updates) == (0, 4, 4)
    assert [s.weights for s in steps[:4]] == [(1, 1), (0, 2), (1, 1), (0, 0)]
    assert [s.offset for s in steps[:4]] == [-1, 0, 1, 0]


def test_xor_is_separated_by_products_in_two_mistakes():
    steps = EXAMPLES["xor"].run("(x·z)²")
    assert steps.mistakes == 2
    assert steps.weights.tolist() == [0, -2, -2, 0]  # −4·x₁x₂ is the whole answer
    assert steps.separated
    assert right_at_the_end(steps)


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


def test_xor_on_bits_cannot_be_separated_by_the_homogeneous_kernel():
    steps = EXAMPLES["xor"].run("(x·z)² on {0, 1}²")
    assert steps.points[0].tolist() == [0, 0, 0, 0]  # φ(0, 0) = 0
    assert not steps.separated
    assert all(s.mistake for s in steps if s.index == 0)
    last = steps[steps.cycle.start : steps.cycle.start + steps.cycle.period]
    assert [s.index for s in last if s.mistake] == [0]  # all else is right in the end


def test_xor_on_bits_is_separated_once_there_is_a_constant():
    steps = EXAMPLES["xor"].run("(x·z + 1)² on {0, 1}²")
    assert steps.separated
    assert steps.cycle is None
    assert right_at_the_end(steps)


# ---------------------------------------------------------------- order and start


def test_order_two_orders_end_in_different_weights():
    example = EXAMPLES["order"]
    assert example.run("in order").path() == [(0, 0), (2, 1), (2, -1)]
    assert example.run("in reverse").path() == [(0, 0), (-0.5, -2), (1.5, -1)]
    for part in ("in order", "in reverse"):
        assert example.run(part).separated
        assert right_at_the_end(example.run(part))


def test_order_two_starts_end_in_different_weights():
    steps = EXAMPLES["order"].run("from the unit vector")
    start = math.sqrt(0.5)
    assert steps.path() == [
        pytest.approx((start, start), rel=1e-15),
        pytest.approx((start, start - 2), rel=1e-15),
    ]
    assert right_at_the_end(steps)


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


def test_order_a_point_becomes_wrong_again():
    steps = EXAMPLES["order"].run("stays wrong", order=(1, 0))
    looks = [s for s in steps if s.x == (1, 0)]
    assert looks[0].agreement_after > 0
    assert any(before.agreement_after > 0 and after.mistake for before, after in pairwise(looks))


# ---------------------------------------------------------------- the lifted points


def test_two_near_points_make_203_mistakes_with_offset():
    steps = trace([[0.0], [0.1]], [1, -1], epochs=None, until="separated")
    assert steps.mistakes == 203
    assert steps.separated


def test_the_bound_of_the_lifted_points_allows_them_and_the_bound_of_the_bare_points_does_not():
    steps = trace([[0.0], [0.1]], [1, -1], epochs=None, until="separated")
    claims = steps.check_claims([-20.0], 1.0)  # the threshold in the middle, at 0.05
    assert claims.holds
    assert claims.bound == pytest.approx(1.01 * 401)
    bare = (0.1 / 0.05) ** 2
    assert bare == 4.0
    assert bare < steps.mistakes <= claims.bound


# ---------------------------------------------------------------- examples of one's own


def test_an_example_is_made_of_runs_lines_and_sums():
    mine = Example(
        "mine",
        "none",
        "a test",
        {
            "run": Run(((1.0,), (-1.0,)), (1, -1), {"offset": False, "epochs": 1}),
            "line": Line((1.0,), 0.0),
            "sum": Addition((1.0,), (2.0,)),
        },
    )
    assert mine.run().mistakes == 1
    assert mine.run("line").scores.size == 0
    assert mine.run("sum").tolist() == [3]
    assert "slip" not in str(mine)


def test_a_line_is_printed_with_the_sums_behind_its_scores():
    assert "(2, 1): −3·2 + 2·1 + 2 = −2 → −" in str(EXAMPLES["001-exercise"])
    assert "(1, −1): 3·1 + 2·(−1) + (−2) = −1 → −" in str(EXAMPLES["001-exercise"])


def test_an_addition_is_printed_as_one():
    assert "(1, 1) + (−2, 1) = (−1, 2)" in str(EXAMPLES["001-addition"])
