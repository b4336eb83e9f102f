"""The interval of the margin contains the largest margin, and is as narrow as requested."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import separate
from rosenblatt.proof import proof_search
from tests.patience import HANGS


def plane_problem(rng):
    """Separable points of a small lattice on the line or in the plane."""
    while True:
        n, d, offset = int(rng.integers(2, 10)), int(rng.integers(1, 3)), bool(rng.integers(2))
        X = rng.integers(-9, 10, (n, d))
        score = X @ rng.integers(-5, 6, d) + (rng.integers(-9, 10) if offset else 0)
        if score.all() and len(set(np.sign(score))) == 2:
            return X, (score > 0).astype(int), offset


@pytest.mark.parametrize("tolerance", [1e-2, 1e-6, 0])
def test_the_margin_of_points_in_the_plane_equals_that_of_all_corners_and_sides(naive, tolerance):
    rng = np.random.default_rng(1)
    for _ in range(150):
        X, y, offset = plane_problem(rng)
        lower, upper = separate(X, y, offset=offset, tolerance=tolerance).margin
        square = naive.squared_margin_in_the_plane(X, y, offset)
        assert Fraction(lower) ** 2 <= square <= Fraction(upper) ** 2
        assert upper - lower <= max(tolerance, 2**-52) * upper


@pytest.mark.parametrize("in_whole_numbers", [False, True])
def test_a_tolerance_of_zero_gives_the_two_doubles_next_to_the_margin_or_the_margin_itself(
    naive, monkeypatch, in_whole_numbers
):
    if in_whole_numbers:
        monkeypatch.setattr(proof_search, "_float_search", lambda *_, **__: None)
    rng = np.random.default_rng(2)
    exact = 0
    for _ in range(150):
        X, y, offset = plane_problem(rng)
        # whole numbers alone give these two doubles for any tolerance
        lower, upper = separate(X, y, offset=offset, tolerance=1e-6 if in_whole_numbers else 0).margin
        square = naive.squared_margin_in_the_plane(X, y, offset)
        assert naive.is_largest_double_below(lower, square)
        assert naive.is_smallest_double_above(upper, square)
        exact += lower == upper
    assert 0 < exact < 150  # some are rational, most are not


@given(
    gap=st.floats(1e-300, 1e300), corners=st.integers(1, 4), size=st.floats(0, 1), offset=st.booleans(),
)  # fmt: skip
def test_two_boxes_face_each_other_at_half_their_distance(gap, corners, size, offset):
    """Boxes at ±gap on the first axis, of equal height: the margin is the gap, whatever the height."""
    rows = [[gap, 0.0], [-gap, 0.0], [gap, size], [-gap, size]]
    rows += [[gap * (1 + k), size * k] for k in range(corners)]
    rows += [[-gap * (1 + k), size * k] for k in range(corners)]
    y = [int(row[0] > 0) for row in rows]
    assert separate(rows, y, offset=offset, tolerance=0, time_limit=HANGS).margin == (gap, gap)
