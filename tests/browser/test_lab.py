"""The lab as a person uses it: with the mouse, with keys only, on a phone, from a link."""

from __future__ import annotations

import json
import re
from urllib.parse import quote

import numpy as np
import pytest

from rosenblatt import trace
from rosenblatt.lab.chapters import CHAPTERS

PHONE = {"width": 390, "height": 844, "has_touch": True}


def ready(page):
    """Wait for the first answer, and for the picture that shows it."""
    page.wait_for_selector("main[data-answers]")
    page.wait_for_selector("#picture canvas")
    return page


def answers(page):
    return int(page.get_attribute("main", "data-answers"))


def after(page, act):
    """Do something, and wait for the answer to it."""
    before = answers(page)
    act()
    page.wait_for_selector(f'main[data-busy="false"]:not([data-answers="{before}"])')


def numbers(page):
    return json.loads(page.get_attribute("main", "data-numbers"))


def state(page):
    return page.evaluate("window.lab.state")


def replay(page):
    return page.locator("section.replay")


def shown_at(page, step):
    """(w, b) as the replay shows them after a step, which may have to be fetched first."""
    page.wait_for_selector(f"section.replay[data-step='{step}']")
    viewer = replay(page)
    return json.loads(viewer.get_attribute("data-w")), float(viewer.get_attribute("data-b"))


def click_at(page, x, y):
    """Click into the picture at data coordinates."""
    page.evaluate("document.querySelector('#picture .plane').scrollIntoView({block: 'center'})")
    left, top = page.evaluate(
        "([x, y]) => { const plane = window.lab.view.plane();"
        " const box = plane.canvas.element.getBoundingClientRect();"
        " return [box.left + plane.x(x), box.top + plane.y(y)]; }",
        [x, y],
    )
    page.mouse.click(left, top)


def choose(page, label, value):
    page.get_by_label(label, exact=True).select_option(value)


# ---------------------------------------------------------------- every chapter


@pytest.mark.parametrize("key", CHAPTERS)
def test_every_chapter_opens_with_a_picture_and_the_numbers_of_python(opened, lab_address, store, key):
    page = ready(opened(f"{lab_address}/{key}"))
    shown = numbers(page)
    expected = CHAPTERS[key].answer().numbers
    assert set(shown) == set(expected)
    assert page.locator("#python code").inner_text().strip() == CHAPTERS[key].answer().python.strip()
    page.wait_for_timeout(300)
    assert page.locator("#trouble").is_hidden()
    store(page, f"lab-{key}")


@pytest.mark.parametrize("key", CHAPTERS)
def test_every_chapter_fits_a_phone_in_the_dark(opened, lab_address, store, key):
    page = ready(opened(f"{lab_address}/{key}", dark=True, **PHONE))
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    store(page, f"lab-{key}-phone")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("key", CHAPTERS)
def test_axe_finds_nothing_serious(opened, lab_address, serious, key, dark):
    page = ready(opened(f"{lab_address}/{key}", dark=dark))
    page.wait_for_timeout(200)
    assert serious(page) == []


@pytest.mark.parametrize("key", CHAPTERS)
def test_a_damaged_link_is_said_and_the_chapter_opens(opened, lab_address, key):
    page = ready(opened(f"{lab_address}/{key}#%7Bnot-json"))
    assert "The link is damaged" in page.locator("#trouble").inner_text()
    assert numbers(page)


def wrong_links(start):
    """Links whose settings are of another kind: each list alone, and all the others at once."""
    lists = [name for name, value in start.items() if isinstance(value, (list, dict))]
    yield {name: {"a": 1} for name in start if name not in lists}
    for name in lists:
        yield {name: 5}
        yield {name: [None]}


@pytest.mark.parametrize("key", CHAPTERS)
def test_a_link_with_settings_of_another_kind_never_breaks_the_page(opened, lab_address, key):
    for link in wrong_links(CHAPTERS[key].start):
        page = ready(opened(f"{lab_address}/{key}#{quote(json.dumps(link))}"))
        is_unused = page.get_attribute("main", "data-numbers") is not None
        assert is_unused or page.locator("#trouble").inner_text(), link
        page.context.close()


