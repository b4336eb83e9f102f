"""Roles of columns, feature hashing as in scikit-learn, missing values, and sparse rows in tables."""

from __future__ import annotations

import datetime
import json
import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction import FeatureHasher

from rosenblatt.data.sources.encoding import Encoding
from rosenblatt.data.sources.field_inference import fields_from_settings, infer_fields
from rosenblatt.data.sources.field_roles import roles_in
from rosenblatt.data.sources.reading import read
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import Dense, Sparse


def hashed_by_scikit_learn(table, columns):
    """The naive way: a dict for each row, numbers first, then categories, then words."""
    rows = []
    for row in table.to_pylist():
        features = {name: row[name] for name in columns.names("number") if row[name] is not None}
        for name in columns.names("category"):
            if row[name] is not None:
                features[f"{name}={row[name]}"] = 1
        for name in columns.names("text"):
            for word in re.findall(r"(?u)\b\w\w+\b", (row[name] or "").lower()):
                features[f"{name}={word}"] = features.get(f"{name}={word}", 0) + 1
        rows.append(features)
    return FeatureHasher(n_features=2**columns.bits, input_type="dict").transform(rows)


def assert_equal_rows(X, expected):
    assert X.shape == expected.shape
    assert X.indptr.tolist() == expected.indptr.tolist()
    assert X.indices.tolist() == expected.indices.tolist()
    assert X.data.tobytes() == expected.data.tobytes()


def refusal(table, **options):
    with pytest.raises(BadInput) as caught:
        infer_fields(table, name="plants", **options)
    return str(caught.value)


numbers = st.floats(allow_nan=False, allow_infinity=False, width=32)
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@st.composite
def tables(draw):
    """Numbers, categories and texts with missing values, and a label."""
    n = draw(st.integers(1, 8))

    def cells(kind):
        return draw(st.lists(st.none() | kind, min_size=n, max_size=n))

    return pa.table(
        {
            "size": pa.array(cells(numbers), pa.float64()),
            "count": pa.array(cells(st.integers(-(2**53), 2**53)), pa.int64()),
            "flag": pa.array(cells(st.booleans()), pa.bool_()),
            "größe": pa.array(cells(words), pa.string()),
            "colour": pa.array(cells(st.sampled_from(["red", "", "bleu é", "=", "red "])), pa.string()),
            "mail": pa.array(cells(st.lists(words, max_size=6).map(" ".join)), pa.string()),
            "kind": pa.array(draw(st.lists(st.sampled_from([0, 1]), min_size=n, max_size=n)), pa.int64()),
        }
    )


@given(tables(), st.sampled_from([4, 10, 18]))
def test_rows_equal_those_of_feature_hasher_bit_for_bit(table, bits):
    categories = ["größe", "colour"]
    columns = infer_fields(table, text=["mail"], categories=categories, bits=bits, missing="zero")
    chunk = columns.chunk(table)
    assert_equal_rows(chunk.X, hashed_by_scikit_learn(table, columns))
    assert chunk.y.tolist() == table["kind"].to_pylist()
    assert not chunk.bad


@given(tables())
def test_a_row_with_a_missing_value_is_bad_or_dropped(table):
    strict = infer_fields(table, text=["mail"], categories=["größe", "colour"], bits=10)
    loose = replace(strict, missing="drop")
    known = [None not in row.values() for row in table.to_pylist()]
    complete = table.filter(pa.array(known))
    for chunk in (strict.chunk(table), loose.chunk(table)):
        assert len(chunk) == sum(known)
        if len(chunk):
            assert_equal_rows(chunk.X, hashed_by_scikit_learn(complete, strict))
        assert chunk.y.tolist() == complete["kind"].to_pylist()
    bad = strict.chunk(table).bad
    assert [fault.line for fault in bad] == [row for row, is_known in enumerate(known) if not is_known]
    for fault in bad:
        assert table.column(fault.column - 1)[fault.line].as_py() is None
    assert not loose.chunk(table).bad


@given(tables(), st.integers(0, 8))
def test_a_table_cut_anywhere_gives_the_same_rows(table, cut):
    columns = infer_fields(table, text=["mail"], categories=["größe", "colour"], bits=10, missing="zero")
    whole = columns.chunk(table).X
    parts = [columns.chunk(part).X for part in (table[:cut], table[cut:]) if part.num_rows]
    assert sum(part.shape[0] for part in parts) == whole.shape[0]
    assert np.concatenate([part.data for part in parts]).tobytes() == whole.data.tobytes()
    assert np.concatenate([part.indices for part in parts]).tolist() == whole.indices.tolist()


