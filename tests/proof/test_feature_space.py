"""The mistake bound in a kernel's feature space contains the exact bound, and no run exceeds it."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.optimize import nnls

from rosenblatt import KernelPerceptron, mistake_bound, separate
from rosenblatt.errors import BadInput
from rosenblatt.kernels import Gaussian, Laplacian, Linear, Monomials, Polynomial
from rosenblatt.proof import feature_space
from rosenblatt.proof import novikoff_bound as bounds
from tests.patience import HANGS

XOR = ([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]], [0, 1, 1, 0])
QUADRATIC, CUBIC = Polynomial(2, 1.0, 1.0), Polynomial(3, 1.0, 1.0)
CLOSE = 1e-9


@pytest.fixture
def impatient(monkeypatch):
    """The real run of data that cannot be separated is given a hundredth of a second."""
    monkeypatch.setattr(bounds, "PATIENCE", 0.01)
    monkeypatch.setattr(feature_space, "GLIMPSE", 0.01)


def map_rows(X, kernel, offset=False):
    """φ of (γ x·z + c)^degree written out, with one more 1 where there is an offset."""
    X = np.asarray(X, float)
    terms = Monomials(X.shape[1], kernel.degree)
    sizes = np.array([len(power) for power in terms.powers])
    scale = kernel.gamma ** (sizes / 2) * kernel.coef0 ** ((kernel.degree - sizes) / 2)
    points = terms.map(X) * scale
    return np.column_stack([points, np.ones(len(X))]) if offset else points


def separable_rows(n, d, kernel, seed):
    """Random rows of two classes, apart by a polynomial of the kernel's space that is near 0 on none."""
    generator = np.random.default_rng(seed)
    while True:
        X = generator.normal(size=(n, d))
        points = map_rows(X, kernel)
        values = points @ generator.normal(size=points.shape[1])
        far = np.abs(values) > 0.3 * np.abs(values).mean()
        y = np.sign(values[far]).astype(int)
        if len(set(y.tolist())) == 2:
            return X[far], y


def margin_by_least_squares(Q):
    """Both ends for the largest margin of points with Gram matrix Q, from the λ ≥ 0 that makes
    λᵀQλ + (Σλ − 1)² least."""
    values, vectors = np.linalg.eigh(Q)
    factor = (vectors * np.sqrt(values.clip(0.0))).T
    weights, _ = nnls(np.vstack([factor, np.ones(len(Q))]), np.r_[np.zeros(len(Q)), 1.0], maxiter=10**5)
    weights /= weights.sum()
    length = math.sqrt(weights @ Q @ weights)
    return (Q @ weights).min() / length, length


# ---------------------------------------------------------------- the interval


