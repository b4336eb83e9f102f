"""What a kernel perceptron refuses, or keeps to, where two settings meet."""

import numpy as np
import pytest

from rosenblatt import KernelPerceptron
from rosenblatt.budgets import Forgetron, Oldest, ProjectronPlusPlus
from rosenblatt.rules import Margin


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
