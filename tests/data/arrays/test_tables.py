"""Tables of pandas, polars and pyarrow learn what the same numbers in numpy do, and have names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from rosenblatt import Perceptron
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import as_rows, column_names, is_table

NAMES = ["width", "height", "depth"]
VALUES = np.random.default_rng(4).normal(size=(40, 3))
LABELS = np.random.default_rng(5).permutation(np.resize([0, 1], 40))

LIBRARIES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}
everywhere = pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)


def columns(values: np.ndarray) -> dict[str, Any]:
    return {name: np.ascontiguousarray(values[:, j]) for j, name in enumerate(NAMES)}


@everywhere
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("keep", ["last", "voted"])
def test_a_table_learns_and_decides_as_the_array_does(library, dtype, keep):
    X = VALUES.astype(dtype)
    table = library(columns(X))
    array = Perceptron(keep=keep, random_state=0).fit(X, LABELS)
    model = Perceptron(keep=keep, random_state=0).fit(table, LABELS)
    assert_array_equal(model.decision_function(table), array.decision_function(X))
    assert model.mistakes_ == array.mistakes_
    assert model.training_error(table, LABELS) == array.training_error(X, LABELS)


@everywhere
def test_a_table_brings_the_names_of_its_columns(library):
    table = library(columns(VALUES))
    model = Perceptron(random_state=0).fit(table, LABELS)
    assert model.feature_names_in_.tolist() == NAMES
    assert sorted(model.weights_by_name()) == sorted(NAMES)
    assert column_names(table) == NAMES
    assert is_table(table)


@everywhere
def test_float32_columns_stay_float32(library):
    rows = as_rows(library(columns(VALUES.astype(np.float32))))
    assert rows.values.dtype == np.float32
    assert rows.values.flags.c_contiguous
    assert_array_equal(rows.values, VALUES.astype(np.float32))


@everywhere
def test_columns_of_several_kinds_of_numbers_are_one_table(library):
    mixed = {
        "float": VALUES[:, 0].astype(np.float32),
        "integer": np.arange(40) - 7,
        "small": np.arange(40, dtype=np.uint8),
        "truth": LABELS == 1,
        "real": VALUES[:, 1],
    }
    rows = as_rows(library(mixed))
    assert_array_equal(rows.values, np.column_stack([each.astype(np.float64) for each in mixed.values()]))


@everywhere
def test_whole_numbers_too_large_for_float32_are_not_rounded(library):
    rows = as_rows(library({"a": np.array([2**24 + 1, 2**31 - 1]), "b": np.array([0.5, 1.5], np.float32)}))
    assert rows.values[:, 0].tolist() == [2**24 + 1, 2**31 - 1]


@pytest.mark.parametrize(
    "dtype", ["Int64", "Int8", "Float32", "Float64", "UInt16", "boolean", "int64[pyarrow]"]
)
def test_nullable_columns_of_pandas_are_numbers_if_nothing_is_missing(dtype):
    values = np.resize([0, 1, 1], 40)
    frame = pd.DataFrame({"a": pd.array(values, dtype=dtype), "b": VALUES[:, 1]})
    assert_array_equal(as_rows(frame).values, np.column_stack([values, VALUES[:, 1]]))


def test_columns_of_objects_that_are_numbers_are_numbers():
    frame = pd.DataFrame({"a": pd.Series([1, 2.5, True], dtype=object), "b": [1.0, 2.0, 3.0]})
    assert_array_equal(as_rows(frame).values, [[1.0, 1.0], [2.5, 2.0], [1.0, 3.0]])


def test_a_frame_without_names_is_numbered_by_pandas_and_has_none_here():
    model = Perceptron(random_state=0).fit(pd.DataFrame(VALUES), LABELS)
    assert not hasattr(model, "feature_names_in_")
    assert_array_equal(model.coef_, Perceptron(random_state=0).fit(VALUES, LABELS).coef_)


def test_the_index_of_a_frame_means_nothing():
    frame = pd.DataFrame(columns(VALUES), index=np.arange(40)[::-1] * 10)
    labels = pd.Series(LABELS, index=np.arange(40) + 100)
    weight = pd.Series(np.resize([1.0, 2.0], 40), index=np.arange(40)[::-1])
    model = Perceptron(random_state=0).fit(frame, labels, sample_weight=weight)
    plain = Perceptron(random_state=0).fit(VALUES, LABELS, sample_weight=weight.to_numpy())
    assert_array_equal(model.coef_, plain.coef_)


def test_a_pyarrow_table_in_chunks_is_one_table():
    part = pa.table(columns(VALUES[:15]))
    table = pa.concat_tables([part, pa.table(columns(VALUES[15:]))])
    assert table.column(0).num_chunks == 2
    assert_array_equal(as_rows(table).values, VALUES)


@pytest.mark.parametrize(
    "wrap", [pd.Series, pl.Series, pa.array, lambda y: pa.chunked_array([y[:9], y[9:]])]
)
@pytest.mark.parametrize("names", [[0, 1], ["no", "yes"], [False, True]], ids=str)
def test_labels_may_be_a_column_of_a_table(wrap, names):
    labels = np.array(names)[LABELS]
    model = Perceptron(random_state=0).fit(VALUES, wrap(labels))
    assert model.classes_.tolist() == names
    assert_array_equal(model.coef_, Perceptron(random_state=0).fit(VALUES, LABELS).coef_)


@everywhere
def test_a_column_of_text_is_named(library):
    with pytest.raises(BadInput, match=r"column 'name' holds String, expected numbers; .*\(1 such column"):
        as_rows(library({"a": [1.0, 2.0], "name": ["x", "y"]}))
    with pytest.raises(BadInput, match=r"column 'a' holds .*\(2 such columns in all\)"):
        as_rows(library({"a": ["1", "2"], "b": [1, 2], "c": ["x", "y"]}))
