"""A program as a user writes it; `test_public_types.py` checks it with mypy --strict and runs it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

from rosenblatt import (
    AutoPerceptron,
    BadInput,
    Features,
    KernelPerceptron,
    KernelTrace,
    Learner,
    Perceptron,
    PolynomialThreshold,
    Trace,
    load,
    mistake_bound,
    read,
    rules,
    save,
    separate,
    trace,
    verify,
)
from rosenblatt.proof.feature_space import KernelBound
from rosenblatt.proof.novikoff_bound import Bound
from rosenblatt.training.run import Epoch

X: NDArray[np.float64] = np.array([[2.0, 1.0], [0.0, 2.0], [3.0, 0.5], [-1.0, 1.0]])
y = [1, 0, 1, 0]


def stop_early(epoch: Epoch) -> bool:
    """Stop after a pass without a mistake."""
    return epoch.mistakes == 0


model = Perceptron(rule=rules.Margin(tau=0.5), keep="averaged", callbacks=stop_early, random_state=0)
assert_type(model.fit(X, y), Perceptron)
assert_type(model.partial_fit(X, y), Perceptron)
assert_type(model.fit_stream([(X, y)]), Perceptron)
assert_type(model.coef_, NDArray[np.float64])
assert_type(model.intercept_, NDArray[np.float64])
assert_type(model.decision_function(X), NDArray[np.float64])
assert_type(model.predict(X), NDArray[Any])
assert_type(model.set_params(epochs=5), Perceptron)
assert_type(model.training_error(X, y), float)
assert_type(model.weights_by_name(), dict[str, float])
assert_type(model.mistakes_, int)
assert_type(model.updates_, int)
assert_type(model.examples_seen_, int)
assert_type(model.epochs_, int)
assert_type(model.converged_, bool)
assert_type(model.history_, list[Epoch])
assert_type(model.best_epoch_, int)
assert_type(model.n_features_in_, int)

kernel = KernelPerceptron(random_state=0).fit(X, y)
assert_type(kernel, KernelPerceptron)
assert_type(kernel.support_, NDArray[np.int64])
assert_type(kernel.dual_coef_, NDArray[np.float64])
assert_type(kernel.mistakes_, int)
assert_type(PolynomialThreshold().fit(X, y).way_, str)
assert_type(AutoPerceptron(effort="none").fit(X, y), AutoPerceptron)
assert_type(Features().fit(X), Features)

with TemporaryDirectory() as folder:
    path = Path(folder) / "model"
    save(model, path)
    again = load(path, Perceptron)
    assert_type(again, Perceptron)
    assert (again.coef_ == model.coef_).all()

chunk = next(iter(read([(X, y)]).chunks()))
assert chunk.y is not None

verdict = separate(X, y)
assert_type(verdict.separable, bool | None)
assert_type(verify(verdict.proof, X, y).separable, bool | None)
steps = trace(X, y, order="given")
assert_type(steps, Trace)
assert_type(steps.mistakes, int)
assert_type(trace(X, y, kernel="gaussian"), KernelTrace)
assert_type(mistake_bound(X, y), Bound)
assert_type(mistake_bound(X, y, kernel="gaussian"), KernelBound)
learner = Learner()
learner.learn([2.0, 1.0], 1)

try:
    Perceptron(epochs=0).fit(X, y)
except BadInput as error:
    assert_type(str(error), str)
