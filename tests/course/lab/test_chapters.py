"""What holds for every chapter: a text, a script, an answer, the same in Python, and what it refuses."""

from __future__ import annotations

import json
import math
import re
from importlib import resources

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rosenblatt.budgets import BUDGETS
from rosenblatt.course.lab.chapters import CHAPTERS, bound, row_orders, sure, training_steps
from rosenblatt.course.lab.server import finite
from rosenblatt.course.lab.text import html_of, text_of
from rosenblatt.errors import BadInput

BITS = {"points": [[0, 0], [0, 1], [1, 0], [1, 1]]}
ANGLES = [(r, a) for r in (0.6, 1.2) for a in np.linspace(0, 6, 9).tolist()]
CIRCLES = {
    "points": [[round(r * math.cos(a), 2), round(r * math.sin(a), 2)] for r, a in ANGLES],
    "labels": [1] * 9 + [-1] * 9,
}
TWO = {"points": [[1, 1], [2, 0]], "labels": [3, 5]}
ROW = {"points": [[-2, 0], [-2, 1], [0, 0], [0, 1], [2, 0], [2, 1]], "labels": [0, 0, 1, 1, 2, 2]}
LISTED = [3, 1, 0, 2, 7, 6, 5, 4]

STATES = {
    "line": [
        *({"w": [0.3, -0.7], "b": 0.1, "points": x} for x in ([], [[0.1, -1e-7]], [[1e5, 2.0]] * 30)),
        {},
    ],
    "steps": [
        {},
        {"offset": False},
        {"tie": "negative", "passes": 3},
        {"order": "shuffled", "seed": 7},
        {"order": "first_mistake"},
        {"order": "worst_mistake", "tie": "positive"},
        {"order": "listed", "listed": LISTED},
        {"init": "unit"},
        {"init": "w0", "w0": [-1.5, 0.25], "b0": 2.0},
        {"init": "w0", "w0": [-1.5, 0.25], "offset": False},
        {"points": [[0.0, 0.0], [0.1, 0.0]], "labels": [1, -1]},
        *({"example": name} for name in training_steps.runs()),
    ],
    "bound": [
        {},
        *bound.EXAMPLES.values(),
        {"order": "shuffled", "seed": 5},
        {"offset": False},
        {"ideal_radius": 0.1, "ideal_margin": 0.05, "ideal_distance": 0.05},
        {"points": [[0, 0], [1, 0]], "labels": [1, -1], "offset": False},
        {"points": [[0, 0], [1e-6, 0]], "labels": [1, -1]},
    ],
    "orders": [
        {},
        *row_orders.EXAMPLES.values(),
        {"order": "given", "lines": "averaged"},
        {"order": "by class", "lines": "pocket", "init": "unit"},
        {"offset": False, "epochs": 1, "orders": 2, "run": 1},
        *({"rule": rule, "epochs": 3, "orders": 5, "run": 4} for rule in row_orders.RULES),
    ],
    "sure": [
        {},
        {"rule": "arow", "covariance": "diagonal", "offset": True},
        {"first": "passive_aggressive_1", "epochs": 1},
    ],
    "xor": [
        {},
        BITS,
        CIRCLES,
        {"points": [[0, 0], [2, 1]], "labels": [-1, 1]},
        {"method": "polynomial"},
        {"method": "polynomial", "degree": 8, "keep": "averaged", **BITS},
        {"method": "polynomial", **CIRCLES, "passes": 3},
        {"method": "kernel"},
        {"method": "kernel", **BITS},
        {"method": "kernel", **BITS, "kernel": "polynomial", "c": 0.7, "degree": 3},
        {"method": "kernel", "kernel": "gaussian", "gamma": 0.35, "keep": "averaged"},
        {"method": "kernel", "kernel": "laplacian", **CIRCLES},
        {"replay": True},
        {"method": "polynomial", **BITS, "replay": True},
        {"method": "kernel", **BITS, "replay": True, "step": 3},
        {"method": "kernel", "budget": 2, "replay": True},
        *({"method": "kernel", "kernel": "gaussian", "budget": 3, "forgetting": f} for f in BUDGETS),
    ],
    "classes": [
        {},
        {"method": "ultraconservative"},
        {"method": "kernel"},
        ROW,
        {**ROW, "method": "ultraconservative", "sharing": "uniform", "keep": "averaged"},
        {**ROW, "method": "ultraconservative", "sharing": "proportional", "passes": 7},
        {**ROW, "method": "kernel", "kernel": "polynomial", "degree": 3, "keep": "averaged"},
        TWO,
        {**TWO, "method": "kernel"},
    ],
    "teacher": [
        {},
        {"offset": True, "tie": "positive"},
        {"labelling": "own"},
        {"labelling": "own", "offset": True, "labels": [1, 1, 1, 1, -1, -1, -1, -1]},
        {"labelling": "own", "challenges": [], "labels": []},
        {"challenges": []},
        {"challenges": [[0.333, -1e-9], [1e5, 2.0]], "separator": [-0.1, 0.7]},
        {"side": "learner"},
        {"side": "learner", "your_answers": [1, -1, 1], "your_w": [0.3, 0.4], "revealed": True},
        {"side": "learner", "your_answers": [1] * 20, "seed": 7, "margin": 0.4},
        {"side": "adversary"},
        {"side": "adversary", "n_features": 2, "margin": 0.5},
    ],
    "curve": [
        {},
        {"degree": 0},
        {"l2": 1e-3, "degree": 12},
        {"auto": True},
        {"auto": True, "n_points": 3, "noise": 0.0},
        {"n_points": 1},
        {"n_points": 40, "degree": 20, "seed": 7, "noise": 1.0},
        {"points": [[0.1, 0.25], [0.1, -0.5], [-1.3, 2.5]], "degree": 4, "l2": 0.1},
    ],
    "probability": [
        {},
        {"drawn": []},
        {"drawn": ["red", "green", "red"], "replacement": False, "picks": [2, 5]},
        {"counts": [[1, 0, 0], [0, 0, 7], [99, 1, 1]], "picks": [0, 1, 2], "drawn": ["blue"] * 12},
        {"topic": "gaussian", "data": [0.1, -0.25, 6], "mean": -6, "variance": 0.05},
        {"topic": "bernoulli"},
        {"topic": "bernoulli", "trials": [1], "p": 0},
        {"topic": "uniform"},
        {"topic": "uniform", "whole": True, "low": -2, "high": 3},
        {"topic": "uniform", "low": 0.5},
        {"topic": "joint"},
        {"topic": "joint", "points": [[0.1, 0.2], [1, 1], [-3, 2.25]]},
    ],
    "data": [
        {},
        {"positive": "versicolor", "across": "petal_length", "up": "petal_width"},
        {"axes": "projection"},
        {"axes": "projection", "positive": "virginica", "scale": False},
        {"scale": False, "across": "petal_width"},
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("key", "changes"), [(key, changes) for key, states in STATES.items() for changes in states]
)
def test_the_python_of_a_page_gives_its_numbers(same_in_python, key, changes):
    answer = same_in_python(CHAPTERS[key], changes)
    assert all(isinstance(sentence, str) and sentence for sentence in answer.sentences)
    for part in (answer.numbers, answer.picture):
        json.dumps(finite(dict(part)), allow_nan=False)


@pytest.mark.matrix
@pytest.mark.parametrize("covariance", sure.FORMS)
@pytest.mark.parametrize("rule", sure.SECOND)
def test_the_python_of_every_second_order_rule_gives_the_numbers(same_in_python, rule, covariance):
    same_in_python(CHAPTERS["sure"], {"rule": rule, "covariance": covariance})


QUARTERS = st.integers(-12, 12).map(lambda quarter: quarter / 4)  # sums of them are exact


@settings(max_examples=40)
@given(
    st.lists(st.tuples(QUARTERS, QUARTERS).map(list), min_size=2, max_size=12, unique_by=tuple),
    st.lists(st.booleans(), min_size=12, max_size=12),
    st.sampled_from(
        [
            *(("bound", {"offset": offset}) for offset in (True, False)),
            *(("teacher", {"labelling": "own", "offset": offset}) for offset in (True, False)),
            ("teacher", {"margin": 0.25, "separator": [0, 1]}),
            ("steps", {"passes": 3}),
            ("xor", {}),
            ("xor", {"method": "polynomial", "degree": 3}),
            ("xor", {"method": "kernel", "kernel": "laplacian"}),
            *(("classes", {"method": each}) for each in ("one_vs_rest", "ultraconservative", "kernel")),
        ]
    ),
)
def test_the_python_of_a_page_gives_its_numbers_for_any_points(same_in_python, points, signs, page):
    key, changes = page
    named = {"teacher": "challenges"}.get(key, "points")
    labels = [1 if sign else -1 + (key == "classes") for sign in signs[: len(points)]]
    assume(len(set(labels)) == 2)
    same_in_python(CHAPTERS[key], {**changes, named: points, "labels": labels})


@pytest.mark.parametrize("key", CHAPTERS)
def test_a_chapter_has_a_text_with_formulas_something_to_try_and_a_script(key):
    text = text_of(key)
    assert "$$" in text
    assert "**Try.**" in text
    assert 120 <= len(text.split()) <= 600
    assert "<merror" not in html_of(key)
    assert "$" not in re.sub(r"<(math|code).*?</\1>", "", html_of(key), flags=re.DOTALL)
    folder = resources.files("rosenblatt.course.lab").joinpath("static", "chapters")
    script = folder.joinpath(f"{key}.js").read_text("utf-8")
    assert "export function mount(lab)" in script
    assert script.count("\n") < 400


# ---------------------------------------------------------------- what is refused, and limits


@pytest.mark.parametrize("value", [None, {}, "x" * 1000, [None], -1e9, math.nan, 10**400], ids=type)
@pytest.mark.parametrize("key", CHAPTERS)
def test_a_setting_of_another_kind_is_refused_with_a_short_sentence_or_not_used(key, value):
    for name in CHAPTERS[key].start:
        said = name
        try:
            CHAPTERS[key].answer({name: value})
        except BadInput as error:
            said = str(error)
        assert name in said or key == "data", said
        assert len(said) < 400 or key == "data", said


KERNEL = {"method": "kernel"}
ONE_BOX = {"picks": [1]}
REFUSED = [
    ("line", {"w": [0, 0]}, "drag its end away"),
    ("line", {"colour": "red"}, "there is no setting 'colour' here"),
    ("steps", {"points": [], "labels": []}, "there is no point yet; click into the picture to add one"),
    ("steps", {"points": [[1, 2]], "labels": [1]}, "all points are +; add a point of the other class"),
    ("steps", {"points": [[1, 2]], "labels": [1, -1]}, "2 labels for 1 points"),
    ("steps", {"passes": 2.5}, "passes: expected a whole number"),
    ("bound", {"points": [[0, 1], [1, math.nan]], "labels": [1, -1]}, "row 1: expected a finite number"),
    ("bound", {"points": [[0, 1]] * 201, "labels": [1] * 201}, "at most 200"),
    ("bound", {"order": "worst"}, "order: got 'worst'"),
    ("bound", {"ideal_distance": 3.5}, "leaves no space outside it"),
    ("orders", {"orders": 5, "run": 5}, "there are 5 orders, 0 to 4, and no order 5"),
    ("orders", {"lines": "voted"}, "lines: got 'voted'"),
    ("sure", {"covariance": "half"}, "covariance: "),
    ("xor", {"method": "svm"}, "expected one of 'line', 'polynomial', 'kernel'"),
    ("xor", {"method": "polynomial", "degree": 9}, "degree: expected a number from 1 to 8"),
    ("xor", {**KERNEL, "budget": 2, "forgetting": "never"}, "forgetting: got 'never'"),
    ("xor", {"points": [[0, 0]] * 101}, "this page takes at most 100"),
    ("classes", {"points": [[0, 1]], "labels": [2]}, "all points are of class 2; choose another class"),
    ("classes", {"method": "ultraconservative", "sharing": "fair"}, "sharing: got 'fair'"),
    ("teacher", {"labelling": "own", "labels": [1]}, "1 labels for 8 points"),
    ("teacher", {"side": "learner", "your_answers": [1] * 21}, "at most 20"),
    ("teacher", {"side": "adversary", "n_features": 11}, "from 2 to 10"),
    ("curve", {"degree": 21}, "from 0 to 20"),
    ("curve", {"points": [[0.5, 1.0]], "auto": True}, "more points"),
    ("probability", {"counts": [[1, 1, 1]] * 5}, "1 to 4 boxes"),
    ("probability", {"counts": [[1, 1.5, 0]], **ONE_BOX}, "1.5 green balls in box 1"),
    ("probability", {"counts": [[0, 0, 0], [1, 1, 1]]}, "box 1 is empty"),
    ("probability", {"counts": [[1, 1, 0], [1, 1, 0]], "drawn": ["blue"]}, "cannot come out"),
    ("probability", {"topic": "gaussian", "data": [1, 1]}, "at least two different ones"),
    ("probability", {"topic": "bernoulli", "trials": [2]}, "0 and 1 only"),
    ("probability", {"topic": "uniform", "low": 4}, "drag the ends apart"),
    ("probability", {"topic": "joint", "points": [[0, 0], [1, 1]]}, "only 2 points"),
    ("probability", {"topic": "joint", "points": [[0, 0], [1, 1], [2, 2]]}, "a line"),
]


@pytest.mark.parametrize(("key", "changes", "sentence"), REFUSED)
def test_an_invalid_state_is_refused_with_a_message(key, changes, sentence):
    with pytest.raises(BadInput, match=re.escape(sentence)):
        CHAPTERS[key].answer(changes)
