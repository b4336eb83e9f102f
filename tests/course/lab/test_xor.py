"""XOR and what helps: against a kernel perceptron of ten lines, and the numbers of the notes."""

from __future__ import annotations

import itertools
import math
import re
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import budgets, mistake_bound
from rosenblatt.course.lab.chapters.xor import (
    MOST_BOUNDED,
    MOST_PASSES,
    MOST_POINTS,
    MOST_STEPS,
    START,
    XOR,
)
from rosenblatt.course.lab.server import finite
from rosenblatt.errors import BadInput

BITS = [[0, 0], [0, 1], [1, 0], [1, 1]]
SIGNS = START["points"]
CIRCLES = [
    [round(r * math.cos(a), 2), round(r * math.sin(a), 2)]
    for r in (0.6, 1.2)
    for a in np.linspace(0, 6, 9).tolist()
]


def plainly(points, labels, kernel, passes):
    """The dual perceptron as the notes have it: coefficients, mistakes, and the passes it took."""
    found, mistakes, made = dict.fromkeys(range(len(points)), 0), 0, 0
    while made < passes:
        made, before = made + 1, mistakes
        for row, (z, y) in enumerate(zip(points, labels, strict=True)):
            if y * sum(part * kernel(points[i], z) for i, part in found.items()) <= 0:
                found[row] += y
                mistakes += 1
        if mistakes == before:
            break
    return {row: part for row, part in found.items() if part}, mistakes, made


def dot(x, z):
    return x[0] * z[0] + x[1] * z[1]


# ---------------------------------------------------------------- the same in Python

STATES = [
    {},
    {"points": BITS},
    {"points": CIRCLES, "labels": [1] * 9 + [-1] * 9},
    {"points": [[0, 0], [2, 1]], "labels": [-1, 1]},
    {"method": "polynomial"},
    {"method": "polynomial", "degree": 8, "keep": "averaged", "points": BITS},
    {"method": "polynomial", "points": CIRCLES, "labels": [1] * 9 + [-1] * 9, "passes": 3},
    {"method": "kernel"},
    {"method": "kernel", "points": BITS},
    {"method": "kernel", "points": BITS, "kernel": "polynomial", "c": 0.7, "degree": 3},
    {"method": "kernel", "kernel": "gaussian", "gamma": 0.35, "keep": "averaged"},
    {"method": "kernel", "kernel": "laplacian", "points": CIRCLES, "labels": [1] * 9 + [-1] * 9},
    {"replay": True},
    {"method": "polynomial", "points": BITS, "replay": True},
    {"method": "kernel", "replay": True},
    {"method": "kernel", "points": BITS, "replay": True, "step": 3},
    {"method": "kernel", "budget": 2, "replay": True},
    *(
        {"method": "kernel", "kernel": "gaussian", "budget": 3, "forgetting": forgetting}
        for forgetting in budgets.BUDGETS
    ),
]


@pytest.mark.parametrize("changes", STATES)
def test_the_python_text_gives_the_numbers_of_the_page(same_in_python, changes):
    same_in_python(XOR, changes)


# ---------------------------------------------------------------- the line


@pytest.mark.parametrize("points", [SIGNS, BITS])
def test_the_line_goes_round_on_xor_and_it_is_announced(points):
    answer = XOR.answer({"points": points})
    assert answer.numbers["cycle"] == [0, 4, 1.0, 4]
    assert "recurs every 4 steps (1 pass, 4 updates): this run never ends" in answer.sentences[0]
    assert answer.numbers["separable"] is False
    assert answer.numbers["support"] == [0, 1, 2, 3]
    assert "the convex hulls of the two classes intersect, as rows 0, 1, 2, 3 prove" in answer.sentences[1]


def test_the_lines_of_a_round_are_those_of_a_plain_loop():
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


def test_a_run_that_is_too_long_to_be_watched_is_ended_and_said_so():
    answer = XOR.answer({"points": [[0, 0], [0.01, 0]], "labels": [1, -1]})
    assert answer.numbers["separable"] is True
    assert f"in {MOST_STEPS:,} steps and has not ended" in answer.sentences[0]
    assert "after more steps than this page makes" in answer.sentences[1]


# ---------------------------------------------------------------- kernels

wholes = st.integers(-3, 3)
clouds = st.lists(
    st.tuples(wholes, wholes, st.sampled_from([-1, 1])), min_size=2, max_size=8, unique_by=lambda p: p[:2]
).filter(lambda cloud: len({label for *_, label in cloud}) == 2)


@given(clouds, st.integers(1, 4), st.sampled_from([0, 1, 2]), st.integers(1, 6))
def test_a_power_kernel_learns_as_a_plain_loop_does(cloud, degree, c, passes):
    points, labels = [list(p[:2]) for p in cloud], [p[2] for p in cloud]
    kernel = "polynomial" if c else "homogeneous"
    numbers = XOR.answer(
        {"points": points, "labels": labels, "method": "kernel", "kernel": kernel, "degree": degree,
         "c": c or 1, "passes": passes}
    ).numbers  # fmt: skip
    found, mistakes, made = plainly(points, labels, lambda x, z: (dot(x, z) + c) ** degree, passes)
    assert dict(zip(numbers["support"], numbers["coefficients"], strict=True)) == found
    assert (numbers["mistakes"], numbers["passes"]) == (mistakes, made)


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


