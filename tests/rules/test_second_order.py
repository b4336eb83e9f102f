"""Room for rules that keep numbers for each feature: as a user would write them, beside ten naive lines.

`DiagonalArow` (Crammer, Kulesza & Dredze 2009) keeps a variance for each feature: w changes by Σx, then Σ.
`SecondOrder` (Cesa-Bianchi, Conconi & Gentile 2005) keeps the inverse of aI + Σ xxᵀ, which changes first.
`Adaptive` keeps the diagonal of the same, and its step differs in each entry: xⱼ(y − wⱼxⱼ)/(aⱼ + xⱼ²).
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from rosenblatt import KernelPerceptron, Learner, Perceptron, load, rules, save, trace
from rosenblatt.arithmetic.examples import Batch, as_rows
from rosenblatt.arithmetic.next_row import Given
from rosenblatt.arithmetic.rows import term, terms
from rosenblatt.arithmetic.steps import Weighed, Whole
from rosenblatt.arithmetic.widening import widen, widen_matrix
from rosenblatt.data.labels import as_labels
from rosenblatt.errors import BadInput
from rosenblatt.learning import begin, learn
from rosenblatt.rules import ABOVE_ZERO, Facts, absorb, direction, length2, step, threshold

# ---------------------------------------------------------------- AROW with a diagonal Σ


class Variances(NamedTuple):
    """Σ, and 1/(x̃ᵀΣx̃ + r) of the last step."""

    variance: NDArray[np.float64]
    beta: float


class DiagonalArow(NamedTuple):
    """w ← w + loss·β·y·Σx and Σ ← Σ − β·(Σx)², with β = 1/(xᵀΣx + r), when agreement < 1."""

    r: float = 1.0

    @staticmethod
    def facts() -> Facts:
        return Facts("adapts w where it is least sure of it", ranges={"r": ABOVE_ZERO})

    @staticmethod
    def start() -> Variances:
        return Variances(np.ones(1), 0.0)

    @staticmethod
    def widened(memory: Variances, width: int) -> Variances:
        return memory._replace(variance=widen(memory.variance, width, begins=1.0))


def make_batch(X, y):
    return Batch(as_rows(X), as_labels(y), np.empty(0))


@threshold.of(DiagonalArow)
def _(rule, memory, label, x2):
    return 1.0


@step.of(DiagonalArow)
def _(rule, memory, agreement, x2, w2):
    beta = 1.0 / (x2 + rule.r)
    return max(0.0, 1.0 - agreement) * beta, 1.0, Variances(memory.variance, beta)


@direction.of(DiagonalArow)
def _(rule, memory, rows, i, label, offset, weights, scale):
    return Weighed(rows, memory.variance)


# ---------------------------------------------------------------- the second-order perceptron


class Inverse(NamedTuple):
    """(aI + Σ xxᵀ)⁻¹, and room for it times x̃."""

    matrix: NDArray[np.float64]
    along: NDArray[np.float64]


class SecondOrder(NamedTuple):
    """On a mistake M ← (M⁻¹ + xxᵀ)⁻¹, then w ← w + (1 − y·w·x)·y·Mx. So w = M·Σ y·x for the M of now."""

    a: float = 0.5

    @staticmethod
    def facts() -> Facts:
        return Facts("whitens what it has seen", ranges={"a": ABOVE_ZERO}, beyond="its step is Mx, not x")

    def start(self) -> Inverse:
        return Inverse(np.full((1, 1), 1.0 / self.a), np.zeros(1))

    def widened(self, memory: Inverse, width: int) -> Inverse:
        return Inverse(widen_matrix(memory.matrix, width, begins=1.0 / self.a), np.zeros(width))


@threshold.of(SecondOrder)
def _(rule, memory, label, x2):
    return 0.0


@step.of(SecondOrder)
def _(rule, memory, agreement, x2, w2):
    return 1.0 - agreement, 1.0, memory


@direction.of(SecondOrder)
def _(rule, memory, rows, i, label, offset, weights, scale):
    matrix, along = memory.matrix, memory.along
    for j in range(along.size):
        along[j] = 0.0
        for k in range(terms(rows, i)):
            feature, x = term(rows, i, k, offset)
            along[j] += matrix[j, feature] * x
    square = 1.0
    for k in range(terms(rows, i)):
        feature, x = term(rows, i, k, offset)
        square += along[feature] * x
    # Sherman and Morrison: M − (Mx)(Mx)ᵀ/(1 + xᵀMx), so the new Mx is the old one over 1 + xᵀMx
    for j in range(along.size):
        for k in range(along.size):
            matrix[j, k] -= along[j] * along[k] / square
    for j in range(along.size):
        along[j] /= square
    return Whole(along)


# ---------------------------------------------------------------- a step of its own in each entry


class Diagonal(NamedTuple):
    """aⱼ = a + Σ xⱼ², and room for what multiplies xⱼ in a step."""

    a: NDArray[np.float64]
    gain: NDArray[np.float64]


class Adaptive(NamedTuple):
    """On a mistake wⱼ ← wⱼ + xⱼ(y − wⱼxⱼ)/(aⱼ + xⱼ²), then aⱼ ← aⱼ + xⱼ²."""

    a: float = 1.0

    def start(self) -> Diagonal:
        return Diagonal(np.full(1, self.a), np.zeros(1))

    def widened(self, memory: Diagonal, width: int) -> Diagonal:
        return Diagonal(widen(memory.a, width, begins=self.a), np.zeros(width))


@threshold.of(Adaptive)
def _(rule, memory, label, x2):
    return 0.0


@step.of(Adaptive)
def _(rule, memory, agreement, x2, w2):
    return 1.0, 1.0, memory


@direction.of(Adaptive)
def _(rule, memory, rows, i, label, offset, weights, scale):
    for k in range(terms(rows, i)):
        j, x = term(rows, i, k, offset)
        memory.gain[j] = (1.0 - label * scale * weights[j] * x) / (memory.a[j] + x * x)
    return Weighed(rows, memory.gain)


@absorb.of(Adaptive)
def _(rule, memory, rows, i, label, offset):
    for k in range(terms(rows, i)):
        j, x = term(rows, i, k, offset)
        memory.a[j] += x * x


# ---------------------------------------------------------------- a threshold that needs xᵀΣx


class Cautious(NamedTuple):
    """Rosenblatt's step, also where agreement ≤ φ·√(xᵀΣx); Σ as AROW has it. Its direction is x itself."""

    phi: float = 0.3

    @staticmethod
    def start() -> Variances:
        return DiagonalArow.start()

    @staticmethod
    def widened(memory: Variances, width: int) -> Variances:
        return DiagonalArow.widened(memory, width)


