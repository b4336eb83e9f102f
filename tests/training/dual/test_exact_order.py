"""Updates are those of the plain loop: the same rows, by the same amounts, in the same order.

The reference adds the terms of all updates in their order, one rounding each. For rules whose coefficient
is a fixed number every bit must agree; a passive-aggressive coefficient is a quotient of rounded numbers.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from rosenblatt import KernelPerceptron
from rosenblatt.rules import (
    Margin,
    PassiveAggressive,
    PassiveAggressive1,
    PassiveAggressive2,
    Rosenblatt,
    UnevenMargin,
)
from rosenblatt.training.backends import OnHost

TIES = st.sampled_from(["mistake", "negative", "positive"])
FIXED = [
    (Rosenblatt(), "rosenblatt", {}),
    (Rosenblatt(rate=0.3), "rosenblatt", {"rate": 0.3}),
    (Margin(tau=1.0), "margin", {"tau": 1.0}),
    (Margin(tau=2.0, rate=0.5), "margin", {"tau": 2.0, "rate": 0.5}),
    (UnevenMargin(2.0, 1.0), "uneven_margin", {"tau_positive": 2.0, "tau_negative": 1.0}),
    (UnevenMargin(0.7, 0.0, 0.3), "uneven_margin", {"tau_positive": 0.7, "tau_negative": 0.0, "rate": 0.3}),
]
PASSIVE_AGGRESSIVE = [
    (PassiveAggressive(), "passive_aggressive", {}),
    (PassiveAggressive1(C=0.5), "passive_aggressive_1", {"C": 0.5}),
    (PassiveAggressive2(C=0.5), "passive_aggressive_2", {"C": 0.5}),
]


@pytest.fixture(scope="module", autouse=True, params=[0, 64], ids=["matrices", "short rows"])
def features_of_short_rows(request):
    """However few the rows, up to so many features they make their kernel values themselves."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OnHost, "many", 0)
        patch.setattr(OnHost, "short", request.param)
        yield


def formula(naive, name, parameters):
    return partial(getattr(naive, name), **parameters)


# ---------------------------------------------------------------- whole numbers, full of ties


@given(
    draw=st.data(), n_classes=st.integers(2, 4), offset=st.booleans(), tie=TIES, epochs=st.integers(1, 3)
)
def test_small_integers_full_of_ties(
    both, draw, n_classes, offset, tie, epochs, naive, naive_kernels, problems, same_run
):
    parameters, kernel = both
    X, y = draw.draw(problems.small_integers(n_classes=n_classes))
    rule, name, taus = draw.draw(st.sampled_from(FIXED))
    looks = list(range(len(y))) * epochs
    want = naive.learn(
        naive_kernels.gram(kernel, X), y.tolist(), looks, formula(naive, name, taus), offset, tie
    )
    model = KernelPerceptron(
        **parameters, rule=rule, offset=offset, tie=tie, epochs=epochs, order="given"
    ).fit(X, y)
    same_run(model, want)
    assert model.examples_seen_ == len(looks)


# ---------------------------------------------------------------- real numbers


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("offset", [False, True], ids=["no offset", "offset"])
def test_every_kernel(both, n_classes, offset, naive, naive_kernels, problems, same_run):
    parameters, kernel = both
    X, y = problems.noisy(n=80, n_classes=n_classes, seed=1)
    want = naive.learn(naive_kernels.gram(kernel, X), y.tolist(), [*range(80)] * 4, offset=offset)
    model = KernelPerceptron(**parameters, offset=offset, epochs=4, order="given").fit(X, y)
    same_run(model, want)
    ends = [80, 160, 240, 320]
    made = [sum(look < end for column in want for look in column.mistakes) for end in ends]
    assert np.cumsum([epoch.mistakes for epoch in model.history_]).tolist() == made


@pytest.mark.parametrize(("rule", "name", "taus"), FIXED)
def test_every_rule_with_a_fixed_coefficient(
    rule, name, taus, both, naive, naive_kernels, problems, same_run
):
    parameters, kernel = both
    X, y = problems.noisy(n=60, n_classes=3, seed=2)
    gram = naive_kernels.gram(kernel, X)
    want = naive.learn(gram, y.tolist(), [*range(60)] * 3, formula(naive, name, taus), offset=True)
    same_run(
        KernelPerceptron(**parameters, rule=rule, offset=True, epochs=3, order="given").fit(X, y), want
    )


