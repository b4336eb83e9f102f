"""Curve fitting, as a person at the page: dragging points, sliders, and the charts."""

from __future__ import annotations

import pytest

from rosenblatt.course.lab.chapters import CHAPTERS

CHAPTER = CHAPTERS["curve"]


def test_a_point_is_dragged_added_and_removed(lab_page):
    lab = lab_page("curve")
    points = CHAPTER.answer().picture["points"]
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


def test_the_penalty_is_set_by_slider_chart_and_choice(lab_page):
    lab = lab_page("curve")
    lab.fill("λ", "13")
    assert lab.link_state["l2"] == 1e-3
    assert lab.numbers == lab.of_python
    lab.after(lambda: lab.field("Choose λ on held-out points").check())
    assert lab.numbers == lab.of_python
    assert "had the smallest error in cross-validation" in lab.result.text_content()
    lab.click_in(lab.page.locator("#picture .chart canvas").nth(1), across=0.5)
    assert lab.link_state["auto"] is False
    assert 1e-6 <= lab.link_state["l2"] <= 1e-3
    assert lab.numbers == lab.of_python


def test_the_last_point_stays(lab_page):
    lab = lab_page("curve")
    lab.fill("Points N", "1")
    lab.button("Remove last point").click()
    lab.wait_for_drawing()
    assert lab.trouble.is_hidden()
    lab.after(lambda: lab.field("Choose λ on held-out points").check())
    assert "more points" in lab.trouble.inner_text()
    lab.fill("Points N", "5")
    assert lab.trouble.is_hidden()
