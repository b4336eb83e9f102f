"""One fact of each chapter, computed a second time or known from the notes."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rosenblatt import Perceptron
from rosenblatt.course.lab import own_files
from rosenblatt.course.lab.chapters import CHAPTERS
from rosenblatt.course.lab.chapters.games.learning import ROUNDS, hidden_game
from rosenblatt.course.lab.chapters.row_orders import KEEPERS
from rosenblatt.course.lab.chapters.training_steps import MOST_STEPS
from rosenblatt.course.lab.grid_regions import FINER, regions
from rosenblatt.course.lectures import EXAMPLES
from rosenblatt.data.sources import read_table
from rosenblatt.errors import BadInput

QUARTERS = st.integers(-12, 12).map(lambda quarter: quarter / 4)  # sums of them are exact
POINTS = st.lists(st.tuples(QUARTERS, QUARTERS).map(list), min_size=2, max_size=12, unique_by=tuple)
wholes = st.integers(-4, 4)


# ---------------------------------------------------------------- line and steps


@pytest.mark.parametrize("key", ["001-line", "001-exercise", "001-origin"])
def test_the_lines_of_the_notes_give_their_scores(key):
    for line in EXAMPLES[key].parts.values():
        answer = CHAPTERS["line"].answer(
            {"w": list(line.w), "b": line.b, "points": [list(x) for x in line.points]}
        )
        assert answer.numbers["scores"] == line.run().scores.tolist()
        assert answer.numbers["answers"] == line.run().answers.tolist()


def test_a_point_on_the_line_is_on_neither_side():
    answer = CHAPTERS["line"].answer()
    assert answer.numbers["answers"] == [0, 0, -1, 1]
    assert "on the line" in answer.sentences[0]


def test_a_run_without_an_end_is_cut_and_reported():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(60, 2)).round(2).tolist()
    labels = rng.choice([-1, 1], 60).tolist()
    answer = CHAPTERS["steps"].answer({"points": points, "labels": labels, "order": "shuffled"})
    assert answer.numbers["looks"] == MOST_STEPS
    assert "The page records the first 20,000 steps" in answer.sentences[1]


# ---------------------------------------------------------------- bound


@given(points=POINTS, signs=st.lists(st.booleans(), min_size=12, max_size=12), offset=st.booleans())
@settings(max_examples=20)
def test_the_weighted_points_of_a_proof_sum_to_zero(points, signs, offset):
    labels = [1 if sign else -1 for sign in signs[: len(points)]]
    assume(len(set(labels)) == 2)
    state = {"points": points, "labels": labels, "offset": offset}
    numbers = CHAPTERS["bound"].answer(state).numbers
    assume(numbers["separable"] is False)
    total = np.zeros(3)
    for row, share in zip(numbers["cancelling"], numbers["shares"], strict=True):
        assert share > 0
        total += share * state["labels"][row] * np.array([*points[row], float(offset)])
    assert total == pytest.approx(np.zeros(3), abs=1e-9)
    assert numbers["cancelling"] == numbers["support"]


def test_every_mistake_gains_at_least_the_margin_and_adds_at_most_the_squared_radius():
    answer = CHAPTERS["bound"].answer()
    curves = answer.picture["curves"]
    assert min(curves["progress"]) >= curves["margin"] - 1e-9
    assert max(curves["growth"]) <= curves["radius"] ** 2 + 1e-9
    for t, along, length in zip(curves["t"], curves["along"], curves["length"], strict=True):
        assert t * curves["margin"] <= along + 1e-9
        assert along <= length + 1e-9
        assert length <= math.sqrt(t) * curves["radius"] + 1e-9
    assert curves["t"] == list(range(1, answer.numbers["mistakes"] + 1))


# ---------------------------------------------------------------- orders and sure


def test_the_chosen_order_is_one_of_the_many():
    for run in (0, 7, 19):
        numbers = CHAPTERS["orders"].answer({"run": run}).numbers
        assert numbers["boundaries"]["last"] == numbers["lines"][run]
        for keep in KEEPERS:
            assert numbers["wrong"][keep] == round((1 - numbers["accuracy"][keep][run]) * numbers["n"])


def test_on_the_points_it_opens_with_to_know_how_sure_it_is_saves_most_mistakes():
    numbers = CHAPTERS["sure"].answer().numbers
    assert 3 * numbers["mistakes"]["sure"] < numbers["mistakes"]["plain"]
    assert numbers["wrong"]["sure"] == 2  # the two labels that are wrong
    first, both, second = numbers["sigma"]
    assert first * second - both * both < 1e-3


# ---------------------------------------------------------------- xor and classes


clouds = st.lists(
    st.tuples(wholes, wholes, st.sampled_from([-1, 1])), min_size=2, max_size=8, unique_by=lambda p: p[:2]
).filter(lambda cloud: len({label for *_, label in cloud}) == 2)


@given(clouds, st.integers(1, 4))
def test_the_polynomial_makes_the_mistakes_of_its_kernel_and_has_the_sign_of_the_label(cloud, degree):
    state = {"points": [list(p[:2]) for p in cloud], "labels": [p[2] for p in cloud], "degree": degree}
    written = CHAPTERS["xor"].answer({**state, "method": "polynomial"}).numbers
    dual = CHAPTERS["xor"].answer({**state, "method": "kernel", "kernel": "polynomial"}).numbers
    assert {name: written[name] for name in ("mistakes", "passes", "converged", "wrong", "bound")} == {
        name: dual[name] for name in ("mistakes", "passes", "converged", "wrong", "bound")
    }
    text = written["polynomial"].replace("−", "-").replace("·", "*").replace("₁", "1").replace("₂", "2")
    for power, raised in enumerate("²³⁴", start=2):
        text = text.replace(raised, f"**{power}")
    for row, (x, y) in enumerate(zip(state["points"], state["labels"], strict=True)):
        p = eval(text, {"x1": x[0], "x2": x[1]})
        assert (y * p <= 0) == (row in written["wrong"])


labelled_clouds = st.lists(st.tuples(wholes, wholes, st.integers(0, 4)), min_size=3, max_size=10).filter(
    lambda cloud: len({label for *_, label in cloud}) > 2
)


@given(labelled_clouds)
def test_learning_together_ends_within_its_bound_exactly_where_some_scores_do(cloud):
    points, labels = [list(p[:2]) for p in cloud], [p[2] for p in cloud]
    numbers = CHAPTERS["classes"].answer({"points": points, "labels": labels}).numbers
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


# ---------------------------------------------------------------- teacher


@given(answers=st.lists(st.sampled_from([-1, 1]), max_size=ROUNDS), seed=st.integers(0, 50))
def test_labels_are_revealed_only_after_the_prediction(answers, seed):
    numbers = CHAPTERS["teacher"].answer({"side": "learner", "your_answers": answers, "seed": seed}).numbers
    hidden, X = hidden_game(seed, CHAPTERS["teacher"].start["margin"])
    assert len(numbers["challenges"]) == min(len(answers) + 1, ROUNDS)
    assert numbers["labels"] == np.sign(X[: len(answers)] @ hidden).astype(int).tolist()
    assert sum(numbers["your_mistakes"]) == sum(
        a != b for a, b in zip(answers, numbers["labels"], strict=True)
    )
    assert sum(numbers["its_mistakes"]) <= numbers["bound"]
    assert ("hidden" in numbers) == (len(answers) == ROUNDS)


# ---------------------------------------------------------------- curve and probability


def test_the_page_opens_with_overfitting_and_both_remedies_work():
    start = CHAPTERS["curve"].answer().numbers
    assert start["errors"][0] < 1e-9
    assert start["errors"][1] > 3 * 0.2  # the noise
    assert max(map(abs, start["coefficients"])) > 100
    assert CHAPTERS["curve"].answer({"degree": 3}).numbers["errors"][1] < 0.25
    assert CHAPTERS["curve"].answer({"l2": 1e-3}).numbers["errors"][1] < 0.25
    assert CHAPTERS["curve"].answer({"auto": True}).numbers["errors"][1] < 0.3
    assert CHAPTERS["curve"].answer({"n_points": 40}).numbers["errors"][1] < 0.25


TENTHS = st.integers(-50, 50).map(lambda tenth: tenth / 10)


DATA = st.lists(TENTHS, min_size=2, max_size=8).filter(lambda data: len(set(data)) > 1)


def of(topic, **changes):
    return CHAPTERS["probability"].answer({"topic": topic, **changes})


@given(data=DATA)
@settings(max_examples=20)
def test_no_point_of_the_curves_is_above_the_marked_one(data):
    answer = of("gaussian", data=data)
    assert max(answer.picture["by_mean"]) <= answer.picture["top_by_mean"] + 1e-9
    assert max(answer.picture["by_variance"]) <= answer.numbers["best_log_likelihood"] + 1e-9


# ---------------------------------------------------------------- your data


def answer_to(content, name="own.csv", **state):
    """The answer to a file with these settings."""
    return CHAPTERS["data"].answer({"file": own_files.keep(name, content).token, **state})


def csv_of(rows, header="a,b,kind"):
    return "\n".join([header, *rows, ""]).encode()


TWO = csv_of(
    [f"{i},{(i * 7) % 11},{'ham' if i < 20 else 'spam'}" for i in (*range(0, 40, 2), *range(1, 40, 2))]
)


def test_a_file_is_read_as_the_command_line_reads_it(tmp_path):
    path = tmp_path / "own.csv"
    path.write_bytes(TWO)
    assert answer_to(TWO, scale=False).numbers["points"] == read_table(path).X.tolist()


@pytest.mark.parametrize("state", [{}, {"axes": "projection", "positive": "versicolor", "scale": False}])
def test_every_other_chapter_opens_with_the_points(state):
    opens = CHAPTERS["data"].answer(state).picture["opens"]
    assert list(opens) == [key for key in CHAPTERS if key != "data"]
    for key, opened in opens.items():
        assert CHAPTERS[key].answer(json.loads(json.dumps(opened["state"]))).numbers
        assert "points" in opened["note"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\n\n", "only blank lines"),
        (b"a,b,kind\n", "there are no rows, only a header line"),
        (b"a,b,kind\n1,2,x\n3,4\n5,6,y\n", "line 3, column 4: 2 cells, expected 3"),
        (b"a,b,kind\n1,inf,x\n3,4,y\n", "holds inf, expected a finite number"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "is a picture"),
        (b"\x1f\x8b\x08" + b"\0" * 50, "is compressed"),
        (b"PK\x03\x04" + b"\0" * 50, "is compressed"),
        (b"PAR1" + b"\0" * 50, "is a binary file"),
    ],
)
def test_unreadable_input_gets_a_message_that_names_the_file(content, said):
    with pytest.raises(BadInput, match=said) as refused:
        answer_to(content)
    assert str(refused.value).startswith("own.csv")


@pytest.mark.parametrize(
    ("content", "state", "said"),
    [
        (csv_of(["1,2,x", "3,4,x", "5,7,x"]), {}, "all 3 rows of 'kind' are 'x'; two classes are needed"),
        (csv_of([f"{i * 3 % 41},{i * i % 97},{i / 7:.3f}" for i in range(40)]), {}, "40 different values"),
        (csv_of(["u,v,x", "r,s,y"] * 15), {}, "two columns of numbers are needed"),
        (csv_of(["1,v,x", "2,s,y"] * 15), {}, "there is only one, 'a'"),
        (TWO, {"across": "kind"}, "Horizontal axis: 'kind' is no column of numbers"),
        (TWO, {"across": "a", "up": "a"}, "is already the horizontal axis"),
        (TWO, {"positive": "eggs"}, "there is no class 'eggs'; choose one of ham, spam"),
        (csv_of(["1e9,2,x", "3,4,y", "5,7,x"]), {"scale": False}, "are beyond the pictures of this lab"),
    ],
)  # fmt: skip
def test_input_that_cannot_be_drawn_is_reported_and_the_columns_are_offered(content, state, said):
    answer = answer_to(content, **state)
    assert said in answer.picture["trouble"]
    assert [each["name"] for each in answer.picture["columns"]] == ["a", "b", "kind"]


def test_a_name_cannot_leave_the_folder():
    for name in ("../../etc/passwd", "/etc/passwd", "..", "a\0b.csv", "x" * 500, "*?[a].csv", "a.zip", ""):
        with own_files.on_disk(own_files.keep(name, TWO)) as path:
            assert "rosenblatt-lab-" in path.split("/")[-2]
