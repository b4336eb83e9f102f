"""Wolfe's method in an adapted basis decides rows whose weights differ by many orders of magnitude."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt import separate, verify
from rosenblatt.proof import proof_search
from rosenblatt.proof.clock import Clock
from rosenblatt.proof.clouds import column_exponents
from rosenblatt.proof.findings import label_in_memory
from rosenblatt.proof.flat_rows import FlatRows
from rosenblatt.proof.nearest_points import ZERO
from rosenblatt.proof.reshaped_search import STILL_VANISHED, search_reshaped
from rosenblatt.training.progress import Progress


def ladder(d, factor):
    """Rows e₁, e₂ − factor·e₁, …, −factor·e_d: they sum to 0 with the weights factor^d, …, factor, 1."""
    X = np.zeros((d + 1, d))
    X[:d] = np.eye(d)
    X[np.arange(1, d + 1), np.arange(d)] = -factor
    return X


@pytest.fixture
def clock():
    with Progress(False, None, "steps") as bar:
        yield Clock(None, bar)


def flat_rows(X, clock):
    """The rows as points of one group, in the basis of their columns."""
    batch = label_in_memory(X, np.ones(len(X))).batch
    return batch, FlatRows(batch, False, column_exponents(batch), clock)


def test_weights_from_1_to_1e12_are_found(clock):
    batch, points = flat_rows(ladder(6, 100.0), clock)
    found = search_reshaped(points, clock)
    assert (found.status, sorted(found.rows.tolist())) == (ZERO, list(range(7)))
    assert found.upper <= STILL_VANISHED
    gordan = proof_search.cancelling(batch, False, found.rows, clock)
    assert dict(zip(gordan.rows, gordan.weights, strict=True)) == {i: 100 ** (6 - i) for i in range(7)}


def test_a_ladder_without_its_last_row_is_separated(clock):
    X = ladder(6, 100.0)[:-1]
    _, points = flat_rows(X, clock)
    found = search_reshaped(points, clock)
    assert found.status != ZERO
    assert (X @ np.ldexp(found.z, -column_exponents(label_in_memory(X, np.ones(6)).batch)) > 0).all()


def test_rows_in_the_span_are_skipped(clock):
    X = np.hstack([ladder(4, 10.0), np.zeros((5, 2))])
    X = np.vstack([X, [[0, 0, 0, 0, 1, 0], [3, 1, 0, 0, -1, 1], [0, 0, 2, 0, 0, -1]]])
    _, points = flat_rows(X, clock)
    assert points.frame.shape == (6, 6)
    points.flatten([0, 1, 2, 3, 4])
    assert points.frame.shape == (6, 2)
    found = search_reshaped(points, clock)
    assert (found.status, sorted(found.rows.tolist())) == (ZERO, [5, 6, 7])


@pytest.mark.parametrize("offset", [True, False])
def test_every_verdict_is_the_same_with_and_without_the_adapted_basis(offset, monkeypatch):
    rng, kinds, searches = np.random.default_rng(11), [], []

    def counted(*given):
        searches.append(given)
        return search_reshaped(*given)

    for _ in range(60):
        n, d = int(rng.integers(4, 14)), int(rng.integers(1, 5))
        X, y = rng.integers(-2, 3, (n, d)) * 10.0 ** rng.integers(-3, 4, d), rng.integers(0, 2, n)
        plain = separate(X, y, offset)
        with monkeypatch.context() as patch:
            patch.setattr(proof_search, "HARD", 0)
            patch.setattr(proof_search, "SMALL", 0.3)
            patch.setattr(proof_search, "ZEROS", (0.3, *proof_search.ZEROS[1:]))
            patch.setattr(proof_search, "search_reshaped", counted)
            adapted = separate(X, y, offset)
        assert verify(adapted, X, y).kind == adapted.kind == plain.kind
        assert adapted.separated.tolist() == plain.separated.tolist()
        kinds.append(adapted.kind)
    assert {"separable", "quasi-separable", "overlapping"} <= set(kinds)
    assert len(searches) > 10


def test_columns_with_two_nonzero_rows_are_decided(clock):
    """Each column but the first ten is nonzero in one row of each class, with values from 1 to 255."""
    rng = np.random.default_rng(3)
    n, common, rare = 400, 10, 60
    X = np.hstack([rng.integers(0, 256, (n, common)), np.zeros((n, rare))]).astype(float)
    y = (X[:, 0] > 128).astype(int)
    y[rng.permutation(n)[:12]] ^= 1
    for j in range(common, common + rare):
        for label in (0, 1):
            X[rng.choice(np.flatnonzero(y == label)), j] = rng.integers(1, 256)
    batch = label_in_memory(X, y).batch
    points = FlatRows(batch, True, column_exponents(batch), clock)
    found = search_reshaped(points, clock)
    assert found.status == ZERO
    assert proof_search.cancelling(batch, True, found.rows, clock) is not None
