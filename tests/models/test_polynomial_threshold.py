"""PolynomialThreshold: the map and the kernel learn the same polynomial, and it can be read."""

from __future__ import annotations

import inspect
import math
import pickle
from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from rosenblatt import KernelPerceptron, Perceptron, PolynomialThreshold
from rosenblatt.errors import BadInput
from rosenblatt.kernels import Polynomial
from rosenblatt.kernels.monomials import Monomials, multinomial, n_monomials
from rosenblatt.models.algebra import MOST_TERMS, Algebra
from rosenblatt.models.polynomial_threshold import chosen_way
from rosenblatt.rules import Margin, UnevenMargin
from tests.contract import TWICE_IS_NOT_DOUBLE, assert_fails, contract, excuses
from tests.covering import all_pairs, all_turns

XOR = (np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]), np.array([0, 1, 1, 0]))
FIXED = ["rosenblatt", Margin(tau=2.0), UnevenMargin(tau_positive=3.0, tau_negative=0.5)]
AGGRESSIVE = ["passive_aggressive", "passive_aggressive_1", "passive_aggressive_2"]
KEEPERS = ["last", "averaged", "voted", "random"]


def updates(model):
    """(row, delta, look) of all updates of each column, in order."""
    state = model._learner_._state
    return [
        list(zip(state.support.origin[r.member].tolist(), r.delta.tolist(), r.look.tolist(), strict=True))
        for r in state.records
    ]


def both(X, y, **parameters):
    """The model by the map and the model by the kernel."""
    return [PolynomialThreshold(way=way, **parameters).fit(X, y) for way in ("map", "kernel")]


def whole_numbers(n, d, n_classes, seed):
    """Rows of −2 … 2, many of them twice and with other labels: full of scores that are exactly 0."""
    generator = np.random.default_rng(seed)
    X = generator.integers(-2, 3, size=(n, d)).astype(float)
    return X, np.r_[np.arange(n_classes), generator.integers(0, n_classes, n - n_classes)]


def real_numbers(n, d, n_classes, seed):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, d))
    y = np.searchsorted(np.linspace(0, 2, n_classes + 1)[1:-1] * d / 2, (X**2).sum(axis=1))
    y[:n_classes] = np.arange(n_classes)
    return X, y


def plainly(X, y, degree, passes, tie="mistake", constant=1):
    """The perceptron of class 1 against class 0 in whole numbers, which Python adds without rounding:
    (row, delta, look) of its updates."""
    rows = [[int(v) for v in x] for x in X]
    made = []
    for look in range(passes * len(rows)):
        i = look % len(rows)
        label = 1 if y[i] == 1 else -1
        score = sum(
            delta * (constant + sum(a * b for a, b in zip(rows[i], rows[k], strict=True))) ** degree
            for k, delta, _ in made
        )
        answer = (score > 0) - (score < 0) or {"mistake": 0, "negative": -1, "positive": 1}[tie]
        if answer != label:
            made.append((i, label, look))
    return made


# ---------------------------------------------------------------- the map


def by_brute_force(x, degree):
    """The terms of (1 + x·z)^degree, one for each way to choose a factor `degree` times: Σ Π x of them."""
    counted = Counter(
        tuple(sorted(c for c in choice if c >= 0)) for choice in product(range(-1, len(x)), repeat=degree)
    )
    return {power: (times, math.prod(x[j] for j in power)) for power, times in counted.items()}


