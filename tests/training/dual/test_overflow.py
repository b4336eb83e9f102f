"""Values too large for a double are refused with a remedy."""

from __future__ import annotations

import numpy as np
import pytest

from rosenblatt import KernelPerceptron
from rosenblatt.errors import BadInput
from tests.kernels import naive_kernels
from tests.training.dual import naive_dual as naive
from tests.training.dual.dual_runs import same_run

KEEPERS = ["last", "averaged", "voted", "random"]
REMEDY = r"divide the features by their largest value first \(sklearn.preprocessing.MaxAbsScaler does\)$"


def coin(n, seed=0):
    return np.append([0, 1], np.random.default_rng(seed).integers(0, 2, n - 2))


def rows(n=40, size=1.0, seed=1):
    return np.random.default_rng(seed).normal(size=(n, 3)) * size


STEEP = {"kernel": "polynomial", "degree": 200, "gamma": 1.0}
TOO_LARGE = [
    (
        STEEP,
        1e3,
        1.0,
        rf"^kernel: \(γ x·z \+ c\)\^200 overflows, γ‖x‖² goes up to .*use gamma=.* or {REMEDY}",
    ),
    *(({"kernel": "linear"}, size, 1.0, rf"^kernel: .*overflow.*{REMEDY}") for size in (1e155, 1e300)),
    *(
        ({"kernel": kernel, "gamma": 1.0}, size, 1.0, rf"^kernel: .*overflow.*{REMEDY}")
        for kernel, sizes in (("polynomial", (1e60, 1e200)), ("gaussian", (1e160, 1e300)))
        for size in sizes
    ),
    ({"kernel": "laplacian", "gamma": 1.0}, 1e300, 1.0, rf"^kernel: .*overflow.*{REMEDY}"),
    *(
        ({"gamma": "scale"}, size, 1.0, r"^gamma: 'scale' needs the variance of X.*MaxAbsScaler")
        for size in (1e-170, 1e-155, 1e155, 1e200)
    ),
    ({"gamma": 1.0}, 1.0, 1e200, r"^sample_weight: a weight of 1e\+200 .* too large.*divide all weights"),
]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(("settings", "size", "weight", "message"), TOO_LARGE)
def test_what_is_too_large_for_a_double_is_refused_with_a_remedy(
    settings, size, weight, message, n_classes
):
    with pytest.raises(BadInput, match=message):
        KernelPerceptron(**settings).fit(
            rows(size=size), np.arange(40) % n_classes, sample_weight=np.full(40, weight)
        )


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
def test_nearness_of_rows_far_away_is_0(kernel):
    X, y = rows(size=1e140), coin(40)
    model = KernelPerceptron(kernel, gamma=1.0, epochs=2).fit(X, y)
    assert model.mistakes_ == 40
    assert (model.predict(X) == y).all()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("keep", KEEPERS)
def test_large_rows_to_decide_about(keep, n_classes):
    X, y = rows(size=0.1), np.arange(40) % n_classes
    model = KernelPerceptron(**STEEP, keep=keep, epochs=2).fit(X, y)
    for ask in (model.predict, model.decision_function):
        with pytest.raises(BadInput, match=r"^kernel: .*overflow"):
            ask(rows(size=1e3))
    assert np.isfinite(model.decision_function(X)).all()


def test_sums_that_overflow_where_no_value_does():
    """K(x, x) is finite for all rows, Σ coefficient·K(x, z) is not."""
    X, y = rows(size=1e74), coin(40)
    model = KernelPerceptron("polynomial", degree=2, gamma=1.0, epochs=2, order="given")
    assert np.isfinite(model.fit(X, y).decision_function(X)).all()
    with pytest.raises(BadInput, match=rf"^kernel: .*overflow.*{REMEDY}"):
        model.fit(X, y, sample_weight=np.full(40, 1e12))


# ---------------------------------------------------------------- underflow


def nearly_orthogonal(size, seed, d=24):
    """x of any size and z so small that ‖z‖² is 0, with x·z = 0 but for rounding."""
    generator = np.random.default_rng(seed)
    x, z = generator.normal(size=d) * size, generator.normal(size=d) * 1e-170
    z[-1] = -(x[:-1] @ z[:-1]) / x[-1]
    return np.array([x, z])


@pytest.mark.parametrize("keep", ["last", "voted"])
def test_rows_whose_squares_underflow(keep):
    """‖z‖² is 0 in floating point, so a bound by it alone would trust a score that is all rounding."""
    for seed in range(100):
        X = nearly_orthogonal(1e100, seed)
        gram = naive_kernels.gram(naive_kernels.linear, X)
        want = naive.learn(gram, [1, 0], [0, 1])
        model = KernelPerceptron("linear", epochs=1, order="given", keep=keep).fit(X, [1, 0])
        same_run(model, want)
        (column,) = naive.learn(gram, [1, 0], [0])
        first = KernelPerceptron("linear", keep=keep).partial_fit(X[:1], [1], classes=[0, 1])
        assert first.predict(X[1:])[0] == (naive.score(column.updates, gram[1], 0.0) > 0.0)


def test_powers_that_underflow():
    for seed in range(100):
        X = nearly_orthogonal(1e45, seed)
        X[1] *= 1e110
        want = naive.learn(
            naive_kernels.gram(lambda x, z: naive_kernels.polynomial(x, z, coef0=0.0), X), [1, 0], [0, 1]
        )
        model = KernelPerceptron("polynomial", degree=3, gamma=1.0, coef0=0.0, epochs=1, order="given")
        same_run(model.fit(X, [1, 0]), want)


def test_small_rows_of_great_weight():
    """Products are subnormal, and what they lose is multiplied by the weight."""
    for seed in range(100):
        X = nearly_orthogonal(1.0, seed) * [[1e-158], [1e12]]
        want = naive.learn(
            naive_kernels.gram(naive_kernels.linear, X), [1, 0], [0, 1], weights=[1e150, 1.0]
        )
        model = KernelPerceptron("linear", epochs=1, order="given")
        same_run(model.fit(X, [1, 0], sample_weight=[1e150, 1.0]), want)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("keep", KEEPERS)
def test_sums_that_overflow_are_refused_when_requested(keep, n_classes):
    """K(x, x) is finite, Σ coefficient·K(x, z) is not."""
    y = np.arange(40) % n_classes
    model = KernelPerceptron("linear", keep=keep, epochs=2, order="given")
    model.fit(rows(size=1e10), y, sample_weight=np.full(40, 1e149))
    assert np.isfinite(model.decision_function(rows(size=1e140))).all()
    if keep != "voted":  # votes are counts
        with pytest.raises(BadInput, match=r"^kernel: .*overflow"):
            model.decision_function(rows(size=1e149))
