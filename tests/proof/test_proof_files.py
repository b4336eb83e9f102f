"""Proof files are self-contained, exact and deterministic."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from rosenblatt import verify
from rosenblatt.numeric.row_batches import as_rows
from rosenblatt.proof.digests import digest_of
from rosenblatt.proof.proof import Proof

LABELS = np.array([1, -1, 1], np.int8)


def test_a_proof_comes_back_from_its_file_as_it_was(case, tmp_path):
    case.proof.save(tmp_path / "proof.json")
    assert Proof.load(tmp_path / "proof.json") == case.proof
    assert Proof.from_json(case.proof.to_json()) == case.proof
    assert Proof.from_json(case.proof.to_json().encode()) == case.proof


def test_a_proof_is_checked_from_a_path_a_string_a_dictionary_and_itself(case, tmp_path):
    path = tmp_path / "proof.json"
    case.proof.save(path)
    text = case.proof.to_json()
    kinds = {
        verify(form, case.X, case.y).kind for form in (case.proof, path, str(path), text, json.loads(text))
    }
    assert kinds == {case.kind.split(" ")[0]}


def test_a_proof_is_plain_json_without_rounded_numbers(case):
    plain = json.loads(case.proof.to_json(), parse_float=lambda text: pytest.fail(f"a decimal: {text}"))
    assert plain["format"] == "rosenblatt-proof"
    assert plain["version"] == 2
    assert (plain["n_rows"], plain["n_features"]) == case.X.shape
    for part in plain["parts"]:
        for weight in part.get("weights", ()):
            assert int(weight, 16) > 0


single = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(single, single), min_size=3, max_size=3))
def test_the_digest_depends_on_numbers_and_not_on_their_layout(values):
    X = np.array(values, np.float32)
    digest = digest_of(as_rows(X), LABELS)
    for form in (
        X.astype(np.float64),
        np.asfortranarray(X),
        csr_array(X),
        csr_array(X.astype(np.float64)),
        X + 0.0,
    ):
        assert digest_of(as_rows(form), LABELS) == digest
    wide = csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert digest_of(as_rows(wide), LABELS) == digest


def test_the_digest_distinguishes_moved_numbers():
    """The same numbers in other places, other shapes, other labels: all digests differ."""
    one = np.array([1], np.int8)
    forms = [
        (np.array([[1.0, 2.0], [0.0, 0.0], [3.0, 0.0]]), LABELS),
        (np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]), LABELS),
        (np.array([[0.0, 1.0], [2.0, 0.0], [3.0, 0.0]]), LABELS),
        (np.array([[0.0, 0.0], [1.0, 2.0], [3.0, 0.0]]), LABELS),
        (np.array([[1.0, 2.0], [0.0, 0.0], [0.0, 3.0]]), LABELS),
        (np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 0.0], [3.0, 0.0, 0.0]]), LABELS),
        (np.array([[1.0, 2.0], [0.0, 0.0], [-3.0, 0.0]]), LABELS),
        (np.array([[1.0, 2.0], [0.0, 0.0], [3.0, 0.0]]), -LABELS),
        (np.array([[1.0, 2.0, 0.0, 0.0, 3.0, 0.0]]), one),
    ]
    assert len({digest_of(as_rows(X), labels) for X, labels in forms}) == len(forms)
