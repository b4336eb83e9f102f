"""A Learner takes arrays, sparse rows and dicts, whose features may appear late."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array, csr_array, csr_matrix

from rosenblatt import Learner, Perceptron
from rosenblatt.budgets import Forgetron, Oldest, Projectron, ProjectronPlusPlus, RandomBudget
from rosenblatt.kernels import Polynomial
from tests.covering import all_turns, in_turn

ROWS, FEATURES = 60, 4
BUDGETS = [Oldest, RandomBudget, Forgetron, Projectron, ProjectronPlusPlus]
NAMES = ["height", "weight", "age", "shoe size"]


@pytest.fixture(scope="module")
def stream():
    generator = np.random.default_rng(8)
    X = np.round(generator.normal(size=(ROWS, FEATURES)), 2)
    X[generator.random(X.shape) < 0.3] = 0.0
    y = np.where(X @ [1.0, -1.0, 2.0, 0.5] + 0.4 * generator.normal(size=ROWS) > 0.1, 1, -1)
    return X, y


def as_dict(x):
    return {name: value for name, value in zip(NAMES, x.tolist(), strict=True) if value != 0.0}


FORMS = {
    "array": lambda x: x,
    "list": lambda x: x.tolist(),
    "tuple": lambda x: tuple(x.tolist()),
    "array of objects": lambda x: x.astype(object),
    "one row of a matrix": lambda x: x.reshape(1, -1),
    "strided": lambda x: np.repeat(x, 2)[::2],
    "read-only": lambda x: np.frombuffer(x.tobytes()),
    "big-endian": lambda x: x.astype(">f8"),
    "csr row": lambda x: csr_array(x.reshape(1, -1)),
    "csr matrix": lambda x: csr_matrix(x.reshape(1, -1)),
    "sparse vector": coo_array,
    "series": pd.Series,
    "data frame": lambda x: pd.DataFrame([x], columns=NAMES),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_mistakes_and_weights_of_partial_fit(stream, form):
    X, y = stream
    learner = Learner()
    mistakes = [learner.learn(FORMS[form](x), label) for x, label in zip(X, y.tolist(), strict=True)]
    model = Perceptron().partial_fit(X, y)
    assert sum(mistakes) == learner.mistakes == model.mistakes_
    assert learner.weights.tobytes() == model.coef_[0].tobytes()
    assert learner.offset_weight == model.intercept_[0]
    assert learner.examples_seen == ROWS


def test_dicts_of_one_make_between_dicts_of_another(stream):
    # the same names three times over, the same names backwards, fewer names, a hundred new ones
    X, y = stream
    learner, wide = Learner(), Learner(n_features=FEATURES + 100)
    for i, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        named = dict(zip(NAMES, x.tolist(), strict=True))
        x = np.concatenate([x, np.zeros(100)])
        if i % 5 == 3:
            named = dict(reversed(named.items()))
        if i % 7 == 4:
            del named["age"]
            x[2] = 0.0
        if i == 20:
            named |= {f"new {j}": 1.0 for j in range(100)}
            x[FEATURES:] = 1.0
        assert learner.learn(named, label) == wide.learn(x, label)
    assert list(learner.weights.values()) == wide.weights.tolist()
    assert learner.offset_weight == wide.offset_weight


def test_arrays_of_the_same_make_but_for_the_type():
    learner, plain = Learner(offset=False), Learner(offset=False)
    types = [np.float64, np.float64, np.int64, np.float64, np.dtype(">f8"), np.uint64, np.float64]
    for j, dtype in enumerate(types * 3):
        x, label = np.array([j % 5, 3, j % 3]), 1 if j % 2 else -1
        assert learner.learn(x.astype(dtype), label) == plain.learn(x.tolist(), label)
        assert learner.weights.tolist() == plain.weights.tolist()


@pytest.mark.parametrize(
    ("settings", "copied", "form"),
    all_turns(
        [
            *({"keep": keep} for keep in ("last", "averaged", "voted", "pocket")),
            {"rule": "alma"},
            {"multiclass": "one_vs_rest", "keep": "averaged", "rule": "margin"},
            {"multiclass": "ultraconservative", "sharing": "uniform", "keep": "pocket"},
            {"kernel": "gaussian"},
            *({"kernel": "gaussian", "budget": budget(6)} for budget in BUDGETS),
        ],
        [copy.copy, copy.deepcopy, lambda learner: pickle.loads(pickle.dumps(learner))],
        [lambda x: x, as_dict, lambda x: dict(zip(NAMES, x.tolist(), strict=True))],
    ),
)
def test_a_copy_continues_where_the_learner_was_and_apart_from_it(stream, settings, copied, form):
    X, y = stream
    learner = Learner(**settings)
    for x, label in zip(X[:30], y[:30].tolist(), strict=True):
        learner.learn(form(x), label)
    twin = copied(learner)
    before = learner.mistakes, learner.examples_seen, [learner.decide(form(x)) for x in X]
    for x, label in zip(X[30:], y[30:].tolist(), strict=True):
        twin.learn(form(x), label)
    assert (learner.mistakes, learner.examples_seen, [learner.decide(form(x)) for x in X]) == before
    for x, label in zip(X[30:], y[30:].tolist(), strict=True):
        learner.learn(form(x), label)
    assert twin.mistakes == learner.mistakes
    assert [twin.decide(form(x)) for x in X] == [learner.decide(form(x)) for x in X]


@pytest.mark.parametrize("rule", ["rosenblatt", "passive_aggressive"])
def test_a_sparse_row_that_names_a_column_twice_is_the_sum(rule):
    twice = csr_array((np.array([1.0, 1.0]), np.array([0, 0]), np.array([0, 2])), shape=(1, 2))
    learner, plain = Learner(rule=rule), Learner(rule=rule)
    learner.learn(twice, 1)
    plain.learn([2.0, 0.0], 1)
    assert learner.weights.tolist() == plain.weights.tolist()


def test_the_example_is_left_as_it_was():
    x = np.array([1.0, 2.0])
    learner = Learner()
    learner.learn(x, 1)
    assert x.tolist() == [1, 2]
    assert x.flags.writeable
    named = {"a": 1.0}
    learner = Learner()
    learner.learn(named, 1)
    assert named == {"a": 1.0}


def test_weights_are_a_copy():
    learner = Learner(n_features=2)
    learner.weights[:] = 7.0
    assert learner.weights.tolist() == [0, 0]


@pytest.mark.parametrize("keep", ["averaged", "voted", "pocket"])
def test_answers_come_from_the_current_weights_whatever_is_kept(stream, keep):
    X, y = stream
    plain, kept = Learner(), Learner(keep=keep)
    for x, label in zip(X, y.tolist(), strict=True):
        assert kept.answer(x) == plain.answer(x)
        assert kept.reveal(label) == plain.reveal(label)
    assert kept.weights.tolist() == plain.weights.tolist()


# ---------------------------------------------------------------- features that appear late


LATE = [
    *({"keep": keep} for keep in ("last", "averaged", "voted", "pocket")),
    {"rule": "alma"},
    *({"multiclass": "one_vs_rest", "keep": keep} for keep in ("last", "averaged", "voted", "pocket")),
    *({"multiclass": "ultraconservative", "keep": keep} for keep in ("last", "averaged", "pocket")),
    *({"kernel": kernel} for kernel in ("linear", "polynomial", "gaussian", "laplacian")),
    *({"kernel": "gaussian", "budget": budget} for budget in (10, Oldest(6))),
    {"kernel": Polynomial(2, 0.5, 0.0), "budget": Oldest(6)},
]


@pytest.mark.parametrize(("settings", "offset"), in_turn(LATE * 2, [False, True]), ids=str)
def test_late_features_are_learned_as_if_they_had_been_there_from_the_start(settings, offset):
    """Row t has features up to t, more than the initial arrays hold."""
    generator = np.random.default_rng(6)
    n, d = 90, 150
    X = np.zeros((n, d))
    for t in range(n):
        chosen = generator.choice(min(d, 2 + 2 * t), size=2, replace=False)
        X[t, chosen] = generator.normal(size=2)
    y = np.digitize(X.sum(axis=1), [-0.7, 0.7] if "multiclass" in settings else [0.0])
    named, plain = (Learner(**settings, offset=offset) for _ in range(2))
    for x, label in zip(X, y.tolist(), strict=True):
        row = {f"f{j}": x[j] for j in np.flatnonzero(x)}
        assert named.decide(row) == pytest.approx(plain.decide(x), rel=1e-9, abs=1e-12)
        assert named.answer(row) == plain.answer(x)
        assert named.reveal(label) == plain.reveal(label)
    assert (named.mistakes, named.updates) == (plain.mistakes, plain.updates)
    assert named.classes == plain.classes


def test_predicting_does_not_enlarge_arrays():
    learner = Learner()
    learner.learn({"a": 1.0}, 1)
    before = learner.state.n_features
    for j in range(200):
        learner.answer({f"unheard {j}": 1.0})
        learner.predict({f"unheard {j}": 1.0})
    assert learner.weights == {"a": 1.0}
    assert learner.state.n_features == before


def test_an_example_without_features_teaches_the_offset_alone():
    learner = Learner()
    assert learner.learn({}, 1)
    assert learner.weights == {}
    assert learner.offset_weight == 1
    assert learner.answer({"any": 3.0}) == 1
    assert [learner.learn({}, -1) for _ in range(4)] == [True, True, False, False]
