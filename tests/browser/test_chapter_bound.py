"""The bound, as a person at the page: dragging the handles, drawing points, taking the proof away."""

from __future__ import annotations

import re

import pytest

from rosenblatt import Proof, verify
from rosenblatt.course.lab.chapters import CHAPTERS


def test_dragging_the_margin_to_half_its_height_makes_the_bound_four_times_as_large(lab_page, store):
    lab = lab_page("bound")
    half = lab.page.evaluate(
        "(() => { const box = document.querySelector('.plane canvas').getBoundingClientRect();"
        " return (box.height - 34) / (2 * 1.12 * 4) / 2; })()"
    )
    lab.pull("margin γ at", 0, half)
    assert lab.changes["ideal_margin"] == pytest.approx(0.5, abs=0.04)
    assert lab.numbers == lab.of_python
    assert lab.numbers["expected"] == pytest.approx(16 / lab.changes["ideal_margin"] ** 2)
    store(lab.page, "bound")


def test_a_line_away_from_the_origin_has_a_larger_bound_by_the_keys_too(lab_page):
    lab = lab_page("bound")
    lab.handle("the line, at distance d").focus()
    for _ in range(4):
        lab.key("ArrowUp")
    shown = lab.numbers
    assert lab.changes["ideal_distance"] > 0
    assert shown["expected"] == 16
    assert shown["allowed"] > 17
    assert shown == lab.of_python
    lab.after(lambda: lab.field("with an offset b").uncheck())
    assert lab.numbers["allowed"] == 16
    assert lab.handle("the line, at distance d").count() == 0


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


def test_points_are_added_and_removed_with_the_mouse(lab_page):
    lab = lab_page("bound")
    margin = lab.numbers["margin"][0]
    lab.click_at(2, 1.6)
    start = CHAPTERS["bound"].start
    assert lab.changes["points"][:-1] == start["points"]
    assert lab.changes["points"][-1] == pytest.approx([2, 1.6], abs=0.03)
    lab.click_at(1.5, 0.8)
    assert lab.changes["labels"] == [*start["labels"], 1, 1]
    assert lab.numbers["margin"][0] < margin
    assert lab.numbers == lab.of_python
    lab.click_at(*lab.changes["points"][-1])
    lab.click_at(*lab.changes["points"][-1])
    assert lab.changes == {}
    assert lab.numbers["margin"][0] == margin


def test_the_proof_is_a_file_that_holds(lab_page):
    lab = lab_page("bound")
    lab.page.get_by_text("The proof as a file").click()
    with lab.page.expect_download() as coming:
        lab.button("Download the proof").click()
    proof = Proof.load(coming.value.path())
    start = CHAPTERS["bound"].start
    assert verify(proof, start["points"], start["labels"]).margin[0] == lab.numbers["margin"][0]


def test_everything_can_be_done_with_keys_and_shared_as_a_link(lab_page):
    lab = lab_page("bound")
    lab.enter("Remove all")
    assert "there is no point yet" in lab.trouble.inner_text()
    choice = lab.field("Click adds a point of")
    for key, x, y in (("ArrowUp", "1", "2"), ("ArrowDown", "-1", "0.5")):
        choice.focus()
        lab.page.keyboard.press(key)
        for label, text in (("x₁", x), ("x₂", y)):
            lab.type_text(label, text)
        lab.enter("Add point")
    assert (lab.changes["points"], lab.changes["labels"]) == ([[1, 2], [-1, 0.5]], [1, -1])
    assert lab.trouble.is_hidden()
    assert lab.numbers["separable"] is True
    other = lab.reopen()
    assert other.numbers == lab.numbers == lab.of_python
