"""A Learner with a kernel makes the updates of a KernelPerceptron in the given order."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from scipy.sparse import csr_array

from rosenblatt import KernelPerceptron, Learner, kernels, rules
from rosenblatt.budgets import Forgetron, Oldest, Projectron, ProjectronPlusPlus, RandomBudget
from rosenblatt.errors import BadInput
from rosenblatt.models import fit_inputs
from tests.covering import all_pairs, case_id, covering
from tests.training.dual.dual_runs import ROUNDING, overlap

KERNELS = ["linear", "polynomial", "gaussian", "laplacian", kernels.Polynomial(2, 0.5, 0.0), overlap]
RULES = [
    "rosenblatt", rules.Margin(tau=0.7), "uneven_margin", "passive_aggressive", "passive_aggressive_1",
    "passive_aggressive_2",
]  # fmt: skip
KEEPERS = ["last", "averaged", "voted"]
BUDGETS = [5, Projectron(8, eta=0.5), ProjectronPlusPlus(6), Forgetron(7), Oldest(5), RandomBudget(5)]


def circle(n=60, d=2, seed=0, whole=False):
    """Rows inside (−1) and outside (+1) of a circle, some labels wrong; in whole numbers full of ties."""
    generator = np.random.default_rng(seed)
    X = generator.integers(-2, 3, (n, d)).astype(float) if whole else generator.normal(size=(n, d))
    y = np.where(np.linalg.norm(X, axis=1) > 1.2, 1, -1)
    y[generator.random(n) < 0.15] *= -1
    y[:2] = (-1, 1)
    return X, y


def train(X, y, **parameters):
    """A learner that has seen all rows, and at which of them it was wrong."""
    learner = Learner(**parameters)
    return learner, [learner.learn(x, int(label)) for x, label in zip(X, y, strict=True)]


def estimator(X, y, kernel, **parameters):
    """The estimator in one pass over the rows as they come; a kernel by its name has gamma=1.0 here too."""
    return KernelPerceptron(
        kernel=kernel, gamma=1.0, order="given", epochs=1, device="cpu", random_state=0, **parameters
    ).fit(X, y)


def large_updates(state):
    """Return the number of updates that are larger than rounding errors, for each class."""
    return [np.count_nonzero(np.abs(record.delta) > ROUNDING) for record in state.records]


def same(learner, model, X, tolerance=1e-9):
    assert (learner.mistakes, learner.examples_seen) == (model.mistakes_, len(X))
    assert learner.false_positives == model.false_positives_
    if tolerance == 1e-9:
        assert (learner.updates, learner.n_support) == (model.updates_, len(model.support_))
    else:  # whether a rule updates a row whose margin is already 1, by 1e-16, depends on the processor
        assert large_updates(learner.trainer.state) == large_updates(model._state)
    assert [learner.predict(x) for x in X] == model.predict(X).tolist()
    np.testing.assert_allclose(
        [learner.decide(x) for x in X], model.decision_function(X), rtol=tolerance, atol=tolerance
    )


# ---------------------------------------------------------------- the run of the estimator


@pytest.mark.parametrize(
    ("kernel", "rule", "keep", "tie", "offset", "whole"),
    covering(KERNELS, RULES, KEEPERS, ["mistake", "negative", "positive"], [False, True], [False, True]),
    ids=case_id,
)
def test_it_learns_as_the_estimator(kernel, rule, keep, tie, offset, whole):
    X, y = circle(whole=whole)
    settings = {"rule": rule, "keep": keep, "tie": tie, "offset": offset}
    learner, wrong = train(X, y, kernel=kernel, **settings)
    model = estimator(X, y, kernel, **settings)
    same(learner, model, X, 1e-7 if "passive" in str(rule) else 1e-9)
    assert sum(wrong) == model.mistakes_
    if rule == "rosenblatt":
        assert np.flatnonzero(wrong).tolist() == model._state.records[0].look.tolist()


def test_there_is_no_offset_unless_requested():
    assert Learner(kernel="linear").offset is False
    assert Learner().offset is True
    assert Learner(kernel="linear", offset=True).offset is True
    plain = Learner(offset=False)
    by_kernel = Learner(kernel="linear")
    with_offset, lifted = Learner(), Learner(kernel="linear", offset=True)
    for x, label in zip(*circle(whole=True, seed=3), strict=True):
        assert by_kernel.learn(x, int(label)) == plain.learn(x, int(label))
        assert lifted.learn(x, int(label)) == with_offset.learn(x, int(label))
        assert by_kernel.decide(x) == plain.decide(x)
        assert lifted.decide(x) == with_offset.decide(x)


@pytest.mark.parametrize(
    ("budget", "keep", "kernel"),
    all_pairs(BUDGETS, ["last", "averaged"], ["gaussian", kernels.Polynomial(2, 0.5, 1.0)]),
    ids=case_id,
)
def test_on_a_budget_too(kernel, keep, budget, monkeypatch):
    monkeypatch.setattr(fit_inputs, "draw_seed", lambda state: 0)  # as a Learner has it
    X, y = circle(n=90, seed=4)
    learner, _ = train(X, y, kernel=kernel, keep=keep, budget=budget)
    model = estimator(X, y, kernel, keep=keep, budget=budget)
    same(learner, model, X, 1e-6)
    assert learner.n_support <= getattr(budget, "size", budget)


# ---------------------------------------------------------------- rows of all kinds


FORMS = {
    "list": lambda x: x.tolist(),
    "array": np.asarray,
    "matrix of one row": lambda x: x[None],
    "sparse": lambda x: csr_array(x[None]),
    "named": lambda x: {f"feature {j}": v for j, v in enumerate(x.tolist()) if v},
}


@pytest.mark.parametrize(
    ("form", "kernel", "budget"), all_pairs(list(FORMS), KERNELS[:5], [None, Forgetron(6)]), ids=case_id
)
def test_however_the_rows_are_given(budget, kernel, form):
    X, y = circle(d=3, seed=5)
    X[np.abs(X) < 0.5] = 0.0
    plain, wrong = train(X, y, kernel=kernel, budget=budget)
    rows = [FORMS[form](x) for x in X]
    learner, also_wrong = train(rows, y, kernel=kernel, budget=budget)
    assert also_wrong == wrong
    assert learner.n_support == plain.n_support
    np.testing.assert_allclose(
        [learner.decide(row) for row in rows], [plain.decide(x) for x in X], rtol=1e-9, atol=1e-12
    )


def test_a_feature_never_heard_of_is_part_of_a_distance():
    learner = Learner(kernel="gaussian")
    learner.learn({"a": 0.0}, 1)
    assert learner.decide({"a": 0.0, "new": 1.0}) == pytest.approx(math.exp(-1.0), rel=1e-12)
    learner = Learner(kernel="gaussian", offset=True)
    for x, label in (({"a": 0.0}, 1), ({"a": 3.0}, -1), ({"a": 3.0}, -1)):
        learner.learn(x, label)
    for far in (1.0, 9.0):
        answer = learner.answer({"a": 0.0, "new": far})
        assert copy.copy(learner).learn({"a": 0.0, "new": far}, 1) is (answer != 1)


@pytest.mark.parametrize("kernel", ["gaussian", "polynomial", "laplacian", "linear"])
def test_the_order_of_names_in_an_example_means_nothing(kernel):
    rng = np.random.default_rng(0)
    chosen = kernels.as_kernel(kernel, gamma=0.5)
    one, other = Learner(kernel=chosen), Learner(kernel=chosen)
    names = list("abcdef")
    for step in range(60):
        x = {name: float(value) for name, value in zip(names, rng.normal(size=6), strict=True)}
        y = 1 if x["a"] * x["b"] > 0 else -1
        turned = list(x.items()) if step == 0 else [list(x.items())[k] for k in rng.permutation(6)]
        assert one.learn(x, y) == other.learn(dict(turned), y)
        assert one.decide(x) == other.decide(dict(reversed(turned)))


@pytest.mark.parametrize("budget", [None, Oldest(4)], ids=case_id)
def test_the_callers_buffer_may_be_used_again(budget):
    X, y = circle(seed=8)
    learner, _ = train(X, y, kernel="gaussian", budget=budget)
    reused, buffer = Learner(kernel="gaussian", budget=budget), np.empty(2)
    for x, label in zip(X, y, strict=True):
        buffer[:] = x
        reused.answer(buffer)
        buffer[:] = np.nan
        reused.reveal(int(label))
    buffer[:] = 0.0
    assert [reused.decide(x) for x in X] == [learner.decide(x) for x in X]


# ---------------------------------------------------------------- the game


def test_a_learner_that_has_seen_nothing():
    learner = Learner(kernel="gaussian")
    assert (learner.n_support, learner.mistakes, learner.updates, learner.examples_seen) == (0, 0, 0, 0)
    assert (learner.answer([1.0, 2.0]), learner.decide([1.0, 2.0]), learner.n_support) == (-1, 0.0, 0)
    assert Learner(kernel="gaussian", tie="positive").answer({"a": 1.0}) == 1
    for parameters in ({"keep": "averaged"}, {"keep": "voted"}, {"budget": 3}):
        assert Learner(kernel="linear", **parameters).predict([1.0]) == -1


# ---------------------------------------------------------------- weights


@pytest.mark.parametrize("example", [[1.0, 2.0], {"a": 1.0}], ids=case_id)
@pytest.mark.parametrize("what", ["weights", "offset_weight", "state"])
def test_there_are_no_weights_and_the_reason_is_reported(what, example):
    learner = Learner(kernel="gaussian", offset=True)
    learner.learn(example, 1)
    assert not hasattr(learner, what)
    with pytest.raises(AttributeError, match=r"no weight vector.*use answer, decide"):
        getattr(learner, what)


def test_without_a_kernel_there_is_no_support():
    with pytest.raises(AttributeError, match="n_support: without a kernel w is one vector; see weights"):
        _ = Learner().n_support


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"kernel": "poly"}, "kernel: got 'poly'"),
        ({"kernel": 3}, "kernel: got 3"),
        ({"kernel": kernels.Gaussian(gamma="scale")}, "gamma: .*there are no rows to compute it from"),
        (
            {"kernel": "gaussian", "keep": "random"},
            "keep: 'random' draws one vector of a finished run",
        ),
        ({"kernel": "gaussian", "keep": "pocket"}, "keep: got 'pocket'"),
        ({"kernel": "gaussian", "init": "unit"}, "init: with a kernel w starts at zero"),
        ({"kernel": "gaussian", "init": [1.0, 2.0]}, "init: with a kernel w starts at zero"),
        ({"kernel": "gaussian", "rule": "alma"}, "rule: 'alma' has no dual form"),
        ({"budget": 3}, "budget: it limits the support of a kernel; give a kernel, or no budget"),
        ({"kernel": "gaussian", "budget": 0}, "budget: expected a number of support rows of at least 1"),
        ({"kernel": "gaussian", "budget": "few"}, "budget: got 'few'"),
        ({"kernel": "gaussian", "budget": 3, "keep": "voted"}, "keep: 'voted' needs every vector"),
        ({"kernel": "gaussian", "budget": Forgetron(3), "rule": "margin"}, "rule: Forgetron"),
    ],
)
def test_bad_parameters_are_refused_before_the_first_example(parameters, problem):
    with pytest.raises(BadInput, match=problem):
        Learner(**parameters)


def test_rows_that_overflow_are_refused():
    learner = Learner(kernel="polynomial")
    learner.learn([1.0, 2.0], 1)
    with pytest.raises(BadInput, match="overflows"):
        learner.learn([1e120, 2.0], 1)
    with pytest.raises(BadInput, match="overflows"):
        learner.answer([1e120, 2.0])
    assert learner.answer([1.0, 2.0]) == 1
    assert learner.learn([1.0, 2.0], 1) is False
    assert learner.examples_seen == 2
