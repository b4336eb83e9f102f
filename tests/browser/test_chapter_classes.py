"""More than two classes, as a person uses it: classes chosen and drawn, ways of learning changed."""

from __future__ import annotations

import pytest

from rosenblatt.course.lab.chapters import CHAPTERS

CLASSES = CHAPTERS["classes"]


def test_three_in_a_row_are_learned_only_together(lab_page, store):
    lab = lab_page("classes")
    lab.load("three in a row")
    assert lab.numbers["wrong"] == [2, 3]
    assert "No line separates class 1 from the rest (proved)" in lab.caption
    assert "Thick ring: a tie for the largest score." in lab.page.locator("#picture .quiet").inner_text()
    store(lab.page, "chapter-classes-row")
    lab.choose("Method", "ultraconservative")
    assert lab.numbers == CLASSES.answer(lab.state).numbers
    assert (lab.numbers["mistakes"], lab.numbers["wrong"]) == (9, [])
    lab.choose("x is subtracted from", "uniform")
    assert lab.numbers == CLASSES.answer(lab.state).numbers
    table = lab.table("Confusion matrix")
    assert table.locator("tbody tr").first.inner_text().split() == ["0", "2", "0", "0"]


@pytest.mark.parametrize("name", ["five in a circle", "one inside", "on both sides", "two classes"])
@pytest.mark.parametrize("way", ["one_vs_rest", "ultraconservative", "kernel"])
def test_every_set_of_points_is_shown_every_way(lab_page, store, name, way):
    lab = lab_page("classes")
    lab.load(name)
    if way != "one_vs_rest":
        lab.choose("Method", way)
    assert lab.numbers == CLASSES.answer(lab.state).numbers
    if way == "kernel":
        assert lab.numbers["wrong"] == []
    store(lab.page, f"chapter-classes-{name.replace(' ', '-')}-{way}")


def test_a_new_class_is_drawn_with_the_mouse(lab_page):
    lab = lab_page("classes")
    lab.page.get_by_role("radio", name="4").check()
    for at in ([2, -2], [2.5, -1.5]):
        lab.click_at(*at)
    assert lab.state["labels"][-2:] == [4, 4]
    assert len(lab.numbers["confusion"]) == 4
    assert lab.numbers == CLASSES.answer(lab.state).numbers
    lab.click_at(*lab.state["points"][-1])
    assert lab.state["labels"][-2:] == [2, 4]
    other = lab.reopen()
    assert other.numbers == lab.numbers
