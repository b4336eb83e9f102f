"""What holds for every chapter: a text, a script, an answer, and the same in Python."""

from __future__ import annotations

import json
import re
from importlib import resources

import pytest

from rosenblatt.course.lab.chapters import CHAPTERS
from rosenblatt.course.lab.server import finite
from rosenblatt.course.lab.text import html_of, text_of

ORDER = [
    "line", "steps", "bound", "orders", "sure", "xor", "classes", "teacher", "curve", "probability", "data",
]  # fmt: skip


def test_the_chapters_follow_the_notes_and_end_with_your_data():
    assert list(CHAPTERS) == ORDER


@pytest.mark.parametrize("key", CHAPTERS)
def test_the_python_of_a_chapter_gives_the_numbers_of_its_page(same_in_python, key):
    same_in_python(CHAPTERS[key])


@pytest.mark.parametrize("key", CHAPTERS)
def test_an_answer_is_plain_json(key):
    answer = CHAPTERS[key].answer()
    for part in (answer.numbers, answer.picture):
        json.dumps(finite(dict(part)), allow_nan=False)
    assert all(isinstance(sentence, str) and sentence for sentence in answer.sentences)


@pytest.mark.parametrize("key", CHAPTERS)
def test_a_link_can_carry_every_setting_of_a_chapter(key):
    start = dict(CHAPTERS[key].start)
    assert json.loads(json.dumps(start)) == start
    assert CHAPTERS[key].answer(json.loads(json.dumps(start))).numbers == CHAPTERS[key].answer().numbers


@pytest.mark.parametrize("key", CHAPTERS)
def test_the_text_of_a_chapter_has_formulas_and_something_to_try(key):
    text = text_of(key)
    assert "$$" in text
    assert "**Try.**" in text
    assert 120 <= len(text.split()) <= 600
    assert "<merror" not in html_of(key)
    assert "$" not in re.sub(r"<(math|code).*?</\1>", "", html_of(key), flags=re.DOTALL)


@pytest.mark.parametrize("key", CHAPTERS)
def test_a_chapter_has_a_script_of_a_size_to_be_read(key):
    script = (
        resources.files("rosenblatt.course.lab")
        .joinpath("static", "chapters", f"{key}.js")
        .read_text("utf-8")
    )
    assert "export function mount(lab)" in script
    assert script.count("\n") < 400


@pytest.mark.parametrize("key", CHAPTERS)
def test_the_lines_of_a_snippet_fit_the_page(key):
    assert max(map(len, CHAPTERS[key].answer().python.splitlines())) <= 108
