"""φ written out: K(x, z) = φ(x)·φ(z), by monomials and by all products in all orders."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from rosenblatt import kernels
from rosenblatt.course.lectures.worked import products
from rosenblatt.errors import BadInput
from rosenblatt.kernels.monomials import multinomial

SMALL = st.integers(-5, 5)
CONSTANTS = st.sampled_from([0.0, 1.0, 2.0, 0.25, 7.5])
GAMMAS = st.sampled_from([1.0, 0.5, 3.0])


@st.composite
def pairs_of_vectors(draw, elements=SMALL):
    d = draw(st.integers(1, 4))
    vector = st.lists(elements, min_size=d, max_size=d)
    return draw(vector), draw(vector)


@given(xz=pairs_of_vectors(), degree=st.integers(1, 5), gamma=GAMMAS, c=CONSTANTS)
def test_the_weighted_monomials_are_the_kernel_without_rounding(xz, degree, gamma, c):
    """Each product of two coordinates of φ is weight·monomial(x)·monomial(z), where no root is left."""
    x, z = xz
    space = kernels.Polynomial(degree, gamma, c).monomials(len(x))
    total = Fraction(0)
    for power, weight in zip(space.powers, space.weights, strict=True):
        exact = multinomial(power, degree) * Fraction(gamma) ** len(power)
        exact *= Fraction(c) ** (degree - len(power))
        assert Fraction(weight) == exact  # these are doubles
        total += exact * math.prod(x[j] * z[j] for j in power)
    dot = sum(a * b for a, b in zip(x, z, strict=True))
    assert total == (Fraction(gamma) * dot + Fraction(c)) ** degree


@given(xz=pairs_of_vectors(), degree=st.integers(1, 4))
def test_without_a_constant_the_ordered_products_are_the_kernel_to_the_last_bit(xz, degree):
    x, z = xz
    kernel = kernels.Polynomial(degree, coef0=0.0)
    space = kernel.products(len(x))
    assert len(space) == len(space.names) == len(x) ** degree
    assert space.map(x) @ space.map(z) == kernel(x, z)


@given(
    # K(x, x) of shorter ones underflows, and is no measure then
    xz=pairs_of_vectors(st.floats(-10.0, 10.0).map(lambda number: number if abs(number) > 1e-25 else 0.0)),
    degree=st.integers(1, 5),
    gamma=st.floats(0.01, 10.0),
    c=st.one_of(st.just(0.0), st.floats(0.0, 10.0)),
)
def test_both_maps_have_the_kernel_as_inner_product(xz, degree, gamma, c):
    """Up to rounding of some units for each factor and term, of √(K(x, x)·K(z, z))."""
    x, z = xz
    kernel = kernels.Polynomial(degree, gamma, c)
    for space in (kernel.monomials(len(x)), kernel.products(len(x))):
        allowed = (len(space) + 8 * degree + 16) * 2.0**-52 * math.sqrt(kernel(x, x) * kernel(z, z))
        assert abs(space.map(x) @ space.map(z) - kernel(x, z)) <= allowed + 1e-290
    assert (kernel.map(x) == kernel.monomials(len(x)).map(x)).all()


def test_names():
    assert kernels.Polynomial(2, coef0=3.0).monomials(2).names == ["1", "x0", "x1", "x0²", "x0·x1", "x1²"]
    assert kernels.Polynomial(3, coef0=0.0).monomials(2).names == ["x0³", "x0²·x1", "x0·x1²", "x1³"]
    assert kernels.Polynomial(2).products(1).names == ["x0·x0", "x0·√c", "√c·x0", "√c·√c"]
    assert kernels.Polynomial(1, coef0=0.0).monomials(3).names == ["x0", "x1", "x2"]


def test_the_notes_map_of_two_factors():
    x = (2.0, 3.0)
    assert kernels.Polynomial(2, coef0=0.0).products(2).map(x).tolist() == list(products(x))
    assert kernels.Polynomial(2, coef0=4.0).products(2).map(x).tolist() == list(products(x, 2.0))


@pytest.mark.parametrize("kernel", [kernels.Polynomial(2), kernels.Polynomial(3, 0.5, 0.0)], ids=str)
def test_rows_vectors_and_sparse_rows_have_one_map(kernel):
    X = np.random.default_rng(0).normal(size=(5, 3))
    want = kernel.map(X)
    assert want.shape == (5, len(kernel.monomials(3)))
    assert (kernel.map(csr_array(X)) == want).all()
    assert (kernel.map(X.tolist()) == want).all()
    assert (kernel.map(X[2]) == want[2]).all()
    np.testing.assert_allclose(want @ want.T, kernel(X, X), rtol=1e-12, atol=1e-12)


def test_kernels_without_a_feature_map():
    kernel = kernels.Polynomial(2)
    for ask, sentence in (
        (lambda: kernels.Polynomial(2, coef0=-1.0).map([1, 2]), "^coef0: .*not an inner product"),
        (lambda: kernels.Polynomial(2, gamma="scale").map([1, 2]), "^gamma: "),
        (lambda: kernel.monomials(0), "^n_features: expected a whole number of at least 1, got 0"),
        (lambda: kernel.monomials(2.0), "^n_features: "),
        (lambda: kernel.monomials(2).map([1, 2, 3]), "^X: 3 features, but this map takes vectors of 2"),
        (lambda: kernel.map(7), "^X: expected a vector"),
        (lambda: kernel.map([1e200]), "^X: a product of its numbers is too large for a double"),
        (lambda: kernel.monomials(10_000), "^degree: 50,015,001 monomials .* use the kernel"),
        (lambda: kernels.Polynomial(10**6).monomials(1), "^degree: 1,000,001 monomials"),
        (lambda: kernel.products(10_000), "^degree: 100,020,001 products .* use the kernel"),
        (lambda: kernels.Polynomial(900).monomials(2), "^degree: .*(too large for a double|too many)"),
    ):
        with pytest.raises(BadInput, match=sentence):
            ask()
