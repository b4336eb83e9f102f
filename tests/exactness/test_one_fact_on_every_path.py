"""single = batch = stream = trace = naive: the same mistakes and the same bits, whatever the container.

The reference is the perceptron in plain Python: weights are floats, each gets one rounded addition per
mistake, and the sign of w·x + b is decided by exact fractions.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rosenblatt import Learner, Perceptron, trace

TIES = {"mistake": 0, "negative": -1, "positive": 1}
CONTAINERS = {
    "dense float64": lambda X: X.astype(np.float64),
    "dense float32": lambda X: X.astype(np.float32),
    "csr float64 int32": lambda X: sp.csr_array(X.astype(np.float64)),
    "csr float32 int64": lambda X: _wide(sp.csr_array(X.astype(np.float32))),
}


def _wide(csr):
    csr.indices, csr.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    return csr


def naive(X, y, epochs, offset, tie):
    """Returns ((false positives, false negatives) of each pass, w, b)."""
    X = [[float(value) for value in row] for row in X]
    w, b, kinds = [0.0] * len(X[0]), 0.0, []
    for _ in range(epochs):
        made = {-1: 0, 1: 0}
        for x, label in zip(X, y, strict=True):
            score = sum((Fraction(wj) * Fraction(xj) for wj, xj in zip(w, x, strict=True)), Fraction(b))
            wrong = label != TIES[tie] if score == 0 else (score > 0) != (label > 0)
            if wrong:
                w = [wj + label * xj for wj, xj in zip(w, x, strict=True)]
                b += label * offset
                made[int(label)] += 1
        kinds.append((made[-1], made[1]))
    return kinds, w, b


def bits(w, b):
    # −0.0 and 0.0 are the same weight: a sparse row leaves alone what a dense row adds 0 to
    return (np.append(np.asarray(w, np.float64), b) + 0.0).tobytes()


small_integers = st.integers(-3, 3).map(float)
wild = st.floats(allow_nan=False, allow_infinity=False, width=32, min_value=-(2.0**100), max_value=2.0**100)
wilder = st.one_of(
    wild,
    st.floats(-1e300, 1e300, allow_nan=False),
    st.sampled_from([5e-324, 1e-310, 1e-300, 1e300, -1e300, 0.1, 0.2, 0.3, -0.1]),
)


@st.composite
def examples_of(draw, elements):
    n, d = draw(st.integers(1, 7)), draw(st.integers(1, 5))
    X = draw(arrays(np.float64, (n, d), elements=elements))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    again = draw(st.lists(st.integers(0, n - 1), max_size=3))  # duplicates, some with the other label
    X = np.vstack([X, X[again], np.zeros((1, d))])
    y = [*y, *(draw(st.sampled_from([-1, 1])) for _ in again), draw(st.sampled_from([-1, 1]))]
    return X, np.array(y)


def check_every_path(X, y, offset, tie, container):
    if len(set(y.tolist())) < 2:
        y = np.append(y, -y[0])
        X = np.vstack([X, np.ones((1, X.shape[1]))])
    rows = CONTAINERS[container](X)
    as_read = rows.toarray() if sp.issparse(rows) else rows
    kinds, w, b = naive(as_read, y, 3, offset, tie)
    mistakes, both = [sum(made) for made in kinds], tuple(map(sum, zip(*kinds, strict=True)))
    expected = bits(w, b)
    settings = {"offset": offset, "tie": tie}

    fitted = Perceptron(order="given", epochs=3, **settings).fit(rows, y)
    assert [record.mistakes for record in fitted.history_] == mistakes
    assert [(record.false_positives, record.false_negatives) for record in fitted.history_] == kinds
    assert (fitted.false_positives_, fitted.false_negatives_) == both
    assert bits(fitted.coef_[0], fitted.intercept_[0]) == expected

    streamed = Perceptron(**settings)
    cut = len(y) // 2
    for _ in range(3):
        for part in (slice(0, cut), slice(cut, None)):
            if len(y[part]):
                streamed.partial_fit(rows[part], y[part], classes=[-1, 1])
    assert streamed.mistakes_ == sum(mistakes)
    assert (streamed.false_positives_, streamed.false_negatives_) == both
    assert bits(streamed.coef_[0], streamed.intercept_[0]) == expected

    learner = Learner(**settings)
    for _ in range(3):
        for i, label in enumerate(y.tolist()):
            learner.learn(rows[i], label)
    assert learner.mistakes == sum(mistakes)
    assert (learner.false_positives, learner.false_negatives) == both
    assert bits(learner.weights, learner.offset_weight) == expected

    named = Learner(**settings)
    for _ in range(3):
        for x, label in zip(as_read.tolist(), y.tolist(), strict=True):
            named.learn({f"x{j}": value for j, value in enumerate(x)}, label)
    assert named.mistakes == sum(mistakes)
    assert (named.false_positives, named.false_negatives) == both
    assert bits(list(named.weights.values()), named.offset_weight) == expected

    steps = trace(rows, y, epochs=3, **settings)
    assert steps.mistakes == sum(mistakes)
    assert (steps.false_positives, steps.false_negatives) == both
    assert bits(steps.weights, steps.offset) == expected


@pytest.mark.parametrize("container", CONTAINERS)
@given(data=examples_of(small_integers), offset=st.booleans(), tie=st.sampled_from(list(TIES)))
def test_small_integers_full_of_exact_ties(container, data, offset, tie):
    check_every_path(*data, offset, tie, container)


@pytest.mark.parametrize("container", CONTAINERS)
@given(data=examples_of(wild), offset=st.booleans(), tie=st.sampled_from(list(TIES)))
def test_floats_of_wild_ranges(container, data, offset, tie):
    check_every_path(*data, offset, tie, container)


@pytest.mark.parametrize("container", ["dense float64", "csr float64 int32"])
@given(data=examples_of(wilder), offset=st.booleans(), tie=st.sampled_from(list(TIES)))
@example(data=(np.array([[1e300, 1.0], [1e300, -1.0]]), np.array([1, -1])), offset=False, tie="mistake")
def test_products_that_overflow_and_underflow(container, data, offset, tie):
    check_every_path(*data, offset, tie, container)


@st.composite
def nearly_cancelling(draw):
    """Rows almost at right angles to what is learned from the first one."""
    d = draw(st.integers(3, 6))
    first = draw(arrays(np.float64, d, elements=st.floats(-1, 1, width=32).filter(lambda v: abs(v) > 1e-3)))
    rows, labels = [first], [1]
    for _ in range(draw(st.integers(2, 6))):
        x = draw(arrays(np.float64, d, elements=st.floats(-1, 1, width=32)))
        x[-1] = -(first[:-1] @ x[:-1]) / first[-1]  # w·x = 0 but for rounding
        rows.append(x)
        labels.append(draw(st.sampled_from([-1, 1])))
    return np.array(rows), np.array(labels)


@pytest.mark.parametrize("container", CONTAINERS)
@given(data=nearly_cancelling(), tie=st.sampled_from(list(TIES)))
def test_scores_that_are_nothing_but_rounding(container, data, tie):
    check_every_path(*data, False, tie, container)


def test_data_on_which_the_fast_sign_is_wrong():
    """w = (2²⁷+1)(2²⁷+1, −2²⁷−2, …) cancels to 1, which a rounded product loses."""
    a = 2.0**27 + 1
    X = np.array([[a, -(2.0**54), -(2.0**28)], [a, 1.0, 1.0]])
    y = np.array([1, -1])
    score = X[0] @ X[1]
    exact = sum(Fraction(p) * Fraction(q) for p, q in zip(X[0].tolist(), X[1].tolist(), strict=True))
    assert (score > 0) != (exact > 0), "the example must be one that floating point gets wrong"
    model = Perceptron(order="given", epochs=1, offset=False).fit(X, y)
    assert model.exact_decisions_ == 2  # the first score is a tie, the second in doubt
    assert model.mistakes_ == sum(naive(X, y, 1, False, "mistake")[0][0])


def test_decisions_far_from_zero_do_not_need_the_exact_path():
    generator = np.random.default_rng(0)
    X = generator.standard_normal((5000, 20))
    y = np.where(X[:, 0] > 0, 1, -1)
    model = Perceptron(epochs=2, random_state=0).fit(X, y)
    assert model.exact_decisions_ <= 3  # w = 0 at the first look, and hardly ever again
