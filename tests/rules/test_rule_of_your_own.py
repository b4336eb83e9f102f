"""A rule that a user wrote: a NamedTuple, a threshold and a step; for some an array by feature."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from rosenblatt import KernelPerceptron, Learner, Perceptron, load, rules, save
from rosenblatt.errors import BadInput
from rosenblatt.numeric.rows import term, terms
from rosenblatt.numeric.update_directions import Weighed
from rosenblatt.numeric.widening import widen
from rosenblatt.rules import absorb, direction, length2, step, threshold
from tests.rules import naive_rules as naive
from tests.rules import problems
from tests.rules.own_rules import Plain
from tests.rules.rule_runs import train_perceptron, weights


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


class Variances(NamedTuple):
    """A variance for each feature, and β of the last step."""

    variance: NDArray[np.float64]
    beta: float


class OwnArow(NamedTuple):
    """AROW with a variance for each feature, written by the hooks that the documentation names."""

    r: float = 1.0

    @staticmethod
    def start() -> Variances:
        return Variances(np.ones(1), 0.0)

    @staticmethod
    def widen(memory: Variances, width: int) -> Variances:
        return memory._replace(variance=widen(memory.variance, width, begins=1.0))


@threshold.of(OwnArow)
def _(rule, memory, label, x2):
    return 1.0


@length2.of(OwnArow)
def _(rule, memory, rows, i, offset, x2):
    total = 0.0
    for k in range(terms(rows, i)):
        j, x = term(rows, i, k, offset)
        total += memory.variance[j] * x * x
    return total


@step.of(OwnArow)
def _(rule, memory, agreement, x2, w2):
    beta = 1.0 / (x2 + rule.r)
    return max(0.0, 1.0 - agreement) * beta, 1.0, Variances(memory.variance, beta)


@direction.of(OwnArow)
def _(rule, memory, rows, i, label, offset, weights, scale):
    return Weighed(rows, memory.variance)


@absorb.of(OwnArow)
def _(rule, memory, rows, i, label, offset):
    for k in range(terms(rows, i)):
        j, x = term(rows, i, k, offset)
        variance = memory.variance[j]
        memory.variance[j] = variance - memory.beta * variance * x * variance * x


@pytest.fixture
def formula():
    def impatient(w, x, y, agreement, mistake, k, tau=0.25, keep=0.9, most=20):
        acts = agreement <= tau * naive.dot(x, x) and k < most
        return naive.plus(naive.times(keep, w), y, x) if acts else None

    return impatient


@pytest.mark.parametrize("layout", ["dense64", "csr64"])
def test_it_learns_what_its_formula_says(layout, formula):
    X, y = problems.noisy()
    X = problems.laid_out(X, layout)
    looks = list(naive.looks(formula, X, y, epochs=3))
    model = train_perceptron(Impatient(), X, y, epochs=3)
    assert model.updates_ == sum(look.updated for look in looks) == 20
    assert model.mistakes_ == sum(look.mistake for look in looks)
    np.testing.assert_allclose(weights(model), looks[-1].w, rtol=1e-9)


@pytest.mark.parametrize("order", ["given", "shuffled", "first_mistake", "worst_mistake"])
def test_rosenblatts_rule_written_again_is_rosenblatts_rule_in_every_order(order):
    X, y = problems.noisy()
    ours, own = (
        Perceptron(rule=rule, order=order, random_state=3, epochs=2).fit(X, y)
        for rule in ("rosenblatt", Plain())
    )
    assert own.mistakes_ == ours.mistakes_
    assert (weights(own) == weights(ours)).all()


def test_arow_written_again_is_arow_with_late_features_and_from_a_file(tmp_path, monkeypatch):
    monkeypatch.setitem(rules.RULES, "own_arow", OwnArow)  # the line that registers a rule
    X, y = problems.noisy(n=60, d=6, density=0.6)
    X = np.where(np.arange(6) <= np.arange(60)[:, None] // 5, X, 0.0)
    ours, own = Learner(rule=rules.Arow(0.7)), Learner(rule=OwnArow(0.7))
    for i, (x, label) in enumerate(zip(X, y.tolist(), strict=True)):
        named = {f"x{j}": value for j, value in enumerate(x) if value}
        assert own.learn(named, label) == ours.learn(named, label)
        if i == 30:
            save(own, tmp_path / "own")
            own = load(tmp_path / "own")
    assert own.weights == pytest.approx(ours.weights, rel=1e-9, abs=1e-12)
    assert own.offset_weight == pytest.approx(ours.offset_weight, rel=1e-9)


NO_LOOP = {
    "kernel": (KernelPerceptron(rule=OwnArow()), 2, "it stores its own values"),
    "shared": (Perceptron(OwnArow(), multiclass="ultraconservative"), 3, "does not suit multiclass="),
    "voted": (Perceptron(OwnArow(), "voted"), 2, "'voted' rebuilds its|are not multiples of rows"),
    "device": (Perceptron(OwnArow(), device="torch:cpu"), 3, "does not support this rule"),
}


@pytest.mark.parametrize("where", NO_LOOP)
def test_if_there_is_no_loop_for_arrays_the_reason_is_given(where):
    model, n_classes, reason = NO_LOOP[where]
    X, _ = problems.noisy()
    if where == "device":
        pytest.importorskip("torch")
    with pytest.raises(BadInput, match=reason):
        model.fit(X, np.arange(len(X)) % n_classes)


def test_a_rule_without_a_step_is_no_rule():
    with pytest.raises(BadInput, match=r"^rule: got Unfinished\(\), expected a name"):
        Perceptron(rule=Unfinished()).fit([[0.0], [1.0]], [0, 1])
