"""Order, averaging, voting: what the page says of orders and keepers, found again the naive way."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.course.lab.boundaries import boundary
from rosenblatt.course.lab.chapters.row_orders import (
    EXAMPLES,
    KEEPERS,
    MOST,
    MOST_EPOCHS,
    MOST_ORDERS,
    ORDERS,
    RULES,
    START,
)
from rosenblatt.errors import BadInput

STATES = [
    {},
    *EXAMPLES.values(),
    {"order": "given", "lines": "averaged"},
    {"order": "by class", "lines": "pocket", "init": "unit"},
    {"offset": False, "epochs": 1, "orders": 2, "run": 1},
    *({"rule": rule, "epochs": 3, "orders": 5, "run": 4} for rule in RULES),
]


def naive_vectors(points, labels, epochs):
    """(w, b) after each look of a run in the given order, and at which looks it changed."""
    w = np.zeros(3)
    vectors, changed = [], []
    for _ in range(epochs):
        for x, y in zip(points, labels, strict=True):
            wrong = y * (w @ [*x, 1.0]) <= 0
            w = w + y * np.array([*x, 1.0]) if wrong else w
            vectors.append(w)
            changed.append(wrong)
    return np.array(vectors), changed


def sides(places, line):
    return np.where(places @ np.array(line[:2]) + line[2] > 0, 1, -1)


# ---------------------------------------------------------------- the same in Python


@pytest.mark.parametrize("state", STATES, ids=range(len(STATES)))
def test_the_snippet_leaves_the_numbers_of_the_page(same_in_python, state):
    same_in_python(ORDERS, state)


# ---------------------------------------------------------------- one order, four keepers


@pytest.fixture
def given_order():
    # eighths are exact in floating point, sums of them too
    points = (np.round(np.array(START["points"]) * 8) / 8).tolist()
    answer = ORDERS.answer({"points": points, "order": "given", "epochs": 4})
    vectors, changed = naive_vectors(points, START["labels"], 4)
    return answer, np.array(points), vectors, changed


def test_the_last_line_is_that_of_the_textbook(given_order):
    answer, _, vectors, changed = given_order
    assert answer.numbers["boundaries"]["last"] == vectors[-1].tolist()
    assert answer.picture["made"] == sum(changed)


def test_the_averaged_line_is_the_mean_of_the_vectors_after_all_looks(given_order):
    answer, _, vectors, _ = given_order
    assert answer.numbers["boundaries"]["averaged"] == pytest.approx(vectors.mean(axis=0))


def test_every_vector_votes_with_the_looks_it_survived(given_order):
    answer, points, vectors, changed = given_order
    ends = [*np.flatnonzero(changed).tolist(), len(vectors)]
    lasted = np.diff(ends).tolist()
    assert answer.numbers["survival"] == [ends[0], *lasted]
    votes = sum(
        looks * sides(points, vectors[start]) for start, looks in zip(ends[:-1], lasted, strict=True)
    )
    wrong = (np.where(votes > 0, 1, -1) != np.array(START["labels"])).sum()
    assert answer.numbers["wrong"]["voted"] == wrong


def test_the_pocket_is_changed_only_for_a_longer_run_and_fewer_errors(given_order):
    answer, points, vectors, changed = given_order
    pocket, best_run, fewest = None, 0, len(points) + 1
    run, considered = 0, False
    for w, wrong in zip(vectors.tolist(), changed, strict=True):
        run, considered = (0, False) if wrong else (run + 1, considered)
        if w == pocket:
            best_run = max(best_run, run)
        elif run > best_run and not considered:
            considered = True
            errors = int((np.array(START["labels"]) * (points @ w[:2] + w[2]) <= 0).sum())
            if errors < fewest:
                pocket, best_run, fewest = w, run, errors
    assert answer.numbers["boundaries"]["pocket"] == pocket
    assert answer.numbers["wrong"]["pocket"] == fewest


def test_the_wrong_points_are_those_on_the_wrong_side_of_each_line():
    numbers = ORDERS.answer().numbers
    for keep, line in numbers["boundaries"].items():
        wrong = (sides(np.array(START["points"]), line) != np.array(START["labels"])).sum()
        assert numbers["wrong"][keep] == wrong


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


def test_the_thin_lines_are_those_of_the_keeper_that_was_asked_for():
    for keep in ("last", "averaged", "pocket"):
        numbers = ORDERS.answer({"lines": keep, "run": 3}).numbers
        assert numbers["lines"][3] == numbers["boundaries"][keep]


def test_averaging_depends_on_the_order_less_than_the_last_vector_does():
    accuracy = ORDERS.answer().numbers["accuracy"]
    assert np.std(accuracy["averaged"]) < np.std(accuracy["last"]) / 5


def test_more_orders_leave_the_first_ones_as_they_are():
    few, many = (ORDERS.answer({"orders": orders, "run": 0}).numbers for orders in (5, 9))
    assert many["lines"][:5] == few["lines"]


def test_with_room_between_the_classes_all_orders_end_right_with_margins_far_apart():
    numbers = ORDERS.answer(EXAMPLES["Separable classes"]).numbers
    assert set(numbers["accuracy"]["last"]) == {1.0}
    assert min(numbers["margins"]) > 0
    assert max(numbers["margins"]) > 10 * min(numbers["margins"])
    assert numbers["different"] > 5


def test_the_three_points_of_the_notes_end_in_two_different_w():
    numbers = ORDERS.answer(EXAMPLES["Three points of the notes"]).numbers
    assert {tuple(line) for line in numbers["lines"]} == {(2, -1, 0), (1.5, -1, 0)}
    assert set(numbers["mistakes"]) == {2}


def test_another_start_ends_in_another_w():
    zeros, unit = (
        ORDERS.answer({"init": init, "orders": 4, "run": 0}).numbers for init in ("zeros", "unit")
    )
    assert zeros["lines"] != unit["lines"]


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


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        ({"points": [], "labels": []}, "there is no point yet"),
        ({"points": [[0, 1], [1, 0]], "labels": [-1, -1]}, "add a point of the other class"),
        ({"points": [[0, 1], [float("inf"), 0]], "labels": [1, -1]}, "row 1: expected a finite number"),
        ({"points": [[0, 1]] * (MOST + 1), "labels": [1] * (MOST + 1)}, f"at most {MOST}"),
        ({"labels": "+-"}, "labels: expected a list"),
        ({"epochs": 0}, "epochs: expected a number from 1 to"),
        ({"epochs": 2.5}, "epochs: expected a whole number"),
        ({"epochs": MOST_EPOCHS + 1}, "epochs: expected a number"),
        ({"orders": MOST_ORDERS + 1}, "orders: expected a number"),
        ({"orders": 5, "run": 5}, "there are 5 orders, 0 to 4, and no order 5"),
        ({"lines": "voted"}, "lines: got 'voted'"),
        ({"order": "first_mistake"}, "order: got 'first_mistake'"),
        ({"rule": "newton"}, "rule: got 'newton'"),
        ({"init": [1, 2]}, "init: got"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_a_sentence(state, sentence):
    with pytest.raises(BadInput, match=sentence):
        ORDERS.answer(state)


def test_the_largest_state_is_answered_in_bounded_time():
    rng = np.random.default_rng(0)
    state = {
        "points": rng.normal(size=(MOST, 2)).round(2).tolist(),
        "labels": rng.choice([-1, 1], MOST).tolist(),
        "epochs": MOST_EPOCHS,
        "orders": MOST_ORDERS,
    }
    ORDERS.answer(state)
    began = time.process_time()
    ORDERS.answer(state)
    # well under a second; a machine with other work to do is given three
    assert time.process_time() - began < 3


def test_the_sentences_say_how_far_the_orders_are_apart():
    spread, keepers, chosen = ORDERS.answer().sentences
    assert spread == "20 orders of the same 36 points end in 20 different w, after 31 to 38 mistakes."
    assert "last 3 to 19; averaged always 4; voted 3 to 4; pocket 3 to 4" in keepers
    assert chosen == "In the selected order: last 19, averaged 4, voted 4, pocket 3."
