"""How sure is w?, as a person at the page: the replay with its ellipse, other rules, points drawn."""

from __future__ import annotations


def test_the_ellipse_is_drawn_and_the_two_rules_compared(lab_page, store):
    lab = lab_page("sure")
    assert lab.numbers == lab.of_python
    assert (
        "the ellipse is one standard deviation of w"
        in lab.page.locator(".replay .stage > .note").inner_text()
    )
    rows = lab.table("First and second order").locator("tbody tr").all_inner_texts()
    mistakes = [int(row.split("\t")[1]) for row in rows]
    assert mistakes == [lab.numbers["mistakes"]["sure"], lab.numbers["mistakes"]["plain"]]
    assert 3 * mistakes[0] < mistakes[1]
    lab.page.get_by_role("button", name="One step forward", exact=True).click()
    lab.page.wait_for_selector(".replay[data-step='1']")
    store(lab.page, "sure")


def test_rules_and_forms_are_chosen_and_carried_by_the_link(lab_page, store):
    lab = lab_page("sure")
    lab.choose("Covariance", "diagonal")
    lab.after(lambda: lab.field("with an offset b").check())
    assert lab.changes == {"covariance": "diagonal", "offset": True}
    assert lab.numbers["sigma"][1] == 0
    other = lab.reopen()
    assert other.numbers == lab.numbers == lab.of_python
    store(lab.page, "sure-diagonal")
