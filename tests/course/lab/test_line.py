"""The line and its two sides: scores, answers and distances, with the notes' own numbers."""

from __future__ import annotations

import math

import pytest

from rosenblatt.course.lab.chapters import CHAPTERS
from rosenblatt.course.lectures import EXAMPLES
from rosenblatt.errors import BadInput

LINE = CHAPTERS["line"]


@pytest.mark.parametrize("key", ["001-line", "001-exercise", "001-origin"])
def test_the_lines_of_the_notes_give_their_scores(key):
    for line in EXAMPLES[key].parts.values():
        answer = LINE.answer({"w": list(line.w), "b": line.b, "points": [list(x) for x in line.points]})
        assert answer.numbers["scores"] == line.run().scores.tolist()
        assert answer.numbers["answers"] == line.run().answers.tolist()


def test_feet_are_on_the_line_and_as_far_as_said():
    state = {"w": [-3.0, 2.0], "b": 2.0, "points": [[2, 1], [1, 1], [-1, 1], [1, -1]]}
    numbers = LINE.answer(state).numbers
    for x, foot, distance in zip(state["points"], numbers["feet"], numbers["distances"], strict=True):
        assert -3 * foot[0] + 2 * foot[1] + 2 == pytest.approx(0.0, abs=1e-12)
        assert math.dist(x, foot) == pytest.approx(distance)


@pytest.mark.parametrize("points", [[], [[0.1, -1e-7]], [[1e5, 2.0]] * 30])
def test_the_same_in_python_gives_the_numbers_of_the_page(same_in_python, points):
    same_in_python(LINE, {"w": [0.3, -0.7], "b": 0.1, "points": points})


def test_a_point_on_the_line_is_on_neither_side():
    answer = LINE.answer()
    assert answer.numbers["answers"] == [0, 0, -1, 1]
    assert "on the line" in answer.sentences[0]


def test_no_direction_no_line():
    with pytest.raises(BadInput, match="drag its end away"):
        LINE.answer({"w": [0, 0]})


def test_every_line_of_the_notes_can_be_loaded():
    offered = LINE.offers["lines"]
    assert {name.split(":")[0] for name in offered} == {"001-line", "001-exercise", "001-origin"}
    for state in offered.values():
        assert LINE.answer(state).numbers["scores"]
