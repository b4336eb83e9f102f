"""Where kernel values are made changes no mistake. "torch:cpu" runs the code of a device without one."""

from __future__ import annotations

import copy
import pickle
import sys

import numpy as np
import pytest
from scipy.sparse import csr_array

from rosenblatt import KernelPerceptron, PolynomialThreshold
from rosenblatt.errors import BadInput
from rosenblatt.models import kernel_estimator
from rosenblatt.numeric.row_batches import as_rows
from rosenblatt.training.backends import OnHost, as_backend
from rosenblatt.training.backends import on_device as backend_of
from tests.covering import covering
from tests.kernels import naive_kernels
from tests.training.dual import kernel_problems as problems
from tests.training.dual.dual_runs import updates


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.fixture
def no_gpu(torch, monkeypatch):
    """torch as it is on a machine without a GPU."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)


@pytest.fixture
def on_device(torch):
    """A model that runs the code of a device."""
    return lambda **parameters: KernelPerceptron(device="torch:cpu", **parameters)


def lattice(step):
    """Whole numbers make exact zeros, tenths make zeros but for rounding."""
    generator = np.random.default_rng(5)
    return step * generator.integers(-1, 2, size=(120, 2)), generator.integers(0, 3, 120)


ROWS = {
    "noisy": lambda noisy: noisy(n=120, n_classes=3, seed=2),
    "whole numbers": lambda noisy: lattice(1.0),
    "tenths": lambda noisy: lattice(0.1),
    "float32": lambda noisy: (np.rint(3.0 * noisy(n=80, seed=7)[0]).astype(np.float32), noisy(n=80)[1]),
    "int16": lambda noisy: (np.rint(3.0 * noisy(n=80, seed=7)[0]).astype(np.int16), noisy(n=80)[1]),
}
RULES = ["rosenblatt", "margin", "uneven_margin"]
KEEPS = ["last", "averaged", "voted", "random"]


@pytest.mark.parametrize(
    ("name", "rule", "keep", "tie", "is_cut"),
    covering(list(ROWS), RULES, KEEPS, ["mistake", "positive"], [False, True]),
)
def test_the_run_and_the_answers_equal_those_of_the_host(
    name, rule, keep, tie, is_cut, ours, on_device, monkeypatch
):
    """Whatever the rows; blocks of a device are large, so that small data would be one."""
    X, y = ROWS[name](problems.noisy)
    settings = {**ours[0], "rule": rule, "keep": keep, "tie": tie, "epochs": 2, "random_state": 4}
    here = KernelPerceptron(**settings, device="cpu").fit(X, y)
    if is_cut:
        sizes = {"block": 64, "largest_block": 128, "chunk": 20, "part_bytes": 8 * 1000}
        for attribute, size in sizes.items():
            monkeypatch.setattr(type(backend_of("cpu")), attribute, size)
    there = on_device(**settings).fit(X, y)
    assert updates(there) == updates(here)
    assert (there.predict(X) == here.predict(X)).all()
    np.testing.assert_allclose(there.decision_function(X), here.decision_function(X), rtol=1e-9, atol=1e-9)
    assert [there.predict(x[None, :])[0] for x in X[:20]] == there.predict(X[:20]).tolist()
    assert there.support_.tolist() == here.support_.tolist()


def test_scores_of_uncertain_sign_are_decided_on_a_device_too(on_device):
    assert on_device(kernel="linear", epochs=2, order="given").fit(*lattice(0.1)).exact_decisions_ > 0


def test_rows_far_from_the_origin(on_device):
    X, y = problems.noisy(n=100, seed=6)
    settings = {"gamma": 1.0, "epochs": 3, "order": "given"}
    there = on_device(**settings).fit(X + 1e6, y)
    assert updates(there) == updates(KernelPerceptron(**settings, device="cpu").fit(X + 1e6, y))


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_of_a_model_on_a_device(twin, on_device):
    X, y = problems.noisy(n=80, seed=8)
    model = on_device(gamma=1.0).partial_fit(X[:50], y[:50])
    other = twin(model)
    assert (other.decision_function(X) == model.decision_function(X)).all()
    assert updates(other.partial_fit(X[50:], y[50:])) == updates(model.partial_fit(X[50:], y[50:]))


def test_overflow_on_a_device(on_device):
    X, y = problems.noisy()
    with pytest.raises(BadInput, match=r"^kernel: .*overflows"):
        on_device(kernel="polynomial", degree=200, gamma=1.0).fit(1e3 * X, y)
    model = on_device(kernel="polynomial", degree=200, gamma=1.0).fit(0.1 * X, y)
    with pytest.raises(BadInput, match=r"^kernel: .*overflow"):
        model.predict(1e3 * X)


def test_a_polynomial_that_is_written_out_learns_here_on_any_device(torch, monkeypatch):
    monkeypatch.setattr(kernel_estimator, "as_backend", lambda *_: backend_of("cpu"))
    X, y = problems.noisy(n=60, seed=3)
    ways = ("map", "kernel")
    by_map, by_kernel = (PolynomialThreshold(way=way, random_state=0).fit(X, y) for way in ways)
    assert by_map.mistakes_ == by_kernel.mistakes_
    assert (by_map.predict(X) == by_kernel.predict(X)).all()


# ---------------------------------------------------------------- kernels on tensors


@pytest.mark.parametrize("shift", [0.0, 10.0, 1e6])
def test_values_are_within_the_bound(shift, ours, torch):
    from rosenblatt.kernels import as_kernel
    from rosenblatt.training.dual.support import with_squares

    parameters, formula = ours
    X, _ = problems.noisy(n=40, seed=9)
    X = X + shift
    kernel, backend = as_kernel(**parameters), backend_of("cpu")
    matrix, squares = with_squares(as_rows(X), backend)
    found = backend.get(kernel.matrix(matrix, matrix, squares, squares, backend))
    roots = kernel.roots(backend.get(kernel.diagonal(matrix, squares, backend)))
    doubt = kernel.error(3, float(squares.max())) * np.outer(roots, roots)
    assert (np.abs(found - naive_kernels.gram(formula, X)) <= doubt + 1e-290).all()


# ---------------------------------------------------------------- choosing


@pytest.mark.usefixtures("no_gpu")
def test_auto_is_the_cpu_without_a_gpu():
    assert isinstance(as_backend("auto"), OnHost)
    assert KernelPerceptron(device="auto").fit(*problems.noisy()).device_ == "cpu"
    assert KernelPerceptron().device == "auto"


NO_GPU = "torch finds no CUDA device; install a driver and a build of torch with CUDA"
NO_TORCH = "torch is not installed; pip install 'rosenblatt[gpu]'"


@pytest.mark.usefixtures("no_gpu")
@pytest.mark.parametrize(
    ("device", "has_torch", "reason"),
    [("cuda", True, NO_GPU), ("cuda:1", True, NO_GPU), ("cuda", False, NO_TORCH)],
)
def test_without_a_gpu_or_torch_the_error_states_what_to_install(device, has_torch, reason, monkeypatch):
    X, y = problems.noisy()
    if not has_torch:
        monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(BadInput) as refusal:
        KernelPerceptron(device=device).fit(X, y)
    remedy = "or use device='cpu', which gives the same mistakes"
    assert str(refusal.value) == f"device: {device!r} cannot be used: {reason}; {remedy}"
    assert KernelPerceptron(device="auto").fit(X, y).device_ == "cpu"


@pytest.mark.parametrize(
    ("kernel", "container", "reason"),
    [
        ("gaussian", csr_array, r"the rows are sparse.*X.toarray\(\)"),
        (lambda X, Z: X @ Z.T, np.array, "a user-defined kernel is a function of"),
    ],
)
def test_sparse_rows_and_rows_for_a_kernel_of_your_own_stay_here(kernel, container, reason):
    X, y = problems.noisy()
    with pytest.raises(BadInput, match=rf"^device: 'cuda' cannot be used: {reason}"):
        KernelPerceptron(kernel, device="cuda").fit(container(X), y)
    assert KernelPerceptron(kernel, device="auto").fit(container(X), y).device_ == "cpu"


@pytest.mark.parametrize("device", ["gpu", "", None, 0, "cpu:0", "tpu", "cuda:x", "auto:1", "torch"])
def test_devices_that_there_are_not(device):
    with pytest.raises(BadInput, match=r"^device: expected 'auto', 'cpu', 'cuda'.*, got "):
        KernelPerceptron(device=device).fit(*problems.noisy())
