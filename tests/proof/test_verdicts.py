"""The fields of a verdict, its report, and the rows and labels that `separate` accepts."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csc_array, csr_array, csr_matrix
from threadpoolctl import threadpool_info, threadpool_limits

from rosenblatt import separate, verify
from rosenblatt.proof import separation
from rosenblatt.proof.verdict import at_least, at_most, interval
from tests.patience import HANGS


def test_a_separable_verdict_has_all_its_fields(check_verdict, naive):
    X, y = [[0.0, 0.0], [4.0, 3.0], [5.0, 9.0]], ["no", "yes", "yes"]
    verdict = check_verdict(X, y)
    assert verdict.separable is True
    assert verdict.kind == "separable"
    assert verdict.margin == (2.5, 2.5)
    assert Fraction(verdict.radius) ** 2 >= 106 > Fraction(math.nextafter(verdict.radius, 0)) ** 2
    w, b = verdict.hyperplane
    assert min(naive.agreements(X, y, w.tolist(), b)) > 0
    assert verdict.support.tolist() == [0, 1]
    assert type(verdict.mistake_bound) is int
    assert verdict.quasi_separable is False
    assert (verdict.direction, verdict.separated.tolist(), verdict.ended) == (None, [], "proved")


def test_a_quasi_separable_verdict_shows_the_direction_and_who_is_off_its_hyperplane(check_verdict, naive):
    X, y = [[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, -1.0]], [0, 0, 1, 1, 0]
    verdict = check_verdict(X, y)
    assert (verdict.separable, verdict.kind, verdict.margin) == (False, "quasi-separable", (0.0, 0.0))
    assert verdict.quasi_separable is True
    assert verdict.separated.tolist() == [3, 4]
    w, b = verdict.direction
    agreements = naive.agreements(X, y, w.tolist(), b)
    assert [a > 0 for a in agreements] == [False, False, False, True, True]
    assert min(agreements) == 0
    assert verdict.support.tolist() == [0, 1, 2]


def test_an_undecided_verdict_claims_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 5)), rng.integers(0, 2, 50)
    verdict = separate(X, y, time_limit=0)
    assert (verdict.separable, verdict.kind, verdict.ended) == (None, "undecided", "time")
    assert (verdict.hyperplane, verdict.mistake_bound, verdict.quasi_separable) == (None, None, None)
    assert verdict.margin[0] == 0.0
    assert verify(verdict.proof, X, y).separable is None
    assert "not decided" in str(verdict)


@pytest.mark.parametrize("label", ["only", 1, 0, -1, True])
def test_a_single_class_with_offset_has_no_largest_margin(check_verdict, label):
    verdict = check_verdict([[1.0, 2.0], [3.0, 4.0], [-5.0, 0.0]], [label] * 3)
    assert (verdict.separable, verdict.margin) == (True, (math.inf, math.inf))
    w, b = verdict.hyperplane
    assert not w.any()
    assert b > 0
    assert "no limit" in str(verdict)


def test_a_single_class_without_offset_has_the_distance_of_its_hull_from_the_origin(check_verdict):
    verdict = check_verdict([[3.0, 0.0], [0.0, 4.0]], ["only", "only"], offset=False, tolerance=0)
    assert verdict.separable
    assert Fraction(verdict.margin[0]) <= Fraction(12, 5) <= Fraction(verdict.margin[1])
    around = check_verdict([[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]], [1, 1, 1], offset=False)
    assert around.kind == "overlapping"
    beside = check_verdict([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]], [1, 1, 1], offset=False)
    assert (beside.kind, beside.separated.tolist()) == ("quasi-separable", [2])


# ---------------------------------------------------------------- what it says


def test_a_separable_verdict_reads_like_a_report():
    text = str(separate([[0.0, 0.0], [4.0, 3.0]], ["cat", "dog"]))
    assert text.splitlines()[0] == (
        "The classes 'cat' and 'dog' can be separated by a hyperplane (2 rows of 2 features)."
    )
    assert "The largest margin is 2.5 (proved)." in text
    assert "2 rows determine the margin: 0, 1." in text
    assert "The farthest point is 5 from the origin." in text
    assert "mistakes, in any order of the points." in text
    assert "no finite estimate" in text


def test_a_bound_of_five_thousand_digits_can_be_printed():
    """A chain of eight rows, each a factor of 10^300 off the next."""
    d = 8
    X = np.zeros((d, d))
    X[np.arange(d - 1), np.arange(d - 1)] = -1e150
    X[np.arange(d - 1), np.arange(1, d)] = 1e-150
    X[d - 1, 0] = 1e-150
    verdict = separate(X, np.ones(d), offset=False, time_limit=HANGS)
    assert verdict.separable
    assert verdict.mistake_bound > 10**4300
    assert "at most" in str(verdict)
    assert repr(verdict)


# ---------------------------------------------------------------- what it takes


def forms_of(X):
    yield "float64", X.astype(np.float64)
    yield "float32", X.astype(np.float32)
    yield "fortran", np.asfortranarray(X.astype(np.float64))
    yield "strided", np.repeat(X.astype(np.float64), 2, axis=1)[:, ::2]
    yield "int", X.astype(np.int64)
    yield "int8", X.astype(np.int8)
    yield "lists", X.tolist()
    for index in (np.int32, np.int64):
        for number in (np.float32, np.float64):
            sparse = csr_array(X.astype(number))
            sparse.indices, sparse.indptr = sparse.indices.astype(index), sparse.indptr.astype(index)
            yield f"csr {index.__name__} {number.__name__}", sparse
    yield "csr matrix", csr_matrix(X.astype(float))
    yield "csc", csc_array(X.astype(float))
    stored_zeros = csr_array(np.ones(X.shape))
    stored_zeros.data[:] = X.ravel()
    yield "csr with zeros that are stored", stored_zeros
    twice = csr_array(
        (np.repeat(X.ravel() / 2, 2), np.tile(np.repeat(np.arange(X.shape[1]), 2), len(X)),
         np.arange(len(X) + 1) * 2 * X.shape[1]), shape=X.shape,
    )  # fmt: skip
    yield "csr with entries in two halves", twice


def test_every_form_of_the_same_numbers_has_the_same_verdict_and_the_same_digest():
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, (30, 5)).astype(float)
    for y in ((X @ [1, 2, 3, 4, 5] > 0.5).astype(int), rng.integers(0, 2, 30)):
        reference = separate(X, y)
        for name, form in forms_of(X):
            verdict = separate(form, y)
            assert (verdict.kind, verdict.proof.digest) == (reference.kind, reference.proof.digest), name
            assert verify(reference.proof, form, y).kind == reference.kind, name
            assert verify(verdict.proof, X, y).margin == verdict.margin, name


@pytest.mark.parametrize(
    "y",
    [[0, 1], [False, True], [-1, 1], [2.0, 7.0], ["a", "ü"], ["b", "a"], np.array([3, 9], np.uint8),
     np.array(["x", "yy"], object), [-(10**18), 10**18]],
)  # fmt: skip
def test_labels_of_any_kind_survive_the_file(y):
    X = [[1.0], [2.0]]
    proof = separate(X, y).proof
    assert verify(proof.to_json(), X, y).margin == (0.5, 0.5)


@pytest.mark.parametrize("offset", [True, False])
def test_equal_rows_with_different_labels_are_called_so(offset):
    X, y = [[1.0, 2.0], [0.0, 1.0], [1.0, 2.0], [4.0, 1.0]], [0, 0, 1, 1]
    verdict = separate(X, y, offset=offset)
    assert verdict.contradiction == (0, 2) == verify(verdict, X, y).contradiction
    message = "Rows 0 and 2 are equal and have different labels, so no classifier can separate them."
    assert f"{message} Rows are counted from 0." in str(verdict)
    assert message in verify(verdict, X, y).in_words()


def test_two_rows_that_cancel_and_are_not_equal_are_not_called_so():
    for X, y in [([[1.0, 2.0], [-1.0, -2.0]], [1, 1]), ([[1.0, 2.0], [2.0, 4.0]], [0, 1])]:
        verdict = separate(X, y, offset=False)
        assert (verdict.separable, verdict.support.tolist()) == (False, [0, 1])
        assert verdict.contradiction is None is verify(verdict, X, y).contradiction
        assert "2 rows have a positive combination of y·x that is zero, so no" in str(verdict)


def test_a_search_multiplies_on_one_thread_so_that_its_proof_equals_that_of_any_machine(monkeypatch):
    during, search = set(), separation.search_rows

    def watch(*arguments):
        during.update(blas_threads())
        search(*arguments)

    monkeypatch.setattr(separation, "search_rows", watch)
    with threadpool_limits(2, "blas"):
        separate([[0.0], [1.0]], [0, 1])
        assert during <= {1}
        assert blas_threads() <= {2}


def blas_threads():
    """Return the numbers of threads of numpy's BLAS, which multiplies; scipy may have loaded its own."""
    return {
        each["num_threads"]
        for each in threadpool_info()
        if each["user_api"] == "blas" and "numpy" in each["filepath"]
    }


@given(st.floats(1e-300, 1e300), st.floats(1.0, 2.0))
def test_a_proved_end_in_six_digits_is_still_proved(low, ratio):
    printed = re.match(r"between (\S+) and (\S+) \(proved\)", interval(low, low * ratio))
    if printed:
        assert float(printed[1]) <= low
        assert float(printed[2]) >= low * ratio
    assert float(at_least(low)) <= low <= float(at_most(low))
