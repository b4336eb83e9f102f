"""Order, averaging, voting: what the page says of orders and keepers, and the boundary of a vote."""

from __future__ import annotations

from rosenblatt.course.lab.chapters.row_orders import (
    KEEPERS,
    ORDERS,
)

# ---------------------------------------------------------------- one order, four keepers


def test_the_page_opens_on_an_order_whose_last_line_is_much_worse_than_its_mean():
    numbers = ORDERS.answer().numbers
    assert numbers["wrong"] == {"last": 19, "averaged": 4, "voted": 4, "pocket": 3}
    assert numbers["wrong"]["last"] == max(round((1 - part) * 36) for part in numbers["accuracy"]["last"])


def test_the_order_by_class_visits_all_of_one_class_first(ran):
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


# ---------------------------------------------------------------- what is refused, and limits


def test_the_sentences_report_how_far_the_orders_are_apart():
    spread, keepers, chosen = ORDERS.answer().sentences
    assert spread == "20 orders of the same 36 points end in 20 different w, after 31 to 38 mistakes."
    assert "last 3 to 19; averaged always 4; voted 3 to 4; pocket 3 to 4" in keepers
    assert chosen == "In the selected order: last 19, averaged 4, voted 4, pocket 3."
