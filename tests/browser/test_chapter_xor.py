"""XOR and what helps, as a person uses it: the cycle announced, kernels, points drawn and taken away."""

from __future__ import annotations

import pytest

from rosenblatt.course.lab.chapters import CHAPTERS

XOR = CHAPTERS["xor"]


def test_the_cycle_is_announced_and_a_kernel_ends_it(lab_page, store):
    lab = lab_page("xor")
    lab.load("circles")
    assert lab.numbers["cycle"] is None
    lab.load("XOR on {−1, 1}²")
    assert "recurs every 4 steps (1 pass, 4 updates): this run never ends" in lab.caption
    assert "this run never ends" in lab.result.inner_text()
    assert lab.numbers["cycle"] == [0, 4, 1.0, 4]
    assert lab.table("One cycle").locator("tbody tr").count() == 3
    lab.choose("Method", "kernel")
    assert lab.numbers == XOR.answer({"method": "kernel"}).numbers
    assert "made 2 mistakes in 2 passes" in lab.caption
    assert lab.table("One cycle").is_hidden()
    store(lab.page, "chapter-xor-kernel")


def test_on_bits_the_constant_makes_the_difference(lab_page):
    lab = lab_page("xor")
    lab.load("XOR on {0, 1}²")
    lab.choose("Method", "kernel")
    assert "φ(0, 0) = 0" in lab.caption
    assert lab.numbers["converged"] is False
    lab.choose("K(x, z)", "polynomial")
    assert "φ(0, 0)" not in lab.caption
    assert (lab.numbers["converged"], lab.numbers["mistakes"]) == (True, 21)


@pytest.mark.parametrize("name", ["circles", "two moons", "a spiral"])
def test_every_set_of_points_is_learned_by_the_gaussian(lab_page, store, name):
    lab = lab_page("xor")
    lab.choose("Method", "kernel")
    lab.choose("K(x, z)", "gaussian")
    lab.load(name)
    shown = lab.numbers
    assert (shown["converged"], shown["wrong"]) == (True, [])
    assert shown == XOR.answer(lab.state).numbers
    store(lab.page, f"chapter-xor-{name.split()[-1]}")


def test_points_are_drawn_removed_and_carried_by_the_link(lab_page):
    lab = lab_page("xor")
    lab.click_at(0.5, 0.25)
    assert lab.state["points"][4] == pytest.approx([0.5, 0.25], abs=0.02)
    assert lab.state["labels"][4] == 1
    lab.field("class −").check()
    lab.click_at(-0.5, 0.25)
    assert lab.state["labels"] == [-1, 1, 1, -1, 1, -1]
    lab.click_at(*lab.state["points"][4])
    assert lab.state["labels"] == [-1, 1, 1, -1, -1]
    lab.choose("Method", "polynomial")
    assert lab.numbers == XOR.answer(lab.state).numbers
    other = lab.reopen()
    assert other.state == lab.state
    assert other.numbers == lab.numbers
    assert other.page.locator("#controls select").first.input_value() == "own"


def test_it_can_be_done_with_keys_only(lab_page):
    lab = lab_page("xor")
    lab.field("class +").focus()
    lab.page.keyboard.press("ArrowLeft")
    for label, text in (("x₁", "0.5"), ("x₂", "-0.25")):
        lab.type_text(label, text)
    lab.enter("Add point")
    assert (lab.state["points"][4], lab.state["labels"][4]) == ([0.5, -0.25], -1)
    cross = lab.button("new point")
    cross.focus()
    lab.page.keyboard.press("Shift+ArrowRight")
    lab.key("Enter")
    assert len(lab.state["points"]) == 6
    lab.field("Method").focus()
    lab.key("ArrowDown")
    assert lab.state["method"] == "polynomial"
    lab.field("Degree d").focus()
    lab.key("ArrowRight")
    assert lab.state["degree"] == 3
    assert lab.numbers == XOR.answer(lab.state).numbers


def test_what_is_not_there_is_said_and_can_be_mended(lab_page):
    lab = lab_page("xor")
    lab.press("Remove all")
    assert "there is no point yet" in lab.trouble.inner_text()
    assert lab.caption == ""
    lab.click_at(1, 1)
    assert "add a point of the other class" in lab.trouble.inner_text()
    lab.field("class −").check()
    lab.click_at(-1, -1)
    assert lab.trouble.is_hidden()
    assert lab.numbers["separable"] is True


def test_a_link_with_points_that_are_none_opens_and_can_be_mended(lab_page):
    lab = lab_page("xor", link='{"points":[[1,null],[0,1],7],"labels":[1,-1,1]}')
    assert "expected a number" in lab.trouble.inner_text()
    lab.click_at(1, 0.5)
    assert len(lab.state["points"]) == 2
    assert lab.trouble.is_hidden()


def test_a_long_polynomial_is_opened_when_wanted(lab_page):
    lab = lab_page("xor")
    lab.choose("Method", "polynomial")
    assert "p(x) = −8·x₁·x₂" in lab.caption
    assert lab.page.get_by_text("All terms of p").is_hidden()
    lab.fill("Degree d", "6")
    lab.page.get_by_text("All terms of p").click()
    assert lab.numbers["polynomial"] in lab.page.locator("#picture details p").inner_text()
    assert lab.numbers["polynomial"] not in lab.caption


def test_a_budget_is_set_with_the_slider(lab_page):
    lab = lab_page("xor")
    lab.choose("Method", "kernel")
    lab.choose("K(x, z)", "gaussian")
    lab.load("a spiral")
    assert lab.field("When the budget is full").is_hidden()
    lab.fill("Support points", "5")
    assert len(lab.numbers["support"]) == 5
    lab.choose("When the budget is full", "forgetron")
    assert len(lab.numbers["support"]) <= 5
    assert lab.numbers == XOR.answer(lab.state).numbers


def test_the_run_of_a_kernel_is_replayed_below_and_its_step_is_carried_by_the_link(lab_page, store):
    lab = lab_page("xor", {"method": "kernel"})
    assert lab.page.locator(".replay").count() == 0
    lab.after(lab.field("replay the run step by step").check)
    lab.page.wait_for_selector(".replay[data-step='0']")
    for step in (1, 2):
        lab.button("One step forward").click()
        lab.page.wait_for_selector(f".replay[data-step='{step}']")
    assert lab.page.get_attribute(".replay", "data-w") == "[-1,1]"
    assert "functional margin now 4" in lab.page.locator(".replay .caption").inner_text()
    store(lab.page, "chapter-xor-replay")
    lab.carries(step=2)
    other = lab.reopen()
    other.page.wait_for_selector(".replay[data-step='2']")
    lab.load("XOR on {0, 1}²")
    assert "This run cycles" in lab.page.locator(".replay .cycle").inner_text()
    assert lab.numbers == XOR.answer(lab.state).numbers
    lab.after(lab.field("replay the run step by step").uncheck)
    assert lab.page.locator(".replay").count() == 0


def test_the_replay_fits_a_phone_and_has_no_barriers(lab_page, serious):
    lab = lab_page("xor", {"method": "kernel", "kernel": "gaussian", "replay": True, "step": 3}, phone=True)
    lab.page.wait_for_selector(".replay[data-step='3']")
    assert lab.overflow <= 0
    assert serious(lab.page) == []
