"""`rows_to_remove`: the rest is separable, and the lower bound is proved."""

from __future__ import annotations

import dataclasses
import itertools
import json

import numpy as np
import pytest
from scipy.sparse import csr_array

from rosenblatt import rows_to_remove, separate, verify
from rosenblatt.errors import BadInput, ProofRejected
from rosenblatt.proof import removal_search
from rosenblatt.proof.duplicates import opposite_pairs
from rosenblatt.proof.findings import label_in_memory
from rosenblatt.proof.parts import Gordan, RestSeparator


def planted(n, d, k, seed=0):
    """Separable Gaussian rows with k wrong labels, and the rows that have them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = (X @ rng.normal(size=d) > 0.2).astype(int)
    wrong = rng.permutation(n)[:k]
    y[wrong] = 1 - y[wrong]
    return X, y, set(wrong.tolist())


def check(X, y, **parameters):
    """The result, after its proof and its rows are checked."""
    found = rows_to_remove(X, y, **parameters)
    facts = verify(found.proof.to_json(), X, y)
    assert facts.errors == (found.least, len(found.rows))
    rest = np.setdiff1d(np.arange(len(y)), found.rows)
    labels = np.asarray(y)[rest]
    offset = parameters.get("offset", True)
    assert separate(X[rest], labels, offset=offset).separable or len(set(labels.tolist())) == 1
    for conflict in found.conflicts:
        assert separate(X[conflict], np.asarray(y)[conflict], offset=offset).separable is False
    assert len(np.concatenate([*found.conflicts, []])) == len({*itertools.chain(*found.conflicts)})
    return found


def fewest(X, y, offset):
    """The smallest number of rows whose removal makes the rows separable, by trying all subsets."""
    for k in range(len(y)):
        for removed in itertools.combinations(range(len(y)), k):
            rest = np.setdiff1d(np.arange(len(y)), removed)
            if separate(X[rest], y[rest], offset=offset).separable:
                return k
    return len(y)


def test_the_interval_contains_the_smallest_number_found_by_trying_all_subsets():
    exact = 0
    for k in range(30):
        rng = np.random.default_rng([3, k])
        X, y = rng.integers(-2, 3, (7, 2)).astype(float), rng.integers(0, 2, 7)
        if len(set(y.tolist())) < 2:
            continue
        found = check(X, y, offset=bool(k % 3))
        truth = fewest(X, y, bool(k % 3))
        assert found.least <= truth <= len(found.rows)
        exact += len(found.rows) == truth
    assert exact >= 25


@pytest.mark.parametrize(("n", "d", "k"), [(300, 2, 8), (400, 5, 12)])
def test_planted_label_errors_are_the_rows_to_remove(n, d, k):
    X, y, wrong = planted(n, d, k)
    found = check(X, y)
    assert set(found.rows.tolist()) <= wrong
    assert found.least >= k - 2
    assert np.array_equal(check(csr_array(X), y).rows, found.rows)


def test_every_removed_row_is_needed():
    X, y, _ = planted(120, 3, 30, seed=2)
    found = check(X, y)
    for row in found.rows:
        rest = np.setdiff1d(np.arange(len(y)), np.setdiff1d(found.rows, row))
        assert separate(X[rest], y[rest]).separable is False


def test_separable_rows_need_no_removal():
    found = check(np.array([[0.0], [3.0]]), ["a", "b"])
    assert found.exact
    assert str(found) == "A hyperplane separates the classes (proved); no row must be removed."
    assert check(np.array([[1.0], [3.0]]), [1, 1]).exact


def test_equal_rows_with_different_labels_are_paired_once_each():
    X = np.array([[1.0], [1.0], [1.0], [2.0], [1.0], [1.0], [5.0]])
    y = np.array([0, 1, 0, 0, 1, 0, 1])
    assert list(opposite_pairs(label_in_memory(X, y).batch)) == [(0, 1), (2, 4)]
    found = check(X, y)
    assert found.exact
    assert len(found.contradictions) == 2
    assert "Rows 0 and 1 are equal and have different labels" in str(found)


def test_wild_scales_and_rows_of_one_column_are_handled():
    X = np.array([[1e300, -1e300, 5e-324], [1e300, -1e300, -5e-324], [0.1, 1 / 3, -0.0]])
    assert check(X, [1, 0, 1]).exact
    X, y, _ = planted(60, 2, 3)
    assert len(check(X * [1e-200, 1e200], y).rows) == len(check(X, y).rows)


def test_without_an_offset_a_row_at_the_origin_must_go():
    found = check(np.array([[0.0, 0.0], [1.0, 2.0], [-1.0, 1.0]]), [0, 1, 0], offset=False)
    assert found.rows.tolist() == [0]
    assert found.exact
    assert "A hyperplane through the origin separates the data without 1 of the rows" in str(found)


def test_a_time_limit_leaves_a_proved_interval():
    X, y, _ = planted(3000, 30, 300)
    found = check(X, y, time_limit=0.0)
    assert found.ended == "time"
    assert 0 < len(found.rows) <= min(y.sum(), len(y) - y.sum())
    assert "The search ended early, because the time limit" in str(found)
    longer = check(X, y, time_limit=3.0)
    assert len(longer.rows) < len(found.rows)


def test_without_an_offset_no_time_means_that_all_rows_may_have_to_go():
    X, y, _ = planted(30, 2, 5)
    found = rows_to_remove(X, y, time_limit=0.0, offset=False)
    assert (found.least, len(found.rows)) == verify(found.proof, X, y).errors == (0, 30)


def test_one_conflict_is_proved_before_the_other_searches(monkeypatch):
    monkeypatch.setattr(removal_search.RemovalSearch, "_collect_conflicts", lambda self, clock: None)
    X, y, _ = planted(80, 2, 5)
    assert check(X, y).least == 1


def test_an_interruption_leaves_a_proved_interval(monkeypatch):
    def interrupt(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(removal_search, "low_error_planes", interrupt)
    X, y, _ = planted(50, 2, 5)
    found = check(X, y)
    assert (found.ended, found.least) == ("interrupted", 1)


def test_bad_input_is_refused():
    with pytest.raises(BadInput, match="3 classes"):
        rows_to_remove([[1.0], [2.0], [3.0]], [0, 1, 2])
    with pytest.raises(BadInput, match="offset"):
        rows_to_remove([[1.0], [2.0]], [0, 1], offset="no")
    with pytest.raises(BadInput, match="time_limit"):
        rows_to_remove([[1.0], [2.0]], [0, 1], time_limit=-1)


# ---------------------------------------------------------------- claims that a proof does not support


@pytest.fixture
def proof():
    return rows_to_remove(*planted(60, 2, 4)[:2]).proof


def refused(proof, parts, match):
    X, y, _ = planted(60, 2, 4)
    with pytest.raises(ProofRejected, match=match):
        verify(dataclasses.replace(proof, parts=tuple(parts)), X, y)


def test_a_removed_row_cannot_be_left_out_or_invented(proof):
    *_, rest = proof.parts
    assert isinstance(rest, RestSeparator)
    refused(proof, [rest._replace(rows=rest.rows[1:])], f"row {rest.rows[0]} is not removed")
    refused(proof, [rest._replace(rows=(*rest.rows, 60))], "different ones of 0…59")
    refused(proof, [rest._replace(rows=(*rest.rows, rest.rows[0]))], "different ones")
    refused(proof, [rest._replace(b=rest.b + 100.0)], "not removed and not strictly on its side")


def test_a_remaining_row_on_the_hyperplane_is_refused():
    X, y = [[1.0], [2.0], [3.0], [1.0]], [0, 1, 1, 1]
    part = RestSeparator((3,), (2.0,), -3.0)
    proof = dataclasses.replace(rows_to_remove(X, y).proof, parts=(part,))
    assert verify(proof, X, y).errors == (0, 1)
    with pytest.raises(ProofRejected, match="row 0 is not removed and not strictly on its side"):
        verify(dataclasses.replace(proof, parts=(part._replace(w=(1.0,), b=-1.0),)), X, y)


def test_conflicts_with_a_common_row_count_once(proof):
    X, y, _ = planted(60, 2, 4)
    conflicts = [part for part in proof.parts if isinstance(part, Gordan)]
    twice = dataclasses.replace(proof, parts=(*conflicts, *conflicts))
    facts = verify(twice, X, y)
    assert facts.errors == (len(conflicts), None)
    assert f"At least {len(conflicts)} rows must be removed" in str(facts)
    assert f"misclassifies at least {len(conflicts)} of these rows" in facts.in_words()


def test_a_proof_about_removed_rows_needs_all_rows_in_memory(proof):
    from rosenblatt import read

    X, y, _ = planted(60, 2, 4)
    with pytest.raises(ProofRejected, match="needs all rows in memory"):
        verify(proof, read([(X, y)]))


def test_the_parts_survive_json(proof):
    kinds = [part["kind"] for part in json.loads(proof.to_json())["parts"]]
    assert kinds == ["gordan"] * (len(kinds) - 1) + ["rest-separator"]
    assert type(proof).from_json(proof.to_json()) == proof
