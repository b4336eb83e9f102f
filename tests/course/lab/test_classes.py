"""More than two classes: against plain loops, and what Kesler's construction proves."""

from __future__ import annotations

import math
import re
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Perceptron
from rosenblatt.course.lab.chapters.multiclass import CLASSES, MOST_CLASSES, MOST_PASSES, MOST_POINTS, START
from rosenblatt.errors import BadInput

ROW = {"points": [[-2, 0], [-2, 1], [0, 0], [0, 1], [2, 0], [2, 1]], "labels": [0, 0, 1, 1, 2, 2]}
BOTH_SIDES = {
    "points": [[-2, 0], [-2, 1], [0, 0], [0, 1], [2, 0], [2, 1], [-0.5, -2], [0.5, -2]],
    "labels": [0, 0, 1, 1, 0, 0, 2, 2],
}
INSIDE = {"points": [[3, 0], [-2, 2], [-2, -2], [0, 0]], "labels": [0, 1, 2, 3]}


def against_the_rest(points, labels, passes):
    """A perceptron for each class, on its own: (w, b) and mistakes of each."""
    columns, mistakes = [], []
    for own in sorted(set(labels)):
        w, made = [0, 0, 0], []
        for _ in range(passes):
            made.append(0)
            for (x1, x2), label in zip(points, labels, strict=True):
                y = 1 if label == own else -1
                if y * (w[0] * x1 + w[1] * x2 + w[2]) <= 0:
                    w = [w[0] + y * x1, w[1] + y * x2, w[2] + y]
                    made[-1] += 1
        columns.append((w, made))
        mistakes.append(made)
    # all classes stop together, after the first pass in which none made a mistake
    clean = [p for p in range(passes) if not any(made[p] for made in mistakes)]
    ended = clean[0] + 1 if clean else passes
    return [w for w, _ in columns], [sum(made[:ended]) for made in mistakes], ended


def all_together(points, labels, passes):
    """The highest rival loses what the right class gains, whenever it is not behind."""
    classes = sorted(set(labels))
    w, made = {c: [0, 0, 0] for c in classes}, dict.fromkeys(classes, 0)
    ended = 0
    while ended < passes:
        ended, before = ended + 1, sum(made.values())
        for (x1, x2), own in zip(points, labels, strict=True):
            score = {c: w[c][0] * x1 + w[c][1] * x2 + w[c][2] for c in classes}
            rival = max((c for c in classes if c != own), key=lambda c: (score[c], -c))
            if score[rival] >= score[own]:
                for c, sign in ((own, 1), (rival, -1)):
                    w[c] = [w[c][0] + sign * x1, w[c][1] + sign * x2, w[c][2] + sign]
                made[own] += 1
        if sum(made.values()) == before:
            break
    return [w[c] for c in classes], [made[c] for c in classes], ended


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"method": "ultraconservative"},
        {"method": "kernel"},
        ROW,
        {**ROW, "method": "ultraconservative", "sharing": "uniform", "keep": "averaged"},
        {**BOTH_SIDES, "method": "ultraconservative", "sharing": "proportional", "passes": 7},
        {**BOTH_SIDES, "method": "kernel", "kernel": "polynomial", "degree": 3, "keep": "averaged"},
        {**INSIDE, "keep": "averaged"},
        {"points": [[1, 1], [2, 0]], "labels": [3, 5]},
        {"points": [[1, 1], [2, 0]], "labels": [3, 5], "method": "kernel"},
    ],
)
def test_the_python_text_gives_the_numbers_of_the_page(same_in_python, changes):
    same_in_python(CLASSES, changes)


# ---------------------------------------------------------------- what was learned

wholes = st.integers(-4, 4)
clouds = st.lists(st.tuples(wholes, wholes, st.integers(0, 4)), min_size=3, max_size=10).filter(
    lambda cloud: len({label for *_, label in cloud}) > 2
)


