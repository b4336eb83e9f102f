"""Columns learned through torch: the mistakes and the bits of the CPU, whatever the blocks."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from rosenblatt import Perceptron
from rosenblatt.errors import BadInput
from rosenblatt.rules import Margin, Rosenblatt, UnevenMargin

torch = pytest.importorskip("torch")

from rosenblatt.gpu import device_trainer  # noqa: E402
from rosenblatt.gpu.torch_backend import OnDevice  # noqa: E402
from tests.covering import case_id, covering  # noqa: E402

GENERATOR = np.random.default_rng(5)
X = GENERATOR.standard_normal((150, 6)).astype(np.float32)
TIES = GENERATOR.integers(-1, 2, (150, 6)).astype(np.float64)
Y = (X @ GENERATOR.standard_normal((6, 4)) + GENERATOR.standard_normal((150, 4)) > 0).astype(np.uint8)
CLASSES = GENERATOR.choice(["ash", "elm", "oak"], 150)
WEIGHT = GENERATOR.integers(0, 3, 150) * 0.37


def assert_same(X, target, sample_weight=None, **settings):
    settings = {"random_state": 0, "epochs": 3, **settings}
    here = Perceptron(**settings).fit(X, target, sample_weight)
    there = Perceptron(device="torch:cpu", **settings).fit(X, target, sample_weight)
    assert here.coef_.tolist() == there.coef_.tolist()
    assert here.intercept_.tolist() == there.intercept_.tolist()
    assert here.mistakes_per_class_.tolist() == there.mistakes_per_class_.tolist()
    assert here.false_positives_per_class_.tolist() == there.false_positives_per_class_.tolist()
    assert (here.updates_, here.examples_seen_) == (there.updates_, there.examples_seen_)
    assert [epoch.mistakes for epoch in here.history_] == [epoch.mistakes for epoch in there.history_]
    return there


@pytest.mark.parametrize(
    ("rule", "keep", "target", "block", "weight", "order"),
    covering(
        [Rosenblatt(0.3), Margin(0.7), UnevenMargin(1.5, 0.25)], ["last", "averaged"],
        ["table", "sparse table", "classes", "balanced classes"], [7, 64, 1024], [None, WEIGHT],
        ["shuffled", "given", list(range(149, -1, -2))],
    ),
    ids=case_id,
)  # fmt: skip
def test_a_device_learns_the_same_bits(rule, keep, target, block, weight, order, monkeypatch):
    """Weights of rows multiply updates, and 0 is absent."""
    monkeypatch.setattr(device_trainer, "BLOCK", block)
    settings = {"class_weight": "balanced"} if "balanced" in target else {}
    there = {"table": Y, "sparse table": sp.csr_array(Y)}.get(target, CLASSES)
    assert_same(X, there, weight, keep=keep, rule=rule, order=order, **settings)


@pytest.mark.parametrize(
    ("tie", "offset", "block"), covering(["mistake", "negative", "positive"], [True, False], [7, 64, 1024])
)
def test_ties_are_decided_by_the_host(tie, offset, block, monkeypatch):
    monkeypatch.setattr(device_trainer, "BLOCK", block)
    there = assert_same(TIES, CLASSES, offset=offset, tie=tie)
    assert there.exact_decisions_ > 3  # more than the first look of each column


def test_rows_larger_than_the_device_memory_are_copied_block_by_block(monkeypatch):
    monkeypatch.setattr(OnDevice, "has_room", lambda backend, size: False)
    monkeypatch.setattr(device_trainer, "BLOCK", 32)
    assert_same(X, Y, WEIGHT)


@pytest.mark.parametrize("numbers", [1e-160, 1e-30, 1e30, 1e160])
def test_decisions_do_not_depend_on_the_size_of_the_numbers(numbers):
    rows = X.astype(np.float64) * numbers
    rows[::7] *= 1e-100
    assert_same(rows, Y, offset=False)


def test_a_start_and_a_run_that_continues():
    init = GENERATOR.standard_normal((4, 6))
    assert_same(X, Y, init=init)
    settings = {"random_state": 3, "epochs": 2, "warm_start": True, "keep": "averaged"}
    here, there = Perceptron(**settings), Perceptron(device="torch:cpu", **settings)
    for _ in range(2):
        assert here.fit(X, Y).coef_.tolist() == there.fit(X, Y).coef_.tolist()
    assert here.partial_fit(X, Y).coef_.tolist() == there.partial_fit(X, Y).coef_.tolist()


def test_what_cannot_be_learned_is_named_as_on_the_host():
    rows = X.copy()
    rows[17, 3] = np.nan
    with pytest.raises(BadInput, match="NaN in row 17, column 3"):
        Perceptron(device="torch:cpu").fit(rows, Y)
    with pytest.raises(BadInput, match="overflowed"):
        Perceptron(device="torch:cpu", rule=Rosenblatt(2.0), offset=False).fit(
            np.full((4, 2), 1.7e308), [[1, 0], [0, 1], [1, 0], [0, 1]]
        )


def test_the_device_is_reported():
    assert Perceptron(device="torch:cpu").fit(X, Y).device_ == "cpu"
    assert Perceptron(device="torch:cpu").fit(X, Y[:, 0]).device_ == "cpu"  # one column: learned by the CPU


@pytest.mark.parametrize(
    ("settings", "target", "says"),
    [
        ({"rule": "passive_aggressive"}, Y, "learns by 'rosenblatt'"),
        ({"rule": "alma"}, Y, "does not support this rule, averaging or order"),
        ({"keep": "voted"}, Y, "does not support this rule, averaging or order"),
        ({"order": "first_mistake"}, Y, "does not support this rule, averaging or order"),
        ({"multiclass": "ultraconservative"}, CLASSES, "share their mistakes"),
        ({"class_weight": "balanced"}, Y, "no class_weight for labels"),
    ],
)
def test_settings_a_device_does_not_support_are_refused_with_the_reason(settings, target, says):
    with pytest.raises(BadInput, match=f"device: 'torch:cpu' .*{says}.*device='cpu'"):
        Perceptron(device="torch:cpu", **settings).fit(X, target)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here, so nothing is refused")
def test_without_a_gpu_cuda_is_refused_and_auto_is_the_cpu():
    with pytest.raises(BadInput, match="device: 'cuda' cannot be used"):
        Perceptron(device="cuda").fit(X, Y)
    assert Perceptron(device="auto").fit(X, Y).device_ == "cpu"
    with pytest.raises(BadInput, match=r"device: expected .* got 'gpu'"):
        Perceptron(device="gpu").fit(X, Y)
