"""The polynomial of a model in algebraic notation, and the choice between map and kernel."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError

from rosenblatt import PolynomialThreshold
from rosenblatt.errors import BadInput
from rosenblatt.models.algebra import MOST_TERMS, Algebra
from rosenblatt.models.polynomial_threshold import resolve_way
from tests.covering import all_pairs
from tests.models.polynomial_problems import both, real_numbers, whole_numbers

# ---------------------------------------------------------------- the polynomial


@pytest.mark.parametrize(
    ("way", "keep", "degree"), all_pairs(["map", "kernel"], ["last", "averaged", "random"], [1, 2, 3, 4])
)
def test_the_polynomial_of_rows_is_the_decision_function(degree, keep, way):
    X, y = real_numbers(40, 3, 2, degree)
    model = PolynomialThreshold(degree=degree, way=way, keep=keep, epochs=3, random_state=4).fit(X, y)
    new = np.random.default_rng(0).normal(size=(15, 3))
    np.testing.assert_allclose(model.polynomial_(new), model.decision_function(new), rtol=1e-9, atol=1e-9)
    assert model.polynomial_.degree == degree
    assert len(model.polynomial_) <= model.n_monomials_ == math.comb(3 + degree, degree)


@pytest.mark.parametrize("way", ["map", "kernel"])
def test_each_of_several_classes_has_a_polynomial(way):
    X, y = real_numbers(60, 2, 3, 0)
    names = np.array(["low", "mid", "top"])
    model = PolynomialThreshold(way=way, random_state=0).fit(X, names[y])
    assert list(model.polynomial_) == ["low", "mid", "top"]
    values = np.column_stack([model.polynomial_[name](X) for name in names])
    np.testing.assert_allclose(values, model.decision_function(X), rtol=1e-9, atol=1e-9)
    assert (names[values.argmax(axis=1)] == model.predict(X)).all()


def test_of_whole_numbers_the_polynomial_is_one_of_whole_numbers():
    X, y = whole_numbers(30, 2, 2, 1)
    one, other = (model.polynomial_ for model in both(X, y, degree=3, random_state=0))
    assert one.terms == other.terms
    assert all(term.coefficient == int(term.coefficient) for term in one.terms)


def test_a_committee_has_no_one_polynomial():
    model = PolynomialThreshold(keep="voted", random_state=0).fit(*real_numbers(30, 2, 2, 0))
    assert not hasattr(model, "polynomial_")
    with pytest.raises(AttributeError, match=r"many polynomials.*keep='averaged'"):
        _ = model.polynomial_
    assert model.set_params(keep="averaged").polynomial_.degree == 2
    assert model.survival_.sum() == model.examples_seen_


def test_a_polynomial_of_too_many_terms_is_refused_with_the_remedy():
    X = np.random.default_rng(0).normal(size=(6, 40))
    model = PolynomialThreshold(degree=8, epochs=1).fit(X, [0, 1] * 3)
    assert (model.way_, model.n_monomials_) == ("kernel", math.comb(48, 8))
    with pytest.raises(BadInput, match=r"377,348,994 terms.*decision_function"):
        _ = model.polynomial_


# ---------------------------------------------------------------- algebra


@pytest.mark.parametrize(
    ("terms", "text"),
    [
        ({(): 2.0, (0, 0): 0.5, (0, 1): -1.0}, "0.5·x1² − x1·x2 + 2"),
        ({(): -1.0}, "−1"),
        ({(0,): 1.0}, "x1"),
        ({(0,): -1.0, (): 1.0}, "−x1 + 1"),
        ({(0, 0, 1): -2.5, (1,): 1.0}, "−2.5·x1²·x2 + x2"),
        ({(0,): 0.0, (): 0.0}, "0"),
        ({(0,) * 12: 3.0}, "3·x1¹²"),
        ({(0,): 1.0000001, (1,): -0.99999999}, "x1 − x2"),
        ({(0,): 1234567.0, (1,): 1e-9}, "1.23457e+06·x1 + 1e-09·x2"),
    ],
)
def test_a_polynomial_prints_as_algebra(terms, text):
    p = Algebra(list(terms), np.array(list(terms.values())), ["x1", "x2"])
    assert str(p) == text
    assert repr(p) == f"<Algebra: {text}>"
    assert len(p) == sum(value != 0 for value in terms.values())


def test_a_long_polynomial_is_cut_with_a_count_and_keeps_the_largest_in_their_order():
    names = [f"x{j}" for j in range(2 * MOST_TERMS)]
    sizes = np.random.default_rng(0).permutation(2 * MOST_TERMS) + 1.0
    p = Algebra([(j,) for j in range(2 * MOST_TERMS)], sizes, names)
    shown, left = str(p).split(" + … ")
    assert left == f"({MOST_TERMS} more terms)"
    kept = [j for j in range(2 * MOST_TERMS) if sizes[j] > MOST_TERMS]
    assert shown == " + ".join(f"{sizes[j]:.0f}·x{j}" for j in kept)
    assert len(p) == len(p.terms) == 2 * MOST_TERMS
    whole = Algebra([(j,) for j in range(MOST_TERMS)], sizes[:MOST_TERMS], names)
    assert "…" not in str(whole)


def test_terms_of_equal_size_do_not_push_out_larger_ones():
    names = [f"x{j}" for j in range(MOST_TERMS + 5)]
    p = Algebra([(j,) for j in range(len(names))], np.r_[np.ones(MOST_TERMS + 1), np.full(4, 100.0)], names)
    assert str(p).endswith("100·x41 + 100·x42 + 100·x43 + 100·x44 + … (5 more terms)")
    one = Algebra([(j,) for j in range(MOST_TERMS + 1)], -np.ones(MOST_TERMS + 1), names)
    assert str(one).endswith(" + … (1 more term)")


def test_a_polynomial_accepts_sparse_rows_and_refuses_other_input():
    X, y = real_numbers(40, 2, 2, 0)
    p = PolynomialThreshold(random_state=0).fit(X, y).polynomial_
    assert (p(csr_array(X)) == p(X)).all()
    for bad in (X[0], X[:, :1]):
        with pytest.raises(BadInput, match="X: expected rows of at least 2 features"):
            p(bad)


def test_features_have_the_names_of_the_frame():
    X, y = real_numbers(40, 2, 2, 0)
    frame = pd.DataFrame(X, columns=["height", "weight"])
    model = PolynomialThreshold(random_state=0).fit(frame, y)
    plain = PolynomialThreshold(random_state=0).fit(X, y)
    text = str(plain.polynomial_).replace("x0", "height").replace("x1", "weight")
    assert str(model.polynomial_) == text
    assert {name for term in model.polynomial_.terms for name in term.powers} == {"height", "weight"}
    assert model.feature_names_in_.tolist() == ["height", "weight"]
    np.testing.assert_allclose(model.polynomial_(frame), model.decision_function(frame), atol=1e-9)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.iloc[:, ::-1])


# ---------------------------------------------------------------- which way


@pytest.mark.parametrize(
    ("way", "n", "d", "degree", "chosen"),
    [
        ("auto", 10_000, 10, 3, "map"),
        ("auto", 10**9, 198, 2, "map"),  # 19,900 monomials
        ("auto", 10**9, 199, 2, "kernel"),  # 20,100
        ("auto", 60_000, 784, 4, "kernel"),
        ("map", 3, 198, 3, "map"),  # 1,333,300
        ("kernel", 10**6, 1, 1, "kernel"),
    ],
)
def test_the_way_that_auto_takes(way, n, d, degree, chosen):
    assert resolve_way(way, n, d, degree) == chosen


def test_a_map_too_large_is_refused_with_the_remedy():
    X = np.random.default_rng(0).normal(size=(5, 40))
    with pytest.raises(
        BadInput, match=r"way: 'map' would write out 377,348,994 monomials of 40 .*use way='kernel'"
    ):
        PolynomialThreshold(degree=8, way="map").fit(X, [0, 1, 0, 1, 1])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        *(
            ({"coef0": coef0}, "^coef0: expected a finite number of at least 0")
            for coef0 in (-1.0, math.nan, math.inf, "1", None)
        ),
        ({"rule": "alma"}, "rule: 'alma' has no dual form"),
        ({"order": "worst_mistake"}, "order: 'worst_mistake' would need"),
    ],
)
def test_bad_parameters_are_refused_with_a_message(parameters, message):
    X, y = real_numbers(20, 2, 2, 0)
    model = PolynomialThreshold(**parameters)
    with pytest.raises(BadInput, match=message):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)
