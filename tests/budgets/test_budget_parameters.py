"""Parameters of budgets, what they can be combined with, and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rosenblatt import KernelPerceptron
from rosenblatt.budgets import (
    Forgetron,
    Oldest,
    Projectron,
    ProjectronPlusPlus,
    RandomBudget,
    as_budget,
)
from rosenblatt.rules import Margin, PassiveAggressive1, PassiveAggressive2, Rosenblatt
from tests.rules.own_rules import Plain

EVERY = (Oldest, RandomBudget, Forgetron, Projectron, ProjectronPlusPlus)
OTHER_RULES = [
    "margin", "uneven_margin", "passive_aggressive", PassiveAggressive1(C=0.5), PassiveAggressive2(C=0.5),
]  # fmt: skip


@pytest.fixture(scope="module")
def noise() -> tuple[Any, Any]:
    generator = np.random.default_rng(0)
    return generator.normal(size=(80, 2)), generator.integers(0, 2, size=80)


# ---------------------------------------------------------------- a budget


@pytest.mark.parametrize("size", [7, np.int64(7), np.uint8(7)])
def test_a_number_is_a_projectron_of_that_size(size, noise):
    assert as_budget(size) == Projectron(size=7, eta=0.1)
    by_number, by_name = (
        KernelPerceptron(budget=budget, random_state=0).fit(*noise) for budget in (size, Projectron(7))
    )
    assert by_number.support_.tolist() == by_name.support_.tolist()


@pytest.mark.parametrize("cls", EVERY)
@pytest.mark.parametrize("size", [0, -3, 1.5, 8.0, True, np.True_, "x", None, np.nan, [3]], ids=repr)
def test_a_bad_size_is_refused(cls, size):
    with pytest.raises(ValueError, match=r"budget: expected .*support row.*, got "):
        as_budget(cls(size=size))


@pytest.mark.parametrize("budget", [1.5, True, "x", "forgetron", Forgetron, None, [3], {}], ids=str)
def test_anything_but_a_budget_is_refused_with_an_example(budget):
    with pytest.raises(
        ValueError, match=r"budget: got .*a number of support rows, or a budget object such as"
    ):
        as_budget(budget)


@pytest.mark.parametrize("cls", [Projectron, ProjectronPlusPlus])
@pytest.mark.parametrize("eta", [-0.1, np.nan, np.inf, "small", None, True], ids=repr)
def test_a_bad_eta_is_refused(cls, eta):
    with pytest.raises(ValueError, match=rf"{cls.__name__}\.eta: expected a finite number .*, got "):
        as_budget(cls(eta=eta))


def test_only_the_projectron_may_have_an_eta_of_0():
    assert as_budget(Projectron(eta=0)) == Projectron(eta=0.0)
    with pytest.raises(ValueError, match=r"ProjectronPlusPlus\.eta: .* above 0, got 0"):
        as_budget(ProjectronPlusPlus(eta=0))


# ---------------------------------------------------------------- keepers


@pytest.mark.parametrize("cls", EVERY)
@pytest.mark.parametrize("keep", ["voted", "random"])
def test_averaging_strategies_that_need_the_past_are_refused(cls, keep, noise):
    why = rf"keep: '{keep}' needs every vector of the run, and a budget drops .*; use keep='averaged'"
    with pytest.raises(ValueError, match=why):
        KernelPerceptron(budget=cls(5), keep=keep).fit(*noise)
    with pytest.raises(ValueError, match=why):
        KernelPerceptron(budget=cls(5), keep=keep).partial_fit(*noise)
    model = KernelPerceptron(budget=cls(5)).fit(*noise)
    with pytest.raises(ValueError, match=why):
        model.set_params(keep=keep).predict(noise[0])
    assert model.set_params(keep="last").predict(noise[0]).shape == (80,)


# ---------------------------------------------------------------- rules


@pytest.mark.parametrize("rule", [*OTHER_RULES, Margin(tau=0.5), Plain(), Rosenblatt(rate=0.5)], ids=str)
@pytest.mark.parametrize("cls", [Forgetron, ProjectronPlusPlus])
def test_those_with_steps_of_their_own_are_for_rosenblatts_rule(cls, rule, noise):
    with pytest.raises(
        ValueError, match=rf"rule: {cls.__name__} is .*rule='rosenblatt'.*, got .*; use that"
    ):
        KernelPerceptron(budget=cls(5), rule=rule).fit(*noise)


LONG = pytest.mark.matrix  # a rule of one's own is compiled anew in every process


@pytest.mark.parametrize("cls", [Oldest, pytest.param(RandomBudget, marks=LONG), Projectron])
def test_a_rule_of_your_own_works_on_a_budget(cls, noise):
    own, ours = (
        KernelPerceptron(budget=cls(5), rule=rule, random_state=0, keep="last").fit(*noise)
        for rule in (Plain(), Rosenblatt())
    )
    assert own.mistakes_ == ours.mistakes_
    assert (own.decision_function(noise[0]) == ours.decision_function(noise[0])).all()