KERNELS = [
    Polynomial(1, 1.0, 1.0),
    Polynomial(2, 1.0, 1.0),
    Polynomial(3, 1.0, 1.0),
    Polynomial(4, 0.3, 0.5),
    Polynomial(2, 2.0, 0.0),
    Polynomial(3, 0.5, 0.0),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("offset", [False, True])
def test_the_margin_equals_that_of_the_points_written_out(offset, kernel):
    for seed in range(6):
        X, y = separable_rows(25, 2 + seed % 2, kernel, seed)
        points = map_rows(X, kernel, offset)
        written_out = separate(points, y, offset=False, tolerance=1e-4)
        found = mistake_bound(X, y, kernel=kernel, offset=offset, tolerance=1e-4)
        assert found.separable
        assert written_out.separable
        assert found.margin[0] <= written_out.margin[1] * (1 + CLOSE)
        assert found.margin[1] >= written_out.margin[0] * (1 - CLOSE)
        assert found.margin[1] - found.margin[0] <= 1e-4 * found.margin[1]
        assert found.radius == pytest.approx(np.linalg.norm(points, axis=1).max(), rel=1e-9)
        least, most = ((found.radius / margin) ** 2 for margin in found.margin[::-1])
        assert found.bound == pytest.approx((least, most), rel=1e-9)


@pytest.mark.parametrize("kernel", [Gaussian(0.5), Gaussian(3.0), Laplacian(0.7)], ids=str)
@pytest.mark.parametrize("offset", [False, True])
def test_the_margin_in_a_space_that_cannot_be_written_out(offset, kernel):
    generator = np.random.default_rng(2)
    for _ in range(4):
        X = generator.normal(size=(15, 2))
        y = np.where(generator.random(15) < 0.5, -1, 1)
        y[:2] = (-1, 1)
        apart = X[:, None] - X[None]
        nearness = (apart**2).sum(axis=2) if isinstance(kernel, Gaussian) else np.abs(apart).sum(axis=2)
        K = np.exp(-kernel.gamma * nearness) + offset
        lower, upper = margin_by_least_squares(y[:, None] * K * y)
        found = mistake_bound(X, y, kernel=kernel, offset=offset, tolerance=1e-3)
        assert found.separable
        assert lower == pytest.approx(upper, rel=1e-5)
        assert found.margin[0] <= upper * (1 + CLOSE)
        assert found.margin[1] >= lower * (1 - CLOSE)
        assert found.margin[1] - found.margin[0] <= 1e-3 * found.margin[1]
        assert found.radius == pytest.approx(math.sqrt(1 + offset), rel=1e-9)


def test_an_offset_adds_1_to_the_kernel_and_there_is_none_unless_requested():
    X, y = separable_rows(30, 2, QUADRATIC, 0)
    without, with_one = (mistake_bound(X, y, kernel="gaussian", offset=o) for o in (None, True))
    assert (without.offset, with_one.offset) == (False, True)
    assert without.radius == pytest.approx(1.0, rel=1e-9)
    assert with_one.radius == pytest.approx(math.sqrt(2.0), rel=1e-9)
    X, y = separable_rows(30, 2, Polynomial(1, 1.0, 1.0), 0)
    lifted = mistake_bound(X, y, kernel=Polynomial(1, 1.0, 1.0), tolerance=1e-6)
    linear = mistake_bound(X, y, kernel="linear", offset=True, tolerance=1e-6)
    assert lifted.separable
    assert lifted.margin == pytest.approx(linear.margin, rel=1e-5)


@pytest.mark.parametrize("small", [{"FIRST_SAMPLE": 4, "WORST": 2}, {"FIRST_SAMPLE": 1, "BLOCK": 3}])
def test_a_working_set_that_starts_small_finds_the_same(small, monkeypatch):
    X, y = separable_rows(60, 2, CUBIC, 4)
    parameters = {"kernel": "polynomial", "degree": 3, "gamma": 0.5, "tolerance": 1e-5}
    whole = mistake_bound(X, y, **parameters)
    for name, value in small.items():
        monkeypatch.setattr(feature_space, name, value)
    found = mistake_bound(X, y, **parameters)
    assert found.margin == pytest.approx(whole.margin, rel=2e-5)
    assert found.margin[1] - found.margin[0] <= 1e-5 * found.margin[1]
    assert found.radius == pytest.approx(whole.radius, rel=1e-12)


def test_the_parameters_equal_those_of_a_kernel_perceptron():
    X, y = separable_rows(25, 2, QUADRATIC, 3)
    by_name = mistake_bound(X, y, kernel="polynomial", degree=2, gamma="auto", coef0=0.5)
    by_object = mistake_bound(X, y, kernel=Polynomial(2, 0.5, 0.5))
    assert by_name.margin == by_object.margin
    assert by_name.kernel == by_object.kernel == Polynomial(2, 0.5, 0.5)
    scaled = mistake_bound(X, y, kernel="gaussian")
    assert scaled.kernel.gamma == KernelPerceptron().fit(X, y).kernel_.gamma
    own = mistake_bound(X, y, kernel=lambda A, B: (0.5 * A @ B.T + 0.5) ** 2)
    assert own.margin == pytest.approx(by_object.margin, rel=0.02)
    assert own.mistakes == by_object.mistakes


# ---------------------------------------------------------------- real runs


@pytest.mark.parametrize(
    "kernel", [Polynomial(2, 1.0, 1.0), Polynomial(3, 0.5, 0.0), Gaussian(0.8), Laplacian(1.0)], ids=str
)
@pytest.mark.parametrize("offset", [False, True])
def test_no_run_in_any_order_makes_more_mistakes_than_the_bound(impatient, offset, kernel):
    for seed in range(3):
        X, y = separable_rows(25, 2, Polynomial(3, 1.0, 0.0), seed)
        found = mistake_bound(X, y, kernel=kernel, offset=offset, tolerance=0.3)
        if not found.separable:
            continue
        assert found.bound[0] <= found.bound[1]
        assert found.mistakes <= found.bound[1]
        for run in range(8):
            model = KernelPerceptron(
                kernel=kernel, offset=offset, until="separated", epochs=300, random_state=run
            ).fit(X, y)
            assert model.mistakes_ <= found.bound[1]
    assert found.separable is not False


@given(
    rows=st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=8, unique=True),
    signs=st.lists(st.sampled_from([-1, 1]), min_size=8, max_size=8),
    degree=st.integers(1, 3),
    seed=st.integers(0, 999),
)
@example(  # √2·x₁x₂ in doubles separates these, and x₁x₂ does not
    rows=[(0, 0), (0, 1), (0, -1), (-2, -3), (1, 0), (-1, -2)],
    signs=[-1, -1, -1, -1, 1, 1, -1, -1],
    degree=2,
    seed=0,
)
def test_of_whole_numbers_it_is_decided_and_the_bound_holds(rows, signs, degree, seed):
    X, y = np.array(rows, float), np.array(signs[: len(rows)])
    assume(len(set(y.tolist())) == 2)
    kernel = Polynomial(degree, 1.0, 1.0)
    found = mistake_bound(X, y, kernel=kernel, time_limit=HANGS)
    monomials = Monomials(2, degree).plain(X)  # whole numbers; φ multiplies columns by roots, which round
    assert found.separable is separate(monomials, y, offset=False).separable
    if found.separable:
        run = KernelPerceptron(kernel=kernel, until="separated", epochs=500, random_state=seed).fit(X, y)
        assert run.mistakes_ <= found.bound[1]
        assert 0.0 < found.margin[0] <= found.margin[1]
    else:
        assert found.bound is None


