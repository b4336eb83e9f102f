"""K(x, z) by the plain loop is the formula, to the last bit, whatever the layout of the rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.kernels import naive_kernels
from tests.kernels.kernel_values import plain
from tests.rules.problems import laid_out

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
def test_every_layout_has_the_bits_of_the_formula(both, X):
    kernel, formula = both
    want = naive_kernels.gram(formula, X)
    for layout in LAYOUTS:
        assert plain(kernel, laid_out(X, layout)).tolist() == want


def test_zeros_that_a_sparse_row_has_written_down_change_nothing(both):
    kernel, _ = both
    X = np.random.default_rng(2).integers(-2, 3, size=(8, 5)).astype(np.float64)
    written = laid_out(np.ones_like(X), "csr64")
    written.data[:] = X.ravel()
    assert (X == 0.0).any()
    assert written.nnz == X.size
    assert (plain(kernel, written) == plain(kernel, X)).all()
    assert (plain(kernel, written, laid_out(X, "csr64")) == plain(kernel, X)).all()
