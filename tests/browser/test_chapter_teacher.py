"""Teacher against learner, as a person at the page: presenting, answering, and watching."""

from __future__ import annotations

import pytest


def test_a_click_presents_a_challenge_and_a_click_on_it_takes_it_back(lab_page, store):
    lab = lab_page("teacher")
    lab.press("Remove all")
    assert lab.numbers["X"] == []
    for x, y in ((0.5, 0.5), (-0.6, -0.4), (0.9, -0.3)):
        lab.click_at(x, y)
    assert [x for x, _ in lab.link_state["challenges"]] == pytest.approx([0.5, -0.6, 0.9], abs=0.02)
    assert lab.numbers == lab.of_python
    assert len(lab.numbers["X"]) == 3
    assert "Round 3 of 3" in lab.result.text_content()
    store(lab.page, "chapter-teacher")
    lab.click_at(-0.6, -0.4)
    assert len(lab.link_state["challenges"]) == 2
    assert lab.numbers == lab.of_python


def test_labels_given_one_by_one_with_keys_only(lab_page):
    lab = lab_page("teacher")
    lab.field("Labels").focus()
    lab.key("ArrowDown")
    lab.enter("Remove all")
    for label, x in ((None, "0.5"), ("ArrowDown", "0.5")):
        if label:
            lab.field("Next label").focus()
            lab.page.keyboard.press(label)
        lab.field("x₁").fill(x)
        lab.page.keyboard.press("Tab")
        lab.enter("Present the challenge")
    assert lab.link_state["challenges"] == [[0.5, 0.5], [0.5, 0.5]]
    assert lab.link_state["labels"] == [1, -1]
    assert lab.numbers["bound"] is None
    assert "No line through the origin" in lab.result.text_content()


def test_a_game_as_the_learner_to_its_end(lab_page, store):
    lab = lab_page("teacher")
    lab.choose("You are", "learner")
    lab.press("It is +")
    assert len(lab.numbers["labels"]) == 1
    assert "hidden" not in lab.numbers
    lab.handle("your w at").focus()
    lab.key("ArrowUp")
    assert lab.link_state["your_w"][1] > 0
    lab.drag(lab.link_state["your_w"], (-0.9, 0.3))
    for _ in range(19):
        lab.press("Answer with my w")
    assert lab.button("It is +").is_disabled()
    assert "The game is over" in lab.result.text_content()
    assert lab.numbers == lab.of_python
    assert len(lab.numbers["hidden"]) == 2
    assert sum(lab.numbers["your_mistakes"]) < 10
    store(lab.page, "chapter-teacher-learner")


def test_the_witness_sees_the_rounds_go_by(lab_page, store):
    lab = lab_page("teacher", {"side": "adversary", "margin": 0.3})
    assert lab.numbers == lab.of_python
    lab.button("Play the rounds").click()
    lab.button("Pause").wait_for()
    lab.button("Play the rounds").wait_for(timeout=20_000)
    assert lab.field("Round shown").input_value() == str(lab.numbers["mistakes"])
    lab.fill("Features", "2")
    assert lab.numbers["mistakes"] == 4
    store(lab.page, "chapter-teacher-adversary")
