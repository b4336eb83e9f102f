"""The histogram holds every row at its signed distance from the boundary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.datasets import load_iris, make_moons
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from rosenblatt import KernelPerceptron, Perceptron, PolynomialThreshold, plots, separate
from rosenblatt.errors import BadInput
from rosenblatt.plots.classifiers import predict_rows
from rosenblatt.plots.distances import distances_of
from rosenblatt.plots.margin_histogram import _edges

POINTS, SIDES = [[2.0, 1.0], [0.0, 2.0], [-0.5, -2.0]], [1, -1, 1]


@pytest.fixture(scope="module")
def moons():
    return make_moons(80, noise=0.25, random_state=0)


def distances(model, X, y):
    return distances_of(model, predict_rows(model, X, y))


def counts_of(ax):
    """How many rows the bars of each side hold: (wrong, right), by colour."""
    heights = {}
    for bars in ax.containers:
        colour = tuple(bars[0].get_facecolor())
        heights[colour] = sum(round(bar.get_height()) for bar in bars)
    return sorted(heights.values())


@pytest.mark.parametrize(
    "model", [Perceptron(random_state=0), Perceptron(allow_new_classes=True), LinearSVC()]
)
def test_two_classes_have_the_distance_from_the_line(moons, model):
    X, y = moons
    model.fit(X, y)
    w, b = model.coef_[-1], model.intercept_[-1]
    if len(model.coef_) == 2:
        w, b = w - model.coef_[0], b - model.intercept_[0]
    found = distances(model, X, y)
    assert np.allclose(found.values, np.where(y == 1, 1, -1) * (X @ w + b) / np.linalg.norm(w))
    assert found.is_plain


def test_more_classes_have_the_distance_from_the_nearest_other_class():
    X, y = load_iris(return_X_y=True)
    model = Perceptron(random_state=0).fit(X, y)
    scores = X @ model.coef_.T + model.intercept_
    expected = [
        min(
            (scores[i, y[i]] - scores[i, other]) / np.linalg.norm(model.coef_[y[i]] - model.coef_[other])
            for other in range(3)
            if other != y[i]
        )
        for i in range(len(X))
    ]
    found = distances(model, X, y)
    assert np.allclose(found.values, expected)
    assert np.array_equal(found.values <= 0.0, model.predict(X) != y)


@pytest.mark.parametrize("offset", [False, True])
@pytest.mark.parametrize("keep", ["last", "averaged"])
def test_a_kernel_has_distances_in_its_feature_space(moons, offset, keep):
    X, y = moons
    model = KernelPerceptron(kernel="polynomial", degree=2, gamma=1.0, coef0=1.0, offset=offset, keep=keep,
                             random_state=0).fit(X, y)  # fmt: skip
    # (1 + x·z)² is the inner product of these
    features = np.column_stack([np.ones(len(X)), np.sqrt(2.0) * X, X**2, np.sqrt(2.0) * X[:, 0] * X[:, 1]])
    support = features[model.support_]
    w, b = model.dual_coef_[0] @ support, model.dual_coef_[0].sum() * offset
    expected = np.where(y == 1, 1, -1) * (features @ w + b) / np.linalg.norm(w)
    found = distances(model, X, y)
    assert np.allclose(found.values, expected)
    assert "feature space" in found.what
    assert not found.is_plain


@pytest.mark.parametrize(
    "model",
    [
        Perceptron(keep="voted", random_state=0),
        KernelPerceptron(keep="voted", random_state=0),
        PolynomialThreshold(random_state=0),
        DecisionTreeClassifier(max_depth=2),
    ],
)
def test_a_model_without_w_has_scores_and_the_axis_states_it(pyplot, moons, model):
    X, y = moons
    ax = plots.margins(model.fit(X, y), X, y)
    assert ax.get_xlabel() == "score, y·score"
    wrong = int((model.predict(X) != y).sum())
    assert counts_of(ax) == sorted([wrong, 80 - wrong])


def test_the_bars_hold_every_row_wrong_ones_left_of_zero(pyplot, moons, legend):
    X, y = moons
    model = Perceptron(keep="averaged", random_state=0).fit(X, y)
    wrong = int((model.predict(X) != y).sum())
    ax = plots.margins(model, X, y)
    assert legend(ax)[:2] == [f"{wrong} rows misclassified", f"{80 - wrong} rows correct"]
    left = sum(bar.get_height() for bars in ax.containers for bar in bars if bar.get_x() < -1e-12)
    values = distances(model, X, y).values
    assert counts_of(ax) == sorted([wrong, 80 - wrong])
    assert f"(row {values.argmin()})" in legend(ax)[2]
    assert left >= wrong


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50), st.integers(1, 80))
@example([7.073164903730434e-203], 77)
@example([5e-322], 77)
def test_zero_is_an_edge_and_every_value_is_within_the_edges(values, bins):
    edges = _edges(np.array(values), bins)
    assert 0.0 in edges
    assert edges[0] <= min(values)
    assert edges[-1] >= max(values)
    assert len(edges) <= bins + 3


def test_the_proved_margin_is_drawn_and_bounds_the_smallest_distance(pyplot, legend):
    model = Perceptron(random_state=0).fit(POINTS, SIDES)
    verdict = separate(POINTS, SIDES)
    ax = plots.margins(model, POINTS, SIDES, verdict=verdict)
    assert verdict.margin[0] in [line.get_xdata()[0] for line in ax.lines]
    assert legend(ax)[-1] == f"largest possible {verdict.margin[0]:.4g} (proved)"
    assert distances(model, POINTS, SIDES).values.min() <= verdict.margin[1]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"model": Perceptron()}, "model: this Perceptron has learned nothing yet"),
        ({"bins": 0}, "bins: expected a whole number of at least 1"),
        ({"bins": [1.0, 1.0]}, "bins: expected a whole number of at least 1, rising edges"),
        ({"verdict": 0.5}, "verdict: expected what separate"),
        ({"X": [[1.0, np.inf]] * 3}, "X: Input contains infinity in row 0, column 1"),
    ],
)
def test_input_that_cannot_be_drawn_gets_a_message_and_no_figure(pyplot, change, sentence):
    asked = {"model": Perceptron().fit(POINTS, SIDES), "X": POINTS, "y": SIDES, **change}
    with pytest.raises(BadInput) as caught:
        plots.margins(**asked)
    assert str(caught.value).startswith(sentence)
    assert not pyplot.get_fignums()


def test_a_verdict_about_hyperplanes_is_refused_for_curves_and_w_zero_has_no_distance(pyplot, moons):
    with pytest.raises(
        BadInput,
        match=r"about a hyperplane .* different \(distance from the boundary in f",
    ):
        plots.margins(KernelPerceptron().fit(*moons), *moons, verdict=separate(*moons))
    zero = Perceptron(init=[-1.0], epochs=1, order=[0], offset=False).fit([[1.0], [2.0]], [1, 0])
    with pytest.raises(BadInput, match="its w is 0"):
        plots.margins(zero, [[1.0], [2.0]], [1, 0])
