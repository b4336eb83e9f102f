"""Labels become −1 and +1, weights of examples float64, and the meaning of a tie a number."""

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


# ---------------------------------------------------------------- importance


@pytest.mark.parametrize(
    "given",
    [[1, 0, 2], (1, 0, 2), np.array([1, 0, 2], np.int8), np.array([1, 0, 2], np.float32), [True, False, 2]],
    ids=["list", "tuple", "int8", "float32", "bool"],
)
def test_importance_is_always_converted_to_float64(given):
    weight = as_importance(given, 3)
    assert weight.tolist() == [1.0, 0.0, 2.0]
    assert weight.dtype == np.float64


# ---------------------------------------------------------------- ties


def test_a_tie_is_the_label_that_a_score_of_zero_answers():
    assert [tie_label(tie) for tie in ("mistake", "negative", "positive")] == [0.0, -1.0, 1.0]
    with pytest.raises(
        BadInput, match="tie: got 'zero', expected one of 'mistake', 'negative', 'positive'"
    ):
        tie_label("zero")
