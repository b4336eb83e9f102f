"""The training error of estimators, on request or tracked in each pass."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from rosenblatt import KernelPerceptron, Perceptron, PolynomialThreshold, budgets
from rosenblatt.errors import BadInput

KEEPERS = ["last", "averaged", "voted", "random"]
WAYS = {
    "perceptron": lambda **given: Perceptron(**given),
    "kernel perceptron": lambda **given: KernelPerceptron(gamma=0.5, **given),
    "by the map": lambda **given: PolynomialThreshold(way="map", **given),
    "by the kernel": lambda **given: PolynomialThreshold(way="kernel", coef0=0.0, **given),
}


def problem(n_classes, seed=0):
    """Rows whose classes overlap, so that errors stay."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(60, 2))
    return X, np.r_[np.arange(n_classes), generator.integers(0, n_classes, 60 - n_classes)]


@pytest.mark.parametrize("tie", ["mistake", "negative", "positive"])
def test_a_score_of_0_is_wrong_by_default_and_otherwise_determined_by_tie(tie):
    """(0, 0) scores 0 by a homogeneous kernel; (1, 0) and (−1, 0) do not."""
    X, y = [[1.0, 0.0], [-1.0, 0.0], [0.0, 0.0], [0.0, 0.0]], ["yes", "no", "no", "yes"]
    line = Perceptron(offset=False, order="given", tie=tie, epochs=2).fit(X, y)
    want = {"mistake": 0.5, "negative": 0.25, "positive": 0.25}[tie]
    assert line.training_error(X, y) == want
    for model in (
        KernelPerceptron(kernel="linear", order="given", tie=tie, epochs=2),
        PolynomialThreshold(1, "map", 0.0, order="given", tie=tie, epochs=2),
        PolynomialThreshold(3, "kernel", 0.0, order="given", tie=tie, epochs=2),
    ):
        for keep in ("last", "averaged"):
            assert model.set_params(keep=keep).fit(X, y).training_error(X, y) == want
            assert model.training_error(X[2:3], ["yes"]) == (tie != "positive")


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("keep", KEEPERS)
@pytest.mark.parametrize("kind", WAYS)
def test_the_error_tracked_in_a_pass_is_the_error_of_a_run_which_ends_there(kind, keep, n_classes):
    keep = "pocket" if kind == "perceptron" and keep == "random" else keep
    X, y = problem(n_classes)
    model = WAYS[kind](epochs=3, keep=keep, track_error=True, random_state=1).fit(X, y)
    ends = [WAYS[kind](epochs=t, keep=keep, random_state=1).fit(X, y) for t in (1, 2, 3)]
    tracked = [record.training_error for record in model.history_]
    assert tracked == [end.training_error(X, y) for end in ends]
    is_wrong = model.predict(X) != y
    if n_classes == 2:
        is_wrong |= model.decision_function(X) == 0.0  # votes can be even
    assert model.training_error(X, y) == is_wrong.mean() > 0.0
    assert [record.training_error for record in ends[0].history_] == [None]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("keep", ["last", "averaged"])
@pytest.mark.parametrize("budget", [4, budgets.Forgetron(4), budgets.Oldest(4)], ids=str)
def test_on_a_budget_too(budget, keep, n_classes):
    X, y = problem(n_classes, 3)
    settings = {"gamma": 0.5, "budget": budget, "keep": keep, "random_state": 0}
    model = KernelPerceptron(epochs=3, track_error=True, **settings).fit(X, y)
    ends = [KernelPerceptron(epochs=t, **settings).fit(X, y) for t in (1, 2, 3)]
    tracked = [record.training_error for record in model.history_]
    assert tracked == [end.training_error(X, y) for end in ends]


def test_rows_of_weight_0_are_no_training_rows():
    X, y = problem(2)
    weight = (np.arange(60) % 4 > 0).astype(float)
    model = KernelPerceptron(gamma=0.5, epochs=2, track_error=True, random_state=0)
    model.fit(X, y, sample_weight=weight)
    there = weight > 0
    assert model.history_[-1].training_error == model.training_error(X[there], y[there])


def test_models_without_a_training_error():
    X, y = problem(2)
    for make in WAYS.values():
        with pytest.raises(NotFittedError):
            make().training_error(X, y)
        model = make(epochs=1).fit(X, y)
        with pytest.raises(BadInput, match=r"^y: label 7 in row 0 is (not one of|neither)"):
            model.training_error(X, np.full(60, 7))
        with pytest.raises(BadInput, match=r"^X has 1 features"):
            model.training_error(X[:, :1], y)
        with pytest.raises(BadInput, match=r"^y: "):
            model.training_error(X, y[:-1])
