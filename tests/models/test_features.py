"""Features as a transformer: scikit-learn's contract, and the columns that its own would make."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import check_fit_score_takes_y, parametrize_with_checks

from rosenblatt import BadInput, Features, Perceptron, explain, load, read, save
from rosenblatt.cli.main import main

PEOPLE = pd.DataFrame({
    "id": range(100, 140),
    "age": [20.0 + i % 17 for i in range(40)],
    "city": [("Rome", "Oslo", "Bern")[i % 3] for i in range(40)],
    "says": ["no more of this please" if i % 2 else "more of it, please do" for i in range(40)],
})  # fmt: skip
KINDS = np.arange(40) % 2


FIT_KEEPS_NO_SUMS = (
    "the check calls partial_fit after fit; fit does not keep what is needed to add rows, so that a fitted "
    "transformer stays small. Rows are added to a transformer that began with partial_fit"
)
EXPECTED_FAILURES = {"check_fit_score_takes_y": FIT_KEEPS_NO_SUMS}


@parametrize_with_checks([Features()], expected_failed_checks=lambda features: EXPECTED_FAILURES)
def test_it_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_the_expected_failure_of_a_check_is_the_error_of_partial_fit():
    with pytest.raises(BadInput, match="these features come from fit"):
        check_fit_score_takes_y("Features", Features())


def test_named_columns_are_the_ones_that_scikit_learn_makes():
    features = Features(words="counts", unit_length=False).fit(PEOPLE)
    theirs = make_column_transformer(
        (StandardScaler(), ["age"]),
        (OneHotEncoder(), ["city"]),
        (CountVectorizer(ngram_range=(1, 2), token_pattern=r"\w+"), "says"),
        verbose_feature_names_out=False,
        sparse_threshold=0,
    ).fit(PEOPLE)
    names = [
        name.replace("city_", "city=") if name == "age" or name.startswith("city_") else f"says={name}"
        for name in theirs.get_feature_names_out()
    ]
    expected = pd.DataFrame(theirs.transform(PEOPLE), columns=names)
    ours = pd.DataFrame(features.transform(PEOPLE).toarray(), columns=features.get_feature_names_out())
    assert sorted(ours.columns) == sorted(names)
    assert ours[names].to_numpy() == pytest.approx(expected.to_numpy())


@pytest.mark.parametrize("bits", [None, 12])
def test_it_stands_in_a_pipeline_and_meets_words_it_does_not_know(bits):
    model = make_pipeline(Features(bits=bits), Perceptron(keep="averaged", random_state=0)).fit(
        PEOPLE, KINDS
    )
    assert model.score(PEOPLE, KINDS) == 1.0
    new = PEOPLE.assign(city="Lima", says="an unheard of sentence")
    assert set(model.predict(new)) <= {0, 1}


def test_a_table_that_cannot_be_read_is_refused_with_its_row():
    features = Features(missing="error").fit(PEOPLE)
    with pytest.raises(BadInput, match=r"X row 3: column 'age' has no value"):
        features.transform(PEOPLE.assign(age=PEOPLE.age.where(PEOPLE.index != 3)))
    with pytest.raises(BadInput, match=r"has no column 'age'"):
        features.transform(PEOPLE.drop(columns="age"))
    with pytest.raises(BadInput, match=r"'drop' would drop rows"):
        Features(missing="drop").fit(PEOPLE)


def test_texts_of_several_classes_are_counted_in_little_memory():
    texts = pd.DataFrame({"says": ["one of these texts", "another text it is", "the third of them"]})
    features = Features().fit(texts, ["a", "b", "c"])
    assert features.fields_.statistics.counts.nbytes <= 1 << 24
    assert np.linalg.norm(features.transform(texts).toarray(), axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("kind", [pa.null(), pa.string(), pa.timestamp("s")])
def test_a_date_column_with_only_missing_values_is_accepted(kind):
    dates = [f"2024-0{1 + i % 9}-11" for i in range(40)]
    train = pa.table({"when": dates, "size": [float(i) for i in range(40)]})
    made = Features(dates=["when"]).fit(train)
    X = made.transform(pa.table({"when": pa.array([None, None], kind), "size": [1.0, 2.0]}))
    assert X.shape[0] == 2


def test_log_count_ratios_are_stored_with_a_model(tmp_path):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 200)
    texts = [" ".join(f"w{word}" for word in random.integers(0, 60, 8) + 20 * label) for label in y]
    table = pd.DataFrame({"text": texts, "kind": np.where(y, "yes", "no")})
    table.to_csv(tmp_path / "rows.csv", index=False)
    words = ["--words", "log-count-ratio", "--effort", "none", "--seed", "3"]
    CliRunner().invoke(main, ["fit", f"{tmp_path}/rows.csv", *words, "--out", f"{tmp_path}/m"])
    features = Features(words="log-count-ratio", bits=22)
    rows = read(pa.table(table[["text"]]), like=load(tmp_path / "m").reading_, labelled=False)
    (chunk,) = rows.chunks()
    for ours, theirs in zip(chunk.X, features.fit_transform(table[["text"]], y), strict=True):
        np.testing.assert_array_equal(np.sort(np.abs(ours.data)), np.sort(np.abs(theirs.data)))
    assert (load(tmp_path / "m").predict(pa.table(table[["text"]])) == table.kind).mean() > 0.9


def test_hashed_features_have_names_and_store_them_in_a_pipeline(tmp_path):
    table = pd.DataFrame({"age": [20.0, None, 40.0] * 8, "city": ["Rome", "Oslo", "Bonn"] * 8})
    model = make_pipeline(Features(bits=10), Perceptron(random_state=0)).fit(table, [0, 1, 1] * 8)
    names = model[0].get_feature_names_out().tolist()
    assert {"age", "age is missing", "city=Rome", "city=Oslo", "city=Bonn"} <= set(names)
    assert names[1] == "hash 1"
    rome, oslo = model[0].transform(table).toarray()[:2] != 0.0
    assert rome[names.index("city=Rome")]
    assert oslo[names.index("age is missing")]
    save(model, tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    assert again[0].get_feature_names_out().tolist() == names
    assert explain(again, table[:1])[0].by_column.keys() == {"age", "city"}
    unnamed = Features(bits=10, names="none").fit(table)
    assert "city=Rome" not in unnamed.get_feature_names_out()
    with pytest.raises(BadInput, match="names: got 7, expected one of 'all', 'none'"):
        Features(bits=10, names=7).fit(table)
