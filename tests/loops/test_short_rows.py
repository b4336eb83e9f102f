"""Kernel values computed from short rows are within the error bound."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rosenblatt.kernels import Gaussian, Laplacian, Linear, Polynomial
from rosenblatt.loops.blocked import has_row
from rosenblatt.loops.short_rows import AT_ONCE, FOUR, ShortBlock, add_short_rows
from rosenblatt.numeric.rows import ROUNDING
from rosenblatt.training.backends import OnHost
from tests.kernels.kernel_values import plain

EVERY = [Linear(), Gaussian(0.3), Gaussian(40.0), Polynomial(1, 2.0, 3.0), Polynomial(4, 0.5, 0.25)]
Values = NDArray[np.float64]


def doubt(kernel: Any, X: Values, Z: Values) -> Values:
    """How far a value may be off."""
    x2, z2 = (X**2).sum(axis=1), (Z**2).sum(axis=1)
    roots = [kernel.roots(kernel.diagonal(None, squares, OnHost())) for squares in (x2, z2)]
    error: Values = kernel.error(X.shape[1], max(x2.max(), z2.max())) * np.outer(*roots) + 1e-290
    return error


def laid_across(Z: Values) -> Values:
    across = np.zeros((-(-Z.shape[1] // FOUR) * FOUR, len(Z)))
    across[: Z.shape[1]] = Z.T
    return across


def scores_after(kernel: Any, X: Values, Z: Values, changes: Values, offset: float = 0.0) -> Values:
    """Scores of all z after changes on all x, from two calls for two stretches of them."""
    scores, half = np.zeros((changes.shape[1], len(Z))), len(Z) // 2
    x2, z2 = (X**2).sum(axis=1), (Z**2).sum(axis=1)
    for first, end in ((0, half), (half, len(Z))):
        add_short_rows(kernel, X, x2, changes, laid_across(Z), z2, offset, first, end, scores)
    return scores


def made_in_a_walk(kernel: Any, Z: Values, offset: float = 0.0) -> Values:
    """K̃ of each row with those after it, as a block makes them; 0 for the rest."""
    n = len(Z)
    block = ShortBlock(
        kernel, offset, laid_across(Z), (Z**2).sum(axis=1), np.empty((n, n)), np.full(n, -1),
        np.zeros(1, np.int64), np.empty(n),
    )  # fmt: skip
    for i in np.random.default_rng(0).permutation(n).tolist():
        assert has_row(block, i)
        assert has_row(block, i), "a row that is there is made no more"
    assert block.made[0] == n
    return np.triu(block.values[block.place], 1)


@pytest.fixture(scope="session", params=EVERY, ids=repr)
def kernel(request) -> Any:
    return request.param


@given(
    seed=st.integers(0, 10**6), d=st.integers(1, 9), m=st.integers(1, 9), shift=st.sampled_from([0.0, 7.0])
)
def test_each_value_is_within_the_bound_of_the_plain_loop(kernel, seed, d, m, shift):
    generator = np.random.default_rng(seed)
    X, Z = (generator.normal(size=(n, d)) * generator.uniform(0.1, 3.0) + shift for n in (m, 13))
    assume(kernel.is_of_products(max((X**2).sum(axis=1).max(), (Z**2).sum(axis=1).max())))
    found = scores_after(kernel, X, Z, np.eye(m))
    assert (np.abs(found - plain(kernel, X, Z)) <= doubt(kernel, X, Z)).all()
    walked = made_in_a_walk(kernel, Z)
    assert (np.abs(walked - np.triu(plain(kernel, Z, Z), 1)) <= doubt(kernel, Z, Z)).all()


@pytest.mark.parametrize("n", [AT_ONCE - 1, AT_ONCE, 2 * AT_ONCE + 3])
def test_more_rows_than_are_near_at_once(kernel, n):
    generator = np.random.default_rng(n)
    X, Z = generator.normal(size=(6, 5)), generator.normal(size=(n, 5))
    found = scores_after(kernel, X, Z, np.eye(6))
    assert (np.abs(found - plain(kernel, X, Z)) <= doubt(kernel, X, Z)).all()


def test_changes_go_to_their_columns(kernel):
    """scores[c, j] = Σ changes[i, c]·(K(xᵢ, zⱼ) + offset), summed to a few roundings."""
    generator = np.random.default_rng(1)
    X, Z, changes = (
        generator.normal(size=(7, 3)),
        generator.normal(size=(9, 3)),
        generator.normal(size=(7, 4)),
    )
    changes[generator.random((7, 4)) < 0.5] = 0.0
    found = scores_after(kernel, X, Z, changes, offset=1.0)
    want = changes.T @ (plain(kernel, X, Z) + 1.0)
    most = np.abs(changes).T @ (doubt(kernel, X, Z) + 16 * ROUNDING * (np.abs(plain(kernel, X, Z)) + 1.0))
    assert (np.abs(found - want) <= most).all()


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(3, 2.0, 1.0)], ids=repr)
def test_whole_numbers_stay_whole(kernel):
    generator = np.random.default_rng(2)
    X, Z = generator.integers(-9, 10, size=(10, 5)), generator.integers(-9, 10, size=(20, 5))
    changes, (X, Z) = generator.integers(-2, 3, size=(10, 3)), (M.astype(np.float64) for M in (X, Z))
    assert (
        scores_after(kernel, X, Z, changes.astype(np.float64), 1.0) == changes.T @ (plain(kernel, X, Z) + 1)
    ).all()
    assert (made_in_a_walk(kernel, Z, 1.0) == np.triu(plain(kernel, Z, Z) + 1, 1)).all()


def test_who_is_a_function_of_products():
    """A Gaussian only while γ‖x‖² leaves the product its digits: beyond, the bound would not hold."""
    makers: list[Callable[..., Any]] = [Linear, partial(Polynomial, 3), partial(Gaussian, 0.5)]
    assert all(make().is_of_products(1.9e4) for make in makers)
    assert not Gaussian(0.5).is_of_products(2.1e4)
    assert not Laplacian(0.5).is_of_products(1.0)
