"""Scores of uncertain sign are decided by the plain loop, and only those."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import pytest

from rosenblatt import KernelPerceptron
from rosenblatt.kernels import Gaussian, Polynomial
from rosenblatt.training.backends import OnHost
from rosenblatt.training.dual.dual_state import DualState
from tests.kernels import naive_kernels
from tests.training.dual import kernel_problems as problems
from tests.training.dual import naive_dual as naive
from tests.training.dual.dual_runs import same_run, updates


def between():
    """Pairs of opposite labels, far from all other pairs, and the point in the middle of each: its score is
    the difference of two values that only rounding makes unlike."""
    generator = np.random.default_rng(0)
    X, y = [], []
    for corner in product([0.0, 25.0, 50.0], repeat=3):
        middle = np.append(corner, [0.0, 0.0]) + generator.uniform(0.0, 1.0, 5)
        half = generator.uniform(-0.5, 0.5, 5)
        X += [middle - half, middle + half, middle]
        y += [0, 1, int(generator.integers(0, 2))]
    return np.array(X), np.array(y)


def lattice(n_values=3, d=2, step=1.0, seed=0, n=200):
    """Points of a lattice, each many times, with labels by the toss of a coin: sums of few numbers, each
    with either sign."""
    generator = np.random.default_rng(seed)
    X = generator.integers(0, n_values, size=(n, d)) - n_values // 2
    return step * X, generator.integers(0, 2, n)


HARD = {
    "gaussian": ("gaussian", {"gamma": 1.0}, between),
    "polynomial of the 25th degree": ("polynomial", {"degree": 25, "gamma": 0.1, "coef0": 1.0}, lattice),
    "cubic": (
        "polynomial",
        {"degree": 3, "gamma": 1.0, "coef0": 0.0},
        partial(lattice, n_values=9, d=1, step=0.1, seed=1),
    ),
    "linear": ("linear", {}, partial(lattice, n_values=5, d=3, step=0.1)),
}


@pytest.fixture(params=HARD)
def hard(request):
    """A model to fit, its data, and the naive run."""
    name, parameters, data = HARD[request.param]
    X, y = data()
    gram = naive_kernels.gram(lambda x, z: getattr(naive_kernels, name)(x, z, **parameters), X)
    want = naive.learn(gram, y.tolist(), [*range(len(y))] * 4)
    return KernelPerceptron(name, **parameters, epochs=4, order="given"), X, y, want


def fast_sum(state, terms, row):
    """What the score would be by a matrix of kernel values, summed from the last support row to the first.
    (A product with a vector may sum in any order; which it takes depends on the machine.)"""
    support, backend = state.support.rows().values, state.backend
    x2, z2 = (np.einsum("ij,ij->i", M, M) for M in (row.values, support))
    values = state.kernel.matrix(row.values, support, x2, z2, backend) + state.offset
    return float(np.cumsum((values[0] * terms.mean_by_row(len(state.support)))[::-1])[-1])


@pytest.mark.parametrize("short", [0, 64])
def test_the_run_equals_that_of_the_plain_loop(hard, short, monkeypatch):
    """By matrices, and by rows that make their values themselves."""
    monkeypatch.setattr(OnHost, "short", short)
    monkeypatch.setattr(OnHost, "many", 0)
    model, X, y, want = hard
    same_run(model.fit(X, y), want)
    assert model.exact_decisions_ > 0


def test_without_the_plain_loop_it_would_be_another_run(hard, monkeypatch):
    """The data is such that rounding shows: it is `plain_sum` that makes the runs the same."""
    model, X, y, want = hard
    monkeypatch.setattr(DualState, "plain_sum", fast_sum)
    assert updates(model.fit(X, y)) != [[tuple(u) for u in column.updates] for column in want]


def test_values_that_are_off_by_all_that_the_bound_allows_change_nothing(monkeypatch):
    """Noise within the error bound changes no decision; larger noise does."""
    X, y = between()
    want = naive.learn(naive_kernels.gram(naive_kernels.gaussian, X), y.tolist(), [*range(len(y))] * 4)
    generator, true_values, bound = np.random.default_rng(0), Gaussian.matrix, Gaussian.error
    model = KernelPerceptron(gamma=1.0, epochs=4, order="given")

    def shaken(by):
        def matrix(kernel, X, Z, x2, z2, backend):
            values = true_values(kernel, X, Z, x2, z2, backend)
            return values + generator.choice([-by, by], values.shape)

        return matrix

    error = 1e-6
    monkeypatch.setattr(Gaussian, "error", lambda kernel, *rows: error + bound(kernel, *rows))
    monkeypatch.setattr(Gaussian, "matrix", shaken(error))
    same_run(model.fit(X, y), want)
    monkeypatch.setattr(Gaussian, "error", bound)
    assert updates(model.fit(X, y)) != [[tuple(u) for u in column.updates] for column in want]


def test_an_error_that_is_too_large_costs_time_and_nothing_else(monkeypatch):
    X, y = problems.noisy(n=80, n_classes=3, seed=3)
    model = KernelPerceptron("polynomial", degree=2, gamma=0.5, epochs=3, order="given")
    want = updates(model.fit(X, y))
    assert model.exact_decisions_ < 20
    monkeypatch.setattr(Polynomial, "error", lambda kernel, n_features, largest2: 1.0)
    assert updates(model.fit(X, y)) == want
    assert model.exact_decisions_ > 600  # all looks but those at w = 0: 3 columns of 240


def test_the_last_vector_and_the_votes_equal_those_of_the_plain_loop(hard):
    model, X, y, (column,) = hard
    model.fit(X, y)
    parameters = {name: getattr(model, name) for name in model.kernel_._fields}
    formula = getattr(naive_kernels, model.kernel)
    gram = naive_kernels.gram(lambda x, z: formula(x, z, **parameters), X)
    scores = [naive.score(column.updates, values, 0.0) for values in gram]
    assert (np.sign(model.set_params(keep="last").decision_function(X)) == np.sign(scores)).all()
    votes = [naive.votes(column, values, model.examples_seen_, False, "mistake") for values in gram]
    assert model.set_params(keep="voted").decision_function(X).tolist() == votes