def test_words_equal_those_of_hashing_vectorizer_in_lower_case():
    texts = ["Über ÜBER, x a1 _b café-crème", "naïve İstanbul ß 日本語 e\u0301t", "don't STOP 4 42", ""]
    table = pa.table({"mail": texts, "y": [0, 1, 0, 1]})
    columns = infer_fields(table, text=["mail"], bits=12)
    assert_equal_rows(columns.chunk(table).X, hashed_by_scikit_learn(table, columns))


def test_tables_of_numbers_only_are_dense_and_keep_their_names():
    table = pa.table({"a": [1.5, 2.5], "b": [1, 2], "y": ["ham", "spam"]})
    columns = infer_fields(table)
    chunk = columns.chunk(table)
    assert isinstance(chunk.rows, Dense)
    assert chunk.X.tolist() == [[1.5, 1.0], [2.5, 2.0]]
    assert chunk.X.dtype == np.float64
    assert chunk.X.flags.c_contiguous
    assert not chunk.X.flags.writeable
    assert chunk.y.tolist() == ["ham", "spam"]
    assert columns.feature_names == ["a", "b"]
    assert columns.n_features == 2


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (("float32", "int16"), np.float32),
        (("float32", "uint8"), np.float32),
        (("bool", "float16"), np.float32),
        (("float32", "int32"), np.float64),
        (("float64", "int8"), np.float64),
    ],
)
def test_dense_rows_are_float32_if_that_holds_all_values(kinds, expected):
    arrays = [pa.array(np.array([1, 0, 1]).astype(kind)) for kind in kinds]
    table = pa.table([*arrays, pa.array([0, 1, 0])], names=["a", "b", "y"])
    chunk = infer_fields(table).chunk(table)
    assert chunk.X.dtype == expected
    assert chunk.X.tolist() == [[1, 1], [0, 0], [1, 1]]


def test_memory_is_used_again_only_once_a_chunk_is_released():
    table = pa.table({"a": [1.0, 2.0], "c": ["x", "y"], "y": [0, 1]})
    for columns in (infer_fields(table, bits=8), infer_fields(table, leave_out=["c"])):
        first = columns.chunk(table)
        second = columns.chunk(table)
        assert not np.shares_memory(first.rows.values, second.rows.values)
        second.release()
        assert np.shares_memory(columns.chunk(table).rows.values, second.rows.values)


# ---------------------------------------------------------------- roles


def test_roles_come_from_the_types_and_the_options():
    table = pa.table(
        {
            "id": [1, 2],
            "age": [1.5, 2.5],
            "colour": pa.array(["red", "blue"]).dictionary_encode(),
            "mail": ["free money for you", "see you at noon then"],
            "zip": [94110, 10001],
            "sure": [1.0, 0.5],
            "kind": ["ham", "spam"],
        }
    )
    columns = infer_fields(table, weight="sure", categories=["zip"], leave_out=["id"])
    roles = ["left out", "number", "category", "text", "category", "weight", "label"]
    assert columns.columns == tuple(zip(table.column_names, roles, strict=True))
    chunk = columns.chunk(table)
    assert chunk.importance.tolist() == [1.0, 0.5]
    strings = table.set_column(4, "zip", pa.array(["94110", "10001"]))
    assert_equal_rows(chunk.X, hashed_by_scikit_learn(strings, columns))
    by_number = infer_fields(table, target=-1, weight=5, categories=[4], leave_out=[0])
    assert by_number == columns
    assert columns.used_columns == ["age", "colour", "mail", "zip", "sure", "kind"]


def test_the_label_may_be_any_column_and_the_index_of_pandas_is_none():
    table = pa.table({"kind": [0, 1], "a": [1.0, 2.0], "__index_level_0__": [7, 8]})
    assert infer_fields(table).columns[1:] == (("a", "label"), ("__index_level_0__", "left out"))
    assert infer_fields(table, target="kind").feature_names == ["a"]


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([datetime.date(2020, 1, 1)]),
        pa.array([b"bytes"]),
        pa.array([[1, 2]]),
        pa.array([{"a": 1}]),
        pa.array([datetime.timedelta(1)]),
    ],
)
def test_kinds_that_are_no_feature_are_refused_with_the_remedy(cells):
    table = pa.table({"odd": cells, "a": [1.0], "y": [0]})
    message = refusal(table)
    assert message.startswith("plants: column 'odd' holds ")
    assert "leave_out=['odd']" in message
    assert infer_fields(table, leave_out=["odd"]).feature_names == ["a"]


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"target": "sort"}, "target: expected one of 'a', 'y'"),
        ({"weight": "w"}, "weight: there is no column 'w'; the columns are 'a', 'y'"),
        ({"text": ["b"]}, "text: there is no column 'b'"),
        ({"categories": [7]}, "category: there is no column 7"),
        ({"leave_out": ["a"]}, "no column is left for the features"),
        ({"text": ["a"]}, "column 'a' holds double, expected text"),
        ({"categories": ["a"]}, "column 'a' holds double, expected text or whole numbers"),
        ({"missing": "mean"}, "missing: got 'mean', expected one of 'error', 'zero', 'drop'"),
        ({"bits": 0}, "bits: expected a whole number"),
    ],
)
def test_invalid_options_are_refused(options, part):
    assert part in refusal(pa.table({"a": [1.0], "y": [0]}), **options)


