"""Fixtures for the tests of proofs: a slow reference, data of each kind, and altered proofs."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.sparse import csr_array

from rosenblatt import separate, verify
from rosenblatt.proof.proof import Proof
from tests.patience import HANGS


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    """Compile the loops of the search before its time is measured."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    for y in (X[:, 0] > 0, rng.integers(0, 2, 40)):
        separate(X, y)
        separate(csr_array(X), y)


@pytest.fixture(scope="session")
def naive(load) -> ModuleType:
    return load(Path(__file__).parent / "naive_geometry.py")


@pytest.fixture(scope="session")
def nested_json(load) -> ModuleType:
    return load(Path(__file__).parent / "nested_json.py")


class Case(NamedTuple):
    """Data whose verdict is known, and its proof."""

    kind: str
    X: Any
    y: Any
    proof: Proof


KNOWN = {
    "separable": ([[0.0, 0.0], [1.0, 0.5], [4.0, 3.0], [5.0, 0.25]], [0, 0, 1, 1]),
    "quasi-separable": ([[0.0, 0.0], [1.0, 0.0], [0.5, 0.0], [0.0, 1.0], [0.0, -1.0]], [0, 0, 1, 1, 0]),
    "overlapping": ([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0], [0.5, 0.0]], [0, 1, 1, 0, 1]),
    "overlapping in a subspace": ([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [3.0, 6.0, 9.0]], [0, 1, 0]),
}


@pytest.fixture(params=list(KNOWN))
def case(request) -> Case:
    X, y = (np.array(values) for values in KNOWN[request.param])
    return Case(request.param, X, y, separate(X, y).proof)


@pytest.fixture
def case_of():
    def make(kind: str, offset: bool = True) -> Case:
        X, y = (np.array(values) for values in KNOWN[kind])
        return Case(kind, X, y, separate(X, y, offset=offset).proof)

    return make


@pytest.fixture
def check_verdict():
    """`separate`, its proof checked from its JSON; the verdict. What hangs fails."""

    def run(X, y, **parameters):
        verdict = separate(X, y, time_limit=HANGS, **parameters)
        assert verdict.ended == "proved"
        facts = verify(verdict.proof.to_json(), X, y)
        assert (facts.separable, facts.kind) == (verdict.separable, verdict.kind)
        assert facts.margin == verdict.margin
        assert np.array_equal(facts.separated, verdict.separated)
        return verdict

    return run


@pytest.fixture
def with_parts():
    """The same proof with other parts."""

    def make(proof: Proof, *parts) -> Proof:
        return dataclasses.replace(proof, parts=tuple(parts))

    return make
