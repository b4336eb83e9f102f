"""PassiveAggressiveClassifier and its replacement in docs/from_scikit_learn.md learn the same weights."""

import warnings

import numpy as np
import pytest
import sklearn.linear_model
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.preprocessing import StandardScaler

from rosenblatt import Perceptron, rules

Theirs = getattr(sklearn.linear_model, "PassiveAggressiveClassifier", None)
pytestmark = pytest.mark.skipif(
    Theirs is None, reason="this scikit-learn has no PassiveAggressiveClassifier"
)


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize(
    ("loss", "rule"),
    [("hinge", rules.PassiveAggressive1(C=0.1)), ("squared_hinge", rules.PassiveAggressive2(C=0.1))],
)
def test_passive_aggressive_weights_equal_those_of_sklearn(load, average, loss, rule):
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    same = {"C": 0.1, "loss": loss, "average": average, "shuffle": False, "max_iter": 5, "tol": None}
    keep = "averaged" if average else "last"
    ours = Perceptron(rule=rule, order="given", epochs=5, keep=keep, offset=False).fit(X, y)
    lifted = Perceptron(rule=rule, order="given", epochs=5, keep=keep).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        theirs = Theirs(**same, fit_intercept=False).fit(X, y)
        ones = Theirs(**same, fit_intercept=False).fit(np.column_stack([X, np.ones(len(X))]), y)

    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=0, atol=1e-12)
    np.testing.assert_allclose(lifted.coef_, ones.coef_[:, :-1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(lifted.intercept_, ones.coef_[:, -1], rtol=0, atol=1e-12)