@given(clouds, st.integers(1, 6))
def test_each_class_learns_against_the_rest_as_a_plain_loop_does(cloud, passes):
    points, labels = [list(p[:2]) for p in cloud], [p[2] for p in cloud]
    numbers = CLASSES.answer({"points": points, "labels": labels, "passes": passes}).numbers
    columns, mistakes, ended = against_the_rest(points, labels, passes)
    assert [[*w, b] for w, b in zip(numbers["w"], numbers["b"], strict=True)] == columns
    assert (numbers["mistakes_per_class"], numbers["passes"]) == (mistakes, ended)
    scores = np.array([[w[0] * x[0] + w[1] * x[1] + w[2] for w in columns] for x in points])
    classes = sorted(set(labels))
    told = [classes[scores[row].tolist().index(scores[row].max())] for row in range(len(points))]
    assert numbers["wrong"] == [row for row, label in enumerate(labels) if told[row] != label]
    assert numbers["claims"] == (scores > 0).sum(axis=1).tolist()
    assert numbers["tied"] == [
        row for row in range(len(points)) if (scores[row] == scores[row].max()).sum() > 1
    ]


@given(clouds, st.integers(1, 6))
def test_all_together_learn_as_a_plain_loop_does(cloud, passes):
    points, labels = [list(p[:2]) for p in cloud], [p[2] for p in cloud]
    numbers = CLASSES.answer(
        {"points": points, "labels": labels, "passes": passes, "method": "ultraconservative"}
    ).numbers
    columns, mistakes, ended = all_together(points, labels, passes)
    assert [[*w, b] for w, b in zip(numbers["w"], numbers["b"], strict=True)] == columns
    assert (numbers["mistakes_per_class"], numbers["passes"]) == (mistakes, ended)


def test_the_confusion_table_counts_every_point_once():
    numbers = CLASSES.answer({**ROW, "passes": 1}).numbers
    assert np.sum(numbers["confusion"], axis=1).tolist() == [2, 2, 2]
    assert np.trace(numbers["confusion"]) == 6 - len(numbers["wrong"])


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
    assert "with shared mistakes, a run makes at most 32" in together.sentences[-1]


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


# ---------------------------------------------------------------- states that cannot be


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"points": [], "labels": []}, "there is no point yet; click into the picture to add one"),
        (
            {"points": [[0, 1]], "labels": [2]},
            "all points are of class 2; choose another class and add a point",
        ),
        ({"labels": [0, 1]}, "2 labels for 15 points"),
        (
            {"points": [[0, 1], [1, 0]], "labels": [0, MOST_CLASSES]},
            "row 1: got 6, expected one of 0, 1, 2",
        ),
        ({"points": [[0, 1], [1, math.inf]], "labels": [0, 1]}, "expected a finite number"),
        ({"method": "tree"}, "method: got 'tree'"),
        ({"keep": "voted"}, "keep: got 'voted', expected one of 'last', 'averaged'"),
        ({"method": "ultraconservative", "sharing": "fair"}, "sharing: got 'fair'"),
        ({"method": "kernel", "kernel": "linear"}, "kernel: got 'linear'"),
        ({"method": "kernel", "gamma": 50}, "gamma: expected a number from 0.05 to 10"),
        ({"passes": MOST_PASSES + 1}, f"passes: expected a number from 1 to {MOST_PASSES}"),
        ({"points": [[0, 0]] * (MOST_POINTS + 1)}, f"this page takes at most {MOST_POINTS}"),
        ({"colour": "red"}, "there is no setting 'colour' here"),
    ],
)
def test_a_state_that_cannot_be_is_refused_with_a_sentence(changes, sentence):
    with pytest.raises(BadInput, match=re.escape(sentence)):
        CLASSES.answer(changes)


@pytest.mark.parametrize("method", ["one_vs_rest", "ultraconservative", "kernel"])
def test_the_largest_state_is_answered_soon(method):
    rng = np.random.default_rng(0)
    state = {
        "points": (3 * rng.normal(size=(MOST_POINTS, 2))).round(2).tolist(),
        "labels": (np.arange(MOST_POINTS) % MOST_CLASSES).tolist(),
        "method": method,
        "passes": MOST_PASSES,
        "gamma": 10,
    }
    CLASSES.answer(state)  # machine code is made on first use
    began = time.process_time()
    answer = CLASSES.answer(state)
    assert time.process_time() - began < 2.0
    assert len(answer.numbers["confusion"]) == MOST_CLASSES


def test_the_start_has_three_classes_that_are_learned():
    numbers = CLASSES.answer().numbers
    assert len(set(START["labels"])) == 3
    assert (numbers["converged"], numbers["wrong"], numbers["separable"]) == (True, [], [True] * 3)
