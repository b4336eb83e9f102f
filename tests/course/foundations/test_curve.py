"""PolynomialCurve finds the true minimiser of the notes' sum of squares, at any degree."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.course.foundations import PolynomialCurve, curve


def noisy_sine(n: int, seed: int, low: float = -1.0, high: float = 1.0):
    generator = np.random.default_rng(seed)
    x = generator.uniform(low, high, n)
    return x[:, None], np.sin(np.pi * x / max(abs(low), abs(high))) + 0.2 * generator.standard_normal(n)


def same_doubles(found, exact) -> bool:
    """Whether each double is the one nearest to its fraction, or both are as good as nothing."""
    largest = max(abs(w) for w in exact)
    return all(
        a == float(b) or (a == 0.0 and abs(b) < largest / 2**100) for a, b in zip(found, exact, strict=True)
    )


# ---------------------------------------------------------------- against exact rationals


@pytest.mark.parametrize("degree", [0, 1, 3, 9, 20])
@pytest.mark.parametrize(("low", "high"), [(-1.0, 1.0), (0.0, 1000.0), (5.0, 5.5)])
@pytest.mark.parametrize("l2", [0.0, 1e-9, 0.5])
def test_each_coefficient_is_the_true_minimiser_rounded_once(naive, degree, low, high, l2):
    X, y = noisy_sine(25, degree, low, high)
    model = PolynomialCurve(degree, l2).fit(X, y)
    assert same_doubles(model.coef_, naive.minimiser(X, y, degree, l2))
    assert model.exact_


@pytest.mark.parametrize(("n", "degree"), [(40, 3), (7, 3), (5, 4)])
def test_of_several_columns_each_gets_its_powers_and_one_constant(naive, n, degree):
    generator = np.random.default_rng(n)
    X, y = generator.normal(size=(n, 2)), generator.normal(size=n)
    model = PolynomialCurve(degree, 1e-3).fit(X, y)
    assert same_doubles(model.coef_, naive.minimiser(X, y, degree, 1e-3))
    expected = naive.minimiser(X, y, degree, 1e-3)
    at = [float(naive.value(expected, row, degree)) for row in X]
    np.testing.assert_allclose(model.predict(X), at, rtol=1e-15)


coordinates = st.floats(-4, 4).map(lambda x: round(x, 3))


@given(
    points=st.lists(st.tuples(coordinates, coordinates), min_size=1, max_size=12),
    degree=st.integers(0, 8),
    l2=st.sampled_from([1e-12, 1e-3, 2.0, 1e6]),
    weights=st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=12, max_size=12),
)
def test_any_points_give_the_coefficients_of_exact_arithmetic(naive, points, degree, l2, weights):
    X, y = np.array([[x] for x, _ in points]), np.array([y for _, y in points])
    weight = np.array(weights[: len(points)])
    model = PolynomialCurve(degree, l2).fit(X, y, sample_weight=weight)
    exact = naive.minimiser(X, y, degree, l2, weight)
    if any(exact):
        assert same_doubles(model.coef_, exact)
    else:
        assert not model.coef_.any()


@pytest.mark.parametrize("seed", range(5))
def test_predictions_are_those_of_the_exact_polynomial_between_and_beyond_the_points(naive, seed):
    X, y = noisy_sine(20, seed)
    model = PolynomialCurve(19).fit(X, y)
    exact = naive.minimiser(X, y, 19)
    at = np.linspace(-1.5, 1.5, 40)[:, None]
    expected = np.array([float(naive.value(exact, row, 19)) for row in at])
    np.testing.assert_allclose(model.predict(at), expected, rtol=4e-16)


# ---------------------------------------------------------------- N points, degree N − 1


@pytest.mark.parametrize("n", [2, 5, 10, 20, 30])
@pytest.mark.parametrize(("low", "high"), [(-1.0, 1.0), (0.0, 1000.0)])
def test_n_points_and_degree_n_minus_1_leave_no_error(n, low, high):
    X, y = noisy_sine(n, n, low, high)
    model = PolynomialCurve(n - 1).fit(X, y)
    assert np.abs(model.predict(X) - y).max() <= 1e-15
    assert model.training_error_ <= 1e-30


def test_equally_spaced_points_are_met_at_degree_59():
    x = np.linspace(-1, 1, 60)[:, None]
    y = np.sin(np.pi * x[:, 0]) + 0.2 * np.random.default_rng(0).standard_normal(60)
    np.testing.assert_allclose(PolynomialCurve(59).fit(x, y).predict(x), y, atol=1e-15)


def test_such_a_curve_overfits():
    X, y = noisy_sine(10, 0)
    at = np.linspace(-1, 1, 200)[:, None]
    error = {
        degree: np.mean((PolynomialCurve(degree).fit(X, y).predict(at) - np.sin(np.pi * at[:, 0])) ** 2)
        for degree in (3, 9)
    }
    assert error[9] > 10 * error[3]


@given(st.integers(0, 10**6), st.integers(0, 12))
def test_a_higher_degree_never_has_a_larger_training_error(seed, degree):
    X, y = noisy_sine(15, seed)
    lower, higher = (PolynomialCurve(d).fit(X, y).training_error_ for d in (degree, degree + 1))
    assert higher <= lower * (1 + 1e-14)


# ---------------------------------------------------------------- many minimisers: the shortest


@pytest.mark.parametrize(("n", "degree"), [(1, 1), (3, 7), (10, 20)])
def test_of_many_curves_through_the_points_the_one_with_the_shortest_w_is_taken(naive, n, degree):
    X, y = noisy_sine(n, degree)
    model = PolynomialCurve(degree).fit(X, y)
    assert same_doubles(model.coef_, naive.shortest(X, y, degree))


def test_two_values_at_one_x_are_met_in_their_weighted_mean(naive):
    X, y, weight = [[1.0], [1.0], [2.0], [2.0]], [1.0, 2.0, 3.0, 5.0], [1.0, 1.0, 1.0, 3.0]
    model = PolynomialCurve(3).fit(X, y, weight)
    assert same_doubles(model.coef_, naive.shortest([[1.0], [2.0]], [1.5, 4.5], 3))
    assert model.training_error_ == 3.5


def test_a_column_given_twice_shares_its_coefficients():
    X, y = noisy_sine(30, 4)
    once, twice = PolynomialCurve(2).fit(X, y), PolynomialCurve(2).fit(np.hstack([X, X]), y)
    np.testing.assert_allclose(twice.predict(np.hstack([X, X])), once.predict(X), rtol=1e-14)
    np.testing.assert_array_equal(twice.coef_[1:3], twice.coef_[3:5])


def test_columns_of_a_few_whole_numbers_are_no_trouble(naive):
    X = np.array([[a, b] for a in (1.0, 2.0, 3.0) for b in (1.0, 2.0, 3.0, 4.0)])
    y = X[:, 0] ** 2 - X[:, 1]
    model = PolynomialCurve(5).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-14)
    np.testing.assert_allclose(model.coef_, np.linalg.pinv(_powers(X, 5)) @ y, atol=1e-7)


def _powers(X, degree: int):
    return np.hstack(
        [np.ones((len(X), 1)), *(X[:, [j]] ** np.arange(1, degree + 1) for j in range(X.shape[1]))]
    )


def test_a_column_of_one_value_is_no_trouble():
    model = PolynomialCurve(2).fit([[3.0], [3.0]], [1.0, 2.0])
    np.testing.assert_allclose(model.coef_, 1.5 * np.array([1, 3, 9]) / 91, rtol=1e-15)


@pytest.mark.parametrize("shift", [0.0, 1e-3])
def test_the_limit_is_what_a_vanishing_penalty_tends_to(shift):
    X, y = np.array([[0.5], [1.0 + shift], [2.0]]), np.array([1.0, -1.0, 2.0])
    limit, near = (PolynomialCurve(6, l2).fit(X, y).coef_ for l2 in (0.0, 1e-30))
    np.testing.assert_allclose(near, limit, rtol=1e-12)


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
        assert objective(model.coef_ + step) > model.objective_


@given(st.integers(0, 10**6))
def test_a_larger_penalty_gives_a_shorter_w_and_a_larger_training_error(seed):
    X, y = noisy_sine(10, seed)
    models = [PolynomialCurve(9, l2).fit(X, y) for l2 in (0.0, 1e-8, 1e-4, 1.0, 100.0)]
    lengths = [np.linalg.norm(model.coef_) for model in models]
    errors = [model.training_error_ for model in models]
    assert lengths == sorted(lengths, reverse=True)
    assert errors == sorted(errors)


# ---------------------------------------------------------------- weights


@given(st.lists(st.integers(0, 3), min_size=8, max_size=8).filter(any))
def test_a_weight_of_two_is_a_row_given_twice_to_the_last_bit(weights):
    X, y = noisy_sine(8, 3)
    repeated = np.repeat(np.arange(8), weights)
    weighted = PolynomialCurve(4, 0.01).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(
        weighted.coef_, PolynomialCurve(4, 0.01).fit(X[repeated], y[repeated]).coef_
    )


# ---------------------------------------------------------------- many rows


@pytest.mark.parametrize("degree", [1, 3, 9, 20])
@pytest.mark.parametrize(("low", "high"), [(-1.0, 1.0), (0.0, 1000.0), (5.0, 6.0)])
def test_many_rows_are_reduced_without_a_loss_that_shows(monkeypatch, degree, low, high):
    X, y = noisy_sine(1500, degree, low, high)
    weight = np.random.default_rng(0).uniform(0, 2, 1500)
    exact = PolynomialCurve(degree, 1e-6).fit(X, y, weight)
    monkeypatch.setattr(curve, "MOST_WHOLE", 0)
    quick = PolynomialCurve(degree, 1e-6).fit(X, y, weight)
    assert (exact.exact_, quick.exact_) == (True, False)
    np.testing.assert_allclose(quick.predict(X), exact.predict(X), atol=1e-13)
    np.testing.assert_allclose(quick.coef_, exact.coef_, rtol=1e-9)


def test_a_column_given_twice_is_dropped_from_reduced_rows_too(monkeypatch):
    X, y = noisy_sine(500, 4)
    exact = PolynomialCurve(2).fit(np.hstack([X, X]), y)
    monkeypatch.setattr(curve, "MOST_WHOLE", 0)
    np.testing.assert_allclose(PolynomialCurve(2).fit(np.hstack([X, X]), y).coef_, exact.coef_, rtol=1e-12)


def test_a_hundred_thousand_rows_are_reduced():
    X, y = noisy_sine(100_000, 0)
    model = PolynomialCurve(9).fit(X, y)
    assert not model.exact_
    np.testing.assert_allclose(model.predict(X[:1000]), np.sin(np.pi * X[:1000, 0]), atol=0.02)


# ---------------------------------------------------------------- numbers of any size


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e150])
def test_x_and_y_of_any_size_are_predicted_as_if_they_were_near_1(scale):
    X, y = noisy_sine(12, 5)
    power = 2.0 ** round(np.log2(scale))
    model, scaled = PolynomialCurve(7).fit(X, y), PolynomialCurve(7).fit(X * power, y * power)
    np.testing.assert_array_equal(scaled.predict(X * power), model.predict(X) * power)


def test_threads_do_not_disturb_each_other():
    problems = [noisy_sine(20, seed) for seed in range(16)]
    alone = [PolynomialCurve(15).fit(X, y).coef_ for X, y in problems]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda problem: PolynomialCurve(15).fit(*problem).coef_, problems))
    np.testing.assert_array_equal(together, alone)
