"""Rows and weights at the ends of what floating point can hold: screening never changes a decision.

The loops for many columns first look at fast scores, in single precision where that is faster. What they
cannot rule out is decided exactly; so nothing may depend on how large or small the numbers are.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rosenblatt import Perceptron
from rosenblatt.errors import BadInput
from rosenblatt.loops.together import DOUBLE, SINGLE, may_be_off
from tests.training.many import naive_many as naive

TINY_AND_HUGE = [-300, -200, -160, -50, -42, -30, -23, -19, 0, 0, 10, 18, 19, 30, 37]


def tables(generator, n, k):
    Y = generator.integers(0, 2, size=(n, k))
    Y[0], Y[1] = 0, 1
    return Y


def powers(generator, exponents, size):
    return 10.0 ** generator.choice(exponents, size=size)


def compare(engine, X, Y, alone, same, sample_weight=None, **settings):
    """Check that classifiers trained together equal each one alone, and are refused in the same cases."""
    rows = engine.rows(X)
    try:
        each = alone(rows, Y, sample_weight=sample_weight, **settings)
    except BadInput:
        with pytest.raises(BadInput):
            Perceptron(**settings).fit(rows, Y, sample_weight=sample_weight)
        return
    same(Perceptron(n_jobs=2, **settings).fit(rows, Y, sample_weight=sample_weight), each)


@pytest.mark.parametrize("scale", [1e200, 1e150, 1e30, 1e19, 1e-19, 1e-23, 1e-30, 1e-42, 1e-160, 1e-200])
def test_a_run_on_rows_of_any_size_is_the_run_of_each_column_alone(engine, scale, crowd, alone, same):
    X, y = crowd
    if not np.isfinite(engine.rows_exact(X * scale)).all():
        pytest.skip("single precision does not hold such rows")
    compare(engine, X * scale, naive.table(y), alone, same, epochs=2, random_state=0, offset=False)


@given(
    seed=st.integers(0, 2**32), weighted=st.booleans(), begun=st.booleans(), offset=st.booleans(),
    exponents=st.lists(st.sampled_from(TINY_AND_HUGE), min_size=1, max_size=3),
)  # fmt: skip
def test_rows_weights_and_starts_of_all_sizes_mixed(
    seed, weighted, begun, offset, exponents, engines, alone, same
):
    generator = np.random.default_rng(seed)
    n, d, k = 10, 3, 3
    base = generator.choice([-2.0, -1.0, 0.0, 1.0, 2.0, 1.0 + 3e-8, -1.0 - 5e-8], size=(n, d))
    X = base * powers(generator, exponents, (n, 1))
    given = {"epochs": 2, "order": "given", "offset": offset}
    if weighted:
        given["sample_weight"] = powers(generator, [0, 0, -46, 46, 18, -60], n)
    if begun:
        size = powers(generator, [0, 35, 39, 60, -31, -40, 150, -150], ())
        given["init"] = size * generator.choice([1.0, -1.0, 1.0 + 3e-8, -1.0 - 5e-8, 0.3], size=(k, d))
    Y = tables(generator, n, k)
    for engine in engines():
        if np.isfinite(engine.rows_exact(X)).all():
            compare(engine, X, Y, alone, same, **given)


W1, W2 = np.array([1.1e35, -1.1e35 * (1 + 1e-8)]), np.array([1e39, -3e38])
NEAR_THE_ENDS = {
    # w·x = −1.1e-3 is sure in double; in single the two weights are equal, and ‖x‖² is 0
    "a square underflows": ([[1e-30, 1e-30], [1e-30, 1e-30], [1.0, 0.0]], W1, None),
    "a square underflows, the other way": ([[1e-30, 1e-30], [1e-30, 1e-30], [1.0, 0.0]], -W1, None),
    # w·x = 1e34 − 3e34; in single precision 1e39 is infinite
    "a weight beyond single precision": ([[1e-5, 1e-4], [1e-5, 1e-4], [1.0, 0.0]], W2, None),
    # the first row moves w by 1e46·x, which single precision holds; 1e46 it does not, and infinity times
    # the product of the first two rows, which is rounding only, has the wrong sign
    "a step too large for single precision": (
        1e-19 * np.array([[-1.0, 1.0, -2.0], [1 + 3e-8, -1 - 5e-8, -1 - 5e-8], [2.0, 0.0, -1 - 5e-8]]),
        np.zeros(3),
        [1e46, 1.0, 1.0],
    ),
    # the first row moves w by 1e-46·x, and the score of the next by 9e-10: more than it was
    "a step too small for single precision": (
        [[3e18, 0.0], [3e18, 0.0], [0.0, 1.0]], np.array([-1e-31, 0.0]), [1e-46, 1.0, 1.0],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("X", "start", "weight"), NEAR_THE_ENDS.values(), ids=NEAR_THE_ENDS)
def test_rows_near_the_ends_of_single_precision_are_decided_as_alone(X, start, weight, engine, alone, same):
    Y = np.array([[1, 0], [1, 0], [0, 1]])
    settings = {"init": np.array([start, start]), "offset": False, "epochs": 1, "order": "given"}
    compare(engine, np.array(X), Y, alone, same, sample_weight=weight, **settings)


def test_a_long_cancelling_sum_is_decided_by_what_is_left(engine, alone, same):
    """Each row is 1e16·(1, −1) and a little more: the little decides, below the rounding of the rest."""
    generator = np.random.default_rng(2)
    little = generator.integers(-2, 3, size=(40, 1)).astype(np.float64)
    X = np.hstack([np.full((40, 1), 2.0**60), np.full((40, 1), -(2.0**60)), little])
    Y = tables(generator, 40, 4)
    start = np.ones((4, 3))
    compare(engine, X, Y, alone, same, init=start, offset=False, epochs=2, order="given")


# ---------------------------------------------------------------- what is not a number


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_row_that_is_not_finite_is_named_and_the_model_stays_as_it_was(engine, bad, crowd):
    X, y = crowd
    model = Perceptron(epochs=1, random_state=0).fit(engine.rows(X[:40]), y[:40])
    coef, clocks = model.coef_.copy(), (model.mistakes_, model.updates_, model.examples_seen_)
    spoiled = X[40:].copy()
    spoiled[23, 4] = bad
    for learn in (model.fit, model.partial_fit):
        with pytest.raises(BadInput, match=r"X: Input contains (NaN|infinity) in row 23, column 4"):
            learn(engine.rows(spoiled), y[40:])
        assert (model.coef_ == coef).all()
        assert (model.mistakes_, model.updates_, model.examples_seen_) == clocks
        assert model.training_error(engine.rows(X), y) < 0.5  # it still answers
    for ask in (model.predict, model.decision_function):
        with pytest.raises(BadInput, match=r"X: Input contains (NaN|infinity) in row 23, column 4"):
            ask(engine.rows(spoiled))


@pytest.mark.parametrize("keep", ["last", "averaged"])
def test_weights_that_overflow_are_refused_with_the_remedy(engine, keep, crowd):
    X, y = crowd
    before = Perceptron(keep=keep, epochs=1, random_state=0).fit(engine.rows(X), y)
    coef = before.coef_.copy()
    heavy = np.full(len(y), 1e308)
    with pytest.raises(BadInput, match=r"overflowed.*divide the features"):
        before.partial_fit(engine.rows(X * 1e3), y, sample_weight=heavy)
    assert (before.coef_ == coef).all()


def test_a_failed_stream_of_few_sparse_rows_leaves_the_labels_as_they_were():
    """The short way that does not copy the weights first must be sure that nothing can overflow."""
    wide = sparse.csr_array(sparse.diags_array([1.0, -1.0, 2.0], shape=(3, 1000)))
    Y = np.array([[1, 0], [0, 1], [1, 1]])
    model = Perceptron(class_weight={0: 1e300}, offset=False).partial_fit(wide, Y)
    coef, mistakes = model.coef_.copy(), model.mistakes_
    with pytest.raises(BadInput, match=r"overflowed"):
        model.partial_fit(wide * 1e90, np.array([[0, 1], [1, 0], [0, 1]]))
    assert np.isfinite(model._state.current()).all()
    assert (model._state.current()[:, :-1] == coef).all()
    assert model._state.mistakes == mistakes


@pytest.mark.parametrize("multiclass", ["one_vs_rest", "ultraconservative"])
@pytest.mark.parametrize("classes", [[0, 1, 2], [0, 1, 1]], ids=["three classes", "two classes"])
def test_a_failed_stream_of_short_sparse_rows_leaves_passive_aggressive_as_it_was(multiclass, classes):
    """The step is loss/‖x‖², which overflows on rows of 1e-160."""
    wide = sparse.csr_array(sparse.diags_array([1.0, -1.0, 2.0], shape=(3, 1000)))
    columns, starts = np.int32([5, 3, 4, 5]), np.int32([0, 1, 2, 4])
    short = sparse.csr_array(([1.0, 1e-160, 1e-160, 1e-160], columns, starts), shape=(3, 1000))
    model = Perceptron(rule="passive_aggressive", offset=False, multiclass=multiclass)
    model.partial_fit(wide, classes)
    weights, mistakes = model._state.current().copy(), model._state.mistakes
    with pytest.raises(BadInput, match="overflowed"):
        model.partial_fit(short, classes[::-1])
    assert np.array_equal(model._state.current(), weights)
    assert model._state.mistakes == mistakes


@pytest.mark.parametrize(("screen", "number"), [(SINGLE, np.float32), (DOUBLE, np.float64)])
def test_a_fast_score_is_off_by_no_more_than_its_bound_nor_by_much_less(screen, number):
    generator = np.random.default_rng(3)
    closest = 0.0
    for d in (1, 3, 40, 700) * 20:
        w, x = generator.normal(size=(2, d)).astype(number)
        s = number(0)
        for a, b in zip(w, x, strict=True):
            s += a * b
        exact = sum(
            (Fraction(float(a)) * Fraction(float(b)) for a, b in zip(w, x, strict=True)), Fraction(0)
        )
        off = may_be_off(screen, d + 16.0, float(np.linalg.norm(w)), float(np.linalg.norm(x)))
        assert abs(Fraction(float(s)) - exact) <= off
        closest = max(closest, float(abs(Fraction(float(s)) - exact) / Fraction(off)))
    assert closest > 1e-3
