"""Verdicts on thousands of small lattices equal those of an exact oracle."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from rosenblatt import separate, verify
from rosenblatt.proof import faces, proof_search
from tests.patience import HANGS

KINDS = ("separable", "quasi-separable", "overlapping")


def lattice(rng):
    """A few points of a small lattice: full of ties, of repeated points, of planes with many points."""
    n, d, size = (int(rng.integers(low, high)) for low, high in ((1, 13), (1, 5), (1, 5)))
    offset = bool(rng.integers(2))
    X = rng.integers(-size, size + 1, (n, d))
    y = rng.integers(0, 2, n)
    if rng.random() < 0.5:  # labels from a hyperplane, at random on it: separable, or nearly
        score = X @ rng.integers(-2, 3, d) + (rng.integers(-2, 3) if offset else 0)
        y = np.where(score > 0, 1, np.where(score < 0, 0, y))
    if rng.random() < 0.1:
        y[:] = 1
    return X, y, offset


def disagreements(naive, seed, instances):
    """What `separate` or `verify` gets wrong, and how often each kind was asked for."""
    rng = np.random.default_rng(seed)
    wrong, asked = [], Counter()
    for _ in range(instances):
        X, y, offset = lattice(rng)
        expected = naive.kind_by_cocircuits(X, y, offset)
        verdict = separate(X.astype(float), y, offset=offset, time_limit=HANGS)
        assert verdict.ended == "proved", (X.tolist(), y.tolist(), offset)
        facts = verify(verdict.proof, X, y)
        if not verdict.kind == facts.kind == expected or verdict.separable != (expected == "separable"):
            wrong.append((X.tolist(), y.tolist(), offset, expected, verdict.kind, facts.kind))
        asked[expected, offset, len(set(y.tolist()))] += 1
    return wrong, asked


def seeds(first, *others):
    """One seed in `make test`, all in `make test-matrix`."""
    return [first, *(pytest.param(seed, marks=pytest.mark.matrix) for seed in others)]


@pytest.mark.parametrize("seed", seeds(*range(10)))
def test_no_verdict_on_a_lattice_differs_from_the_exact_oracle(naive, seed):
    wrong, asked = disagreements(naive, seed, 1000)
    assert wrong == []
    for offset in (True, False):
        for kind in KINDS:
            assert asked[kind, offset, 2] > 20, f"too few {kind} instances with offset={offset}"
        assert asked["separable", offset, 1] > 20, "too few instances of a single class"


@pytest.fixture
def without_floating_point(monkeypatch):
    """Only whole numbers are left to decide."""
    calls = Counter()

    def nothing(*_, **__):
        calls["search"] += 1

    monkeypatch.setattr(proof_search, "_float_search", nothing)
    monkeypatch.setattr(faces, "in_floats", nothing)
    monkeypatch.setattr(faces, "by_one_column", nothing)
    return calls


@pytest.mark.parametrize("seed", seeds(*range(100, 106)))
def test_whole_numbers_alone_decide_as_the_oracle_does(naive, without_floating_point, seed):
    wrong, asked = disagreements(naive, seed, 500)
    assert wrong == []
    assert without_floating_point["search"] > 300
    assert all(asked[kind, offset, 2] > 7 for kind in KINDS for offset in (True, False))
