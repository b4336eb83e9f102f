"""Probability, as a person at the page: boxes are filled, balls drawn, observations dragged."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from urllib.parse import quote, unquote

import pytest

from rosenblatt.lab.chapters import CHAPTERS
from rosenblatt.lab.server import finite

CHAPTER = CHAPTERS["probability"]
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


def at_topic(page, topic):
    after(page, lambda: page.get_by_label("Topic").select_option(topic))


def test_balls_are_put_in_and_drawn(opened, lab_address, store):
    page = ready(opened(f"{lab_address}/probability"))
    store(page, "chapter-probability")
    after(page, lambda: page.get_by_role("button", name="Draw green").click())
    assert state(page)["drawn"] == ["red", "green"]
    page.get_by_label("green balls in box 2").fill("6")
    after(page, lambda: page.keyboard.press("Tab"))
    assert state(page)["counts"] == [[2, 3, 1], [3, 6, 0]]
    assert numbers(page) == of_python(page)
    assert sum(map(Fraction, numbers(page)["posterior"].values())) == 1
    shown = page.get_by_role("region", name="Bayes’ rule, step by step")
    assert numbers(page)["posterior"]["box 1"] in shown.inner_text()


def test_a_box_more_and_balls_drawn_unseen(opened, lab_address):
    page = ready(opened(f"{lab_address}/probability"))
    after(page, lambda: page.get_by_role("button", name="Add a box").click())
    after(page, lambda: page.get_by_role("button", name="Forget the draws").click())
    for n in range(12):
        after(page, lambda: page.get_by_role("button", name="Draw a ball").click())
        assert len(state(page)["drawn"]) == n + 1
    assert page.get_by_role("button", name="Draw a ball").is_disabled()
    assert len(numbers(page)["posterior"]) == 3
    assert numbers(page) == of_python(page)


def test_what_cannot_be_drawn_is_said(opened, lab_address):
    page = ready(opened(f"{lab_address}/probability"))
    page.get_by_label("blue balls in box 1").fill("0")
    after(page, lambda: page.keyboard.press("Tab"))
    after(page, lambda: page.get_by_role("button", name="Draw blue").click())
    assert "cannot come out of these boxes" in page.locator("#trouble").inner_text()
    after(page, lambda: page.get_by_role("button", name="Forget the draws").click())
    assert page.locator("#trouble").is_hidden()


def test_observations_and_the_mean_are_dragged(opened, lab_address, store):
    page = ready(opened(f"{lab_address}/probability"))
    at_topic(page, "gaussian")
    after(page, lambda: drag(page, (3.4, 0), (5.4, 0)))
    data = state(page)["data"]
    assert data[-1] == pytest.approx(5.4, abs=0.05)
    assert data[:-1] == CHAPTER.start["data"][:-1]
    assert numbers(page)["best_mean"] == pytest.approx(sum(data) / len(data))
    mean = page.get_by_role("button", name=re.compile("^μ at"))
    mean.focus()
    after(page, lambda: page.keyboard.press("ArrowRight"))
    assert state(page)["mean"] > 0
    assert numbers(page) == of_python(page)
    after(page, lambda: page.get_by_role("button", name="The likeliest μ and σ²").click())
    assert "there you are" in page.locator("#said").text_content()
    after(page, lambda: page.mouse.click(*place(page, -4.0, 0.1)))
    assert state(page)["data"][-1] == pytest.approx(-4.0, abs=0.05)
    store(page, "chapter-probability-gaussian")


def test_an_end_pulled_over_an_observation_makes_it_impossible(opened, lab_address, store):
    page = ready(opened(f"{lab_address}/probability"))
    at_topic(page, "uniform")
    after(page, lambda: drag(page, (4, 0.125), (2, 0.125)))
    assert state(page)["high"] == pytest.approx(2.0, abs=0.05)
    assert numbers(page)["log_likelihood"] is None
    assert "cannot happen" in page.locator("#said").text_content()
    after(page, lambda: page.get_by_role("button", name="The likeliest ends").click())
    assert numbers(page)["log_likelihood"] == numbers(page)["best_log_likelihood"]
    after(page, lambda: page.get_by_label("Whole numbers only").check())
    assert numbers(page) == of_python(page)
    store(page, "chapter-probability-uniform")


def test_trials_are_tossed_and_p_is_picked_on_the_curve(opened, lab_address, store):
    page = ready(opened(f"{lab_address}/probability"))
    at_topic(page, "bernoulli")
    after(page, lambda: page.get_by_role("button", name="Add a 1").click())
    after(page, lambda: page.get_by_role("button", name="Toss with this p").click())
    assert len(state(page)["trials"]) == 10
    chart = page.locator("#picture .chart canvas")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    after(page, lambda: page.mouse.click(box["x"] + box["width"] / 4, box["y"] + box["height"] / 2))
    assert 0.1 < state(page)["p"] < 0.3
    assert numbers(page) == of_python(page)
    store(page, "chapter-probability-bernoulli")


def test_points_of_two_numbers_are_added_and_dragged(opened, lab_address, store):
    page = ready(opened(f"{lab_address}/probability"))
    at_topic(page, "joint")
    before = numbers(page)["correlation"]
    after(page, lambda: page.mouse.click(*place(page, -3.0, 3.0)))
    assert numbers(page)["correlation"] < before
    after(page, lambda: drag(page, (-3.0, 3.0), (-3.0, -3.0)))
    assert state(page)["points"][-1] == pytest.approx([-3.0, -3.0], abs=0.05)
    assert numbers(page) == of_python(page)
    store(page, "chapter-probability-joint")
    after(page, lambda: page.get_by_role("button", name="Remove all").click())
    assert "there is no point yet" in page.locator("#trouble").inner_text()


@pytest.mark.parametrize("topic", ["boxes", "bernoulli", "uniform", "gaussian", "joint"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_topic_fits_a_phone_and_axe_finds_nothing_serious(opened, lab_address, serious, topic, dark):
    link = quote(json.dumps({"topic": topic}))
    page = ready(opened(f"{lab_address}/probability#{link}", dark=dark, **PHONE))
    page.wait_for_timeout(200)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert serious(page) == []
