"""The mistake bound is proved for the lifted points, and no run exceeds it."""

from __future__ import annotations

import math
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from rosenblatt import Perceptron, mistake_bound, rules, separate, trace
from rosenblatt.errors import BadInput
from rosenblatt.geometry import most_mistakes
from rosenblatt.proof import novikoff_bound as bounds

NEAR = ([[0.0], [0.1]], [1, -1])
XOR = ([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]], [0, 1, 1, 0])


@pytest.fixture
def impatient(monkeypatch):
    """The real run of data that cannot be separated is given a hundredth of a second."""
    monkeypatch.setattr(bounds, "PATIENCE", 0.01)


# ---------------------------------------------------------------- the example of the mission


def test_two_near_points_make_203_mistakes_and_not_4():
    found = mistake_bound(*NEAR)
    assert (found.mistakes, found.passes, found.separated) == (203, 103, True)
    run = trace(*NEAR, epochs=None, until="separated")
    assert sum(step.mistake for step in run.steps) == 203
    x, square = Fraction(0.1), Fraction(0.1) ** 2
    # of the points (1 − k)(0, 1) − k(x, 1) the nearest to 0 is that with k = 2/(x² + 4)
    k = 2 / (square + 4)
    nearest = (k * x) ** 2 + (1 - 2 * k) ** 2
    exact = (square + 1) / nearest
    assert float(exact) == pytest.approx(405.01, abs=1e-9)
    assert found.bound[0] <= exact <= found.bound[1]
    assert found.bound[1] - found.bound[0] < 1e-6


def test_the_report_says_it_all():
    lines = str(mistake_bound(*NEAR)).splitlines()
    assert lines[0].startswith(
        "Radius of the points (x, 1): 1.00499. Largest margin of the points (x, 1): 0.0499376 (proved, "
        "relative width "
    )
    assert lines[1] == "Mistake bound: 405.01, in any order of the points."
    assert lines[2] == (
        "A real run in the given order made 203 mistakes in 103 passes; the last pass made no mistake."
    )
    assert lines[3].endswith("1.97 % of the best possible.")


# ---------------------------------------------------------------- the exact value


def squares_of(naive, X, y, offset):
    """radius², margin² of the lifted points, in fractions; X has one column with offset, else up to two."""
    rows = [[Fraction(x) for x in row] + [Fraction(1)] * offset for row in X]
    return (
        max(sum(x * x for x in row) for row in rows),
        naive.squared_margin_in_the_plane(rows, y, False),
    )


integers = st.integers(-9, 9)


@st.composite
def plane_data(draw):
    """Points of which the lifted ones are in the plane, some of two classes."""
    offset = draw(st.booleans())
    n = draw(st.integers(2, 6))
    X = draw(st.lists(st.lists(integers, min_size=2 - offset, max_size=2 - offset), min_size=n, max_size=n))
    y = draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    assume(len(set(y)) == 2)
    return X, y, offset


@given(data=plane_data(), tolerance=st.sampled_from([0.0, 1e-2, 0.9]))
def test_the_interval_contains_the_exact_bound(naive, data, tolerance):
    X, y, offset = data
    assume(naive.kind_by_cocircuits(X, y, offset) == "separable")
    found = mistake_bound(X, y, offset=offset, tolerance=tolerance)
    radius2, margin2 = squares_of(naive, X, y, offset)
    assert found.separable
    assert found.margin[0] ** 2 <= margin2 * (1 + Fraction(1, 10**12))
    assert found.margin[1] ** 2 >= margin2 * (1 - Fraction(1, 10**12))
    assert Fraction(found.radius) ** 2 >= radius2
    assert found.bound[0] <= radius2 / margin2 <= found.bound[1]
    assert found.mistakes <= radius2 / margin2


@given(
    data=plane_data(),
    start=st.lists(st.integers(-300, 300), min_size=2, max_size=2),
    tolerance=st.sampled_from([1e-9, 0.5]),
)
def test_with_a_start_the_interval_contains_the_theorems_number(naive, data, start, tolerance):
    """t·margin + w₀·w* = √(‖w₀‖² + t·radius²), with the best w* of all."""
    X, y, offset = data
    assume(naive.kind_by_cocircuits(X, y, offset) == "separable")
    found = mistake_bound(X, y, offset=offset, init=start[: 2 - offset], tolerance=tolerance)
    w0 = np.array([start[0], 0.0 if offset else start[1]])
    rows = np.array([[*row, 1] if offset else row for row in X]) * np.array(y)[:, None]
    best = nearest_to_zero(rows)
    margin = np.linalg.norm(best)
    radius2, margin2 = squares_of(naive, X, y, offset)
    assert margin == pytest.approx(math.sqrt(margin2), rel=1e-12)
    along = w0 @ best / margin
    # of γ²t² + (2γa − R²)t + a² − ‖w₀‖² = 0 the larger root
    half = (float(radius2) - 2 * margin * along) / 2
    rest = max(0.0, w0 @ w0 - along**2)
    number = (half + math.sqrt(half**2 + margin**2 * rest)) / margin**2
    assert found.bound[0] <= number * (1 + 1e-9) + 1e-9
    assert found.bound[1] >= number * (1 - 1e-9) - 1e-9
    assert found.mistakes <= found.bound[1]


