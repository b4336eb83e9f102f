"""Invalid examples are refused with the feature, the column or the remedy, and change nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.sparse import csr_array

from rosenblatt import Learner
from rosenblatt.errors import BadInput
from tests.covering import covering

# ---------------------------------------------------------------- values that are no numbers


LEARNERS = [
    {}, {"keep": "averaged"}, {"multiclass": "one_vs_rest"}, {"multiclass": "ultraconservative"},
    {"kernel": "gaussian"}, {"kernel": "gaussian", "budget": 4},
]  # fmt: skip
METHODS = ["learn", "answer", "decide", "predict"]
FORMS = {
    "list": list,
    "array": np.array,
    "single": lambda x: np.array(x, np.float32),
    "sparse": lambda x: csr_array([x]),
    "named": lambda x: dict(zip(("fine", "age", "size"), x, strict=True)),
}


@pytest.mark.parametrize(
    ("settings", "form", "bad", "method", "times"),
    covering(LEARNERS, list(FORMS), [math.nan, math.inf, -math.inf, None], METHODS, [1, 4]),
    ids=str,
)
def test_a_value_that_is_not_finite_is_refused_with_its_place(settings, form, bad, method, times):
    make, good = FORMS[form], [1.0, 2.0, 3.0]
    bad = math.nan if bad is None and form in ("single", "sparse") else bad
    learner = Learner(**settings)
    for k in range(times):
        learner.learn(make(good), -1 if k == 1 else 1)
    before = learner.examples_seen, learner.mistakes, learner.decide(make(good))
    with pytest.raises(BadInput, match="'age'" if form == "named" else "column 1"):
        getattr(learner, method)(make([1.0, bad, 3.0]), *([1] if method == "learn" else []))
    assert (learner.examples_seen, learner.mistakes, learner.decide(make(good))) == before


@pytest.mark.parametrize("bad", [math.nan, None])
def test_a_bad_value_of_a_new_feature_does_not_bring_the_feature_in(bad):
    learner = Learner()
    learner.learn({"fine": 1.0}, 1)
    with pytest.raises(BadInput, match="new"):
        learner.learn({"fine": 1.0, "new": bad}, 1)
    assert learner.weights == {"fine": 1.0}


@pytest.mark.parametrize("bad", [b"tall", [1.0], object(), 1j, 10**400], ids=lambda bad: type(bad).__name__)
@pytest.mark.parametrize("looks_before", [0, 1, 4])
def test_a_value_that_is_neither_number_nor_text_is_refused_with_the_name_of_the_feature(bad, looks_before):
    learner = Learner()
    for _ in range(looks_before):
        learner.learn({"size": 1.0}, 1)
    with pytest.raises(BadInput, match=r"\{name: number\}.*'size'"):
        learner.learn({"size": bad}, 1)
    assert learner.examples_seen == looks_before
    assert not learner.learn({"size": 2.0}, 1) or looks_before == 0


@pytest.mark.parametrize("method", ["learn", "answer", "decide"])
def test_weights_that_overflow_are_an_error_with_a_remedy(method):
    learner = Learner(init=[1e308, -1e308], offset=False)
    with pytest.raises(BadInput, match=r"overflowed.*divide the features"):  # noqa: PT012
        learner.learn([1e308, 1.1e308], 1)  # the first weight becomes 2e308, which is infinity
        getattr(learner, method)([1.0, 1.0], *((1,) if method == "learn" else ()))


# ---------------------------------------------------------------- shapes


@pytest.mark.parametrize(
    "wrong", [[1.0], [1.0, 2.0, 3.0], csr_array([[1.0, 2.0, 3.0]]), np.ones(5, np.float32)]
)
@pytest.mark.parametrize("method", ["learn", "answer"])
def test_another_number_of_features_is_refused(wrong, method):
    learner = Learner()
    learner.learn([1.0, 2.0], 1)
    with pytest.raises(BadInput, match="this Learner has 2; give the same features"):
        getattr(learner, method)(wrong, *((1,) if method == "learn" else ()))


@pytest.mark.parametrize(
    ("x", "problem"),
    [
        ([[1.0, 2.0], [3.0, 4.0]], r"expected one example, got shape \(2, 2\); learn examples one by one"),
        (csr_array(np.eye(3)), r"expected one example, got shape \(3, 3\)"),
        ([], "0 feature"),
        (5.0, r"expected one example, got shape \(\)"),
        (np.ones((2, 2, 2)), r"expected one example, got shape \(2, 2, 2\)"),
        ([1j, 2.0], "Complex data"),
    ],
)
def test_anything_but_one_row_is_refused(x, problem):
    with pytest.raises(BadInput, match=problem):
        Learner().learn(x, 1)


# ---------------------------------------------------------------- labels


@pytest.mark.parametrize("y", [2, "a", "1", None, 0.5, [1], np.array([1])])
def test_labels_that_are_not_known_to_be_positive_or_negative_are_refused_with_a_remedy(y):
    learner = Learner(n_features=1)
    with pytest.raises(
        BadInput, match=r"y: got .*, expected -1 or \+1, 0 or 1.*classes=\[negative, pos.*--cl"
    ):
        learner.learn([1.0], y)
    assert learner.examples_seen == 0


@pytest.mark.parametrize(("first", "other"), [(-1, 0), (0, -1), (False, -1), (True, -1), (0, 2), (-1, "a")])
def test_labels_of_one_kind_are_not_mixed_with_those_of_another(first, other):
    learner = Learner(n_features=1)
    learner.learn([1.0], first)
    with pytest.raises(BadInput, match=r"where this Learner has the labels .* and .*classes=\["):
        learner.learn([1.0], other)
    assert learner.examples_seen == 1


@pytest.mark.parametrize("classes", [["a"], ["a", "a"], ["a", "b", "c"], [None, "a"], "ab", 3])
def test_anything_but_two_classes_is_refused(classes):
    with pytest.raises(BadInput, match=r"expected two, the negative|expected a class|a list of classes"):
        Learner(classes=classes)


# ---------------------------------------------------------------- names or numbers, not both


def test_names_after_numbers_and_numbers_after_names_are_refused():
    with pytest.raises(BadInput, match="features have names here and had numbers before"):
        Learner(n_features=2).learn({"a": 1.0}, 1)
    learner = Learner()
    learner.learn({"a": 1.0}, 1)
    for x in ([1.0], np.ones(64), csr_array(np.ones((1, 64)))):
        with pytest.raises(BadInput, match="features have numbers here and had names before"):
            learner.learn(x, 1)
    assert learner.weights == {"a": 1.0}
