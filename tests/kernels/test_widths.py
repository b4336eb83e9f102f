"""gamma by name: "auto" is 1/d, "scale" is 1/(d·variance of all numbers)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from rosenblatt import KernelPerceptron
from rosenblatt.kernels import Gaussian, as_kernel, width
from rosenblatt.numeric.row_batches import as_rows


@pytest.mark.parametrize("shift", [0.0, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("spread", [1e-3, 1.0, 1e4])
def test_scale_is_one_over_d_times_the_variance(shift, spread):
    X = np.random.default_rng(0).normal(size=(200, 6)) * spread + shift
    assert width("scale", as_rows(X)) == pytest.approx(1.0 / (6 * X.var()), rel=1e-6)


@given(X=arrays(np.float64, (5, 4), elements=st.one_of(st.just(0.0), st.floats(-1e6, 1e6, width=32))))
def test_scale_is_the_same_bits_for_dense_sparse_and_float32(X):
    want = width("scale", as_rows(X))
    for same in (X.astype(np.float32), csr_array(X), csr_array(X.astype(np.float32)), np.asfortranarray(X)):
        assert width("scale", as_rows(same)) == want


@pytest.mark.parametrize("value", [0.0, 7.0, -0.1])
def test_rows_that_are_all_the_same_number_have_a_width_of_1(value):
    assert width("scale", as_rows(np.full((4, 3), value))) == 1.0


def test_auto_is_one_over_d():
    assert width("auto", as_rows(np.ones((2, 8)))) == 0.125
    assert as_kernel("polynomial", gamma="auto", rows=as_rows(csr_array(np.ones((2, 8))))).gamma == 0.125


def test_a_model_computes_gamma_from_its_rows():
    X = np.random.default_rng(2).normal(size=(30, 4))
    y = np.arange(30) % 2
    assert KernelPerceptron(epochs=1).fit(X, y).kernel_ == Gaussian(width("scale", as_rows(X)))
    assert KernelPerceptron(epochs=1, gamma="auto").fit(X, y).kernel_ == Gaussian(0.25)
    assert KernelPerceptron(Gaussian("scale"), epochs=1).fit(X, y).kernel_.gamma == width(
        "scale", as_rows(X)
    )


def test_in_a_stream_gamma_is_computed_from_the_first_rows():
    X = np.random.default_rng(3).normal(size=(30, 4))
    y = np.arange(30) % 2
    model = KernelPerceptron().partial_fit(X[:10], y[:10]).partial_fit(X[10:] * 9.0, y[10:])
    assert model.kernel_ == Gaussian(width("scale", as_rows(X[:10])))


def test_rows_of_weight_0_do_not_count():
    X = np.random.default_rng(4).normal(size=(30, 4))
    y, present = np.arange(30) % 2, np.arange(30) >= 10
    want = KernelPerceptron(epochs=1).fit(X[present], y[present]).kernel_
    for value in (1e3, np.nan, np.inf):
        X[~present] = value
        for kernel, gamma in (("gaussian", "scale"), (Gaussian("scale"), 1.0)):
            model = KernelPerceptron(kernel, gamma=gamma, epochs=1).fit(X, y, sample_weight=present)
            assert model.kernel_ == want


def test_one_zero_among_a_million_numbers_does_not_change_the_sum():
    """The variance is a millionth of the squared mean: it is summed again around the mean, zeros or not."""
    X = np.ones((1100, 1000))
    X[5, 5] = 0.0
    found = width("scale", as_rows(X))
    assert found == width("scale", as_rows(csr_array(X)))
    assert found == pytest.approx(1.0 / (1000 * X.var()), rel=1e-6)
