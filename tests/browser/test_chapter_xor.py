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


def test_a_link_with_points_that_are_none_opens_and_can_be_mended(lab_page):
    lab = lab_page("xor", link='{"points":[[1,null],[0,1],7],"labels":[1,-1,1]}')
    assert "expected a number" in lab.trouble.inner_text()
    lab.click_at(1, 0.5)
    assert len(lab.state["points"]) == 2
    assert lab.trouble.is_hidden()


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
