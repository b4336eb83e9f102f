"""Ranges of numbers: piecewise-linear features, bins, and pairs of columns chosen from the rows."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import KBinsDiscretizer

from rosenblatt import Features
from rosenblatt.data.sources.encoding import Encoding
from rosenblatt.data.sources.field_inference import infer_fields
from rosenblatt.data.sources.hashing import hashed_names
from rosenblatt.data.sources.number_ranges import (
    PIECES,
    choose_pairs,
    edges_of,
    knots_of,
    ranges_in,
    write_pieces,
)
from rosenblatt.data.sources.reading import read
from rosenblatt.data.sources.table_fields import FieldFeatures
from rosenblatt.errors import BadInput

NUMBERS = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=60)


def fields(table, missing="mark", **encoding):
    return infer_fields(table, encoding=Encoding(**encoding), missing=missing).with_statistics([table])


def table_of(n=400, seed=0):
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(2, n))
    return pa.table({"a": a, "b": b, "y": np.where(a * b > 0, "same", "other")})


@given(NUMBERS, NUMBERS)
def test_piecewise_features_are_the_clipped_lines_of_their_definition(training, later):
    knots = knots_of(np.array(training))
    pieces = np.empty((len(knots) - 1, len(later)))
    write_pieces(np.array(later), knots, pieces)
    for piece, low, high in zip(pieces, knots[:-1], knots[1:], strict=True):
        exact = [(Fraction(x) - Fraction(low)) / (Fraction(high) - Fraction(low)) for x in later]
        assert piece.tolist() == pytest.approx([float(min(max(e, 0), 1)) for e in exact], abs=1e-9)
    assert list(knots) == sorted(set(knots))
    assert len(knots) <= PIECES + 1


@given(NUMBERS)
def test_each_number_is_in_the_range_between_its_neighbouring_edges(numbers):
    edges = edges_of(knots_of(np.array(numbers)))
    found = ranges_in(np.array(numbers), edges)
    assert found.null_count == 0
    assert found.indices.to_pylist() == [sum(edge <= number for edge in edges) for number in numbers]


def test_ranges_are_the_quantile_bins_of_scikit_learn():
    numbers = np.random.default_rng(1).normal(size=1000)
    ours = ranges_in(numbers, edges_of(knots_of(numbers))).indices.to_numpy()
    bins = KBinsDiscretizer(PIECES, encode="ordinal", strategy="quantile", quantile_method="linear")
    assert np.array_equal(ours, bins.fit_transform(numbers[:, None]).ravel())


@given(st.floats(-100.0, 100.0), st.integers(100, 2000), st.integers(40, 400))
def test_a_frequent_value_takes_no_quantiles_from_the_other_numbers(value, n, n_others):
    others = np.random.default_rng(n).normal(1000.0, 1.0, n_others)
    knots = knots_of(np.concatenate([np.full(n, value), others]))
    assert knots[0] == value
    assert knots[1:] == tuple(np.quantile(others, np.linspace(0.0, 1.0, PIECES)).tolist())


def test_a_dense_table_has_a_column_for_each_piece_and_a_mark_for_missing_numbers():
    table = pa.table({"a": [0.0, 10.0, 20.0, None], "y": [0, 1, 0, 1]})
    columns = fields(table, numbers="piecewise")
    assert columns.feature_names == ["a from 0 to 10", "a from 10 to 20", "a is missing"]
    assert columns.chunk(table).X.tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 1]]


def test_bins_are_categories_named_by_their_ranges():
    table = pa.table({"a": [1.0, 2.0, 3.0, None], "y": [0, 1, 0, 1]})
    rows = fields(table, numbers="bins").chunk(table).X.toarray()
    indices, signs = hashed_names(
        ["a range=below 2", "a range=2 to 3", "a range=3 and more", "a range is missing"], 18
    )
    assert (rows[:, indices] * signs).tolist() == np.eye(4).tolist()


def test_a_pair_may_combine_numbers_and_categories():
    table = pa.table({"a": [1.0, 2.0, 1.0, None], "c": ["x", "z", "z", "x"], "y": [0, 1, 0, 1]})
    columns = fields(table, numbers="standard", pairs=(("a", "c"),))
    names = ["a & c=below 2 & x", "a & c=2 and more & z", "a & c=below 2 & z", "a & c is missing"]
    indices, signs = hashed_names(names, columns.bits)
    assert (columns.chunk(table).X.toarray()[:, indices] * signs).tolist() == np.eye(4).tolist()


@pytest.mark.parametrize("size", [7, 100, 400])
@pytest.mark.parametrize("numbers", ["piecewise", "bins", "standard"])
def test_statistics_do_not_depend_on_the_sizes_of_the_batches(numbers, size):
    table = table_of()
    whole = fields(table, numbers=numbers, pairs="auto")
    parts = infer_fields(table, encoding=Encoding(numbers, pairs="auto"), missing="mark")
    parts = parts.with_statistics(table.to_batches(max_chunksize=size))
    assert parts.statistics.knots == whole.statistics.knots
    assert parts.pairs == whole.pairs == (("a", "b"),)


@pytest.mark.parametrize("numbers", ["piecewise", "bins"])
def test_stored_settings_read_another_table_into_the_same_features(numbers):
    table = table_of()
    columns = fields(table, numbers=numbers, pairs="auto")
    again = FieldFeatures.from_settings(columns.settings())
    other = table_of(seed=5)
    assert (again.chunk(other).X != columns.chunk(other).X).nnz == 0


def test_chosen_pairs_are_the_ones_that_only_together_predict_the_label():
    random = np.random.default_rng(3)
    columns = {name: random.integers(0, 3, 4000) for name in "abcdef"}
    labels = (columns["b"] + columns["e"]) % 3
    assert choose_pairs(columns, labels) == (("b", "e"),)
    assert choose_pairs(columns, random.integers(0, 2, 4000)) == ()
    assert choose_pairs(columns, columns["c"]) == ()


def test_columns_with_too_many_categories_are_not_paired():
    codes = np.arange(1000) % 100
    labels = np.random.default_rng(0).integers(0, 2, 1000)
    assert choose_pairs({"many": codes, "few": labels ^ (codes % 2)}, labels) == ()


def test_pairs_are_not_chosen_without_labels():
    with pytest.raises(BadInput, match="chooses the pairs by the labels; give y too"):
        Features(pairs="auto").fit(table_of().select(["a", "b"]))
    with pytest.raises(BadInput, match="pairs of names of columns, or 'auto'"):
        Encoding(pairs="all")
    with pytest.raises(BadInput, match="'c' is not a column of categories or numbers"):
        infer_fields(table_of(), encoding=Encoding(pairs=(("a", "c"),)))


def test_a_csv_file_is_read_with_pieces_and_pairs(tmp_path):
    path = tmp_path / "t.csv"
    table_of().to_pandas().to_csv(path, index=False)
    source = read(path, encoding=Encoding("piecewise", pairs="auto"))
    rows = next(source.chunks()).X
    assert source.columns.pairs == (("a", "b"),)
    assert rows.shape == (400, 1 << 18)
    assert np.diff(rows.indptr).min() >= 2
