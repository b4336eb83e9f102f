"""For any finite doubles, the verdict is proved and its hyperplane separates the rows."""

from __future__ import annotations

import math
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import separate, verify
from tests.patience import HANGS

LARGEST, SMALLEST, NORMAL = sys.float_info.max, 5e-324, sys.float_info.min
special = st.sampled_from(
    [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, math.nextafter(1, 2), SMALLEST, -SMALLEST, NORMAL, LARGEST, -LARGEST,
     1e-300, 1e300, -1e300, 1e154, 1e-162, 2147483647.0, 0.1, 0.2, 0.3]
)  # fmt: skip
wild = special | st.floats(allow_nan=False, allow_infinity=False)
tame = st.integers(-3, 3).map(float) | st.floats(-1, 1)


@st.composite
def problems(draw, numbers):
    n, d = draw(st.integers(1, 9)), draw(st.integers(1, 4))
    X = np.array(draw(st.lists(numbers, min_size=n * d, max_size=n * d))).reshape(n, d)
    y = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    return X, y, draw(st.booleans()), draw(st.sampled_from([1e-2, 1e-6, 0]))


def check(naive, X, y, offset, tolerance):
    verdict = separate(X, y, offset=offset, tolerance=tolerance, time_limit=HANGS)
    assert verdict.ended == "proved"
    assert verdict.kind in ("separable", "quasi-separable", "overlapping")
    facts = verify(verdict.proof.to_json(), X, y)
    assert (facts.kind, facts.margin) == (verdict.kind, verdict.margin)
    naive.check_proof(verdict.proof, X, y)
    low, high = verdict.margin
    assert low <= high
    if tolerance and verdict.separable and low > 1e-290:
        assert high == math.inf or high - low <= tolerance * high
    assert str(verdict)
    return verdict


@given(problems(wild))
def test_every_verdict_on_wild_numbers_is_proved_twice(naive, problem):
    check(naive, *problem)


@given(problems(tame | wild))
def test_the_hyperplane_separates_in_fractions_if_doubles_hold_it(naive, problem):
    X, y, offset, tolerance = problem
    verdict = separate(X, y, offset=offset, tolerance=tolerance, time_limit=HANGS)
    if not verdict.separable:
        return
    w, b = verdict.hyperplane
    assert np.isfinite(w).all()
    assert math.isfinite(b)
    assert offset or b == 0.0
    part = verdict.proof.parts[0]
    if all(isinstance(number, float) for number in (*part.w, part.b)):
        assert (tuple(w.tolist()), b) == (part.w, part.b)
        assert min(naive.agreements(X, y, w.tolist(), b)) > 0


@given(problems(tame | wild))
def test_flipping_all_labels_changes_neither_kind_nor_margin(problem):
    X, y, offset, _ = problem
    one = separate(X, y, offset=offset, tolerance=0, time_limit=HANGS)
    other = separate(X, 1 - y, offset=offset, tolerance=0, time_limit=HANGS)
    if len(set(y.tolist())) == 2 or offset:
        assert one.kind == other.kind
        assert one.margin[0] <= other.margin[1]
        assert other.margin[0] <= one.margin[1]
