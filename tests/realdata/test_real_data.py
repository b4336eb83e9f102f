"""Exactness and bounds on well-known data sets. Needs ROSENBLATT_DATA."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import SGDClassifier

from rosenblatt import Perceptron

pytestmark = pytest.mark.data


@pytest.fixture
def a9a(data):
    train = load_svmlight_file(str(data / "a9a" / "a9a.gz"), n_features=123)
    test = load_svmlight_file(str(data / "a9a" / "a9a.t.gz"), n_features=123)
    return train, test


@pytest.mark.parametrize("keep", ["averaged", pytest.param("voted", marks=pytest.mark.matrix)])
def test_census_incomes_are_predicted_as_well_as_by_the_peer(a9a, keep):
    (X, y), (X_test, y_test) = a9a
    ours = Perceptron(keep=keep, epochs=3, random_state=0).fit(X, y).score(X_test, y_test)
    peer = SGDClassifier(
        loss="perceptron", penalty=None, learning_rate="constant", eta0=1.0, average=True, max_iter=3,
        tol=None, random_state=0,
    )  # fmt: skip
    for matrix in (X, X_test):  # the peer refuses the 64-bit indices that its own reader returns
        matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    peer.fit(X, y)
    assert ours > peer.score(X_test, y_test) - 0.005


def test_the_pocket_beats_the_last_vector_on_census_incomes(a9a):
    (X, y), _ = a9a
    last = Perceptron(keep="last", epochs=2, random_state=0).fit(X, y)
    pocket = Perceptron(keep="pocket", epochs=2, random_state=0).fit(X, y)
    assert pocket.training_error(X, y) < last.training_error(X, y)
