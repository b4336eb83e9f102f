"""Names of hashed features: recorded in threads, stored compactly, and found again."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from rosenblatt.data.sources.encoding import Encoding
from rosenblatt.data.sources.feature_names import (
    MOST_STORED,
    NameRecorder,
    Names,
    Vocabulary,
    check_names,
    names_to_store,
)
from rosenblatt.data.sources.hashing import hashes_of
from rosenblatt.data.sources.naming import FeatureNames
from rosenblatt.data.sources.text_cells import letters_of, words_in, words_of
from rosenblatt.data.sources.vw import VwText
from rosenblatt.errors import BadInput

TEXTS = ["Free money, free!", "", "naïve Café – été", "a b\tc a b", "x" * 300, "über   alles"]


@pytest.mark.parametrize(
    "encoding", [Encoding(ngrams=3, shortest=1), Encoding(ngrams=1, characters=(2, 4))]
)
def test_every_token_of_a_text_is_recorded_once_with_its_hash(encoding):
    recorder = NameRecorder()
    for _ in range(2):
        words_in(pa.array(TEXTS), "t", 10, encoding, recorder=recorder)
    names = recorder.names()
    expected = {f"t={word}" for text in TEXTS for word in words_of(text, encoding)}
    if encoding.characters:
        expected |= {f"t~{run}" for text in TEXTS for run in letters_of(text, encoding)}
    assert sorted(names.texts()) == sorted(expected)
    assert names.hashes.tolist() == hashes_of(names.texts()).tolist()


@pytest.mark.parametrize("encoding", [Encoding(ngrams=2), Encoding(ngrams=0, characters=(3, 5))])
def test_recording_names_does_not_change_the_words(encoding):
    plain = words_in(pa.array(TEXTS), "t", 12, encoding)
    recorded = words_in(pa.array(TEXTS), "t", 12, encoding, recorder=NameRecorder())
    for one, other in zip(plain, recorded, strict=True):
        assert one.tolist() == other.tolist()


def test_a_recorder_grows_with_the_names():
    words = [f"word{k}" for k in range(100_000)]
    recorder = NameRecorder()
    words_in(pa.array([" ".join(words)]), "t", 22, Encoding(), recorder=recorder)
    assert set(recorder.names().texts()) == {f"t={word}" for word in words}


def test_names_of_several_threads_are_joined_without_repetition():
    recorder, inner = NameRecorder(), []

    def other_thread(table):
        if not inner:
            inner.append(True)
            words_in(pa.array(["a b"]), "t", 10, Encoding(shortest=1), recorder=recorder)
        return 0

    recorder.record(other_thread)
    words_in(pa.array(["b c"]), "t", 10, Encoding(shortest=1), recorder=recorder)
    assert sorted(recorder.names().texts()) == ["t=a", "t=b", "t=c"]


def test_a_vocabulary_comes_back_from_its_compressed_arrays():
    names = Names.of(["t=a", "", "t=ü", "x" * 1000])
    again = Vocabulary.of(names, np.array([3, 1], np.uint32), 7)
    assert again.names.texts() == names.texts()
    assert again.names.hashes.tolist() == names.hashes.tolist()
    assert again.row_counts(2).tolist() == [3, 1]
    assert Vocabulary.of(names, np.empty(0, np.uint32), "all").row_counts(2) is None


@pytest.mark.parametrize("name", ["letters", "lengths", "rows"])
def test_damaged_names_are_refused(name):
    good = Vocabulary.of(Names.of(["t=a", "t=bc"]), np.array([3, 1], np.uint32), "all")
    bad = Vocabulary(**{**vars_of(good), name: np.frombuffer(b"damaged", np.uint8)})
    with pytest.raises(BadInput, match="train the model again"):
        _ = bad.names if name != "rows" else bad.row_counts(2)


def vars_of(vocabulary):
    return {name: getattr(vocabulary, name) for name in ("letters", "lengths", "hashes", "rows", "asked")}


def test_the_names_of_the_largest_weights_are_stored_in_the_order_of_the_features():
    names = Names.of(["a", "b", "c", "d", "e"])
    places, sizes = np.array([2, 0, 1, -1, 3]), np.array([0.5, 0.0, 2.0, 1.0])
    assert names_to_store(names, places, sizes, 9).texts() == ["b", "a", "e"]
    assert names_to_store(names, places, sizes, 2).texts() == ["a", "e"]
    assert names_to_store(names, places, sizes, 0).texts() == []


def test_names_with_the_same_feature_are_all_listed_and_words_come_before_pairs():
    reading = {"columns": [["t", "text"]], "bits": 1, "missing": "zero", "text_labels": False}
    known = Vocabulary.of(Names.of(["t=a b", "t=c", "t=d"]), np.empty(0, np.uint32), "all")
    found = FeatureNames(reading, vocabulary=known).of([0, 1])
    listed = [name for feature in found.values() for name in feature.names]
    assert {"t=a b", "t=c", "t=d"} <= set(listed)
    assert all(
        [name.count(" ") for name in feature.names] == sorted(name.count(" ") for name in feature.names)
        for feature in found.values()
    )


def test_names_in_vowpal_wabbit_text_have_the_indices_of_their_features():
    text = b"1 |mail free:2 says:now 17 :0.5\n-1 | plain |other:0.5 free\n"
    recorder = NameRecorder()
    VwText(18, recorder).parse(np.frombuffer(text, np.uint8))
    names = recorder.names()
    assert set(names.texts()) >= {"mail^free", "mail^says:now", "mail^17", "plain", "other^free"}
    for name in ("mail^free", "mail^17", "plain", "other^free"):
        space, _, word = name.rpartition("^")
        (index,) = VwText(18).parse(np.frombuffer(f"|{space} {word}\n".encode(), np.uint8)).rows.indices
        place = names.texts().index(name)
        assert names.hashes[place] & ((1 << 18) - 1) == index


def test_the_number_of_names_is_checked():
    assert [check_names(given) for given in ("all", "none", "12", 0)] == [MOST_STORED, 0, 12, 0]
    for wrong in ("some", -1, None, "1.5"):
        with pytest.raises(BadInput, match="names: "):
            check_names(wrong)
