"""The sign of a mean of weight vectors equals that of the unrounded sum over all steps."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from rosenblatt import KernelPerceptron, Learner, Perceptron, PolynomialThreshold
from rosenblatt.numeric.row_batches import as_rows
from rosenblatt.training.initial_states import begin

TIES = {"mistake": 0, "negative": -1, "positive": 1}
LOOKS = {"order": "given", "keep": "averaged"}


def exact_sum(X, labels, passes, tie, offset=False):
    """Return Σ w̃ over all steps of the perceptron, in integers."""
    rows = [[int(v) for v in x] + [int(offset)] for x in X]
    w, total = [0] * len(rows[0]), [0] * len(rows[0])
    for _ in range(passes):
        for x, label in zip(rows, map(int, labels), strict=True):
            score = sum(a * b for a, b in zip(w, x, strict=True))
            if ((score > 0) - (score < 0) or TIES[tie]) != label:
                w = [a + label * b for a, b in zip(w, x, strict=True)]
            total = [a + b for a, b in zip(total, w, strict=True)]
    return total


def signs(total, asked, offset=False):
    lifted = [[int(v) for v in x] + [int(offset)] for x in asked]
    scores = [sum(a * b for a, b in zip(total, x, strict=True)) for x in lifted]
    return [(s > 0) - (s < 0) for s in scores]


def answers(signs_of_scores, tie):
    return [1 if (sign or TIES[tie]) > 0 else 0 for sign in signs_of_scores]


@st.composite
def small_problems(draw, n_classes=2):
    d = draw(st.integers(1, 2))
    row = st.lists(st.integers(-3, 3), min_size=d, max_size=d)
    X = draw(st.lists(row, min_size=n_classes, max_size=6))
    more = st.lists(st.integers(0, n_classes - 1), min_size=len(X) - n_classes, max_size=len(X) - n_classes)
    y = list(range(n_classes)) + draw(more)
    asked = draw(st.lists(row, min_size=1, max_size=5)) + X
    return np.array(X, float), np.array(y), np.array(asked, float)


def test_the_mean_of_two_points_is_0_though_its_terms_round():
    """The vectors sum to 0 over the six steps, and the prediction for 0 depends on tie."""
    X, y, asked = [[1.0], [2.0]], [1, 0], [[-1.0], [1.0]]
    for model in (
        Perceptron(offset=False, epochs=3, tie="negative", **LOOKS),
        KernelPerceptron(kernel="linear", epochs=3, tie="negative", **LOOKS),
        PolynomialThreshold(1, "map", 0.0, epochs=3, tie="negative", **LOOKS),
        PolynomialThreshold(1, "kernel", 0.0, epochs=3, tie="negative", **LOOKS),
    ):
        assert exact_sum(X, [1, -1], 3, "negative") == [0, 0]
        assert model.fit(X, y).decision_function(asked).tolist() == [0.0, 0.0]
        assert model.predict(asked).tolist() == [0, 0]


@given(
    problem=small_problems(),
    tie=st.sampled_from(list(TIES)),
    passes=st.integers(1, 7),
    offset=st.booleans(),
)
def test_line_kernel_and_polynomial_have_the_sign_of_the_mean_in_whole_numbers(
    problem, tie, passes, offset
):
    X, y, asked = problem
    want = signs(exact_sum(X, 2 * y - 1, passes, tie, offset), asked, offset)
    given, coef0 = {"epochs": passes, "tie": tie, **LOOKS}, float(offset)
    for model, container in (
        (Perceptron(offset=offset, **given), np.array),
        (Perceptron(offset=offset, **given), csr_array),
        (KernelPerceptron(kernel="linear", offset=offset, **given), np.array),
        (PolynomialThreshold(1, "map", coef0, **given), np.array),
        (PolynomialThreshold(1, "kernel", coef0, **given), np.array),
    ):
        model.fit(container(X), y)
        assert np.sign(model.decision_function(container(asked))).tolist() == want
        assert model.predict(container(asked)).tolist() == answers(want, tie)
    learner = Learner(offset=offset, keep="averaged", tie=tie, n_features=X.shape[1])
    for _ in range(passes):
        for x, label in zip(X, 2 * y - 1, strict=True):
            learner.learn(x, label)
    assert [np.sign(learner.decide(x)) for x in asked] == want


@given(problem=small_problems(n_classes=3), tie=st.sampled_from(list(TIES)), passes=st.integers(1, 5))
def test_of_several_classes_the_largest_mean_wins_and_the_first_of_equals(problem, tie, passes):
    X, y, asked = problem
    columns = [exact_sum(X, np.where(y == c, 1, -1), passes, tie, offset=True) for c in range(3)]
    scores = np.array([[int(np.dot([*x, 1], total)) for total in columns] for x in asked.astype(int)])
    for model, rows in (
        (Perceptron(epochs=passes, tie=tie, **LOOKS), asked),
        (Perceptron(epochs=passes, tie=tie, **LOOKS), csr_array(asked)),
        (Perceptron(epochs=passes, tie=tie, **LOOKS), asked.astype(np.float32)),
        (KernelPerceptron(kernel="linear", offset=True, epochs=passes, tie=tie, **LOOKS), asked),
        (PolynomialThreshold(1, "map", epochs=passes, tie=tie, **LOOKS), asked),
    ):
        model.fit(csr_array(X) if isinstance(rows, csr_array) else X, y)
        assert model.predict(rows).tolist() == scores.argmax(axis=1).tolist()
        if isinstance(model, Perceptron):
            assert np.sign(model.decision_function(rows)).tolist() == np.sign(scores).tolist()


@given(
    rows=st.lists(st.tuples(*[st.sampled_from([-0.3, -0.1, 0.0, 0.1, 0.7])] * 2), min_size=2, max_size=6),
    seed=st.integers(0, 9),
    rule=st.sampled_from(["rosenblatt", "margin", "passive_aggressive", "forgetting", "romma"]),
)
def test_of_other_numbers_the_sums_as_they_are_kept_decide(rows, seed, rule):
    """A·v − u in fractions of the doubles in the keeper; the rounded weights may say otherwise."""
    X = np.array(rows)
    y = np.r_[0, 1, np.random.default_rng(seed).integers(0, 2, len(X) - 2)]
    model = Perceptron(rule=rule, epochs=3, **LOOKS).fit(X, y)
    (state,) = model._state.columns
    keeper, scales = state.keeper, state.keeper.before[0] + state.keeper.looks[0] * state.scale
    total = [
        Fraction(float(scales)) * Fraction(v) - Fraction(u)
        for v, u in zip(state.weights.tolist(), keeper.correction.tolist(), strict=True)
    ]
    parts = state.mean().parts(None)[:, 0]
    assert [sum(map(Fraction, part)) for part in parts.T.tolist()] == total
    asked = np.vstack([X, -X, np.eye(2)])
    scores = [sum(a * Fraction(b) for a, b in zip(total, [*x, 1.0], strict=True)) for x in asked.tolist()]
    assert np.sign(model.decision_function(asked)).tolist() == [(s > 0) - (s < 0) for s in scores]


def test_a_mean_over_no_steps_is_the_start():
    state = begin(2, keep="averaged", init=([1.0, -1.0], 0.5))
    assert state.mean() is None
    assert state.values(as_rows([[2.0, 1.0]])).tolist() == [1.5]


def test_sums_too_small_or_too_large_to_divide_keep_their_sign():
    tiny = Perceptron(offset=False, epochs=1, **LOOKS).fit([[1e-320], [1e-320], [0.0]], [1, 1, 0])
    assert tiny.decision_function([[1e-300], [-1e-300]]).tolist() == [5e-324, -5e-324]
    with np.errstate(over="ignore"):  # interpreted, numpy warns
        large = Perceptron(offset=False, epochs=2, **LOOKS).fit([[1e150], [-1e150]], [1, 0])
        found = large.decision_function([[1e150], [-1.0], [0.0]])
    assert np.sign(found).tolist() == [1.0, -1.0, 0.0]
