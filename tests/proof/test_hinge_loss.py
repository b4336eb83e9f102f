"""`least_hinge_loss`: exact fractions from both sides, equal to a linear program up to its rounding."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_array

from rosenblatt import least_hinge_loss, rows_to_remove, separate, verify
from rosenblatt.errors import BadInput, ProofRejected
from rosenblatt.proof import hinge_loss


def by_linear_program(X, y, offset):
    """The smallest loss in floating point."""
    n = len(X)
    signs = np.where(y == max(y), 1.0, -1.0)
    A = np.column_stack([X, np.ones(n)] if offset else [X]) * signs[:, None]
    free = [(None, None)] * A.shape[1]
    cost = np.repeat([0.0, 1.0], [A.shape[1], n])
    return linprog(cost, -np.column_stack([A, np.eye(n)]), -np.ones(n), bounds=free + [(0, None)] * n).fun


@pytest.mark.parametrize("offset", [True, False])
def test_the_loss_is_exact_and_that_of_a_linear_program(offset):
    for k in range(25):
        rng = np.random.default_rng([5, k])
        n, d = int(rng.integers(4, 40)), int(rng.integers(1, 5))
        X = rng.integers(-3, 4, (n, d)).astype(float) if k % 2 else rng.normal(size=(n, d))
        y = rng.integers(0, 2, n)
        if len(set(y.tolist())) < 2:
            continue
        found = least_hinge_loss(X, y, offset=offset)
        assert found.exact
        assert float(found.interval[0]) == pytest.approx(by_linear_program(X, y, offset), abs=1e-8)
        facts = verify(found.proof.to_json(), X, y)
        assert facts.hinge_loss == found.interval
        assert facts.separable is (not found.interval[0]) is separate(X, y, offset=offset).separable
        assert sum(found.alpha.values()) == found.interval[0]


def test_rows_outside_the_working_set_do_not_matter(monkeypatch):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    whole = least_hinge_loss(X, y)
    monkeypatch.setattr(hinge_loss, "FIRST", 30)
    assert least_hinge_loss(X, y).interval == whole.interval


def test_empty_columns_of_sparse_rows_have_weight_zero():
    X = csr_array(np.array([[0.0, 1.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.5, 0.0], [0.0, 3.0, 0.0]]))
    y = [0, 1, 1, 0]
    for found in (least_hinge_loss(X, y), rows_to_remove(X, y)):
        assert verify(found.proof, X, y).separable is False
        assert len(found.hyperplane[0]) == 3
    assert (
        verify(least_hinge_loss(X, y).proof, X, y).hinge_loss == least_hinge_loss(X.toarray(), y).interval
    )


def test_scales_from_1e_200_to_1e200_give_the_loss_of_plain_scales():
    rng = np.random.default_rng(2)
    X, y = rng.integers(-4, 5, (30, 2)).astype(float), rng.integers(0, 2, 30)
    scaled = X * [2.0**-600, 2.0**600]
    assert least_hinge_loss(scaled, y).interval == least_hinge_loss(X, y).interval


def test_a_time_limit_of_zero_leaves_a_proved_interval():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(50, 3)), np.arange(50) % 2
    found = least_hinge_loss(X, y, time_limit=0.0)
    assert found.interval == (0, 50)
    assert verify(found.proof, X, y).hinge_loss == (0, 50)
    assert "is between 0 and 50 (proved).\nThe search ended early" in str(found)


def test_bad_input_is_refused():
    with pytest.raises(BadInput, match="3 classes"):
        least_hinge_loss([[1.0], [2.0], [3.0]], [0, 1, 2])
    with pytest.raises(BadInput, match="offset"):
        least_hinge_loss([[1.0], [2.0]], [0, 1], offset=None)


def test_altered_duals_and_hyperplanes_are_refused():
    X, y = np.array([[0.0], [1.0], [2.0], [2.0], [3.0], [5.0]]), np.array([0, 1, 0, 1, 0, 1])
    proof = least_hinge_loss(X, y).proof
    (part,) = proof.parts
    total, weights = part.total, part.weights

    def facts(**changes):
        return verify(dataclasses.replace(proof, parts=(part._replace(**changes),)), X, y)

    assert facts().hinge_loss == (Fraction(24, 5), Fraction(24, 5))
    for changes, reason in (
        ({"total": max(weights) - 1}, "above 1"),
        ({"total": float(total)}, "above 1"),
        ({"weights": (weights[0] + 1, *weights[1:])}, "cancel|different sums"),
        ({"weights": (-weights[0], *weights[1:])}, "whole and above 0"),
        ({"divisor": 0}, "above 0"),
        ({"divisor": -part.divisor}, "above 0"),
        ({"rows": (*part.rows[:-1], 6)}, "different ones of 0…5"),
        ({"w": (*part.w, 1)}, "2 weights for 1 feature"),
    ):
        with pytest.raises(ProofRejected, match=reason):
            facts(**changes)
    # another hyperplane is a worse upper bound, and a larger total a worse lower bound
    low, high = facts(total=2 * total, b=part.b + part.divisor).hinge_loss
    assert low == Fraction(12, 5)
    assert high > Fraction(24, 5)
