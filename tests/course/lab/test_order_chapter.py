"""Order, averaging, voting: what the page says of orders and keepers, and the boundary of a vote."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.course.lab.boundaries import boundary
from rosenblatt.course.lab.chapters.row_orders import (
    KEEPERS,
    ORDERS,
)

# ---------------------------------------------------------------- one order, four keepers


def test_the_page_opens_on_an_order_whose_last_line_is_much_worse_than_its_mean():
    numbers = ORDERS.answer().numbers
    assert numbers["wrong"] == {"last": 19, "averaged": 4, "voted": 4, "pocket": 3}
    assert numbers["wrong"]["last"] == max(round((1 - part) * 36) for part in numbers["accuracy"]["last"])


def test_the_order_by_class_looks_at_all_of_one_class_first(ran):
    state = {"points": [[1, 0], [-1, 0], [2, 0], [-2, 1]], "labels": [-1, 1, -1, 1], "order": "by class"}
    names = ran(ORDERS.answer({**state, "run": 0}).python)
    assert names["own"]["order"] == [1, 3, 0, 2]


# ---------------------------------------------------------------- many orders


def test_the_chosen_order_is_one_of_the_many():
    for run in (0, 7, 19):
        numbers = ORDERS.answer({"run": run}).numbers
        assert numbers["boundaries"]["last"] == numbers["lines"][run]
        for keep in KEEPERS:
            assert numbers["wrong"][keep] == round((1 - numbers["accuracy"][keep][run]) * numbers["n"])


# ---------------------------------------------------------------- the boundary that is no line


@given(angle=st.floats(0, 6.28), away=st.floats(-0.8, 0.8))
def test_the_boundary_of_a_line_is_that_line(angle, away):
    w = np.array([np.cos(angle), np.sin(angle)])
    nodes = np.linspace(-1, 1, 9)
    positive, segments = boundary(lambda places: places @ w > away, nodes, nodes[::-1])
    assert positive.shape == (9, 9)
    assert positive[0, -1] == (w.sum() > away)
    for ends in segments:
        assert np.array(ends) @ w == pytest.approx(np.full(2, away), abs=0.25 * 2**-7)
    assert segments


def test_where_all_answers_are_alike_there_is_no_boundary():
    nodes = np.linspace(0, 1, 4)
    assert boundary(lambda places: places[:, 0] < 9, nodes, nodes)[1] == []


def test_a_saddle_gets_two_pieces():
    nodes = np.array([-1.0, 1.0])
    _, segments = boundary(lambda places: places[:, 0] * places[:, 1] > 0, nodes, nodes)
    assert len(segments) == 2


def test_the_drawn_boundary_parts_the_votes(ran):
    answer = ORDERS.answer()
    names = ran(answer.python)
    for ends in answer.picture["voted"]["boundary"][::7]:
        first, second = np.array(ends)
        along = (second - first)[::-1] * [1, -1]
        if np.linalg.norm(along) < 1e-6:
            continue
        across = 0.02 * along / np.linalg.norm(along)
        middle = (first + second) / 2
        on_both_sides = names["models"]["voted"].predict([middle + across, middle - across])
        assert set(on_both_sides.tolist()) == {-1, 1}


# ---------------------------------------------------------------- what is refused, and limits


def test_the_sentences_say_how_far_the_orders_are_apart():
    spread, keepers, chosen = ORDERS.answer().sentences
    assert spread == "20 orders of the same 36 points end in 20 different w, after 31 to 38 mistakes."
    assert "last 3 to 19; averaged always 4; voted 3 to 4; pocket 3 to 4" in keepers
    assert chosen == "In the selected order: last 19, averaged 4, voted 4, pocket 3."