@pytest.mark.parametrize("degree", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_weights_count_how_often_a_monomial_comes_up(d, degree):
    x = np.random.default_rng(d).normal(size=d)
    terms = Monomials(d, degree)
    want = by_brute_force(x.tolist(), degree)
    assert dict(zip(terms.powers, terms.weights.tolist(), strict=True)) == {
        power: times for power, (times, _) in want.items()
    }
    assert [multinomial(power, degree) for power in terms.powers] == terms.weights.tolist()
    assert len(terms) == n_monomials(d, degree) == math.comb(d + degree, degree)
    np.testing.assert_allclose(
        terms.plain(x[None])[0], [want[power][1] for power in terms.powers], rtol=1e-13
    )
    assert terms.weights.sum() == (1 + d) ** degree


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_inner_product_of_the_map_is_the_kernel(d, degree):
    X = np.random.default_rng(degree).normal(size=(20, d))
    Z = np.random.default_rng(degree + 9).normal(size=(7, d))
    terms = Monomials(d, degree)
    np.testing.assert_allclose(
        terms.map(X) @ terms.map(Z).T, (1 + X @ Z.T) ** degree, rtol=1e-11, atol=1e-11
    )
    assert (terms.map(csr_array(X)) == terms.map(X)).all()


# ---------------------------------------------------------------- the same mistakes


@pytest.mark.parametrize(
    ("rule", "n_classes", "degree", "make"),
    all_pairs(FIXED, [2, 3, 4], [1, 2, 3, 4], [whole_numbers, real_numbers]),
    ids=str,
)
def test_map_and_kernel_make_the_same_updates(make, degree, n_classes, rule):
    for seed in range(3):
        X, y = make(40, 1 + seed, n_classes, seed)
        by_map, by_kernel = both(X, y, degree=degree, rule=rule, epochs=3, random_state=seed)
        assert (by_map.way_, by_kernel.way_) == ("map", "kernel")
        assert updates(by_map) == updates(by_kernel)
        assert len(updates(by_map)) == (n_classes if n_classes > 2 else 1)
        assert by_map.mistakes_per_class_.tolist() == by_kernel.mistakes_per_class_.tolist()
        assert [(e.mistakes, e.updates) for e in by_map.history_] == [
            (e.mistakes, e.updates) for e in by_kernel.history_
        ]


@pytest.mark.parametrize(("rule", "degree"), all_turns(AGGRESSIVE, [1, 2, 3, 4]))
def test_map_and_kernel_make_the_same_updates_by_rules_that_look_at_the_score(degree, rule):
    for seed in range(3):
        X, y = real_numbers(40, 2, 2, seed)
        by_map, by_kernel = both(X, y, degree=degree, rule=rule, epochs=2, random_state=seed)
        one, other = updates(by_map)[0], updates(by_kernel)[0]
        assert [(row, look) for row, _, look in one] == [(row, look) for row, _, look in other]
        np.testing.assert_allclose([u[1] for u in one], [u[1] for u in other], rtol=1e-6, atol=1e-9)
        assert by_map.mistakes_ == by_kernel.mistakes_


@pytest.mark.parametrize(
    ("tie", "way", "degree"),
    all_pairs(["mistake", "negative", "positive"], ["map", "kernel"], [1, 2, 3, 4]),
)
def test_on_whole_numbers_both_are_the_plain_loop_without_rounding(degree, way, tie):
    for seed in range(4):
        X, y = whole_numbers(25, 1 + seed % 3, 2, seed)
        model = PolynomialThreshold(degree=degree, way=way, tie=tie, order="given", epochs=3).fit(X, y)
        want = plainly(X, y, degree, 3, tie)
        assert updates(model) == [want]
        assert model.mistakes_ == len(want)


@pytest.mark.parametrize("tie", ["mistake", "negative", "positive"])
@pytest.mark.parametrize("way", ["map", "kernel"])
@pytest.mark.parametrize(("degree", "constant"), [(1, 0), (2, 0), (3, 0), (2, 3), (3, 2)])
def test_homogeneous_ones_and_other_constants_too(degree, constant, way, tie):
    for seed in range(4):
        X, y = whole_numbers(25, 1 + seed % 3, 2, seed)
        model = PolynomialThreshold(
            degree=degree, way=way, coef0=float(constant), tie=tie, order="given", epochs=3
        ).fit(X, y)
        want = plainly(X, y, degree, 3, tie, constant)
        assert updates(model) == [want]
        assert model.n_monomials_ == math.comb(X.shape[1] + degree - (constant == 0), degree)
        p = model.polynomial_
        exact = [sum(d * (constant + int(x @ X[k])) ** degree for k, d, _ in want) for x in X]
        assert p(X).tolist() == exact
        values = model.decision_function(X)
        np.testing.assert_allclose(values, exact, rtol=1e-12)  # by the map √2·√2 is not 2
        assert np.sign(values).tolist() == np.sign(exact).tolist()
        if constant == 0:
            assert {term.degree for term in p.terms} <= {degree}


@given(
    rows=st.lists(st.tuples(*[st.sampled_from([-1.5, -1.0, -0.1, 0.0, 0.1, 1.0, 1.5])] * 2), min_size=2),
    seed=st.integers(0, 99),
    degree=st.integers(1, 4),
    coef0=st.sampled_from([1.0, 0.0, 0.3, 7.0]),
    offset_rule=st.sampled_from(["rosenblatt", "margin"]),
)
def test_on_rows_that_cancel_too(rows, seed, degree, coef0, offset_rule):
    """0.1·0.1 is no double, so the map and the kernel round a score of 0 each in its own way."""
    X = np.array(rows)
    y = np.r_[0, 1, np.random.default_rng(seed).integers(0, 2, len(X) - 2)]
    by_map, by_kernel = both(
        X, y, degree=degree, coef0=coef0, rule=offset_rule, epochs=3, random_state=seed
    )
    assert updates(by_map) == updates(by_kernel)
    assert (by_map.predict(X) == by_kernel.predict(X)).all()


@pytest.mark.parametrize(
    ("keep", "make", "n_classes"), all_pairs(KEEPERS, [whole_numbers, real_numbers], [2, 3])
)
def test_map_and_kernel_give_the_same_answers(n_classes, make, keep):
    X, y = make(60, 2, n_classes, 5)
    by_map, by_kernel = both(X, y, degree=3, keep=keep, epochs=2, random_state=1)
    assert (by_map.predict(X) == by_kernel.predict(X)).all()
    np.testing.assert_allclose(
        by_map.decision_function(X), by_kernel.decision_function(X), rtol=1e-9, atol=1e-9
    )
    one, other = by_map.survival_, by_kernel.survival_
    assert [np.asarray(s).tolist() for s in one] == [np.asarray(s).tolist() for s in other]


def test_with_weights_classes_and_an_order_of_ones_own_too():
    X, y = real_numbers(50, 3, 3, 2)
    weight = np.random.default_rng(0).integers(0, 4, 50) / 2
    for parameters in (
        {"class_weight": "balanced", "random_state": 3},
        {"order": [*range(49, -1, -1), 4, 4]},
        {"order": "given", "until": "separated", "epochs": 20},
    ):
        by_map, by_kernel = (
            PolynomialThreshold(way=way, **parameters).fit(X, y, sample_weight=weight)
            for way in ("map", "kernel")
        )
        assert updates(by_map) == updates(by_kernel)
        assert (by_map.epochs_, by_map.converged_) == (by_kernel.epochs_, by_kernel.converged_)


def test_it_is_a_kernel_perceptron():
    X, y = real_numbers(80, 3, 3, 8)
    for keep in KEEPERS:
        inner = KernelPerceptron(kernel=Polynomial(3, 1.0, 1.0), keep=keep, random_state=2).fit(X, y)
        model = PolynomialThreshold(degree=3, keep=keep, random_state=2).fit(X, y)
        assert model.mistakes_per_class_.tolist() == inner.mistakes_per_class_.tolist()
        assert (model.predict(X) == inner.predict(X)).all()
        assert (model.updates_, model.examples_seen_) == (inner.updates_, inner.examples_seen_)


def test_of_degree_1_it_is_the_perceptron_with_an_offset():
    X, y = whole_numbers(60, 3, 2, 3)
    line = Perceptron(random_state=0, epochs=4).fit(X, y)
    for model in both(X, y, degree=1, random_state=0, epochs=4):
        assert (model.mistakes_, model.examples_seen_) == (line.mistakes_, line.examples_seen_)
        by_name = {term.monomial: term.coefficient for term in model.polynomial_.terms}
        assert [by_name.get(f"x{j}", 0.0) for j in range(3)] == line.coef_.ravel().tolist()
        assert by_name.get("", 0.0) == line.intercept_[0]


# ---------------------------------------------------------------- what a line cannot


def test_a_circle_is_learned_exactly():
    generator = np.random.default_rng(1)
    X = generator.uniform(-2, 2, size=(150, 2))
    X = X[np.abs((X**2).sum(axis=1) - 1.0) > 0.2]
    y = ((X**2).sum(axis=1) < 1.0).astype(int)
    line = Perceptron(epochs=30, random_state=0).fit(X, y)
    assert line.training_error(X, y) > 0.05
    for model in both(X, y, until="separated", epochs=None, random_state=0):
        assert model.converged_
        assert (model.predict(X) == y).all()
        assert model.history_[-1].mistakes == 0
        squares = {t.monomial: t.coefficient for t in model.polynomial_.terms if t.degree == 2}
        assert squares["x0²"] < 0 > squares["x1²"]


def test_two_for_either_or_and_no_number_of_passes_for_a_line():
    for model in both(*XOR, until="separated", order="given"):
        assert (model.converged_, model.predict(XOR[0]).tolist()) == (True, [0, 1, 1, 0])
        assert str(model.polynomial_) == "−8·x0·x1"
    for model in both(*XOR, degree=1, until="separated", order="given", epochs=50):
        assert (model.converged_, model.epochs_) == (False, 50)


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


def test_the_zero_polynomial_is_0_everywhere():
    p = Algebra([(), (0,)], np.zeros(2), ["a"])
    assert (str(p), len(p), p.degree, p.terms) == ("0", 0, 0, [])
    assert p([[1.0], [7.0]]).tolist() == [0.0, 0.0]


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


def test_a_polynomial_takes_sparse_rows_and_refuses_what_are_no_rows():
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


def test_the_way_is_said():
    X, y = real_numbers(100, 2, 2, 0)
    assert PolynomialThreshold().fit(X, y).way_ == "map"  # 6 monomials, 200 numbers
    assert PolynomialThreshold().fit(X[:11], y[:11]).way_ == "kernel"  # 22 numbers
    assert PolynomialThreshold().fit(X[:12], y[:12]).way_ == "map"  # 24 numbers
    assert PolynomialThreshold(way="map").fit(X[:11], y[:11]).way_ == "map"
    assert PolynomialThreshold(way="kernel").fit(X, y).way_ == "kernel"


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
    assert chosen_way(way, n, d, degree) == chosen


def test_a_map_too_large_is_refused_with_the_remedy():
    X = np.random.default_rng(0).normal(size=(5, 40))
    with pytest.raises(
        BadInput, match=r"way: 'map' would write out 377,348,994 monomials of 40 .*use way='kernel'"
    ):
        PolynomialThreshold(degree=8, way="map").fit(X, [0, 1, 0, 1, 1])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"degree": 0}, "degree: expected a whole number of at least 1, got 0"),
        ({"degree": 2.5}, "degree: expected a whole number"),
        ({"degree": True}, "degree: expected a whole number"),
        ({"degree": "two"}, "degree: expected a whole number of at least 1, got 'two'"),
        ({"way": "fast"}, "way: got 'fast', expected one of 'auto', 'map', 'kernel'"),
        ({"way": None}, "way: got None"),
        ({"keep": "pocket"}, "keep: got 'pocket', expected one of 'last', 'averaged', 'voted', 'random'"),
        ({"rule": "alma"}, "rule: 'alma' has no dual form"),
        ({"order": "worst_mistake"}, "order: 'worst_mistake' would need"),
        ({"epochs": 0}, "epochs: expected"),
        ({"tie": "up"}, "tie: got 'up'"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, message):
    X, y = real_numbers(20, 2, 2, 0)
    model = PolynomialThreshold(**parameters)
    with pytest.raises(BadInput, match=message):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_a_keeper_that_does_not_exist_is_refused_after_learning_too():
    X, y = real_numbers(20, 2, 2, 0)
    model = PolynomialThreshold().fit(X, y).set_params(keep="best")
    with pytest.raises(BadInput, match="keep: got 'best'"):
        model.predict(X)


