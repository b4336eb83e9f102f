"""Norms, angles, projections and distances are what the theorems say they are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rosenblatt import geometry
from rosenblatt.errors import BadInput

numbers = st.floats(-1000.0, 1000.0, allow_subnormal=False)


@st.composite
def vectors(draw, count, direction=False):
    """`count` vectors of one space; with `direction` the last is long enough to have one."""
    size = draw(st.integers(1, 5))
    drawn = [np.array(draw(st.lists(numbers, min_size=size, max_size=size))) for _ in range(count)]
    if direction:
        assume(np.abs(drawn[-1]).max() > 1e-3)
    return drawn


# ---------------------------------------------------------------- norms and inner products


def test_norms_of_the_notes_triangle():
    assert geometry.l1_norm([3, -4]) == 7.0
    assert geometry.l2_norm([3, -4]) == 5.0
    assert geometry.inner([1, 2, 3], [4, -5, 6]) == 12.0


@given(vectors(2))
def test_inner_product_is_symmetric_and_polarised_by_the_norm(drawn):
    x, z = drawn
    assert geometry.inner(x, z) == geometry.inner(z, x)
    by_norms = (geometry.l2_norm(x + z) ** 2 - geometry.l2_norm(x - z) ** 2) / 4
    assert geometry.inner(x, z) == pytest.approx(by_norms, abs=1e-6)


@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e-200, 1e200, 3e307])
def test_l2_norm_neither_overflows_nor_underflows_on_the_way(scale):
    assert geometry.l2_norm([3 * scale, -4 * scale]) == pytest.approx(5 * scale, rel=1e-15)


# ---------------------------------------------------------------- angles


@pytest.mark.parametrize(
    ("x", "z", "radians"),
    [
        ([1, 0], [0, 2], math.pi / 2),
        ([1, 1], [2, 2], 0.0),
        ([1, 1], [-3, -3], math.pi),
        ([1, 0], [1, 1], math.pi / 4),
        ([1, 0, 0], [-1, 0, math.sqrt(3)], 2 * math.pi / 3),
    ],
)
def test_angles_known_from_school(x, z, radians):
    assert geometry.angle(x, z) == pytest.approx(radians, abs=1e-15)


@given(vectors(2))
def test_angle_is_symmetric_and_between_zero_and_pi(drawn):
    x, z = drawn
    assume(x.any() and z.any())
    angle = geometry.angle(x, z)
    assert angle == geometry.angle(z, x)
    assert 0.0 <= angle <= math.pi


@given(vectors(2, direction=True))
def test_inner_product_is_the_lengths_times_the_cosine(drawn):
    x, z = drawn
    assume(x.any())
    lengths = geometry.l2_norm(x) * geometry.l2_norm(z)
    assert geometry.inner(x, z) == pytest.approx(
        lengths * math.cos(geometry.angle(x, z)), abs=1e-11 * lengths
    )


@pytest.mark.parametrize("tiny", [1e-6, 1e-9, 1e-12])
def test_small_angles_keep_their_digits(tiny):
    assert geometry.angle([1.0, 0.0], [1.0, tiny]) == pytest.approx(tiny, rel=1e-6)  # arccos would say 0


@pytest.mark.parametrize(("long", "short"), [(1e300, 1e-300), (1.7e308, 5e-324)])
def test_angle_does_not_depend_on_the_lengths(long, short):
    assert geometry.angle([long, 0.0], [0.0, short]) == math.pi / 2
    assert geometry.angle([long, long], [short, 0.0]) == pytest.approx(math.pi / 4, rel=1e-15)


# ---------------------------------------------------------------- projection on a vector


@given(vectors(2, direction=True))
def test_projection_on_a_vector_is_idempotent_and_leaves_a_right_angle(drawn):
    x, v = drawn
    p = geometry.project_on_vector(x, onto=v)
    scale = 1.0 + geometry.l2_norm(x)
    np.testing.assert_allclose(geometry.project_on_vector(p, onto=v), p, atol=1e-12 * scale)
    assert geometry.inner(x - p, v) == pytest.approx(0.0, abs=1e-12 * scale * geometry.l2_norm(v))


# ---------------------------------------------------------------- hyperplanes


@given(vectors(2, direction=True), numbers)
def test_distance_is_the_score_over_the_length_of_the_normal(drawn, b):
    x, w = drawn
    length = geometry.l2_norm(w)
    score = float(w @ x) + b
    rounding = 1e-12 * (1.0 + geometry.l2_norm(x) + abs(b) / length)
    assert geometry.distance(x, w, b) == pytest.approx(abs(score) / length, abs=rounding)
    assert geometry.signed_distance(x, w, b) == pytest.approx(score / length, abs=rounding)
    assert geometry.signed_distance(x, -w, -b) == pytest.approx(-score / length, abs=rounding)


@given(vectors(2, direction=True), numbers)
def test_the_projection_is_on_the_hyperplane_at_the_stated_distance(drawn, b):
    x, w = drawn
    p = geometry.project(x, w, b)
    rounding = 1e-11 * (1.0 + geometry.l2_norm(x) + abs(b) / geometry.l2_norm(w))
    assert geometry.distance(p, w, b) == pytest.approx(0.0, abs=rounding)
    assert geometry.l2_norm(x - p) == pytest.approx(geometry.distance(x, w, b), abs=rounding)
    np.testing.assert_allclose(geometry.project(p, w, b), p, atol=rounding)


def test_signed_distance_is_positive_where_the_normal_points():
    assert geometry.signed_distance([3, 4], w=[0, 2], b=-2) == 3.0
    assert geometry.signed_distance([3, -4], w=[0, 2], b=-2) == -5.0
    assert geometry.distance([3, -4], w=[0, 2], b=-2) == 5.0


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e-5, 1e5, 1e300, 1.5e308])
def test_the_same_hyperplane_by_any_multiple_of_w_and_b(scale):
    # (1, −1)·x + 1 = 0, from the origin: 1/√2 whatever the length of the normal
    assert geometry.distance([0, 0], w=[scale, -scale], b=scale) == pytest.approx(math.sqrt(0.5), rel=1e-12)
    np.testing.assert_allclose(
        geometry.project([0, 0], w=[scale, -scale], b=scale), [-0.5, 0.5], rtol=1e-12
    )


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: geometry.angle([0, 0], [1, 0]), "x"),
        (lambda: geometry.angle([1, 0], [0, 0]), "z"),
        (lambda: geometry.project_on_vector([1, 2], onto=[0, 0]), "onto"),
        (lambda: geometry.project([1, 2], w=[0, 0], b=1), "w"),
        (lambda: geometry.signed_distance([1, 2], w=[0.0, -0.0]), "w"),
        (lambda: geometry.distance([1, 2], w=[0, 0]), "w"),
    ],
)
def test_the_zero_vector_has_no_direction(call, named):
    with pytest.raises(BadInput, match=rf"^{named}: the zero vector has no direction"):
        call()


@pytest.mark.parametrize(
    "operation",
    [
        geometry.inner,
        geometry.angle,
        geometry.project_on_vector,
        geometry.project,
        geometry.signed_distance,
        geometry.distance,
    ],
)
def test_vectors_of_different_spaces_do_not_meet(operation):
    with pytest.raises(BadInput, match="different length: 2 and 3 numbers"):
        operation([1, 2], [1, 2, 3])


@pytest.mark.parametrize("operation", [geometry.l1_norm, geometry.l2_norm])
@pytest.mark.parametrize("x", [3.0, [[1.0, 2.0]]])
def test_a_norm_is_of_one_vector(operation, x):
    with pytest.raises(BadInput, match="expected one vector, got an array of shape"):
        operation(x)


def test_a_normal_shorter_than_any_other_puts_the_plane_out_of_reach():
    assert geometry.signed_distance([1.0, 1.0], [5e-324, 5e-324], -6.0) == -math.inf
    assert geometry.distance([0.0], [1e-320], 1e6) == math.inf
