"""Kernel perceptrons and polynomials: every kernel, keeper and budget."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import KernelPerceptron, PolynomialThreshold, budgets, kernels
from rosenblatt.errors import BadInput
from rosenblatt.models.onnx import to_onnx
from tests.covering import all_pairs, all_turns

KEEPERS = ("last", "averaged", "voted", "random")


@pytest.fixture(scope="module")
def halves(data_sets):
    """Every other row to learn from; all of some to be asked about."""
    return {name: (X[::2], y[::2], X[:400]) for name, (X, y) in data_sets.items()}


@pytest.mark.parametrize(
    ("name", "kernel", "offset"),
    all_pairs(["tumours", "irises", "digits"], list(kernels.KERNELS), [False, True]),
)
def test_real_data_gets_the_same_labels_from_every_keeper(halves, agrees, name, kernel, offset):
    X, y, asked = halves[name]
    model = KernelPerceptron(kernel=kernel, offset=offset, epochs=3, random_state=0).fit(X, y)
    for keep in KEEPERS:
        agrees(model.set_params(keep=keep), asked)


@pytest.mark.parametrize("name", ["tumours", "digits"])
@pytest.mark.parametrize(
    "budget", [15, budgets.Forgetron(20), budgets.RandomBudget(20), budgets.Oldest(20)]
)
def test_a_budget_is_exported_as_it_stands(halves, agrees, name, budget):
    X, y, asked = halves[name]
    for keep in ("last", "averaged"):
        model = KernelPerceptron(budget=budget, keep=keep, epochs=2, random_state=0).fit(X, y)
        agrees(model, asked)


@pytest.mark.parametrize("degree", [1, 2, 3, 5, 8])
def test_powers_of_every_degree(agrees, degree):
    X = np.random.default_rng(5).normal(size=(60, 3))
    y = X[:, 0] * X[:, 1] > 0
    model = KernelPerceptron(kernel="polynomial", degree=degree, random_state=0).fit(X, y)
    agrees(model, X)


def test_points_far_out_are_measured_by_their_differences(run_onnx, agrees):
    X = np.random.default_rng(6).normal(size=(60, 3))
    y = (np.linalg.norm(X, axis=1) > 1.5).astype(int)
    far = X + 1e6  # γ‖x‖² is 3·10¹²: a product of 16 digits would leave next to none of the distances
    model = KernelPerceptron(gamma=1.0, random_state=0).fit(far, y)
    label, scores = run_onnx(model, far)
    assert (label == model.predict(far)).all()
    np.testing.assert_allclose(scores, model.decision_function(far), rtol=0, atol=1e-9)


def test_a_point_far_out_alone_is_near_no_support_row(run_onnx):
    X = np.random.default_rng(6).normal(size=(40, 3))
    model = KernelPerceptron(gamma=1.0, random_state=0).fit(X, X[:, 0] > 0)
    far = np.full((2, 3), 1e4)
    label, scores = run_onnx(model, far)
    assert scores.tolist() == model.decision_function(far).tolist() == [0.0, 0.0]
    assert (label == model.predict(far)).all()


@pytest.mark.parametrize("kernel", list(kernels.KERNELS))
def test_rows_learned_sparse_are_exported_dense(halves, agrees, kernel):
    X, y, asked = halves["digits"]
    model = KernelPerceptron(kernel=kernel, epochs=1, random_state=0).fit(scipy.sparse.csr_array(X), y)
    for keep in ("averaged", "voted"):
        agrees(model.set_params(keep=keep), asked[:100])


def test_float32_input_is_computed_in_double(halves, agrees):
    X, y, asked = halves["digits"]
    model = KernelPerceptron(epochs=2, random_state=0).fit(X.astype(np.float32), y)
    agrees(model, asked, "float32")


def test_only_support_rows_that_are_used_go_in(halves):
    X, y, _ = halves["digits"]
    model = KernelPerceptron(epochs=3, random_state=0).fit(X, y)
    early = model.as_of(50)
    assert len(early.support_) < len(model.support_) / 3
    assert to_onnx(early).ByteSize() < to_onnx(model).ByteSize() / 3


@pytest.mark.parametrize("keep", KEEPERS)
def test_a_model_of_the_past_is_exported_as_it_was(halves, agrees, keep):
    X, y, asked = halves["irises"]
    model = KernelPerceptron(keep=keep, random_state=0).fit(X, y)
    for looks in (0, 1, 40):
        agrees(model.as_of(looks), asked)


@pytest.mark.parametrize("keep", KEEPERS)
@pytest.mark.parametrize("tie", ["negative", "positive"])
def test_a_model_without_support_answers_by_its_tie(run_onnx, keep, tie):
    same = [[1.0, 0.0], [0.0, 1.0]]
    model = KernelPerceptron(keep=keep, tie=tie, gamma=1.0)
    model.partial_fit(same, [tie == "positive"] * 2, classes=[False, True])
    assert not len(model.support_)
    label, scores = run_onnx(model, same)
    assert (label == model.predict(same)).all()
    assert (scores == model.decision_function(same)).all()


@pytest.mark.parametrize(
    ("name", "kernel"), all_turns(["tumours", "irises", "digits"], ["gaussian", "laplacian", "polynomial"])
)
def test_no_row_and_one_row_can_be_asked_about(halves, run_onnx, name, kernel):
    X, y, _ = halves[name]
    model = KernelPerceptron(kernel=kernel, epochs=1, random_state=0).fit(X, y)
    for keep in KEEPERS:
        label, scores = run_onnx(model.set_params(keep=keep), X[:0])
        assert len(label) == len(scores) == 0
        label, scores = run_onnx(model, X[:1])
        assert label.tolist() == model.predict(X[:1]).tolist()
        assert scores.shape == model.decision_function(X[:1]).shape


def test_a_kernel_of_your_own_is_refused():
    def overlap(X, Z):
        return np.minimum(X[:, None], Z[None]).sum(axis=2)

    model = KernelPerceptron(kernel=overlap).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    with pytest.raises(BadInput, match="the kernel 'overlap' is a Python function"):
        to_onnx(model)


@pytest.mark.parametrize("way", ["map", "kernel"])
@pytest.mark.parametrize(("degree", "coef0"), [(1, 1.0), (2, 1.0), (3, 1.0), (1, 0.0), (3, 0.0), (2, 2.5)])
@pytest.mark.parametrize("name", ["tumours", "irises"])
def test_polynomials_by_either_way(halves, agrees, name, way, degree, coef0):
    X, y, asked = halves[name]
    X, asked = X[:, :5], asked[:, :5]
    model = PolynomialThreshold(degree=degree, way=way, coef0=coef0, epochs=3, random_state=0).fit(X, y)
    for keep in KEEPERS:
        agrees(model.set_params(keep=keep), asked)


def test_a_polynomial_written_out_holds_its_monomials_and_no_rows(data_sets):
    X, y = data_sets["irises"]
    model = PolynomialThreshold(degree=2, way="map", random_state=0).fit(X, y)
    sizes = [np.prod(tensor.dims) for tensor in to_onnx(model).graph.initializer]
    assert max(sizes) == 3 * 10  # three classes, ten monomials of degree 2 in four features


def test_to_export_a_polynomial_changes_nothing_in_it(data_sets):
    X, y = data_sets["irises"]
    model = PolynomialThreshold(keep="last", random_state=0).fit(X, y)
    model.keep = "averaged"
    to_onnx(model)
    assert model._learner_.keep == "last"


whole = st.integers(-3, 3).map(float)
rows = st.lists(st.lists(whole, min_size=2, max_size=2), min_size=3, max_size=9)


@given(
    rows,
    st.integers(2, 3),
    st.sampled_from(["last", "voted", "random"]),
    st.sampled_from(["mistake", "positive", "negative"]),
    st.booleans(),
    st.integers(1, 3),
)
def test_kernels_of_whole_numbers_are_exact_so_all_labels_and_scores_are_equal(
    run_onnx, given_rows, n_classes, keep, tie, offset, degree
):
    X = np.array(given_rows)
    kernel = kernels.Polynomial(degree, gamma=2.0)
    model = KernelPerceptron(kernel, keep=keep, tie=tie, offset=offset, epochs=3, random_state=0)
    model.fit(X, np.arange(len(X)) % n_classes)
    label, scores = run_onnx(model, X)
    assert (label == model.predict(X)).all()
    assert (scores == model.decision_function(X)).all()


@given(rows, st.sampled_from(list(kernels.KERNELS)), st.sampled_from(KEEPERS), st.floats(0.1, 10.0))
def test_small_models_of_every_kernel_agree_within_rounding(agrees, given_rows, kernel, keep, gamma):
    X = np.array(given_rows)
    model = KernelPerceptron(kernel, gamma=gamma, keep=keep, epochs=3, random_state=0)
    model.fit(X, np.arange(len(X)) % 2)
    agrees(model, X + 0.3, most_in_doubt=1.0)
