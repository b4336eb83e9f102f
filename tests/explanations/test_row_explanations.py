"""Why a model predicts a class: contributions that sum to the score, and the smallest change."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline

from rosenblatt import AutoPerceptron, BadInput, Features, KernelPerceptron, Perceptron, explain
from rosenblatt.data.sources.encoding import Encoding
from rosenblatt.explanations.coloured_texts import coloured_words, excerpt, for_html, spans_of
from rosenblatt.explanations.row_explanations import smallest_change

WHOLE = st.integers(-3, 3).map(float)


def as_fraction(found):
    return sum((each.exact for each in found.contributions), Fraction(found.offset))


def integers(seed=0, n_classes=2):
    r = np.random.default_rng(seed)
    X = r.integers(-4, 5, (60, 5)).astype(float)
    return X, (X @ r.integers(-3, 4, (5, n_classes))).argmax(axis=1)


# ---------------------------------------------------------------- contributions


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("tie", ["mistake", "positive"])
def test_on_integers_the_contributions_sum_exactly_to_the_decision_value(n_classes, tie):
    X, y = integers(n_classes=n_classes)
    if n_classes > 2 and tie != "mistake":
        tie = "mistake"
    model = Perceptron(tie=tie, multiclass="one_vs_rest", random_state=0, epochs=3).fit(X, y)
    values = model.decision_function(X)
    for i, found in enumerate(explain(model, X)):
        if n_classes == 2:
            assert as_fraction(found) == Fraction(abs(float(values[i])))
        else:
            of = [Fraction(float(value)) for value in values[i]]
            assert as_fraction(found) == of[found.predicted] - max(
                of[k] for k in range(len(of)) if k != found.predicted
            )
        assert found.predicted == model.predict(X[i : i + 1])[0]
        assert found.margin == float(as_fraction(found))


@pytest.mark.parametrize("rule", ["arow", "passive_aggressive_1"])
def test_contributions_of_averaged_weights_sum_to_the_decision_value_but_for_rounding(rule):
    X, y = integers(1)
    model = Perceptron(rule=rule, keep="averaged", random_state=0).fit(X + 0.1, y)
    values = model.decision_function(X)
    for value, found in zip(values, explain(model, X), strict=True):
        assert found.margin == float(as_fraction(found))
        assert found.margin == pytest.approx(abs(value), rel=1e-9, abs=1e-9)


def people(n=300, seed=0):
    r = np.random.default_rng(seed)
    income, city = r.normal(50_000, 9_000, n), r.choice(["Rome", "Oslo", "Bern"], n)
    says = np.where(r.random(n) < 0.5, "what a fine day it is", "what a poor day it is")
    y = np.where(income + 9_000 * (city == "Rome") + 9_000 * (says < "what a g") > 60_000, "yes", "no")
    return pd.DataFrame({"income": income, "city": city, "says": says}), y


@pytest.mark.parametrize("effort", ["none", "quick"])
def test_an_auto_perceptron_explains_numbers_categories_and_words(effort):
    X, y = people()
    model = AutoPerceptron(effort=effort).fit(X, y)
    values, answers = model.decision_function(X[:40]), model.predict(X[:40])
    for value, answer, found in zip(values, answers, explain(model, X[:40]), strict=True):
        assert found.predicted == answer
        assert found.margin == pytest.approx(abs(value), rel=1e-9)
        assert sum(found.by_column.values()) + found.offset == pytest.approx(found.margin)
        assert {"income", "city", "says"} <= set(found.by_column)
        coloured = sum(amount for _, amount in found.texts["says"])
        assert coloured == pytest.approx(found.by_column["says"])
        assert "".join(text for text, _ in found.texts["says"]) in set(X["says"])
    labels = {each.label for each in found.contributions}
    assert f"city = {X['city'][39]}" in labels


def test_boolean_classes_and_a_pipeline_are_explained():
    X, y = people()
    model = AutoPerceptron(effort="none").fit(X, y == "yes")
    assert explain(model, X[:1])[0].predicted in (True, False)
    pipeline = make_pipeline(Features(), Perceptron(random_state=0)).fit(X, y)
    found = explain(pipeline, X[:5])
    assert [each.predicted for each in found] == pipeline.predict(X[:5]).tolist()
    assert set(found[0].by_column) <= set(X.columns)
    names = set(pipeline[0].get_feature_names_out())
    words = {each.term for each in found[0].contributions if each.term.kind == "word"}
    assert words
    assert {f"{term.column}={term.value}" for term in words} <= names


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_kernel_model_is_explained_by_its_support_vectors(n_classes):
    X, y = integers(2, n_classes)
    model = KernelPerceptron(kernel="gaussian", random_state=0, epochs=3).fit(X, y)
    values = np.atleast_2d(model.decision_function(X[:9]).T).T
    for i, found in enumerate(explain(model, X[:9])):
        assert found.predicted == model.predict(X[i : i + 1])[0]
        assert sum(value for _, value in found.support) == pytest.approx(found.margin)
        lead = abs(values[i, 0]) if n_classes == 2 else np.diff(np.sort(values[i])[-2:])[0]
        assert found.margin == pytest.approx(lead)
    assert {row for row, _ in found.support} <= set(model.support_.tolist())


def test_models_that_cannot_be_explained_are_refused():
    X, y = integers()
    with pytest.raises(BadInput, match="committee"):
        explain(Perceptron(keep="voted").fit(X, y), X)
    with pytest.raises(BadInput, match="got a Features"):
        explain(Features().fit(people()[0]), X)
    with pytest.raises(BadInput, match="several labels"):
        explain(Perceptron().fit(X, np.stack([y, 1 - y], axis=1)), X)


# ---------------------------------------------------------------- the smallest change


def change_by_brute_force(apart, x, predicted, ties_go_to_second):
    """Return the size of the smallest set whose removal lets another class win, or None."""
    n = len(x) - 1
    for size in range(1, n + 1):
        for removed in combinations(range(n), size):
            kept = [k for k in range(n + 1) if k not in removed]
            leads = [sum(row[k] * x[k] for k in kept) for row in apart]
            for rival, lead in enumerate(leads):
                wins_ties = rival > predicted if ties_go_to_second else rival < predicted
                if rival != predicted and (lead < 0 or (lead == 0 and wins_ties)):
                    return size
    return None


@given(
    st.integers(2, 3).flatmap(
        lambda k: st.tuples(
            st.lists(st.lists(WHOLE, min_size=6, max_size=6), min_size=k, max_size=k),
            st.integers(0, k - 1),
        )
    ),
    st.lists(st.integers(1, 3).map(float), min_size=5, max_size=5),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_the_smallest_change_is_that_of_brute_force(weights_and_class, x, ties):
    weights, predicted = np.array(weights_and_class[0]), weights_and_class[1]
    x = np.append(x, 1.0)
    ties = ties and len(weights) == 2
    scores = weights @ x
    order = (scores, np.arange(len(scores))) if ties else (scores, -np.arange(len(scores)))
    if np.lexsort(order[::-1])[-1] != predicted:
        return  # another class is predicted
    apart = weights[predicted] - weights
    found = smallest_change(apart, x, predicted, ties)
    expected = change_by_brute_force(apart.tolist(), x.tolist(), predicted, ties)
    assert (None if found is None else len(found)) == expected


def test_removing_the_smallest_change_changes_the_prediction():
    X, y = integers(3, 3)
    model = Perceptron(multiclass="one_vs_rest", random_state=0, epochs=3).fit(X, y)
    for i, found in enumerate(explain(model, X)):
        if found.smallest:
            row = X[i].copy()
            row[[each.feature for each in found.smallest]] = 0.0
            assert model.predict([row])[0] != found.predicted


# ---------------------------------------------------------------- coloured words


def test_the_contribution_of_a_pair_of_words_is_divided_among_its_letters():
    encoding = Encoding(ngrams=2, shortest=1)
    spans = spans_of("Not good", "t", encoding)
    assert [token for token, _, _ in spans] == ["t=not", "t=good", "t=not good"]
    parts = coloured_words("Not good", spans, {0: 1.0, 1: 2.0, 2: 7.0}, lambda hashes: np.arange(3))
    assert parts == [("Not", 1.0 + 3.0), (" ", 0.0), ("good", 2.0 + 4.0)]


def test_a_feature_of_several_words_is_divided_among_them():
    spans = spans_of("a a b", "t", Encoding(shortest=1))
    parts = coloured_words("a a b", spans, {5: 3.0}, lambda hashes: np.full(len(hashes), 5))
    assert [value for _, value in parts] == [1.0, 0.0, 1.0, 0.0, 1.0]


@given(st.text(max_size=30))
def test_tokens_of_letters_have_places_in_the_text(text):
    for _, begin, end in spans_of(text, "t", Encoding(ngrams=2, characters=(2, 3), shortest=1)):
        assert 0 <= begin <= end <= max(1, len(text))


def test_the_amounts_on_a_page_sum_to_the_lead():
    X = np.random.default_rng(0).normal(size=(60, 20))
    (found,) = explain(Perceptron(keep="averaged", random_state=0).fit(X, X[:, 0] > 0.0), X[:1])
    page = found._repr_html_()
    assert "8 other features" in page
    amounts = [float(text) for text in re.findall(r"<td>([^<]+)</td>", page)]
    assert sum(amounts) == pytest.approx(found.margin, rel=0.01)


def test_text_is_escaped_in_html():
    assert "<script>" not in for_html([("<script>", 1.0), ("&", 0.0)])


def test_the_most_coloured_part_of_a_long_text_is_shown():
    parts = [("x" * 9 + " ", 0.0)] * 50 + [("here", 5.0)] + [(" " + "y" * 9, 0.0)] * 50
    some = excerpt(parts, 100)
    assert ("here", 5.0) in some
    assert sum(len(text) for text, _ in some) < 120
