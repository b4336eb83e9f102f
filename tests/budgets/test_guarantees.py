"""What is proved of each budget holds on data, for explicit g = Σ c·K(z, ·) of known norm and loss."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosenblatt import KernelPerceptron
from rosenblatt.budgets import Forgetron, Oldest, Projectron, ProjectronPlusPlus, RandomBudget
from rosenblatt.budgets.forgetron import DAMAGE, MISTAKES
from rosenblatt.kernels import Custom
from rosenblatt.training.backends import OnHost

EVERY_CLASS = (Oldest, RandomBudget, Forgetron, Projectron, ProjectronPlusPlus)
FORGETTING = (Oldest, RandomBudget, Forgetron)
every_class = pytest.mark.parametrize("cls", EVERY_CLASS)
seeds = st.integers(0, 2**31 - 1)


def gaussian(X, Z, gamma: float = 0.5):
    return np.exp(-gamma * ((X[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2))


def noise(seed: int, n: int, n_classes: int = 2) -> tuple[Any, Any]:
    """Rows that say nothing of their class, so that mistakes never end; every class is there."""
    generator = np.random.default_rng(seed)
    return generator.normal(size=(n, 3)), np.append(
        np.arange(n_classes), generator.integers(0, n_classes, size=n - n_classes)
    )


def run(budget: Any, X, y, **settings: Any) -> KernelPerceptron:
    settings = {"gamma": 0.5, "order": "given", "keep": "last", "epochs": 1, "random_state": 0} | settings
    return KernelPerceptron(budget=budget, **settings).fit(X, y)


# ---------------------------------------------------------------- the size


@every_class
@settings(max_examples=15)
@given(
    seed=seeds,
    size=st.integers(1, 30),
    n_classes=st.integers(2, 4),
    keep=st.sampled_from(["last", "averaged"]),
)
def test_no_class_ever_has_more_support_rows_than_the_budget(cls, seed, size, n_classes, keep):
    X, y = noise(seed, 60, n_classes)
    seen = []
    model = run(cls(size), X, y, epochs=3, keep=keep, callbacks=lambda record: seen.append(record.updates))
    assert ((model.dual_coef_ != 0).sum(axis=1) <= size).all()
    assert len(set(model.support_)) <= size * len(model.dual_coef_)
    assert [support.n_used <= size for support in model._state.limited_supports] == [True] * len(
        model.dual_coef_
    )
    assert sum(seen) == model.updates_


@pytest.mark.parametrize("cls", FORGETTING)
@settings(max_examples=15)
@given(seed=seeds, n_classes=st.integers(2, 3), keep=st.sampled_from(["last", "averaged"]))
def test_while_there_are_fewer_updates_than_size_nothing_is_forgotten(cls, seed, n_classes, keep):
    X, y = noise(seed, 40, n_classes)
    free = run(None, X, y, epochs=2, keep=keep)
    held = run(cls(size=free.updates_), X, y, epochs=2, keep=keep)
    assert held.mistakes_per_class_.tolist() == free.mistakes_per_class_.tolist()
    assert set(held.support_) == set(free.support_)
    if keep == "last":
        np.testing.assert_allclose(
            held.decision_function(X), free.decision_function(X), rtol=1e-9, atol=1e-9
        )


# ---------------------------------------------------------------- competitors


class Competitor(NamedTuple):
    """A function g = Σ c·K(z, ·): its norm, and its hinge loss on each row of a run."""

    norm: float
    losses: Any


def competitor(c, K, y, norm: float) -> Competitor:
    """The g of this norm in the direction of Σ c·K(x, ·), over the rows of the run themselves."""
    c = norm * c / math.sqrt(c @ K @ c)
    return Competitor(math.sqrt(c @ K @ c), np.maximum(0.0, 1.0 - y * (K @ c)))


def competitors(K, y, norms) -> list[Competitor]:
    """Ridge regression, nearest rows, a perceptron's own kind of sum, and directions at random."""
    generator = np.random.default_rng(0)
    n = len(y)
    few = np.where(generator.random(n) < 0.1, y, 0.0)
    few[0] = y[0]
    directions = [
        np.linalg.solve(K + np.eye(n), y),
        np.linalg.solve(K + 0.01 * np.eye(n), y),
        y.astype(float),
        few,
        generator.normal(size=n),
    ]
    return [competitor(c, K, y, norm) for c in directions for norm in norms]