@pytest.mark.parametrize("way", ["map", "kernel"])
def test_rows_that_are_too_long_or_no_numbers_are_refused(way):
    X, y = real_numbers(20, 2, 2, 0)
    model = PolynomialThreshold(way=way).fit(X, y)
    with pytest.raises(BadInput, match="overflows"):
        PolynomialThreshold(way=way).fit(X * 1e100, y)
    with pytest.raises(BadInput, match="overflows"):
        model.predict(X * 1e100)
    X[3, 1] = np.nan
    with pytest.raises(BadInput, match="NaN in row 3, column 1"):
        model.predict(X)
    with pytest.raises(BadInput, match="NaN in row 3, column 1"):
        PolynomialThreshold(way=way).fit(X, y)


# ---------------------------------------------------------------- the contract with scikit-learn


FAMILY = [
    PolynomialThreshold(),
    PolynomialThreshold(way="map", keep="averaged"),
    PolynomialThreshold(way="kernel", keep="voted", tie="positive", degree=4),
    PolynomialThreshold(way="map", keep="random", order="given", rule="margin"),
    PolynomialThreshold(rule="passive_aggressive_1", validation=0.2, track_error=True, keep="averaged"),
]


def excused(estimator):
    return TWICE_IS_NOT_DOUBLE


@contract(FAMILY, excused)
def test_it_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@excuses(FAMILY, excused)
def test_no_excuse_is_made_for_a_check_that_passes(estimator, check):
    assert_fails(estimator, check)


