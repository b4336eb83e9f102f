"""Proofs about rows that need not fit into memory do not depend on the chunks."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from sklearn.datasets import load_breast_cancer

from rosenblatt import Proof, mistake_bound, read, separate, verify
from rosenblatt.errors import BadInput, ProofRejected
from rosenblatt.proof import findings, labelled_rows, working_sets
from rosenblatt.proof.parts import Separator


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(labelled_rows, "BLOCK_ROWS", 100)
    monkeypatch.setattr(findings, "FIRST", 20)
    monkeypatch.setattr(working_sets, "MORE", 20)


def rows(seed, gap, n=1200, d=4):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    scores = X @ w / np.linalg.norm(w)
    return X[np.abs(scores) > gap], np.where(scores > 0, "yes", "no")[np.abs(scores) > gap]


def source(X, y, size=170):
    return read([(X[k : k + size], y[k : k + size]) for k in range(0, len(y), size)])


def test_a_margin_is_proved_in_pieces_and_verified_both_ways():
    X, y = rows(0, 0.05)
    verdict, whole = separate(source(X, y)), separate(X, y)
    assert verdict.separable
    low, high = verdict.margin
    assert 0.0 < low <= whole.margin[1]
    assert whole.margin[0] <= high
    assert high - low <= 0.01 * high
    facts = verify(verdict, source(X, y, 331))
    assert facts.separable
    assert facts.margin == verify(verdict, X, y).margin == verdict.margin
    assert verdict.radius == whole.radius
    assert verdict.mistake_bound == pytest.approx(whole.mistake_bound, rel=0.05)


def test_the_proof_does_not_depend_on_the_chunks_nor_on_the_layout():
    X, y = rows(1, 0.1)
    made = {separate(source(X, y, size)).proof.to_json() for size in (77, 400, 5000)}
    assert len(made) == 1
    facts = verify(Proof.from_json(made.pop()), source(scipy.sparse.csr_array(X), y))
    assert facts.separable


@pytest.mark.parametrize(
    ("offset", "rule"), [(True, "rosenblatt"), (False, "rosenblatt"), (True, "margin")]
)
def test_the_mistake_bound_of_rows_in_pieces_equals_that_of_the_rows(offset, rule):
    X, y = rows(6, 0.3, n=500, d=3)
    found = mistake_bound(source(X, y), offset=offset, rule=rule)
    whole = mistake_bound(X, y, offset=offset, rule=rule)
    assert found.separable
    assert (found.mistakes, found.updates, found.passes) == (whole.mistakes, whole.updates, whole.passes)
    assert found.separated
    assert found.radius == whole.radius
    assert found.reached == whole.reached
    for one, other in ((found.margin, whole.margin), (found.bound, whole.bound)):
        assert one[0] <= other[1]
        assert other[0] <= one[1]
    assert found.mistakes <= found.bound[1]
    points = np.column_stack([X, np.ones(len(y))]) if offset else X
    assert verify(found.proof, points, y).margin == found.margin


def test_without_a_separator_there_is_no_bound_in_pieces_either():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(900, 3)), rng.integers(0, 2, 900)
    found = mistake_bound(source(X, y))
    assert (found.separable, found.bound, found.separated, found.reached) == (False, None, False, 0.0)
    with pytest.raises(BadInput, match="kernel: needs all rows in memory"):
        mistake_bound(source(X, y), kernel="gaussian")
    with pytest.raises(BadInput, match="y: expected the labels of X, or a source"):
        mistake_bound(X)


def test_few_rows_refute_overlapping_classes():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(900, 3)), rng.integers(0, 2, 900)
    verdict = separate(source(X, y))
    assert verdict.separable is False
    assert len(verdict.support) <= 5
    assert verify(verdict, source(X, y, 90)).separable is False
    assert verify(verdict, X, y).separable is False


@pytest.mark.parametrize("in_pieces", [True, False])
def test_other_rows_and_other_claims_are_refused(in_pieces):
    X, y = rows(5, 0.1)
    proof = separate(source(X, y)).proof

    def check(proof, X):
        return verify(proof, source(X, y)) if in_pieces else verify(proof, X, y)

    other = X.copy()
    other[-1, 0] += 1e-9
    with pytest.raises(ProofRejected, match="other data"):
        check(proof, other)
    text = proof.to_json().replace('"version": 2', '"version": 1')
    with pytest.raises(ProofRejected, match="a proof of version 1, expected 2; prove again"):
        Proof.from_json(text)
    larger = proof.parts[0]._replace(margin=proof.parts[0].margin * 2)
    from dataclasses import replace

    with pytest.raises(ProofRejected, match="is claimed, and the part proves"):
        check(replace(proof, parts=(larger, *proof.parts[1:])), X)


def test_rows_without_labels_are_refused_unless_they_are_a_source():
    with pytest.raises(BadInput, match="expected the labels of X, or a source"):
        separate([[1.0], [2.0]])
    with pytest.raises(BadInput, match="needs rows with labels"):
        separate(read([(np.eye(2), [0, 1], [1.0, 2.0])]))


def test_the_exact_margin_is_proved_in_pieces_too_though_its_hyperplane_is_too_large_for_doubles():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:200], y[:200]
    verdict, whole = separate(source(X, y), tolerance=0.0), separate(X, y, tolerance=0.0)
    assert verdict.separable
    assert verdict.margin == whole.margin
    (separator,) = (part for part in verdict.proof.parts if isinstance(part, Separator))
    assert max(abs(number) for number in separator.w) > 1 << 1100  # float() would overflow
    w, b = verdict.hyperplane
    assert np.isfinite([*w, b]).all()
    assert ((X @ w + b > 0) == (y == 1)).mean() > 0.99
    assert verify(verdict, X, y).margin == whole.margin
