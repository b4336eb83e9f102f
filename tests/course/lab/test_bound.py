"""The bound: what the page says of the idea, the proof and the run."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rosenblatt import Proof, verify
from rosenblatt.course.lab.chapters.bound import BOUND, EXAMPLES, MOST_LOOKS, START
from rosenblatt.errors import ProofRejected

QUARTERS = st.integers(-12, 12).map(lambda quarter: quarter / 4)  # sums of them are exact
POINTS = st.lists(st.tuples(QUARTERS, QUARTERS).map(list), min_size=2, max_size=12, unique_by=tuple)


def with_labels(points, signs):
    labels = [1 if sign else -1 for sign in signs[: len(points)]]
    assume(len(set(labels)) == 2)
    return {"points": points, "labels": labels}


# ---------------------------------------------------------------- the idea


def test_with_an_offset_the_idea_is_about_lifted_points():
    sizes = {"ideal_radius": 3.0, "ideal_margin": 0.5, "ideal_distance": 2.0}
    numbers = BOUND.answer(sizes).numbers
    assert numbers["allowed"] == pytest.approx((3.0**2 + 1) * (1 + 2.0**2) / 0.5**2)
    assert numbers["expected"] == 36


# ---------------------------------------------------------------- the proof and the run


def test_two_points_near_each_other_take_203_mistakes_and_not_4():
    numbers = BOUND.answer(EXAMPLES["x = 0 (+) and x = 0.1 (−)"]).numbers
    assert round((numbers["radius"] / numbers["margin"][0]) ** 2) == 4
    assert (numbers["mistakes"], numbers["most"]) == (203, 405)


@given(points=POINTS, signs=st.lists(st.booleans(), min_size=12, max_size=12), offset=st.booleans())
@settings(max_examples=20)
def test_the_weighted_points_of_a_proof_sum_to_zero(points, signs, offset):
    state = {**with_labels(points, signs), "offset": offset}
    numbers = BOUND.answer(state).numbers
    assume(numbers["separable"] is False)
    total = np.zeros(3)
    for row, share in zip(numbers["cancelling"], numbers["shares"], strict=True):
        assert share > 0
        total += share * state["labels"][row] * np.array([*points[row], float(offset)])
    assert total == pytest.approx(np.zeros(3), abs=1e-9)
    assert numbers["cancelling"] == numbers["support"]


def test_every_mistake_gains_at_least_the_margin_and_adds_at_most_the_squared_radius():
    answer = BOUND.answer()
    curves = answer.picture["curves"]
    assert min(curves["progress"]) >= curves["margin"] - 1e-9
    assert max(curves["growth"]) <= curves["radius"] ** 2 + 1e-9
    for t, along, length in zip(curves["t"], curves["along"], curves["length"], strict=True):
        assert t * curves["margin"] <= along + 1e-9
        assert along <= length + 1e-9
        assert length <= math.sqrt(t) * curves["radius"] + 1e-9
    assert curves["t"] == list(range(1, answer.numbers["mistakes"] + 1))


def test_the_proof_that_is_shown_can_be_checked_and_not_for_other_points():
    answer = BOUND.answer()
    proof = Proof.from_json(answer.picture["proof"])
    assert str(verify(proof, START["points"], START["labels"])) == answer.numbers["checked"]
    others = [[9, 9], *START["points"][1:]]
    with pytest.raises(ProofRejected, match="other data"):
        verify(proof, others, START["labels"])


def test_the_nearest_points_of_the_hulls_are_two_margins_apart():
    answer = BOUND.answer()
    first, second = np.array(answer.picture["nearest"])
    assert np.linalg.norm(second - first) == pytest.approx(2 * answer.numbers["margin"][0])


def test_xor_meets_in_the_middle_and_its_cycle_is_reported():
    answer = BOUND.answer(EXAMPLES["XOR"])
    assert answer.picture["meeting"] == [0, 0]
    assert answer.numbers["shares"] == [0.5] * 4
    assert "this run never ends" in answer.sentences[-1]
    assert answer.picture["curves"] is None


def test_the_three_points_of_the_notes_need_an_offset():
    without = BOUND.answer(EXAMPLES["Three points of the notes, no offset"])
    assert without.numbers["kind"] == "quasi-separable"
    assert without.numbers["cancelling"] == [0, 1]
    assert BOUND.answer(EXAMPLES["The same three with an offset"]).numbers["separable"]


# ---------------------------------------------------------------- what is refused, and limits


def test_a_run_that_was_not_followed_to_its_end_is_reported():
    answer = BOUND.answer({"points": [[0, 0], [1e-6, 0]], "labels": [1, -1]})
    assert f"in its first {MOST_LOOKS:,} steps; the page shows no more" in answer.sentences[2]
    assert "reached" not in answer.numbers
    assert len(answer.picture["curves"]["t"]) <= 400


def test_the_sentences_state_which_points_decide_and_how_the_run_went():
    proved, checked, run, reached = BOUND.answer().sentences
    assert "3 rows determine the margin: 6, 10, 11" in proved
    assert "Valid: a hyperplane separates 16 rows" in checked
    assert run.endswith(
        "made 24 mistakes in 9 passes; the last pass made no mistake; no order makes more than 312."
    )
    assert "12.7 % of the best possible margin" in reached
