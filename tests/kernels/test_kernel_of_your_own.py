"""User-defined kernels, and errors for functions that are not kernels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from rosenblatt import KernelPerceptron
from rosenblatt.errors import BadInput
from rosenblatt.kernels import Custom

X = np.abs(np.random.default_rng(0).normal(size=(40, 3)))
y = (X[:, 0] > X[:, 1]).astype(int)


def overlap(X, Z):
    """Histogram intersection, which is an inner product where no number is below 0."""
    return np.minimum(X[:, None, :], Z[None, :, :]).sum(axis=2)


def values(function, left=X, right=X):
    return Custom(function).matrix(left, right, None, None, None)


def refusal(function, left=X, right=X):
    with pytest.raises(BadInput) as refusal:
        values(function, left, right)
    return str(refusal.value)


def test_its_values_equal_those_of_the_function():
    assert (values(overlap, X, X[:7]) == overlap(X, X[:7])).all()
    assert values(lambda X, Z: (X @ Z.T).astype(np.float32)).dtype == np.float64
    assert (values(lambda X, Z: (X @ Z.T).tolist()) == X @ X.T).all()
    rows = csr_array(X)
    np.testing.assert_allclose(values(lambda X, Z: X @ Z.T, rows, rows), X @ X.T, rtol=1e-14)


def test_the_diagonal_is_made_a_few_rows_at_a_time():
    largest = []

    def count_and_overlap(X, Z):
        largest.append(X.shape[0] * Z.shape[0])
        return overlap(X, Z)

    found = Custom(count_and_overlap).diagonal(X, None, None)
    np.testing.assert_allclose(found, X.sum(axis=1), rtol=1e-15)
    assert max(largest) <= 256


@pytest.mark.parametrize(
    "function",
    [lambda X, Z: (X @ Z.T)[:, :-1], lambda X, Z: (X @ Z.T)[:, 0], lambda X, Z: 1.0, lambda X, Z: Z @ X.T],
)
def test_a_wrong_shape_is_reported_with_the_expected_one(function):
    sentence = refusal(function, X, X[:5])
    assert sentence.startswith("kernel: returned shape ")
    assert "for 40 and 5 rows" in sentence
    assert sentence.endswith("shape (40, 5)")


@pytest.mark.parametrize("what", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite(what):
    def broken(X, Z):
        found = X @ Z.T
        found[2, 1] = what
        return found

    sentence = refusal(broken)
    assert sentence.startswith(f"kernel: K is {what} for one pair of rows; it must be finite")
    assert "scale the features" in sentence


def test_a_function_that_is_not_symmetric():
    sentence = refusal(lambda X, Z: X @ Z.T + X[:, :1])
    assert sentence.startswith("kernel: not symmetric: K(x, z) = ")
    assert "the same both ways" in sentence


@pytest.mark.parametrize("answer", ["many", [["a", "b"]], None, [[1.0], [1.0, 2.0]], object()])
def test_answers_that_are_no_numbers(answer):
    sentence = refusal(lambda X, Z: answer, X[:1], X[:2])
    assert sentence.startswith("kernel: ")
    assert "(1, 2)" in sentence


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("container", [np.array, csr_array])
def test_it_is_given_arrays_of_doubles(kind, container):
    """Whole numbers are kept as float32 elsewhere; a function would round in it. Sparse rows that are not
    wide are spread out, for one pair of rows as for many."""
    given = set()

    def cubic(X, Z):
        given.update((type(M), M.dtype) for M in (X, Z))
        return (X @ Z.T + 1.0) ** 3

    rows = np.repeat(np.random.default_rng(2).integers(-99, 100, size=(20, 3)).astype(kind), 2, axis=0)
    y = np.arange(40) % 2  # each row with either label: w is 0 again after two mistakes
    model = KernelPerceptron(cubic, keep="last", epochs=2, order="given").fit(container(rows), y)
    assert model.exact_decisions_ > 0
    assert given == {(np.ndarray, np.dtype(np.float64))}
    want = KernelPerceptron(cubic, keep="last", epochs=2, order="given").fit(rows.astype(np.float64), y)
    assert (model.decision_function(container(rows)) == want.decision_function(rows)).all()


def test_an_error_of_the_function_itself_is_not_hidden():
    def broken(X, Z):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        KernelPerceptron(broken).fit(X, y)