def test_the_run_equals_that_of_a_kernel_perceptron_in_the_given_order():
    X, y = separable_rows(40, 2, QUADRATIC, 7)
    found = mistake_bound(X, y, kernel=Polynomial(2, 1.0, 1.0))
    model = KernelPerceptron(
        kernel=Polynomial(2, 1.0, 1.0), order="given", until="separated", epochs=None, keep="last"
    ).fit(X, y)
    assert (found.mistakes, found.passes, found.separated) == (model.mistakes_, model.epochs_, True)
    K = (1 + X @ model.support_vectors_.T) ** 2
    c = model.dual_coef_[0]
    length = math.sqrt(c @ K[model.support_] @ c)
    assert found.reached == pytest.approx((y * (K @ c)).min() / length, rel=1e-6)
    assert 0 < found.reached <= found.margin[1]


# ---------------------------------------------------------------- separable or not


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "polynomial", "linear", np.inner], ids=str)
def test_one_point_with_both_labels_cannot_be_separated_anywhere(impatient, kernel):
    X = [[1.0, 2.0], [0.5, 0.5], [1.0, 2.0]]
    found = mistake_bound(X, [0, 0, 1], kernel=kernel)
    assert (found.separable, found.bound, found.separated) == (False, None, False)
    assert (found.margin, found.reached) == ((0.0, 0.0), 0.0)
    assert mistake_bound(X, [1, 0, 1], kernel=kernel).separable is not False
    assert found.contradiction == (0, 2)
    assert "Rows 0 and 2 are equal and have different labels" in str(found)


def test_a_contradiction_is_named_among_all_rows_even_if_some_have_weight_0():
    X, y = [[5.0], [1.0], [7.0], [1.0]], [0, 0, 1, 1]
    assert mistake_bound(X, y, kernel="gaussian", sample_weight=[0.0, 1.0, 0.0, 1.0]).contradiction == (
        1,
        3,
    )


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
def test_different_rows_are_separable_with_a_gaussian_even_if_no_margin_is_computed(impatient, kernel):
    X = np.array([[0.0], [1e-9], [2e-9], [1.0]])
    found = mistake_bound(X, [0, 1, 0, 1], kernel=kernel, gamma=1.0)
    assert (found.separable, found.contradiction) == (True, None)
    assert 0.0 <= found.margin[0] <= found.margin[1] < 1e-4
    if found.bound is None:
        assert "no two equal rows have different labels" in str(found)
    assert mistake_bound(X, [0, 1, 0, 1], kernel="polynomial", degree=2, gamma=1.0).separable is not True


