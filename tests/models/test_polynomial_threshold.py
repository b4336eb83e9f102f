"""PolynomialThreshold learns the same polynomial by the map and by the kernel."""

from __future__ import annotations

import math
from operator import mul

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import Perceptron, PolynomialThreshold
from rosenblatt.rules import Margin, UnevenMargin
from tests.covering import all_pairs, all_turns, case_id
from tests.models.polynomial_problems import KEEPERS, XOR, both, real_numbers, whole_numbers
from tests.training.dual import naive_dual
from tests.training.dual.dual_runs import updates

FIXED = ["rosenblatt", Margin(tau=2.0), UnevenMargin(tau_positive=3.0, tau_negative=0.5)]

AGGRESSIVE = ["passive_aggressive", "passive_aggressive_1", "passive_aggressive_2"]


def plainly(X, y, degree, passes, tie="mistake", constant=1):
    """The (row, delta, look) of the updates by a Gram matrix of whole numbers."""
    rows = [[int(v) for v in x] for x in X]
    gram = [[(constant + sum(map(mul, x, z))) ** degree for z in rows] for x in rows]
    (column,) = naive_dual.learn(gram, y.tolist(), [*range(len(rows))] * passes, tie=tie)
    return [tuple(update) for update in column.updates]


# ---------------------------------------------------------------- the same mistakes


@pytest.mark.parametrize(
    ("rule", "n_classes", "degree", "make"),
    all_pairs(FIXED, [2, 3, 4], [1, 2, 3, 4], [whole_numbers, real_numbers]),
    ids=case_id,
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
def test_map_and_kernel_make_the_same_updates_for_rules_that_use_the_score(degree, rule):
    for seed in range(3):
        X, y = real_numbers(40, 2, 2, seed)
        by_map, by_kernel = both(X, y, degree=degree, rule=rule, epochs=2, random_state=seed)
        one, other = updates(by_map)[0], updates(by_kernel)[0]
        assert [(row, look) for row, _, look in one] == [(row, look) for row, _, look in other]
        np.testing.assert_allclose([u[1] for u in one], [u[1] for u in other], rtol=1e-6, atol=1e-9)
        assert by_map.mistakes_ == by_kernel.mistakes_


@pytest.mark.parametrize("tie", ["mistake", "negative", "positive"])
@pytest.mark.parametrize("way", ["map", "kernel"])
@pytest.mark.parametrize(
    ("degree", "constant"), [(1, 0), (2, 0), (3, 0), (2, 3), (3, 2), (1, 1), (2, 1), (3, 1), (4, 1)]
)
def test_on_whole_numbers_both_are_the_plain_loop_without_rounding(degree, constant, way, tie):
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


def test_of_degree_1_it_is_the_perceptron_with_an_offset():
    X, y = whole_numbers(60, 3, 2, 3)
    line = Perceptron(random_state=0, epochs=4).fit(X, y)
    for model in both(X, y, degree=1, random_state=0, epochs=4):
        assert (model.mistakes_, model.examples_seen_) == (line.mistakes_, line.examples_seen_)
        by_name = {term.monomial: term.coefficient for term in model.polynomial_.terms}
        assert [by_name.get(f"x{j}", 0.0) for j in range(3)] == line.coef_.ravel().tolist()
        assert by_name.get("", 0.0) == line.intercept_[0]


# ---------------------------------------------------------------- what a line cannot


def test_two_for_either_or_and_no_number_of_passes_for_a_line():
    for model in both(*XOR, until="separated", order="given"):
        assert (model.converged_, model.predict(XOR[0]).tolist()) == (True, [0, 1, 1, 0])
        assert str(model.polynomial_) == "−8·x0·x1"
    for model in both(*XOR, degree=1, until="separated", order="given", epochs=50):
        assert (model.converged_, model.epochs_) == (False, 50)


# ---------------------------------------------------------------- runs


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
