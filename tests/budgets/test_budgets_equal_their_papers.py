"""The compiled loop in blocks makes the same mistakes and the same w as the paper's algorithm, row by
row."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.utils import check_random_state

from rosenblatt import KernelPerceptron
from rosenblatt.budgets import Forgetron, Oldest, Projectron, ProjectronPlusPlus, RandomBudget
from rosenblatt.rules import Margin, PassiveAggressive1
from rosenblatt.training.backends import OnHost
from tests.budgets import naive_budgets as naive
from tests.covering import covering
from tests.training.dual import naive_dual

GAMMA = 0.4
SEED = 3

EVERY_BUDGET = {
    "oldest": Oldest(size=9),
    "random": RandomBudget(size=9),
    "forgetron": Forgetron(size=9),
    "projectron": Projectron(size=9),
    "projectron that fills up by itself": Projectron(size=500, eta=0.5),
    "projectron with eta of 0": Projectron(size=9, eta=0.0),
    "projectron++": ProjectronPlusPlus(size=9),
    "projectron++ that fills up by itself": ProjectronPlusPlus(size=500, eta=0.6),
}
every_budget = pytest.mark.parametrize("budget", EVERY_BUDGET.values(), ids=EVERY_BUDGET)
two_or_three = pytest.mark.parametrize("n_classes", [2, 3])


class Problem(NamedTuple):
    """Rows whose classes a plane cannot tell apart, and weights for them."""

    X: Any
    y: Any
    weight: Any

    def gram(self, offset: bool = False):
        distance2 = ((self.X[:, None, :] - self.X[None, :, :]) ** 2).sum(axis=2)
        return np.exp(-GAMMA * distance2) + offset


def problem(n_classes: int, n: int = 80, seed: int = 0) -> Problem:
    generator = np.random.default_rng([seed, n_classes])
    X = generator.normal(size=(n, 3))
    y = np.floor(X[:, 0] * X[:, 1] + generator.normal(scale=0.3, size=n)).astype(int) % n_classes
    return Problem(X, y, generator.uniform(0.2, 3.0, size=n))


def columns(y, n_classes: int) -> list[Any]:
    """Labels −1 and +1 of each column."""
    return [np.where(y == c, 1, -1) for c in ([1] if n_classes == 2 else range(n_classes))]


def by_paper(budget: Any, K, data: Problem, n_classes: int, order, **how: Any) -> list[list[Any]]:
    """Return the visited rows of each column."""
    eta = getattr(budget, "eta", None)
    learn = {
        Oldest: naive.oldest,
        RandomBudget: naive.random_budget,
        Forgetron: naive.forgetron,
        Projectron: partial(naive.projectron, eta=eta),
        ProjectronPlusPlus: partial(naive.projectron, eta=eta),
    }[type(budget)]
    if isinstance(budget, ProjectronPlusPlus):
        how["margin_eta"] = eta
    seed = check_random_state(SEED).randint(2**31 - 1)
    return [
        list(naive.walk(learn, K, labels, order, budget.size, memory={"random": int(seed) + c}, **how))
        for c, labels in enumerate(columns(data.y, n_classes))
    ]


def model(budget: Any, **others: Any) -> KernelPerceptron:
    others = {"gamma": GAMMA, "order": "given", "keep": "last", "device": "cpu"} | others
    return KernelPerceptron(budget=budget, random_state=SEED, **others)


def spread(model: KernelPerceptron, n: int):
    """dual_coef_ as a coefficient for each of n rows, in each column."""
    total = np.zeros((len(model.dual_coef_), n))
    for column, coefficients in zip(total, model.dual_coef_, strict=True):
        np.add.at(column, model.support_, coefficients)
    return total


def assert_same(model: KernelPerceptron, runs: list[list[Any]], n: int) -> None:
    assert model.mistakes_per_class_.tolist() == [sum(look.mistake for look in run) for run in runs]
    taken = [sum(look.mistake and look.y < 0 for look in run) for run in runs]
    assert model.false_positives_per_class_.tolist() == taken
    assert model.updates_ == sum(look.updated for run in runs for look in run)
    assert set(model.support_) == {term.row for run in runs for term in run[-1].w}
    want = [naive.coefficients(run[-1].w, n) for run in runs]
    np.testing.assert_allclose(spread(model, n), want, rtol=1e-6, atol=1e-9)


# ---------------------------------------------------------------- the same run


def in_parts(sizes):
    def learn(model, X, data, n_classes, weight):
        for part in np.split(np.arange(80), np.cumsum(sizes)[:-1]):
            given = None if weight is None else weight[part]
            model.partial_fit(X[part], data.y[part], range(n_classes), given)

    return learn


def by_fit(model, X, data, n_classes, weight):
    model.set_params(epochs=2).fit(X, data.y, sample_weight=weight)


def by_a_list(model, X, data, n_classes, weight):
    model.set_params(epochs=1, order=LIST).fit(X, data.y, sample_weight=weight)


def fit_and_more(model, X, data, n_classes, weight):
    first, rest = slice(50), slice(50, 80)
    given = (None, None) if weight is None else (weight[first], weight[rest])
    model.set_params(epochs=2).fit(X[first], data.y[first], sample_weight=given[0])
    model.partial_fit(X[rest], data.y[rest], sample_weight=given[1])


LIST = np.random.default_rng(1).integers(0, 80, size=120).tolist()
PATHS = {
    "fit": (by_fit, list(range(80)) * 2),
    "a list of rows": (by_a_list, LIST),
    "row by row": (in_parts([1] * 80), range(80)),
    "in parts": (in_parts([1, 40, 2, 37]), range(80)),
    "fit, then more": (fit_and_more, [*range(50), *range(50), *range(50, 80)]),
}
CONTAINERS = {"dense": np.asarray, "sparse": csr_array, "device": np.asarray}
WEIGHTS = ["none", "some", "some absent"]


@pytest.mark.parametrize(
    ("name", "path", "n_classes", "container", "offset", "weights", "block"),
    covering(
        list(EVERY_BUDGET), list(PATHS), [2, 3], list(CONTAINERS), [False, True], WEIGHTS, [1, 5, 256]
    ),
)
def test_a_run_follows_the_paper(name, path, n_classes, container, offset, weights, block, monkeypatch):
    monkeypatch.setattr(OnHost, "block", block)
    if path == "row by row" and weights == "some absent":
        weights = "some"  # a call with absent rows only is refused
    data, (learn, order) = problem(n_classes), PATHS[path]
    weight = {"none": None, "some": data.weight, "some absent": np.where(ABSENT, 0.0, data.weight)}[weights]
    order = [i for i in order if weight is None or weight[i]]
    runs = by_paper(EVERY_BUDGET[name], data.gram(offset), data, n_classes, order, weight=weight)
    learned = model(EVERY_BUDGET[name], offset=offset)
    if container == "device":
        pytest.importorskip("torch")
        learned.set_params(device="torch:cpu")
    learn(learned, CONTAINERS[container](data.X), data, n_classes, weight)
    assert_same(learned, runs, 80)
    assert learned.examples_seen_ == len(order)


ABSENT = np.arange(80) % 3 == 1


RULES = {"margin": Margin(tau=0.7), "passive-aggressive": PassiveAggressive1(C=0.3)}


@two_or_three
@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@pytest.mark.parametrize("budget", [Oldest(9), RandomBudget(9), Projectron(9)], ids=str)
def test_other_rules_decide_when_and_how_much(budget, rule, n_classes):
    data = problem(n_classes)
    formula = {
        Margin: partial(naive_dual.margin, tau=0.7),
        PassiveAggressive1: partial(naive_dual.passive_aggressive_1, C=0.3),
    }[type(rule)]
    order = list(range(80)) * 2
    runs = by_paper(budget, data.gram(), data, n_classes, order, rule=formula, weight=data.weight)
    learned = model(budget, epochs=2, rule=rule).fit(data.X, data.y, sample_weight=data.weight)
    assert learned.updates_ > learned.mistakes_
    assert_same(learned, runs, 80)


@pytest.mark.parametrize("cls", [Oldest, RandomBudget, Forgetron, Projectron, ProjectronPlusPlus])
@settings(max_examples=12)
@given(draw=st.data())
def test_the_result_does_not_depend_on_the_size_the_classes_the_blocks_and_the_passes(cls, draw):
    budget = cls(size=draw.draw(st.integers(1, 25)))
    n_classes, epochs = draw.draw(st.integers(2, 4)), draw.draw(st.integers(1, 3))
    offset, weighted = draw.draw(st.booleans()), draw.draw(st.booleans())
    data = problem(n_classes, n=40, seed=draw.draw(st.integers(0, 10**6)))
    weight = data.weight if weighted else None
    assume(len(set(data.y)) == n_classes)
    runs = by_paper(budget, data.gram(offset), data, n_classes, list(range(40)) * epochs, weight=weight)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OnHost, "block", draw.draw(st.integers(1, 50)))
        learned = model(budget, offset=offset, epochs=epochs).fit(data.X, data.y, sample_weight=weight)
    assert_same(learned, runs, 40)


# ---------------------------------------------------------------- scores of exactly 0


@pytest.mark.parametrize("tie", ["mistake", "negative", "positive"])
@pytest.mark.parametrize("budget", [Oldest(5), RandomBudget(5)], ids=str)
@pytest.mark.parametrize("kernel", ["linear", "polynomial"])
@pytest.mark.parametrize("block", [1, 7, 256])
def test_whole_numbers_give_ties_that_are_decided_exactly(budget, tie, kernel, block, monkeypatch):
    monkeypatch.setattr(OnHost, "block", block)
    generator = np.random.default_rng(0)
    data = Problem(generator.integers(-2, 3, size=(60, 3)), generator.integers(0, 2, size=60), None)
    K = data.X @ data.X.T if kernel == "linear" else (data.X @ data.X.T) ** 2
    runs = by_paper(budget, K.astype(float), data, 2, list(range(60)) * 3, tie=tie)
    learned = model(budget, kernel=kernel, degree=2, gamma=1.0, coef0=0.0, epochs=3, tie=tie)
    assert_same(learned.fit(data.X, data.y), runs, 60)
    assert learned.exact_decisions_ > 0


# ---------------------------------------------------------------- what is kept


@two_or_three
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(
    "budget",
    [Projectron(9), Projectron(500, 0.5), ProjectronPlusPlus(9), ProjectronPlusPlus(500, 0.6)],
    ids=str,
)
def test_if_nothing_is_forgotten_the_mean_equals_that_of_w_over_all_steps(budget, weighted, n_classes):
    data = problem(n_classes)
    weight = data.weight if weighted else None
    order = list(range(80)) * 2
    runs = by_paper(budget, data.gram(), data, n_classes, order, weight=weight)
    learned = model(budget, epochs=2, keep="averaged").fit(data.X, data.y, sample_weight=weight)
    means = np.array([naive.mean(run, 80) for run in runs])
    np.testing.assert_allclose(spread(learned, 80), means, rtol=1e-6, atol=1e-9)
    scores = (data.gram() @ means.T).reshape(80, -1)
    values = learned.decision_function(data.X).reshape(80, -1)
    np.testing.assert_allclose(values, scores, rtol=1e-6, atol=1e-9)


@two_or_three
@pytest.mark.parametrize("budget", [Oldest(9), RandomBudget(9), Forgetron(9)], ids=str)
def test_if_rows_are_forgotten_each_coefficient_has_its_own_mean(budget, n_classes):
    data = problem(n_classes)
    runs = by_paper(budget, data.gram(), data, n_classes, list(range(80)) * 2, weight=data.weight)
    learned = model(budget, epochs=2, keep="averaged").fit(data.X, data.y, sample_weight=data.weight)
    means = [naive.mean_since(run, 80) for run in runs]
    np.testing.assert_allclose(spread(learned, 80), means, rtol=1e-9, atol=1e-12)


@every_budget
def test_the_averaging_strategy_may_be_changed_after_fit(budget):
    data = problem(2)
    learned = model(budget, keep="last").fit(data.X, data.y)
    last = learned.decision_function(data.X)
    averaged = learned.set_params(keep="averaged").decision_function(data.X)
    assert (averaged == model(budget, keep="averaged").fit(data.X, data.y).decision_function(data.X)).all()
    has_fixed_coefficients = isinstance(budget, Oldest | RandomBudget)  # so they are their own means
    assert (averaged == last).all() == has_fixed_coefficients
    assert (learned.set_params(keep="last").decision_function(data.X) == last).all()


# ---------------------------------------------------------------- chance


def test_the_seed_decides_which_rows_the_random_budget_removes():
    data = problem(2)

    def forgotten(seed: int) -> list[int]:
        return model(RandomBudget(9)).set_params(random_state=seed).fit(data.X, data.y).support_.tolist()

    assert forgotten(0) == forgotten(0)
    assert len({tuple(forgotten(seed)) for seed in range(4)}) == 4
