"""Teacher against learner, as a person at the page: presenting, answering, and watching."""

from __future__ import annotations

import json
import re
from urllib.parse import quote, unquote

import pytest

from rosenblatt.lab.chapters import CHAPTERS
from rosenblatt.lab.server import finite

CHAPTER = CHAPTERS["teacher"]
PHONE = {"width": 390, "height": 844, "has_touch": True}


def ready(page):
    page.wait_for_selector("main[data-answers]")
    return page


def after(page, act):
    """Do something, and wait for the last answer to it."""
    before = page.get_attribute("main", "data-answers")
    act()
    page.wait_for_selector(f'main[data-busy="false"]:not([data-answers="{before}"])')
    page.wait_for_timeout(150)
    page.wait_for_selector('main[data-busy="false"]')


def numbers(page):
    return json.loads(page.get_attribute("main", "data-numbers"))


def state(page):
    """The state that the link of the page carries: what differs from the start."""
    return {**CHAPTER.start, **json.loads(unquote(page.url.partition("#")[2]) or "{}")}


def of_python(page):
    """What Python says to the state in the link."""
    return json.loads(json.dumps(finite(dict(CHAPTER.answer(state(page)).numbers))))


def place(page, x, y):
    """Where on the screen a point of the picture is."""
    page.evaluate("window.lab.view.plane().element.scrollIntoView({block: 'center'})")
    return page.evaluate(
        """([x, y]) => { const plane = window.lab.view.plane();
        const box = plane.canvas.element.getBoundingClientRect();
        return [box.left + plane.x(x), box.top + plane.y(y)]; }""",
        [x, y],
    )


def drag(page, start, end):
    page.mouse.move(*place(page, *start))
    page.mouse.down()
    page.mouse.move(*place(page, *end), steps=6)
    page.mouse.up()


def side(page, value):
    after(page, lambda: page.get_by_label("You are").select_option(value))


def test_a_click_presents_a_challenge_and_a_click_on_it_takes_it_back(opened, lab_address, store):
    page = ready(opened(f"{lab_address}/teacher"))
    after(page, lambda: page.get_by_role("button", name="Remove all").click())
    assert numbers(page)["X"] == []
    for x, y in ((0.5, 0.5), (-0.6, -0.4), (0.9, -0.3)):
        after(page, lambda x=x, y=y: page.mouse.click(*place(page, x, y)))
    assert [x for x, _ in state(page)["challenges"]] == pytest.approx([0.5, -0.6, 0.9], abs=0.02)
    assert numbers(page) == of_python(page)
    assert len(numbers(page)["X"]) == 3
    assert "Round 3 of 3" in page.locator("#said").text_content()
    store(page, "chapter-teacher")
    after(page, lambda: page.mouse.click(*place(page, -0.6, -0.4)))
    assert len(state(page)["challenges"]) == 2
    assert numbers(page) == of_python(page)


def test_dragging_the_secret_separator_labels_anew(opened, lab_address):
    page = ready(opened(f"{lab_address}/teacher"))
    before = numbers(page)["y"]
    after(page, lambda: drag(page, (0.8, 0.6), (-0.8, -0.6)))
    assert state(page)["separator"] == pytest.approx([-0.8, -0.6], abs=0.02)
    assert numbers(page) == of_python(page)
    assert numbers(page)["y"] == [-label for label in before]


def test_labels_given_one_by_one_with_keys_only(opened, lab_address):
    page = ready(opened(f"{lab_address}/teacher"))
    page.get_by_label("Labels are given").focus()
    after(page, lambda: page.keyboard.press("ArrowDown"))
    page.get_by_role("button", name="Remove all").focus()
    after(page, lambda: page.keyboard.press("Enter"))
    for label, x in ((None, "0.5"), ("ArrowDown", "0.5")):
        if label:
            page.get_by_label("Label of the next one").focus()
            page.keyboard.press(label)
        page.get_by_label("x₁").fill(x)
        page.keyboard.press("Tab")
        page.get_by_role("button", name="Present the challenge").focus()
        after(page, lambda: page.keyboard.press("Enter"))
    assert state(page)["challenges"] == [[0.5, 0.5], [0.5, 0.5]]
    assert state(page)["labels"] == [1, -1]
    assert numbers(page)["bound"] is None
    assert "No line through the origin" in page.locator("#said").text_content()


def test_an_earlier_round_can_be_shown_and_the_link_keeps_it(opened, lab_address):
    page = ready(opened(f"{lab_address}/teacher"))
    after(page, lambda: page.get_by_label("Round shown").fill("4"))
    assert "Round 4 of 8" in page.locator("#said").text_content()
    other = ready(opened(page.url))
    assert other.locator("#said").text_content() == page.locator("#said").text_content()
    assert other.get_by_label("Round shown").input_value() == "4"


def test_a_game_as_the_learner_to_its_end(opened, lab_address, store):
    page = ready(opened(f"{lab_address}/teacher"))
    side(page, "learner")
    after(page, lambda: page.get_by_role("button", name="It is +").click())
    assert len(numbers(page)["labels"]) == 1
    assert "hidden" not in numbers(page)
    w = page.get_by_role("button", name=re.compile("^your w at"))
    w.focus()
    after(page, lambda: page.keyboard.press("ArrowUp"))
    assert state(page)["your_w"][1] > 0
    after(page, lambda: drag(page, state(page)["your_w"], (-0.9, 0.3)))
    for _ in range(19):
        after(page, lambda: page.get_by_role("button", name="Answer by my w").click())
    assert page.get_by_role("button", name="It is +").is_disabled()
    assert "The game is over" in page.locator("#said").text_content()
    assert numbers(page) == of_python(page)
    assert len(numbers(page)["hidden"]) == 2
    assert sum(numbers(page)["your_mistakes"]) < 10
    store(page, "chapter-teacher-learner")


def test_the_witness_sees_the_rounds_go_by(opened, lab_address, store):
    page = ready(opened(f"{lab_address}/teacher#{quote(json.dumps({'side': 'adversary', 'margin': 0.3}))}"))
    assert numbers(page) == of_python(page)
    page.get_by_role("button", name="Play the rounds").click()
    page.get_by_role("button", name="Pause").wait_for()
    page.get_by_role("button", name="Play the rounds").wait_for(timeout=20_000)
    assert page.get_by_label("Round shown").input_value() == str(numbers(page)["mistakes"])
    after(page, lambda: page.get_by_label("Features").fill("2"))
    assert numbers(page)["mistakes"] == 2
    store(page, "chapter-teacher-adversary")


@pytest.mark.parametrize("kind", ["teacher", "learner", "adversary"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_side_fits_a_phone_and_axe_finds_nothing_serious(opened, lab_address, serious, kind, dark):
    link = quote(json.dumps({"side": kind}))
    page = ready(opened(f"{lab_address}/teacher#{link}", dark=dark, **PHONE))
    page.wait_for_timeout(200)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert serious(page) == []


def test_a_challenge_is_presented_by_a_tap(opened, lab_address):
    page = ready(opened(f"{lab_address}/teacher", **PHONE))
    after(page, lambda: page.touchscreen.tap(*place(page, -0.2, -0.9)))
    assert state(page)["challenges"][-1] == pytest.approx([-0.2, -0.9], abs=0.03)
    assert numbers(page) == of_python(page)
