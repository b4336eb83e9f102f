"""The lab as a person uses it: with the mouse, with keys only, on a phone, from a link."""

from __future__ import annotations

import json

import numpy as np
import pytest

from rosenblatt import trace
from rosenblatt.course.lab.chapters import CHAPTERS
from tests.browser.lab_page import TWO_FRAMES


def replay(lab):
    return lab.page.locator("section.replay")


def shown_at(lab, step):
    """(w, b) as the replay shows them after a step, which may have to be fetched first."""
    lab.page.wait_for_selector(f"section.replay[data-step='{step}']")
    viewer = replay(lab)
    return json.loads(viewer.get_attribute("data-w")), float(viewer.get_attribute("data-b"))


# ---------------------------------------------------------------- every chapter


@pytest.mark.parametrize("key", CHAPTERS)
def test_every_chapter_opens_with_a_picture_and_the_numbers_of_python(lab_page, store, serious, key):
    lab = lab_page(key)
    shown = lab.numbers
    expected = CHAPTERS[key].answer().numbers
    assert set(shown) == set(expected)
    assert lab.page.locator("#python code").inner_text().strip() == CHAPTERS[key].answer().python.strip()
    assert lab.trouble.is_hidden()
    store(lab.page, f"lab-{key}")
    assert serious(lab.page) == []
    assert serious(lab.in_the_dark().page, colours_only=True) == []


@pytest.mark.parametrize("key", CHAPTERS)
def test_every_page_fits_a_phone_and_has_no_barriers(lab_page, store, serious, key):
    lab = lab_page(key, phone=True)
    assert lab.overflow <= 0
    assert serious(lab.page) == []
    assert serious(lab.in_the_dark().page, colours_only=True) == []
    store(lab.page, f"lab-{key}-phone")


@pytest.mark.parametrize("key", CHAPTERS)
def test_a_link_with_settings_of_another_kind_never_breaks_the_page(lab_page, key):
    lab = lab_page(key)
    for wrong in ({"a": 1}, [None]):
        lab.follow_link(dict.fromkeys(CHAPTERS[key].start, wrong))
        is_unused = lab.page.get_attribute("main", "data-numbers") is not None
        assert is_unused or lab.trouble.inner_text(), wrong


# ---------------------------------------------------------------- the line


COLOUR_AT = """([x, y]) => {
  const plane = window.lab.view.plane();
  const canvas = plane.canvas.element;
  const ratio = canvas.width / canvas.getBoundingClientRect().width;
  return Array.from(plane.canvas.context.getImageData(plane.x(x) * ratio, plane.y(y) * ratio, 1, 1).data);
}"""


def test_a_point_on_the_line_has_the_colour_of_neither_class(lab_page):
    lab = lab_page("line")
    assert lab.numbers["answers"] == [0, 0, -1, 1]
    *on_the_line, minus, plus = (lab.page.evaluate(COLOUR_AT, x) for x in lab.state["points"])
    assert minus != plus
    assert not any(colour in (minus, plus) for colour in on_the_line)


# ---------------------------------------------------------------- step by step


DRAWN = [([1, 2], 1), ([2, 0.5], 1), ([-1, -1], -1), ([-0.5, 1.5], -1)]


def draw_points(lab):
    """Points drawn with the mouse, one class after the other."""
    lab.press("Remove all")
    for (x, y), label in DRAWN:
        lab.field("Click adds").select_option(str(label))
        lab.click_at(x, y)
    return lab.state


def test_points_drawn_with_the_mouse_are_learned_to_the_weights_of_python(lab_page):
    lab = lab_page("steps")
    made = draw_points(lab)
    assert np.array(made["points"]) == pytest.approx(np.array([x for x, _ in DRAWN]), abs=0.03)
    assert made["labels"] == [label for _, label in DRAWN]
    steps = trace(np.array(made["points"], float), made["labels"], epochs=None, until="separated")
    viewer = replay(lab)
    viewer.focus()
    for number, step in enumerate(steps, start=1):
        lab.page.keyboard.press("ArrowRight")
        assert shown_at(lab, number) == (list(step.weights), step.offset)
    assert steps.separated
    assert (lab.numbers["w"], lab.numbers["b"]) == (steps.weights.tolist(), steps.offset)


def test_a_link_carries_points_settings_and_step(lab_page):
    lab = lab_page("steps")
    draw_points(lab)
    lab.choose("Order", "shuffled")
    lab.after(lambda: lab.field("with an offset b").uncheck())
    replay(lab).focus()
    for _ in range(3):
        lab.page.keyboard.press("ArrowRight")
    lab.carries(step=3)
    other = lab.reopen()
    assert other.state == lab.state
    assert other.numbers == lab.numbers
    replay(other).wait_for()
    other.page.wait_for_selector("section.replay[data-step='3']")
    assert replay(other).get_attribute("data-w") == replay(lab).get_attribute("data-w")


def test_everything_can_be_done_with_keys_only(lab_page):
    lab = lab_page("steps")
    lab.enter("Remove all")
    for label, sign, points in (("+", "1", [["1", "2"], ["2", "1"]]), ("−", "-1", [["-1", "-1"]])):
        lab.field("Click adds").focus()
        lab.page.keyboard.press("ArrowUp" if label == "+" else "ArrowDown")
        assert lab.field("Click adds").input_value() == sign
        for x, y in points:
            lab.type_text("x₁", x)
            lab.type_text("x₂", y)
            lab.enter("Add point")
    assert lab.state["points"] == [[1, 2], [2, 1], [-1, -1]]
    replay(lab).focus()
    lab.page.keyboard.press("End")
    assert shown_at(lab, lab.numbers["looks"]) == (lab.numbers["w"], lab.numbers["b"])


# ---------------------------------------------------------------- what once went wrong


SLOW_FIRST = """
const fetched = window.fetch;
let asked = 0, second;
const secondCame = new Promise((go) => { second = go; });
window.fetch = async (...given) => {
  const number = String(given[0]).startsWith("/api/") ? ++asked : 0;
  const response = await fetched(...given);
  if (number === 2) second();
  if (number === 1) {
    await secondCame;
    await new Promise((go) => setTimeout(go, 1000));
    setTimeout(() => { document.body.dataset.late = ""; }, 100);
  }
  return response;
};
"""


def test_an_old_answer_never_replaces_a_newer_one(chromium, lab_address):
    page = chromium.new_page()
    page.add_init_script(SLOW_FIRST)
    page.goto(f"{lab_address}/steps")
    page.wait_for_selector("#controls select")
    page.get_by_label("with an offset b").uncheck()
    page.wait_for_selector("section.replay")
    page.wait_for_selector("body[data-late]", state="attached")  # the first answer has come too
    page.evaluate(TWO_FRAMES)
    shown = json.loads(page.get_attribute("main", "data-numbers"))
    page.close()
    assert shown == CHAPTERS["steps"].answer({"offset": False}).numbers


@pytest.mark.parametrize("link", ["%7Bnot-json", "%E0%A4%A", "[1]", "%7B%22__proto__%22%3A1%7D"])
def test_a_link_that_was_cut_opens_the_chapter_with_a_message(lab_page, link):
    lab = lab_page("line", link=link)
    assert lab.trouble.inner_text()
    assert "proto" in link or lab.numbers  # that name is no setting, so there is no answer