def test_with_a_start_and_a_wide_tolerance_the_theorems_number_is_still_between():
    """The separator that proves the margin is not w*, and the start may be further along it."""
    rng = np.random.default_rng(0)
    for _ in range(60):
        d = int(rng.integers(2, 8))
        X, w = rng.normal(size=(40, d)), rng.normal(size=d)
        y = np.sign(X @ w)
        X += 0.3 * np.outer(y, w)
        verdict = separate(X, y, offset=False, tolerance=1e-10)
        best = verdict.hyperplane[0] / np.linalg.norm(verdict.hyperplane[0])
        start = rng.normal(size=d)
        start = 10 ** rng.uniform(0, 3) * (start - (start @ best) * best)
        number = most_mistakes(verdict.radius, verdict.margin[0], start @ best, start @ start)
        found = mistake_bound(X, y, offset=False, init=start, tolerance=0.9)
        assert found.bound[0] <= number * (1 + 1e-6)
        assert found.bound[1] >= number * (1 - 1e-6)


def nearest_to_zero(rows):
    """The point of the hull of some points of the plane that is nearest to 0."""
    candidates = []
    for a in rows.astype(float):
        for b in rows.astype(float):
            along = b - a
            k = np.clip(-(a @ along) / (along @ along), 0, 1) if along.any() else 0.0
            candidates.append(a + k * along)
    return min(candidates, key=lambda point: point @ point)


# ---------------------------------------------------------------- real runs


@st.composite
def separable_data(draw):
    """Whole numbers, labelled by a hyperplane of whole numbers on which none of them is."""
    d = draw(st.integers(1, 4))
    n = draw(st.integers(2, 12))
    offset = draw(st.booleans())
    X = np.array(draw(st.lists(st.lists(integers, min_size=d, max_size=d), min_size=n, max_size=n)))
    w = np.array(draw(st.lists(integers, min_size=d, max_size=d)))
    scores = 2 * (X @ w) + (2 * draw(integers) + 1 if offset else 0)
    keep = scores != 0
    assume(len(set(np.sign(scores[keep]))) == 2)
    return X[keep], np.sign(scores[keep]), offset


STARTS = {
    "zeros": lambda rng, d: "zeros",
    "unit": lambda rng, d: "unit",
    "whole": lambda rng, d: rng.integers(-50, 51, d).astype(float),
    "real": lambda rng, d: rng.normal(size=d) * 3,
}


@pytest.mark.parametrize("start", STARTS)
@given(data=separable_data(), seed=st.integers(0, 10**6))
def test_no_run_in_any_order_makes_more_mistakes_than_the_bound(start, data, seed):
    X, y, offset = data
    rng = np.random.default_rng(seed)
    init = STARTS[start](rng, X.shape[1])
    found = mistake_bound(X, y, offset=offset, init=init)
    assert found.separable
    assert found.separated
    assert found.bound[0] <= found.bound[1]
    for order in ("given", "shuffled", "first_mistake", "worst_mistake", rng.permutation(len(y)).tolist()):
        model = Perceptron(
            epochs=None, until="separated", order=order, init=init, offset=offset, random_state=seed
        ).fit(X, y)
        assert model.converged_
        assert model.mistakes_ <= found.bound[1]
        if isinstance(order, str) and order == "given":
            assert (model.mistakes_, model.epochs_) == (found.mistakes, found.passes)


@given(data=separable_data())
def test_the_margin_reached_is_that_of_the_last_weights_and_not_above_the_best(data):
    X, y, offset = data
    found = mistake_bound(X, y, offset=offset)
    model = Perceptron(epochs=None, until="separated", order="given", offset=offset).fit(X, y)
    w = np.append(model.coef_, model.intercept_) if offset else model.coef_.ravel()
    points = np.column_stack([X, np.ones(len(X))]) if offset else X
    reached = (y * (points @ w)).min() / np.linalg.norm(w)
    assert found.reached == pytest.approx(reached, rel=1e-9)
    assert 0 < found.reached <= found.margin[1]


@given(data=separable_data(), init=st.sampled_from(["zeros", "unit"]))
def test_sparse_and_dense_rows_have_the_same_bound(data, init):
    X, y, offset = data
    dense = mistake_bound(X.astype(float), y, offset=offset, init=init, tolerance=1e-9)
    sparse = mistake_bound(csr_array(X.astype(float)), y, offset=offset, init=init, tolerance=1e-9)
    assert (dense.mistakes, dense.passes, dense.radius) == (sparse.mistakes, sparse.passes, sparse.radius)
    assert dense.bound == pytest.approx(sparse.bound, rel=1e-8)
    assert dense.reached == sparse.reached
    assert max(dense.margin[0], sparse.margin[0]) <= min(dense.margin[1], sparse.margin[1])


