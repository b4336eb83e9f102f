"""Runs of models and learners with a rule, for the tests of rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt import Learner, Perceptron


def train_perceptron(rule: Any, X: Any, y: Any, **parameters: Any) -> Perceptron:
    """Return a Perceptron after `fit` in the given order."""
    return Perceptron(rule=rule, **{"order": "given", **parameters}).fit(X, y)


def weights(model: Perceptron) -> NDArray[np.float64]:
    """Return (w, b) of a model, as one vector."""
    return np.append(model.coef_[0], model.intercept_)


class Step(NamedTuple):
    """One look of a Learner, with (w, b) before and after it and x̃ = (x, 1) or (x, 0)."""

    x: NDArray[np.float64]
    y: int
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    mistake: bool
    updated: bool

    @property
    def agreement(self) -> float:
        return float(self.y * (self.before @ self.x))

    @property
    def loss(self) -> float:
        """max(0, 1 − agreement)."""
        return max(0.0, 1.0 - self.agreement)


def steps(rule: Any, X: Any, y: Any, epochs: int = 1, offset: bool = True) -> Iterator[Step]:
    """Yield a run, look by look, as a Learner makes it."""
    learner = Learner(rule=rule, offset=offset, n_features=X.shape[1])
    for i in list(range(len(X))) * epochs:
        before, updates = learner.state.current(), learner.updates
        mistake = learner.learn(X[i], int(y[i]))
        x, after = np.append(X[i], float(offset)), learner.state.current()
        yield Step(x, int(y[i]), before, after, mistake, learner.updates > updates)
