"""The stages in which `fit` compares settings, and the rule by which it chooses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.model_selection import StratifiedKFold

from rosenblatt import AutoPerceptron, rules
from rosenblatt.data.sources.field_inference import infer_fields
from rosenblatt.data.sources.reading import read
from rosenblatt.data.sources.row_samples import EFFORTS, sample_rows
from rosenblatt.models.setting_candidates import Candidate, Stages
from rosenblatt.models.setting_selection import Comparison, Trial, stratified_folds


def people(n=600, seed=0):
    """Rows whose class depends on a number and a job, beside a surname that seldom repeats."""
    r = np.random.default_rng(seed)
    age, job = r.normal(size=n), r.choice(["cook", "nurse"], n)
    letters = np.array([*"abcdefghijklmnopqrstuvwxyz"])
    names = ["".join(r.choice(letters, 6)).title() for _ in range(n)]
    y = np.where(age + 2 * (job == "cook") + r.normal(size=n) > 1, "in", "out")
    return pd.DataFrame({"surname": names, "age": age, "job": job}), y


def words_and_spellings(n=600, seed=0):
    """Texts whose class shows in the endings of words, each of which is rare."""
    r = np.random.default_rng(seed)
    y = r.integers(0, 2, n)
    stems = np.array(["".join(r.choice([*"bcdfghklmnprstvwz"], 5)) for _ in range(4000)])
    texts = [" ".join(f"{stem}{'ki' if k else 'ov'}" for stem in r.choice(stems, 4)) for k in y]
    return texts, y


def test_a_column_whose_values_seldom_repeat_is_dropped_where_it_does_not_help():
    X, y = people()
    model = AutoPerceptron().fit(X, y)
    assert model.columns_["surname"] == ("left out", "no gain when compared")
    tried = [str(candidate) for candidate in model.selection_.candidates]
    assert tried[:2] == ["--leave-out surname", "the default settings"]
    others, theirs = people(seed=1)
    assert model.score(others, theirs) > AutoPerceptron(effort="none").fit(X, y).score(others, theirs)


def test_a_column_that_the_user_names_is_not_dropped():
    X, y = people()
    assert AutoPerceptron(categories=["surname"]).fit(X, y).columns_["surname"][0] == "category"


def test_character_ngrams_are_chosen_where_words_are_rare():
    texts, y = words_and_spellings()
    model = AutoPerceptron().fit(texts, y)
    assert str(model.selection_.best) == "--characters 2-5"
    others, theirs = words_and_spellings(seed=1)
    assert model.score(others, theirs) > 0.95


def test_character_ngrams_are_not_compared_on_long_texts():
    fields = infer_fields(pa.table({"t": ["a fine long film"] * 9, "y": [0, 1, 1] * 3}))
    first = Candidate(fields.encoding, rules.Arow())
    short, long = (Stages(fields, has_short_texts=is_short).of_texts(first) for is_short in (True, False))
    assert [each for each in short if each.encoding.characters] == short[-1:]
    assert long == short[:-1]


@pytest.mark.parametrize(("margin", "chosen"), [(1.0, 1), (2.0, 0)])
def test_a_candidate_must_be_better_by_its_margin(margin, chosen):
    table = pd.DataFrame({"a": np.arange(400.0), "y": [0, 1] * 200})
    source = read(table, missing="mark")
    numbers = np.arange(400) % 2
    comparison = Comparison(table, numbers, source.columns, EFFORTS["quick"], {}, "error", 0)
    first = Candidate(source.columns.encoding, None)
    right = (numbers - 0.5) * np.where(np.arange(400) % 5, 1, -1)
    better = right.copy()
    better[[0, 5]] *= -1
    one, other = (
        Trial(candidate, scores, scores, comparison._measure(numbers, scores))
        for candidate, scores in ((first, right), (replace(first, margin=margin), better))
    )
    apart = comparison.deviation(one, other)
    assert apart < one.value - other.value < 2 * apart
    assert comparison.choose([one, other]) is (one, other)[chosen]


def test_a_sample_knows_the_bytes_of_text_in_all_rows():
    table = pd.DataFrame({"text": ["one two three four"] * 5000, "y": [0, 1] * 2500})
    source = read(table)
    amount = replace(EFFORTS["quick"], rows=1000)
    sample = sample_rows(source, amount)
    whole = sample_rows(source, EFFORTS["thorough"])
    assert len(sample.y) <= 1000 < len(whole.y) == 5000
    assert sample.text_bytes_of_all == pytest.approx(whole.text_bytes, rel=0.01)
    fewer = whole.with_less_text(whole.text_bytes // 10)
    assert fewer.table.num_rows == len(fewer.y)
    assert 400 < len(fewer.y) <= 500


def test_thorough_compares_rules_after_features():
    fields = infer_fields(pa.table({"a": [1.5], "b": [2.5], "y": ["no"]}))
    first = Candidate(fields.encoding, rules.PassiveAggressive1(C=0.1))
    quick, thorough = Stages(fields), Stages(fields, is_thorough=True)
    assert quick.of_rules(first) == [first]
    found = {each.rule for each in thorough.of_rules(first)}
    assert found == {
        *(rules.PassiveAggressive1(C=C) for C in (0.1, 1.0, 0.01, 0.001)),
        *(rules.Arow(r=r) for r in (0.1, 1.0, 10.0)),
    }
    assert {each.encoding for each in thorough.of_rules(first)} == {first.encoding}
    assert Stages(fields, fixed=["rule"], is_thorough=True).of_rules(first) == [first]


@pytest.mark.parametrize("seed", range(3))
def test_folds_equal_those_of_scikit_learn(seed):
    y = np.random.default_rng(seed).choice(4, 101, p=[0.1, 0.2, 0.3, 0.4])
    folds = StratifiedKFold(3, shuffle=True, random_state=seed).split(y, y)
    for k, (_, held) in enumerate(folds):
        np.testing.assert_array_equal(np.flatnonzero(stratified_folds(y, 3, seed) == k), held)
