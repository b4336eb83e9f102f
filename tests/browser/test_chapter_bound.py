"""The bound, as a person at the page: dragging the handles, drawing points, taking the proof away."""

from __future__ import annotations

import json
import re
from urllib.parse import unquote

import pytest

from rosenblatt import Proof, verify
from rosenblatt.lab.chapters import CHAPTERS
from rosenblatt.lab.server import finite

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
    """The state that the link of the page carries."""
    return json.loads(unquote(page.url.partition("#")[2]) or "{}")


def of_python(page):
    """What Python says to the state in the link."""
    return json.loads(json.dumps(finite(dict(CHAPTERS["bound"].answer(state(page)).numbers))))


def click_at(page, point, press=None):
    page.evaluate("window.lab.view.plane().element.scrollIntoView({block: 'center'})")
    left, top = page.evaluate(
        """([x, y]) => { const plane = window.lab.view.plane();
        const box = plane.canvas.element.getBoundingClientRect();
        return [box.left + plane.x(x), box.top + plane.y(y)]; }""",
        point,
    )
    (press or page.mouse.click)(left, top)


def drag(page, name, right, down):
    box = page.get_by_role("button", name=re.compile(name)).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right, y + down, steps=6)
    page.mouse.up()


def test_dragging_the_margin_to_half_its_height_makes_the_bound_four_times_as_large(
    opened, lab_address, store
):
    page = ready(opened(f"{lab_address}/bound"))
    half = page.evaluate(
        "(() => { const box = document.querySelector('.plane canvas').getBoundingClientRect();"
        " return (box.height - 34) / (2 * 1.12 * 4) / 2; })()"
    )
    after(page, lambda: drag(page, "^margin γ at", 0, half))
    assert state(page)["ideal_margin"] == pytest.approx(0.5, abs=0.04)
    assert numbers(page) == of_python(page)
    assert numbers(page)["expected"] == pytest.approx(16 / state(page)["ideal_margin"] ** 2)
    store(page, "bound")


def test_the_handles_stay_where_points_of_both_classes_have_room(opened, lab_address):
    page = ready(opened(f"{lab_address}/bound"))
    after(page, lambda: drag(page, "^margin γ at", 0, -900))
    after(page, lambda: drag(page, "^radius R at", -900, 0))
    assert page.locator("#trouble").is_hidden()
    assert numbers(page) == of_python(page)
    sizes = {**CHAPTERS["bound"].start, **state(page)}
    assert sizes["ideal_margin"] <= sizes["ideal_radius"]


def test_a_line_away_from_the_origin_has_a_larger_bound_by_the_keys_too(opened, lab_address):
    page = ready(opened(f"{lab_address}/bound"))
    page.get_by_role("button", name=re.compile("^the line, at distance d")).focus()
    for _ in range(4):
        after(page, lambda: page.keyboard.press("ArrowUp"))
    shown = numbers(page)
    assert state(page)["ideal_distance"] > 0
    assert shown["expected"] == 16
    assert shown["allowed"] > 17
    assert shown == of_python(page)
    after(page, lambda: page.get_by_label("with an offset b").uncheck())
    assert numbers(page)["allowed"] == 16
    assert page.get_by_role("button", name=re.compile("^the line, at distance d")).count() == 0


def test_the_two_points_that_take_203_mistakes_are_a_button(opened, lab_address, store):
    page = ready(opened(f"{lab_address}/bound"))
    after(page, lambda: page.get_by_role("button", name="x = 0 (+) and x = 0.1 (−)").click())
    table = page.get_by_role("region", name="Radius, margin, bound").inner_text()
    assert re.search(r"\(R/γ\)²\s+4\s+405\.01", table)
    assert re.search(r"mistakes made\s+203", table)
    after(page, lambda: page.get_by_role("button", name="The circle and band of these points").click())
    assert numbers(page)["allowed"] == pytest.approx(405, rel=0.01)
    assert numbers(page) == of_python(page)
    store(page, "bound-203")


