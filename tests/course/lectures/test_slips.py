"""Where the notes slip: for each, what they write fails on an example, and what should stand there holds.

The pages of docs/notes list them, each with its test.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from rosenblatt import Perceptron, PolynomialThreshold, geometry, kernels, mistake_bound, separate, trace
from rosenblatt.course.foundations import Gaussian, PolynomialCurve
from rosenblatt.course.lectures import EXAMPLES
from rosenblatt.course.lectures.worked import products
from rosenblatt.errors import BadInput


@pytest.fixture(scope="module")
def separable_run():
    """A run of some mistakes without offset, with the best w* of length 1 and what it proves."""
    generator = np.random.default_rng(4)
    X = generator.normal(size=(60, 3))
    truth = np.array([2.0, -1.0, 0.5])
    X = X[np.abs(X @ truth) > 0.3]
    y = np.where(X @ truth > 0, 1, -1)
    verdict = separate(X, y, offset=False)
    w, _ = verdict.hyperplane
    star = w / np.linalg.norm(w)
    steps = trace(X, y, offset=False, until="separated", epochs=None)
    assert steps.mistakes > 5
    return steps, star, verdict.margin[0]


# ---------------------------------------------------------------- 000


def test_000_the_margin_is_a_distance_from_the_hyperplane_and_not_from_w_star():
    star = [0.6, 0.8]
    x, rho = star, 0.5
    assert geometry.distance(x, star) > 0.999 > rho
    assert geometry.l2_norm(np.subtract(x, star)) == 0.0


def test_000_the_product_that_w_gains_by_is_at_least_rho(separable_run):
    # "≤ −ρ since a mistake was made": the sign of x·w* is the label, with or without a mistake
    steps, star, rho = separable_run
    signs = set()
    for step in steps:
        assert step.y * np.dot(step.x, star) >= rho - 1e-12
        if step.mistake:
            signs.add(float(np.sign(np.dot(step.x, star))))
    assert signs == {-1.0, 1.0}


def test_000_and_004_the_first_mistake_has_an_agreement_of_0_and_not_below():
    for key in ("001-perceptron", "004-two-points"):
        first = next(step for step in EXAMPLES[key].run() if step.mistake)
        assert first.agreement == 0.0
        assert first.norm_squared == np.dot(first.x, first.x)


def test_000_a_kernel_is_a_number_and_its_space_has_n_to_the_d_coordinates():
    (n, d), x, z = (3, 2), [1.0, 2.0, 3.0], [2.0, 0.0, 1.0]
    value = kernels.Polynomial(d, gamma=1.0, coef0=0.0)(x, z)
    assert np.ndim(value) == 0
    assert value == np.dot(products(x), products(z)) == 25
    assert len(products(x)) == n**d != 1**d


def test_000_its_map_of_x_z_plus_c_squared_leaves_out_the_products_of_different_coordinates():
    x, z, c = np.array([1.0, 1.0]), np.array([1.0, 1.0]), 1.0

    def notes(v):
        return np.array([*(v**2), *(math.sqrt(2 * c) * v), c])

    def whole(v):
        return np.append(notes(v), math.sqrt(2) * v[0] * v[1])

    assert notes(x) @ notes(z) == pytest.approx(7)
    assert whole(x) @ whole(z) == pytest.approx((x @ z + c) ** 2) == pytest.approx(9)


def test_000_its_map_of_degree_d_leaves_out_the_lower_degrees():
    # sign(x) is the sign of a polynomial of degree at most 2; of the feature x² alone it is not
    X, y = np.array([[1.0], [-1.0]]), [1, -1]
    assert separate(X**2, y).separable is False
    whole = PolynomialThreshold(degree=2, order="given", until="separated", epochs=None).fit(X, y)
    assert whole.predict(X).tolist() == y


def test_000_its_bound_is_that_of_the_start_at_zero_and_not_at_the_unit_vector():
    # −1 is the label of x = 1: from w = 1 it takes two mistakes, by 000's sign(0) = +1, and 1/ρ² is 1
    steps = trace([[1.0]], [-1], offset=False, tie="positive", init="unit", until="separated")
    claims = steps.check_claims([-1.0])
    assert (claims.radius / claims.margin) ** 2 == 1
    assert 1 < steps.mistakes == 2 <= claims.bound


# ---------------------------------------------------------------- 001

OPPOSITE = [[0.0, -1.0], [0.0, 1.0], [1.0, -0.5]]
OPPOSITE_LABELS = [-1, -1, 1]


def test_001_a_set_that_some_w_classifies_on_which_the_run_goes_round_for_ever():
    answers = np.where(np.array(OPPOSITE) @ [1.0, 0.0] > 0, 1, -1)  # 001's sign: −1 at 0
    assert answers.tolist() == OPPOSITE_LABELS
    steps = trace(OPPOSITE, OPPOSITE_LABELS, offset=False, tie="negative", until="separated", epochs=None)
    assert not steps.separated
    assert (steps.cycle.period, steps.cycle.updates) == (3, 2)


def test_001_with_an_offset_such_a_set_can_be_separated_with_room():
    steps = trace(OPPOSITE, OPPOSITE_LABELS, tie="negative", until="separated", epochs=None)
    assert steps.separated
    assert separate(OPPOSITE, OPPOSITE_LABELS).margin[0] > 0


def test_001_a_point_in_the_direction_of_w_may_be_on_the_negative_side():
    w, b = [2.0, 3.0], -6.0
    x = [0.2, 0.3]
    assert geometry.angle(x, w) == pytest.approx(0.0)
    assert geometry.signed_distance(x, w, b) < 0 < geometry.signed_distance([2.0, 3.0], w, b)


def test_001_an_agreement_of_0_is_no_mistake_for_a_negative_point_by_its_own_sign():
    first = trace([[1.0, 0.0], [0.0, 1.0]], [-1, 1], offset=False, tie="negative")[0]
    assert (first.y, first.agreement, first.mistake) == (-1, 0, False)


def test_001_the_root_of_x_x_is_the_norm_and_not_its_square():
    assert math.sqrt(geometry.inner([3, 4], [3, 4])) == geometry.l2_norm([3, 4]) == 5
    assert geometry.l2_norm([3, 4]) ** 2 == 25


def test_001_and_003_at_x_0_without_an_offset_an_update_changes_nothing():
    (step,) = trace([[0.0, 0.0]], [1], offset=False, epochs=1)
    assert step.updated
    assert step.agreement_after == step.agreement == geometry.inner(step.x, step.x) == 0
    assert trace([[0.0, 0.0]], [1], epochs=1)[0].agreement_after == 1


# ---------------------------------------------------------------- 002


def test_002_with_the_length_of_the_offset_any_margin_would_do():
    # θ = 1, θ₀ = 0 on x = 1 (+) and −1 (−): y(θx + θ₀) ≥ γ‖θ₀‖ = 0 for any γ, and both are at distance 1
    theta, offset = np.array([1.0]), 0.0
    agreements = [y * (theta @ [x] + offset) for x, y in ((1.0, 1), (-1.0, -1))]
    assert min(agreements) >= 1000 * abs(offset)
    assert min(agreements) == 1.0 * np.linalg.norm(theta) == geometry.distance([1.0], theta, offset)


def test_002_the_distance_is_the_length_of_a_vector_in_the_orthogonal_complement():
    x, theta, offset = np.array([3.0, 2.0]), np.array([2.0, 3.0]), -6.0
    apart = x - geometry.project(x, theta, offset)
    assert np.linalg.matrix_rank(np.array([apart, theta]), tol=1e-12) == 1  # a multiple of θ
    assert geometry.l2_norm(apart) == pytest.approx(geometry.distance(x, theta, offset))


def test_002_its_bound_with_an_offset_holds_of_the_lifted_points_only():
    X, y = [[0.0], [0.1]], [1, -1]
    bare = separate(X, y)
    assert (bare.radius / bare.margin[0]) ** 2 == pytest.approx(4)
    bound = mistake_bound(X, y)
    assert bound.mistakes == 203
    assert 4 < bound.mistakes <= bound.bound[0]


def test_002_its_algorithm_learns_from_a_negative_point_that_its_sign_calls_right():
    X, y = [[1.0], [2.0]], [-1, 1]
    assert trace(X, y, tie="mistake")[0].mistake  # y·0 ≤ 0
    assert not trace(X, y, tie="negative")[0].mistake  # sgn(0) = −1 = y


# ---------------------------------------------------------------- 003


def test_003_w_star_gains_l_times_gamma_and_gamma_alone_would_bound_nothing(separable_run):
    steps, star, gamma = separable_run
    count = 0
    for step in steps:
        if step.mistake:
            count += 1
            assert np.dot(step.weights, star) >= count * gamma - 1e-9
    radius, many = 1.0, 100
    gamma = 0.5
    assert gamma**2 <= many * radius**2  # what follows from γ ≤ w·w* holds of a hundred mistakes too
    assert many > radius**2 / gamma**2


def test_003_it_is_w_star_whose_product_with_x_y_is_positive_and_not_w(separable_run):
    steps, star, gamma = separable_run
    for step in steps:
        if step.mistake:
            assert step.agreement <= 0  # (wˡ·x)y, because it is a mistake
            assert np.dot(step.x, star) * step.y >= gamma - 1e-12 > 0


def test_003_after_the_first_mistake_the_norm_is_not_zero():
    # ‖w^(l+1)‖² ≤ l·R² with l = 0: w¹ would be 0. After l + 1 mistakes it is at most (l + 1)·R²
    steps = EXAMPLES["003-cycle"].run()
    first = next(step for step in steps if step.updated)
    radius = max(geometry.l2_norm(x) for x in steps.points)
    assert 0 * radius**2 < first.norm_squared <= 1 * radius**2


def test_003_two_mistakes_back_stands_the_vector_of_l_minus_1(separable_run):
    steps, star, gamma = separable_run
    radius2 = max(geometry.inner(x, x) for x in steps.points)
    path = np.array(steps.path())
    along, squared = path @ star, (path**2).sum(axis=1)
    assert (along[2:] >= along[:-2] + 2 * gamma - 1e-9).all()
    assert (squared[2:] <= squared[:-2] + 2 * radius2 + 1e-9).all()
    assert not (along[2:] >= along[2:] + 2 * gamma).any()  # as written
    assert (squared[2:] <= squared[1:-1] + radius2 + 1e-9).all()  # beside ‖wˡ‖² one R² is enough


def test_003_there_is_no_projection_on_the_zero_vector():
    x, y = [3.0, 4.0], [0.0, 0.0]
    with pytest.raises(BadInput, match="zero"):
        geometry.project_on_vector(x, onto=y)
    assert geometry.inner(x, y) ** 2 <= geometry.inner(x, x) * geometry.inner(y, y)


def test_003_after_a_mistake_of_type_1_the_score_need_not_be_negative():
    (step,) = trace([[1.0, 0.0]], [-1], offset=False, init=[10.0, 0.0], epochs=1)
    assert (step.score, step.mistake, -step.agreement_after) == (10, True, 9)


# ---------------------------------------------------------------- 004


def test_004_a_row_plus_a_column_is_no_vector():
    w, x = np.zeros((3, 1)), np.array([[1.0], [1.0], [2.0]])
    assert (w.T + x).shape == (3, 3)
    assert (w.T + x.T).shape == w.T.shape


def test_004_with_lambda_0_the_penalty_is_none():
    x, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 1.0, 3.0]
    curve = PolynomialCurve(1, l2=0.0).fit(x, y)
    assert curve.coef_ == pytest.approx(np.polyfit(np.ravel(x), y, 1)[::-1])


def test_004_the_penalised_error_is_over_all_n_points():
    x, y, penalty = np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 1.0, 3.0]), 0.5
    w = PolynomialCurve(1, l2=penalty).fit(x[:, None], y).coef_
    powers = np.vander(x, 2, increasing=True)

    def slope(n):  # of Σ|y − f(x)|² + λ‖w‖² over the first n points, at w
        return powers[:n].T @ (powers[:n] @ w - y[:n]) + penalty * w

    assert slope(len(x)) == pytest.approx(0, abs=1e-12)
    assert np.abs(slope(len(x) - 1)).min() > 0.1


def test_004_the_cosine_makes_it_an_equality():
    for x, y in itertools.product([[3.0, 4.0], [1.0, -2.0], [0.0, 5.0]], repeat=2):
        lengths = geometry.l2_norm(x) * geometry.l2_norm(y)
        assert geometry.inner(x, y) == pytest.approx(lengths * math.cos(geometry.angle(x, y)), abs=1e-12)
    assert geometry.inner([3, 4], [4, 3]) < geometry.l2_norm([3, 4]) * geometry.l2_norm([4, 3])


def test_004_the_norms_begin_with_the_second_vector_since_the_first_is_zero():
    # the last line of the chain has (1) and (0) for (2) and (1): there is no w^(0), and w^(1) is 0
    path = EXAMPLES["004-two-points"].run().path()
    squared = [geometry.inner(w, w) for w in path]
    assert squared[0] == 0
    assert squared[1] == 6 <= squared[0] + 6  # R² = 6: ‖w^(2)‖² ≤ ‖w^(1)‖² + R² = R²


def test_004_the_norm_of_a_sum_of_many_vectors_has_every_product_twice():
    many = np.array([[1.0, 2.0], [3.0, -1.0], [0.0, 2.0]])
    squares = sum(geometry.inner(v, v) for v in many)
    products = sum(geometry.inner(v, z) for v, z in itertools.combinations(many, 2))
    assert geometry.l2_norm(many.sum(axis=0)) ** 2 == pytest.approx(squares + 2 * products)
    assert geometry.l2_norm(many.sum(axis=0)) ** 2 != pytest.approx(squares + products)


def test_004_without_the_square_of_k_nothing_follows_for_k():
    u, radius, k = 0.5, 1.0, 100
    assert k * u**2 < k * radius**2  # holds of any k
    assert k**2 * u**2 > k * radius**2  # which k²u² < kR² rules out
    assert k > geometry.most_mistakes(radius, u) == 4


def test_004_below_the_sample_mean_the_log_likelihood_rises():
    data, sigma2, mean = [1.0, 2.0, 6.0], 2.0, 2.5

    def likelihood(mu):
        return Gaussian(mu, sigma2).log_likelihood(data)

    slope = (likelihood(mean + 1e-5) - likelihood(mean - 1e-5)) / 2e-5
    ours = sum(x - mean for x in data) / sigma2
    assert slope == pytest.approx(ours, rel=1e-6)
    assert ours > 0 > -ours  # the notes have the minus; both are 0 at the sample mean


def test_004_the_answer_is_the_class_of_the_largest_score_and_not_the_score():
    X, y = [[2.0, 0.0], [0.0, 2.0], [-2.0, -2.0]], ["a", "b", "c"]
    model = Perceptron(order="given", until="separated", epochs=None).fit(X, y)
    scores = model.decision_function(X)
    assert model.predict(X).tolist() == [model.classes_[k] for k in scores.argmax(axis=1)] == y
    assert scores.max(axis=1).tolist() != y


def test_004_n_points_and_degree_n_minus_1_leave_an_error_where_two_have_the_same_x():
    assert PolynomialCurve(1).fit([[0.0], [1.0]], [0.0, 1.0]).training_error_ == pytest.approx(0)
    assert PolynomialCurve(1).fit([[0.0], [0.0]], [0.0, 1.0]).training_error_ == pytest.approx(0.5)
