"""`separate(..., continue_from=verdict)` continues a search that its time limit ended."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.sparse import csr_array

from rosenblatt import read, separate, verify
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
        separate(X, y, continue_from="proof.json")
    part = verdict.proof.parts[0]
    forged = dataclasses.replace(verdict.proof, parts=(part._replace(margin=2 * part.margin),))
    with pytest.raises(BadInput, match="is claimed"):
        separate(X, y, continue_from=dataclasses.replace(verdict, proof=forged))