@threshold.of(Cautious)
def _(rule, memory, label, x2):
    return rule.phi * math.sqrt(x2)


@step.of(Cautious)
def _(rule, memory, agreement, x2, w2):
    return 1.0, 1.0, Variances(memory.variance, 1.0 / (x2 + 1.0))


@length2.of(DiagonalArow)
@length2.of(Cautious)
def _(rule, memory, rows, i, offset, x2):
    total = 0.0
    for k in range(terms(rows, i)):
        j, x = term(rows, i, k, offset)
        total += memory.variance[j] * x * x
    return total


@absorb.of(DiagonalArow)
@absorb.of(Cautious)
def _(rule, memory, rows, i, label, offset):
    for k in range(terms(rows, i)):
        j, x = term(rows, i, k, offset)
        variance = memory.variance[j]
        memory.variance[j] = variance - memory.beta * variance * x * variance * x


# ---------------------------------------------------------------- what is held of them

EVERY = [DiagonalArow(0.7), SecondOrder(0.5), Adaptive(2.0), Cautious(0.4)]
LAYOUTS = {"dense": np.asarray, "sparse": sp.csr_array}
IN_SHORT = {  # each loop takes seconds to compile
    (DiagonalArow, "sparse", "last"), (DiagonalArow, "dense", "averaged"), (SecondOrder, "sparse", "last"),
    (SecondOrder, "dense", "averaged"), (Adaptive, "sparse", "last"), (Cautious, "dense", "last"),
}  # fmt: skip


