"""Verdicts on well-known data sets, each with a verified proof. Needs ROSENBLATT_DATA."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from rosenblatt import Perceptron, separate, verify
from rosenblatt.data.sources import read_table

pytestmark = pytest.mark.data


def check_verdict(X, y, **settings):
    verdict = separate(X, y, **settings)
    facts = verify(verdict.proof.from_json(verdict.proof.to_json()), X, y)
    assert facts.kind == verdict.kind
    assert facts.margin == verdict.margin
    return verdict


@pytest.fixture
def mnist(data):
    with gzip.open(data / "mnist" / "train-images-idx3-ubyte.gz") as file:
        X = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784)
    with gzip.open(data / "mnist" / "train-labels-idx1-ubyte.gz") as file:
        return X, np.frombuffer(file.read(), np.uint8, offset=8)


def pair(mnist, first, second):
    X, y = mnist
    chosen = (y == first) | (y == second)
    return X[chosen], y[chosen]


def test_zeros_and_ones_of_mnist_can_be_separated_by_108_grey_levels(mnist):
    verdict = check_verdict(*pair(mnist, 0, 1))
    low, high = verdict.margin
    assert low <= 108.2524 <= high * (1 + 1e-6)
    assert high - low <= 0.01 * high


@pytest.mark.matrix  # a quarter of a minute each; that of a9a below stays
@pytest.mark.parametrize(("first", "second"), [(3, 5), (5, 8), (2, 8)])
def test_some_pairs_of_mnist_cannot_be_separated_but_have_pixels_of_their_own(mnist, first, second):
    verdict = check_verdict(*pair(mnist, first, second))
    assert verdict.kind == "quasi-separable"
    assert len(verdict.support) <= 784 + 2
    assert len(verdict.separated) > 0


@pytest.mark.matrix  # the better part of a minute
def test_no_hyperplane_separates_the_eights_of_mnist_from_the_rest(mnist):
    X, y = mnist
    assert check_verdict(X, y == 8).kind == "quasi-separable"


def test_mushrooms_can_be_separated_and_the_perceptron_keeps_to_the_bound(data):
    X, y, _ = read_table(data / "agaricus" / "agaricus.txt.train.gz")
    verdict = check_verdict(X, y)
    assert verdict.separable
    model = Perceptron(until="separated", epochs=None, random_state=0).fit(X, y)
    assert model.mistakes_ <= verdict.mistake_bound


def test_incomes_of_a9a_have_no_finite_logistic_regression(data):
    X, y, _ = read_table(data / "a9a" / "a9a.gz")
    assert check_verdict(X, y).kind == "quasi-separable"


def test_skin_colours_overlap(data):
    X, y, _ = read_table(data / "skin_segmentation" / "Skin_NonSkin.txt.gz")
    assert check_verdict(X, y).kind == "overlapping"


@pytest.mark.matrix
def test_a_topic_of_55197_words_can_be_separated_from_104_others(data):
    X, y, _ = read_table(data / "sector" / "sector.scale.bz2")
    verdict = check_verdict(X, y == y[0])
    assert verdict.separable
    assert verdict.margin[1] - verdict.margin[0] <= 0.01 * verdict.margin[1]
