"""Decision regions: each cell has the answer at its middle, and only borders are asked in detail."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.course.lab.grid_regions import COLUMNS, FINER, ROWS, WIDER, half_of, regions

ORIGIN = np.zeros((1, 2))


def table(shown):
    return np.array([int(digit) for digit in shown["classes"]]).reshape(shown["rows"], shown["columns"])


def middles(shown):
    """The middle of each cell, worked out from the ranges alone."""
    (left, right), (low, high) = shown["x"], shown["y"]
    x = left + (right - left) * (np.arange(shown["columns"]) + 0.5) / shown["columns"]
    y = high - (high - low) * (np.arange(shown["rows"]) + 0.5) / shown["rows"]
    return np.stack(np.meshgrid(x, y), axis=-1)


@given(st.floats(0.0, 6.28), st.floats(-1.0, 1.0))
def test_a_cell_is_on_the_side_of_the_line_that_its_middle_is_on(angle, offset):
    w = np.array([np.cos(angle), np.sin(angle)])
    shown = regions(ORIGIN, lambda cells: cells @ w + offset > 0)
    scores = middles(shown) @ w + offset
    inside = np.s_[FINER:-FINER, FINER:-FINER]  # at the rim a neighbour is missing that would tell
    clear = np.abs(scores[inside]) > 1e-9
    assert ((table(shown)[inside] == 1) == (scores[inside] > 0))[clear].all()


def test_far_from_a_border_one_answer_serves_many_cells():
    asked = []
    regions(ORIGIN, lambda cells: asked.append(len(cells)) or cells[:, 1] > 0)
    assert asked[0] == COLUMNS * ROWS
    assert sum(asked) < 0.25 * COLUMNS * ROWS * FINER**2


def test_a_patchwork_is_not_refined():
    asked = []

    def patchwork(cells):
        asked.append(len(cells))
        return np.arange(len(cells)) % 3

    shown = regions(ORIGIN, patchwork)
    assert asked == [COLUMNS * ROWS]
    assert shown["classes"][: 3 * FINER] == "0" * FINER + "1" * FINER + "2" * FINER


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=1, max_size=5))
def test_the_view_holds_all_points_and_not_much_more(points):
    points = np.array(points)
    half, farthest = half_of(points), np.abs(points).max()
    assert farthest <= half
    assert half == 1.5 or half <= 1.6 * farthest
    assert regions(points, lambda cells: np.zeros(len(cells)))["x"] == [-WIDER * half, WIDER * half]


def test_a_view_of_its_own_moves_the_grid():
    centre = np.array([100.0, -50.0])
    here = regions(ORIGIN, lambda cells: cells[:, 0] > cells[:, 1])
    there = regions(ORIGIN, lambda cells: cells[:, 0] - 100.0 > cells[:, 1] + 50.0, (centre, 1.5))
    assert there["classes"] == here["classes"]
    assert np.allclose(np.array([there["x"], there["y"]]).T - centre, np.array([here["x"], here["y"]]).T)