# ---------------------------------------------------------------- later tables


def test_columns_are_matched_by_name_in_later_tables():
    table = pa.table({"a": [1.0, 2.0], "c": ["x", "y"], "y": [0, 1]})
    columns = infer_fields(table, bits=10)
    other = table.select(["y", "c", "a"]).append_column("more", pa.array([1, 2]))
    assert_equal_rows(columns.chunk(other).X, columns.chunk(table).X)
    assert columns.chunk(other).y.tolist() == [0, 1]


def test_a_column_missing_in_a_later_table_is_named():
    columns = infer_fields(pa.table({"a": [1.0], "b": [2.0], "y": [0]}))
    with pytest.raises(BadInput, match=r"day2\.csv: has no column 'b' \(number\), only 'a', 'y'"):
        columns.chunk(pa.table({"a": [1.0], "y": [0]}), "day2.csv")


def test_a_column_of_another_type_in_a_later_table_is_refused():
    columns = infer_fields(pa.table({"a": [1.0], "y": [0]}))
    with pytest.raises(BadInput, match="day2: column 'a' holds string, expected numbers"):
        columns.chunk(pa.table({"a": ["1"], "y": [0]}), "day2")


def test_labels_may_be_absent_only_if_none_are_requested():
    table = pa.table({"a": [1.0], "y": [0]})
    columns = infer_fields(table)
    unlabelled = table.select(["a"])
    with pytest.raises(BadInput, match=r"has no column 'y' \(label\)"):
        columns.chunk(unlabelled)
    chunk = replace(columns, labelled=False).chunk(unlabelled)
    assert chunk.y is None
    assert chunk.X.tolist() == [[1.0]]
    assert infer_fields(unlabelled, target="y", labelled=False).chunk(unlabelled).y is None
    assert replace(columns, labelled=False).chunk(table).y.tolist() == [0]


# ---------------------------------------------------------------- cells that cannot be read


def faults(table, **options):
    return [(bad.line, bad.column, bad.problem) for bad in infer_fields(table, **options).chunk(table).bad]


@pytest.mark.parametrize("missing", ["error", "zero"])
def test_a_row_without_label_or_weight_is_bad(missing):
    table = pa.table({"a": [1.0, 2.0, 3.0], "w": [1.0, None, 1.0], "y": ["ham", "spam", None]})
    found = faults(table, weight="w", missing=missing)
    assert [fault[:2] for fault in found] == [(1, 2), (2, 3)]
    assert "column 'w', the weight, has no value" in found[0][2]
    assert "column 'y', the label, has no value" in found[1][2]


@pytest.mark.parametrize("missing", ["mark", "drop"])
def test_rows_without_a_label_are_dropped_and_counted(missing):
    table = pa.table({"a": [1.0, 2.0, 3.0], "y": ["ham", None, "spam"]})
    source = read(table, missing=missing)
    (chunk,) = source.chunks()
    assert (chunk.y.tolist(), np.asarray(chunk.X)[:, 0].tolist()) == (["ham", "spam"], [1.0, 3.0])
    assert (source.n_dropped, source.n_bad) == (1, 0)


@pytest.mark.parametrize("weight", [-1.0, float("inf")])
def test_weights_are_finite_and_not_negative(weight):
    table = pa.table({"a": [1.0, 2.0], "w": [weight, 1.0], "y": [0, 1]})
    assert faults(table, weight="w") == [
        (0, 2, f"column 'w': weight {weight}; give finite weights of at least 0")
    ]


def test_infinity_is_a_bad_row_if_missing_values_are_errors():
    table = pa.table({"a": [1.0, float("-inf")], "y": [0, 1]})
    assert "column 'a' holds -inf, expected a finite number" in faults(table, missing="error")[0][2]


