"""KernelPerceptron: repeated and continued fits, announced classes, seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rosenblatt import KernelPerceptron
from rosenblatt.budgets import Forgetron, Oldest, ProjectronPlusPlus
from rosenblatt.rules import Margin
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


@each_configuration(but=("polynomial", "a function"))
def test_of_equal_scores_the_first_class_wins(settings, three):
    X, y = three
    model = KernelPerceptron(gamma=1.0, random_state=0, **{**settings, "offset": False}).fit(X, y)
    far = np.array([[1e6, 0.0], [0.0, -1e6]])  # where every K is 0
    if settings.get("keep") != "voted":
        assert (model.decision_function(far) == 0.0).all()
    assert model.predict(far).tolist() == [0, 0]


def noise(n=80, d=2, seed=0):
    generator = np.random.default_rng(seed)
    return generator.normal(size=(n, d)), generator.integers(0, 2, size=n)


@pytest.mark.parametrize(
    "classes", [[0, 1, None], [0, 1, np.nan], [[0, 1]], np.array(["a", 1, None], object)]
)
@pytest.mark.parametrize("fitted", [False, True])
def test_classes_that_are_none_are_refused(classes, fitted):
    X, y = noise()
    model = KernelPerceptron().fit(X, y) if fitted else KernelPerceptron()
    with pytest.raises(ValueError, match="classes: "):
        model.partial_fit(X, y, classes=classes)


@pytest.mark.filterwarnings("error")
def test_weights_that_overflow_are_not_blamed_on_the_kernel():
    X, y = noise()
    with pytest.raises(ValueError, match="weight"):
        KernelPerceptron(class_weight={0: 1e308, 1: 1e308}, keep="last").fit(X, y)
    with pytest.raises(ValueError, match="weight"):
        KernelPerceptron(class_weight={0: 1e200, 1: 1e200}).fit(X, y, sample_weight=np.full(80, 1e200))


def test_a_row_that_is_right_never_joins_the_support_of_projectron_plus_plus():
    X, y = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.04, -0.04, 0.05]]), [0, 0, 1]
    budget = ProjectronPlusPlus(5)
    model = KernelPerceptron(
        kernel="linear", budget=budget, order="given", epochs=1, tie="positive", keep="last"
    )
    assert model.fit(X, y).mistakes_ == 2
    assert model.support_.tolist() == [0, 1]


def test_integer_rows_predicted_with_support_rows_that_are_not_integers_use_the_plain_loop():
    """0.1 + 0.2 − 0.3 is not 0 in floating point, and the order of the sum decides its sign."""
    X = np.array([[0.1], [0.2], [-0.3], [0.0]])
    model = KernelPerceptron(
        kernel="linear", rule=Margin(tau=1e300), budget=Oldest(3), order=[0, 1, 2], epochs=1, keep="last"
    )
    model.fit(X, [1, 1, 1, 0])
    asked = np.array([[1.0], [3.0], [-7.0]])
    plain = [(0.1 * x + 0.2 * x) + -0.3 * x for x in asked[:, 0]]
    assert model.decision_function(asked).tolist() == plain
    assert model._state.without_budget("last").rounding(0, True, 1.0) > 0.0, "tenths are not summed exactly"
