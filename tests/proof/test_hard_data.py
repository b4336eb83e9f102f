"""Tiny margins, extreme scales, ties, duplicates and lattices are decided correctly."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

XOR = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])


# ---------------------------------------------------------------- hair-thin margins


@pytest.mark.parametrize("gap", [1e-12, 1e-15, 2.0**-52, 1e-18, 1e-30, 1e-100, 1e-200, 1e-300, 5e-324])
@pytest.mark.parametrize("offset", [True, False])
def test_points_a_hair_apart_are_separable_and_the_hair_is_measured(check_verdict, naive, gap, offset):
    """The classes differ in the last coordinate only, beside others of size 1."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(-1, 1, (20, 2)), np.repeat([gap, -gap], 10)])
    X = np.concatenate([X, [[0.5, 0.5, gap], [0.5, 0.5, -gap]]])
    y = (X[:, 2] > 0).astype(int)
    verdict = check_verdict(X, y, offset=offset, tolerance=0)
    assert verdict.separable is True
    assert verdict.margin[0] <= gap <= verdict.margin[1]
    naive.check_proof(verdict.proof, X, y)


def test_one_unit_in_the_last_place_decides_between_separable_and_not(check_verdict):
    at, above = 1.0, math.nextafter(1.0, 2.0)
    assert check_verdict([[0.0], [at], [above], [2.0]], [0, 0, 1, 1]).margin == (2.0**-53, 2.0**-53)
    assert check_verdict([[0.0], [at], [at], [2.0]], [0, 0, 1, 1]).kind == "quasi-separable"
    assert check_verdict([[0.0], [above], [at], [2.0]], [0, 0, 1, 1]).kind == "overlapping"


def test_a_point_moved_through_a_side_by_one_unit_changes_the_verdict(check_verdict):
    """A triangle and a point at the middle of its long side: on it, inside it, outside it."""
    triangle = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    for where, kind in ((0.5, "quasi-separable"), (math.nextafter(0.5, 0), "overlapping"),
                        (math.nextafter(0.5, 1), "separable")):  # fmt: skip
        verdict = check_verdict([*triangle, [where, where], [2.0, 2.0]], [0, 0, 0, 1, 1])
        assert verdict.kind == kind, where


# ---------------------------------------------------------------- wild scales


@pytest.mark.parametrize("seed", range(6))
def test_rows_of_many_sizes_do_not_send_the_search_in_circles(check_verdict, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(195, 2)) * 10.0 ** rng.uniform(-6, 6, (195, 1))
    y = (X @ rng.normal(size=2) > 0).astype(int)
    for offset in (True, False):
        assert check_verdict(X, y, offset=offset).kind == "separable"


def test_denormals_are_numbers_like_others(check_verdict, naive):
    tiny = 5e-324
    X = np.array([[tiny, 0.0], [-tiny, 0.0], [3 * tiny, tiny], [-2 * tiny, -tiny]])
    verdict = check_verdict(X, [1, 0, 1, 0])
    assert verdict.margin == (tiny, tiny)
    naive.check_proof(verdict.proof, X, [1, 0, 1, 0])
    assert check_verdict(XOR * tiny, [0, 1, 1, 0]).kind == "overlapping"


def test_the_largest_doubles_are_separated_without_a_warning(check_verdict, naive):
    big = 1.7976931348623157e308
    X = [[big, big, big], [-big, big, -big], [1.0, 2.0, 3.0]]
    for form in (np.array(X), csr_array(X)):
        for offset in (True, False):
            verdict = check_verdict(form, [0, 1, 1], offset=offset)
            naive.check_proof(verdict.proof, X, [0, 1, 1])


# ---------------------------------------------------------------- primes


@pytest.mark.parametrize("prime", [2**31 - 1, 2**61 - 1, 2**31 - 19, 65537])
@pytest.mark.parametrize("offset", [True, False])
def test_data_that_vanish_modulo_a_prime_overlap_all_the_same(check_verdict, prime, offset):
    """A rank modulo a prime can be too small; what is true must stay provable."""
    verdict = check_verdict(XOR * float(prime), [0, 1, 1, 0], offset=offset)
    assert verdict.kind == "overlapping"


@pytest.mark.matrix  # ten seconds
def test_a_determinant_that_vanishes_modulo_a_prime_hides_no_overlap(check_verdict):
    """2³⁰·2³¹ − 1·1 = 2⁶¹ − 1, in a support large enough for arithmetic modulo it."""
    d = 102
    V = np.eye(d)
    V[:2, :2] = [[2.0**30, 1.0], [1.0, 2.0**31]]
    verdict = check_verdict(np.concatenate([V, V]), np.repeat([0, 1], d), offset=False)
    assert verdict.kind == "overlapping"


# ---------------------------------------------------------------- duplicates


@pytest.mark.parametrize("offset", [True, False])
def test_the_same_point_with_both_labels_is_a_proof_of_two_rows(check_verdict, offset):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(500, 8))
    y = (X[:, 0] > 0).astype(int)
    X[411], y[411] = X[17], 1 - y[17]
    for form in (X, csr_array(X), X.astype(np.float32)):
        verdict = check_verdict(form, y, offset=offset)
        assert verdict.separable is False
        assert verdict.support.tolist() == [17, 411]
        assert verdict.proof.parts[0].weights == (1, 1)


def test_one_pair_among_a_quarter_of_a_million_rows_is_found_first(check_verdict):
    rng = np.random.default_rng(6)
    X = rng.normal(size=(250_000, 3)).astype(np.float32)
    y = (X[:, 0] > 0).astype(np.int8)
    X[249_000], y[249_000] = X[1_234], 1 - y[1_234]
    verdict = check_verdict(X, y)
    assert verdict.support.tolist() == [1_234, 249_000]


# ---------------------------------------------------------------- shapes


@pytest.mark.parametrize("d", [2, 3, 5])
def test_a_full_lattice_cut_by_a_plane_through_its_points(check_verdict, naive, d):
    """Every point of {−1,0,1}^d; the points on the plane get both labels in turn, or one of them."""
    X = np.array(np.meshgrid(*[[-1.0, 0.0, 1.0]] * d)).reshape(d, -1).T
    score = X.sum(axis=1)
    one_side = (score > 0).astype(int)
    verdict = check_verdict(X, one_side, tolerance=0)
    assert verdict.separable
    square = Fraction(1, 4 * d)
    assert Fraction(verdict.margin[0]) ** 2 <= square <= Fraction(verdict.margin[1]) ** 2
    both = np.where(score == 0, np.arange(len(X)) % 2, one_side)
    verdict = check_verdict(X, both)
    assert verdict.kind in ("separable", "quasi-separable")
    through_origin = check_verdict(X, both, offset=False)
    assert through_origin.kind == "quasi-separable"  # the origin itself is a row
    naive.check_proof(through_origin.proof, X, both)
