"""Every path makes the mistakes of a naive reference and leaves the same bits.

The reference of one call of `partial_fit` is the perceptron in plain Python: weights are floats, each gets
one rounded addition per mistake, and the sign of w·x + b is decided by exact fractions. That call is the
reference of the other paths (`paths.WAYS`) for every rule, averaging strategy and layout, and of each class
among several.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rosenblatt import KernelPerceptron, Perceptron, rules
from rosenblatt.data.sources import text_blocks
from tests.covering import covering
from tests.exactness.paths import COUNTERS, WAYS, Outcome, Task, at_once, dense, outcome, run

TIES = {"mistake": 0, "negative": -1, "positive": 1}
CONTAINERS = {
    "dense float64": lambda X: X.astype(np.float64),
    "dense float32": lambda X: X.astype(np.float32),
    "csr float64 int32": lambda X: sp.csr_array(X.astype(np.float64)),
    "csr float32 int64": lambda X: _wide(sp.csr_array(X.astype(np.float32))),
}


def _wide(csr):
    csr.indices, csr.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    return csr


@pytest.fixture(autouse=True, scope="module")
def _small_blocks():
    """Blocks of 300 bytes, so that small files have many of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_blocks, "BLOCK", 300)
        patch.setattr(text_blocks, "READ_MORE", 7)
        yield


# ---------------------------------------------------------------- every path, rule, strategy and layout

RULES = [
    rules.Rosenblatt(rate=0.3),
    rules.UnevenMargin(1.1, 0.2),
    rules.PassiveAggressive1(C=0.2),
    rules.Alma(alpha=0.6),
    rules.AggressiveRomma(),
    rules.Forgetting(fade=3.0),
    rules.Arow(r=0.7),
]
"""A fixed step, one with two thresholds, one by the loss, three that shrink w, and one with variances."""

KEEPS = ["last", "averaged", "voted", "pocket"]


class Case(NamedTuple):
    """A rule, a data set and the way in which they are combined."""

    rule: Any
    keep: str
    container: str
    offset: bool
    tie: str
    data: str
    multiclass: str = ""

    def __str__(self) -> str:
        return " ".join([type(self.rule).__name__, *map(str, self[1:])])


def cases(chosen, *more):
    """Cases in which every two choices meet, and what is refused left out: a vote of rules with arrays."""
    found = covering(chosen, KEEPS, list(CONTAINERS), [True, False], list(TIES), ["whole", "real"], *more)
    return [Case(*case) for case in found if case[1] != "voted" or not rules.keeps_arrays(case[0])]


def is_shareable(case):
    """Whether classes can share the mistakes of this rule; ties of theirs have one meaning."""
    facts = rules.facts(case.rule)
    additive = facts.is_additive and not facts.has_sides
    return case.keep != "voted" and (additive or facts.has_variances)


TWO = cases(RULES)
SHARED = [
    case._replace(tie="mistake", multiclass="ultraconservative") for case in TWO if is_shareable(case)
]
MANY = [case._replace(multiclass="one_vs_rest") for case in TWO] + SHARED


@cache
def rows(data, n_classes):
    """40 rows to learn from, weights for them, and 20 rows to score; whole numbers have many exact ties."""
    generator = np.random.default_rng(7)
    X = generator.integers(-2, 3, (60, 5)).astype(float)
    if data == "real":
        X = X * generator.normal(size=60)[:, None]
        X = (X + 0.1 * generator.normal(size=X.shape) * (X != 0)).astype(np.float32).astype(float)
    scores = X @ generator.normal(size=(5, n_classes)) + 0.7 * generator.normal(size=(60, n_classes))
    y = scores.argmax(axis=1) if n_classes > 2 else np.where(scores[:, 0] > 0.2, 1, -1)
    return X[:40], y[:40], X[40:], generator.choice([0.5, 1.0, 2.5], 40)


def task_of(case, epochs, weighted, folder=Path()):
    X, y, Z, weight = rows(case.data, 3 if case.multiclass else 2)
    settings = {"rule": case.rule, "keep": case.keep, "offset": case.offset, "tie": case.tie}
    settings |= {"multiclass": case.multiclass} if case.multiclass else {}
    make = CONTAINERS[case.container]
    return Task(make(X), y, make(Z), settings, epochs, folder, weight if weighted else None)


@cache
def reference(case, epochs, weighted):
    task = task_of(case, epochs, weighted)
    return outcome(at_once(task), task.Z)


def suits(way, case):
    if case.keep not in way.keeps or (
        way.many_classes_only if not case.multiclass else way.two_classes_only
    ):
        return False
    on_device = case.multiclass == "one_vs_rest" and rules.facts(case.rule).is_fixed
    return not way.many_classes_only or (on_device and case.container.startswith("dense"))


