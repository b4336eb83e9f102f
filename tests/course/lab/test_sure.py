"""How sure is w? The page's run is the trace that Python makes, and its ellipse shrinks."""

from __future__ import annotations

from rosenblatt.course.lab.chapters import CHAPTERS

SURE = CHAPTERS["sure"]


def test_on_the_points_it_opens_with_to_know_how_sure_it_is_saves_most_mistakes():
    numbers = SURE.answer().numbers
    assert 3 * numbers["mistakes"]["sure"] < numbers["mistakes"]["plain"]
    assert numbers["wrong"]["sure"] == 2  # the two labels that are wrong
    first, both, second = numbers["sigma"]
    assert first * second - both * both < 1e-3
