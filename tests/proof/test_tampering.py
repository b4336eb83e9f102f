"""Altered proofs are refused, or prove nothing false."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest

from rosenblatt import separate, verify
from rosenblatt.errors import ProofRejected
from rosenblatt.numeric.row_batches import Batch, as_rows
from rosenblatt.proof.findings import Findings
from rosenblatt.proof.labelled_rows import RowsInMemory
from rosenblatt.proof.parts import Combination, Gordan, Overlap, QuasiSeparation, Separator
from rosenblatt.proof.proof import Proof


def part_of(proof, kind):
    return next(part for part in proof.parts if type(part) is kind)


def assert_refused(proof, X, y, reason=None):
    with pytest.raises(ProofRejected, match=reason) as caught:
        verify(proof, X, y)
    assert len(str(caught.value)) > 15, "a refusal gives its reason"


# ---------------------------------------------------------------- claims


@pytest.mark.parametrize("margin", [math.nan, math.inf, -math.inf, 0.0, -1.0, 3, "1.5", None, True])
@pytest.mark.parametrize("kind", [Separator, Combination])
def test_a_claim_that_is_another_number_or_none_is_rejected(case_of, with_parts, kind, margin):
    _, X, y, proof = case_of("separable")
    assert_refused(with_parts(proof, part_of(proof, kind)._replace(margin=margin)), X, y)


# ---------------------------------------------------------------- the mathematics of each part


def test_a_separator_with_a_row_on_its_hyperplane_or_behind_it_is_rejected(with_parts):
    X, y = [[0.0], [1.0], [3.0]], [0, 0, 1]
    proof = separate(X, y).proof
    assert verify(with_parts(proof, Separator((1.0,), -2.0, 1.0)), X, y).margin == (1.0, math.inf)
    assert_refused(with_parts(proof, Separator((1.0,), -1.0, 0.0)), X, y, "row 1 strictly")
    assert_refused(with_parts(proof, Separator((1.0,), -0.5, 0.0)), X, y, "row 1 strictly")
    assert_refused(with_parts(proof, Separator((-1.0,), 2.0, 1.0)), X, y, "strictly")
    assert_refused(with_parts(proof, Separator((0.0,), 0.0, 0.0)), X, y, "strictly")
    assert_refused(with_parts(proof, Separator((0.0,), 1.0, math.inf)), X, y, "strictly")


def test_a_row_on_the_wrong_side_by_the_smallest_possible_amount_refutes_a_proof(with_parts):
    """w·x + b is −2⁻¹⁰⁷⁴ in row 1, and floating point says 0 or worse."""
    X, y = [[-1.0, 0.0], [1e300, -5e-324], [1.0, 0.0]], [0, 1, 1]
    proof = separate(X, y).proof
    assert_refused(with_parts(proof, Separator((0.0, 1.0), 0.0, 0.0)), X, y, "row 1|row 0")
    X = [[1e300, -1e300, 5e-324], [1e300, -1e300, -5e-324]]
    proof = separate(X, [1, 0]).proof
    accepted = with_parts(proof, Separator((1.0, 1.0, 1.0), 0.0, 0.0))
    assert verify(accepted, X, [1, 0]).separable  # a margin below all doubles, which is 0 from below
    assert_refused(with_parts(proof, Separator((1.0, 1.0, -1.0), 0.0, 0.0)), X, [1, 0], "strictly")


@pytest.mark.parametrize(
    ("w", "b"),
    [((1.0, 2.0), 0.0), ((), 0.0), ((math.nan,), 0.0), ((math.inf,), 0.0), ((1.0,), math.nan), ((1,), 0.5),
     ((1.0,), -2), (("1",), 0.0), ((None,), 0.0), ((1.0,), None), ((1.0,), math.inf)],
)  # fmt: skip
def test_a_separator_of_wrong_length_or_of_no_numbers_is_rejected(with_parts, w, b):
    X, y = [[0.0], [4.0]], [0, 1]
    proof = separate(X, y).proof
    assert_refused(with_parts(proof, Separator(w, b, 1.0)), X, y)
    assert_refused(with_parts(proof, QuasiSeparation(w, b, 2)), X, y)


def test_an_offset_in_a_proof_without_offsets_is_rejected(with_parts):
    X, y = [[-1.0], [4.0]], [0, 1]
    proof = separate(X, y, offset=False).proof
    assert_refused(with_parts(proof, Separator((1.0,), -1.5, 2.5)), X, y, "offset")
    assert_refused(with_parts(proof, QuasiSeparation((1.0,), -1.5, 2)), X, y, "offset")


@pytest.mark.parametrize(
    ("rows", "weights", "reason"),
    [
        ((0, 1, 2), (1, 1), "weights"),
        ((), (), "at least one"),
        ((0, 0, 2), (1, 1, 2), "different"),
        ((-1, 0), (1, 1), "different ones of"),
        ((0, 3), (1, 1), "different ones of"),
        ((0, 10**30), (1, 1), "different ones of"),
        ((0, 1, 2), (1, 0, 1), "above 0"),
        ((0, 1, 2), (3, -1, 2), "above 0"),
        ((0, 2), (1.0, 1.0), "whole"),
        ((0, 2), (1, 2), "different sums"),
    ],
)  # fmt: skip
def test_weights_that_are_not_a_combination_are_rejected(with_parts, rows, weights, reason):
    X, y = [[0.0], [1.0], [3.0]], [0, 0, 1]
    proof = separate(X, y).proof
    assert verify(with_parts(proof, Combination((0, 2), (1, 1), 1.5)), X, y).margin == (0.0, 1.5)
    assert_refused(with_parts(proof, Combination(rows, weights, 1.5)), X, y, reason)


@pytest.mark.parametrize(
    ("rows", "weights", "reason"),
    [
        ((0, 1, 2), (1, 1, 2), None),
        ((0, 1, 2), (3, 3, 6), None),
        ((0, 1, 2), (1, 1, 1), "column 0"),
        ((0, 1, 2), (2, 1, 3), "column 0"),
        ((0, 1, 2), (1, 1), "weights"),
        ((0, 1, 2), (0, 0, 0), "above 0"),
        ((0, 1, 2), (-1, -1, -2), "above 0"),
        ((0, 1, 2, 2), (2, 2, 2, 2), "different"),
        ((0, 1, 7), (1, 1, 2), "different ones of"),
        ((0, 3), (1, 1), "different sums|column"),
        ((), (), "at least one"),
        ((0, 1, 2), (1.0, 1.0, 2.0), "whole"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", [Gordan, Overlap])
def test_weights_that_do_not_cancel_are_rejected(with_parts, kind, rows, weights, reason):
    X, y = [[0.0], [2.0], [1.0], [0.0]], [0, 0, 1, 0]
    proof = separate(X, y).proof
    more = {"columns": (0, 1), "relations": ()} if kind is Overlap else {}
    tampered = with_parts(proof, kind(rows=rows, weights=weights, **more))
    if reason is None:
        assert verify(tampered, X, y).separable is False
    else:
        assert_refused(tampered, X, y, reason)


def test_weights_that_cancel_the_points_but_not_the_offset_prove_nothing_with_an_offset(with_parts):
    X, y = [[1.0], [2.0]], [1, 0]  # 2·1 − 1·2 = 0, yet 1.5 separates them
    gordan = Gordan((0, 1), (2, 1))
    through_origin = dataclasses.replace(separate(X, y, offset=False).proof, parts=(gordan,))
    assert verify(through_origin, X, y).separable is False
    assert_refused(with_parts(separate(X, y).proof, gordan), X, y, "different sums")


def test_an_overlap_must_span_all_rows(with_parts):
    """Three rows cancel on a line; two more are off it, which makes it a quasi-separation."""
    X = [[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]
    y = [0, 0, 1, 1, 0]
    proof = separate(X, y).proof
    assert verify(proof, X, y).kind == "quasi-separable"
    rows, weights = (0, 1, 2), (1, 1, 2)
    for columns, relations, reason in (
        ((0, 1, 2), (), "full rank"),
        ((0, 2), (), "column 1"),
        ((0, 2), ({1: 1},), "column 1 does not"),
        ((0, 2), ({1: 0},), "explain one column"),
        ((0, 2), ({},), "explain one column"),
        ((0,), ({1: 1, 2: 1},), "explain one column"),
        ((0, 2), ({3: 1},), "explain one column"),
        ((0, 2), ({-1: 1},), "explain one column"),
        ((0, 0, 2), ({1: 1},), "each once"),
        ((0, 5), ({1: 1},), "columns of the data"),
        ((0, -1), ({1: 1},), "columns of the data"),
        ((), (), "column 0"),
    ):
        assert_refused(with_parts(proof, Overlap(rows, weights, columns, relations)), X, y, reason)


def test_a_relation_between_columns_must_hold_in_every_row(with_parts):
    X, y = np.array([[0.0, 0.0], [2.0, 4.0], [1.0, 2.0], [5.0, 10.0]]), [0, 0, 1, 1]
    proof = separate(X, y).proof
    part = part_of(proof, Overlap)
    good = Overlap(part.rows, part.weights, (0, 2), ({0: 2, 1: -1},))
    assert verify(with_parts(proof, good), X, y).kind == "overlapping"
    assert_refused(
        with_parts(proof, good._replace(relations=({0: 2, 1: -1, 2: 1},))), X, y, "not satisfy its relation"
    )
    assert_refused(
        with_parts(proof, good._replace(relations=({0: 3, 1: -1},))), X, y, "not satisfy its relation"
    )
    X = X.copy()
    X[3, 1] = math.nextafter(10.0, 11.0)  # the last row leaves the plane by one unit in the last place
    other = dataclasses.replace(proof, digest=separate(X, y).proof.digest)
    assert_refused(with_parts(other, good), X, y, "not satisfy its relation")


def test_the_offset_column_is_no_column_of_a_proof_without_offsets(with_parts):
    X, y = [[1.0], [1.0]], [0, 1]
    proof = separate(X, y, offset=False).proof
    part = part_of(proof, Overlap)
    assert part.columns == (0,)
    assert_refused(with_parts(proof, part._replace(columns=(1,), relations=({0: 1, 1: -1},))), X, y)
    assert_refused(
        with_parts(proof, part._replace(columns=(0,), relations=({1: 1},))), X, y, "explain one column"
    )


def test_a_direction_with_every_row_on_it_is_no_quasi_separation(with_parts):
    X, y = [[0.0, 1.0], [0.0, 1.0]], [0, 1]
    proof = separate(X, y).proof
    for w, b in (((0.0, 0.0), 0.0), ((1.0, 0.0), 0.0), ((0, 1), -1)):
        assert_refused(with_parts(proof, QuasiSeparation(w, b, 0)), X, y, "separates none")


# ---------------------------------------------------------------- every field of the file


MAY_STAY_TRUE = ("w", "b", "rows", "weights", "parts", "columns", "relations", "offset")
"""Changes of these can make another proof of the same; it must then be valid, and say nothing false."""


def test_no_change_of_any_field_makes_a_proof_stronger(case, naive, nested_json):
    """Changed in every place in several ways: refused with a reason, or still true, judged in fractions."""
    _, X, y, proof = case
    plain = json.loads(proof.to_json())
    truth = verify(proof, X, y)
    refusals = 0
    for path in nested_json.places(plain):
        for value in nested_json.changes(nested_json.at(plain, path)) if path else ():
            tampered = nested_json.replace_at(plain, path, value)
            if tampered == plain:
                continue
            try:
                facts = verify(tampered, X, y)
            except ProofRejected as error:
                refusals += len(str(error)) > 15
                continue
            assert any(key in MAY_STAY_TRUE for key in path), f"{path} → {value!r} was accepted"
            if facts.offset == truth.offset:
                assert facts.separable in (truth.separable, None)
                assert facts.margin[0] <= truth.margin[1]
                assert facts.margin[1] >= truth.margin[0]
                assert facts.kind in (truth.kind, "not separable", "undecided")
            naive.check_proof(Proof.from_json(json.dumps(tampered)), X, y)
    assert refusals > 40


def test_every_field_is_needed(case, nested_json):
    _, X, y, proof = case
    plain = json.loads(proof.to_json())
    for path in nested_json.places(plain):
        if path and isinstance(path[-1], str) and "relations" not in path[:-1]:
            assert_refused(nested_json.without(plain, path), X, y)


# ---------------------------------------------------------------- other data


def test_one_value_changed_by_one_unit_in_the_last_place_is_other_data(case):
    _, X, y, proof = case
    for place in np.ndindex(X.shape):
        for towards in (-np.inf, np.inf):
            other = X.copy()
            other[place] = np.nextafter(other[place], towards)
            assert_refused(proof, other, y, "about other data")


def test_one_label_flipped_is_other_data(case):
    _, X, y, proof = case
    for i in range(len(y)):
        other = y.copy()
        other[i] = 1 - other[i]
        assert_refused(proof, X, other)


def test_more_rows_or_columns_or_other_labels_are_other_data(case):
    _, X, y, proof = case
    assert_refused(proof, X[:-1], y[:-1], "rows of")
    assert_refused(proof, X[:, :-1], y, "features")
    assert_refused(proof, np.column_stack([X, np.zeros(len(X))]), y, "features")
    assert_refused(proof, X, np.where(y == 1, 2, y), "other labels")
    assert_refused(proof, X, y[:-1], "labels")
    assert_refused(proof, X[:, ::-1], y)


def test_a_forged_digest_does_not_make_a_false_proof_true(case_of):
    """The parts of a proof, put under the digest of other data, are checked on these."""
    _, X, y, proof = case_of("overlapping")
    other = X.copy()
    other[0, 0] = np.nextafter(other[0, 0], 0)
    labels = np.where(y == 1, 1, -1).astype(np.int8)
    rows = RowsInMemory(Batch(as_rows(other), labels, np.empty(0)), proof.classes)
    forged = dataclasses.replace(proof, digest=Findings(rows, True).overview.digest)
    assert_refused(forged, other, y, "cancel")


# ---------------------------------------------------------------- classes


def test_classes_swapped_or_renamed_are_refused(case):
    _, X, y, proof = case
    assert_refused(dataclasses.replace(proof, classes=proof.classes[::-1]), X, y, "about other data")
    assert_refused(dataclasses.replace(proof, classes=("no", "yes")), X, y, "other labels")
    assert_refused(dataclasses.replace(proof, classes=(0, 1, 2)), X, y, "classes")
    assert_refused(dataclasses.replace(proof, classes=()), X, y, "classes")


def test_a_second_class_that_no_row_has_is_refused():
    X, y = [[0.0], [3.0]], [1, 1]
    assert_refused(dataclasses.replace(separate(X, y).proof, classes=(7, 1)), X, y)