def clusters(seed: int, n: int, wrong: float = 0.0, spread: float = 0.1, k: int = 2) -> tuple[Any, Any]:
    """Rows in k places far apart, of classes in turn; some labels are wrong."""
    generator = np.random.default_rng(seed)
    place = generator.integers(0, k, size=n)
    X = 6.0 * np.column_stack([place % 2, place // 2]) + spread * generator.normal(size=(n, 2))
    y = np.where(place % 2 == 0, -1, 1)
    y[generator.random(n) < wrong] *= -1
    y[:2] = -1, 1
    return X, y


STREAMS = {
    "two clusters": clusters(0, 300),
    "two clusters, some labels wrong": clusters(1, 600, wrong=0.2),
    "four wide clusters": clusters(2, 400, spread=0.5, k=4),
    "noise": (noise(3, 400)[0], 2 * noise(3, 400)[1] - 1),
}
streams = pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)


# ---------------------------------------------------------------- the Forgetron


SIZES = (83, 120, 200)


def longest(size: int) -> float:
    """¼·√((B + 1)/ln(B + 1)): how long g may be."""
    return 0.25 * math.sqrt((size + 1) / math.log(size + 1))


@streams
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("epochs", [1, 2])
def test_the_forgetrons_bound_on_mistakes_holds(stream, size, epochs):
    X, y = stream
    model = run(Forgetron(size), X, y, epochs=epochs)
    for g in competitors(gaussian(X, X), y, norms=np.linspace(0.1, 0.999 * longest(size), 6)):
        assert g.norm < longest(size)
        assert model.mistakes_ <= 2 * g.norm**2 + 4 * epochs * g.losses.sum() + 1e-9


def damages(budget: Forgetron, X, y, **settings: Any) -> list[tuple[float, float]]:
    """(M, Q) after every look."""
    model, found = KernelPerceptron(budget=budget, keep="last", **settings), []
    for i in range(len(y)):
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=np.unique(y))
        memory = model._state.limited_supports[0].slots.memory
        found.append((memory[MISTAKES], memory[DAMAGE]))
    return found


@settings(max_examples=8)
@given(seed=seeds, size=st.integers(1, 40), offset=st.booleans())
def test_the_damage_never_exceeds_15_32_of_the_mistakes(seed, size, offset):
    X, y = noise(seed, 120)
    for M, Q in damages(Forgetron(size), X, y, gamma=0.5, offset=offset):
        assert Q <= 15 / 32 * M * (1 + 1e-12)


# ---------------------------------------------------------------- the Projectron


PROJECTRONS = [
    *(Projectron(1000, eta) for eta in (0.0, 0.05, 0.1, 0.3)),
    *(ProjectronPlusPlus(1000, eta) for eta in (0.05, 0.1, 0.3)),
]


@streams
@pytest.mark.parametrize("budget", PROJECTRONS, ids=str)
def test_the_projectrons_bound_on_mistakes_holds(stream, budget):
    eta = max(budget.eta, 0.01)
    X, y = stream
    model = run(budget, X, y)
    assert len(model.support_) < 1000
    for g in competitors(gaussian(X, X), y, norms=np.linspace(0.1, min(20.0, 0.49 / eta), 8)):
        assert model.mistakes_ * (1 - 2 * eta * g.norm) <= g.norm**2 + 2 * g.losses.sum() + 1e-9


