"""Whether a run on inseparable rows may end, for each meaning of a score of 0."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import halfspace_by_lp, separate
from rosenblatt.data.labels import as_labels
from rosenblatt.numeric.row_batches import TIES, Batch, as_rows
from rosenblatt.proof.clock import Clock
from rosenblatt.proof.parts import Gordan, QuasiSeparation
from rosenblatt.proof.ties import weakly_separable
from rosenblatt.training.progress import Progress


def make_batch(X, y):
    return Batch(as_rows(X), as_labels(y), np.empty(0))


PLUS_CANCELS = [[0.0, 1.0], [0.0, -1.0], [-1.0, 0.0]], [1, 1, -1]
NEVER = "never stops making mistakes on these rows, however a score of 0 is counted."


def mistakes_until_none(X, y, tie, offset, passes=60):
    """The textbook from w = 0 in the given order; None where it is still making mistakes after `passes`."""
    lifted = [[*row, float(offset)] for row in X]
    w, made = [0.0] * len(lifted[0]), 0
    for _ in range(passes):
        before = made
        for x, label in zip(lifted, y, strict=True):
            score = sum(u * v for u, v in zip(w, x, strict=True))
            answer = TIES[tie] if score == 0 else np.sign(score)
            if answer != label:
                w = [u + label * v for u, v in zip(w, x, strict=True)]
                made += 1
        if made == before:
            return made
    return None


@st.composite
def small_sets(draw):
    """Whole numbers near 0, so that points often cancel, repeat, or are the origin."""
    d, n = draw(st.integers(1, 3)), draw(st.integers(1, 7))
    X = draw(st.lists(st.lists(st.integers(-2, 2), min_size=d, max_size=d), min_size=n, max_size=n))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    return np.array(X, float), np.array(y)


@given(small_sets(), st.sampled_from(sorted(TIES)), st.booleans())
def test_if_no_w_is_consistent_no_run_ends_and_a_linear_program_finds_none(data, tie, offset):
    X, y = data
    if len(set(y)) == 1:
        y = abs(y)  # a single class is the positive one
    verdict = separate(X, y, offset=offset)
    line = halfspace_by_lp(X, y, offset=offset, tie=tie)
    assert line.tie == tie
    assert line.found is line.consistent is verdict.consistent[tie]
    if mistakes_until_none(X.tolist(), y, tie, offset) is not None:
        assert verdict.consistent[tie]
    if verdict.separable:
        assert all(verdict.consistent.values())
    else:
        assert not verdict.consistent["mistake"]
        assert sum(verdict.consistent.values()) <= (not offset)  # with an offset b can be moved


@given(small_sets())
def test_the_other_names_of_the_classes_swap_the_two_ties(data):
    X, y = data
    if len(set(y)) == 2:
        here, there = separate(X, y, offset=False).consistent, separate(X, -y, offset=False).consistent
        assert here["positive"] is there["negative"]
        assert here["negative"] is there["positive"]


def test_a_class_that_cancels_itself_may_lie_where_the_score_is_0():
    X, y = PLUS_CANCELS
    verdict = separate(X, y, offset=False)
    assert verdict.consistent == {"mistake": False, "positive": True, "negative": False}
    assert mistakes_until_none(X, y, "positive", False) == 1
    assert (
        mistakes_until_none(X, y, "mistake", False) is mistakes_until_none(X, y, "negative", False) is None
    )
    assert (
        "The perceptron without offset never stops making mistakes on these rows, unless a score of 0 "
        "counts as a prediction of 1 (tie='positive'): then some w makes no mistake, and a run may end."
    ) in str(verdict)


@pytest.mark.parametrize(
    ("X", "y", "offset", "possible"),
    [
        ([[0, 0], [1, 0], [0, 1]], [-1, 1, 1], False, ["negative"]),  # the origin
        ([[0, 0], [1, 0], [0, 1]], [1, 1, -1], False, ["positive"]),
        ([[0, 0], [0, 0]], [1, -1], False, []),
        ([[0, 0], [0, 0]], [1, -1], True, []),
        ([[1], [1]], [1, -1], True, []),
        ([[-1, -1], [-1, 1], [1, -1], [1, 1]], [-1, 1, 1, -1], True, []),  # XOR
        ([[-1, -1], [-1, 1], [1, -1], [1, 1]], [-1, 1, 1, -1], False, []),
        ([[1], [-1], [2]], [1, 1, -1], False, []),  # 1 and −1 cancel, and so do 2 (−) and 1 (+)
        ([[0, 1], [0, -1], [-1, 0], [-1, 2], [1, 2]], [1, 1, -1, -1, -1], False, []),
        ([[0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1], [-1, 5, 3]], [1, 1, 1, 1, -1], False, ["positive"]),
    ],
)
def test_which_ties_leave_a_way_out(X, y, offset, possible):
    verdict = separate(X, y, offset=offset)
    assert verdict.separable is False
    assert [tie for tie, can in verdict.consistent.items() if can] == possible
    assert (NEVER in str(verdict)) is (not possible)


@pytest.mark.parametrize(("last", "is_weak"), [([0, -1, 0], True), ([0, 1, 0], False)])
def test_rows_on_the_hyperplane_of_the_first_direction_are_examined_again(last, is_weak):
    X = np.array([[0, 0, 1], [0, 0, -1], [-1, 0, 0], [0, -1, 0], last], float)
    batch = make_batch(X, [1, 1, -1, -1, -1])
    narrow = QuasiSeparation((1, 0, 0), 0, 1)  # has row 2 off its hyperplane, and could have had row 3 too
    with Progress(False, None, "steps") as bar:
        assert weakly_separable(batch, Gordan((0, 1), (1, 1)), narrow, Clock(None, bar)) is is_weak
    assert separate(X, batch.labels, offset=False).consistent["positive"] is is_weak
