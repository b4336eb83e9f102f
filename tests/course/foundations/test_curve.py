"""PolynomialCurve finds the minimiser of the notes' sum of squares."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.course.foundations import PolynomialCurve


def noisy_sine(n: int, seed: int, low: float = -1.0, high: float = 1.0):
    generator = np.random.default_rng(seed)
    x = generator.uniform(low, high, n)
    return x[:, None], np.sin(np.pi * x / max(abs(low), abs(high))) + 0.2 * generator.standard_normal(n)


def assert_near(found, exact, rtol):
    """Each double is near its fraction, or both are as good as nothing."""
    expected = np.array([float(w) for w in exact])
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-14 * np.abs(expected).max())


# ---------------------------------------------------------------- against exact rationals


@pytest.mark.parametrize(("degree", "atol", "rtol"), [(9, 1e-13, 1e-11), (20, 1e-6, 1e-6)])
@pytest.mark.parametrize("seed", range(6))
def test_random_points_have_the_digits_that_the_page_on_foundations_states(naive, degree, atol, rtol, seed):
    generator = np.random.default_rng(seed)
    X, y = generator.uniform(-1, 1, (25, 1)), generator.normal(size=25)
    model = PolynomialCurve(degree).fit(X, y)
    exact = naive.minimiser(X, y, degree, 0.0)
    expected = [float(naive.value(exact, row, degree)) for row in X]
    np.testing.assert_allclose(model.predict(X), expected, rtol=0.0, atol=atol)
    np.testing.assert_allclose(model.coef_, [float(w) for w in exact], rtol=rtol)


@pytest.mark.parametrize(("degree", "atol"), [(1, 1e-14), (3, 1e-14), (9, 1e-12), (20, 1e-5)])
@pytest.mark.parametrize(("low", "high"), [(5.0, 5.5), (1990.0, 2020.0)])
@pytest.mark.parametrize("l2", [0.0, 1e-9, 0.5])
def test_far_from_0_predictions_are_still_those_of_the_true_minimiser(naive, degree, atol, low, high, l2):
    X, y = noisy_sine(25, degree, low, high)
    exact = naive.minimiser(X, y, degree, l2)
    expected = [float(naive.value(exact, row, degree)) for row in X]
    np.testing.assert_allclose(PolynomialCurve(degree, l2).fit(X, y).predict(X), expected, atol=atol)


@pytest.mark.parametrize(("n", "degree"), [(40, 3), (7, 3), (5, 4)])
def test_of_several_columns_each_gets_its_powers_and_one_constant(naive, n, degree):
    generator = np.random.default_rng(n)
    X, y = generator.normal(size=(n, 2)), generator.normal(size=n)
    model = PolynomialCurve(degree, 1e-3).fit(X, y)
    expected = naive.minimiser(X, y, degree, 1e-3)
    assert_near(model.coef_, expected, 1e-9)
    at = [float(naive.value(expected, row, degree)) for row in X]
    np.testing.assert_allclose(model.predict(X), at, rtol=1e-9)


coordinates = st.floats(-4, 4).map(lambda x: round(x, 3))


@given(
    points=st.lists(st.tuples(coordinates, coordinates), min_size=1, max_size=12),
    degree=st.integers(0, 8),
    l2=st.sampled_from([1e-12, 1e-3, 2.0, 1e6]),
    weights=st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=12, max_size=12),
)
def test_any_points_give_the_predictions_of_exact_arithmetic(naive, points, degree, l2, weights):
    X, y = np.array([[x] for x, _ in points]), np.array([y for _, y in points])
    weight = np.array(weights[: len(points)])
    model = PolynomialCurve(degree, l2).fit(X, y, sample_weight=weight)
    exact = naive.minimiser(X, y, degree, l2, weight)
    expected = [float(naive.value(exact, row, degree)) for row in X]
    np.testing.assert_allclose(model.predict(X), expected, rtol=1e-6, atol=1e-9)


# ---------------------------------------------------------------- many minimisers: the shortest


@pytest.mark.parametrize(("n", "degree"), [(1, 1), (3, 7), (10, 20)])
def test_of_many_curves_through_the_points_the_one_with_the_shortest_w_is_taken(naive, n, degree):
    X, y = noisy_sine(n, degree)
    model = PolynomialCurve(degree).fit(X, y)
    assert_near(model.coef_, naive.shortest(X, y, degree), 1e-7)


def test_two_values_at_one_x_are_met_in_their_weighted_mean(naive):
    X, y, weight = [[1.0], [1.0], [2.0], [2.0]], [1.0, 2.0, 3.0, 5.0], [1.0, 1.0, 1.0, 3.0]
    model = PolynomialCurve(3).fit(X, y, weight)
    assert_near(model.coef_, naive.shortest([[1.0], [2.0]], [1.5, 4.5], 3), 1e-13)
    assert model.training_error_ == pytest.approx(3.5, rel=1e-14)


# ---------------------------------------------------------------- the penalty


@given(st.integers(0, 10**6), st.integers(0, 9), st.sampled_from([1e-6, 1e-2, 1.0, 30.0]))
def test_no_other_w_has_a_smaller_objective(seed, degree, l2):
    X, y = noisy_sine(12, seed)
    model = PolynomialCurve(degree, l2).fit(X, y)
    phi = X ** np.arange(degree + 1)

    def objective(w):
        return np.sum((y - phi @ w) ** 2) + l2 * np.sum(w**2)  # w₀ is in the penalty

    assert objective(model.coef_) == pytest.approx(model.objective_, rel=1e-9)
    for step in np.random.default_rng(seed).standard_normal((10, degree + 1)) * 1e-3:
        assert objective(model.coef_ + step) > model.objective_ * (1 - 1e-12)


@given(st.integers(0, 10**6))
def test_a_larger_penalty_gives_a_shorter_w_and_a_larger_training_error(seed):
    X, y = noisy_sine(10, seed)
    models = [PolynomialCurve(9, l2).fit(X, y) for l2 in (0.0, 1e-8, 1e-4, 1.0, 100.0)]
    lengths = [np.linalg.norm(model.coef_) for model in models]
    errors = [model.training_error_ for model in models]
    assert all(after <= before * (1 + 1e-9) for before, after in pairwise(lengths))
    assert all(after >= before * (1 - 1e-9) for before, after in pairwise(errors))


# ---------------------------------------------------------------- weights


@given(st.lists(st.integers(0, 3), min_size=8, max_size=8).filter(any))
def test_a_weight_of_two_is_a_row_given_twice(weights):
    X, y = noisy_sine(8, 3)
    repeated = np.repeat(np.arange(8), weights)
    weighted = PolynomialCurve(4, 0.01).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(
        weighted.coef_, PolynomialCurve(4, 0.01).fit(X[repeated], y[repeated]).coef_, rtol=1e-9, atol=1e-12
    )
