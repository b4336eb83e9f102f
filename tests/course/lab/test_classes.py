"""More than two classes: what is learned, and what Kesler's construction proves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Perceptron
from rosenblatt.course.lab.chapters.multiclass import CLASSES

ROW = {"points": [[-2, 0], [-2, 1], [0, 0], [0, 1], [2, 0], [2, 1]], "labels": [0, 0, 1, 1, 2, 2]}
BOTH_SIDES = {
    "points": [[-2, 0], [-2, 1], [0, 0], [0, 1], [2, 0], [2, 1], [-0.5, -2], [0.5, -2]],
    "labels": [0, 0, 1, 1, 0, 0, 2, 2],
}
INSIDE = {"points": [[3, 0], [-2, 2], [-2, -2], [0, 0]], "labels": [0, 1, 2, 3]}


# ---------------------------------------------------------------- what was learned

wholes = st.integers(-4, 4)
clouds = st.lists(st.tuples(wholes, wholes, st.integers(0, 4)), min_size=3, max_size=10).filter(
    lambda cloud: len({label for *_, label in cloud}) > 2
)


# ---------------------------------------------------------------- what is proved


@given(clouds)
def test_learning_together_ends_within_its_bound_exactly_where_some_scores_do(cloud):
    points, labels = [list(p[:2]) for p in cloud], [p[2] for p in cloud]
    numbers = CLASSES.answer({"points": points, "labels": labels}).numbers
    model = Perceptron(
        multiclass="ultraconservative",
        order="given",
        until="separated",
        epochs=(numbers["bound"] or 500) + 1,
    ).fit(points, labels)
    assert model.converged_ == numbers["together"]
    if numbers["together"]:
        assert model.mistakes_ <= numbers["bound"]
        assert (model.predict(points) == labels).all()
    if all(numbers["separable"]):
        assert numbers["together"]


def test_three_in_a_row_need_to_learn_together():
    apart = CLASSES.answer(ROW)
    assert apart.numbers["separable"] == [True, False, True]
    assert (apart.numbers["mistakes_per_class"], apart.numbers["wrong"]) == ([3, 83, 1], [2, 3])
    assert apart.numbers["tied"] == [1, 2]
    assert "No line separates class 1 from the rest (proved): its run never ends." in apart.sentences
    assert "On rows 1, 2 several classes have the largest score: the first wins." in apart.sentences
    together = CLASSES.answer({**ROW, "method": "ultraconservative"})
    assert (together.numbers["mistakes"], together.numbers["wrong"]) == (9, [])
    assert "with shared mistakes, a run makes at most 32 mistakes." in together.sentences[-1]


def test_a_class_inside_the_others_has_a_place_of_its_own():
    numbers = CLASSES.answer({**INSIDE, "method": "ultraconservative", "passes": 100}).numbers
    assert numbers["separable"] == [True, True, True, False]
    assert (numbers["together"], numbers["wrong"]) == (True, [])


def test_a_class_on_both_sides_of_another_needs_a_kernel():
    lines = CLASSES.answer({**BOTH_SIDES, "method": "ultraconservative"})
    assert lines.numbers["together"] is False
    assert lines.sentences[-1].startswith("No linear scores are largest at the right class")
    curved = CLASSES.answer({**BOTH_SIDES, "method": "kernel"})
    assert (curved.numbers["converged"], curved.numbers["wrong"]) == (True, [])
    assert "separable" not in curved.numbers


@pytest.mark.parametrize("method", ["one_vs_rest", "ultraconservative"])
def test_two_classes_have_one_line_whichever_way(method):
    state = {"points": [[1, 1], [2, 0]], "labels": [3, 5], "method": method}
    answer = CLASSES.answer(state)
    model = Perceptron(order="given", until="separated").fit(state["points"], state["labels"])
    assert answer.numbers["w"] == model.coef_.tolist()
    assert answer.sentences[0].startswith("Two classes need one perceptron")
    assert answer.sentences[1] == "A line separates the two (proved)."
    assert set(answer.picture["regions"]["classes"]) == {"3", "5"}


def test_two_classes_that_no_line_divides_are_said_to_have_no_end():
    xor = {"points": [[-1, -1], [-1, 1], [1, -1], [1, 1]], "labels": [0, 1, 1, 0]}
    assert "No line separates the two (proved): the run never ends." in CLASSES.answer(xor).sentences
