"""A rule that a user wrote: a NamedTuple, a threshold, a step, and nothing else."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from rosenblatt import Learner, Perceptron, rules
from rosenblatt.errors import BadInput
from rosenblatt.rules import step, threshold
from tests.rules.own_rules import Plain


class Impatient(NamedTuple):
    """w ← keep·w + y·x when agreement ≤ tau·‖x‖² for the first `most` times, then never again."""

    tau: float = 0.25
    keep: float = 0.9
    most: float = 20.0

    @staticmethod
    def start() -> Patience:
        return Patience(0.0)


class Patience(NamedTuple):
    """Updates so far."""

    spent: float


@threshold.of(Impatient)
def _(rule, memory, label, x2):
    return rule.tau * x2


@step.of(Impatient)
def _(rule, memory, agreement, x2, w2):
    if memory.spent >= rule.most:
        return 0.0, 1.0, memory
    return 1.0, rule.keep, Patience(memory.spent + 1.0)


class Unfinished(NamedTuple):
    """It has a threshold and no step."""


@threshold.of(Unfinished)
def _(rule, memory, label, x2):
    return 0.0


@pytest.fixture
def formula(naive):
    def impatient(w, x, y, agreement, mistake, k, tau=0.25, keep=0.9, most=20):
        acts = agreement <= tau * naive.dot(x, x) and k < most
        return naive.plus(naive.times(keep, w), y, x) if acts else None

    return impatient


@pytest.mark.parametrize("layout", ["dense64", "csr64"])
def test_it_learns_what_its_formula_says(layout, formula, naive, problems, trained, weights):
    X, y = problems.noisy()
    X = problems.laid_out(X, layout)
    looks = list(naive.looks(formula, X, y, epochs=3))
    model = trained(Impatient(), X, y, epochs=3)
    assert model.updates_ == sum(look.updated for look in looks) == 20
    assert model.mistakes_ == sum(look.mistake for look in looks)
    np.testing.assert_allclose(weights(model), looks[-1].w, rtol=1e-9)


def test_its_parameters_count(problems, trained, formula, naive, weights):
    X, y = problems.noisy()
    model = trained(Impatient(tau=0, keep=1, most=3), X, y)  # whole numbers will do
    *_, last = naive.looks(lambda *look: formula(*look, tau=0, keep=1, most=3), X, y, epochs=10)
    assert model.updates_ == 3
    np.testing.assert_allclose(weights(model), last.w, rtol=1e-9)


def test_the_mean_of_its_vectors_can_be_kept(problems, trained, formula, naive, naive_keepers, weights):
    X, y = problems.noisy()
    model = trained(Impatient(), X, y, epochs=2, keep="averaged")
    looks = naive.looks(formula, X, y, epochs=2)
    np.testing.assert_allclose(weights(model), naive_keepers.mean(looks), rtol=1e-9)


@pytest.mark.parametrize("order", ["given", "shuffled", "first_mistake", "worst_mistake"])
def test_rosenblatts_rule_written_again_is_rosenblatts_rule_in_every_order(order, problems, weights):
    X, y = problems.noisy()
    ours, own = (
        Perceptron(rule=rule, order=order, random_state=3, epochs=2).fit(X, y)
        for rule in ("rosenblatt", Plain())
    )
    assert own.mistakes_ == ours.mistakes_
    assert (weights(own) == weights(ours)).all()


def test_a_learner_takes_it_too():
    learner = Learner(rule=Plain())
    assert learner.learn([2.0, 1.0], +1)
    assert learner.weights.tolist() == [2.0, 1.0]


def test_it_is_called_by_the_name_of_its_class():
    assert rules.name_of(Plain()) == "Plain"


def test_a_rule_without_a_step_is_no_rule():
    with pytest.raises(BadInput, match=r"^rule: got Unfinished\(\), expected a name"):
        Perceptron(rule=Unfinished()).fit([[0.0], [1.0]], [0, 1])
