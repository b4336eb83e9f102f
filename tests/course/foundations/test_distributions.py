"""Distributions: against scipy, against each other, and maximum likelihood that really is the maximum."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from rosenblatt.course.foundations import Bernoulli, DiscreteUniform, Gaussian, JointGaussian, Uniform
from rosenblatt.errors import BadInput

reals = st.floats(-1e6, 1e6).map(lambda x: round(x, 4))
widths = st.floats(1e-3, 1e6)
several = st.lists(reals, min_size=2, max_size=20).filter(lambda numbers: min(numbers) < max(numbers))


# ---------------------------------------------------------------- against scipy


@given(st.floats(0, 1), st.lists(st.sampled_from([0, 1, 2, -1, 0.5]), max_size=5))
def test_bernoulli_is_scipys(p, x):
    ours, theirs = Bernoulli(p), stats.bernoulli(p)
    np.testing.assert_allclose(ours.probability(x), [theirs.pmf(number) for number in x], rtol=1e-13)
    assert (ours.mean, ours.variance) == pytest.approx((theirs.mean(), theirs.var()), abs=1e-15)


@given(reals, widths, st.lists(reals, max_size=5))
def test_uniform_is_scipys(low, width, x):
    ours = Uniform(low, low + width)
    theirs = stats.uniform(ours.low, ours.width)
    x = [*x, low, low + width / 2]
    np.testing.assert_allclose(ours.density(x), theirs.pdf(x), rtol=1e-13)
    np.testing.assert_allclose(ours.log_density(x), theirs.logpdf(x), rtol=1e-12, atol=1e-15)
    assert (ours.mean, ours.variance) == pytest.approx((theirs.mean(), theirs.var()))


@given(st.integers(0, 10**6), st.integers(1, 5))
def test_joint_gaussian_is_scipys(seed, d):
    generator = np.random.default_rng(seed)
    root = generator.standard_normal((d, d)) + 2 * np.eye(d)
    covariance = root @ root.T
    covariance = (covariance + covariance.T) / 2
    assume(np.linalg.cond(covariance) < 1e8)
    mean, x = generator.standard_normal(d), 3 * generator.standard_normal((4, d))
    ours, theirs = JointGaussian(mean, covariance), stats.multivariate_normal(mean, covariance)
    np.testing.assert_allclose(ours.log_density(x), theirs.logpdf(x).reshape(4), rtol=1e-7)
    np.testing.assert_allclose(ours.density(x), theirs.pdf(x).reshape(4), rtol=1e-6)
    assert ours.log_density(x[0]) == ours.log_density(x[:1])[0]


@given(st.floats(-5, 5), st.floats(0.01, 100), st.floats(0, 37))
def test_the_density_of_a_gaussian_has_twelve_digits_in_the_tails(mean, variance, away):
    x = mean + away * math.sqrt(variance)
    with ctx.workprec(300):
        exponent = (arb(x) - arb(mean)) ** 2 / (2 * arb(variance))
        exact = float((-exponent).exp() / (2 * arb.pi() * arb(variance)).sqrt())
    assert Gaussian(mean, variance).density(x) == pytest.approx(exact, rel=1e-12)


def test_the_log_density_is_finite_although_the_density_underflows():
    standard = Gaussian(0.0, 1.0)
    assert standard.density([1e3, 1e200, math.inf]).tolist() == [0.0, 0.0, 0.0]
    assert standard.log_density(1e100) == pytest.approx(-5e199)
    assert standard.log_density([-math.inf, 1e300]).tolist() == [-math.inf, -math.inf]
    assert Gaussian(0.0, 1e-300).density(0.0) == pytest.approx(1e150 / math.sqrt(2 * math.pi))
    assert Gaussian(0.0, 1e300).density(1e150) == pytest.approx(
        math.exp(-0.5) / math.sqrt(2 * math.pi) * 1e-150
    )
    assert Gaussian(0.0, 1e-320).log_density(1e-160) == pytest.approx(
        -0.5 + 160 * math.log(10) - 0.9189385, abs=1e-3
    )


# ---------------------------------------------------------------- against each other


@given(st.lists(st.tuples(reals, widths, reals), min_size=1, max_size=4))
def test_without_correlation_the_joint_density_is_the_product(numbers):
    mean, variance, x = map(list, zip(*numbers, strict=True))
    joint = JointGaussian(mean, np.diag(variance))
    assert joint.independent
    product = math.fsum(Gaussian(m, v).log_density(at) for m, v, at in numbers)
    assert joint.log_density(x) == pytest.approx(product, rel=1e-12)
    assert [joint.marginal(j) for j in range(len(mean))] == [Gaussian(m, v) for m, v, _ in numbers]


EVERY = [
    Bernoulli(0.3),
    DiscreteUniform(-2, 5),
    Uniform(-1.0, 4.0),
    Gaussian(3.0, 4.0),
    JointGaussian([1.0, -1.0, 0.0], [[2.0, 0.5, 0.0], [0.5, 1.0, -0.3], [0.0, -0.3, 0.5]]),
]


@pytest.mark.parametrize("model", EVERY, ids=lambda model: type(model).__name__)
def test_samples_have_the_mean_and_the_variance_and_are_fitted_back(model):
    drawn = model.sample(200_000, random_state=0)
    np.testing.assert_allclose(drawn.mean(axis=0), model.mean, atol=0.02)
    np.testing.assert_allclose(drawn.var(axis=0), model.variance, atol=0.05)
    fitted = type(model).fit(drawn)
    np.testing.assert_allclose(fitted.mean, model.mean, atol=0.02)
    np.testing.assert_allclose(fitted.variance, model.variance, atol=0.05)
    if isinstance(model, JointGaussian):
        np.testing.assert_allclose(np.cov(drawn.T), model.covariance, atol=0.05)


@pytest.mark.parametrize("model", EVERY, ids=lambda model: type(model).__name__)
def test_a_seed_draws_the_same_again_and_a_generator_continues(model):
    np.testing.assert_array_equal(model.sample(5, 7), model.sample(5, 7))
    generator = np.random.default_rng(7)
    first, second = model.sample(40, generator), model.sample(40, generator)
    assert not np.array_equal(first, second)
    assert len(model.sample(0, 7)) == 0


# ---------------------------------------------------------------- maximum likelihood


@given(st.lists(st.sampled_from([0, 1]), min_size=1, max_size=20), st.floats(0, 1))
def test_no_other_p_makes_the_trials_more_likely(trials, p):
    best = Bernoulli.fit(trials)
    assert best.p == sum(trials) / len(trials)
    assert best.log_likelihood(trials) >= Bernoulli(p).log_likelihood(trials) - 1e-12


@given(several, st.floats(-1, 1), st.floats(0.5, 2))
def test_no_other_mean_and_variance_make_the_numbers_more_likely(numbers, shift, stretch):
    best = Gaussian.fit(numbers)
    assert best.mean == pytest.approx(np.mean(numbers), rel=1e-12, abs=1e-9)
    assert best.variance == pytest.approx(np.var(numbers), rel=1e-9)  # divides by n, not by n − 1
    other = Gaussian(best.mean + shift * best.deviation, best.variance * stretch)
    assert other.log_likelihood(numbers) <= best.log_likelihood(numbers) + 1e-9
    known = Gaussian.fit(numbers, variance=2.0)
    assert known == Gaussian(best.mean, 2.0)
    assert Gaussian(best.mean + shift, 2.0).log_likelihood(numbers) <= known.log_likelihood(numbers) * (
        1 - 1e-12
    )


@given(several, st.floats(0, 1), st.floats(0, 1))
def test_no_other_interval_makes_the_numbers_more_likely(numbers, below, above):
    best = Uniform.fit(numbers)
    assert (best.low, best.high) == (min(numbers), max(numbers))
    wider = Uniform(best.low - below, best.high + above)
    assert wider.log_likelihood(numbers) <= best.log_likelihood(numbers)
    narrower = Uniform(best.low, best.low + best.width / 2)
    assert narrower.log_likelihood(numbers) == -math.inf


@given(st.integers(0, 10**6), st.integers(1, 4))
def test_no_other_mean_and_covariance_make_the_vectors_more_likely(seed, d):
    generator = np.random.default_rng(seed)
    rows = generator.standard_normal((d + 10, d)) @ (generator.standard_normal((d, d)) + 2 * np.eye(d))
    best = JointGaussian.fit(rows)
    np.testing.assert_allclose(
        best.covariance, np.cov(rows.T, bias=True).reshape(d, d), rtol=1e-9, atol=1e-12
    )
    step = 0.1 * generator.standard_normal((d, d))
    stretched = (np.eye(d) + step) @ best.covariance @ (np.eye(d) + step).T
    for other in (
        JointGaussian(best.mean + 0.1 * generator.standard_normal(d), best.covariance),
        JointGaussian(best.mean, (stretched + stretched.T) / 2),
    ):
        assert other.log_likelihood(rows) <= best.log_likelihood(rows) + 1e-9


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Bernoulli(1.5), "p: expected a probability, from 0 to 1, got 1.5"),
        (lambda: Bernoulli(math.nan), "p: expected a finite number, got nan"),
        (lambda: Bernoulli.fit([0, 2]), "data: expected 0 and 1, got 2 at place 1"),
        (lambda: DiscreteUniform(3, 2), "high: expected a whole number of at least low = 3, got 2"),
        (lambda: DiscreteUniform(0, 2**60), "high: expected a whole number of at most 2\\^53"),
        (lambda: DiscreteUniform.fit([1, 2.5]), "got 2.5 at place 1; for measurements use Uniform"),
        (lambda: Uniform(1.0, 1.0), "high: expected a number above low = 1.0, got 1.0"),
        (lambda: Uniform(-1.5e308, 1.5e308), "high: expected a width that doubles can hold"),
        (lambda: Uniform.fit([2.0]), "the one observation is 2, so the likelihood grows without bound"),
        (lambda: Gaussian(0.0, 0.0), "variance: expected a number above 0, got 0.0"),
        (
            lambda: Gaussian.fit([3.0, 3.0]),
            "all 2 observations are 3, so the likelihood grows without bound",
        ),
        (lambda: Gaussian.fit([1.0, math.nan]), "data: NaN or infinity at place 1"),
        (lambda: Gaussian.fit([1e308, 1e308]), "data: the sum overflows"),
        (lambda: Gaussian(0.0, 1.0).density(math.nan), "x: expected numbers, got NaN at the only place"),
        (lambda: Gaussian(0.0, 1.0).sample(-1), "n: expected a whole number of at least 0, got -1"),
        (lambda: JointGaussian([0.0], [[0.0]]), "the variance in row 0 is 0, expected a number above 0"),
        (lambda: JointGaussian([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]]), "not positive definite"),
        (
            lambda: JointGaussian([0.0, 0.0], [[1.0, 0.5], [0.4, 1.0]]),
            "not symmetric: 0.5 in row 0, column 1",
        ),
        (lambda: JointGaussian.fit([[1.0, 2.0], [2.0, 3.0]]), "2 observations of 2 numbers lie in a plane"),
        (
            lambda: JointGaussian.fit([[0.1, 0.3], [0.2, 0.6], [0.3, 0.9]]),
            "lie in a plane, a line or a point",
        ),
        (
            lambda: JointGaussian([0.0], [[1.0]]).marginal(1),
            "index: expected a whole number from 0 to 0, got 1",
        ),
        (lambda: JointGaussian([0.0], [[1.0]]).density([1.0, 2.0]), "x: expected a vector of 1 numbers"),
    ],
)
def test_impossible_parameters_of_a_distribution_are_refused(make, message):
    with pytest.raises(BadInput, match=message):
        make()