@pytest.mark.parametrize(
    ("kernel", "formula"),
    [
        ("gaussian", lambda x, z: math.exp(-0.8 * math.dist(x, z) ** 2)),
        ("laplacian", lambda x, z: math.exp(-0.8 * (abs(x[0] - z[0]) + abs(x[1] - z[1])))),
    ],
)
def test_a_kernel_of_nearness_learns_as_a_plain_loop_does(kernel, formula):
    labels = [1] * 9 + [-1] * 9
    state = {"points": CIRCLES, "labels": labels, "method": "kernel", "kernel": kernel, "gamma": 0.8}
    numbers = XOR.answer(state).numbers
    found, mistakes, passes = plainly(CIRCLES, labels, formula, 50)
    assert dict(zip(numbers["support"], numbers["coefficients"], strict=True)) == found
    assert (numbers["mistakes"], numbers["passes"], numbers["converged"]) == (mistakes, passes, True)


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


@pytest.mark.parametrize("kernel", ["polynomial", "gaussian"])
def test_no_order_of_the_points_makes_more_mistakes_than_the_bound(kernel):
    state = {"method": "kernel", "kernel": kernel}
    most = XOR.answer(state).numbers["bound"][1]
    for order in itertools.permutations(range(4)):
        turned = {name: [START[name][row] for row in order] for name in ("points", "labels")}
        assert XOR.answer({**state, **turned}).numbers["mistakes"] <= most


def test_the_bound_of_the_page_is_that_of_mistake_bound():
    numbers = XOR.answer({"method": "kernel", "kernel": "gaussian", "points": BITS}).numbers
    bound = mistake_bound(BITS, START["labels"], kernel="gaussian", gamma=1.0)
    assert numbers["bound"] == list(bound.bound)


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


def test_there_is_no_replay_unless_it_is_asked_for_nor_on_a_budget():
    assert XOR.answer({"method": "kernel"}).replay is None
    limited = XOR.answer({"method": "kernel", "budget": 2, "replay": True})
    assert limited.replay is None
    assert any("On a budget a run has no replay here" in said for said in limited.sentences)


# ---------------------------------------------------------------- states that cannot be


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"points": [], "labels": []}, "there is no point yet; click into the picture to add one"),
        ({"labels": [1, 1, 1, 1]}, "all points are +; add a point of the other class"),
        ({"labels": [1, -1]}, "2 labels for 4 points"),
        ({"labels": [1, -1, 0, 1]}, "row 2: got 0, expected one of -1, +1"),
        ({"points": [[0, 0], [1, math.nan]], "labels": [1, -1]}, "row 1: expected a finite number"),
        ({"points": [[0, 0, 0]], "labels": [1]}, "expected 2 numbers"),
        ({"method": "svm"}, "expected one of 'line', 'polynomial', 'kernel'"),
        ({"method": "polynomial", "degree": 9}, "degree: expected a number from 1 to 8"),
        ({"method": "polynomial", "passes": 0}, f"passes: expected a number from 1 to {MOST_PASSES}"),
        ({"method": "kernel", "kernel": "sigmoid"}, "kernel: got 'sigmoid'"),
        (
            {"method": "kernel", "kernel": "gaussian", "gamma": 0},
            "gamma: expected a number from 0.05 to 10",
        ),
        ({"method": "kernel", "kernel": "polynomial", "c": -1}, "c: expected a number from 0.01"),
        ({"method": "kernel", "budget": 2.5}, "budget: expected a whole number"),
        ({"replay": "yes"}, "replay: expected true or false"),
        ({"step": -1}, "step: expected a number from 0"),
        ({"method": "kernel", "budget": 2, "forgetting": "never"}, "forgetting: got 'never'"),
        ({"points": [[0, 0]] * (MOST_POINTS + 1)}, f"this page takes at most {MOST_POINTS}"),
    ],
)
def test_a_state_that_cannot_be_is_refused_with_a_sentence(changes, sentence):
    with pytest.raises(BadInput, match=re.escape(sentence)):
        XOR.answer(changes)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"method": "polynomial", "degree": 8},
        {"method": "kernel", "kernel": "gaussian", "gamma": 10},
        {"method": "kernel", "kernel": "homogeneous", "replay": True},
        {"method": "kernel", "kernel": "laplacian", "gamma": 10, "budget": 50, "forgetting": "random"},
    ],
)
def test_the_largest_state_is_answered_soon(changes):
    rng = np.random.default_rng(0)
    state = {
        "points": (3 * rng.normal(size=(MOST_POINTS, 2))).round(2).tolist(),
        "labels": rng.permutation([1, -1] * (MOST_POINTS // 2)).tolist(),
    }
    XOR.answer({**changes, **state})  # machine code is made on first use
    began = time.process_time()
    answer = XOR.answer({**changes, **state})
    assert time.process_time() - began < 2.0
    assert MOST_POINTS > MOST_BOUNDED
    assert "bound" not in answer.numbers
    assert finite(dict(answer.picture)) == dict(answer.picture)
