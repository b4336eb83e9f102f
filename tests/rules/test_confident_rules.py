"""Rules that know how sure they are: each equals its formula, in both forms, and its numbers stay sane."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numba import config

from rosenblatt import Perceptron, rules
from rosenblatt.data.labels import as_labels
from rosenblatt.numeric.next_row import Given, Listed
from rosenblatt.numeric.row_batches import Batch, as_rows
from rosenblatt.training.column_trainer import learn
from rosenblatt.training.initial_states import begin
from tests.rules import naive_confident as naive
from tests.rules import problems
from tests.rules.rule_runs import weights

BOTH = [
    make(covariance=covariance)
    for covariance in ("diagonal", "full")
    for make in (
        lambda covariance: rules.Arow(0.7, covariance),
        lambda covariance: rules.Narow(2.0, covariance),
        lambda covariance: rules.NormalHerd(0.5, covariance),
        lambda covariance: rules.ConfidenceWeighted(0.8, covariance),
        lambda covariance: rules.Scw1(0.3, 0.8, covariance),
        lambda covariance: rules.Scw2(0.3, 0.8, covariance),
        lambda covariance: rules.SecondOrder(0.5, covariance),
    )
]
EVERY = [*BOTH, rules.Adagrad(0.5)]
LAYOUTS = {"dense": np.asarray, "sparse": sp.csr_array}
COMPILED = {("Arow", "diagonal", "sparse"), ("Arow", "full", "dense"), ("SecondOrder", "full", "sparse"),
            ("Scw2", "diagonal", "dense")}  # fmt: skip
"""Each loop takes seconds to compile: these here, all of them interpreted and in the matrix."""


def parameter_of(rule, layout):
    name = type(rule).__name__, getattr(rule, "covariance", ""), layout
    in_short = config.DISABLE_JIT or name in COMPILED
    return pytest.param(rule, layout, marks=() if in_short else pytest.mark.matrix)


def made_batch(X, y):
    return Batch(as_rows(X), as_labels(y), np.empty(0))


@pytest.fixture(scope="module")
def data():
    return problems.noisy(n=60, d=5, density=0.7)


@pytest.mark.parametrize(("rule", "layout"), [parameter_of(*case) for case in product(EVERY, LAYOUTS)])
@pytest.mark.parametrize("keep", ["last", "averaged"])
def test_the_loop_learns_what_the_formula_says(rule, layout, keep, data):
    X, y = data
    model = Perceptron(rule=rule, keep=keep, order="given", epochs=2).fit(LAYOUTS[layout](X), y)
    looks = naive.vectors(rule, X, y, epochs=2)
    wanted = looks[-1] if keep == "last" else looks.mean(axis=0)
    np.testing.assert_allclose(weights(model), wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("rule", "layout"), [parameter_of(rule, "dense") for rule in EVERY])
def test_a_weight_does_what_the_rule_says(rule, layout, data):
    X, y = data
    c = np.random.default_rng(1).choice([0.25, 1.0, 3.0], len(y))
    model = Perceptron(rule=rule, order="given", epochs=2, class_weight={-1: 1.0, 1: 2.0})
    wanted = naive.vectors(rule, X, y, epochs=2, weights=c * np.where(y > 0, 2.0, 1.0))[-1]
    np.testing.assert_allclose(weights(model.fit(X, y, sample_weight=c)), wanted, rtol=1e-10, atol=1e-12)


def test_every_rule_that_keeps_arrays_is_here():
    here = {rules.name_of(rule) for rule in EVERY}
    assert here == {name for name, cls in rules.RULES.items() if rules.keeps_arrays(cls)}


@pytest.mark.parametrize(("rule", "layout"), [parameter_of(rule, "dense") for rule in EVERY])
@pytest.mark.parametrize("size", [1e-150, 1.0, 1e150])
def test_numbers_stay_sane_however_large_rows_are_and_how_often_they_come(rule, layout, size):
    X = size * np.array([[1.0, 2.0], [0.0, 0.0], [-1.0, 0.5], [3.0, 0.0]])
    batch = made_batch(X, [1, -1, -1, 1])
    state = begin(2, rule, offset=False)
    times = 20 if config.DISABLE_JIT else 250_000  # a million looks
    learn(state, batch, Listed(np.tile(np.arange(4), times)))
    assert np.isfinite(state.current()).all()
    (column,) = state.columns
    for part in column.memory:
        assert np.isfinite(part).all()
    if hasattr(column.memory, "variance"):
        assert (column.memory.variance > 0.0).all()
    if hasattr(column.memory, "matrix"):
        assert (np.diag(column.memory.matrix) > 0.0).all()
        np.testing.assert_allclose(column.memory.matrix, column.memory.matrix.T, rtol=1e-12)


# ---------------------------------------------------------------- what the papers prove


def updates_of(rule, X, y):
    """Return each update (x, y, functional margin and v before it), and the final w."""
    state, batch, found = begin(X.shape[1], rule, offset=False), made_batch(X, y), []
    for i in range(len(y)):
        w, memory, updates = state.current()[:-1], state.columns[0].memory, state.updates
        v = float(X[i] @ memory.matrix[:-1, :-1] @ X[i])
        learn(state, batch, Given(i, i + 1))
        if state.updates > updates:
            found.append((X[i], y[i], float(y[i] * (w @ X[i])), v))
    return found, state.current()[:-1]


def most_by_arow(rule, u, x, agreement, v, hinge, extra):
    seen = x.T @ x
    grown = np.linalg.slogdet(np.eye(len(u)) + seen / rule.r)[1]
    return hinge - extra + np.sqrt((rule.r * u @ u + u @ seen @ u) * (grown + extra))


def most_by_narow(rule, u, x, agreement, v, hinge, extra):
    share = np.where(rule.b * v > 1.0, (rule.b * v - 1.0) / v, 0.0)  # 1/r
    return (
        hinge
        - extra
        + np.sqrt((u @ u + share @ (x @ u) ** 2) * (2 * extra + np.minimum(v, 1.0 / rule.b).sum()))
    )


def most_by_second_order(rule, u, x, agreement, v, hinge, extra):
    seen = x.T @ x
    return hinge + np.sqrt(
        (rule.a * u @ u + u @ seen @ u) * np.log1p(np.linalg.eigvalsh(seen).clip(0.0) / rule.a).sum()
    )


BOUNDS = [
    pytest.param(*case, marks=() if config.DISABLE_JIT or case[0] is rules.Arow else pytest.mark.matrix)
    for case in [
        (rules.Arow, most_by_arow),
        (rules.Narow, most_by_narow),
        (rules.SecondOrder, most_by_second_order),
    ]
]


@pytest.mark.parametrize(("cls", "most"), BOUNDS)
@given(st.integers(0, 1000), st.sampled_from([0.05, 0.5, 5.0]), st.floats(0.0, 1.0), st.floats(0.05, 20.0))
def test_no_u_allows_fewer_mistakes_than_were_made(cls, most, seed, parameter, noise, length):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(40, 3)) * [1.0, 3.0, 0.3]
    right = generator.normal(size=3)
    y = np.where(X @ right + noise * generator.normal(size=40) > 0, 1, -1)
    rule = cls(parameter, covariance="full")
    updates, w = updates_of(rule, X, y)
    x, label, agreement, v = (np.array(part) for part in zip(*updates, strict=True))
    mistakes = int((agreement <= 0.0).sum())
    for u in (right, w, length * right, length * w):
        hinge = np.maximum(0.0, 1.0 - label * (x @ u)).sum()
        assert mistakes <= most(rule, u, x, agreement, v, hinge, len(updates) - mistakes) + 1e-9