ZERO = ([[0.0, 0.0], [1.0, 2.0], [2.0, 1.0]], [0, 1, 1])
OPPOSITE = ([[1.0, 2.0], [-1.0, -2.0]], [0, 1])


@pytest.mark.parametrize(
    ("rows", "kernel", "separable"),
    [
        (XOR, Linear(), False),
        (XOR, Polynomial(1, 1.0, 1.0), False),
        (XOR, Polynomial(2, 1.0, 1.0), True),
        (ZERO, Polynomial(2, 1.0, 0.0), False),  # φ(0) = 0 where c = 0
        (ZERO, Polynomial(2, 1.0, 1.0), True),
        (OPPOSITE, Polynomial(2, 1.0, 0.0), False),  # φ(−x) = φ(x) where the degree is even
        (OPPOSITE, Polynomial(3, 1.0, 0.0), True),
    ],
)
def test_whether_a_kernel_separates_is_known_by_hand(impatient, rows, kernel, separable):
    found = mistake_bound(*rows, kernel=kernel)
    assert found.separable is separable
    assert (found.bound is None) is not separable


# ---------------------------------------------------------------- time


@pytest.mark.parametrize("limit", [0, 0.01])
def test_when_the_time_is_over_there_is_an_interval(limit):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(1500, 5))
    y = generator.integers(0, 2, 1500)
    began = time.thread_time()
    found = mistake_bound(X, y, kernel="gaussian", gamma=0.05, time_limit=limit)
    assert time.thread_time() - began < 20
    assert 0.0 <= found.margin[0] <= found.margin[1] <= found.radius
    assert found.separable in (None, True)
    assert (found.bound is None) is (found.margin[0] == 0.0)
    assert found.mistakes > 0


# ---------------------------------------------------------------- the report


def test_the_report_is_complete():
    lines = str(mistake_bound(*XOR, kernel="polynomial", degree=2, gamma=1.0)).splitlines()
    assert lines[0].startswith(
        "Radius in the feature space of the polynomial kernel: 3. "
        "Largest margin through the origin: 1.41421"
    )
    assert lines[1] == "Mistake bound: 4.5, in any order of the points."
    assert lines[2] == (
        "A real run in the given order made 4 mistakes in 2 passes; the last pass made no mistake."
    )
    assert lines[3] == "Its w reached a margin of 1.41421: 100 % of the best possible."


# ---------------------------------------------------------------- refusals


def cross(A, B):
    """x₀z₀ − x₁z₁ is no inner product."""
    return A @ np.diag([1.0, -1.0]) @ B.T


@pytest.mark.parametrize(
    ("X", "y", "named", "message"),
    [
        (*XOR, {"kernel": "poly"}, "kernel: got 'poly'"),
        (*XOR, {"kernel": 3}, "kernel: got 3"),
        (*XOR, {"kernel": "gaussian", "gamma": -1.0}, "gamma"),
        (*XOR, {"kernel": "gaussian", "init": [1.0, 2.0]}, "init: with a kernel w starts at zero"),
        ([[1e200], [1.0]], [0, 1], {"kernel": "polynomial", "gamma": 1.0}, "overflows"),
        (
            [[1.0, 2.0], [2.0, 1.0], [1.0, 1.5]],
            [0, 1, 0],
            {"kernel": cross},
            "not positive semi-definite",
        ),
        ([[1.0], [2.0]], [0, 1], {"kernel": lambda A, B: -(A @ B.T)}, "not positive semi-definite"),
        (*XOR, {"kernel": lambda A, B: A @ np.triu(np.ones((2, 2))) @ B.T}, "not symmetric"),
        (*XOR, {"kernel": lambda A, B: np.ones(3)}, "shape"),
    ],
)
def test_bad_kernels_are_refused(impatient, X, y, named, message):
    with pytest.raises(BadInput, match=message):
        mistake_bound(X, y, **named)