@pytest.mark.parametrize("missing", ["zero", "drop", "mark"])
@pytest.mark.parametrize("numbers", ["given", "standard", "rank", "piecewise", "bins"])
def test_infinity_is_otherwise_a_missing_value(missing, numbers):
    values = [1.0, 2.0, float("inf"), 4.0, float("-inf"), 3.0]
    labels = ["no", "yes", "no", "yes", "no", "yes"]
    table = pa.table({"a": values, "b": [1.0] * 6, "y": labels})
    gaps = pa.table({"a": [v if np.isfinite(v) else None for v in values], "b": [1.0] * 6, "y": labels})
    options = {"missing": missing, "encoding": Encoding(numbers)}
    fields = infer_fields(table, **options).with_statistics([table])
    assert fields.statistics == infer_fields(gaps, **options).with_statistics([gaps]).statistics
    chunk, plain = fields.chunk(table), fields.chunk(gaps)
    assert np.array_equal(dense(chunk), dense(plain))
    assert chunk.y.tolist() == plain.y.tolist()
    assert not chunk.bad
    found = [(cell.line, cell.column, cell.problem) for cell in chunk.infinite]
    assert found == [(2, 1, "column 'a' holds inf"), (4, 1, "column 'a' holds -inf")]


@pytest.mark.filterwarnings("error")
def test_columns_with_infinite_cells_are_understood_without_warnings():
    values = [float("inf"), 1.0, 2.0, float("-inf"), 3.0] * 60
    table = pa.table({"a": values, "id": values, "y": ["no", "yes", "yes"] * 100})
    fields = infer_fields(table, missing="mark", guesses_codes=True, encoding=Encoding("standard"))
    assert fields.names("number") == ["a", "id"]
    fields = fields.with_statistics([table])
    assert [len(fields.chunk(table)), len(fields.chunk(table).infinite)] == [300, 240]


def dense(chunk):
    return chunk.X if isinstance(chunk.rows, Dense) else chunk.X.toarray()


@pytest.mark.parametrize("number", [2**53 + 1, -(2**53) - 1, 2**62 + 1])
def test_whole_numbers_that_a_double_cannot_hold_are_refused(number):
    table = pa.table({"id": [1, number, 2**60], "c": ["x", "y", "x"], "y": [0, 1, 0]})
    ((line, column, problem),) = faults(table)
    assert (line, column) == (1, 1)
    assert f"{number} has more digits than a double holds" in problem


@pytest.mark.parametrize(
    ("labels", "expected", "kind"),
    [
        (pa.array([-1, 1], pa.int8()), [-1, 1], np.int64),
        (pa.array([2**60, 1], pa.int64()), [2**60, 1], np.int64),
        (pa.array([2**63, 1], pa.uint64()), [2**63, 1], np.uint64),
        (pa.array([True, False]), [1, 0], np.int64),
        (pa.array([0.5, 1.0], pa.float32()), [0.5, 1.0], np.float64),
        (pa.array(["a", "ü"]), ["a", "ü"], np.dtype("<U1")),
        (pa.array(["a", "ü"], pa.large_string()).dictionary_encode(), ["a", "ü"], np.dtype("<U1")),
    ],
)
def test_labels_keep_what_they_are(labels, expected, kind):
    table = pa.table({"a": [1.0, 2.0], "y": labels})
    y = infer_fields(table).chunk(table).y
    assert y.tolist() == expected
    assert y.dtype == kind


def test_a_table_without_rows_has_a_chunk_without_rows():
    table = pa.table({"a": [1.0], "c": ["x"], "m": ["some words of text"], "y": ["ham"]})
    for columns in (infer_fields(table), infer_fields(table, leave_out=["c", "m"])):
        chunk = columns.chunk(table[:0])
        assert len(chunk) == 0
        assert chunk.X.shape == (0, columns.n_features)


# ---------------------------------------------------------------- sparse rows in tables

LISTS = {"indices": pa.list_(pa.uint32()), "values": pa.list_(pa.float64())}


def sparse_table(indices, values, y, **more):
    return pa.table(
        {
            "y": y,
            "indices": pa.array(indices, LISTS["indices"]),
            "values": pa.array(values, LISTS["values"]),
        }
        | more
    )


