"""KernelPerceptron: fit and fit again, when it stops, what it tells and what was learned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rosenblatt import KernelPerceptron
from rosenblatt.budgets import Forgetron
from tests.models.kernel_configurations import each_configuration

# ---------------------------------------------------------------- fit and fit again


@each_configuration()
def test_to_fit_again_forgets_what_was_learned(settings, three, noisy):
    model = KernelPerceptron(random_state=0, **settings).fit(*noisy)
    fresh = KernelPerceptron(random_state=0, **settings).fit(*three)
    model.fit(*three)
    assert model.n_features_in_ == 2
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.mistakes_ == fresh.mistakes_
    assert (model.decision_function(three[0]) == fresh.decision_function(three[0])).all()


@each_configuration()
def test_the_same_seed_gives_the_same_run(settings, three):
    def run(seed: Any) -> list[Any]:
        model = KernelPerceptron(random_state=seed, epochs=2, **settings).fit(*three)
        return [model.mistakes_per_class_.tolist(), model.decision_function(three[0]).tolist()]

    assert run(7) == run(7)
    assert run(np.random.RandomState(7)) == run(np.random.RandomState(7))
    assert run(7) != run(8)


def test_classes_are_announced_in_the_first_call(three):
    X, y = three
    first = np.flatnonzero(y == 1)[:5]
    model = KernelPerceptron().partial_fit(X[first], y[first], classes=[2, 0, 1])
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict(X[:3]).shape == (3,)
    model.partial_fit(X, y)
    model.partial_fit(X, y, classes=[0, 1, 2, 2])
    with pytest.raises(ValueError, match=r"classes: got \[0, 1\], learning began with \[0, 1, 2\]"):
        model.partial_fit(X, y, classes=[0, 1])


# ---------------------------------------------------------------- what was learned


@each_configuration()
def test_returned_arrays_may_be_written_to(settings, noisy):
    X, y = noisy
    model = KernelPerceptron(random_state=0, **settings).fit(X, y)
    before = model.decision_function(X)
    model.support_[:] = 0
    if settings.get("keep") != "voted":
        model.dual_coef_[:] = 0.0
    assert (model.decision_function(X) == before).all()


# ---------------------------------------------------------------- validation, warm start, tracked errors


@pytest.mark.parametrize("budget", [None, Forgetron(10)], ids=str)
def test_a_warm_start_continues_where_the_last_run_ended(budget, three):
    X, y = three
    twice = KernelPerceptron(epochs=2, random_state=0, warm_start=True, budget=budget, gamma=1.0).fit(X, y)
    twice.fit(X, y)
    once = KernelPerceptron(epochs=4, random_state=0, budget=budget, gamma=1.0).fit(X, y)
    assert twice.mistakes_ == once.mistakes_
    assert twice.epochs_ == 4
    np.testing.assert_allclose(twice.decision_function(X), once.decision_function(X), rtol=1e-9, atol=1e-9)