def test_the_list_of_chapters_leads_to_all_of_them(opened, lab_address, store, serious):
    page = opened(lab_address)
    assert page.locator(".home li a").all_inner_texts() == [chapter.title for chapter in CHAPTERS.values()]
    assert serious(page) == []
    store(page, "lab-home")
    page.locator(".home li a").nth(1).click()
    ready(page)
    assert page.title().startswith("Step by step")


def test_the_next_chapter_is_a_click_away(opened, lab_address):
    page = ready(opened(f"{lab_address}/line"))
    page.get_by_role("link", name="Step by step →").click()
    ready(page)
    page.get_by_text("Chapters", exact=True).click()
    page.get_by_role("navigation", name="Chapters", exact=True).get_by_role(
        "link", name="Probability"
    ).click()
    ready(page)
    assert page.url.endswith("/probability")


# ---------------------------------------------------------------- the line


def test_dragging_w_turns_the_line(opened, lab_address):
    page = ready(opened(f"{lab_address}/line"))
    handle = page.get_by_role("button", name=re.compile("^w at"))
    box = handle.bounding_box()
    page.mouse.move(box["x"] + 14, box["y"] + 14)
    page.mouse.down()
    after(page, lambda: page.mouse.move(box["x"] - 60, box["y"] + 60, steps=5))
    page.mouse.up()
    page.wait_for_timeout(300)
    w = state(page)["w"]
    assert w != [2, 3]
    assert numbers(page)["length"] == pytest.approx(float(np.hypot(*w)))


def test_arrow_keys_move_w_too(opened, lab_address):
    page = ready(opened(f"{lab_address}/line"))
    handle = page.get_by_role("button", name=re.compile("^w at"))
    handle.focus()
    after(page, lambda: page.keyboard.press("ArrowRight"))
    assert state(page)["w"][0] > 2
    assert state(page)["w"][1] == pytest.approx(3)


# ---------------------------------------------------------------- step by step


DRAWN = [([1, 2], 1), ([2, 0.5], 1), ([-1, -1], -1), ([-0.5, 1.5], -1)]


def drawn(page):
    """Points drawn with the mouse, one class after the other."""
    after(page, lambda: page.get_by_role("button", name="Remove all").click())
    for (x, y), label in DRAWN:
        choose(page, "A click adds", str(label))
        after(page, lambda x=x, y=y: click_at(page, x, y))
    return state(page)


def test_points_drawn_with_the_mouse_are_learned_to_the_weights_of_python(opened, lab_address):
    page = ready(opened(f"{lab_address}/steps"))
    made = drawn(page)
    assert np.array(made["points"]) == pytest.approx(np.array([x for x, _ in DRAWN]), abs=0.03)
    assert made["labels"] == [label for _, label in DRAWN]
    steps = trace(np.array(made["points"], float), made["labels"], epochs=None, until="separated")
    viewer = replay(page)
    viewer.focus()
    for number, step in enumerate(steps, start=1):
        page.keyboard.press("ArrowRight")
        assert shown_at(page, number) == (list(step.weights), step.offset)
    assert steps.separated
    assert (numbers(page)["w"], numbers(page)["b"]) == (steps.weights.tolist(), steps.offset)


def test_a_click_on_a_point_removes_it(opened, lab_address):
    page = ready(opened(f"{lab_address}/steps"))
    made = drawn(page)
    after(page, lambda: click_at(page, *made["points"][0]))
    assert state(page)["points"] == made["points"][1:]


def test_scrubbing_back_shows_the_weights_of_that_step(opened, lab_address):
    page = ready(opened(f"{lab_address}/steps"))
    start = CHAPTERS["steps"].start
    steps = trace(np.array(start["points"], float), start["labels"], epochs=None, until="separated")
    viewer = replay(page)
    viewer.focus()
    page.keyboard.press("End")
    slider = viewer.get_by_role("slider")
    assert int(slider.input_value()) == len(steps)
    slider.fill("3")
    assert shown_at(page, 3) == (list(steps[2].weights), steps[2].offset)
    slider.fill("0")
    assert shown_at(page, 0) == ([0, 0], 0)


def test_xor_is_announced_as_a_cycle(opened, lab_address):
    page = ready(opened(f"{lab_address}/steps"))
    after(page, lambda: choose(page, "Worked example", "xor: halfspace"))
    page.get_by_text("This run cycles").wait_for()
    assert "comes again every 4 steps" in replay(page).inner_text()
    assert "this run never ends" in page.locator("#said").inner_text()
    assert numbers(page)["cycle"] == [0, 4, 1.0, 4]


