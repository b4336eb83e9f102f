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
from tests.covering import covering
from tests.kernels import naive_kernels
from tests.rules.problems import laid_out
from tests.training.dual import kernel_problems as problems
from tests.training.dual import naive_dual as naive
from tests.training.dual.dual_runs import EVERY_KERNEL, both_of, close_run, same_run

TIES = ["mistake", "negative", "positive"]
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

# ---------------------------------------------------------------- every two choices meet

ROWS, EPOCHS = 60, 3
SIZES = {
    "as shipped": {},
    "one row": {"block": 1, "chunk": 2, "gathered": 0, "part_bytes": 1},
    "few rows": {"block": 7, "chunk": 5, "gathered": 7, "part_bytes": 999},
    "that grow": {"block": 4, "largest_block": 32, "gathered": 8},
    "of short rows": {"many": 0},
    "of short rows that grow": {"many": 0, "block": 4, "largest_block": 32},
}
"""Blocks, chunks and caches are for speed: whatever their size, every step sees what was learned before."""
LISTED = [*np.random.default_rng(4).integers(0, ROWS, 50).tolist(), 7, 7, 7]
ORDERS = {
    "given": ("given", list(range(ROWS)) * EPOCHS),
    "listed": (LISTED, LISTED * EPOCHS),
    "shuffled": ("shuffled", None),
}
WEIGHTS = ["none", "some", "some absent", "of classes", "balanced"]


def weights_of(kind, y):
    """(sample_weight, class_weight, the weight of each row)."""
    generator = np.random.default_rng(6)
    if kind in ("some", "some absent"):
        each = generator.uniform(0.1, 3.0, ROWS) if kind == "some" else generator.integers(0, 3, ROWS)
        return each, None, each.astype(float)
    if kind == "of classes":
        return None, {0: 0.5, 2: 3.0}, np.array([0.5, 1.0, 3.0, 1.0])[y]
    if kind == "balanced":
        sample = np.linspace(0.5, 2.0, ROWS)
        totals = np.bincount(y, weights=sample)
        return sample, "balanced", (totals.sum() / (len(totals) * totals))[y] * sample
    return None, None, None


@pytest.mark.parametrize(
    ("kernel", "rule", "n_classes", "offset", "tie", "order", "weights", "layout", "sizes", "whole"),
    covering(
        list(EVERY_KERNEL), FIXED + PASSIVE_AGGRESSIVE, [2, 3, 4], [False, True], TIES, list(ORDERS),
        WEIGHTS, ["dense64", "dense32", "csr64", "csr32"], list(SIZES), [False, True],
    ),
)  # fmt: skip
def test_a_run_equals_that_of_the_plain_loop(
    kernel, rule, n_classes, offset, tie, order, weights, layout, sizes, whole, set_sizes
):
    parameters, formula = both_of(kernel)
    layout = "dense64" if kernel == "of your own" else layout  # no one can say how a function rounds
    if weights == "of classes" and n_classes == 2:
        n_classes = 3
    set_sizes(**SIZES[sizes])
    X, y = problems.noisy(n=ROWS, n_classes=n_classes, seed=10)
    y[(y == 1) & (np.arange(ROWS) % 2 > 0)] = 0  # unlike many of each
    y[:n_classes] = np.arange(n_classes)
    X[np.random.default_rng(10).random(X.shape) < 0.3] = 0.0
    X = np.rint(2.0 * X) if whole else X
    sample_weight, class_weight, each = weights_of(weights, y)
    chosen, looks = ORDERS[order]
    made, name, taus = rule
    model = KernelPerceptron(
        **parameters, rule=made, offset=offset, tie=tie, order=chosen, epochs=EPOCHS, random_state=7,
        class_weight=class_weight,
    )  # fmt: skip
    holed = np.where((np.ones(ROWS) if each is None else each)[:, None] > 0.0, X, np.nan)  # may be anything
    model.fit(laid_out(holed, layout), y, sample_weight=sample_weight)
    if looks is None:
        looks = [i for epoch in range(EPOCHS) for i in shuffled(model._seed, epoch, each)]
    looks = [i for i in looks if each is None or each[i]]
    want = naive.learn(
        naive_kernels.gram(formula, X), y.tolist(), looks, partial(getattr(naive, name), **taus), offset,
        tie, None if each is None else each.tolist(),
    )  # fmt: skip
    (close_run if rule in PASSIVE_AGGRESSIVE else same_run)(model, want)
    assert model.examples_seen_ == len(looks)
    assert sum(epoch.mistakes for epoch in model.history_) == model.mistakes_


