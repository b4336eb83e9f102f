"""A kernel is a function of two vectors: its value is the one that decides."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csr_array

from rosenblatt import kernels
from rosenblatt.errors import BadInput
from tests.kernels import naive_kernels
from tests.rules.problems import laid_out


def test_matrices_and_vectors_of_either_layout(both):
    kernel, formula = both
    generator = np.random.default_rng(0)
    X, Z = generator.integers(-2, 3, (4, 3)).astype(float), generator.integers(-2, 3, (3, 3)).astype(float)
    want = naive_kernels.gram(formula, X, Z)
    for left in ("dense64", "csr64"):
        for right in ("dense64", "csr64"):
            assert kernel(laid_out(X, left), laid_out(Z, right)).tolist() == want
    assert kernel(X[1], Z).tolist() == want[1]
    assert kernel(X, Z[2]).tolist() == [row[2] for row in want]
    assert kernel(pd.DataFrame(X), pd.Series(Z[2])).tolist() == [row[2] for row in want]
    assert kernel(coo_array(X[1]), Z[2]) == kernel(X[1], Z[2].tolist()) == want[1][2]
    assert type(kernel(X[1], Z[2])) is float


def test_a_user_defined_kernel_is_called_for_one_pair_at_a_time():
    asked = []

    def overlap(X, Z):
        asked.append((X.shape, Z.shape))
        return np.minimum(X[:, None, :], Z[None, :, :]).sum(axis=2)

    kernel = kernels.Custom(overlap)
    assert kernel([1, 2], [2, 1]) == 2.0
    assert kernel([[1, 2], [0, 5]], csr_array([[2.0, 1.0]])).tolist() == [[2.0], [1.0]]
    assert set(asked) == {((1, 2), (1, 2))}
    with pytest.raises(BadInput, match=r"^kernel: returned shape \(\)"):
        kernels.Custom(lambda X, Z: 1.0)([1], [1])


@pytest.mark.parametrize(
    ("x", "z", "sentence"),
    [
        ([1, 2], [1, 2, 3], "z: 3 features, but x has 2"),
        (3, [4], "x: expected a vector such as [1, 2], or a matrix of rows, got 3"),
        ([4], None, "z: expected a vector such as [1, 2], or a matrix of rows, got None"),
        (np.ones((2, 2, 2)), [4], "x: expected a vector such as [1, 2], or a matrix of rows, got 3 dim"),
        ([[1], [1, 2]], [1], "x: row 1 has 2 values and row 0 has 1"),
        ([1], [], "z: Found array with 0 feature(s)"),
        ([1, np.nan], [1, 2], "x: Input contains NaN in row 0, column 1"),
        ([1], [np.inf], "z: Input contains infinity"),
        ([1], ["one"], "z: expected a table of numbers"),
    ],
)
@pytest.mark.parametrize("kernel", [kernels.Polynomial(2), kernels.Custom(lambda X, Z: X @ Z.T)])
def test_rows_without_a_kernel_value(kernel, x, z, sentence):
    with pytest.raises(BadInput) as refusal:
        kernel(x, z)
    assert str(refusal.value).startswith(sentence)


def test_a_value_too_large_for_a_double_is_infinite():
    assert kernels.Polynomial(2)([1e200], [1e200]) == np.inf
    assert kernels.Gaussian()([1e200], [-1e200]) == 0.0
