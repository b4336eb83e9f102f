"""Rows built to cancel, on which a decision or a bound was once wrong."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import Learner, Perceptron

CANCELS = [
    -684412388743048.1, 1.5864692631124484e16, 2.041611783567662e16, -1.4000575481952908e16,
    2.3425116037343264e16, -1.1749087976853902e16, -1.1917063280530174e16, -1.2307773657502004e16,
    -9047013718562332.0, 0.0,
]  # fmt: skip
TINY_SUM = [
    -1.5044811197832825e149, 8.902752071701205e148, 7.306140439373886e148, -1.3297609678555984e148,
    3.9384080755399005e148, 2.9706794744011427e147, -3.620650655865497e148, -1.2129516334269663e147,
    -3.278505491584885e147,
]  # fmt: skip


def exact(w, x):
    return sum((Fraction(a) * Fraction(b) for a, b in zip(w, x, strict=True)), Fraction(0))


@pytest.mark.parametrize("container", [np.array, sp.csr_array])
def test_a_norm_that_sparse_rows_left_is_not_what_dense_rows_trust(container):
    rows = np.zeros((3, 10))
    rows[0, :9], rows[1:, 9] = 1.0, 1e10
    model = Perceptron(offset=False).partial_fit(container(rows), [1, 1, -1])
    assert exact(model.coef_[0].tolist(), CANCELS) < 0
    before = model.mistakes_
    model.partial_fit(np.array([CANCELS]), [1])
    assert model.mistakes_ == before + 1


@pytest.mark.parametrize("container", [np.array, sp.csr_array])
def test_small_weights_against_huge_rows(container):
    w = np.full(9, 1e-150)
    assert exact(w.tolist(), TINY_SUM) < 0
    learner = Learner(offset=False, init=w)
    assert learner.answer(container(np.array([TINY_SUM]))) == -1


def test_votes_on_rows_whose_squares_underflow():
    X, y = np.array([[1.0, 1, 1, 1], [-1, -1, -1, -1]]), [1, -1]
    z = np.array([[1e-174, -1.54614494e-190, -1e-174, 1.15942413e-190]])
    voted = Perceptron(keep="voted", offset=False, order="given", epochs=1).fit(X, y)
    assert exact([1.0] * 4, z[0].tolist()) < 0
    assert voted.decision_function(z) == [-2.0]


@pytest.mark.parametrize("container", [np.array, sp.csr_array])
def test_a_sum_that_rounding_turns_round_is_a_tie_all_the_same(container):
    """From left to right 2⁵³ + 1 + 1 stays 2⁵³, so the fast sum says −2 where the sum is 0."""
    w, x = [2.0**53, 1.0, 1.0, -(2.0**53) - 2.0], [1.0, 1.0, 1.0, 1.0]
    assert exact(w, x) == 0
    for tie, is_mistake in (("mistake", True), ("negative", False), ("positive", True)):
        model = Perceptron(offset=False, init=w, tie=tie).partial_fit(container([x]), [-1], classes=[-1, 1])
        assert model.mistakes_ == is_mistake