def shuffled(seed, epoch, weights):
    """The rows of a pass, which depend on the seed and the number of the pass alone."""
    rows = np.arange(ROWS) if weights is None else np.flatnonzero(weights)
    np.random.default_rng([seed, epoch]).shuffle(rows := rows.astype(np.uint32))
    return rows.tolist()


@pytest.mark.parametrize("short", [0, 64], ids=["matrices", "short rows"])
@given(
    draw=st.data(), n_classes=st.integers(2, 4), offset=st.booleans(), tie=st.sampled_from(TIES),
    epochs=st.integers(1, 3),
)  # fmt: skip
def test_small_integers_full_of_ties(both, short, draw, n_classes, offset, tie, epochs):
    parameters, kernel = both
    X, y = draw.draw(problems.small_integers(n_classes=n_classes))
    rule, name, taus = draw.draw(st.sampled_from(FIXED))
    formula, looks = partial(getattr(naive, name), **taus), list(range(len(y))) * epochs
    want = naive.learn(naive_kernels.gram(kernel, X), y.tolist(), looks, formula, offset, tie)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OnHost, "many", 0)
        patch.setattr(OnHost, "short", short)
        model = KernelPerceptron(
            **parameters, rule=rule, offset=offset, tie=tie, epochs=epochs, order="given"
        ).fit(X, y)
    same_run(model, want)


# ---------------------------------------------------------------- rows at the ends of what there is


def test_passive_aggressive_rules_far_from_the_origin():
    """K(x, x) is 1 there too, though ‖x‖² + ‖x‖² − 2x·x may not be 0."""
    X, y = problems.noisy(n=60, seed=12)
    X += 1e8
    gram = naive_kernels.gram(naive_kernels.gaussian, X)
    want = naive.learn(gram, y.tolist(), [*range(60)] * 2, naive.passive_aggressive)
    close_run(
        KernelPerceptron(gamma=1.0, rule="passive_aggressive", epochs=2, order="given").fit(X, y), want
    )


def test_zero_rows_give_a_passive_aggressive_rule_nothing_to_do():
    X, y = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [-1.0, 0.5]]), np.array([1, 1, 0, 0])
    gram = naive_kernels.gram(naive_kernels.linear, X)
    want = naive.learn(gram, y.tolist(), [*range(4)] * 2, naive.passive_aggressive)
    model = KernelPerceptron("linear", rule="passive_aggressive", epochs=2, order="given").fit(X, y)
    assert model.mistakes_ > len(want[0].updates)
    close_run(model, want)


@pytest.mark.parametrize("kernel", ["linear", "polynomial", "gaussian", "laplacian"])
def test_sparse_rows_too_wide_to_spread_out(kernel):
    X, y = problems.noisy(n=50, d=4, n_classes=3, seed=11)
    wide = np.zeros((50, 20_000))
    wide[:, [3, 500, 12_345, 19_999]] = X
    want = naive.learn(naive_kernels.gram(getattr(naive_kernels, kernel), X), y.tolist(), [*range(50)] * 3)
    model = KernelPerceptron(kernel, gamma=1.0, epochs=3, order="given").fit(csr_array(wide), y)
    same_run(model, want)
