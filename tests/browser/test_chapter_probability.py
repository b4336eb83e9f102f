"""Probability, as a person at the page: boxes are filled, balls drawn, observations dragged."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rosenblatt.course.lab.chapters import CHAPTERS

CHAPTER = CHAPTERS["probability"]


def test_balls_are_put_in_and_drawn(lab_page, store):
    lab = lab_page("probability")
    store(lab.page, "chapter-probability")
    lab.press("Draw green")
    assert lab.link_state["drawn"] == ["red", "green"]
    lab.field("green balls in box 2").fill("6")
    lab.key("Tab")
    assert lab.link_state["counts"] == [[2, 3, 1], [3, 6, 0]]
    assert lab.numbers == lab.of_python
    assert sum(map(Fraction, lab.numbers["posterior"].values())) == 1
    shown = lab.table("Bayes’ rule, step by step")
    assert lab.numbers["posterior"]["box 1"] in shown.inner_text()


def test_a_box_more_and_balls_drawn_unseen(lab_page):
    lab = lab_page("probability")
    lab.press("Add a box")
    lab.press("Clear draws")
    for n in range(12):
        lab.press("Draw a ball")
        assert len(lab.link_state["drawn"]) == n + 1
    assert lab.button("Draw a ball").is_disabled()
    assert len(lab.numbers["posterior"]) == 3
    assert lab.numbers == lab.of_python


def test_observations_and_the_mean_are_dragged(lab_page, store):
    lab = lab_page("probability")
    lab.choose("Topic", "gaussian")
    lab.drag((3.4, 0), (5.4, 0))
    data = lab.link_state["data"]
    assert data[-1] == pytest.approx(5.4, abs=0.05)
    assert data[:-1] == CHAPTER.start["data"][:-1]
    assert lab.numbers["best_mean"] == pytest.approx(sum(data) / len(data))
    lab.handle("μ at").focus()
    lab.key("ArrowRight")
    assert lab.link_state["mean"] > 0
    assert lab.numbers == lab.of_python
    lab.press("Use the most likely μ and σ²")
    assert "there you are" in lab.result.text_content()
    lab.click_at(-4.0, 0.1)
    assert lab.link_state["data"][-1] == pytest.approx(-4.0, abs=0.05)
    store(lab.page, "chapter-probability-gaussian")


def test_an_end_pulled_over_an_observation_makes_it_impossible(lab_page, store):
    lab = lab_page("probability")
    lab.choose("Topic", "uniform")
    lab.drag((4, 0.125), (2, 0.125))
    assert lab.link_state["high"] == pytest.approx(2.0, abs=0.05)
    assert lab.numbers["log_likelihood"] is None
    assert "an impossible outcome has likelihood 0" in lab.result.text_content()
    lab.press("Use the most likely ends")
    assert lab.numbers["log_likelihood"] == lab.numbers["best_log_likelihood"]
    lab.after(lambda: lab.field("Integers only, like a die").check())
    assert lab.numbers == lab.of_python
    store(lab.page, "chapter-probability-uniform")


def test_trials_are_tossed_and_p_is_picked_on_the_curve(lab_page, store):
    lab = lab_page("probability")
    lab.choose("Topic", "bernoulli")
    lab.press("Add a 1")
    lab.press("Toss once")
    assert len(lab.link_state["trials"]) == 10
    lab.click_in(lab.page.locator("#picture .chart canvas"), across=0.25)
    assert 0.1 < lab.link_state["p"] < 0.3
    assert lab.numbers == lab.of_python
    store(lab.page, "chapter-probability-bernoulli")


def test_points_of_two_numbers_are_added_and_dragged(lab_page, store):
    lab = lab_page("probability")
    lab.choose("Topic", "joint")
    before = lab.numbers["correlation"]
    lab.click_at(-3.0, 3.0)
    assert lab.numbers["correlation"] < before
    lab.drag((-3.0, 3.0), (-3.0, -3.0))
    assert lab.link_state["points"][-1] == pytest.approx([-3.0, -3.0], abs=0.05)
    assert lab.numbers == lab.of_python
    store(lab.page, "chapter-probability-joint")
    lab.press("Remove all")
    assert "there is no point yet" in lab.trouble.inner_text()
