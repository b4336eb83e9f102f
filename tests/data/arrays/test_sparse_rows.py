"""Sparse rows: every format of scipy, both widths of index, repeated columns, and broken matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from rosenblatt import Perceptron
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import (
    Sparse,
    as_rows,
    first_not_finite,
    n_features,
    n_rows,
    stack,
    take,
    to_dense,
)
from tests.covering import all_turns

FORMATS = ["csr", "csc", "coo", "bsr", "dok", "lil", "dia"]
TABLE = np.array([[0.0, 2.0, 0.0, -1.0], [0.0, 0.0, 0.0, 0.0], [3.0, 0.0, 0.5, 0.0]])


def with_indices(matrix: Any, indices: type, pointers: type | None = None) -> Any:
    """The same matrix with indices of another width. scipy would narrow them if it were asked."""
    copy = sparse.csr_array(matrix)
    copy.indices = copy.indices.astype(indices)
    copy.indptr = copy.indptr.astype(pointers or indices)
    return copy


def dense_of(rows: Sparse) -> np.ndarray:
    return np.array([to_dense(rows, i) for i in range(n_rows(rows))])


@pytest.fixture(scope="module")
def examples() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(2)
    X = np.where(generator.random((80, 12)) < 0.3, generator.normal(size=(80, 12)), 0.0)
    X[7] = 0.0  # a row of nothing is legal
    return X, generator.permutation(np.resize([0, 1], 80))


# ---------------------------------------------------------------- formats


@pytest.mark.parametrize("kind", ["matrix", "array"])
@pytest.mark.parametrize("form", FORMATS)
def test_every_format_of_scipy_becomes_compressed_rows(form, kind):
    rows = as_rows(getattr(sparse, f"{form}_{kind}")(TABLE))
    assert isinstance(rows, Sparse)
    assert (n_rows(rows), n_features(rows)) == (3, 4)
    assert_array_equal(dense_of(rows), TABLE)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("width", [np.int32, np.int64])
def test_compressed_rows_are_read_without_a_copy(dtype, width):
    X = with_indices(TABLE.astype(dtype), width)
    rows = as_rows(X)
    assert np.shares_memory(rows.values, X.data)
    assert np.shares_memory(rows.indices, X.indices)
    assert np.shares_memory(rows.starts, X.indptr)
    assert rows.values.dtype == dtype
    assert rows.indices.dtype == rows.starts.dtype == np.dtype(width.__name__.replace("int", "uint"))


@pytest.mark.parametrize("widths", [(np.int32, np.int64), (np.int64, np.int32)])
def test_indices_of_two_widths_meet_in_the_larger(widths, examples):
    X, _ = examples
    rows = as_rows(with_indices(X, *widths))
    assert rows.indices.dtype == rows.starts.dtype == np.uint64
    assert_array_equal(dense_of(rows), X)


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        (np.float32, np.float32),
        (np.float64, np.float64),
        (bool, np.float32),
        (np.int8, np.float32),
        (np.uint16, np.float32),
        (np.int32, np.float64),
        (np.int64, np.float64),
    ],
)
def test_numbers_are_taken_as_in_dense_rows(given, taken):
    X = sparse.csr_array(TABLE.astype(given))
    assert as_rows(X).values.dtype == taken
    assert_array_equal(dense_of(as_rows(X)), X.toarray())


def test_the_matrix_is_left_as_it_was():
    X = sparse.csr_array(([1.0, 2.0, 4.0], [2, 0, 2], [0, 3]), shape=(1, 3))
    before = X.data.copy(), X.indices.copy(), X.indptr.copy()
    Perceptron(rule="passive_aggressive").fit(sparse.vstack([X, -X]).tocsr(), [0, 1]).predict(X)
    Perceptron(rule="passive_aggressive").partial_fit(X, [1], classes=[0, 1])
    for array, copy in zip((X.data, X.indices, X.indptr), before, strict=True):
        assert_array_equal(array, copy)
        assert array.flags.writeable


def test_entries_beyond_the_last_row_are_not_read():
    X = sparse.csr_array(TABLE)
    X.data = np.append(X.data, [np.nan, 5.0])
    X.indices = np.append(X.indices, [0, 99]).astype(np.int32)
    assert_array_equal(dense_of(as_rows(X)), TABLE)


def test_rows_of_nothing_are_legal():
    X = sparse.csr_array((3, 4))
    assert_array_equal(dense_of(as_rows(X)), np.zeros((3, 4)))
    model = Perceptron(offset=False, epochs=2).fit(X, [0, 1, 1])
    assert model.mistakes_ == 6  # a score of 0 is a mistake for either label
    assert model.coef_.tolist() == [[0.0] * 4]


# ---------------------------------------------------------------- repeated columns


def matrix_with_duplicates() -> sparse.csr_array:
    """[[3, 0, −1], [0, 4, 0], [0, 0, 2], [−3, 0, 1]], its entries in pieces and out of order."""
    entries = [1.0, -1.0, 2.0, 4.0, 5.0, -3.0, -4.0, 1.5, -0.5]
    columns, starts = np.int32([0, 2, 0, 1, 2, 2, 0, 2, 2, 0]), np.int32([0, 3, 4, 6, 10])
    matrix = sparse.csr_array((np.append(entries, 1.0), columns, starts), shape=(4, 3))
    assert not matrix.has_canonical_format
    return matrix


@pytest.mark.parametrize(
    ("rule", "keep", "learn"),
    all_turns(
        ["rosenblatt", "passive_aggressive_1", "margin"],
        ["last", "averaged", "voted"],
        ["fit", "partial_fit"],
    ),
)
def test_a_rule_learns_from_repeated_columns_what_it_learns_from_the_dense_rows(rule, keep, learn):
    y = [1, 0, 0, 1]
    settings = {"rule": rule, "keep": keep, "order": "given", "epochs": 3}
    in_pieces = getattr(Perceptron(**settings), learn)(matrix_with_duplicates(), y)
    dense = getattr(Perceptron(**settings), learn)(matrix_with_duplicates().toarray(), y)
    assert in_pieces.mistakes_ == dense.mistakes_
    assert in_pieces.updates_ == dense.updates_
    assert np.allclose(
        in_pieces.decision_function(matrix_with_duplicates()),
        dense.decision_function(matrix_with_duplicates().toarray()),
        rtol=1e-12,
    )


# ---------------------------------------------------------------- parts and wholes


@pytest.mark.parametrize("width", [np.int32, np.int64])
def test_rows_are_taken_in_any_order_and_more_than_once(width):
    rows = as_rows(with_indices(TABLE, width))
    chosen = take(rows, np.array([2, 1, 0, 2]))
    assert_array_equal(dense_of(chosen), TABLE[[2, 1, 0, 2]])
    assert chosen.indices.dtype == chosen.starts.dtype == rows.starts.dtype
    assert_array_equal(dense_of(take(rows, np.array([1]))), TABLE[[1]])


def test_parts_of_either_width_precision_and_number_of_features_are_stacked():
    narrow = as_rows(sparse.csr_array(TABLE.astype(np.float32)))
    wide = as_rows(with_indices(np.hstack([TABLE, TABLE / 3]), np.int64))
    whole = stack([narrow, wide])
    assert whole.values.dtype == np.float64
    assert whole.indices.dtype == whole.starts.dtype == np.uint64
    assert_array_equal(
        dense_of(whole), np.vstack([np.hstack([TABLE, np.zeros((3, 4))]), np.hstack([TABLE, TABLE / 3])])
    )


# ---------------------------------------------------------------- broken


@pytest.mark.parametrize(
    ("array", "place", "value", "says"),
    [
        ("indices", 1, 4, "column index .*outside 0…3"),
        ("indices", 1, -1, "column index .*outside 0…3"),
        ("indptr", 0, 1, "row pointers"),
        ("indptr", 1, 4, "row pointers"),
        ("indptr", 1, -1, "row pointers"),
        ("indptr", 3, 9, "row pointers"),
    ],
)
@pytest.mark.parametrize("width", [np.int32, np.int64])
def test_a_broken_matrix_is_refused_before_a_loop_reads_it(array, place, value, says, width):
    X = with_indices(TABLE, width)
    getattr(X, array)[place] = value
    with pytest.raises(BadInput, match=says):
        as_rows(X)
    X.indptr = np.array([0, 3_000_000_000, 2, 3], np.uint32)
    with pytest.raises(BadInput, match="row pointers"):
        as_rows(X)


@pytest.mark.parametrize("width", [np.int32, np.int64])
@pytest.mark.parametrize(("entry", "value"), [(2, np.nan), (3, -np.inf)])
def test_a_value_that_is_not_finite_is_found_with_its_place(entry, value, width):
    X = with_indices(TABLE, width)
    X.data[entry] = value
    rows = as_rows(X)
    column = [1, 3, 0, 2][entry]
    assert first_not_finite(rows, 0) is None
    assert first_not_finite(rows, 1) is None
    assert repr(first_not_finite(rows, 2)) == repr((column, np.float64(value)))
    with pytest.raises(BadInput, match=f"in row 2, column {column}"):
        Perceptron().fit(X, [0, 1, 1])


def test_values_whose_sum_overflows_are_finite():
    rows = as_rows(sparse.csr_array(np.full((3, 2), 1.7e308)))
    assert dense_of(rows).tolist() == [[1.7e308] * 2] * 3
