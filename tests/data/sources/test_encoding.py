"""Features of cells: words, n-grams and scales as in scikit-learn, missing values, dates and pairs."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.feature_extraction import FeatureHasher
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.preprocessing import StandardScaler

from rosenblatt.data.sources.derived_fields import dates_of
from rosenblatt.data.sources.encoding import Encoding
from rosenblatt.data.sources.field_inference import infer_fields
from rosenblatt.data.sources.hashing import hashed_names
from rosenblatt.data.sources.numbered_features import NumberedFeatures
from rosenblatt.data.sources.parsing.words import PRESENCE, weigh_words
from rosenblatt.data.sources.reading import read
from rosenblatt.data.sources.table_fields import FieldFeatures
from rosenblatt.data.sources.text_cells import NO_FACTORS, letters_of, words_in, words_of
from rosenblatt.errors import BadInput

TEXTS = ["Not good, NOT at all", "", "good good film", "ein schöner Film für alle", "a b"]


def rows_of_words(texts, encoding, bits=20, idf=NO_FACTORS):
    starts, indices, values = words_in(pa.array(texts), "t", bits, encoding, idf)
    shape = (len(texts), 1 << bits)
    return sparse.csr_array((values, indices.astype(np.int64), starts.astype(np.int64)), shape=shape)


def hash_naively(texts, analyzer, bits=20):
    """The naive way: a dict of counts for each text."""
    counts = [{} for _ in texts]
    for row, text in zip(counts, texts, strict=True):
        for token in analyzer(text):
            row[token] = row.get(token, 0) + 1
    return FeatureHasher(2**bits, input_type="dict").transform(counts)


def same(ours, theirs):
    apart = abs(sparse.csr_matrix(ours) - sparse.csr_matrix(theirs))
    return apart.nnz == 0 or apart.max() < 1e-12


@pytest.mark.parametrize("ngrams", [1, 2, 3])
@pytest.mark.parametrize("shortest", [1, 2, 4])
@pytest.mark.parametrize("lower", [True, False])
def test_words_and_their_runs_equal_those_of_scikit_learn(ngrams, shortest, lower):
    encoding = Encoding(ngrams=ngrams, shortest=shortest, lower=lower)
    theirs = CountVectorizer(
        ngram_range=(1, ngrams), token_pattern=rf"\w{{{shortest},}}", lowercase=lower
    ).build_analyzer()
    assert sorted(words_of(TEXTS[0], encoding)) == sorted(theirs(TEXTS[0]))
    assert same(
        rows_of_words(TEXTS, encoding),
        hash_naively(TEXTS, lambda text: [f"t={word}" for word in theirs(text)]),
    )


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), min_size=1, max_size=4))
@example(["İ", "ß  \x00a"])
def test_runs_of_letters_are_hashed_as_the_naive_way_lists_them(texts):
    encoding = Encoding(ngrams=0, characters=(2, 3), lower=False)
    assert same(
        rows_of_words(texts, encoding),
        hash_naively(texts, lambda text: [f"t~{run}" for run in letters_of(text, encoding)]),
    )


def test_words_and_letters_stand_side_by_side():
    both = Encoding(ngrams=2, characters=3)
    words, letters = Encoding(ngrams=2), Encoding(ngrams=0, characters=(3, 3))
    together = rows_of_words(TEXTS, words) + rows_of_words(TEXTS, letters)
    assert same(rows_of_words(TEXTS, both), together)


@pytest.mark.parametrize("unit_length", [True, False])
def test_words_are_weighed_as_scikit_learn_weighs_them(unit_length):
    counts = abs(rows_of_words(TEXTS, Encoding()))
    signs = rows_of_words(TEXTS, Encoding(words="presence"))
    norm = "l2" if unit_length else None
    seen = np.bincount(counts.tocoo().col, minlength=counts.shape[1])
    idf = 1.0 + np.log((1.0 + len(TEXTS)) / (1.0 + seen))
    tfidf = TfidfTransformer(norm=norm, sublinear_tf=True).fit_transform(counts)
    ours = rows_of_words(TEXTS, Encoding(words="tfidf", unit_length=unit_length), idf=idf)
    assert same(abs(ours), tfidf)
    assert (ours.sign() != signs.sign()).nnz == 0
    log = TfidfTransformer(norm=norm, use_idf=False, sublinear_tf=True).fit_transform(counts)
    assert same(abs(rows_of_words(TEXTS, Encoding(words="log", unit_length=unit_length))), log)


def test_words_that_no_training_text_contains_do_not_count_in_the_length_of_a_text():
    """As in TfidfVectorizer, which knows only the words of the training texts."""
    known, others = TEXTS[:3], [f"{TEXTS[0]} zebra yak", "zebra yak"]
    vectorizer = TfidfVectorizer(norm="l2", sublinear_tf=True, token_pattern=r"\w\w+").fit(known)
    columns = infer_fields(
        pa.table({"t": known}), labelled=False, text=["t"], bits=22,
        encoding=Encoding(words="tfidf", unit_length=True),
    ).with_statistics([pa.table({"t": known})])  # fmt: skip
    rows = columns.chunk(pa.table({"t": others})).X
    theirs = vectorizer.transform(others)
    indices, signs = hashed_names([f"t={word}" for word in vectorizer.get_feature_names_out()], 22)
    np.testing.assert_allclose(rows[:, indices].toarray() * signs, theirs.toarray(), atol=1e-12)
    assert theirs[1].nnz == 0
    assert np.isclose((rows[[1]].data ** 2).sum(), 1.0)  # a service can learn the new words


def test_log_count_ratios_equal_their_formula_for_any_parts_of_the_rows():
    texts = ["good good film", "good play", "poor film", "poor poor end", "end"]
    table = pa.table({"t": texts, "y": ["yes", "yes", "no", "no", None]})
    encoding = Encoding(words="log-count-ratio")
    fields = FieldFeatures((("t", "text"), ("y", "label")), bits=16, encoding=encoding, labelled=False)
    known = fields.with_statistics(table.to_batches())
    yes, no = {"good": 2, "film": 1, "play": 1}, {"poor": 2, "film": 1, "end": 1}
    total = 4 + 5  # in each class, the counts and one more text for each of five words
    want = [
        {f"t={word}": abs(math.log((1 + yes.get(word, 0)) / total / ((1 + no.get(word, 0)) / total)))
         for word in text.split()}
        for text in texts
    ]  # fmt: skip
    batch = table.combine_chunks().to_batches()[0]
    rows = known.chunk(batch).X
    assert same(rows, FeatureHasher(2**16, input_type="dict").transform(want))
    for other in (
        fields.with_statistics(table.to_batches(max_chunksize=2)),
        FieldFeatures.from_settings(json.loads(json.dumps(known.settings()))),
    ):
        assert (rows != replace(other, labelled=False).chunk(batch).X).nnz == 0


def test_log_count_ratios_need_two_classes():
    fields = FieldFeatures((("t", "text"), ("y", "label")), encoding=Encoding(words="log-count-ratio"))
    three = pa.table({"t": ["a film"] * 3, "y": ["no", "yes", "perhaps"]})
    with pytest.raises(BadInput, match="needs two classes, but there are more; use 'tfidf'"):
        fields.with_statistics(three.to_batches())
    with pytest.raises(BadInput, match="depends on the labels; give y too"):
        replace(fields, labelled=False).with_statistics(three.drop_columns("y").to_batches())


def test_many_words_are_sorted_as_few_are():
    """Rows beyond 64 entries are sorted digit by digit."""
    text = " ".join(f"w{i % 700}" for i in range(2000))
    assert same(
        rows_of_words([text], Encoding()),
        hash_naively([text], lambda text: [f"t={w}" for w in text.split()]),
    )


# ---------------------------------------------------------------- scales and gaps

NUMBERS = pa.table({
    "a": [1.0, 2.0, None, 5.0], "b": [10, 10, 10, 10], "c": [1e300, -1e300, 1e300, 5.0], "y": [0, 1, 0, 1],
})  # fmt: skip


def infer_with_statistics(table, **asked):
    columns = infer_fields(table, **asked)
    assert isinstance(columns, FieldFeatures)
    return (
        columns.with_statistics(table.to_batches(max_chunksize=3)) if columns.needs_statistics else columns
    )


def test_numbers_are_standardised_and_a_gap_is_marked():
    columns = infer_with_statistics(NUMBERS, encoding=Encoding("standard"), missing="mark")
    X = columns.chunk(NUMBERS).X
    assert columns.feature_names == ["a", "b", "c", "a is missing"]
    known = np.array([1.0, 2.0, 5.0])
    assert X[[0, 1, 3], 0] == pytest.approx((known - known.mean()) / known.std())
    assert X[:, 3].tolist() == [0.0, 0.0, 1.0, 0.0]
    assert X[2, 0] == 0.0
    assert not X[:, 1].any()  # nothing to learn from what is always the same
    assert X[:, 2] == pytest.approx([1.0, -1.0, 1.0, 0.0])  # squares beyond all doubles: by the largest


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40), st.integers(1, 7))
def test_the_parts_in_which_rows_come_do_not_matter(numbers, size):
    table = pa.table({"a": numbers, "y": [0] * len(numbers)})
    columns = infer_fields(table, encoding=Encoding("standard"))
    X = columns.with_statistics(table.to_batches(max_chunksize=size)).chunk(table).X
    deviation = np.std(numbers)
    if deviation > 1e-6 * max(map(abs, numbers)):
        assert pytest.approx(StandardScaler().fit_transform(np.array(numbers)[:, None]), abs=1e-6) == X


def test_numbers_by_the_largest_and_by_rank():
    table = pa.table({"a": [1.0, 100.0, -2.0, 3.0, 1e9], "y": [0, 1, 0, 1, 0]})
    assert infer_with_statistics(table, encoding=Encoding("largest")).chunk(table).X.max() == 1.0
    ranks = infer_with_statistics(table, encoding=Encoding("rank")).chunk(table).X.ravel()
    assert ranks == pytest.approx([-0.5, 0.5, -1.0, 0.0, 1.0])
    far = pa.table({"a": [-1e12, 1e12], "y": [0, 1]})
    assert infer_with_statistics(table, encoding=Encoding("rank")).chunk(far).X.ravel().tolist() == [
        -1.0,
        1.0,
    ]


def test_missing_values_in_hashed_rows_have_their_own_tokens():
    table = pa.table({"n": [1.0, None], "c": ["x", None], "y": [0, 1]})
    columns = infer_with_statistics(table, missing="mark", bits=20)
    expected, signs = hashed_names(["n is missing", "c is missing"], 20)
    second = columns.chunk(table).X[[1]]
    assert dict(zip(second.indices.tolist(), second.data.tolist(), strict=True)) == dict(
        zip(expected.tolist(), signs.tolist(), strict=True)
    )


def test_settings_bring_back_the_same_rows():
    table = pa.table({"n": [1.0, None, 4.0], "t": TEXTS[:3], "y": ["a", "b", "c"]})
    asked = {"encoding": Encoding("rank", 2, (3, 4), "tfidf", True), "missing": "mark", "text": ["t"]}
    columns = infer_with_statistics(table, **asked)
    again = FieldFeatures.from_settings(json.loads(json.dumps(columns.settings())))
    assert again == columns
    assert again.chunk(table).X.data.tobytes() == columns.chunk(table).X.data.tobytes()


@pytest.mark.parametrize("wrong", [
    {"numbers": "scaled"}, {"words": "many"}, {"ngrams": 4}, {"ngrams": 0}, {"characters": (5, 3)},
    {"characters": (1, 99)}, {"shortest": 0}, {"ngrams": True},
])  # fmt: skip
def test_a_meaningless_setting_is_refused(wrong):
    with pytest.raises(BadInput, match=next(iter(wrong))):
        Encoding(**wrong)


# ---------------------------------------------------------------- dates, codes, pairs

FEW = 30


def test_dates_are_split_into_parts_and_id_columns_dropped():
    table = pa.table({
        "row": range(7, 7 + FEW),
        "code": [f"K{i:04}" for i in range(FEW)],
        "when": [f"2024-{1 + i % 12:02}-05 {i % 24:02}:00" for i in range(FEW)],
        "x": [float(i % 7) for i in range(FEW)],
        "y": [i % 2 for i in range(FEW)],
    })  # fmt: skip
    columns = infer_fields(table, guesses_codes=True)
    assert dict(columns.columns) == {
        "row": "left out", "code": "left out", "when": "date", "x": "number", "y": "label",
    }  # fmt: skip
    assert columns.reasons["row"] == "running number"
    assert columns.names("category") == ["when month", "when weekday", "when hour"]
    assert dict(infer_fields(table).columns)["code"] == "category"  # unless asked, nothing is left out
    row = columns.chunk(table.slice(2, 1)).X
    named = ["when year", "when month=3", "when weekday=Tue", "when hour=2", "x"]
    assert sorted(row.indices.tolist()) == sorted(hashed_names(named, 18)[0].tolist())


@pytest.mark.parametrize(("texts", "written"), [
    (["2024-02-29", "2023-12-31"], "ISO 8601"), (["29.02.2024", "31.12.2023"], "%d.%m.%Y"),
    (["12/31/2023", "02/29/2024"], "%m/%d/%Y"), (["31/12/2023", "29/02/2024"], "%d/%m/%Y"),
    (["31.12.2023 23:59", "01.01.2024 00:00"], "%d.%m.%Y %H:%M"),
    (["red", "blue"], None), (["1.5", "2.5"], None), (["10.0.0.1", "10.0.0.2"], None),
])  # fmt: skip
def test_dates_are_known_by_how_they_are_written(texts, written):
    found = dates_of(pa.array(texts), "when")
    assert (found and found.written) == written


def test_two_categories_are_taken_together():
    table = pa.table({"a": ["x", "y"], "b": ["u", None], "y": [0, 1]})
    columns = infer_fields(table, encoding=Encoding(pairs=(("a", "b"),)), missing="zero")
    rows = columns.chunk(table).X
    assert set(hashed_names(["a=x", "b=u", "a & b=x & u"], 18)[0].tolist()) == set(
        rows[[0]].indices.tolist()
    )
    assert rows[[1]].indices.tolist() == hashed_names(["a=y"], 18)[0].tolist()
    with pytest.raises(BadInput, match="not a column of categories"):
        infer_fields(table, encoding=Encoding(pairs=(("a", "nothing"),)))


# ---------------------------------------------------------------- features as they are met


def test_features_are_numbered_in_order_of_appearance_and_unknown_ones_are_dropped(tmp_path):
    (tmp_path / "a.csv").write_text("c,y\nred,1\nblue,0\nred,1\n")
    (tmp_path / "b.csv").write_text("c,y\nblue,1\ngreen,0\n")
    source = NumberedFeatures(read(str(tmp_path / "a.csv")))
    (rows,) = [chunk.rows for chunk in source.chunks()]
    assert (rows.indices.tolist(), rows.n_features) == ([0, 1, 0], 2)
    (again,) = [chunk.rows for chunk in read(str(tmp_path / "b.csv"), like=source.settings()).chunks()]
    assert (again.indices.tolist(), again.starts.tolist(), again.n_features) == ([1], [0, 1, 1], 2)
    damaged = {**source.settings(), "met": {"of": 1 << 18, "features": "!"}}
    with pytest.raises(BadInput, match="train it again"):
        read(str(tmp_path / "b.csv"), like=damaged)


def test_words_without_document_frequencies_are_weighed_alike_when_interpreted():
    found = []
    for weigh in (weigh_words, getattr(weigh_words, "py_func", weigh_words)):
        starts, indices, values = np.array([0, 3], np.uint64), np.array([9, 4, 9], np.uint32), np.ones(3)
        n = int(weigh(starts, indices, values, PRESENCE, NO_FACTORS, False))
        found.append((starts.tolist(), indices[:n].tolist(), values[:n].tolist()))
    assert found[0] == found[1] == ([0, 2], [4, 9], [1.0, 1.0])
