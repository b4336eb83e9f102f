"""Past states of a kernel perceptron: `as_of` and `staged_predict`."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError

from rosenblatt import KernelPerceptron
from rosenblatt.budgets import Forgetron
from rosenblatt.errors import BadInput
from tests.covering import case_id

KEEPERS = ["last", "averaged", "voted", "random"]
N = 60


def rings(n_classes, whole=False, seed=0):
    """Rings around the origin, a class each, some labels wrong; in whole numbers full of ties."""
    generator = np.random.default_rng(seed)
    X = generator.integers(-2, 3, (N, 2)).astype(float) if whole else generator.normal(size=(N, 2))
    lengths = np.linalg.norm(X, axis=1)
    y = np.searchsorted(np.quantile(lengths, np.arange(1, n_classes) / n_classes), lengths)
    y = np.where(generator.random(N) < 0.2, generator.integers(0, n_classes, N), y)
    y[:n_classes] = np.arange(n_classes)
    return X, y


# ---------------------------------------------------------------- answers of the past


def test_any_averaging_strategies_and_moments_may_be_requested_at_once_in_any_order():
    X, y = rings(3)
    model = KernelPerceptron(epochs=3, random_state=0).fit(X, y)
    asked = [(keep, looks) for looks in (170, 1, 60) for keep in KEEPERS]
    together = model.staged_predict(X, asked)
    assert [answers.tolist() for answers in together] == [
        model.staged_predict(X, [question])[0].tolist() for question in asked
    ]
    ends = model.staged_predict(X, [(keep, model.examples_seen_) for keep in KEEPERS])
    assert [answers.tolist() for answers in ends] == [
        copy.copy(model).set_params(keep=keep).predict(X).tolist() for keep in KEEPERS
    ]
    assert model.staged_predict(X, []) == []


def test_classes_of_the_past_have_their_names_and_sparse_rows_are_dense_rows():
    X, y = rings(3)
    names = np.array(["inner", "middle", "outer"])
    dense = KernelPerceptron(random_state=0, gamma=0.5).fit(X, names[y])
    sparse = KernelPerceptron(random_state=0, gamma=0.5).fit(csr_array(X), names[y])
    asked = [("last", 50), ("voted", 100), ("averaged", 300)]
    for one, other in zip(
        dense.staged_predict(X, asked), sparse.staged_predict(csr_array(X), asked), strict=True
    ):
        assert one.tolist() == other.tolist()
        assert set(one) <= set(names)


def test_predicting_from_a_past_state_changes_nothing():
    X, y = rings(2)
    model = KernelPerceptron(random_state=0).fit(X, y)
    before, survival = model.decision_function(X), model.survival_.tolist()
    model.staged_predict(X, [("last", 5), ("voted", 30)])
    model.as_of(30).predict(X)
    assert (model.decision_function(X) == before).all()
    assert (model.survival_.tolist(), model.examples_seen_) == (survival, 10 * N)
    model.partial_fit(X, y)  # goes on


# ---------------------------------------------------------------- models of the past


def test_every_step_of_a_run():
    X, y = rings(2, whole=True)
    model = KernelPerceptron(kernel="linear", order="given", epochs=1, keep="last").fit(X, y)
    w = np.zeros(2)
    for t in range(N + 1):
        before = model.as_of(t)
        assert (before.dual_coef_ @ before.support_vectors_).ravel().tolist() == w.tolist()
        assert before.updates_ == len(before.survival_) - 1
        assert before.survival_.sum() == t
        assert before.predict(X).tolist() == (X @ w > 0).astype(int).tolist()
        if t < N and (2 * y[t] - 1) * (w @ X[t]) <= 0:
            w = w + (2 * y[t] - 1) * X[t]
    assert model.as_of(N).support_.tolist() == model.support_.tolist()


@pytest.mark.parametrize("rows", [np.asarray, csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_before_the_first_step_there_is_nothing(n_classes, rows):
    X, y = rings(n_classes)
    start = KernelPerceptron(random_state=0).fit(rows(X), y).as_of(0)
    assert (start.support_.tolist(), start.updates_, start.examples_seen_) == ([], 0, 0)
    assert start.dual_coef_.shape == (n_classes if n_classes > 2 else 1, 0)
    assert start.support_vectors_.shape == (0, 2)
    assert (start.predict(rows(X)) == 0).all()
    assert not start.decision_function(rows(X)).any()


def test_a_past_state_has_past_states_and_stages():
    X, y = rings(3)
    model = KernelPerceptron(random_state=0, epochs=3).fit(X, y)
    twice = model.as_of(100).as_of(40)
    assert twice.dual_coef_.tolist() == model.as_of(40).dual_coef_.tolist()
    one = model.as_of(100).staged_predict(X, [("voted", 60)])[0]
    assert one.tolist() == model.staged_predict(X, [("voted", 60)])[0].tolist()
    with pytest.raises(BadInput, match="looks: expected a whole number of steps from 0 to 100, got 101"):
        model.as_of(100).as_of(101)
    with pytest.raises(BadInput, match="from 1 to 100"):
        model.as_of(100).staged_predict(X, [("last", 101)])


def test_a_record_of_updates_lacks_facts_it_does_not_contain():
    X, y = rings(2)
    before = KernelPerceptron(random_state=0).fit(X, y).as_of(50)
    for name in ("mistakes_", "mistakes_per_class_", "exact_decisions_", "history_", "converged_",
                 "best_epoch_", "epochs_"):  # fmt: skip
        assert not hasattr(before, name)


def test_after_validation_the_past_equals_that_of_what_was_kept():
    X, y = rings(3, seed=2)
    model = KernelPerceptron(epochs=6, random_state=5, kernel="linear", validation=(X[40:], y[40:]))
    model.fit(X[:40], y[:40])
    kept = 40 * model.best_epoch_
    assert model.as_of(kept).predict(X).tolist() == model.predict(X).tolist()
    with pytest.raises(BadInput, match=f"from 0 to {kept}"):
        model.as_of(kept + 1)


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize("looks", [-1, 10 * N + 1, float("nan"), 10**30, 2.5, True, "3", None], ids=case_id)
def test_steps_that_were_not_made_are_refused(looks):
    X, y = rings(2)
    model = KernelPerceptron(random_state=0).fit(X, y)
    with pytest.raises(BadInput, match="looks: expected a whole number of steps from 0 to 600, got"):
        model.as_of(looks)
    with pytest.raises(BadInput, match="looks: expected a whole number of steps from 1 to 600, got"):
        model.staged_predict(X, [("last", 1), ("last", looks)])


@pytest.mark.parametrize(
    ("settings", "question", "sentence"),
    [
        ({}, ("pocket", 3), "keep: got 'pocket', expected one of"),
        ({"budget": 10}, ("last", 3), "budget: with a budget past vectors are not stored"),
        ({"budget": Forgetron(10)}, ("last", 3), "budget: with a budget past vectors are not stored"),
    ],
    ids=case_id,
)
def test_a_past_that_is_not_recorded_is_refused(settings, question, sentence):
    X, y = rings(2)
    model = KernelPerceptron(**settings).fit(X, y)
    with pytest.raises(BadInput, match=sentence):
        model.staged_predict(X, [question])
    if settings:
        with pytest.raises(BadInput, match=sentence):
            model.as_of(3)


def test_a_model_of_the_past_cannot_learn_on():
    X, y = rings(2)
    before = KernelPerceptron(random_state=0, warm_start=True).fit(X, y).as_of(50)
    for learn_on in (before.partial_fit, before.fit):
        with pytest.raises(BadInput, match=r"is a past state \(as_of\).*use the original"):
            learn_on(X, y)
    assert before.examples_seen_ == 50


def test_a_fit_that_starts_again_has_no_past():
    X, y = rings(2)
    model = KernelPerceptron(random_state=0).fit(X, y).as_of(50).fit(X, y)
    assert model.mistakes_ == KernelPerceptron(random_state=0).fit(X, y).mistakes_
    assert model.partial_fit(X, y).examples_seen_ == 11 * N


def test_before_fit_there_is_no_past():
    with pytest.raises(NotFittedError):
        KernelPerceptron().as_of(1)
    with pytest.raises(NotFittedError):
        KernelPerceptron().staged_predict([[1.0]], [("last", 1)])