def test_an_example_of_four_features_is_replayed(opened, lab_address):
    page = ready(opened(f"{lab_address}/steps"))
    after(page, lambda: choose(page, "Worked example", "xor: (x·z)²"))
    assert numbers(page)["mistakes"] == 2
    assert numbers(page)["separated"] is True


def test_a_link_carries_points_settings_and_step(opened, lab_address):
    page = ready(opened(f"{lab_address}/steps"))
    drawn(page)
    after(page, lambda: choose(page, "Order", "shuffled"))
    after(page, lambda: page.get_by_label("with an offset b").uncheck())
    replay(page).focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_timeout(600)
    other = ready(opened(page.url))
    assert state(other) == state(page)
    assert numbers(other) == numbers(page)
    replay(other).wait_for()
    other.wait_for_selector("section.replay[data-step='3']")
    assert replay(other).get_attribute("data-w") == replay(page).get_attribute("data-w")


def test_the_link_is_copied(opened, lab_address):
    page = ready(opened(f"{lab_address}/steps", permissions=["clipboard-read", "clipboard-write"]))
    after(page, lambda: choose(page, "A score of 0 is", "negative"))
    page.get_by_role("button", name="Copy a link to this state").click()
    page.get_by_text("The link copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_everything_can_be_done_with_keys_only(opened, lab_address):
    page = ready(opened(f"{lab_address}/steps"))
    after(page, lambda: press_on(page, "Remove all"))
    for label, sign, points in (("+", "1", [["1", "2"], ["2", "1"]]), ("−", "-1", [["-1", "-1"]])):
        by_keys(page, page.get_by_label("A click adds"), label)
        assert page.get_by_label("A click adds").input_value() == sign
        for x, y in points:
            typed(page, "x₁", x)
            typed(page, "x₂", y)
            after(page, lambda: press_on(page, "Add this point"))
    assert state(page)["points"] == [[1, 2], [2, 1], [-1, -1]]
    replay(page).focus()
    page.keyboard.press("End")
    assert shown_at(page, numbers(page)["looks"]) == (numbers(page)["w"], numbers(page)["b"])


def press_on(page, name):
    page.get_by_role("button", name=name).focus()
    page.keyboard.press("Enter")


def typed(page, label, text):
    page.get_by_label(label, exact=True).focus()
    page.keyboard.press("Control+A")
    page.keyboard.type(text)
    page.keyboard.press("Tab")


def by_keys(page, select, wanted):
    """Move through a list of choices with the arrow keys."""
    select.focus()
    page.keyboard.press("ArrowUp" if wanted == "+" else "ArrowDown")


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (lambda page: page.get_by_role("button", name="Remove all").click(), "there is no point yet"),
        (
            lambda page: page.evaluate("lab.change({labels: lab.state.labels.map(() => 1)})"),
            "add a point of the other class",
        ),
        (lambda page: page.evaluate("lab.change({points: [[null, 1]], labels: [1]})"), "expected a number"),
        (
            lambda page: page.evaluate(
                "lab.change({points: Array(50000).fill([0.5, 1]), labels: Array(50000).fill(1)})"
            ),
            "this page takes at most 2,000",
        ),
    ],
    ids=["no points", "one class", "no number", "50,000 rows"],
)
def test_what_cannot_be_learned_from_is_said_on_the_page_and_can_be_mended(opened, lab_address, act, said):
    page = ready(opened(f"{lab_address}/steps"))
    after(page, lambda: act(page))
    assert said in page.locator("#trouble").inner_text()
    after(page, lambda: page.evaluate("lab.change(structuredClone(lab.start))"))
    assert page.locator("#trouble").is_hidden()
    assert numbers(page)["separated"] is True


def test_points_can_be_drawn_into_an_empty_picture(opened, lab_address):
    page = ready(opened(f"{lab_address}/steps"))
    after(page, lambda: page.get_by_role("button", name="Remove all").click())
    after(page, lambda: click_at(page, 1, 1))
    assert "all points are +" in page.locator("#trouble").inner_text()
    choose(page, "A click adds", "-1")
    after(page, lambda: click_at(page, -1, -1))
    assert numbers(page)["separated"] is True