@pytest.mark.parametrize(("rule", "name", "taus"), PASSIVE_AGGRESSIVE)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_passive_aggressive_rules(
    rule, name, taus, n_classes, both, naive, naive_kernels, problems, updates
):
    parameters, kernel = both
    X, y = problems.noisy(n=60, n_classes=n_classes, seed=3)
    gram = naive_kernels.gram(kernel, X)
    want = naive.learn(gram, y.tolist(), [*range(60)] * 3, formula(naive, name, taus))
    model = KernelPerceptron(**parameters, rule=rule, epochs=3, order="given").fit(X, y)
    assert model.mistakes_per_class_.tolist() == [len(column.mistakes) for column in want]
    for got, column in zip(updates(model), want, strict=True):
        assert [(row, look) for row, _, look in got] == [(u.row, u.look) for u in column.updates]
        deltas = [u.delta for u in column.updates]
        np.testing.assert_allclose([delta for _, delta, _ in got], deltas, rtol=1e-6, atol=1e-9)


def test_passive_aggressive_rules_far_from_the_origin(naive, naive_kernels, problems, updates):
    """K(x, x) is 1 there too, though ‖x‖² + ‖x‖² − 2x·x may not be 0."""
    X, y = problems.noisy(n=60, seed=12)
    X += 1e8
    gram = naive_kernels.gram(naive_kernels.gaussian, X)
    (want,) = naive.learn(gram, y.tolist(), [*range(60)] * 2, naive.passive_aggressive)
    model = KernelPerceptron(gamma=1.0, rule="passive_aggressive", epochs=2, order="given").fit(X, y)
    (got,) = updates(model)
    assert [(row, look) for row, _, look in got] == [(u.row, u.look) for u in want.updates]
    np.testing.assert_allclose([delta for _, delta, _ in got], [u.delta for u in want.updates], rtol=1e-9)


def test_zero_rows_give_a_passive_aggressive_rule_nothing_to_do(naive, naive_kernels, updates):
    X, y = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [-1.0, 0.5]]), np.array([1, 1, 0, 0])
    want = naive.learn(
        naive_kernels.gram(naive_kernels.linear, X), y.tolist(), [*range(4)] * 2, naive.passive_aggressive
    )
    model = KernelPerceptron("linear", rule="passive_aggressive", epochs=2, order="given").fit(X, y)
    assert model.mistakes_ == len(want[0].mistakes) > len(want[0].updates)
    assert [row for row, _, _ in updates(model)[0]] == [update.row for update in want[0].updates]


# ---------------------------------------------------------------- orders


def test_a_list_with_repeats(both, naive, naive_kernels, problems, same_run):
    parameters, kernel = both
    X, y = problems.noisy(n=30, n_classes=3, seed=4)
    order = [*np.random.default_rng(4).integers(0, 30, 50).tolist(), 7, 7, 7]
    want = naive.learn(naive_kernels.gram(kernel, X), y.tolist(), order * 3)
    same_run(KernelPerceptron(**parameters, epochs=3, order=order).fit(X, y), want)


def test_shuffled_is_by_the_seed_and_the_number_of_the_pass(both, naive, naive_kernels, problems, same_run):
    parameters, kernel = both
    X, y = problems.noisy(n=50, seed=5)
    model = KernelPerceptron(**parameters, epochs=3, order="shuffled", random_state=7).fit(X, y)
    looks = []
    for epoch in range(3):
        rows = np.arange(50, dtype=np.uint32)
        np.random.default_rng([model._seed, epoch]).shuffle(rows)
        looks += rows.tolist()
    assert sorted(looks[:50]) == list(range(50)) != looks[:50]
    same_run(model, naive.learn(naive_kernels.gram(kernel, X), y.tolist(), looks))
    again = KernelPerceptron(**parameters, epochs=3, order="shuffled", random_state=7).fit(X, y)
    assert again.mistakes_ == model.mistakes_


def test_orders_that_search_are_refused_with_a_remedy(problems):
    for order in ("first_mistake", "worst_mistake"):
        with pytest.raises(
            ValueError, match=rf"^order: '{order}' would need .* use order='shuffled' or 'given'"
        ):
            KernelPerceptron(order=order).fit(*problems.noisy())


# ---------------------------------------------------------------- weights


