"""XOR and what helps, as a person uses it: the cycle announced, kernels, points drawn and taken away."""

from __future__ import annotations

import json

import pytest

from rosenblatt.lab.chapters import CHAPTERS

XOR = CHAPTERS["xor"]


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
    """The sentences under the picture."""
    return page.locator("#picture > p").first.inner_text()


def click_at(page, x, y):
    page.locator("#picture .plane").scroll_into_view_if_needed()
    left, top = page.evaluate(
        "([x, y]) => { const plane = lab.view.plane(), box = plane.canvas.element.getBoundingClientRect();"
        " return [box.left + plane.x(x), box.top + plane.y(y)]; }",
        [x, y],
    )
    page.mouse.click(left, top)


def test_the_cycle_is_announced_and_a_kernel_ends_it(opened, lab_address, store):
    page = ready(opened(f"{lab_address}/xor"))
    load(page, "circles")
    assert numbers(page)["cycle"] is None
    load(page, "XOR on {−1, 1}²")
    assert "comes again every 4 steps (1 pass, 4 updates): this run never ends" in caption(page)
    assert "this run never ends" in page.locator("#said").inner_text()
    assert numbers(page)["cycle"] == [0, 4, 1.0, 4]
    assert page.get_by_role("region", name="One round").locator("tbody tr").count() == 3
    choose(page, "Method", "kernel")
    assert numbers(page) == XOR.answer({"method": "kernel"}).numbers
    assert "made 2 mistakes in 2 passes" in caption(page)
    assert page.get_by_role("region", name="One round").is_hidden()
    store(page, "chapter-xor-kernel")


def test_on_bits_the_constant_makes_the_difference(opened, lab_address):
    page = ready(opened(f"{lab_address}/xor"))
    load(page, "XOR on {0, 1}²")
    choose(page, "Method", "kernel")
    assert "φ(0, 0) = 0" in caption(page)
    assert numbers(page)["converged"] is False
    choose(page, "K(x, z)", "polynomial")
    assert "φ(0, 0)" not in caption(page)
    assert (numbers(page)["converged"], numbers(page)["mistakes"]) == (True, 21)


@pytest.mark.parametrize("name", ["circles", "two moons", "a spiral"])
def test_every_set_of_points_is_learned_by_the_gaussian(opened, lab_address, store, name):
    page = ready(opened(f"{lab_address}/xor"))
    choose(page, "Method", "kernel")
    choose(page, "K(x, z)", "gaussian")
    load(page, name)
    shown = numbers(page)
    assert (shown["converged"], shown["wrong"]) == (True, [])
    assert shown == XOR.answer(state(page)).numbers
    store(page, f"chapter-xor-{name.split()[-1]}")


def test_points_are_drawn_removed_and_carried_by_the_link(opened, lab_address):
    page = ready(opened(f"{lab_address}/xor"))
    after(page, lambda: click_at(page, 0.5, 0.25))
    assert state(page)["points"][4] == pytest.approx([0.5, 0.25], abs=0.02)
    assert state(page)["labels"][4] == 1
    page.get_by_label("class −").check()
    after(page, lambda: click_at(page, -0.5, 0.25))
    assert state(page)["labels"] == [-1, 1, 1, -1, 1, -1]
    after(page, lambda: click_at(page, *state(page)["points"][4]))
    assert state(page)["labels"] == [-1, 1, 1, -1, -1]
    choose(page, "Method", "polynomial")
    assert numbers(page) == XOR.answer(state(page)).numbers
    other = ready(opened(page.url))
    assert state(other) == state(page)
    assert numbers(other) == numbers(page)
    assert other.locator("#controls select").first.input_value() == "own"


def test_it_can_be_done_with_keys_only(opened, lab_address):
    page = ready(opened(f"{lab_address}/xor"))
    page.get_by_label("class +").focus()
    page.keyboard.press("ArrowLeft")
    for label, text in (("x₁", "0.5"), ("x₂", "-0.25")):
        page.get_by_label(label, exact=True).focus()
        page.keyboard.press("Control+A")
        page.keyboard.type(text)
    page.get_by_role("button", name="Add this point").focus()
    after(page, lambda: page.keyboard.press("Enter"))
    assert (state(page)["points"][4], state(page)["labels"][4]) == ([0.5, -0.25], -1)
    cross = page.get_by_role("button", name="a point to be")
    cross.focus()
    page.keyboard.press("Shift+ArrowRight")
    after(page, lambda: page.keyboard.press("Enter"))
    assert len(state(page)["points"]) == 6
    page.get_by_label("Method", exact=True).focus()
    after(page, lambda: page.keyboard.press("ArrowDown"))
    assert state(page)["method"] == "polynomial"
    page.get_by_label("Degree d").focus()
    after(page, lambda: page.keyboard.press("ArrowRight"))
    assert state(page)["degree"] == 3
    assert numbers(page) == XOR.answer(state(page)).numbers


def test_what_is_not_there_is_said_and_can_be_mended(opened, lab_address):
    page = ready(opened(f"{lab_address}/xor"))
    after(page, lambda: page.get_by_role("button", name="Remove all").click())
    assert "there is no point yet" in page.locator("#trouble").inner_text()
    assert caption(page) == ""
    after(page, lambda: click_at(page, 1, 1))
    assert "add a point of the other class" in page.locator("#trouble").inner_text()
    page.get_by_label("class −").check()
    after(page, lambda: click_at(page, -1, -1))
    assert page.locator("#trouble").is_hidden()
    assert numbers(page)["separable"] is True


def test_a_link_with_points_that_are_none_opens_and_can_be_mended(opened, lab_address):
    page = ready(opened(f'{lab_address}/xor#{{"points":[[1,null],[0,1],7],"labels":[1,-1,1]}}'))
    assert "expected a number" in page.locator("#trouble").inner_text()
    after(page, lambda: click_at(page, 1, 0.5))
    assert len(state(page)["points"]) == 2
    assert page.locator("#trouble").is_hidden()


def test_a_long_polynomial_is_opened_when_wanted(opened, lab_address):
    page = ready(opened(f"{lab_address}/xor"))
    choose(page, "Method", "polynomial")
    assert "p(x) = −8·x₁·x₂" in caption(page)
    assert page.get_by_text("All terms of p").is_hidden()
    after(page, lambda: page.get_by_label("Degree d").fill("6"))
    page.get_by_text("All terms of p").click()
    assert numbers(page)["polynomial"] in page.locator("#picture details p").inner_text()
    assert numbers(page)["polynomial"] not in caption(page)


def test_a_budget_is_set_with_the_slider(opened, lab_address):
    page = ready(opened(f"{lab_address}/xor"))
    choose(page, "Method", "kernel")
    choose(page, "K(x, z)", "gaussian")
    load(page, "a spiral")
    assert page.get_by_label("When full").is_hidden()
    after(page, lambda: page.get_by_label("Support points").fill("5"))
    assert len(numbers(page)["support"]) == 5
    choose(page, "When full", "forgetron")
    assert len(numbers(page)["support"]) <= 5
    assert numbers(page) == XOR.answer(state(page)).numbers
