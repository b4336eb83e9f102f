"""Each chapter of the lab, as a person at the page: what is drawn or chosen is what Python answers to."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from urllib.parse import unquote

import pytest

from rosenblatt.course.lab.chapters import CHAPTERS


def test_the_two_points_that_take_203_mistakes_are_a_button(lab_page, store):
    lab = lab_page("bound")
    lab.press("x = 0 (+) and x = 0.1 (−)")
    table = lab.table("Radius, margin, bound").inner_text()
    assert re.search(r"\(R/γ\)²\s+4\s+405\.01", table)
    assert re.search(r"mistakes made\s+203", table)
    lab.press("Use R and γ of these points")
    assert lab.numbers["allowed"] == pytest.approx(405, rel=0.01)
    assert lab.numbers == lab.of_python
    store(lab.page, "bound-203")


def test_settings_are_changed_with_keys_and_carried_by_the_link(lab_page):
    lab = lab_page("orders")
    lab.field("Passes").focus()
    lab.key("ArrowRight")
    lab.field("Orders").focus()
    lab.key("Home")
    assert lab.changes == {"epochs": 6, "orders": 2, "run": 1}
    lab.choose("Order", "by class")
    lab.choose("Rule", "forgetting")
    lab.choose("Start", "unit")
    lab.after(lambda: lab.field("with an offset b").uncheck())
    assert lab.field("Shuffle number").is_hidden()
    other = lab.reopen()
    assert other.numbers == lab.numbers == lab.of_python


def test_rules_and_forms_are_chosen_and_carried_by_the_link(lab_page, store):
    lab = lab_page("sure")
    lab.choose("Covariance", "diagonal")
    lab.after(lambda: lab.field("with an offset b").check())
    assert lab.changes == {"covariance": "diagonal", "offset": True}
    assert lab.numbers["sigma"][1] == 0
    other = lab.reopen()
    assert other.numbers == lab.numbers == lab.of_python
    store(lab.page, "sure-diagonal")


def test_the_run_of_a_kernel_is_replayed_below_and_its_step_is_carried_by_the_link(lab_page, store):
    lab = lab_page("xor", {"method": "kernel"})
    assert lab.page.locator(".replay").count() == 0
    lab.after(lab.field("replay the run step by step").check)
    lab.page.wait_for_selector(".replay[data-step='0']")
    for step in (1, 2):
        lab.button("One step forward").click()
        lab.page.wait_for_selector(f".replay[data-step='{step}']")
    assert lab.page.get_attribute(".replay", "data-w") == "[-1,1]"
    assert "functional margin now 4" in lab.page.locator(".replay .caption").inner_text()
    store(lab.page, "chapter-xor-replay")
    lab.carries(step=2)
    other = lab.reopen()
    other.page.wait_for_selector(".replay[data-step='2']")
    lab.load("XOR on {0, 1}²")
    assert "This run cycles" in lab.page.locator(".replay .cycle").inner_text()
    assert lab.numbers == CHAPTERS["xor"].answer(lab.state).numbers
    lab.after(lab.field("replay the run step by step").uncheck)
    assert lab.page.locator(".replay").count() == 0


def test_three_in_a_row_are_learned_only_together(lab_page, store):
    lab = lab_page("classes")
    lab.load("three in a row")
    assert lab.numbers["wrong"] == [2, 3]
    assert "No line separates class 1 from the rest (proved)" in lab.caption
    assert "Thick ring: a tie for the largest score." in lab.page.locator("#picture .quiet").inner_text()
    store(lab.page, "chapter-classes-row")
    lab.choose("Method", "ultraconservative")
    assert lab.numbers == CHAPTERS["classes"].answer(lab.state).numbers
    assert (lab.numbers["mistakes"], lab.numbers["wrong"]) == (9, [])
    lab.choose("x is subtracted from", "uniform")
    assert lab.numbers == CHAPTERS["classes"].answer(lab.state).numbers
    table = lab.table("Confusion matrix")
    assert table.locator("tbody tr").first.inner_text().split() == ["0", "2", "0", "0"]


def test_a_game_as_the_learner_to_its_end(lab_page, store):
    lab = lab_page("teacher")
    lab.choose("You are", "learner")
    lab.press("It is +")
    assert len(lab.numbers["labels"]) == 1
    assert "hidden" not in lab.numbers
    lab.handle("your w at").focus()
    lab.key("ArrowUp")
    assert lab.link_state["your_w"][1] > 0
    lab.drag(lab.link_state["your_w"], (-0.9, 0.3))
    for _ in range(19):
        lab.press("Answer with my w")
    assert lab.button("It is +").is_disabled()
    assert "The game is over" in lab.result.text_content()
    assert lab.numbers == lab.of_python
    assert len(lab.numbers["hidden"]) == 2
    assert sum(lab.numbers["your_mistakes"]) < 10
    store(lab.page, "chapter-teacher-learner")


def test_a_point_is_dragged_added_and_removed(lab_page):
    lab = lab_page("curve")
    points = CHAPTERS["curve"].answer().picture["points"]
    lab.drag(points[4], (points[4][0], 1.5))
    moved = lab.link_state["points"]
    assert moved[4] == pytest.approx([points[4][0], 1.5], abs=0.03)
    assert moved[:4] + moved[5:] == points[:4] + points[5:]
    assert lab.numbers == lab.of_python
    lab.click_at(0.2, -1.0)
    assert lab.link_state["points"][-1] == pytest.approx([0.2, -1.0], abs=0.03)
    lab.press("Remove last point")
    assert lab.link_state["points"] == moved
    lab.handle("point 5 at").focus()
    lab.key("Delete")
    assert lab.link_state["points"] == moved[:4] + moved[5:]
    lab.key("ArrowUp")
    assert lab.link_state["points"][4][1] > moved[5][1]
    assert lab.numbers == lab.of_python


def test_balls_are_put_in_and_drawn(lab_page, store):
    lab = lab_page("probability")
    store(lab.page, "chapter-probability")
    lab.press("Draw green")
    assert lab.link_state["drawn"] == ["red", "green"]
    lab.field("green balls in box 2").fill("6")
    lab.key("Tab")
    assert lab.link_state["counts"] == [[2, 3, 1], [3, 6, 0]]
    assert lab.numbers == lab.of_python
    assert sum(map(Fraction, lab.numbers["posterior"].values())) == 1
    shown = lab.table("Bayes’ rule, step by step")
    assert lab.numbers["posterior"]["box 1"] in shown.inner_text()


SPAM = "words,links,kind\n" + "".join(
    f"{i * 3 % 17},{i * i % 13 + 20 * (i % 2)},{['ham', 'spam'][i % 2]}\n" for i in range(40)
)


DROP = """([name, text]) => {
  const files = new DataTransfer();
  files.items.add(new File([text], name));
  for (const kind of ["dragover", "drop"]) {
    const given = { dataTransfer: files, bubbles: true, cancelable: true };
    document.body.dispatchEvent(new DragEvent(kind, given));
  }
}"""


def drop_file(lab, text, name="mail.csv"):
    lab.after(lambda: lab.page.evaluate(DROP, [name, text]))


def test_a_dropped_file_is_drawn_and_opens_in_another_chapter(lab_page, store):
    lab = lab_page("data")
    asked = []
    lab.page.on("request", lambda request: asked.append(request.url))
    drop_file(lab, SPAM)
    assert lab.field("Label").input_value() == "kind"
    assert lab.caption.startswith("mail.csv: 40 rows, 3 columns. + is spam (20 rows), − is ham (20 rows).")
    assert lab.numbers["separable"] is True
    store(lab.page, "lab-data-dropped")
    link = lab.page.locator(".opens a", has_text="Step by step")
    carried = json.loads(unquote(link.get_attribute("href").partition("#")[2]))
    assert carried["points"] == lab.numbers["points"]
    points = lab.numbers["points"]
    link.click()
    lab.page.wait_for_selector("section.replay")
    assert (lab.ready().state["points"], lab.numbers["separated"]) == (points, True)
    assert {url.split("/")[2] for url in asked} == {lab.page.url.split("/")[2]}, (
        "nothing leaves the machine"
    )
