"""How sure is w? The page's run is the trace that Python makes, and its ellipse shrinks."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt import Perceptron, rules
from rosenblatt.course.lab.chapters import CHAPTERS
from rosenblatt.course.lab.chapters.sure import FORMS, SECOND
from rosenblatt.errors import BadInput

SURE = CHAPTERS["sure"]


@pytest.mark.parametrize(
    "changes",
    [
        {"rule": "arow", "covariance": "diagonal", "offset": True},
        {"first": "passive_aggressive_1", "epochs": 1},
        *(
            pytest.param({"rule": rule, "covariance": form}, marks=pytest.mark.matrix)
            for rule in SECOND
            for form in FORMS
        ),
    ],
)
def test_the_same_in_python_gives_the_numbers_of_the_page(same_in_python, changes):
    answer = same_in_python(SURE, changes)
    assert answer.replay.head["covariance"] == [1.0, 0.0, 1.0]


def test_the_run_of_the_page_is_that_of_the_estimator():
    state = SURE.start
    model = Perceptron(rule=rules.Arow(covariance="full"), order="given", offset=False, epochs=2)
    model.fit(np.array(state["points"], float), state["labels"])
    numbers = SURE.answer().numbers
    assert numbers["w"] == model.coef_[0].tolist()
    assert numbers["mistakes"]["sure"] == model.mistakes_


def test_on_the_points_it_opens_with_to_know_how_sure_it_is_saves_most_mistakes():
    numbers = SURE.answer().numbers
    assert 3 * numbers["mistakes"]["sure"] < numbers["mistakes"]["plain"]
    assert numbers["wrong"]["sure"] == 2  # the two labels that are wrong
    first, both, second = numbers["sigma"]
    assert first * second - both * both < 1e-3


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rule": "rosenblatt"}, "rule: "),
        ({"covariance": "half"}, "covariance: "),
        ({"epochs": 21}, "epochs"),
    ],
)
def test_what_the_page_does_not_offer_is_refused(changes, said):
    with pytest.raises(BadInput, match=said):
        SURE.answer(changes)
