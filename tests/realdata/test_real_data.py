"""The same promises on data that people really have. Needs ROSENBLATT_DATA."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import SGDClassifier

from rosenblatt import Learner, Perceptron

pytestmark = pytest.mark.data


@pytest.fixture
def agaricus(data):
    return load_svmlight_file(str(data / "agaricus" / "agaricus.txt.train.gz"), n_features=127)


@pytest.fixture
def a9a(data):
    train = load_svmlight_file(str(data / "a9a" / "a9a.gz"), n_features=123)
    test = load_svmlight_file(str(data / "a9a" / "a9a.t.gz"), n_features=123)
    return train, test


def test_mushrooms_are_separated_in_a_finite_number_of_mistakes(agaricus):
    X, y = agaricus
    model = Perceptron(until="separated", epochs=None, random_state=0).fit(X, y)
    assert model.converged_
    assert model.training_error(X, y) == 0.0
    assert model.history_[-1].mistakes == 0
    assert all(record.mistakes > 0 for record in model.history_[:-1])


def test_mushrooms_give_the_same_bits_dense_sparse_streamed_and_one_by_one(agaricus):
    X, y = agaricus
    sparse = Perceptron(order="given", epochs=1).fit(X, y)
    dense = Perceptron(order="given", epochs=1).fit(X.toarray().astype(np.float32), y)
    streamed = Perceptron()
    for start in range(0, len(y), 1000):
        rows = slice(start, start + 1000)
        streamed.partial_fit(X[rows], y[rows], classes=[0, 1])
    learner = Learner()
    rows = X.toarray()
    for x, label in zip(rows, y, strict=True):
        learner.learn(x, 1 if label else -1)
    for other in (dense, streamed):
        assert other.mistakes_ == sparse.mistakes_
        assert other.coef_.tobytes() == sparse.coef_.tobytes()
    assert learner.mistakes == sparse.mistakes_
    assert learner.weights.tobytes() == sparse.coef_[0].tobytes()


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


def test_handwritten_fours_and_nines(data):
    def read(name, skip):
        with gzip.open(data / "mnist" / name) as file:
            return np.frombuffer(file.read(), np.uint8, offset=skip)

    X = read("train-images-idx3-ubyte.gz", 16).reshape(-1, 784)
    y = read("train-labels-idx1-ubyte.gz", 8)
    chosen = np.isin(y, (4, 9))
    X, y = X[chosen], y[chosen]
    model = Perceptron(keep="averaged", epochs=5, random_state=0).fit(X, y)
    assert model.n_features_in_ == 784
    assert model.score(X, y) > 0.96