def test_every_parameter_is_stored_as_it_was_given():
    names = list(inspect.signature(PolynomialThreshold).parameters)
    given = {name: object() for name in names}
    assert PolynomialThreshold(**given).get_params(deep=False) == given


def test_the_defaults_are_those_of_the_manual():
    assert PolynomialThreshold().get_params() == {
        "degree": 2,
        "way": "auto",
        "coef0": 1.0,
        "rule": "rosenblatt",
        "keep": "last",
        "epochs": 10,
        "until": None,
        "order": "shuffled",
        "tie": "mistake",
        "class_weight": None,
        "validation": None,
        "callbacks": None,
        "warm_start": False,
        "random_state": None,
        "progress": None,
        "track_error": False,
    }


def test_it_says_what_it_is():
    tags = PolynomialThreshold().__sklearn_tags__()
    assert is_classifier(PolynomialThreshold())
    assert tags.classifier_tags.multi_class
    assert tags.input_tags.sparse


def test_before_fit_there_is_nothing():
    model = PolynomialThreshold()
    for name in ("polynomial_", "survival_", "way_", "classes_", "mistakes_", "n_monomials_"):
        assert not hasattr(model, name)
    for ask in (model.predict, model.decision_function):
        with pytest.raises(NotFittedError):
            ask(XOR[0])