@pytest.mark.parametrize(
    ("name", "case"),
    [(name, case) for name in WAYS for case in TWO + MANY if suits(WAYS[name], case)],
    ids=str,
)
def test_a_path_leaves_the_bits_of_one_call(name, case, tmp_path):
    way = WAYS[name]
    epochs = 1 if way.one_pass or "Romma" in str(case) else 3  # a w that grows without end loses its digits
    task = task_of(case, epochs, way.weighs, tmp_path)
    want, found = reference(case, epochs, way.weighs), run(way, task)
    assert found.counters == want.counters
    if not way.reads_anew or rules.facts(case.rule).is_fixed:
        assert bits(found.weights) == bits(want.weights)
    same_values = not way.reads_anew and not case.multiclass
    assert_near(found.weights, want.weights)
    if found.values.size:
        assert_near(found.values, want.values, exactly=same_values)
        assert (np.sign(found.values) == np.sign(want.values)).all()


def assert_near(found, want, exactly=False):
    np.testing.assert_allclose(found, want, rtol=0 if exactly else 1e-9, atol=0 if exactly else 1e-12)


@pytest.mark.parametrize("case", [case for case in MANY if case.multiclass == "one_vs_rest"], ids=str)
def test_a_class_learns_as_it_would_alone(case):
    task = task_of(case, 1 if "Romma" in str(case) else 3, weighted=True)
    want = []
    for c in range(3):
        alone = task._replace(y=np.where(task.y == c, 1, -1), settings={**task.settings})
        want.append(outcome(at_once(alone), task.Z))
    found = outcome(at_once(task), task.Z)
    assert found.counters[:4] == tuple(np.sum([each.counters[:4] for each in want], axis=0))
    assert_near(found.weights, np.concatenate([each.weights for each in want]))
    assert_near(found.values, np.column_stack([each.values for each in want]))


@pytest.mark.parametrize("case", [case for case in TWO if case.keep == "last"], ids=str)
def test_every_mistake_is_an_exact_fact_about_the_weights_before_it(case):
    task = task_of(case, 1, weighted=False)
    model = Perceptron(**task.settings)
    w, mistakes = np.zeros(6), 0
    for i, label in enumerate(task.y.tolist()):
        x, y = task.part(slice(i, i + 1))
        model.partial_fit(x, y, classes=task.classes)
        score = sum(map(product_of, w.tolist(), [*dense(x)[0].tolist(), float(case.offset)]))
        assert model.mistakes_ - mistakes == is_wrong(score, label, case.tie)
        w, mistakes = np.ravel(model._state.current()), model.mistakes_


@pytest.mark.parametrize("data", ["whole", "real"])
def test_changing_a_result_does_not_change_the_learner(data):
    case = Case(RULES[0], "last", "dense float64", True, "mistake", data)
    runs = [reference(case._replace(keep=keep), 3, True) for keep in KEEPS]
    assert len({run.counters for run in runs}) == len({run.weights.tobytes() for run in runs}) == 1
    assert len({run.values.tobytes() for run in runs}) == 4


@pytest.mark.parametrize(
    "case",
    [c for c in TWO if rules.facts(c.rule).is_additive and c.keep != "pocket" and c.data == "real"],
    ids=str,
)
def test_a_linear_kernel_makes_the_mistakes_of_the_perceptron(case):
    task = task_of(case, 3, weighted=True)
    model = KernelPerceptron(kernel="linear", order="given", epochs=3, **task.settings)
    model.fit(task.X, task.y, sample_weight=task.weight)
    want = reference(case, 3, True)
    assert tuple(getattr(model, f"{name}_") for name in COUNTERS) == want.counters
    assert (np.sign(model.decision_function(task.Z)) == np.sign(want.values)).all()


# ---------------------------------------------------------------- the theory


def naive(X, y, epochs, offset, tie):
    """Returns ((false positives, false negatives) of each pass, w, b)."""
    X = [[float(value) for value in row] for row in X]
    w, b, kinds = [0.0] * len(X[0]), 0.0, []
    for _ in range(epochs):
        made = {-1: 0, 1: 0}
        for x, label in zip(X, y, strict=True):
            if is_wrong(sum(map(product_of, w, x), Fraction(b)), label, tie):
                w = [wj + label * xj for wj, xj in zip(w, x, strict=True)]
                b += label * offset
                made[int(label)] += 1
        kinds.append((made[-1], made[1]))
    return kinds, w, b


def product_of(a, b):
    return Fraction(a) * Fraction(b)


def is_wrong(score, label, tie):
    return label != TIES[tie] if score == 0 else (score > 0) != (label > 0)


def bits(weights):
    # −0.0 and 0.0 are the same weight: a sparse row leaves alone what a dense row adds 0 to
    return (np.asarray(weights, np.float64) + 0.0).tobytes()


small_integers = st.integers(-3, 3).map(float)
narrow = st.floats(-(2.0**100), 2.0**100, width=32)
extreme = st.sampled_from([5e-324, 1e-310, 1e-300, 1e300, -1e300, 0.1, 0.2, 0.3, -0.1])
wild = st.one_of(narrow, st.floats(-1e300, 1e300), extreme)


