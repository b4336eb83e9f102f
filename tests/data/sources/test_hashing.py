"""A name gets the column and the sign that scikit-learn's FeatureHasher gives it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.feature_extraction import FeatureHasher
from sklearn.utils import murmurhash3_32

from rosenblatt.data.sources.hashing import hashed_names, hashes_of
from rosenblatt.errors import BadInput

HASHED_TO_THE_SMALLEST_INT32 = "aaaiTBFZ"
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def as_the_peer(names, bits):
    X = FeatureHasher(2**bits, input_type="string").transform([[name] for name in names])
    return X.indices, X.data


@given(st.lists(words, min_size=1), st.integers(1, 30))
@example([HASHED_TO_THE_SMALLEST_INT32], 1)
@example([HASHED_TO_THE_SMALLEST_INT32, "", "\0", "é", "𝄞𝄞"], 18)
def test_column_and_sign_equal_those_of_the_peer(names, bits):
    columns, signs = hashed_names(names, bits)
    expected_columns, expected_signs = as_the_peer(names, bits)
    assert (columns.dtype, signs.dtype) == (np.uint32, np.float64)
    np.testing.assert_array_equal(columns, expected_columns)
    np.testing.assert_array_equal(signs, expected_signs)


def test_the_smallest_int32_is_such_a_hash():
    assert hashes_of([HASHED_TO_THE_SMALLEST_INT32]).tolist() == [2**31]


@given(st.lists(words), st.integers(0, 2**32 - 1))
def test_hashes_equal_those_of_the_peer_for_every_seed(names, seed):
    expected = [murmurhash3_32(name.encode(), seed, positive=True) for name in names]
    assert hashes_of(names, seed).tolist() == expected


@given(st.lists(words), st.lists(words), st.integers(0, 3))
def test_any_layout_of_the_names_gives_the_same_columns(before, names, skipped):
    expected = hashed_names(names, 12)
    whole = pa.array(before + names, pa.string())
    layouts = [
        np.array(names, object),
        pa.array(names, pa.large_string()),
        pa.array(names, pa.string_view()),
        whole[len(before) :],
        whole.dictionary_encode()[len(before) :],
        pa.chunked_array([pa.array(names[:skipped], pa.string()), pa.array(names[skipped:], pa.string())]),
        pa.chunked_array([pa.array(part, pa.string()).dictionary_encode() for part in (names, [])]),
    ]
    for layout in layouts:
        found = hashed_names(layout, 12)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("bits", [0, 32, -1, 2.0, True, "18"])
def test_a_number_of_bits_that_indices_cannot_have_is_refused(bits):
    with pytest.raises(BadInput, match=r"^bits: expected a whole number from 1 to 31, got"):
        hashed_names(["a"], bits)


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["a", None], "name 1 is missing"),
        (pa.array(["a", "b", None]).dictionary_encode(), "name 2 is missing"),
        ([1, 2], "expected strings, got int64"),
        ([b"a"], "expected strings, got binary"),
        (["a", 1], "expected strings of valid text"),
        (["\ud800"], "expected strings of valid text"),
        (pa.array([1.5, 2.5]).dictionary_encode(), "expected strings, got double"),
        ("abc", r"expected several strings, got one, 'abc'; give \['abc'\]"),
    ],
)
def test_an_invalid_name_is_refused(names, sentence):
    with pytest.raises(BadInput, match=sentence):
        hashed_names(names, 10)
