"""The line and its two sides: scores, answers and distances, with the notes' own numbers."""

from __future__ import annotations

import pytest

from rosenblatt.course.lab.chapters import CHAPTERS
from rosenblatt.course.lectures import EXAMPLES

LINE = CHAPTERS["line"]


@pytest.mark.parametrize("key", ["001-line", "001-exercise", "001-origin"])
def test_the_lines_of_the_notes_give_their_scores(key):
    for line in EXAMPLES[key].parts.values():
        answer = LINE.answer({"w": list(line.w), "b": line.b, "points": [list(x) for x in line.points]})
        assert answer.numbers["scores"] == line.run().scores.tolist()
        assert answer.numbers["answers"] == line.run().answers.tolist()


def test_a_point_on_the_line_is_on_neither_side():
    answer = LINE.answer()
    assert answer.numbers["answers"] == [0, 0, -1, 1]
    assert "on the line" in answer.sentences[0]


def test_every_line_of_the_notes_can_be_loaded():
    offered = LINE.offers["lines"]
    assert {name.split(":")[0] for name in offered} == {"001-line", "001-exercise", "001-origin"}
    for state in offered.values():
        assert LINE.answer(state).numbers["scores"]
