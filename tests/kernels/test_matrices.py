"""K of many pairs at matrix speed is within error·root·root of the plain loop, and |K| ≤ root·root."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from rosenblatt.kernels import Gaussian, Laplacian, Linear
from rosenblatt.numeric import blocks
from rosenblatt.numeric.row_batches import as_rows
from rosenblatt.training.backends import EXACT, OnHost
from rosenblatt.training.dual.support import with_squares
from tests.kernels.kernel_values import check_bound, fast, plain
from tests.rules.problems import laid_out

LAYOUTS = ["dense64", "dense32", "csr64", "csr32"]
SIZES = st.one_of(st.just(0.0), st.floats(1e-3, 1e6), st.floats(-1e6, -1e-3))


def random_rows(seed: int, n: int = 60, d: int = 7) -> np.ndarray:
    """Rows of unlike length, some zeros, a zero row and a duplicate among them."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, d)) * generator.uniform(0.1, 3.0, size=(n, 1))
    X[generator.random((n, d)) < 0.3] = 0.0
    X[0], X[1] = 0.0, X[2]
    return X


@pytest.fixture
def kept_sparse(monkeypatch):
    """Sparse rows stay so; they are spread out only where they are not wide."""
    monkeypatch.setattr(blocks, "DENSE_FEATURES", 0)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shift", [0.0, 10.0, 1e3, 1e6, 1e8])
def test_rows_far_from_the_origin(both, layout, shift):
    check_bound(both[0], *(laid_out(random_rows(seed) + shift, layout) for seed in (0, 1)))


@given(draw=st.data(), d=st.integers(1, 6))
def test_numbers_of_any_size(both, draw, d):
    check_bound(both[0], *(draw.draw(arrays(np.float64, (n, d), elements=SIZES)) for n in (4, 3)))


def test_a_bound_that_is_not_kept_is_noticed():
    """The bound is not empty: a thousandth of it would not hold for all pairs."""
    X = random_rows(4, n=200, d=3) + 90.0
    found, doubt = fast(Gaussian(gamma=0.3), X)
    assert (np.abs(found - plain(Gaussian(gamma=0.3), X)) > 1e-3 * doubt).any()


# ---------------------------------------------------------------- whole numbers


LARGEST = [
    ("int8", 100), ("int16", 5000), ("int32", 1 << 20), ("float32", 3), ("float32", 1 << 20),
    ("float64", 1 << 30),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "largest"), LARGEST)
def test_whole_numbers(both, kind, largest):
    X = np.random.default_rng(5).integers(-largest, largest + 1, size=(40, 6))
    check_bound(both[0], X.astype(kind))


@pytest.mark.parametrize("largest", [100, 1600, 1700, 5000, 300_000])
def test_products_of_float32_that_pass_two_to_the_24_are_exact_all_the_same(largest):
    """Six features: 6·1672² is just below 2²⁴, and 300 000² far above it. Doubles hold all of these."""
    X = np.random.default_rng(6).integers(largest - 50, largest + 1, size=(30, 6))
    matrix, squares = with_squares(as_rows(X.astype(np.float32)), OnHost())
    assert matrix.dtype == np.float32
    assert (float(squares.max()) > EXACT) == (largest > 1672)
    assert squares.tolist() == (X**2).sum(axis=1).tolist()
    found, _ = fast(Linear(), X.astype(np.float32))
    assert found.dtype == np.float64
    assert found.tolist() == (X @ X.T).tolist()


def test_one_matrix_beyond_two_to_the_24_is_enough():
    """x·z may pass 2²⁴ where neither ‖x‖² nor the other matrix does."""
    X = np.random.default_rng(7).integers(-9, 10, size=(20, 5))
    Z = np.random.default_rng(8).integers(1 << 22, 1 << 23, size=(20, 5)) | 1
    found, _ = fast(Linear(), X.astype(np.float32), Z.astype(np.float32))
    assert found.tolist() == (X @ Z.T).tolist()


def test_differences_of_float32_that_no_float32_holds():
    """2²⁴ + 1 is one."""
    X = np.array([[2.0**24, 0.0], [-1.0, 3.0], [5.0, 7.0]], np.float32)
    for kernel in (Laplacian(gamma=1e-7), Gaussian(gamma=1e-14), Gaussian(gamma=1e-9)):
        check_bound(kernel, X)


def test_float32_that_is_not_whole_is_read_as_doubles():
    X = np.array([[0.5, 1.0], [3.0, 2.0]], np.float32)
    matrix, squares = with_squares(as_rows(X), OnHost())
    assert matrix.dtype == squares.dtype == np.float64
    assert squares.tolist() == [1.25, 13.0]


# ---------------------------------------------------------------- dense and sparse


@pytest.mark.usefixtures("kept_sparse")
def test_rows_that_stay_sparse(both):
    kernel, _ = both
    X, Z = random_rows(11), random_rows(12)
    matrix, _ = with_squares(as_rows(csr_array(X)), OnHost())
    assert isinstance(matrix, csr_array)
    for left, right in product(("dense64", "csr64"), repeat=2):
        found, doubt = fast(kernel, laid_out(X, left), laid_out(Z, right))
        assert isinstance(found, np.ndarray)
        assert (np.abs(found - plain(kernel, X, Z)) <= doubt).all()


def test_rows_too_wide_to_spread_out(both):
    generator = np.random.default_rng(13)
    cells = generator.integers(0, 30, size=300), generator.integers(0, blocks.DENSE_FEATURES + 9, size=300)
    X = csr_array((generator.normal(size=300), cells), shape=(30, blocks.DENSE_FEATURES + 9))
    X.sum_duplicates()
    matrix, _ = with_squares(as_rows(X), OnHost())
    assert isinstance(matrix, csr_array)
    check_bound(both[0], X)


# ---------------------------------------------------------------- inner products


def test_no_similarity_is_above_1_however_the_distance_is_rounded():
    found, _ = fast(Gaussian(gamma=0.3), random_rows(4, n=200, d=3) + 90.0)
    assert found.max() == 1.0


def test_no_value_is_larger_than_the_roots(both):
    kernel, _ = both
    X, Z = random_rows(16), random_rows(17) * 20.0
    _, doubt = fast(kernel, X, Z)
    error = kernel.error(X.shape[1], float((Z**2).sum(axis=1).max()))
    assert (np.abs(plain(kernel, X, Z)) <= doubt / error * (1.0 + error)).all()


def test_the_diagonal_is_of_the_rows_with_themselves(both):
    kernel, _ = both
    X = random_rows(18)
    x2 = (X**2).sum(axis=1)
    found = kernel.diagonal(X, x2, OnHost())
    np.testing.assert_allclose(found, plain(kernel, X).diagonal(), rtol=1e-13)
    assert x2.tolist() == (X**2).sum(axis=1).tolist(), "what it was given must be left as it was"