def test_points_are_added_and_removed_with_the_mouse(opened, lab_address):
    page = ready(opened(f"{lab_address}/bound"))
    margin = numbers(page)["margin"][0]
    after(page, lambda: click_at(page, [2, 1.6]))
    start = CHAPTERS["bound"].start
    assert state(page)["points"][:-1] == start["points"]
    assert state(page)["points"][-1] == pytest.approx([2, 1.6], abs=0.03)
    after(page, lambda: click_at(page, [1.5, 0.8]))
    assert state(page)["labels"] == [*start["labels"], 1, 1]
    assert numbers(page)["margin"][0] < margin
    assert numbers(page) == of_python(page)
    after(page, lambda: click_at(page, state(page)["points"][-1]))
    after(page, lambda: click_at(page, state(page)["points"][-1]))
    assert state(page) == {}
    assert numbers(page)["margin"][0] == margin


def test_xor_shows_the_points_that_cancel(opened, lab_address, store):
    page = ready(opened(f"{lab_address}/bound"))
    after(page, lambda: page.get_by_role("button", name="XOR").click())
    table = page.get_by_role("region", name="Points that cancel each other").inner_text()
    assert table.count("50 %") == 4
    assert "this run never ends" in page.locator("#said").inner_text()
    assert page.get_by_role("region", name="The proof, mistake by mistake").count() == 0
    assert numbers(page) == of_python(page)
    store(page, "bound-xor")


def test_the_proof_is_a_file_that_holds(opened, lab_address):
    page = ready(opened(f"{lab_address}/bound"))
    page.get_by_text("The proof, as a file that anyone can check").click()
    with page.expect_download() as coming:
        page.get_by_role("button", name="Download the proof").click()
    proof = Proof.load(coming.value.path())
    start = CHAPTERS["bound"].start
    assert verify(proof, start["points"], start["labels"]).margin[0] == numbers(page)["margin"][0]


def test_everything_can_be_done_with_keys_and_shared_as_a_link(opened, lab_address):
    page = ready(opened(f"{lab_address}/bound"))
    page.get_by_role("button", name="Remove all").focus()
    after(page, lambda: page.keyboard.press("Enter"))
    assert "there is no point yet" in page.locator("#trouble").inner_text()
    choice = page.get_by_label("A click adds a point of")
    for key, x, y in (("ArrowUp", "1", "2"), ("ArrowDown", "-1", "0.5")):
        choice.focus()
        page.keyboard.press(key)
        for label, text in (("x₁", x), ("x₂", y)):
            page.get_by_label(label, exact=True).focus()
            page.keyboard.press("Control+A")
            page.keyboard.type(text)
            page.keyboard.press("Tab")
        page.get_by_role("button", name="Add this point").focus()
        after(page, lambda: page.keyboard.press("Enter"))
    assert (state(page)["points"], state(page)["labels"]) == ([[1, 2], [-1, 0.5]], [1, -1])
    assert page.locator("#trouble").is_hidden()
    assert numbers(page)["separable"] is True
    other = ready(opened(page.url))
    assert numbers(other) == numbers(page) == of_python(page)


def test_a_cross_that_keys_move_adds_a_point(opened, lab_address):
    page = ready(opened(f"{lab_address}/bound"))
    page.get_by_role("button", name=re.compile("^a point to be at")).focus()
    for key in ("Shift+ArrowUp", "Shift+ArrowUp", "Shift+ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    after(page, lambda: page.keyboard.press("Enter"))
    assert len(state(page)["points"]) == len(CHAPTERS["bound"].start["points"]) + 1


def test_on_a_phone_a_tap_adds_a_point(opened, lab_address, store, serious):
    page = ready(opened(f"{lab_address}/bound", dark=True, **PHONE))
    after(page, lambda: click_at(page, [3, 3.4], press=page.touchscreen.tap))
    assert len(state(page)["points"]) == len(CHAPTERS["bound"].start["points"]) + 1
    assert numbers(page) == of_python(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert serious(page) == []
    store(page, "bound-phone")


def test_a_link_with_nonsense_is_answered_with_a_sentence(opened, lab_address):
    page = ready(opened(f'{lab_address}/bound#{{"points": "many", "ideal_radius": "wide"}}'))
    assert "ideal_radius: expected a number" in page.locator("#trouble").inner_text()
    page.get_by_role("spinbutton", name="radius R").fill("4")
    after(page, lambda: page.keyboard.press("Tab"))
    assert "points: expected a list" in page.locator("#trouble").inner_text()
    after(page, lambda: page.get_by_role("button", name="The points of the start").click())
    assert page.locator("#trouble").is_hidden()
