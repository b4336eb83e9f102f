"""Gordan certificates have at most d + 2 rows (d + 1 without offset) and integer weights."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt import separate
from rosenblatt.proof import faces, proof_search
from rosenblatt.proof.parts import Gordan
from tests.patience import HANGS


def gordan_of(verdict):
    return next(part for part in verdict.proof.parts if isinstance(part, Gordan))


def inseparable(rng, kind, n, d):
    if kind == "gaussian":
        return rng.normal(size=(n, d)), rng.integers(0, 2, n)
    if kind == "lattice":
        return rng.integers(-2, 3, (n, d)).astype(float), rng.integers(0, 2, n)
    if kind == "plane":  # all points in a subspace
        return rng.integers(-2, 3, (n, 2)) @ rng.integers(-2, 3, (2, d)).astype(float), rng.integers(
            0, 2, n
        )
    X = rng.integers(-2, 3, (n, d)).astype(float)
    score = X @ rng.integers(-1, 2, d)
    return X, np.where(score > 0, 1, np.where(score < 0, 0, rng.integers(0, 2, n)))


@pytest.mark.parametrize("in_whole_numbers", [False, True])
@pytest.mark.parametrize("kind", ["gaussian", "lattice", "plane", "quasi"])
def test_a_gordan_support_is_no_larger_than_the_theorem_allows(monkeypatch, naive, kind, in_whole_numbers):
    if in_whole_numbers:
        monkeypatch.setattr(proof_search, "_float_search", lambda *_, **__: None)
        monkeypatch.setattr(faces, "in_floats", lambda *_: None)
        monkeypatch.setattr(faces, "by_one_column", lambda *_: None)
    # duplicates would be too easy
    monkeypatch.setattr(proof_search, "refuted_at_a_glance", lambda *_: None)
    rng = np.random.default_rng(11)
    found = 0
    for _ in range(40):
        d, offset = int(rng.integers(1, 7)), bool(rng.integers(2))
        X, y = inseparable(rng, kind, 40, d)
        verdict = separate(X, y, offset=offset, time_limit=HANGS)
        if verdict.separable is False:
            found += 1
            gordan = gordan_of(verdict)
            assert len(gordan.rows) <= d + 1 + offset
            assert all(type(weight) is int and weight > 0 for weight in gordan.weights)
            assert sorted(gordan.rows) == verdict.support.tolist()
            naive.check_proof(verdict.proof, X, y)
    assert found > 15


def test_gordan_weights_have_no_common_factor():
    rng = np.random.default_rng(12)
    for _ in range(20):
        X, y = rng.integers(-3, 4, (30, 3)).astype(float), rng.integers(0, 2, 30)
        assert np.gcd.reduce(np.array(gordan_of(separate(X, y)).weights, object)) == 1
