"""Order, averaging, voting, as a person at the page: choosing orders and keepers, drawing points."""

from __future__ import annotations


def test_another_order_is_chosen_in_the_chart(lab_page, store):
    lab = lab_page("orders")
    store(lab.page, "orders")
    chart = lab.page.get_by_role("img", name="Misclassified points in each of 20 orders")
    lab.click_in(chart, across=0.6)
    run = lab.changes["run"]
    assert run in (10, 11, 12)
    shown = lab.numbers
    assert shown == lab.of_python
    assert shown["boundaries"]["last"] == shown["lines"][run]
    assert lab.field("Shuffle number").input_value() == str(run)


def test_the_table_has_the_errors_of_all_averaging_strategies(lab_page):
    lab = lab_page("orders")
    rows = lab.table("Misclassified points").locator("tbody tr")
    assert [row.split() for row in rows.all_inner_texts()] == [
        ["last", "19", "3", "5", "19"],
        ["averaged", "4", "4", "4", "4"],
        ["voted", "4", "3", "4", "4"],
        ["pocket", "3", "3", "3", "4"],
    ]


def test_settings_are_changed_with_keys_and_carried_by_the_link(lab_page):
    lab = lab_page("orders")
    lab.field("Passes").focus()
    lab.key("ArrowRight")
    lab.field("Orders").focus()
    lab.key("Home")
    assert lab.changes == {"epochs": 6, "orders": 2, "run": 1}
    lab.choose("Order", "by class")
    lab.choose("Rule", "forgetting")
    lab.choose("Start", "unit")
    lab.after(lambda: lab.field("with an offset b").uncheck())
    assert lab.field("Shuffle number").is_hidden()
    other = lab.reopen()
    assert other.numbers == lab.numbers == lab.of_python