@pytest.fixture(scope="module")
def vectors(load):
    """w after each look, by the naive rule."""
    naive = load(Path(__file__).parent / "naive_second_order.py")

    def made(rule, X, y, **run):
        name = re.sub(r"(?<=.)([A-Z])", r"_\1", type(rule).__name__).lower()
        return naive.vectors(getattr(naive, name), rule[0], X, y, **run)

    return made


@pytest.fixture(params=EVERY[:2], ids=lambda rule: type(rule).__name__)
def rule(request):
    return request.param


@pytest.fixture(scope="module")
def data(problems):
    return problems.noisy(n=60, d=6, density=0.6)


@pytest.mark.parametrize(
    ("rule", "layout", "keep"),
    [
        pytest.param(*case, marks=() if (type(case[0]), *case[1:]) in IN_SHORT else pytest.mark.matrix)
        for case in product(EVERY, LAYOUTS, ["last", "averaged"])
    ],
)
@pytest.mark.parametrize("offset", [True, False])
def test_the_loop_learns_what_the_formula_says(rule, layout, keep, offset, data, weights, vectors):
    X, y = data
    model = Perceptron(rule=rule, keep=keep, order="given", epochs=3, offset=offset)
    model.fit(LAYOUTS[layout](X), y)
    looks = vectors(rule, X, y, epochs=3, offset=offset)
    wanted = looks[-1] if keep == "last" else looks.mean(axis=0)
    np.testing.assert_allclose(weights(model), wanted, rtol=1e-9, atol=1e-12)


def test_every_mistake_is_still_an_exact_fact(rule, data):
    X, y = data
    state = begin(X.shape[1], rule)
    batch = make_batch(X, y)
    for i in range(len(y)):
        w, mistakes = state.current(), state.mistakes
        learn(state, batch, Given(i, i + 1))
        exact = sum(map(lambda a, b: Fraction(a) * Fraction(b), w.tolist(), [*X[i].tolist(), 1.0]))
        assert state.mistakes - mistakes == (y[i] * exact <= 0)


def test_the_squared_length_of_w_is_followed_by_the_length_of_its_steps(rule, data):
    X, y = data
    state = begin(X.shape[1], rule)
    learn(state, make_batch(sp.csr_array(X), y), Given(0, len(y)))
    (column,) = state.columns
    assert column.tally["norm2"][0] == pytest.approx(float(column.weights @ column.weights), rel=1e-9)


