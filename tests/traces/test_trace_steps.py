"""Every field of every step equals that of a naive perceptron in fractions."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from rosenblatt import trace
from rosenblatt.errors import BadInput

TIES = {"mistake": 0, "negative": -1, "positive": 1}
FIRST = np.array([[2.0, 1.0], [0.0, 2.0], [-0.5, -2.0]])
LABELS = [1, -1, 1]

quarters = st.integers(-8, 8).map(lambda k: k / 4)  # sums and products of these are exact in doubles


@st.composite
def labelled_rows(draw, most_rows=6):
    rows = draw(st.integers(2, most_rows))
    features = draw(st.integers(1, 3))
    X = [[draw(quarters) for _ in range(features)] for _ in range(rows)]
    y = [1, -1, *(draw(st.sampled_from([-1, 1])) for _ in range(rows - 2))]
    return np.array(X), y


def perceptron(X, y, offset=True, tie="mistake", order="given", epochs=3):
    """The algorithm as the notes have it; every number a fraction."""
    X = [[Fraction(v) for v in x] for x in X.tolist()]
    w, b = [Fraction(0)] * len(X[0]), Fraction(0)

    def score(i):
        return sum((a * c for a, c in zip(w, X[i], strict=True)), b)

    def wrong(i):
        agreement = y[i] * score(i)
        return agreement < 0 or (agreement == 0 and y[i] != TIES[tie])

    def next_row(look):
        if order == "first_mistake":
            return next((i for i in range(len(X)) if wrong(i)), look)
        if order == "worst_mistake":
            return min(filter(wrong, range(len(X))), key=lambda i: y[i] * score(i), default=look)
        return look if order == "given" else order[look]

    for epoch in range(1, epochs + 1):
        for look in range(len(X) if isinstance(order, str) else len(order)):
            i = next_row(look)
            s, mistake = score(i), wrong(i)
            if mistake:
                w = [a + y[i] * c for a, c in zip(w, X[i], strict=True)]
                b += y[i] * offset
            yield {
                "epoch": epoch,
                "index": i,
                "x": tuple(X[i]),
                "y": y[i],
                "score": s,
                "agreement": y[i] * s,
                "mistake": mistake,
                "updated": mistake,
                "weights": tuple(w),
                "offset": b,
                "agreement_after": y[i] * score(i),
                "norm_squared": sum(a * a for a in w) + b * b,
            }


@given(
    labelled_rows(),
    st.booleans(),
    st.sampled_from(sorted(TIES)),
    st.sampled_from(["given", "first_mistake", "worst_mistake", (1, 0, 1, 1)]),
)
def test_every_field_of_every_step_equals_that_of_the_naive_perceptron(data, offset, tie, order):
    X, y = data
    steps = trace(X, y, offset=offset, tie=tie, order=order, epochs=3)
    naive = list(perceptron(X, y, offset, tie, order, epochs=3))
    assert [asdict(step) for step in steps] == [{**step, "covariance": ()} for step in naive]
    assert steps.mistakes == steps.updates == sum(step["mistake"] for step in naive)
    wrong = [step["y"] for step in naive if step["mistake"]]
    assert (steps.false_positives, steps.false_negatives) == (wrong.count(-1), wrong.count(1))
    assert [step.false_positive for step in steps] == [s["mistake"] and s["y"] < 0 for s in naive]
    assert [step.false_negative for step in steps] == [s["mistake"] and s["y"] > 0 for s in naive]


# ---------------------------------------------------------------- what comes in


@pytest.mark.parametrize(
    "rows", [FIRST.tolist(), csr_array(FIRST), pd.DataFrame(FIRST), FIRST.astype(np.float32)]
)
def test_any_rows_give_the_same_steps(rows):
    expected = trace(FIRST, LABELS, epochs=3)
    assert [asdict(s) for s in trace(rows, LABELS, epochs=3)] == [asdict(s) for s in expected]


@pytest.mark.parametrize(
    ("y", "problem"),
    [
        ([1, -1], "y: 2 labels for 3 rows of X"),
        ([[1], [-1], [1]], r"y: expected one label for each row, got an array of shape \(3, 1\)"),
        ([1, 2, 3], "y: expected two classes, got 3"),
        (["a", "a", "a"], "y: expected two classes, got 1"),
    ],
)
def test_labels_that_are_not_two_classes_are_refused(y, problem):
    with pytest.raises(BadInput, match=problem):
        trace(FIRST, y)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"order": "random"}, "order: got 'random'"),
        ({"order": [0, 3]}, "order: row 3 does not exist"),
        ({"epochs": None}, "epochs: expected a number of passes, or None with until='separated'"),
        ({"init": [1.0]}, "init: 1 weights for 2 features"),
        ({"max_steps": -1}, "max_steps: expected a whole number of at least 0"),
    ],
)
def test_bad_settings_are_refused_by_name(settings, problem):
    with pytest.raises(BadInput, match=problem):
        trace(FIRST, LABELS, **settings)


@pytest.mark.parametrize("kernel", [None, "linear"])
def test_a_run_that_never_saw_a_row_is_not_reported_to_separate_it(kernel):
    X, y = [[1.0, 0.0], [1.0, 0.5]], [1, -1]
    for most in (None, 2):  # the second step is the pass without mistakes
        part = trace(X, y, order=[0], until="separated", kernel=kernel, max_steps=most)
        assert (len(part), part.separated) == (2, False)
        assert part.summary().endswith("the last pass had no mistake, but its order omits rows")
    absent = trace(X, y, order=[0], until="separated", kernel=kernel, sample_weight=[1.0, 0.0])
    listed = trace([[2, 1], [0, 2]], y, order=[1, 0, 1], until="separated", kernel=kernel)
    assert absent.separated
    assert listed.separated