@pytest.mark.parametrize("n_classes", [2, 3])
def test_sample_weights_multiply_the_coefficient(both, n_classes, naive, naive_kernels, problems, same_run):
    parameters, kernel = both
    X, y = problems.noisy(n=60, n_classes=n_classes, seed=6)
    weights = np.random.default_rng(6).uniform(0.1, 3.0, 60)
    want = naive.learn(
        naive_kernels.gram(kernel, X), y.tolist(), [*range(60)] * 3, weights=weights.tolist(), offset=True
    )
    model = KernelPerceptron(**parameters, offset=True, epochs=3, order="given")
    same_run(model.fit(X, y, sample_weight=weights), want)


@pytest.mark.parametrize("order", ["given", "list"])
def test_a_row_of_weight_0_is_not_looked_at(order, both, naive, naive_kernels, problems, same_run):
    parameters, kernel = both
    X, y = problems.noisy(n=60, n_classes=3, seed=7)
    weights = np.random.default_rng(7).integers(0, 3, 60).astype(np.float64)
    rows = list(range(60)) if order == "given" else np.random.default_rng(8).integers(0, 60, 80).tolist()
    looks = [i for i in rows if weights[i] > 0.0] * 3
    X[weights == 0.0] = np.nan  # what is absent may be anything
    gram = naive_kernels.gram(kernel, np.nan_to_num(X))
    want = naive.learn(gram, y.tolist(), looks, weights=weights.tolist())
    model = KernelPerceptron(**parameters, epochs=3, order=rows if order == "list" else order)
    same_run(model.fit(X, y, sample_weight=weights), want)
    assert model.examples_seen_ == len(looks)


@pytest.mark.parametrize("class_weight", [{0: 0.5, 2: 3.0}, "balanced"])
def test_class_weights_multiply_the_coefficient(
    class_weight, both, naive, naive_kernels, problems, same_run
):
    parameters, kernel = both
    X, y = problems.noisy(n=60, n_classes=3, seed=9)
    y[y == 1] = np.where(np.arange((y == 1).sum()) % 2, 1, 0)  # unlike many of each
    counts = np.bincount(y)
    each = 60 / (3 * counts) if class_weight == "balanced" else np.array([0.5, 1.0, 3.0])
    assert len(set(each.tolist())) == 3
    looks, sample_weight = [*range(60)] * 3, np.linspace(0.5, 2.0, 60)
    gram = naive_kernels.gram(kernel, X)
    model = KernelPerceptron(**parameters, class_weight=class_weight, epochs=3, order="given")
    same_run(model.fit(X, y), naive.learn(gram, y.tolist(), looks, weights=each[y].tolist()))
    if class_weight == "balanced":
        totals = np.bincount(y, weights=sample_weight)
        each = totals.sum() / (3 * totals)
    weights = (each[y] * sample_weight).tolist()
    same_run(
        model.fit(X, y, sample_weight=sample_weight), naive.learn(gram, y.tolist(), looks, weights=weights)
    )


# ---------------------------------------------------------------- layouts


@pytest.mark.parametrize("layout", ["dense32", "csr64", "csr32"])
@pytest.mark.parametrize("whole", [False, True], ids=["real numbers", "whole numbers"])
def test_every_layout_of_the_same_numbers(layout, whole, naive, naive_kernels, problems, same_run, ours):
    parameters, kernel = ours
    X, y = problems.noisy(n=60, n_classes=3, seed=10)
    X[np.random.default_rng(10).random(X.shape) < 0.3] = 0.0
    X = np.rint(2.0 * X) if whole else X
    want = naive.learn(naive_kernels.gram(kernel, X), y.tolist(), [*range(60)] * 3, offset=True)
    model = KernelPerceptron(**parameters, offset=True, epochs=3, order="given")
    same_run(model.fit(problems.laid_out(X, layout), y), want)


@pytest.mark.parametrize("kernel", ["linear", "polynomial", "gaussian", "laplacian"])
def test_sparse_rows_too_wide_to_spread_out(kernel, naive_kernels, naive, problems, same_run):
    X, y = problems.noisy(n=50, d=4, n_classes=3, seed=11)
    wide = np.zeros((50, 20_000))
    wide[:, [3, 500, 12_345, 19_999]] = X
    formula = getattr(naive_kernels, kernel)
    want = naive.learn(naive_kernels.gram(formula, X), y.tolist(), [*range(50)] * 3)
    model = KernelPerceptron(kernel, gamma=1.0, epochs=3, order="given").fit(csr_array(wide), y)
    same_run(model, want)
