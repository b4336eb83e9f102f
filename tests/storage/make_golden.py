"""Make the golden files: `python tests/storage/make_golden.py`, once for each format version.

Files that exist are left alone. Next to each model are its answers on the day it was saved.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from rosenblatt import KernelPerceptron, Learner, Perceptron, PolynomialThreshold, budgets, kernels, rules
from rosenblatt.models.saving import save

FOLDER = Path(__file__).parent / "golden"

X = np.random.default_rng(3).integers(-4, 5, size=(24, 3)).astype(np.float64)
TWO = (X @ [2.0, -1.0, 0.5] + np.random.default_rng(4).normal(size=24) > 0).astype(np.int64)
MANY = np.random.default_rng(5).integers(0, 3, size=24)
LABELS = (X @ np.random.default_rng(6).normal(size=(3, 4)) > 0.5).astype(np.int64)
WORDS = np.array(["ape", "bee", "cat"])[MANY]
NAMED = [{"u": float(row[0]), "w": float(row[2]), "v": float(row[1])} for row in X]


def fit_model(y: Any, X: Any = X, kind: Any = Perceptron, **parameters: Any) -> Callable[[], Any]:
    return lambda: kind(**{"random_state": 0, "epochs": 3, **parameters}).fit(X, y)


def stream_model(y: Any, X: Any = X, kind: Any = Perceptron, **parameters: Any) -> Callable[[], Any]:
    def learn() -> Any:
        model = kind(**{"random_state": 0, **parameters})
        return model.partial_fit(X[:8], y[:8]).partial_fit(X[8:], y[8:])

    return learn


def taught(y: Any, X: Any = X, **parameters: Any) -> Callable[[], Learner]:
    def learn() -> Learner:
        learner = Learner(**parameters)
        for x, label in zip(X, y, strict=True):
            learner.learn(x, label.item())
        return learner

    return learn


SIGNS = 2 * TWO - 1
CSR = sparse.csr_array(X)
CSR64 = sparse.csr_array(X.astype(np.float32))
CSR64.indices, CSR64.indptr = CSR64.indices.astype(np.int64), CSR64.indptr.astype(np.int64)
TABLE = pd.DataFrame(X, columns=["width", "höhe", "depth"])
DAYS = np.array(["2024-02-02", "2023-01-01", "2025-01-01"], "M8[D]")[MANY]

MODELS: dict[str, Callable[[], Any]] = {
    "two-last": fit_model(TWO),
    "two-margin-class-weight": fit_model(
        TWO, TABLE, rule=rules.Margin(tau=0.5), class_weight={0: 1, 1: 2.5}, track_error=True
    ),
    "two-averaged-alma": fit_model(TWO, keep="averaged", rule="alma", validation=0.25),
    "two-averaged-forgetting-sparse": fit_model(TWO, CSR, keep="averaged", rule="forgetting"),
    "two-voted-romma": fit_model(np.where(TWO, "yes", "no"), keep="voted", rule="romma"),
    "two-voted-sparse": fit_model(
        TWO.astype(bool), CSR64, keep="voted", order=list(range(24)), tie="positive"
    ),
    "two-pocket": fit_model(TWO.astype(np.float32), keep="pocket", init=(np.array([1.0, 0.0, -1.0]), 0.5)),
    "two-stream-no-offset": stream_model(TWO, offset=False, init="unit", class_weight="balanced"),
    "many-averaged": fit_model(WORDS, keep="averaged", init=np.arange(9.0).reshape(3, 3)),
    "many-sparse": fit_model(DAYS, CSR, rule="uneven_margin"),
    "many-voted": fit_model(WORDS.astype(object), keep="voted"),
    "many-alma-pocket": fit_model(WORDS.astype("S"), keep="pocket", rule="alma"),
    "many-late": stream_model(
        MANY, allow_new_classes=True, keep="averaged", init=np.array([1.0, 2.0, 3.0])
    ),
    "shared-pocket": fit_model(MANY, multiclass="ultraconservative", keep="pocket"),
    "shared-averaged-sparse": fit_model(
        MANY, CSR, multiclass="ultraconservative", sharing="proportional", keep="averaged"
    ),
    "labels-table": fit_model(pd.DataFrame(LABELS, columns=["a", "b", "c", "d"]), TABLE, keep="averaged"),
    "labels-sparse": fit_model(sparse.csr_array(LABELS), CSR, rule="passive_aggressive_1"),
    "kernel-two": fit_model(TWO, kind=KernelPerceptron),
    "kernel-voted": fit_model(
        WORDS, kind=KernelPerceptron, kernel=kernels.Polynomial(degree=2), keep="voted", offset=True
    ),
    "kernel-sparse": fit_model(
        TWO, CSR, kind=KernelPerceptron, kernel="laplacian", gamma=0.1, rule="margin"
    ),
    "kernel-stream": stream_model(MANY, TABLE, kind=KernelPerceptron, kernel="linear", keep="random"),
    "kernel-past": lambda: fit_model(TWO, kind=KernelPerceptron)().as_of(20),
    "budget-projectron": fit_model(TWO, kind=KernelPerceptron, budget=4),
    "budget-plus": fit_model(MANY, kind=KernelPerceptron, budget=budgets.ProjectronPlusPlus(size=4)),
    "budget-forgetron": fit_model(TWO, CSR, kind=KernelPerceptron, budget=budgets.Forgetron(size=5)),
    "budget-random": fit_model(
        MANY, kind=KernelPerceptron, budget=budgets.RandomBudget(size=3), keep="last"
    ),
    "budget-oldest": stream_model(TWO, kind=KernelPerceptron, budget=budgets.Oldest(size=30)),
    "polynomial-map": fit_model(TWO, TABLE, kind=PolynomialThreshold, way="map"),
    "polynomial-homogeneous": fit_model(
        MANY, kind=PolynomialThreshold, way="map", coef0=0.0, keep="averaged"
    ),
    "polynomial-kernel": fit_model(MANY, kind=PolynomialThreshold, degree=3, way="kernel", keep="averaged"),
    "learner-new": lambda: Learner(rule="alma", keep="averaged"),
    "learner-linear": taught(SIGNS, keep="averaged"),
    "learner-pocket": taught(SIGNS, CSR.toarray().astype(np.float32), keep="pocket", rule="forgetting"),
    "learner-named": taught(SIGNS, NAMED, tie="positive"),
    "learner-named-voted": taught(SIGNS, NAMED, keep="voted"),
    "learner-classes": taught(WORDS, keep="averaged", multiclass="one_vs_rest"),
    "learner-classes-voted": taught(MANY, NAMED, keep="voted", multiclass="one_vs_rest", classes=[2, 0]),
    "learner-shared": taught(WORDS, NAMED, multiclass="ultraconservative", sharing="uniform"),
    "learner-waiting": lambda: Learner(multiclass="one_vs_rest", n_features=3, init=np.ones(3)),
    "learner-kernel": taught(SIGNS, kernel=kernels.Gaussian(gamma=0.2), keep="voted"),
    "learner-kernel-named": taught(SIGNS, NAMED, kernel="gaussian"),
    "kinds-two": fit_model(TWO),
    "kinds-shared": fit_model(MANY, multiclass="ultraconservative"),
    "kinds-kernel": fit_model(MANY, kind=KernelPerceptron),
    "kinds-learner": taught(SIGNS),
    "learner-budget": taught(SIGNS, NAMED, kernel="linear", budget=3, keep="averaged"),
}
"""Every kind of state, keeper, layout and name, each in a small model."""


def answers(model: Any) -> dict[str, Any]:
    """What a model says, in numbers whose every digit counts, and in words."""
    if isinstance(model, Learner):
        return _answers_of_learner(model)
    values = np.asarray(model.decision_function(TABLE if hasattr(model, "feature_names_in_") else X))
    predicted = model.predict(TABLE if hasattr(model, "feature_names_in_") else X)
    predicted = predicted.toarray() if sparse.issparse(predicted) else predicted
    return {
        "values": [float(value).hex() for value in values.ravel()],
        "predicted": [str(label) for label in np.ravel(predicted)],
        "examples_seen": int(model.examples_seen_),
        "updates": int(model.updates_),
    }


def _answers_of_learner(model: Learner) -> dict[str, Any]:
    rows = NAMED if model.trainer.features.are_named else list(X)
    if model.trainer.n_features is None:
        return {"values": [], "predicted": [], "examples_seen": 0, "updates": 0}
    decided = [model.decide(x) for x in rows]
    flat = [v for each in decided for v in (each.values() if isinstance(each, dict) else [each])]
    return {
        "values": [float(value).hex() for value in flat],
        "predicted": [str(model.predict(x)) for x in rows],
        "examples_seen": model.examples_seen,
        "updates": model.updates,
    }


def make() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, build in MODELS.items():
        path = FOLDER / f"{name}.safetensors"
        if path.exists():
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = build()
        save(model, path)
        path.with_suffix(".json").write_text(json.dumps(answers(model), indent=0) + "\n")
        assert path.stat().st_size < 20_000, path


if __name__ == "__main__":
    make()
