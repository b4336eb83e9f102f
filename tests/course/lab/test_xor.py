"""XOR and what helps: cycles, kernels, bounds and replays."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import budgets
from rosenblatt.course.lab.chapters.xor import (
    MOST_STEPS,
    START,
    XOR,
)

BITS = [[0, 0], [0, 1], [1, 0], [1, 1]]
SIGNS = START["points"]
CIRCLES = [
    [round(r * math.cos(a), 2), round(r * math.sin(a), 2)]
    for r in (0.6, 1.2)
    for a in np.linspace(0, 6, 9).tolist()
]


# ---------------------------------------------------------------- the line


@pytest.mark.parametrize("points", [SIGNS, BITS])
def test_the_line_cycles_on_xor_and_it_is_announced(points):
    answer = XOR.answer({"points": points})
    assert answer.numbers["cycle"] == [0, 4, 1.0, 4]
    assert "recurs every 4 steps (1 pass, 4 updates): this run never ends" in answer.sentences[0]
    assert answer.numbers["separable"] is False
    assert answer.numbers["support"] == [0, 1, 2, 3]
    assert "the convex hulls of the two classes intersect, as rows 0, 1, 2, 3 prove" in answer.sentences[1]


def test_the_lines_of_a_round_equal_those_of_a_plain_loop():
    w, lines = np.zeros(3), []
    for x, y in zip(SIGNS, START["labels"], strict=True):
        assert y * (w @ [*x, 1.0]) <= 0
        w = w + y * np.array([*x, 1.0])
        lines.append(w.tolist())
    assert lines.pop() == [0.0, 0.0, 0.0]
    assert XOR.answer().picture["lines"] == lines


def test_a_line_that_ends_has_its_margin_proved():
    answer = XOR.answer({"points": [[0, 0], [3, 4]], "labels": [-1, 1]})
    assert answer.numbers["separable"] is True
    assert answer.numbers["wrong"] == []
    assert "the margin is 2.5 (proved)" in answer.sentences[1]
    assert answer.picture["lines"] == []


def test_a_run_that_is_too_long_to_be_watched_is_ended_and_reported():
    answer = XOR.answer({"points": [[0, 0], [0.01, 0]], "labels": [1, -1]})
    assert answer.numbers["separable"] is True
    assert f"in {MOST_STEPS:,} steps and has not ended" in answer.sentences[0]
    assert "after more steps than this page makes" in answer.sentences[1]


# ---------------------------------------------------------------- kernels

wholes = st.integers(-3, 3)
clouds = st.lists(
    st.tuples(wholes, wholes, st.sampled_from([-1, 1])), min_size=2, max_size=8, unique_by=lambda p: p[:2]
).filter(lambda cloud: len({label for *_, label in cloud}) == 2)


@given(clouds, st.integers(1, 4))
def test_the_polynomial_makes_the_mistakes_of_its_kernel_and_has_the_sign_of_the_label(cloud, degree):
    state = {"points": [list(p[:2]) for p in cloud], "labels": [p[2] for p in cloud], "degree": degree}
    written = XOR.answer({**state, "method": "polynomial"}).numbers
    dual = XOR.answer({**state, "method": "kernel", "kernel": "polynomial"}).numbers
    assert {name: written[name] for name in ("mistakes", "passes", "converged", "wrong", "bound")} == {
        name: dual[name] for name in ("mistakes", "passes", "converged", "wrong", "bound")
    }
    text = written["polynomial"].replace("−", "-").replace("·", "*").replace("₁", "1").replace("₂", "2")
    for power, raised in enumerate("²³⁴", start=2):
        text = text.replace(raised, f"**{power}")
    for row, (x, y) in enumerate(zip(state["points"], state["labels"], strict=True)):
        p = eval(text, {"x1": x[0], "x2": x[1]})
        assert (y * p <= 0) == (row in written["wrong"])


def test_a_sentence_writes_a_short_polynomial_out():
    assert "p(x) = −8·x₁·x₂, a polynomial of degree 2" in XOR.answer({"method": "polynomial"}).sentences[0]
    long = XOR.answer({"method": "polynomial", "degree": 8}).sentences[0]
    assert long == "The answer is the sign of p(x), a polynomial of degree 8: 45 monomials."


def test_products_of_two_coordinates_do_it_in_two_mistakes_which_is_the_bound():
    answer = XOR.answer({"method": "kernel"})
    assert answer.numbers["mistakes"] == 2
    assert answer.numbers["support"] == [0, 1]
    assert answer.numbers["bound"] == pytest.approx([2, 2])
    assert "at most 2 mistakes, in any order of the points" in answer.sentences[-1]
    assert "The score of x is − 1·K((−1, −1), x) + 1·K((−1, 1), x)." in answer.sentences


def test_on_bits_the_homogeneous_kernel_cannot_and_a_constant_helps():
    cannot = XOR.answer({"method": "kernel", "points": BITS})
    assert (cannot.numbers["converged"], cannot.numbers["bound"]) == (False, None)
    assert 0 in cannot.numbers["wrong"]
    assert any("where φ(0, 0) = 0: its score is always 0" in said for said in cannot.sentences)
    assert "no hyperplane through the origin separates the points (proved)" in cannot.sentences[-1]
    can = XOR.answer({"method": "kernel", "points": BITS, "kernel": "polynomial"})
    assert (can.numbers["converged"], can.numbers["mistakes"], can.numbers["wrong"]) == (True, 21, [])
    assert not any("φ(0, 0)" in said for said in can.sentences)


@pytest.mark.parametrize("forgetting", budgets.BUDGETS)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_budget_keeps_no_more_support_points_than_it_allows(forgetting, size):
    answer = XOR.answer(
        {"method": "kernel", "kernel": "gaussian", "budget": size, "forgetting": forgetting}
    )
    assert 0 < len(answer.numbers["support"]) <= size
    assert "bound" not in answer.numbers


def test_the_cell_of_each_point_has_the_answer_to_it():
    answer = XOR.answer({"method": "kernel"})
    shown = answer.picture["regions"]
    cells = np.array([int(digit) for digit in shown["classes"]]).reshape(shown["rows"], shown["columns"])
    for (x, y), label in zip(SIGNS, START["labels"], strict=True):
        column = int((x - shown["x"][0]) / (shown["x"][1] - shown["x"][0]) * shown["columns"])
        row = int((shown["y"][1] - y) / (shown["y"][1] - shown["y"][0]) * shown["rows"])
        assert cells[row, column] == (label > 0)


# ---------------------------------------------------------------- step by step


@pytest.mark.parametrize("keep", ["last", "averaged"])
def test_the_replay_is_of_the_run_that_the_page_counts(keep):
    state = {"method": "kernel", "kernel": "gaussian", "points": CIRCLES, "labels": [1] * 9 + [-1] * 9}
    answer = XOR.answer({**state, "keep": keep, "replay": True})
    shown = answer.replay
    assert shown.head["overview"]["mistakes"][-1] == answer.numbers["mistakes"]
    assert shown.head["n_steps"] == answer.numbers["looks"] == 18 * answer.numbers["passes"]
    assert shown.head["kernel"]["support"] == answer.numbers["support"]
    support = answer.numbers["support"]
    last = dict(zip(support, shown.columns[-len(support) :, -1], strict=True))
    if keep == "last":
        assert last == dict(zip(support, answer.numbers["coefficients"], strict=True))


def test_the_two_mistakes_of_xor_are_replayed_and_on_bits_the_round_is_named():
    answer = XOR.answer({"method": "kernel", "replay": True})
    assert answer.replay.head["kernel"]["formula"] == "(x·z)²"
    assert answer.replay.head["proof"]["bound"] == pytest.approx(2.0)
    round_ = XOR.answer({"method": "kernel", "points": BITS, "replay": True})
    assert round_.numbers["cycle"] == [11, 4, 1.0, 1]
    assert any("The run cycles: the state after step 11" in said for said in round_.sentences)
    can = XOR.answer({"method": "kernel", "points": BITS, "kernel": "polynomial", "replay": True})
    assert can.replay.head["overview"]["mistakes"][-1] == 21


def test_a_polynomial_is_replayed_as_its_kernel_and_the_line_as_itself():
    written = XOR.answer({"method": "polynomial", "replay": True})
    assert written.replay.head["kernel"]["formula"] == "(x·z + 1)²"
    assert written.replay.head["overview"]["mistakes"][-1] == written.numbers["mistakes"]
    assert "kernel" not in XOR.answer({"replay": True}).replay.head


def test_there_is_no_replay_unless_requested_nor_on_a_budget():
    assert XOR.answer({"method": "kernel"}).replay is None
    limited = XOR.answer({"method": "kernel", "budget": 2, "replay": True})
    assert limited.replay is None
    assert any("With a budget, a run has no replay on this page" in said for said in limited.sentences)
