"""PolynomialCurve: the contract with scikit-learn, λ on held-out rows, what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from rosenblatt.course.foundations import PolynomialCurve
from rosenblatt.errors import BadInput
from tests.contract import contract

FAMILY = [
    PolynomialCurve(),
    PolynomialCurve(degree=0),
    PolynomialCurve(degree=1, l2=0.1),
    PolynomialCurve(degree=9, l2=1e-3),
    PolynomialCurve(l2="auto"),
    PolynomialCurve(degree=5, l2="auto", folds=3, candidates=[0.0, 1e-3, 1.0]),
]


@contract(FAMILY)
def test_it_passes_every_check_of_scikit_learn(estimator, check):
    check(estimator)


def points(n: int = 12, seed: int = 0):
    generator = np.random.default_rng(seed)
    x = generator.uniform(-1, 1, n)
    return x[:, None], np.sin(np.pi * x) + 0.3 * generator.standard_normal(n)


# ---------------------------------------------------------------- λ on held-out rows


def held_out_error(X, y, part, l2, degree) -> float:
    """The sum of squares that one part is predicted with by the curve of the others."""
    model = PolynomialCurve(degree, l2).fit(X[~part], y[~part])
    return float(np.sum((y[part] - model.predict(X[part])) ** 2))


def test_the_validation_curve_is_what_each_row_is_predicted_with_by_the_others():
    X, y = points(6)
    model = PolynomialCurve(3, "auto", candidates=[0.01, 0.1, 1.0], folds=6).fit(X, y)
    for step in model.validation_curve_:
        by_hand = sum(held_out_error(X, y, np.arange(6) == row, step.l2, 3) for row in range(6)) / 6
        assert step.held_out == pytest.approx(by_hand, rel=1e-12)
    assert model.l2_ == min(model.validation_curve_, key=lambda step: step.held_out).l2
    np.testing.assert_array_equal(model.coef_, PolynomialCurve(3, model.l2_).fit(X, y).coef_)


@settings(max_examples=15)
@given(st.permutations(range(12)), st.lists(st.integers(1, 3), min_size=12, max_size=12))
def test_the_choice_depends_neither_on_the_order_nor_on_rows_being_repeated(order, weights):
    X, y = points()
    order, weights = np.array(order), np.array(weights)
    first = PolynomialCurve(5, "auto", random_state=1).fit(X, y, weights)
    rows = np.repeat(order, weights[order])
    second = PolynomialCurve(5, "auto", random_state=1).fit(X[rows], y[rows])
    assert first.l2_ == second.l2_
    np.testing.assert_allclose(first.coef_, second.coef_, rtol=1e-9)


def test_of_penalties_that_are_as_good_the_largest_is_taken():
    X = np.linspace(-1, 1, 9)[:, None]
    model = PolynomialCurve(1, "auto", candidates=[0.0, 1.0, 100.0]).fit(X, np.zeros(9))
    assert model.l2_ == 100.0
    x = np.random.default_rng(0).uniform(-1, 1, 12)  # the smaller penalty is better by a rounding error
    model = PolynomialCurve(3, "auto", candidates=[1e-13, 3e-13], random_state=0)
    assert model.fit(x[:, None], np.sin(np.pi * x)).l2_ == 3e-13


# ---------------------------------------------------------------- what was learned


def test_it_prints_as_algebra_in_the_names_of_the_columns():
    table = pd.DataFrame({"age": [0.0, 1.0, 2.0, 3.0], "height": [1.0, 0.0, 0.0, 5.0]})
    model = PolynomialCurve(2, 1e-9).fit(table, 2 * table["age"] ** 2 - 3 * table["height"] + 1)
    terms = model.polynomial_.terms
    assert [term.monomial for term in terms] == ["age²", "height²", "age", "height", ""]
    np.testing.assert_allclose(model.polynomial_(table), model.predict(table), rtol=1e-12)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"degree": -1}, "degree: expected a whole number of at least 0, got -1"),
        ({"degree": 2.0}, "degree: expected a whole number"),
        ({"degree": 600}, "degree: 1 column and degree 600 make 601 terms"),
        ({"l2": -0.5}, "l2: expected a number of at least 0, or 'auto', got -0.5"),
        ({"l2": "best"}, "l2: expected a number of at least 0, or 'auto', got 'best'"),
        ({"l2": np.inf}, "l2: expected a number"),
        ({"l2": "auto", "folds": 1}, "folds: expected a whole number of at least 2"),
        ({"l2": "auto", "candidates": [1.0, -1.0]}, "candidates: expected a number of at least 0, got -1"),
        ({"l2": "auto", "candidates": 3}, "candidates: expected numbers"),
    ],
)
def test_bad_parameters_are_refused_with_a_message(parameters, message):
    model = PolynomialCurve(**parameters)
    with pytest.raises(BadInput, match=message):
        model.fit(*points())
    with pytest.raises(NotFittedError):
        model.predict([[1.0]])
    with pytest.raises(AttributeError, match="learned nothing yet"):
        _ = model.polynomial_


def test_one_point_leaves_none_to_hold_out():
    with pytest.raises(BadInput, match="leaves none to learn from"):
        PolynomialCurve(1, "auto").fit([[1.0], [1.0]], [0.0, 1.0])


def test_a_value_beyond_the_largest_double_is_refused_with_its_row():
    model = PolynomialCurve(3).fit(*points())
    with pytest.raises(BadInput, match="in row 1 the curve is beyond the largest double"):
        model.predict([[1.0], [1e200]])
