"""A Learner of several classes, which may appear at any time."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from rosenblatt import Learner, Perceptron
from rosenblatt.errors import BadInput
from tests.covering import all_turns, case_id

WAYS = [
    {"multiclass": "one_vs_rest"},
    {"multiclass": "one_vs_rest", "keep": "averaged", "rule": "margin"},
    {"multiclass": "one_vs_rest", "rule": "alma"},
    {"multiclass": "one_vs_rest", "keep": "pocket"},
    {"multiclass": "ultraconservative"},
    {"multiclass": "ultraconservative", "sharing": "uniform", "keep": "averaged"},
    {"multiclass": "ultraconservative", "keep": "pocket"},
]
NAMES = np.array(["ash", "birch", "cedar", "dogwood"])


@pytest.mark.parametrize(("settings", "layout"), all_turns(WAYS, ["dense", "sparse"]), ids=case_id)
def test_it_learns_what_a_stream_of_single_rows_teaches(settings, layout, whole):
    X, y = whole
    rows = X if layout == "dense" else sparse.csr_array(X)
    learner, stream = Learner(**settings), Perceptron(allow_new_classes=True, **settings)
    for i in range(60):
        before = stream.mistakes_ if i else 0
        row = rows[i : i + 1]
        mistake = learner.learn(X[i] if layout == "dense" else row, NAMES[y[i]])
        stream.partial_fit(row, NAMES[y[i : i + 1]])
        assert mistake == (stream.mistakes_ > before)
    assert learner.classes == stream.classes_.tolist()
    assert [learner.weights[c].tolist() for c in learner.classes] == stream._state.current()[
        :, :-1
    ].tolist()
    assert list(learner.offset_weight.values()) == stream._state.current()[:, -1].tolist()
    assert (learner.mistakes, learner.updates) == (stream.mistakes_, stream.updates_)
    assert learner.false_positives == stream.false_positives_
    assert learner.false_negatives == stream.false_negatives_
    assert learner.examples_seen == 60
    values = stream.decision_function(rows)
    for i in range(20):
        x = X[i] if layout == "dense" else rows[i : i + 1]
        assert learner.predict(x) == stream.predict(rows[i : i + 1])[0]
        assert list(learner.decide(x)) == learner.classes
        np.testing.assert_allclose(list(learner.decide(x).values()), values[i], rtol=1e-12, atol=1e-12)


def test_before_the_first_example_the_first_class_announced_is_the_answer():
    learner = Learner(multiclass="one_vs_rest", classes=["b", "a", "b"], n_features=2)
    assert learner.classes == ["b", "a"]
    assert learner.answer([1.0, 2.0]) == learner.predict([1.0, 2.0]) == "b"
    assert learner.decide([1.0, 2.0]) == {"b": 0.0, "a": 0.0}
    assert learner.offset_weight == {"b": 0.0, "a": 0.0}
    assert {c: w.tolist() for c, w in learner.weights.items()} == {"b": [0.0, 0.0], "a": [0.0, 0.0]}
    assert Learner(multiclass="one_vs_rest", n_features=2).answer([1.0, 2.0]) is None
    assert Learner(multiclass="one_vs_rest", classes=["b", "a"]).predict([1.0, 2.0]) == "b"  # first call


def test_a_class_does_not_depend_on_its_number_type():
    learner = Learner(multiclass="one_vs_rest")
    for label in (3, np.int64(3), np.uint8(3), 3.0):
        learner.learn([1.0, 0.0], label)
    learner.learn([0.0, 1.0], np.str_("three"))
    assert learner.classes == [3, "three"]
    assert type(learner.classes[1]) is str


@pytest.mark.parametrize("label", [None, np.nan, [1], {"a": 1}])
def test_an_invalid_class_is_refused_and_not_stored(label):
    learner = Learner(multiclass="one_vs_rest")
    learner.learn([1.0, 0.0], "a")
    with pytest.raises(BadInput, match=r"y: got .*expected a class"):
        learner.learn([1.0, 0.0], label)
    assert (learner.classes, learner.examples_seen) == (["a"], 1)


@pytest.mark.parametrize("settings", WAYS, ids=case_id)
@pytest.mark.parametrize("x", [[np.nan, 1.0], [1.0, np.inf], [1.0, 2.0, 3.0]])
def test_a_row_that_is_refused_brings_no_class(settings, x):
    learner = Learner(**settings)
    for bad in (True, False, True):
        if bad:
            with pytest.raises(BadInput, match=r"x: |X: "):
                learner.learn(x if learner.examples_seen else [np.nan, 1.0], "new")
        else:
            learner.learn([1.0, -1.0], "a")
            learner.learn([-1.0, 2.0], "b")
    assert learner.classes == ["a", "b"]
    assert learner.examples_seen == 2
    assert list(learner.weights) == ["a", "b"]


def test_a_kernel_and_a_missing_class_are_refused_at_once():
    with pytest.raises(BadInput, match="multiclass: a Learner with a kernel"):
        Learner(multiclass="one_vs_rest", kernel="rbf")
    with pytest.raises(BadInput, match="y: got None"):
        Learner(multiclass="one_vs_rest", classes=["a", None])
