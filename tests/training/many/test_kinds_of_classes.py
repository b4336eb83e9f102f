"""Classes of every type that scikit-learn accepts; weights of classes."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest

from rosenblatt import Perceptron
from rosenblatt.errors import BadInput

NAMES = {
    "words": ["b", "a", "ccc"],
    "objects": np.array(["b", "a", "ccc"], object),
    "bytes": [b"b", b"a", b"ccc"],
    "negative numbers": [5, -3, 100],
    "small ints": np.array([5, -3, 100], np.int8),
    "unsigned": np.array([5, 2, 100], np.uint64),
    "whole floats": [5.0, -3.0, 100.0],
    "days": np.array(["2024-02-02", "2023-01-01", "2025-01-01"], "M8[D]"),
    "times": pd.to_datetime(["2024-02-02", "2023-01-01", "2025-01-01"]),
    "dates": np.array([datetime.date(2024, 2, 2), datetime.date(2023, 1, 1), datetime.date(2025, 1, 1)]),
    "categories": pd.Categorical(["b", "a", "ccc"], categories=["z", "ccc", "b", "a"]),
    "pandas strings": pd.array(["b", "a", "ccc"], dtype="string"),
    "pandas ints": pd.array([5, -3, 100], dtype="Int64"),
}


@pytest.mark.parametrize("multiclass", ["one_vs_rest", "ultraconservative"])
@pytest.mark.parametrize("kind", NAMES)
def test_classes_are_named_by_what_they_were_called(kind, multiclass, crowd):
    X, y = crowd[0], np.minimum(crowd[1], 2)
    names = pd.Series(NAMES[kind])
    labels = names.iloc[y]
    order = np.argsort(np.argsort(np.asarray(names)))  # place of each name among the sorted
    settings = {"multiclass": multiclass, "epochs": 2, "random_state": 0}
    model = Perceptron(**settings).fit(X, labels)
    numbered = Perceptron(**settings).fit(X, order[y])
    assert (model.coef_ == numbered.coef_).all()
    assert model.classes_.tolist() == np.sort(np.asarray(names)).tolist()
    assert model.predict(X).tolist() == model.classes_[numbered.predict(X)].tolist()
    assert model.training_error(X, labels) == numbered.training_error(X, order[y])
    stream = Perceptron(multiclass=multiclass)
    stream.partial_fit(X[:3], labels[:3], classes=np.asarray(names)).partial_fit(X[3:], labels[3:])
    assert stream.classes_.tolist() == model.classes_.tolist()
    late = Perceptron(multiclass=multiclass, allow_new_classes=True)
    late.partial_fit(X[:1], labels[:1]).partial_fit(X[1:], labels[1:])
    assert sorted(late.classes_.tolist()) == model.classes_.tolist()
    assert late.classes_.tolist()[0] == np.asarray(labels)[:1].tolist()[0]


BAD = {
    "missing": (["a", None, "b"], "y: Input y contains NaN or None in row 1"),
    "not a number": ([1.0, np.nan, 2.0], "y: Input y contains NaN in row 1"),
    "NA": (pd.array(["a", pd.NA, "b"], dtype="string"), "y: Input y contains NaN or None in row 1"),
    "measures": ([0.5, 1.5, 2.0], "y: Unknown label type: continuous"),
    "mixed": (np.array([1, "a", 2.5], object), "y: labels must be of one kind"),
    "too few": ([1, 2], "y: 2 labels for 3 rows"),
}


@pytest.mark.parametrize("kind", BAD)
def test_new_classes_do_not_allow_invalid_labels(kind):
    y, sentence = BAD[kind]
    for train in (Perceptron.fit, Perceptron.partial_fit):
        with pytest.raises(BadInput, match=sentence):
            train(Perceptron(allow_new_classes=True), np.eye(3), y)


def test_a_late_class_of_another_kind_is_refused():
    """np.concatenate would turn the classes 0 and 1 into the words '0' and '1'."""
    for first, then in (([0, 1], ["a", "b"]), (["a", "b"], [0, 1])):
        stream = Perceptron(allow_new_classes=True).partial_fit(np.eye(2), first)
        with pytest.raises(BadInput, match="y: "):
            stream.partial_fit(np.eye(2), then)
        assert stream.classes_.tolist() == first


@pytest.mark.parametrize("multiclass", ["one_vs_rest", "ultraconservative"])
def test_a_rare_class_weighs_as_much_as_the_others_together(multiclass):
    """Balanced weights grow with rarity, but never so that a class has more than its share."""
    generator = np.random.default_rng(0)
    X = np.vstack([generator.normal(size=(2000, 3)), [[3.0, 3.0, 3.0]]])
    y = np.array([0, 1] * 1000 + [2])
    model = Perceptron(class_weight="balanced", multiclass=multiclass, random_state=0).fit(X, y)
    weight = np.where(y == 2, 2001 / 3.0, 2001 / 3000.0)
    by_hand = Perceptron(multiclass=multiclass, random_state=0).fit(X, y, sample_weight=weight)
    assert (model.coef_ == by_hand.coef_).all()
    assert model.predict(X[-1:]) == [2]


def test_a_class_whose_rows_weigh_next_to_nothing_gets_its_share_or_is_refused():
    X, y = np.eye(6), np.arange(6) % 3
    balanced, plain = (Perceptron(class_weight=w, epochs=2, random_state=0) for w in ("balanced", None))
    balanced.fit(X, y, sample_weight=np.where(y == 0, 1e-300, 1.0))
    plain.fit(X, y, sample_weight=np.full(6, 2 / 3))
    np.testing.assert_allclose(balanced.coef_, plain.coef_, rtol=1e-12, atol=1e-12)
    for target in (y, np.eye(3, dtype=int)[y]):
        with pytest.raises(BadInput, match=r"class_weight: 'balanced' gives 0 an infinite weight.*a dict"):
            balanced.fit(X, target, sample_weight=np.where(y == 0, 5e-324, 1.0))


def test_class_weights_may_name_classes_that_come_later():
    X = np.eye(3)
    stream = Perceptron(allow_new_classes=True, class_weight={"late": 2.0}, offset=False)
    stream.partial_fit(X[:2], ["a", "b"]).partial_fit(X, ["a", "b", "late"])
    assert stream.coef_[stream.classes_.tolist().index("late")][2] == 2.0


def test_with_a_start_for_each_class_a_late_one_begins_at_0_by_every_engine():
    X, start = np.eye(3), np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    for rule in ("rosenblatt", "forgetting"):
        stream = Perceptron(allow_new_classes=True, init=start, offset=False, rule=rule, tie="negative")
        stream.partial_fit(X[:2], ["a", "b"])
        stream.partial_fit(X[1:2], ["b"], classes=["a", "b", "late"])
        assert stream.coef_[2].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("init", "sentence"),
    [
        (np.ones((5, 7)), "init: 7 weights for 6 features"),
        (np.full((5, 6), np.nan), "init: the starting weights must be finite"),
        ((np.ones((5, 6)), np.ones(4)), "init: "),
        (np.ones((5, 6, 1)), "init: "),
        ([[1.0, 2.0], [1.0]], "init: "),
    ],
    ids=["too wide", "not finite", "too few b", "three dimensions", "ragged"],
)
def test_a_start_that_fits_no_column_is_refused(init, sentence, crowd):
    with pytest.raises(BadInput, match=sentence):
        Perceptron(init=init).fit(*crowd)
