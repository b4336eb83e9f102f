"""K(x, z) by the plain loop is the formula, to the last bit, whatever the layout of the rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rosenblatt.arithmetic.examples import as_rows
from rosenblatt.arithmetic.pairs import absolute_distance, dot, squared_distance
from rosenblatt.kernels import pair

NUMBERS = st.one_of(
    st.just(0.0),
    st.integers(-4, 4).map(float),
    st.floats(-100.0, 100.0, width=32, allow_subnormal=False),
)
LAYOUTS = ["dense64", "dense32", "csr64", "csr32"]


@st.composite
def matrices(draw, elements=NUMBERS):
    n, d = draw(st.integers(1, 6)), draw(st.integers(1, 7))
    return draw(arrays(np.float64, (n, d), elements=elements))


@given(X=matrices())
def test_every_layout_has_the_bits_of_the_formula(both, X, naive, laid_out, plain):
    kernel, formula = both
    want = naive.gram(formula, X)
    for layout in LAYOUTS:
        assert plain(kernel, laid_out(X, layout)).tolist() == want


@given(X=matrices(st.floats(-1e6, 1e6)))
def test_doubles_that_are_no_float32_too(both, X, naive, laid_out, plain):
    kernel, formula = both
    want = naive.gram(formula, X)
    for layout in ("dense64", "csr64"):
        assert plain(kernel, laid_out(X, layout)).tolist() == want


def test_compiled_and_interpreted_are_the_same(both, laid_out, plain):
    kernel, _ = both
    X = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
    for layout in LAYOUTS:
        rows = as_rows(laid_out(X, layout))
        interpreted = [[pair(kernel, rows, i, rows, j) for j in range(5)] for i in range(5)]
        assert plain(kernel, laid_out(X, layout)).tolist() == interpreted


def test_it_is_the_same_both_ways(both, plain):
    kernel, _ = both
    values = plain(kernel, np.random.default_rng(1).normal(size=(20, 6)))
    assert (values == values.T).all()


def test_zeros_that_a_sparse_row_has_written_down_change_nothing(both, laid_out, plain):
    kernel, _ = both
    X = np.random.default_rng(2).integers(-2, 3, size=(8, 5)).astype(np.float64)
    written = laid_out(np.ones_like(X), "csr64")
    written.data[:] = X.ravel()
    assert (X == 0.0).any()
    assert written.nnz == X.size
    assert (plain(kernel, written) == plain(kernel, X)).all()
    assert (plain(kernel, written, laid_out(X, "csr64")) == plain(kernel, X)).all()


@pytest.mark.parametrize("container", [np.array, None], ids=["dense", "sparse"])
def test_sums_over_two_rows(container, laid_out):
    X = laid_out(
        np.array([[3.0, 0.0, -1.0, 0.0], [1.0, 2.0, 0.0, 0.0]]), "dense64" if container else "csr64"
    )
    rows = as_rows(X)
    assert dot(rows, 0, rows, 1) == 3.0
    assert squared_distance(rows, 0, rows, 1) == 4.0 + 4.0 + 1.0
    assert absolute_distance(rows, 0, rows, 1) == 2.0 + 2.0 + 1.0
    assert squared_distance(rows, 0, rows, 0) == absolute_distance(rows, 1, rows, 1) == 0.0


def test_rows_without_entries(both, naive, laid_out, plain):
    kernel, formula = both
    X = np.array([[0.0, 0.0, 0.0], [1.0, -2.0, 0.5], [0.0, 0.0, 0.0]])
    assert plain(kernel, laid_out(X, "csr64")).tolist() == naive.gram(formula, X)