# ---------------------------------------------------------------- where there is none


@pytest.mark.parametrize("init", ["zeros", "unit", [3.0, -4.0]], ids=str)
def test_what_cannot_be_separated_has_no_bound_and_the_report_says_why(impatient, init):
    found = mistake_bound(*XOR, init=init)
    assert (found.separable, found.bound, found.separated) == (False, None, False)
    assert (found.cancelling, found.reached, found.margin) == (4, 0.0, (0.0, 0.0))
    assert found.mistakes > 0
    first, second = str(found).splitlines()
    assert first == (
        "No mistake bound exists: 4 rows prove that the convex hulls of the classes intersect, so no "
        "hyperplane separates them."
    )
    assert f"{found.mistakes:,} mistakes and completed {found.passes:,} pass" in second
    assert second.endswith("it was stopped before one without a mistake.")


def test_what_is_not_decided_has_no_bound_known():
    found = mistake_bound(*NEAR, time_limit=0)
    assert (found.separable, found.bound) == (None, None)
    assert str(found).startswith("No mistake bound is known: it is not decided")


def test_the_time_limit_is_for_the_real_run_too():
    mistake_bound(*NEAR)
    began = time.thread_time()
    mistake_bound(*XOR, time_limit=0.1)
    assert time.thread_time() - began < 1.1


def test_a_margin_so_small_that_the_bound_is_no_double_is_no_error(impatient):
    found = mistake_bound([[0.0], [1e-200]], [1, -1])
    assert found.separable
    assert math.isfinite(found.bound[0])  # the number is: 4e400
    assert found.bound[1] == math.inf
    assert "nan" not in str(found)


# ---------------------------------------------------------------- rules and weights


@pytest.mark.parametrize("kernel", [None, "linear"])
@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (rules.Rosenblatt(rate=0.1), 25.0),
        (rules.Margin(tau=2.0, rate=0.5), 25.0 + 2 * 2.0 / 0.5),
        (rules.UnevenMargin(tau_positive=1.0, tau_negative=3.0, rate=2.0), 25.0 + 2 * 3.0 / 2.0),
    ],
)
def test_each_rule_has_the_bound_of_its_docstring(kernel, rule, expected):
    X, y = [[3.0, 4.0], [-1.0, 0.0]], [1, -1]  # radius 5, margin 1
    found = mistake_bound(X, y, offset=False, rule=rule, kernel=kernel)
    assert found.bound == pytest.approx((expected, expected), rel=1e-6)
    assert found.mistakes <= found.updates <= found.bound[1]
    assert ("Bound on updates" in str(found)) == (rule.claims().threshold > 0)


def test_with_a_rate_the_start_is_a_start_over_the_rate():
    X, y, start = [[3.0, 4.0], [-1.0, 0.5]], [1, -1], np.array([-2.0, 3.0])
    slow = mistake_bound(X, y, init=start, rule=rules.Rosenblatt(rate=0.25))
    assert slow.bound == pytest.approx(mistake_bound(X, y, init=start / 0.25).bound, rel=1e-9)
    assert slow.mistakes == mistake_bound(X, y, init=start / 0.25).mistakes


@pytest.mark.parametrize("layout", [np.asarray, csr_array])
@pytest.mark.parametrize(
    ("kernel", "offset"), [(None, False), (None, True), ("linear", False), ("linear", True)]
)
def test_a_row_of_weight_c_is_the_point_c_times_x(layout, kernel, offset):
    """Run and bound are those of the points c·(x, 1), which need no weights; weight 0 is absent."""
    X, y = np.array([[3.0, 4.0], [-1.0, 0.5], [2.0, -1.0], [0.0, 0.0]]), [1, -1, 1, -1]
    weights = np.array([2.0, 0.5, 1.0, 0.0])
    found = mistake_bound(layout(X), y, kernel=kernel, offset=offset, sample_weight=weights)
    lifted = np.column_stack([X, np.full(len(X), float(offset))]) * weights[:, None]
    as_points = mistake_bound(lifted[:3], y[:3], kernel=kernel, offset=False)
    assert found.bound == pytest.approx(as_points.bound, rel=1e-6)
    assert (found.mistakes, found.passes) == (as_points.mistakes, as_points.passes)
    assert found.reached == pytest.approx(as_points.reached)


@pytest.mark.parametrize("kernel", [None, "linear"])
def test_a_rule_without_two_claims_has_no_bound_here(kernel):
    with pytest.raises(BadInput, match=r"not hold for 'passive_aggressive': .*; they hold for 'ros"):
        mistake_bound(*NEAR, rule="passive_aggressive", kernel=kernel)
