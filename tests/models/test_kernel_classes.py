"""KernelPerceptron: tables, classes and weights, as scikit-learn has them."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt import KernelPerceptron
from tests.models.kernel_configurations import each_configuration

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
