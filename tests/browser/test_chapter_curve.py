"""Curve fitting, as a person at the page: dragging points, sliders, and the charts."""

from __future__ import annotations

import json
import re
from urllib.parse import quote, unquote

import pytest

from rosenblatt.lab.chapters import CHAPTERS
from rosenblatt.lab.server import finite

CHAPTER = CHAPTERS["curve"]
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


def test_the_degree_slider_leads_from_overfitting_to_a_good_curve(opened, lab_address, store):
    page = ready(opened(f"{lab_address}/curve"))
    store(page, "chapter-curve")
    overfitted = numbers(page)["errors"][1]
    after(page, lambda: page.get_by_label("Degree M").fill("3"))
    assert numbers(page) == of_python(page)
    assert numbers(page)["errors"][1] < overfitted / 2
    assert len(numbers(page)["coefficients"]) == 4
    assert page.locator("#controls tbody tr").count() == 4


def test_a_point_is_dragged_added_and_removed(opened, lab_address):
    page = ready(opened(f"{lab_address}/curve"))
    points = CHAPTER.answer().picture["points"]
    after(page, lambda: drag(page, points[4], (points[4][0], 1.5)))
    moved = state(page)["points"]
    assert moved[4] == pytest.approx([points[4][0], 1.5], abs=0.03)
    assert moved[:4] + moved[5:] == points[:4] + points[5:]
    assert numbers(page) == of_python(page)
    after(page, lambda: page.mouse.click(*place(page, 0.2, -1.0)))
    assert state(page)["points"][-1] == pytest.approx([0.2, -1.0], abs=0.03)
    after(page, lambda: page.get_by_role("button", name="Remove the last point").click())
    assert state(page)["points"] == moved
    page.get_by_role("button", name=re.compile("^point 5 at")).focus()
    after(page, lambda: page.keyboard.press("Delete"))
    assert state(page)["points"] == moved[:4] + moved[5:]
    after(page, lambda: page.keyboard.press("ArrowUp"))
    assert state(page)["points"][4][1] > moved[5][1]
    assert numbers(page) == of_python(page)


def test_the_penalty_is_set_by_slider_chart_and_choice(opened, lab_address):
    page = ready(opened(f"{lab_address}/curve"))
    after(page, lambda: page.get_by_label("λ", exact=True).fill("13"))
    assert state(page)["l2"] == 1e-3
    assert numbers(page) == of_python(page)
    after(page, lambda: page.get_by_label("Choose λ on held-out points").check())
    assert numbers(page) == of_python(page)
    assert "had the smallest error on points that were held out" in page.locator("#said").text_content()
    chart = page.locator("#picture .chart canvas").nth(1)
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    after(page, lambda: page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
    assert state(page)["auto"] is False
    assert 1e-6 <= state(page)["l2"] <= 1e-3
    assert numbers(page) == of_python(page)


def test_a_link_carries_points_degree_and_penalty(opened, lab_address):
    changes = {"points": [[-1, 0.5], [0, -0.5], [0.5, 1]], "degree": 2, "l2": 0.3}
    page = ready(opened(f"{lab_address}/curve#{quote(json.dumps(changes))}"))
    assert state(page) == {**CHAPTER.start, **changes}
    assert numbers(page) == of_python(page)
    assert page.get_by_label("Degree M").input_value() == "2"


def test_the_last_point_stays(opened, lab_address):
    page = ready(opened(f"{lab_address}/curve"))
    after(page, lambda: page.get_by_label("Points N").fill("1"))
    page.get_by_role("button", name="Remove the last point").click()
    page.wait_for_timeout(200)
    assert page.locator("#trouble").is_hidden()
    after(page, lambda: page.get_by_label("Choose λ on held-out points").check())
    assert "more points" in page.locator("#trouble").inner_text()
    after(page, lambda: page.get_by_label("Points N").fill("5"))
    assert page.locator("#trouble").is_hidden()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_forty_points_on_a_phone(opened, lab_address, serious, store, dark):
    link = quote(json.dumps({"n_points": 40, "degree": 20, "auto": True}))
    page = ready(opened(f"{lab_address}/curve#{link}", dark=dark, **PHONE))
    page.wait_for_timeout(200)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert serious(page) == []
    store(page, f"chapter-curve-phone-{'dark' if dark else 'light'}")
