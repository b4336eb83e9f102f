"""Learners that see one example at a time, exported as they stand."""

from __future__ import annotations

import json

import numpy as np
import pytest

from rosenblatt import Learner
from rosenblatt.errors import BadInput
from rosenblatt.models.onnx import to_onnx
from tests.covering import all_turns

WORDS = ("free", "money", "hello", "friend", "now")


def whole_number_rows(n=60, d=4):
    """Whole numbers, so that every score is exact."""
    generator = np.random.default_rng(8)
    X = generator.integers(-3, 4, size=(n, d)).astype(np.float64)
    return X, np.where(X[:, 0] - X[:, 1] > 0, 1, -1)


def rows_of_words(n=60):
    generator = np.random.default_rng(9)
    for _ in range(n):
        words = generator.choice(WORDS, size=2, replace=False).tolist()
        yield {word: float(generator.integers(1, 4)) for word in words}, 1 if "free" in words else -1


def metadata(proto):
    return {entry.key: json.loads(entry.value) for entry in proto.metadata_props}


@pytest.mark.parametrize(
    ("keep", "tie"), all_turns(["last", "averaged", "pocket"], ["mistake", "positive"])
)
def test_numbered_features(run_onnx, keep, tie):
    X, y = whole_number_rows()
    learner = Learner(keep=keep, tie=tie)
    for x, label in zip(X, y, strict=True):
        learner.learn(x, int(label))
    label, scores = run_onnx(learner, X)
    np.testing.assert_allclose(scores, [learner.decide(x) for x in X], rtol=1e-12, atol=1e-12)
    clear = np.abs(scores) > 1e-9
    assert clear.mean() > 0.8
    assert label[clear].tolist() == [learner.predict(x) for x in X[clear]]


@pytest.mark.parametrize("keep", ["last", "averaged"])
def test_named_features_are_columns_in_the_order_in_which_they_came(run_onnx, keep):
    learner = Learner(keep=keep)
    examples = list(rows_of_words())
    for x, y in examples:
        learner.learn(x, y)
    names = metadata(to_onnx(learner))["feature_names"]
    assert names == list(dict.fromkeys(word for x, _ in examples for word in x))
    X = np.array([[x.get(name, 0.0) for name in names] for x, _ in examples])
    label, scores = run_onnx(learner, X)
    np.testing.assert_allclose(scores, [learner.decide(x) for x, _ in examples], rtol=1e-9, atol=1e-9)
    clear = np.abs(scores) > 1e-9
    assert clear.mean() > 0.8
    assert label[clear].tolist() == [learner.predict(x) for x, _ in np.array(examples, object)[clear]]


@pytest.mark.parametrize(
    ("multiclass", "keep"), all_turns(["one_vs_rest", "ultraconservative"], ["last", "averaged"])
)
def test_many_classes_of_numbered_features(run_onnx, multiclass, keep):
    X, _ = whole_number_rows()
    learner = Learner(multiclass=multiclass, keep=keep)
    for x in X:
        learner.learn(x, ("low", "mid", "high")[int(np.digitize(x[0], [-1, 1]))])
    label, scores = run_onnx(learner, X)
    decided = [list(learner.decide(x).values()) for x in X]
    np.testing.assert_allclose(scores, decided, rtol=1e-12, atol=1e-12)
    top = np.sort(scores, axis=1)
    clear = top[:, -1] - top[:, -2] > 1e-9
    assert clear.mean() > 0.8
    assert label[clear].tolist() == [learner.predict(x) for x in X[clear]]


def test_many_classes_and_named_features(run_onnx):
    learner = Learner(multiclass="one_vs_rest")
    examples = [(x, next(iter(x))) for x, _ in rows_of_words()]
    for x, y in examples:
        learner.learn(x, y)
    proto = to_onnx(learner)
    names = metadata(proto)["feature_names"]
    assert metadata(proto)["classes"] == learner.classes
    X = np.array([[x.get(name, 0.0) for name in names] for x, _ in examples])
    label, scores = run_onnx(learner, X)
    assert scores.tolist() == [list(learner.decide(x).values()) for x, _ in examples]
    assert label.tolist() == [learner.predict(x) for x, _ in examples]


@pytest.mark.parametrize("learner", [Learner(), Learner(multiclass="one_vs_rest", n_features=2)])
def test_a_learner_that_has_seen_nothing_is_refused(learner):
    with pytest.raises(BadInput, match="this Learner has seen no example yet; let it learn"):
        to_onnx(learner)


def test_a_learner_that_knows_its_features_is_exported_before_its_first_example(run_onnx):
    label, scores = run_onnx(Learner(n_features=2, tie="positive"), [[1.0, 2.0]])
    assert label.tolist() == [1]
    assert scores.tolist() == [0.0]


def test_classes_of_different_kinds_are_refused():
    learner = Learner(multiclass="one_vs_rest")
    for label in ("one", 2):
        learner.learn([1.0], label)
    with pytest.raises(BadInput, match="classes 'one', 2: ONNX has strings and int64"):
        to_onnx(learner)


@pytest.mark.parametrize("pair", [("ham", "spam"), (False, True), (0, 1)])
def test_two_classes_are_answered_by_their_labels(run_onnx, pair):
    learner = Learner(classes=pair)
    learner.learn([1.0, 2.0], pair[1])
    label, _ = run_onnx(learner, [[1.0, 1.0], [-5.0, -5.0]])
    assert label.tolist() == [pair[1], pair[0]]