@pytest.mark.parametrize("way", ["map", "kernel"])
def test_a_clone_has_the_parameters_and_nothing_that_was_learned(way):
    X, y = real_numbers(40, 2, 3, 0)
    model = PolynomialThreshold(degree=3, way=way, rule=Margin(tau=0.5), random_state=3).fit(X, y)
    twin = clone(model)
    assert twin.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        check_is_fitted(twin)
    assert updates(twin.fit(X, y)) == updates(model)


@pytest.mark.parametrize(("way", "keep"), all_turns(["map", "kernel"], KEEPERS))
def test_a_pickled_model_decides_and_goes_on_as_the_original(keep, way):
    X, y = real_numbers(60, 2, 3, 4)
    model = PolynomialThreshold(way=way, keep=keep, random_state=0, epochs=2).fit(X, y)
    twin = pickle.loads(pickle.dumps(model))
    assert (twin.decision_function(X) == model.decision_function(X)).all()
    assert twin.way_ == model.way_ == way
    model.partial_fit(X[:20], y[:20])
    twin.partial_fit(X[:20], y[:20])
    assert updates(twin) == updates(model)
    assert (twin.decision_function(X) == model.decision_function(X)).all()


@pytest.mark.parametrize("way", ["map", "kernel"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_to_learn_in_parts_is_to_learn_in_one_pass(n_classes, way):
    X, y = real_numbers(60, 2, n_classes, 6)
    whole = PolynomialThreshold(way=way, order="given", epochs=1, random_state=0).fit(X, y)
    at_once = PolynomialThreshold(way=way, random_state=0).partial_fit(X, y)
    parts = PolynomialThreshold(way=way, random_state=0)
    for start in range(0, 60, 7):
        part = slice(start, start + 7)
        parts.partial_fit(X[part], y[part], classes=np.arange(n_classes) if start == 0 else None)
    assert updates(at_once) == updates(whole) == updates(parts)
    np.testing.assert_allclose(parts.decision_function(X), whole.decision_function(X), rtol=1e-9, atol=1e-9)
    assert (parts.predict(X) == whole.predict(X)).all()
    assert (parts.mistakes_, parts.examples_seen_) == (whole.mistakes_, 60)


@pytest.mark.parametrize(("way", "keep"), all_turns(["map", "kernel"], KEEPERS))
def test_two_warm_fits_of_two_passes_are_one_of_four(keep, way):
    X, y = real_numbers(50, 2, 3, 2)
    warm = PolynomialThreshold(way=way, keep=keep, epochs=2, warm_start=True, random_state=0)
    warm.fit(X, y).fit(X, y)
    once = PolynomialThreshold(way=way, keep=keep, epochs=4, random_state=0).fit(X, y)
    assert [[(d, look) for _, d, look in c] for c in updates(warm)] == [
        [(d, look) for _, d, look in c] for c in updates(once)
    ]
    assert (warm.epochs_, warm.mistakes_, warm.way_) == (4, once.mistakes_, way)
    np.testing.assert_allclose(warm.decision_function(X), once.decision_function(X), rtol=1e-9, atol=1e-9)
    assert (warm.predict(X) == once.predict(X)).all()


@pytest.mark.parametrize(
    ("way", "keep", "coef0"), all_pairs(["map", "kernel"], ["last", "averaged", "random"], [0.0, 0.4, 3.0])
)
def test_the_polynomial_of_any_constant_is_the_decision_function(coef0, keep, way):
    X, y = real_numbers(40, 3, 2, 6)
    model = PolynomialThreshold(3, way, coef0, keep=keep, epochs=3, random_state=4).fit(X, y)
    np.testing.assert_allclose(model.polynomial_(X), model.decision_function(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("way", ["map", "kernel"])
def test_a_homogeneous_polynomial_has_no_say_at_0_and_the_same_at_minus_x_for_even_degrees(way):
    X, y = real_numbers(40, 2, 2, 3)
    model = PolynomialThreshold(2, way, 0.0, random_state=0).fit(X, y)
    assert model.decision_function([[0.0, 0.0]]).tolist() == [0.0]
    assert (model.decision_function(-X) == model.decision_function(X)).all()
    assert (model.way_, model.n_monomials_) == (way, 3)


@pytest.mark.parametrize("coef0", [-1.0, math.nan, math.inf, "1", None])
def test_a_constant_that_makes_no_kernel_is_refused(coef0):
    with pytest.raises(BadInput, match=r"^coef0: expected a finite number of at least 0"):
        PolynomialThreshold(coef0=coef0).fit(*XOR)


def test_a_warm_start_with_another_constant_is_refused():
    model = PolynomialThreshold(coef0=0.0, warm_start=True).fit(*XOR)
    with pytest.raises(BadInput, match=r"coef0: 1.0 now, but learning began with 0.0"):
        model.set_params(coef0=1.0).fit(*XOR)
    assert model.set_params(coef0=0.0).fit(*XOR).epochs_ == 20


def test_a_warm_start_with_another_degree_or_other_columns_is_refused():
    X, y = real_numbers(30, 2, 2, 0)
    model = PolynomialThreshold(warm_start=True, random_state=0).fit(X, y)
    before = model.decision_function(X)
    with pytest.raises(BadInput, match=r"degree: 3 now, but learning began with 2"):
        model.set_params(degree=3).fit(X, y)
    with pytest.raises(BadInput, match=r"degree: 3 now"):
        model.partial_fit(X, y)
    model.set_params(degree=2)
    with pytest.raises(BadInput, match="4 features"):
        model.fit(np.hstack([X, X]), y)
    with pytest.raises(BadInput, match="4 features"):
        model.predict(np.hstack([X, X]))
    assert (model.decision_function(X) == before).all()
    assert model.set_params(degree=3, warm_start=False).fit(X, y).polynomial_.degree == 3


@pytest.mark.parametrize("way", ["map", "kernel"])
def test_validation_keeps_what_was_best_on_other_rows(way):
    X, y = real_numbers(120, 2, 3, 9)
    y = np.where(np.random.default_rng(0).random(120) < 0.2, (y + 1) % 3, y)
    model = PolynomialThreshold(way=way, epochs=6, random_state=5, validation=(X[80:], y[80:]))
    model.fit(X[:80], y[:80])
    errors = [record.validation_error for record in model.history_]
    assert model.best_epoch_ == 1 + int(np.argmin(errors))
    there = PolynomialThreshold(way=way, epochs=model.best_epoch_, random_state=5).fit(X[:80], y[:80])
    assert (there.decision_function(X) == model.decision_function(X)).all()
    assert np.mean(model.predict(X[80:]) != y[80:]) == pytest.approx(min(errors))
    assert model.epochs_ == 6


@pytest.mark.parametrize(("way", "keep"), all_turns(["map", "kernel"], KEEPERS))
def test_the_error_tracked_in_a_pass_is_that_of_a_run_which_ends_there(keep, way):
    X, y = real_numbers(80, 2, 3, 3)
    parameters = {"way": way, "keep": keep, "random_state": 2}
    model = PolynomialThreshold(epochs=3, track_error=True, **parameters).fit(X, y)
    ends = [PolynomialThreshold(epochs=t, **parameters).fit(X, y) for t in (1, 2, 3)]
    assert [record.training_error for record in model.history_] == [
        pytest.approx(np.mean(end.predict(X) != y)) for end in ends
    ]


@pytest.mark.parametrize("way", ["map", "kernel"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sparse_rows_are_dense_rows(dtype, way):
    X, y = whole_numbers(50, 3, 3, 7)
    X = (X * 0.3).astype(dtype)
    dense, sparse = (
        PolynomialThreshold(way=way, degree=3, random_state=0).fit(rows, y) for rows in (X, csr_array(X))
    )
    assert updates(dense) == updates(sparse)
    assert (dense.predict(X) == sparse.predict(csr_array(X))).all()
    for one, other in zip(dense.polynomial_.values(), sparse.polynomial_.values(), strict=True):
        np.testing.assert_allclose(one(X), other(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("way", ["map", "kernel"])
def test_rows_of_weight_0_are_absent(way):
    X, y = real_numbers(50, 2, 2, 1)
    weight = (np.arange(50) % 3 > 0).astype(float)
    X[weight == 0] = np.nan
    there = weight > 0
    model = PolynomialThreshold(way=way, order="given").fit(X, y, sample_weight=weight)
    want = PolynomialThreshold(way=way, order="given").fit(X[there], y[there])
    assert [(d, look) for _, d, look in updates(model)[0]] == [(d, look) for _, d, look in updates(want)[0]]
    assert model.predict(X[there]).tolist() == want.predict(X[there]).tolist()


def test_learning_does_not_write_into_what_it_was_given():
    X, y = real_numbers(50, 2, 2, 1)
    rows, labels = X.copy(), y.copy()
    for model in both(rows, labels, random_state=0):
        model.predict(rows)
        model.polynomial_(rows)
    assert (rows == X).all()
    assert (labels == y).all()


def test_grid_search_finds_the_degree():
    X = np.random.default_rng(3).uniform(-2, 2, size=(200, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    model = make_pipeline(StandardScaler(), PolynomialThreshold(keep="averaged", random_state=0))
    search = GridSearchCV(model, {"polynomialthreshold__degree": [1, 2]}, cv=3).fit(X, y)
    assert search.best_params_["polynomialthreshold__degree"] == 2
    assert search.best_score_ > 0.9


def test_a_callback_sees_every_pass_and_may_end_the_run():
    seen = []
    model = PolynomialThreshold(epochs=9, callbacks=lambda epoch: seen.append(epoch) or len(seen) == 3)
    model.fit(*whole_numbers(30, 2, 2, 0))
    assert (len(seen), model.epochs_) == (3, 3)
