"""Dense rows are read without a copy if possible, in the narrowest float type that holds all values."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from rosenblatt import Perceptron
from rosenblatt.numeric.row_batches import Dense, as_rows, n_features, n_rows, stack, take

FLOATS = [np.float32, np.float64]


def table(dtype: type, order: str = "C") -> np.ndarray:
    return np.arange(12).reshape(4, 3).astype(dtype, order=order)


# ---------------------------------------------------------------- without a copy


@pytest.mark.parametrize("dtype", FLOATS)
def test_rows_in_c_order_are_read_without_a_copy(dtype):
    X = table(dtype)
    rows = as_rows(X)
    assert isinstance(rows, Dense)
    assert np.shares_memory(rows.values, X)
    assert rows.values.dtype == dtype
    assert (n_rows(rows), n_features(rows)) == (4, 3)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("mode", ["r", "r+", "c"])
def test_a_memory_mapped_file_is_read_without_a_copy(dtype, mode, tmp_path):
    np.save(tmp_path / "X.npy", table(dtype))
    X = np.load(tmp_path / "X.npy", mmap_mode=mode)
    rows = as_rows(X)
    assert np.shares_memory(rows.values, X)
    assert type(rows.values) is np.ndarray  # one type for the compiler, whatever the memory is


def test_the_loops_cannot_write_into_the_rows_but_their_owner_still_can():
    X = table(np.float64)
    rows = as_rows(X)
    with pytest.raises(ValueError, match="read-only"):
        rows.values[0, 0] = 1.0
    X[0, 0] = 7.0
    assert rows.values[0, 0] == 7.0


@pytest.mark.parametrize(
    "view",
    [
        lambda X: np.asfortranarray(X),
        lambda X: X[:, ::2],
        lambda X: X[::2],
        lambda X: X[::-1],
        lambda X: X.T,
        lambda X: np.broadcast_to(X[0], (5, 3)),
        lambda X: np.asfortranarray(X)[1:, 1:],
    ],
    ids=["Fortran", "columns", "rows", "reversed", "transposed", "broadcast", "part of Fortran"],
)
@pytest.mark.parametrize("dtype", FLOATS)
def test_rows_that_are_not_contiguous_are_copied_without_a_change(view, dtype):
    X = view(table(dtype))
    rows = as_rows(X)
    assert rows.values.flags.c_contiguous
    assert rows.values.dtype == dtype
    assert_array_equal(rows.values, X)


@pytest.mark.parametrize("kind", ["array", "memory-mapped file"])
def test_learning_and_deciding_need_no_second_copy_of_the_rows(kind, tmp_path):
    X = np.random.default_rng(0).normal(size=(4000, 300)).astype(np.float32)
    y = (X[:, 0] + 0.5 * X[:, 1] > 0).astype(np.int64)
    if kind == "memory-mapped file":
        np.save(tmp_path / "X.npy", X)
        X = np.load(tmp_path / "X.npy", mmap_mode="r")
    Perceptron(epochs=1, track_error=True).fit(X[:10], y[:10]).predict(X[:10])  # compiles, imports
    tracemalloc.start()
    try:
        Perceptron(epochs=3, random_state=0, track_error=True).fit(X, y).predict(X)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < X.nbytes / 8


# ---------------------------------------------------------------- kinds of numbers


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        (np.float32, np.float32),
        (np.float64, np.float64),
        (np.float16, np.float32),
        (bool, np.float32),
        (np.int8, np.float32),
        (np.uint8, np.float32),
        (np.int16, np.float32),
        (np.uint16, np.float32),
        (np.int32, np.float64),
        (np.uint32, np.float64),
        (np.int64, np.float64),
        (np.uint64, np.float64),
        (np.longdouble, np.float64),
        (">f4", np.float32),
        (">f8", np.float64),
        (object, np.float64),
    ],
)
def test_numbers_become_float32_if_it_holds_them_all_and_float64_otherwise(given, taken):
    X = table(given)
    rows = as_rows(X)
    assert rows.values.dtype == np.dtype(taken)
    assert rows.values.dtype.isnative
    assert_array_equal(rows.values, X.astype(np.float64))


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.uint16, np.int32, np.uint32])
def test_no_integer_of_up_to_32_bits_is_rounded(dtype):
    limits = np.iinfo(dtype)
    X = np.array([[limits.min, limits.max, limits.max - 1]], dtype)
    assert as_rows(X).values.astype(object).tolist() == X.astype(object).tolist()


def test_weights_are_float64_sums_of_float32_numbers():
    X = np.array([[0.1], [0.1]], dtype=np.float32)
    tenth = float(X[0, 0])
    model = Perceptron(offset=False, order=[0], epochs=1, init=[2.0**-30 - tenth]).fit(X, [1, 0])
    assert model.coef_.tolist() == [[2.0**-30 - tenth + tenth]]  # a float32 sum would not hold it
    assert model.coef_[0, 0] != 0.0


# ---------------------------------------------------------------- parts and wholes


def test_rows_are_taken_in_any_order_and_more_than_once():
    X = table(np.float32)
    chosen = take(as_rows(X), np.array([3, 0, 3]))
    assert_array_equal(chosen.values, X[[3, 0, 3]])
    assert chosen.values.dtype == np.float32
    assert not np.shares_memory(chosen.values, X)


def test_parts_are_stacked_one_under_the_other():
    X = table(np.float32)
    whole = stack([as_rows(X[:1]), as_rows(X[1:])])
    assert_array_equal(whole.values, X)
    assert whole.values.dtype == np.float32
    mixed = stack([as_rows(X), as_rows(X.astype(np.float64) / 3)])
    assert_array_equal(mixed.values, np.vstack([X, X.astype(np.float64) / 3]))
    assert mixed.values.dtype == np.float64
