"""`separate(..., continue_from=verdict)` continues a search that its time limit ended."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.sparse import csr_array

from rosenblatt import overlap, read, separate, verify
from rosenblatt.errors import BadInput
from rosenblatt.proof.clock import Clock, TimeIsUp, TooLarge


@pytest.fixture
def with_steps(monkeypatch):
    """`separate`, ended by its time limit after some steps; also the number of steps that it made."""
    tick = Clock.tick

    def run(X, y, steps=10**9, **parameters):
        made = []

        def limited(self, message):
            made.append(message)
            if len(made) > steps:
                raise TimeIsUp
            tick(self, message)

        monkeypatch.setattr(Clock, "tick", limited)
        verdict = separate(X, y, **parameters)
        monkeypatch.setattr(Clock, "tick", tick)
        return verdict, len(made)

    return run


def rows(kind, n=300, d=8):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(n, d))
    y = (X[:, 0] > 0).astype(int)
    if kind == "separable":
        X[:, 0] += 0.05 * np.sign(X[:, 0])
    else:
        y[:3] = 1 - y[:3]
    return X, y


@pytest.mark.parametrize("kind", ["separable", "overlapping"])
@pytest.mark.parametrize("layout", [np.array, csr_array])
def test_two_limited_runs_reach_the_verdict_of_one_unlimited_run(with_steps, kind, layout):
    X, y = rows(kind)
    X = layout(np.column_stack([X, np.zeros(len(X))]))
    whole, steps = with_steps(X, y)
    first, _ = with_steps(X, y, steps // 2)
    assert first.ended == "time"
    assert first.kind == "undecided"
    assert verify(first.proof, X, y).margin == first.margin
    second, more = with_steps(X, y, continue_from=first)
    assert more <= steps - steps // 4, "the steps of the first run are not repeated"
    assert (second.kind, second.separable) == (whole.kind, whole.separable) == (kind, kind == "separable")
    assert second.margin[0] <= whole.margin[1]
    assert whole.margin[0] <= second.margin[1]
    facts = verify(second.proof.to_json(), X, y)
    assert (facts.kind, facts.margin) == (second.kind, second.margin)


def test_a_finished_verdict_is_returned_without_a_search(with_steps):
    for kind in ("separable", "overlapping"):
        X, y = rows(kind)
        first, _ = with_steps(X, y)
        again, steps = with_steps(X, y, continue_from=first)
        assert steps == 0
        assert (again.kind, again.margin, again.proof) == (first.kind, first.margin, first.proof)


def test_a_smaller_tolerance_narrows_the_margin(with_steps):
    X, y = rows("separable")
    wide = separate(X, y, tolerance=0.3)
    narrow = separate(X, y, tolerance=1e-3, continue_from=wide)
    assert narrow.margin[1] - narrow.margin[0] <= 1e-3 * narrow.margin[1]


def test_only_the_kind_is_searched_for_if_inseparability_is_proved(monkeypatch):
    X, y = rows("overlapping")

    def refuse(*args):
        raise TooLarge

    with monkeypatch.context() as patch:
        patch.setattr("rosenblatt.proof.faces.overlap_or_not", refuse)
        first = separate(X, y)
    assert (first.kind, first.ended) == ("not separable", "size")
    monkeypatch.setattr("rosenblatt.proof.proof_search.search_margin", refuse)
    assert separate(X, y, continue_from=first).kind == "overlapping"


def test_a_search_in_a_source_continues():
    X, y = rows("separable")
    source = read([(X, y)])
    first = separate(source, tolerance=0.5)
    second = separate(read([(X, y)]), continue_from=first)
    assert verify(second.proof, X, y).margin == second.margin
    assert second.margin[1] <= first.margin[1]


def test_a_verdict_about_other_data_or_another_question_is_refused():
    X, y = rows("separable")
    verdict = separate(X, y)
    for other, labels in ((X + 1.0, y), (X, 1 - y), (X[:-1], y[:-1]), (X, np.where(y, "a", "b"))):
        with pytest.raises(BadInput, match="continue_from: the proof is about"):
            separate(other, labels, continue_from=verdict)
    with pytest.raises(BadInput, match="offset"):
        separate(X, y, offset=False, continue_from=verdict)
    with pytest.raises(BadInput, match="continue_from"):
        separate(X, y, continue_from=3)
    with pytest.raises(FileNotFoundError):
        separate(X, y, continue_from="no_such_proof.json")
    part = verdict.proof.parts[0]
    forged = dataclasses.replace(verdict.proof, parts=(part._replace(margin=2 * part.margin),))
    with pytest.raises(BadInput, match="is claimed"):
        separate(X, y, continue_from=dataclasses.replace(verdict, proof=forged))


def quasi_separable_rows():
    """Overlapping rows, and three rows that a column of their own separates from them."""
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(60, 3)).round(2), rng.integers(0, 2, 60)
    X[:, 2] = 0.0
    X[:3, 2], y[:3] = (1.0, 2.0, 3.0), 1
    return X, y


def test_a_quasi_separation_is_proved_to_separate_as_many_rows_as_possible():
    X, y = quasi_separable_rows()
    verdict = separate(X, y)
    assert (verdict.kind, verdict.separated.tolist(), verdict.most_separated) == (
        "quasi-separable",
        [0, 1, 2],
        3,
    )
    assert "No such hyperplane has more points off it (proved)." in str(verdict)
    facts = verify(verdict, X, y)
    assert facts.maximal
    assert "no such hyperplane has more rows off it" in facts.in_words()


def test_a_quasi_separation_without_time_has_an_upper_bound_and_becomes_maximal(monkeypatch):
    X, y = quasi_separable_rows()

    def refuse(*args):
        raise TimeIsUp

    with monkeypatch.context() as patch:
        patch.setattr("rosenblatt.proof.faces.maximality", refuse)
        first = separate(X, y)
    assert (first.kind, first.ended) == ("quasi-separable", "time")
    assert 3 < first.most_separated == 60 - len(first.support)
    assert f"at most {first.most_separated} (proved)" in str(first)
    assert not verify(first, X, y).maximal
    second = separate(X, y, continue_from=first)
    assert (second.most_separated, second.ended) == (3, "proved")
    assert verify(second, X, y).maximal
    monkeypatch.setattr("rosenblatt.proof.faces.overlap_or_not", refuse)
    assert separate(X, y, continue_from=second).proof == second.proof


@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize("in_integers", [True, False])
def test_separate_and_overlap_separate_the_same_rows(offset, in_integers, monkeypatch):
    if in_integers:
        monkeypatch.setattr("rosenblatt.proof.faces.in_floats", lambda *given: None)
    rng, kinds = np.random.default_rng(2), set()
    for _ in range(40):
        n, d = int(rng.integers(4, 12)), int(rng.integers(1, 4))
        X, y = rng.integers(-2, 3, (n, d)).astype(float), rng.integers(0, 2, n)
        verdict, found = separate(X, y, offset), overlap(X, y, offset)
        kinds.add(verdict.kind)
        assert verdict.kind == found.kind
        if verdict.kind == "quasi-separable":
            assert verdict.separated.tolist() == found.rows.tolist()
            assert verdict.most_separated == found.most_rows == len(found.rows)
            assert verify(verdict, X, y).maximal
    assert "quasi-separable" in kinds
