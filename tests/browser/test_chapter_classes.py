"""More than two classes, as a person uses it: classes chosen and drawn, ways of learning changed."""

from __future__ import annotations

import json

import pytest

from rosenblatt.lab.chapters import CHAPTERS

CLASSES = CHAPTERS["classes"]


def ready(page):
    page.wait_for_selector('main[data-answers][data-busy="false"]')
    return page


def after(page, act):
    """Do something, and wait for the answer to it."""
    before = page.get_attribute("main", "data-answers")
    act()
    page.wait_for_selector(f'main[data-busy="false"]:not([data-answers="{before}"])')


def choose(page, label, value):
    after(page, lambda: page.get_by_label(label, exact=True).select_option(value))


def load(page, name):
    after(page, lambda: page.locator("#controls select").first.select_option(label=name))


def numbers(page):
    return json.loads(page.get_attribute("main", "data-numbers"))


def state(page):
    return page.evaluate("lab.state")


def caption(page):
    return page.locator("#picture > p").first.inner_text()


def click_at(page, x, y):
    page.locator("#picture .plane").scroll_into_view_if_needed()
    left, top = page.evaluate(
        "([x, y]) => { const plane = lab.view.plane(), box = plane.canvas.element.getBoundingClientRect();"
        " return [box.left + plane.x(x), box.top + plane.y(y)]; }",
        [x, y],
    )
    page.mouse.click(left, top)


def test_three_in_a_row_are_learned_only_together(opened, lab_address, store):
    page = ready(opened(f"{lab_address}/classes"))
    load(page, "three in a row")
    assert numbers(page)["wrong"] == [2, 3]
    assert "No line divides class 1 from the rest (proved)" in caption(page)
    assert "Thick ring: the largest score is shared." in page.locator("#picture .quiet").inner_text()
    store(page, "chapter-classes-row")
    choose(page, "Way", "ultraconservative")
    assert numbers(page) == CLASSES.answer(state(page)).numbers
    assert (numbers(page)["mistakes"], numbers(page)["wrong"]) == (9, [])
    choose(page, "Who loses x", "uniform")
    assert numbers(page) == CLASSES.answer(state(page)).numbers
    table = page.get_by_role("region", name="Answers")
    assert table.locator("tbody tr").first.inner_text().split() == ["0", "2", "0", "0"]


@pytest.mark.parametrize("name", ["five in a circle", "one inside", "on both sides", "two classes"])
@pytest.mark.parametrize("way", ["one_vs_rest", "ultraconservative", "kernel"])
def test_every_set_of_points_is_shown_every_way(opened, lab_address, store, name, way):
    page = ready(opened(f"{lab_address}/classes"))
    load(page, name)
    if way != "one_vs_rest":
        choose(page, "Way", way)
    assert numbers(page) == CLASSES.answer(state(page)).numbers
    if way == "kernel":
        assert numbers(page)["wrong"] == []
    store(page, f"chapter-classes-{name.replace(' ', '-')}-{way}")


def test_a_new_class_is_drawn_with_the_mouse(opened, lab_address):
    page = ready(opened(f"{lab_address}/classes"))
    page.get_by_role("radio", name="4").check()
    for at in ([2, -2], [2.5, -1.5]):
        after(page, lambda at=at: click_at(page, *at))
    assert state(page)["labels"][-2:] == [4, 4]
    assert len(numbers(page)["confusion"]) == 4
    assert numbers(page) == CLASSES.answer(state(page)).numbers
    after(page, lambda: click_at(page, *state(page)["points"][-1]))
    assert state(page)["labels"][-2:] == [2, 4]
    other = ready(opened(page.url))
    assert numbers(other) == numbers(page)


def test_classes_are_drawn_with_keys_only(opened, lab_address):
    page = ready(opened(f"{lab_address}/classes"))
    page.get_by_role("button", name="Remove all").focus()
    after(page, lambda: page.keyboard.press("Enter"))
    assert "there is no point yet" in page.locator("#trouble").inner_text()
    page.get_by_role("radio", name="0").focus()
    for x in ("-1", "0", "1"):
        page.get_by_label("x₁", exact=True).focus()
        page.keyboard.press("Control+A")
        page.keyboard.type(x)
        page.get_by_role("button", name="Add this point").focus()
        after(page, lambda: page.keyboard.press("Enter"))
        page.locator("input[type=radio]:checked").focus()
        page.keyboard.press("ArrowRight")
    assert state(page)["points"] == [[-1, 0], [0, 0], [1, 0]]
    assert state(page)["labels"] == [0, 1, 2]
    assert numbers(page)["separable"] == [True, False, True]


def test_one_class_alone_is_refused_with_what_to_do(opened, lab_address):
    page = ready(opened(f'{lab_address}/classes#{{"points":[[1,1]],"labels":[2]}}'))
    assert "choose another class and add a point" in page.locator("#trouble").inner_text()
    assert page.get_by_role("region", name="Each class").is_hidden()
    after(page, lambda: click_at(page, -1, -1))
    assert page.locator("#trouble").is_hidden()
