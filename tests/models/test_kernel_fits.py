"""KernelPerceptron: fits and continued fits, classes of any type, and settings that meet."""

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


# ---------------------------------------------------------------- classes


NAMES = {
    "words": np.array(["ant", "bee", "cat"]),
    "objects": np.array(["ant", "bee", "cat"], dtype=object),
    "whole floats": np.array([-1.0, 0.0, 5.0]),
    "large numbers": np.array([-(2**40), 3, 2**40]),
    "uint8": np.array([0, 7, 255], dtype=np.uint8),
}


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
@each_configuration()
def test_classes_may_be_called_anything(settings, names, three):
    X, y = three
    plain = KernelPerceptron(random_state=0, epochs=3, **settings).fit(X, y)
    model = KernelPerceptron(random_state=0, epochs=3, **settings).fit(X, names[y])
    assert model.classes_.tolist() == names.tolist()
    assert (model.decision_function(X) == plain.decision_function(X)).all()
    assert model.predict(X).tolist() == names[plain.predict(X)].tolist()
    assert model.predict(X).dtype == names.dtype


@each_configuration(but=("polynomial", "a function"))
def test_of_equal_scores_the_first_class_wins(settings, three):
    X, y = three
    model = KernelPerceptron(gamma=1.0, random_state=0, **{**settings, "offset": False}).fit(X, y)
    far = np.array([[1e6, 0.0], [0.0, -1e6]])  # where every K is 0
    if settings.get("keep") != "voted":
        assert (model.decision_function(far) == 0.0).all()
    assert model.predict(far).tolist() == [0, 0]


@pytest.mark.parametrize(("tie", "answer"), [("mistake", "a"), ("negative", "a"), ("positive", "b")])
@pytest.mark.parametrize("keep", ["last", "averaged", "voted", "random"])
def test_a_score_of_0_predicts_the_first_class_unless_tie_is_positive(tie, answer, keep, noisy):
    X, y = noisy
    model = KernelPerceptron(gamma=1.0, keep=keep, tie=tie, random_state=0).fit(X, np.array(["a", "b"])[y])
    assert model.predict(np.full((1, 5), 1e6)).tolist() == [answer]


# ---------------------------------------------------------------- weights


def test_balanced_in_parts_goes_by_all_rows_so_far(three):
    X, y = three
    model = KernelPerceptron(class_weight="balanced", gamma=1.0)
    by_hand = KernelPerceptron(gamma=1.0)
    for part in np.split(np.arange(90), [30, 50]):
        seen = np.bincount(y[: part[-1] + 1], minlength=3)
        model.partial_fit(X[part], y[part], classes=range(3))
        by_hand.partial_fit(X[part], y[part], range(3), (seen.sum() / (3 * seen))[y[part]])
    np.testing.assert_allclose(model.dual_coef_, by_hand.dual_coef_, rtol=1e-12)


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


@pytest.mark.parametrize("rule", ["passive_aggressive_1", "passive_aggressive_2"])
@pytest.mark.parametrize("cls", [Forgetron, ProjectronPlusPlus])
def test_a_rule_whose_parameter_is_1_is_not_rosenblatts(cls, rule):
    with pytest.raises(ValueError, match=rf"rule: {cls.__name__} is"):
        KernelPerceptron(budget=cls(5), rule=rule).fit(*noise())


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
