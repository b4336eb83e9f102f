"""Learners that see one example at a time, exported as they stand."""

from __future__ import annotations

import json

import numpy as np
import pytest

from rosenblatt import Learner
from rosenblatt.errors import BadInput
from rosenblatt.models.onnx import to_onnx
from tests.covering import covering


def whole_number_rows(n=60, d=4):
    """Whole numbers, so that every score is exact."""
    generator = np.random.default_rng(8)
    X = generator.integers(-3, 4, size=(n, d)).astype(np.float64)
    return X, np.where(X[:, 0] - X[:, 1] > 0, 1, -1)


def metadata(proto):
    return {entry.key: json.loads(entry.value) for entry in proto.metadata_props}


@pytest.mark.parametrize(
    ("is_named", "multiclass", "keep", "tie"),
    covering(
        [False, True], [None, "one_vs_rest", "ultraconservative"], ["last", "averaged", "pocket"],
        ["mistake", "positive"],
    ),
)  # fmt: skip
def test_a_learner_is_exported_as_it_stands(run_onnx, is_named, multiclass, keep, tie):
    """Named features are columns in the order in which they came."""
    X, y = whole_number_rows()
    examples = [{f"x{j}": v for j, v in enumerate(x) if v} for x in X.tolist()] if is_named else list(X)
    labels = y.tolist()
    if multiclass:
        labels = [("low", "mid", "high")[k] for k in np.digitize(X[:, 0], [-1, 1])]
    tie = "mistake" if multiclass == "ultraconservative" else tie
    learner = Learner(multiclass=multiclass, keep=keep, tie=tie)
    for x, label in zip(examples, labels, strict=True):
        learner.learn(x, label)
    facts = metadata(to_onnx(learner))
    assert facts["classes"] == learner.classes
    if is_named:
        assert facts["feature_names"] == learner.feature_names
        X = X[:, [int(name[1:]) for name in facts["feature_names"]]]
    label, scores = run_onnx(learner, X)
    decided = [learner.decide(x) for x in examples]
    decided = [list(each.values()) if multiclass else each for each in decided]
    np.testing.assert_allclose(scores, decided, rtol=1e-12, atol=1e-12)
    lead = np.diff(np.sort(scores, axis=1)[:, -2:])[:, 0] if multiclass else np.abs(scores)
    assert (lead > 1e-9).mean() > 0.6
    is_answered = [learner.predict(x) for x in examples]
    assert (label == is_answered)[lead > 1e-9].all()


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