@pytest.mark.parametrize("kind", [pa.uint32(), pa.int32()])
def test_lists_of_indices_and_values_are_sparse_rows_in_the_same_memory(kind):
    table = sparse_table([[0, 5], [], [2]], [[1.0, 2.0], [], [3.0]], [1, -1, 1])
    table = table.set_column(1, "indices", table["indices"].cast(pa.list_(kind)))
    (batch,) = table.to_batches()
    chunk = infer_fields(batch).chunk(batch)
    assert isinstance(chunk.rows, Sparse)
    assert chunk.X.toarray().tolist() == [[1, 0, 0, 0, 0, 2], [0] * 6, [0, 0, 3, 0, 0, 0]]
    assert chunk.rows.values.ctypes.data == batch.column("values").values.buffers()[1].address
    assert chunk.rows.indices.ctypes.data == batch.column("indices").values.buffers()[1].address
    part = infer_fields(batch).chunk(batch.slice(1))
    assert part.X.toarray().tolist() == [[0, 0, 0], [0, 0, 3]]


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 50), st.integers(-9, 9)), max_size=80), min_size=1, max_size=6
    )
)
def test_sparse_rows_match_their_lists(rows):
    table = sparse_table(
        [[i for i, _ in row] for row in rows], [[float(v) for _, v in row] for row in rows], [0] * len(rows)
    )
    X = infer_fields(table).chunk(table).X
    expected = np.zeros((len(rows), X.shape[1]))
    for r, row in enumerate(rows):
        for i, v in row:
            expected[r, i] += v
    assert np.array_equal(X.toarray(), expected)
    for r in range(len(rows)):
        assert (np.diff(X.indices[X.indptr[r] : X.indptr[r + 1]]) > 0).all()


def test_sparse_tables_take_other_widths_and_a_weight():
    table = pa.table(
        {
            "label": ["ham", "spam"],
            "weight": [1.0, 2.0],
            "indices": pa.array([[1], [0, 2]], pa.large_list(pa.int64())),
            "values": pa.array([[1], [2, 3]], pa.large_list(pa.float32())),
        }
    )
    columns = infer_fields(table)
    assert (columns.target, columns.weight, columns.text_labels) == ("label", "weight", True)
    chunk = columns.chunk(table)
    assert chunk.X.dtype == np.float32
    assert chunk.X.toarray().tolist() == [[0, 1, 0], [2, 0, 3]]
    assert chunk.importance.tolist() == [1.0, 2.0]
    assert chunk.y.tolist() == ["ham", "spam"]
    assert fields_from_settings(json.loads(json.dumps(columns.settings()))) == columns


@pytest.mark.parametrize(
    ("indices", "values", "part"),
    [
        ([[0, 1]], [[1.0]], "row 0: 2 indices, but 1 values"),
        ([[2**31]], [[1.0]], "an index is not in 0…2147483647"),
        ([[None]], [[1.0]], "an index is missing"),
    ],
)
def test_broken_sparse_rows_are_refused(indices, values, part):
    table = sparse_table(indices, values, [0])
    with pytest.raises(BadInput, match=part):
        infer_fields(table).chunk(table, "rows.parquet")


@pytest.mark.parametrize("kind", ["int8", "int32", "int64"])
def test_indices_below_zero_are_refused(kind):
    lists = pa.array([[3, -1]], pa.list_(pa.type_for_alias(kind)))
    table = pa.table({"y": [0], "indices": lists, "values": [[1.0, 2.0]]})
    with pytest.raises(BadInput, match="an index is not in 0…2147483647"):
        infer_fields(table).chunk(table)


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_sparse_values_that_are_no_numbers_are_bad_rows(value):
    table = sparse_table([[0], [1]], [[value], [2.0]], [0, 1])
    chunk = infer_fields(table).chunk(table)
    assert [bad.line for bad in chunk.bad] == [0]
    assert chunk.X.toarray().tolist() == [[0.0, 2.0]]
    assert chunk.y.tolist() == [1]


def test_sparse_rows_without_a_label_column():
    table = sparse_table([[0]], [[1.0]], [0]).select(["indices", "values"])
    assert "is named as the label; give target" in refusal(table)
    assert infer_fields(table, labelled=False).chunk(table).y is None


def test_names_of_several_words_that_hardly_repeat_are_text_and_not_a_category_for_each_row():
    names = [f"{first} {last}" for first in ("Ann", "Ben", "Cleo") for last in map(str, range(100, 112))]
    table = pa.table({"who": names, "town": ["New York", "San Diego"] * 18, "y": [0, 1] * 18})
    roles = roles_in(table, "y", None, {}, True, "table", guesses_codes=True)
    assert (roles["who"].kind, roles["town"].kind) == ("text", "category")
    assert "mostly different in each row" in roles["who"].why
    plain = roles_in(table, "y", None, {}, True, "table")  # nothing is guessed unless it is asked for
    assert plain["who"].kind == "category"
