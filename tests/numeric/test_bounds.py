"""The rounding bound of a fast score is never smaller than its error."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rosenblatt.loops import decide  # noqa: F401  (registers what rows can do)
from rosenblatt.numeric.compiling import jit_uncached
from rosenblatt.numeric.row_batches import as_rows
from rosenblatt.numeric.rows import score


@jit_uncached
def fast(rows, weights, offset, norm2):
    return score(rows, 0, weights, offset, norm2)


numbers = st.floats(-(2.0**200), 2.0**200, allow_nan=False)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
@given(
    st.integers(1, 8).flatmap(
        lambda d: st.tuples(
            arrays(np.float64, d, elements=numbers), arrays(np.float64, d + 1, elements=numbers)
        )
    ),
    st.booleans(),
)
def test_a_trusted_sign_is_right(layout, vectors, offset):
    x, weights = vectors
    with np.errstate(over="ignore", invalid="ignore"):
        norm2 = float(weights @ weights)
        s, _, doubt2 = fast(as_rows(layout(x.reshape(1, -1))), weights, float(offset), norm2)
        trusted = s * s > doubt2
    exact = sum((Fraction(a) * Fraction(b) for a, b in zip(x, weights[:-1], strict=True)), Fraction(0))
    exact += Fraction(weights[-1]) * offset
    if trusted:
        assert (s > 0) == (exact > 0)
        assert abs(Fraction(s) - exact) ** 2 <= Fraction(doubt2)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_score_that_is_not_finite_is_never_certain(value):
    for weights in (np.zeros(3), np.ones(3), np.array([0.0, 1.0, 5.0])):
        rows = as_rows(np.array([[value, 1.0]]))
        with np.errstate(invalid="ignore"):  # interpreted, numpy warns of ∞·0
            s, _, doubt2 = fast(rows, weights, 1.0, float(weights @ weights))
        assert not s * s > doubt2