@st.composite
def examples_of(draw, elements):
    n, d = draw(st.integers(1, 7)), draw(st.integers(1, 5))
    X = draw(arrays(np.float64, (n, d), elements=elements))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    again = draw(st.lists(st.integers(0, n - 1), max_size=3))  # duplicates, some with the other label
    X = np.vstack([X, X[again], np.zeros((1, d))])
    y = [*y, *(draw(st.sampled_from([-1, 1])) for _ in again), draw(st.sampled_from([-1, 1]))]
    return X, np.array(y)


FEW_WAYS = ["in blocks", "file", "Learner", "Learner, named", "trace"]
"""Those that read the rows differently; every path meets every rule above."""


def check_every_path(X, y, offset, tie, container):
    if len(set(y.tolist())) < 2:
        y = np.append(y, -y[0])
        X = np.vstack([X, np.ones((1, X.shape[1]))])
    made = CONTAINERS[container](X)
    kinds, w, b = naive(made.toarray() if sp.issparse(made) else made, y, 3, offset, tie)
    settings = {"offset": offset, "tie": tie}
    fitted = Perceptron(order="given", epochs=3, **settings).fit(made, y)
    assert [record.mistakes for record in fitted.history_] == [sum(each) for each in kinds]
    assert [(record.false_positives, record.false_negatives) for record in fitted.history_] == kinds
    mistakes, both = sum(map(sum, kinds)), tuple(map(sum, zip(*kinds, strict=True)))
    want = Outcome((mistakes, *both, mistakes, 3 * len(y)), np.append(w, b), np.empty(0))
    found = {"fit": outcome(fitted, made[:1])}
    with TemporaryDirectory() as folder:
        task = Task(made, y, made[:1], settings, 3, Path(folder))
        found |= {name: run(WAYS[name], task) for name in FEW_WAYS}
    for name, each in found.items():
        assert each.counters == want.counters, name
        assert bits(each.weights) == bits(want.weights), name


@pytest.mark.parametrize("container", CONTAINERS)
@given(data=examples_of(small_integers), offset=st.booleans(), tie=st.sampled_from(list(TIES)))
def test_small_integers_full_of_exact_ties(container, data, offset, tie):
    check_every_path(*data, offset, tie, container)


@pytest.mark.parametrize("container", CONTAINERS)
@given(draw=st.data(), offset=st.booleans(), tie=st.sampled_from(list(TIES)))
def test_floats_of_wild_ranges_whose_products_overflow_and_underflow(container, draw, offset, tie):
    elements = wild if "float64" in container else narrow
    check_every_path(*draw.draw(examples_of(elements)), offset, tie, container)


def test_a_product_that_overflows():
    X, y = np.array([[1e300, 1.0], [1e300, -1.0]]), np.array([1, -1])
    check_every_path(X, y, False, "mistake", "dense float64")


@st.composite
def nearly_cancelling(draw):
    """Rows almost at right angles to what is learned from the first one."""
    d = draw(st.integers(3, 6))
    first = draw(arrays(np.float64, d, elements=st.floats(-1, 1, width=32).filter(lambda v: abs(v) > 1e-3)))
    rows, labels = [first], [1]
    for _ in range(draw(st.integers(2, 6))):
        x = draw(arrays(np.float64, d, elements=st.floats(-1, 1, width=32)))
        x[-1] = -(first[:-1] @ x[:-1]) / first[-1]  # w·x = 0 but for rounding
        rows.append(x)
        labels.append(draw(st.sampled_from([-1, 1])))
    return np.array(rows), np.array(labels)


@pytest.mark.parametrize("container", CONTAINERS)
@given(data=nearly_cancelling(), tie=st.sampled_from(list(TIES)))
def test_scores_that_are_nothing_but_rounding(container, data, tie):
    check_every_path(*data, False, tie, container)


def test_data_on_which_the_fast_sign_is_wrong():
    """w = (2²⁷+1)(2²⁷+1, −2²⁷−2, …) cancels to 1, which a rounded product loses."""
    a = 2.0**27 + 1
    X = np.array([[a, -(2.0**54), -(2.0**28)], [a, 1.0, 1.0]])
    y = np.array([1, -1])
    score = X[0] @ X[1]
    exact = sum(Fraction(p) * Fraction(q) for p, q in zip(X[0].tolist(), X[1].tolist(), strict=True))
    assert (score > 0) != (exact > 0), "the example must be one that floating point gets wrong"
    model = Perceptron(order="given", epochs=1, offset=False).fit(X, y)
    assert model.exact_decisions_ == 2  # the first score is a tie, the second in doubt
    assert model.mistakes_ == sum(naive(X, y, 1, False, "mistake")[0][0])


def test_decisions_far_from_zero_do_not_need_the_exact_path():
    generator = np.random.default_rng(0)
    X = generator.standard_normal((5000, 20))
    y = np.where(X[:, 0] > 0, 1, -1)
    model = Perceptron(epochs=2, random_state=0).fit(X, y)
    assert model.exact_decisions_ <= 3  # w = 0 at the first step; hardly any later