@settings(max_examples=10)
@given(seed=seeds, block=st.sampled_from([1, 7, 256]))
def test_with_eta_0_on_rows_in_general_position_it_is_the_perceptron(seed, block):
    X, y = noise(seed, 60)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OnHost, "block", block)
        free = run(None, X, y, gamma=2.0, epochs=3)
        held = run(Projectron(size=60, eta=0.0), X, y, gamma=2.0, epochs=3)
    assert held.mistakes_ == free.mistakes_
    assert set(held.support_) == set(free.support_)
    np.testing.assert_allclose(held.decision_function(X), free.decision_function(X), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("budget", [Projectron(6), ProjectronPlusPlus(6), Projectron(500, 0.6)], ids=str)
@pytest.mark.parametrize("offset", [False, True])
def test_inside_the_span_a_projected_row_does_what_the_row_itself_would(budget, offset):
    X, y = noise(9, 60)
    model = KernelPerceptron(budget=budget, gamma=0.5, keep="last", offset=offset)
    projected = 0
    for i in range(60):
        if i:
            before, support, updates = model.decision_function(X[:i]), model.support_, model.updates_
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
        if i and model.mistakes_ and model.history_[-1].mistakes and i not in model.support_:
            projected += 1
            change = (model.decision_function(X[:i]) - before)[support]
            want = (2 * y[i] - 1) * (gaussian(X[support], X[i : i + 1])[:, 0] + offset)
            np.testing.assert_allclose(change, want, atol=1e-9)
            assert model.updates_ == updates + 1
    assert projected > 5


@pytest.mark.parametrize("n", [40, 80, 150])
def test_a_projected_w_is_no_longer_than_the_perceptrons_may_be(n):
    X, y = noise(10, n)
    model = run(Projectron(10), X, y)
    S, c = model.support_, model.dual_coef_[0]
    assert c @ gaussian(X[S], X[S]) @ c <= model.mistakes_ + 1e-9  # ‖w‖² ≤ M·max K(x, x)


@pytest.mark.parametrize("eta", [0.0, 1e-4, 0.01, 0.1])
@pytest.mark.parametrize("gamma", [5.0, 1.0, 0.1, 0.01])
def test_the_inverse_that_it_projects_with_stays_one(eta, gamma):
    X, y = noise(13, 400)
    X = X[:, :2]
    model = run(Projectron(400, eta), X, y, gamma=gamma, epochs=2)
    slots, S = model._state.limited_supports[0].slots, model.support_
    assert len(set(S)) == len(S) == model._state.limited_supports[0].n_used  # no row joined twice
    inverse = slots.matrix[: len(S), : len(S)]
    np.testing.assert_allclose(inverse @ gaussian(X[S], X[S], gamma), np.eye(len(S)), atol=0.01)


def test_zero_rows_do_no_damage_that_cannot_be_counted():
    X, y = noise(14, 200)
    X[:60] = 0.0  # without offset K(x, x) is 0, and each look a mistake
    model = run(Forgetron(5), X, y, kernel="linear")
    memory = model._state.limited_supports[0].slots.memory
    assert 0.0 < memory[DAMAGE] <= 15 / 32 * memory[MISTAKES] * (1 + 1e-12)
    assert (np.abs(model.dual_coef_) < 1.0).sum() > 1  # w has faded


# ---------------------------------------------------------------- the scale of a kernel


@pytest.mark.parametrize("cls", [Oldest, RandomBudget, Forgetron, Projectron])
@pytest.mark.parametrize("factor", [0.25, 8.0])
def test_a_multiple_of_the_kernel_is_the_same_kernel(cls, factor):
    X, y = noise(11, 150)
    one = run(cls(12), X, y, kernel=gaussian, epochs=2)
    other = run(cls(12), X, y, kernel=Custom(lambda X, Z: factor * gaussian(X, Z)), epochs=2)
    assert other.mistakes_ == one.mistakes_
    assert other.support_.tolist() == one.support_.tolist()
    np.testing.assert_allclose(other.dual_coef_, one.dual_coef_, rtol=1e-9)
