"""Labels become −1 and +1, importance becomes float64, and a tie is a number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt.data.importance import as_importance
from rosenblatt.data.labels import as_labels, classes_of
from rosenblatt.errors import BadInput
from rosenblatt.numeric import row_batches
from rosenblatt.numeric.row_batches import tie_label

KINDS = {
    "int": np.array([3, 7, 7, 3]),
    "negative int": np.array([-1, 1, 1, -1], dtype=np.int8),
    "unsigned": np.array([0, 255, 255, 0], dtype=np.uint8),
    "float": np.array([0.0, 1.0, 1.0, 0.0]),
    "bool": np.array([False, True, True, False]),
    "str": np.array(["ham", "spam", "spam", "ham"]),
    "bytes": np.array([b"ham", b"spam", b"spam", b"ham"]),
    "object words": np.array(["ham", "spam", "spam", "ham"], dtype=object),
    "object numbers": np.array([3, 7, 7, 3], dtype=object),
    "dates": np.array(["2020-01-01", "2021-01-01", "2021-01-01", "2020-01-01"], dtype="M8[D]"),
}


@pytest.mark.parametrize("y", KINDS.values(), ids=KINDS)
def test_the_classes_are_found_in_sorted_order_and_become_minus_and_plus_one(y):
    classes = classes_of(y)
    assert classes.tolist() == sorted(set(y.tolist()))
    assert classes.dtype == y.dtype
    labels = as_labels(y, classes)
    assert labels.tolist() == [-1, 1, 1, -1]
    assert labels.dtype == np.int8
    assert as_labels(list(y), list(classes)).tolist() == [-1, 1, 1, -1]


@pytest.mark.parametrize("y", KINDS.values(), ids=KINDS)
def test_classes_the_other_way_round_turn_the_labels_round(y):
    assert as_labels(y, classes_of(y)[::-1]).tolist() == [1, -1, -1, 1]


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30))
def test_as_many_classes_are_found_as_there_are(y):
    assert classes_of(np.array(y)).tolist() == sorted(set(y))
    assert classes_of(np.array(list(map(str, y)))).tolist() == sorted(set(map(str, y)))


@given(
    y=st.lists(st.sampled_from([-1, 1]), max_size=40),
    strange=st.integers(0, 39),
    chunk=st.integers(1, 9),
)
def test_labels_are_read_in_chunks_as_if_there_were_none(y, strange, chunk):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_batches, "CHUNK", chunk)
        assert as_labels(y).tolist() == y
        if y:
            assert classes_of(np.array(y)).tolist() == sorted(set(y))
        if strange < len(y):
            y[strange] = 5
            with pytest.raises(BadInput, match=f"label 5 in row {strange} is neither -1 nor 1"):
                as_labels(y)
            assert 5 in classes_of(np.array(y))


@pytest.mark.parametrize(
    ("y", "classes", "says"),
    [
        ([1, 0], (-1, 1), "label 0 in row 1 is neither -1 nor 1"),
        (["a", "c"], ["a", "b"], "label 'c' in row 1 is neither 'a' nor 'b'"),
        (np.array(["a", "c"], dtype=object), ["a", "b"], "label 'c' in row 1 is neither 'a' nor 'b'"),
        ([True, False], [1, 2], "label False in row 1 is neither 1 nor 2"),
        ([1.0, 1.5], [0, 1], r"label 1\.5 in row 1 is neither 0 nor 1"),
        ([b"a", b"c"], [b"a", b"b"], "label b'c' in row 1 is neither b'a' nor b'b'"),
        ([1, 2], ["a", "b"], "label 1 in row 0 is neither 'a' nor 'b'"),
    ],
)
def test_a_label_that_is_neither_is_named_with_its_row(y, classes, says):
    with pytest.raises(BadInput, match=says):
        as_labels(y, classes)


def test_labels_in_two_dimensions_are_refused():
    with pytest.raises(BadInput, match=r"one label for each row, got an array of shape \(2, 1\)"):
        as_labels([[1], [-1]])


# ---------------------------------------------------------------- importance


def test_no_importance_is_an_empty_array():
    assert as_importance(None, 5).size == 0


@pytest.mark.parametrize(
    "given",
    [[1, 0, 2], (1, 0, 2), np.array([1, 0, 2], np.int8), np.array([1, 0, 2], np.float32), [True, False, 2]],
    ids=["list", "tuple", "int8", "float32", "bool"],
)
def test_importance_is_always_converted_to_float64(given):
    weight = as_importance(given, 3)
    assert weight.tolist() == [1.0, 0.0, 2.0]
    assert weight.dtype == np.float64


def test_one_number_is_the_importance_of_every_row():
    assert as_importance(2.5, 3).tolist() == [2.5, 2.5, 2.5]


def test_float64_importance_is_read_without_a_copy():
    given = np.array([1.0, 0.5, 2.0])
    assert np.shares_memory(as_importance(given, 3), given)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([1, -0.5, 1], r"sample_weight: row 1 has -0\.5; .*at least 0"),
        ([1, 1, np.nan], r"sample_weight: row 2 has nan; give finite"),
        ([np.inf, 1, 1], r"sample_weight: row 0 has inf; give finite"),
        ([0, 0, 0], r"sample_weight: .*zero.*at least one row a positive weight"),
        (0, r"sample_weight: .*zero"),
        (-1.0, r"sample_weight: row 0 has -1\.0"),
        ([1, 1], r"sample_weight: .*each of 3 rows, got shape \(2,\)"),
        ([[1], [1], [1]], r"sample_weight: .*got shape \(3, 1\)"),
    ],
)
def test_invalid_importance_is_refused(given, says):
    with pytest.raises(BadInput, match=says):
        as_importance(given, 3)


# ---------------------------------------------------------------- ties


def test_a_tie_is_the_label_that_a_score_of_zero_answers():
    assert [tie_label(tie) for tie in ("mistake", "negative", "positive")] == [0.0, -1.0, 1.0]
    with pytest.raises(
        BadInput, match="tie: got 'zero', expected one of 'mistake', 'negative', 'positive'"
    ):
        tie_label("zero")
