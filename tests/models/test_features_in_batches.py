"""Features.partial_fit: rows that come in batches give the statistics and names of one fit."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rosenblatt import BadInput, Features

R = np.random.default_rng(0)
N = 1500
ROWS = pd.DataFrame({
    "size": np.where(R.random(N) < 0.1, np.nan, R.normal(size=N) * 1e3).round(4),
    "age": R.integers(0, 90, N).astype(float),
    "city": R.choice(["Rome", "Oslo", "Bern", None], N),
    "says": [" ".join(R.choice([f"word{i}" for i in range(300)], 5)) for _ in range(N)],
    "seen": pd.to_datetime("2024-01-01") + pd.to_timedelta(R.integers(0, 900, N), "D"),
})  # fmt: skip
SETTINGS = {
    "default": {},
    "hashed": {"bits": 14},
    "piecewise": {"numbers": "piecewise"},
    "rank": {"numbers": "rank", "missing": "zero"},
    "largest": {"numbers": "largest", "words": "counts"},
    "ranges": {"numbers": "bins", "bits": 16, "names": "none"},
    "pairs": {"pairs": (("city", "age"),), "bits": 16, "names": "none"},
    "numbers only": {"leave_out": ("city", "says", "seen")},
    "no statistics": {"numbers": "given", "missing": "zero", "words": "presence", "characters": (2, 3)},
}


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("size", [400, 1499])
def test_batches_give_the_features_of_one_fit_bit_for_bit(name, size):
    features = Features(**SETTINGS[name])
    whole = clone(features).fit(ROWS)
    for start in range(0, N, size):
        features.partial_fit(ROWS[start : start + size])
        features.transform(ROWS[:3])  # between two batches, without an effect on the result
    assert features.columns_ == whole.columns_
    assert features.get_feature_names_out().tolist() == whole.get_feature_names_out().tolist()
    assert features.fields_.settings() == whole.fields_.settings()
    mine, theirs = features.transform(ROWS), whole.transform(ROWS)
    if name == "numbers only":
        assert mine.tobytes() == theirs.tobytes()
    else:
        assert (mine.data.tobytes(), mine.indices.tolist()) == (
            theirs.data.tobytes(),
            theirs.indices.tolist(),
        )


def test_a_large_column_in_uneven_batches_gives_the_same_mean_bit_for_bit():
    X = np.random.default_rng(1).lognormal(size=(200_000, 1)) * 1e3
    features = Features()
    for part in np.split(X, [10, 70_000, 70_001, 150_000]):
        features.partial_fit(part)
    assert features.transform(X).tobytes() == Features().fit(X).transform(X).tobytes()


def test_new_categories_and_words_of_later_batches_get_features():
    features = Features().partial_fit(ROWS[["city", "says"]][:40])
    later = pd.DataFrame({"city": ["Lima"], "says": ["something new"]})
    before = len(features.get_feature_names_out())
    assert {"city=Lima", "says=something new"} <= set(features.partial_fit(later).get_feature_names_out())
    assert len(features.get_feature_names_out()) == before + 4  # the category, two words and their pair


def test_a_pickled_transformer_continues_and_a_fitted_one_says_that_it_cannot():
    features = Features().partial_fit(ROWS[:500])
    again = pickle.loads(pickle.dumps(features)).partial_fit(ROWS[500:])
    features.partial_fit(ROWS[500:])
    assert (again.transform(ROWS) != features.transform(ROWS)).nnz == 0
    fitted = Features().fit(ROWS)
    with pytest.raises(BadInput, match=r"come from fit, .* call partial_fit on a new Features"):
        fitted.partial_fit(ROWS)


def test_fit_begins_again():
    features = Features().partial_fit(ROWS[:500]).fit(ROWS[500:])
    assert features.fields_.settings() == Features().fit(ROWS[500:]).fields_.settings()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"numbers": "bins"}, r"names of ranges .* use bits=18"),
        ({"pairs": (("city", "age"),)}, r"names of ranges .* use bits=18"),
        ({"pairs": "auto"}, r"'auto' compares all rows with y"),
        ({"missing": "drop"}, r"missing: 'drop'"),
    ],
)
def test_features_that_depend_on_all_rows_are_refused(settings, words):
    with pytest.raises(BadInput, match=words):
        Features(**settings).partial_fit(ROWS)


def test_a_faulty_batch_changes_nothing():
    features, same = (Features().partial_fit(ROWS[:500]) for _ in range(2))
    with pytest.raises(BadInput, match="has no column 'age'"):
        features.partial_fit(ROWS[500:].drop(columns="age"))
    with pytest.raises(BadInput, match="a parameter has changed"):
        features.set_params(ngrams=1).partial_fit(ROWS[500:])
    features.set_params(ngrams=2)
    for each in (features, same):
        each.partial_fit(ROWS[500:])
    assert features.fields_.settings() == same.fields_.settings()
