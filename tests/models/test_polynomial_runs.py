"""PolynomialThreshold: runs and what they tell."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rosenblatt import PolynomialThreshold
from rosenblatt.errors import BadInput
from tests.models.polynomial_problems import XOR, real_numbers
from tests.training.dual.dual_runs import updates


@pytest.mark.parametrize("way", ["map", "kernel"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_to_learn_in_parts_is_to_learn_in_one_pass(n_classes, way):
    X, y = real_numbers(60, 2, n_classes, 6)
    whole = PolynomialThreshold(way=way, order="given", epochs=1, random_state=0).fit(X, y)
    at_once = PolynomialThreshold(way=way, random_state=0).partial_fit(X, y)
    parts = PolynomialThreshold(way=way, random_state=0)
    for start in range(0, 60, 7):
        part = slice(start, start + 7)
        parts.partial_fit(X[part], y[part], classes=np.arange(n_classes) if start == 0 else None)
    assert updates(at_once) == updates(whole) == updates(parts)
    np.testing.assert_allclose(parts.decision_function(X), whole.decision_function(X), rtol=1e-9, atol=1e-9)
    assert (parts.predict(X) == whole.predict(X)).all()
    assert (parts.mistakes_, parts.examples_seen_) == (whole.mistakes_, 60)


@pytest.mark.parametrize("way", ["map", "kernel"])
def test_a_homogeneous_polynomial_is_0_at_0_and_even_for_even_degrees(way):
    X, y = real_numbers(40, 2, 2, 3)
    model = PolynomialThreshold(2, way, 0.0, random_state=0).fit(X, y)
    assert model.decision_function([[0.0, 0.0]]).tolist() == [0.0]
    assert (model.decision_function(-X) == model.decision_function(X)).all()
    assert (model.way_, model.n_monomials_) == (way, 3)


@pytest.mark.parametrize("coef0", [-1.0, math.nan, math.inf, "1", None])
def test_a_constant_that_makes_no_kernel_is_refused(coef0):
    with pytest.raises(BadInput, match=r"^coef0: expected a finite number of at least 0"):
        PolynomialThreshold(coef0=coef0).fit(*XOR)


def test_a_warm_start_with_another_degree_or_other_columns_is_refused():
    X, y = real_numbers(30, 2, 2, 0)
    model = PolynomialThreshold(warm_start=True, random_state=0).fit(X, y)
    before = model.decision_function(X)
    with pytest.raises(BadInput, match=r"degree: 3 now, but learning began with 2"):
        model.set_params(degree=3).fit(X, y)
    with pytest.raises(BadInput, match=r"degree: 3 now"):
        model.partial_fit(X, y)
    model.set_params(degree=2)
    with pytest.raises(BadInput, match="4 features"):
        model.fit(np.hstack([X, X]), y)
    with pytest.raises(BadInput, match="4 features"):
        model.predict(np.hstack([X, X]))
    assert (model.decision_function(X) == before).all()
    assert model.set_params(degree=3, warm_start=False).fit(X, y).polynomial_.degree == 3
