"""The notes' own data: what can be separated in them, and what proves it (M14, M15)."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt import halfspace_by_lp, mistake_bound, separate, verify
from rosenblatt.course.lectures import EXAMPLES

CYCLE = [[0.0, 1.0], [0.0, -1.0], [-1.0, 0.5]], [1, 1, -1]
XOR = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]], [-1, 1, 1, -1]


def test_003_cycle_without_offset_is_quasi_separable_and_two_points_cancel():
    verdict = separate(*CYCLE, offset=False)
    assert verdict.kind == "quasi-separable"
    assert verdict.margin == (0.0, 0.0)
    assert verdict.support.tolist() == [0, 1]
    assert verdict.separated.tolist() == [2]
    assert verify(verdict, *CYCLE).kind == "quasi-separable"
    assert halfspace_by_lp(*CYCLE, offset=False).found is False


def test_003_cycle_with_offset_is_separable():
    verdict = separate(*CYCLE)
    assert verdict.separable
    w, b = verdict.hyperplane
    assert (np.array(CYCLE[1]) * (np.array(CYCLE[0]) @ w + b) > 0).all()
    assert halfspace_by_lp(*CYCLE).consistent


@pytest.mark.parametrize("offset", [True, False])
def test_no_halfspace_computes_xor(offset):
    verdict = separate(*XOR, offset=offset)
    assert verdict.kind == "overlapping"
    assert mistake_bound(*XOR, offset=offset).bound is None


def test_the_square_of_the_features_separates_xor():
    """(x·z)² maps x to (x₁², √2·x₁x₂, x₂²), where the product alone decides."""
    X = np.array(XOR[0])
    mapped = np.column_stack([X[:, 0] ** 2, X[:, 0] * X[:, 1], X[:, 1] ** 2])
    assert separate(mapped, XOR[1], offset=False).margin == (1.0, 1.0)


@pytest.mark.parametrize("key", ["001-perceptron", "004-two-points"])
def test_a_worked_example_makes_no_more_mistakes_than_its_certified_bound(key):
    run = next(iter(EXAMPLES[key].parts.values()))
    bound = mistake_bound(run.points, run.labels, offset=False)
    assert EXAMPLES[key].run().mistakes <= bound.bound[1]
    assert bound.separable
