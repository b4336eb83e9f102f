"""Wolfe's method, in doubles and in integers, against non-negative least squares."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import nnls

from rosenblatt.data.labels import as_labels
from rosenblatt.loops import corral as loops
from rosenblatt.numeric.row_batches import Batch, as_rows
from rosenblatt.proof.clock import Clock
from rosenblatt.proof.clouds import Framed, column_exponents
from rosenblatt.proof.integer_nearest import Corral, nearest_exactly
from rosenblatt.proof.nearest_points import OPTIMUM, ZERO, Search
from rosenblatt.training.progress import Progress


def make_batch(X, y):
    return Batch(as_rows(X), as_labels(y), np.empty(0))


@pytest.fixture
def clock():
    with Progress(False, None, "steps") as bar:
        yield Clock(60, bar)


def least_norm_by_nnls(points, groups):
    """min ‖Σ λp‖ with λ ≥ 0 summing to 1 in each group: least squares with heavy rows for the sums."""
    heavy = 1e4 * np.abs(points).max()
    membership = np.array([groups == g for g in range(groups.max() + 1)], float)
    system = np.concatenate([points.T, heavy * membership])
    right = np.concatenate([np.zeros(points.shape[1]), np.full(len(membership), heavy)])
    weights, _ = nnls(system, right, maxiter=10_000)
    weights /= (membership @ weights)[groups]
    return float(np.linalg.norm(points.T @ weights))


def problem(rng, apart=1.5):
    n, d = int(rng.integers(2, 40)), int(rng.integers(1, 6))
    X = rng.normal(size=(n, d))
    y = np.where(np.arange(n) % 2, 1, -1)
    X[:, 0] += apart * y
    return X, y


def last_of(search, tolerance=1e-9, zero=1e-13):
    return list(search.run(tolerance, zero))[-1]


@pytest.mark.parametrize("offset", [True, False])
def test_the_search_finds_the_nearest_points_of_the_hulls(clock, offset):
    rng = np.random.default_rng(0)
    apart = 0
    for _ in range(60):
        X, y = problem(rng)
        batch = make_batch(X, y)
        columns = column_exponents(batch)
        scale = np.full_like(columns, columns.max())
        found = last_of(Search(Framed(batch, offset, scale), clock))
        groups = (y < 0).astype(int) if offset else np.zeros(len(y), int)
        expected = least_norm_by_nnls(X * y[:, None], groups)
        distance = np.ldexp(found.upper, int(columns.max()))
        assert distance == pytest.approx(expected, rel=1e-4, abs=1e-4)
        if found.status == OPTIMUM:
            apart += 1
            assert found.lower == pytest.approx(found.upper, rel=1e-8)
            assert (found.weights > 0).all()
            for g in range(groups.max() + 1):
                assert found.weights[groups[found.rows] == g].sum() == pytest.approx(1.0)
            assert len(found.rows) <= X.shape[1] + 1 + offset
    assert apart > 20


def test_a_working_set_smaller_than_the_data_finds_the_same(clock, monkeypatch):
    from rosenblatt.proof import nearest_points

    rng = np.random.default_rng(2)
    X = rng.normal(size=(3000, 4))
    y = np.where(X @ [1.0, -1.0, 0.5, 0.0] > 0.05, 1, -1)
    batch = make_batch(X, y)
    scale = np.full(4, column_exponents(batch).max())
    everybody = last_of(Search(Framed(batch, True, scale), clock))
    monkeypatch.setattr(nearest_points, "FIRST_SAMPLE", 2)
    few = last_of(Search(Framed(batch, True, scale), clock))
    assert few.upper == pytest.approx(everybody.upper, rel=1e-7)
    assert few.lower == pytest.approx(everybody.lower, rel=1e-7)


def test_hulls_that_meet_have_distance_zero(clock):
    X = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    batch = make_batch(X, [1, -1, -1, 1])
    assert last_of(Search(Framed(batch, True, np.ones(2, np.int64)), clock)).status == ZERO


@pytest.mark.parametrize("n_groups", [1, 2])
def test_the_corral_in_whole_numbers_ends_at_the_least_norm_point(clock, n_groups):
    """Optimality, checked in whole numbers: no point is below the level of its group, and z is inside."""
    rng = np.random.default_rng(3)
    at_zero = 0
    for _ in range(120):
        n, d = int(rng.integers(n_groups, 14)), int(rng.integers(1, 5))
        points = rng.integers(-5, 6, (n, d))
        points[:, 0] += rng.integers(0, 6)
        groups = np.arange(n) % n_groups
        corral = Corral(points.tolist(), groups.tolist(), n_groups, clock)
        corral.begin([], [])
        corral.descend()
        weights = np.array([Fraction(w) for w in corral.weights])
        for g in range(n_groups):
            weights[groups[corral.members] == g] /= weights[groups[corral.members] == g].sum()
        z = weights @ points[corral.members]
        assert all(weight > 0 for weight in weights)
        assert len(corral.members) <= d + n_groups
        expected = least_norm_by_nnls(points.astype(float), groups)
        assert float(z @ z) ** 0.5 == pytest.approx(expected, rel=1e-4, abs=1e-3)
        if not any(corral.z):
            at_zero += 1
            assert not any(z)
            continue
        products = points @ z
        for g in range(n_groups):
            level = products[corral.members][groups[corral.members] == g]
            assert len(set(level)) == 1
            assert min(products[groups == g]) == level[0]
    assert 5 < at_zero < 115


@pytest.mark.parametrize("start", ["none", "the answer", "a wrong one", "a dependent one"])
def test_wherever_the_exact_search_starts_it_ends_at_the_same_point(clock, start):
    rng = np.random.default_rng(4)
    X = rng.integers(-9, 10, (40, 3)).astype(float)
    y = np.where(X @ [1, 2, -1] > 3, 1, -1)
    batch = make_batch(X, y)
    answer = nearest_exactly(batch, True, np.empty(0, np.int64), [], clock)
    rows = {
        "none": np.empty(0, np.int64),
        "the answer": answer.rows,
        "a wrong one": np.array([np.argmax(y), np.argmin(y), 7]),
        "a dependent one": np.arange(20),
    }[start]
    # any positive weights with the same sum in both classes will do
    sizes = [int((y[rows] == label).sum()) for label in (1, -1)]
    weights = [sizes[1] if y[row] == 1 else sizes[0] for row in rows]
    found = nearest_exactly(batch, True, rows, weights, clock)
    assert found.z == answer.z
    assert found.levels == answer.levels


# ---------------------------------------------------------------- the factor of the Gram matrix


def factor_of(points):
    L = np.zeros((len(points) + 2, len(points) + 2))
    for k in range(len(points)):
        products = points[: k + 1] @ points[k]
        assert loops.join(L, k, products)
    return L


def test_a_long_history_of_joining_and_leaving_keeps_the_factor():
    rng = np.random.default_rng(7)
    everybody = rng.normal(size=(40, 30))
    members = list(range(5))
    L = np.zeros((32, 32))
    for k, i in enumerate(members):
        assert loops.join(L, k, everybody[members[: k + 1]] @ everybody[i])
    for _ in range(500):
        if len(members) > 3 and (len(members) > 24 or rng.random() < 0.5):
            k = int(rng.integers(len(members)))
            loops.leave(L, len(members), k)
            del members[k]
        else:
            newcomer = int(rng.choice([i for i in range(40) if i not in members]))
            assert loops.join(L, len(members), everybody[[*members, newcomer]] @ everybody[newcomer])
            members.append(newcomer)
    size, gram = len(members), everybody[members] @ everybody[members].T
    lower = np.tril(L[:size, :size])
    np.testing.assert_allclose(lower @ lower.T, gram, rtol=1e-8, atol=1e-8)
    x = rng.normal(size=size)
    solved = x.copy()
    loops.solve(L, size, solved)
    np.testing.assert_allclose(gram @ solved, x, rtol=1e-7, atol=1e-7)


def test_a_dependent_point_is_refused_and_changes_nothing():
    rng = np.random.default_rng(8)
    points = rng.normal(size=(4, 9))
    L = factor_of(points)
    before = np.tril(L[:4, :4]).copy()
    dependent = points[0] + 2 * points[3]
    assert not loops.join(L, 4, np.append(points @ dependent, dependent @ dependent))
    assert np.array_equal(np.tril(L[:4, :4]), before)