def test_a_feature_that_comes_late_begins_as_the_rule_says(rule, data, vectors):
    """Named features, one after another, as against all of them from the start."""
    X, y = data
    X = np.where(np.arange(X.shape[1]) <= np.arange(len(X))[:, None] // 5, X, 0.0)
    learner = Learner(rule=rule)
    for x, label in zip(X, y.tolist(), strict=True):
        learner.learn({f"x{j}": value for j, value in enumerate(x) if value}, label)
        if len(learner.weights) < 3:  # room is doubled: widen it by hand too, a feature at a time
            learner.state.widen(learner.state.n_features + 1)
    wanted = vectors(rule, X, y)[-1]
    for j, w in enumerate(wanted[:-1]):
        assert learner.weights[f"x{j}"] == pytest.approx(w, rel=1e-9, abs=1e-12)
    assert learner.offset_weight == pytest.approx(wanted[-1], rel=1e-9)


def test_a_copy_learns_on_its_own(rule, data):
    X, y = data
    batch, state = make_batch(X, y), begin(X.shape[1], rule)
    learn(state, batch, Given(0, 30))
    before = [np.copy(part) for part in state.columns[0].memory]
    learn(state.copy(), batch, Given(30, 60))
    for part, kept in zip(state.columns[0].memory, before, strict=True):
        np.testing.assert_array_equal(part, kept)


@pytest.mark.parametrize("keep", ["last", "averaged", pytest.param("pocket", marks=pytest.mark.matrix)])
def test_a_run_that_was_saved_goes_on_as_if_it_had_not_been(rule, keep, data, tmp_path, monkeypatch):
    X, y = data
    monkeypatch.setitem(rules.RULES, "of_mine", type(rule))  # the one line that registers a rule
    settings = {"rule": rule, "keep": keep, "order": "given", "random_state": 0}
    whole = Perceptron(epochs=1, **settings).partial_fit(X, y).partial_fit(X, y)
    path = tmp_path / "model.safetensors"
    save(Perceptron(epochs=1, **settings).partial_fit(X, y), path)
    again = load(path).partial_fit(X, y)
    assert again.rule == rule
    np.testing.assert_array_equal(again.coef_, whole.coef_)
    np.testing.assert_array_equal(again.intercept_, whole.intercept_)


def test_a_file_with_an_array_of_another_width_is_refused(data, tmp_path, monkeypatch):
    X, y = data
    monkeypatch.setitem(rules.RULES, "arow", DiagonalArow)
    model = Perceptron(rule="arow", order="given").fit(X, y)
    (column,) = model._state.columns
    column.memory = column.memory._replace(variance=np.ones(3))
    save(model, tmp_path / "model.safetensors")
    with pytest.raises(BadInput, match=r"damaged: .*memory.variance"):
        load(tmp_path / "model.safetensors")


def test_one_look_at_a_time_is_the_same_run(rule, data):
    X, y = data
    learner = Learner(rule=rule)
    for x, label in zip(X, y.tolist(), strict=True):
        learner.learn(x, label)
    model = Perceptron(rule=rule, order="given", epochs=1).fit(X, y)
    np.testing.assert_array_equal(learner.weights, model.coef_[0])
    assert learner.mistakes == model.mistakes_


def test_an_order_that_searches_asks_by_the_same_threshold(data):
    X, y = data
    model = Perceptron(rule=Cautious(0.4), order="first_mistake", epochs=2, random_state=0).fit(X, y)
    assert model.updates_ == model.examples_seen_ > model.mistakes_


def test_several_classes_learn_one_by_one(rule, data):
    X, y = data.X, np.argmax(data.X[:, :3], axis=1)
    model = Perceptron(rule=rule, order="given", epochs=2).fit(X, y)
    for c in range(3):
        alone = Perceptron(rule=rule, order="given", epochs=2).fit(X, np.where(y == c, 1, -1))
        np.testing.assert_array_equal(model.coef_[c], alone.coef_[0])


def test_a_trace_shows_it(rule, data, vectors):
    X, y = data
    last, wanted = trace(X, y, rule=rule, epochs=1).steps[-1], vectors(rule, X, y)[-1]
    np.testing.assert_allclose([*last.weights, last.offset], wanted, rtol=1e-9, atol=1e-12)


REFUSED = {
    "kernel": (lambda X, y: KernelPerceptron(rule=SecondOrder()).fit(X, y), "has no dual form here: its"),
    "learner": (lambda X, y: Learner(rule=SecondOrder(), kernel="gaussian"), "its step is Mx, not x, and"),
    "shared": (
        lambda X, y: Perceptron(rule=SecondOrder(), multiclass="ultraconservative").fit(
            X, np.arange(60) % 3
        ),
        "does not suit multiclass='ultraconservative': its step is Mx",
    ),
    "voted": (lambda X, y: Perceptron(rule=SecondOrder(), keep="voted").fit(X, y), "'voted' rebuilds its"),
    "says nothing": (
        lambda X, y: KernelPerceptron(rule=Adaptive()).fit(X, y),
        "it keeps numbers of its own",
    ),
}


@pytest.mark.parametrize("where", REFUSED)
def test_where_there_is_no_loop_for_it_a_sentence_says_so(where, data):
    learned, sentence = REFUSED[where]
    with pytest.raises(BadInput, match=sentence):
        learned(*data)


def test_on_a_device_it_has_no_loop(data):
    pytest.importorskip("torch")
    X = data.X
    with pytest.raises(BadInput, match="does not support this rule"):
        Perceptron(rule=Adaptive(), device="torch:cpu").fit(X, np.arange(len(X)) % 3)
