"""Fixtures for the tests of rules: naive references, data, and a look-by-look replay."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from rosenblatt import Learner, Perceptron, rules

TESTS = Path(__file__).parent.parent

EVERY_RULE: dict[str, dict[str, float]] = {
    "rosenblatt": {"rate": 0.3},
    "margin": {"tau": 0.7, "rate": 0.3},
    "uneven_margin": {"tau_positive": 1.1, "tau_negative": 0.2, "rate": 0.3},
    "passive_aggressive": {},
    "passive_aggressive_1": {"C": 0.2},
    "passive_aggressive_2": {"C": 0.7},
    "alma": {"alpha": 0.6},
    "romma": {},
    "aggressive_romma": {},
    "forgetting": {"fade": 3.0},
}
"""Each rule with parameters that are not its defaults: one that is ignored shows. Those that keep arrays
are in `test_confident_rules`, beside references of their own."""


@pytest.fixture(scope="session")
def naive(load) -> ModuleType:
    """The rules as their docstrings have them, and the walk."""
    return load(TESTS / "rules" / "naive_rules.py")


@pytest.fixture(scope="session")
def naive_keepers(load) -> ModuleType:
    """What each keeper would keep, from all the vectors of a run."""
    return load(TESTS / "averaging" / "naive_keepers.py")


@pytest.fixture(scope="session")
def problems(load) -> ModuleType:
    """Data to learn from."""
    return load(TESTS / "rules" / "problems.py")


def both_of(name: str, naive: ModuleType) -> tuple[Any, Callable[..., Any]]:
    """A rule twice: ours, and the naive one with the same parameters."""
    parameters = EVERY_RULE[name]
    return rules.RULES[name](**parameters), partial(getattr(naive, name), **parameters)


@pytest.fixture(scope="session", params=EVERY_RULE)
def both(request, naive: ModuleType) -> tuple[Any, Callable[..., Any]]:
    """Each rule twice: ours, and the naive one with the same parameters."""
    return both_of(request.param, naive)


@pytest.fixture(scope="session")
def train_perceptron() -> Callable[..., Perceptron]:
    """A Perceptron after `fit` in the given order."""

    def train(rule: Any, X: Any, y: Any, **parameters: Any) -> Perceptron:
        return Perceptron(rule=rule, **{"order": "given", **parameters}).fit(X, y)

    return train


@pytest.fixture(scope="session")
def weights() -> Callable[[Perceptron], NDArray[np.float64]]:
    """(w, b) of a model, as one vector."""
    return lambda model: np.append(model.coef_[0], model.intercept_)


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


@pytest.fixture(scope="session")
def steps() -> Callable[..., Iterator[Step]]:
    """A run, look by look, as a Learner makes it."""

    def replay(rule: Any, X: Any, y: Any, epochs: int = 1, offset: bool = True) -> Iterator[Step]:
        learner = Learner(rule=rule, offset=offset, n_features=X.shape[1])
        for i in list(range(len(X))) * epochs:
            before, updates = learner.state.current(), learner.updates
            mistake = learner.learn(X[i], int(y[i]))
            yield Step(
                np.append(X[i], float(offset)), int(y[i]), before, learner.state.current(),
                mistake, learner.updates > updates,
            )  # fmt: skip

    return replay
