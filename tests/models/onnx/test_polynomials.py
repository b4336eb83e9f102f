"""Polynomials are exported by their monomials; kernel models and committees are refused."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt import KernelPerceptron, Learner, Perceptron, PolynomialThreshold
from rosenblatt.errors import BadInput
from rosenblatt.models.onnx import to_onnx

KEEPERS = ("last", "averaged", "random")
X, Y = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]]), [0, 1, 1]


@pytest.mark.parametrize("way", ["map", "kernel"])
@pytest.mark.parametrize(("degree", "coef0"), [(1, 1.0), (2, 1.0), (3, 1.0), (1, 0.0), (3, 0.0), (2, 2.5)])
@pytest.mark.parametrize("name", ["tumours", "irises"])
def test_polynomials_by_either_way(data_sets, agrees, name, way, degree, coef0):
    X, y = data_sets[name]
    X, asked = X[::2, :5], X[1::2, :5]
    model = PolynomialThreshold(degree=degree, way=way, coef0=coef0, epochs=3, random_state=0)
    model.fit(X, y[::2])
    for keep in KEEPERS:
        agrees(model.set_params(keep=keep), asked)


@pytest.mark.parametrize("way", ["map", "kernel"])
def test_a_polynomial_holds_its_monomials_and_no_rows(data_sets, way):
    X, y = data_sets["irises"]
    model = PolynomialThreshold(degree=2, way=way, random_state=0).fit(X, y)
    sizes = [np.prod(tensor.dims) for tensor in to_onnx(model).graph.initializer]
    assert max(sizes) == 3 * 10  # three classes, ten monomials of degree 2 in four features


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (KernelPerceptron(), "a KernelPerceptron predicts with its support rows"),
        (Perceptron(keep="voted"), "keep='voted' predicts with one weight vector per mistake"),
        (Perceptron("alma", keep="voted"), "keep='voted' predicts with one weight vector per mistake"),
        (PolynomialThreshold(keep="voted"), "keep='voted' predicts with one weight vector per mistake"),
    ],
)
def test_support_rows_and_committees_are_refused_with_a_remedy(model, sentence):
    with pytest.raises(BadInput, match=f"to_onnx: {sentence}.*; (use|fit with) "):
        to_onnx(model.fit(X, Y))


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"kernel": "gaussian"}, "a Learner with a kernel predicts with its support rows"),
        ({"keep": "voted"}, "keep='voted'"),
        ({"keep": "voted", "multiclass": "one_vs_rest"}, "keep='voted'"),
    ],
)
def test_learners_with_support_rows_or_committees_are_refused(parameters, sentence):
    learner = Learner(**parameters)
    for x, label in zip(X, (-1, 1, 1), strict=True):
        learner.learn(x, label)
    with pytest.raises(BadInput, match=f"to_onnx: {sentence}"):
        to_onnx(learner)
