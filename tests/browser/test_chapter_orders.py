"""Order, averaging, voting, as a person at the page: choosing orders and keepers, drawing points."""

from __future__ import annotations

import json
from urllib.parse import unquote

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
    return json.loads(json.dumps(finite(dict(CHAPTERS["orders"].answer(state(page)).numbers))))


def click_at(page, point, press=None):
    page.evaluate("window.lab.view.plane().element.scrollIntoView({block: 'center'})")
    left, top = page.evaluate(
        """([x, y]) => { const plane = window.lab.view.plane();
        const box = plane.canvas.element.getBoundingClientRect();
        return [box.left + plane.x(x), box.top + plane.y(y)]; }""",
        point,
    )
    (press or page.mouse.click)(left, top)


def choose(page, label, value):
    page.get_by_label(label, exact=True).select_option(value)


def test_another_order_is_chosen_in_the_chart(opened, lab_address, store):
    page = ready(opened(f"{lab_address}/orders"))
    store(page, "orders")
    chart = page.get_by_role("img", name="Points wrong at the end in each of 20 orders")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    after(page, lambda: page.mouse.click(box["x"] + 0.6 * box["width"], box["y"] + box["height"] / 2))
    run = state(page)["run"]
    assert run in (10, 11, 12)
    shown = numbers(page)
    assert shown == of_python(page)
    assert shown["boundaries"]["last"] == shown["lines"][run]
    assert page.get_by_label("Which of them").input_value() == str(run)


def test_the_table_has_the_errors_of_all_keepers(opened, lab_address):
    page = ready(opened(f"{lab_address}/orders"))
    rows = page.get_by_role("region", name="Points wrong at the end: here, and over all orders").locator(
        "tbody tr"
    )
    assert [row.split() for row in rows.all_inner_texts()] == [
        ["last", "19", "3", "5", "19"],
        ["averaged", "4", "4", "4", "4"],
        ["voted", "4", "3", "4", "4"],
        ["pocket", "3", "3", "3", "4"],
    ]


def test_the_thin_lines_draw_together_where_they_are_averaged(opened, lab_address, store):
    page = ready(opened(f"{lab_address}/orders"))
    after(page, lambda: choose(page, "Thin lines of", "averaged"))
    assert numbers(page) == of_python(page)
    assert max(numbers(page)["margins"]) - min(numbers(page)["margins"]) < 1
    store(page, "orders-averaged")


def test_settings_are_changed_with_keys_and_carried_by_the_link(opened, lab_address):
    page = ready(opened(f"{lab_address}/orders"))
    page.get_by_label("Passes").focus()
    after(page, lambda: page.keyboard.press("ArrowRight"))
    page.get_by_label("Orders", exact=True).focus()
    after(page, lambda: page.keyboard.press("Home"))
    assert state(page) == {"epochs": 6, "orders": 2, "run": 1}
    after(page, lambda: choose(page, "Order", "by class"))
    after(page, lambda: choose(page, "Rule", "forgetting"))
    after(page, lambda: choose(page, "Start", "unit"))
    after(page, lambda: page.get_by_label("with an offset b").uncheck())
    assert page.get_by_label("Which of them").is_hidden()
    other = ready(opened(page.url))
    assert numbers(other) == numbers(page) == of_python(page)


def test_points_are_drawn_with_the_mouse_from_an_empty_plane(opened, lab_address):
    page = ready(opened(f"{lab_address}/orders"))
    after(page, lambda: page.get_by_role("button", name="Remove all").click())
    assert "there is no point yet" in page.locator("#trouble").inner_text()
    after(page, lambda: click_at(page, [1, 1]))
    assert "all points are +" in page.locator("#trouble").inner_text()
    choose(page, "A click adds a point of", "-1")
    after(page, lambda: click_at(page, [-1, 0.5]))
    assert state(page)["labels"] == [1, -1]
    assert numbers(page) == of_python(page)
    assert numbers(page)["wrong"]["last"] == 0
    after(page, lambda: click_at(page, state(page)["points"][0]))
    assert "all points are −" in page.locator("#trouble").inner_text()


def test_room_between_the_classes_and_the_notes_are_buttons(opened, lab_address, store):
    page = ready(opened(f"{lab_address}/orders"))
    after(page, lambda: page.get_by_role("button", name="Room between the classes").click())
    assert set(numbers(page)["accuracy"]["last"]) == {1}
    store(page, "orders-room")
    after(page, lambda: page.get_by_role("button", name="Three points of the notes").click())
    assert numbers(page)["different"] == 2
    assert numbers(page) == of_python(page)


def test_on_a_phone_in_the_dark(opened, lab_address, store, serious):
    page = ready(opened(f"{lab_address}/orders", dark=True, **PHONE))
    after(page, lambda: click_at(page, [2, 2.4], press=page.touchscreen.tap))
    assert len(state(page)["points"]) == 37
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert serious(page) == []
    store(page, "orders-phone")
