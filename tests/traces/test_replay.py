"""Replay data: the numbers of the trace, and the proof."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import trace
from rosenblatt.errors import BadInput
from rosenblatt.traces.plane import plane_of
from rosenblatt.traces.replay_data import BEFORE_WEIGHTS, CHUNK, replay

SEPARABLE = np.array([[1.0, 2.0], [2.5, 1.0], [-1.0, 1.5], [0.5, -0.5]]), [1, 1, -1, -1]


def columns_of(shown):
    """The columns put together again from the chunks, as the viewer reads them."""
    head = shown.head
    n_columns = BEFORE_WEIGHTS + head["n_features"]
    parts = [np.frombuffer(chunk, "<f8").reshape(n_columns, -1) for chunk in shown.chunks()]
    return np.hstack(parts) if parts else np.empty((n_columns, 0))


@pytest.mark.parametrize("offset", [True, False])
def test_the_chunks_have_the_numbers_of_the_steps(offset):
    steps = trace(*SEPARABLE, offset=offset, epochs=20)
    columns = columns_of(replay(steps))
    for k, step in enumerate(steps):
        epoch, index, before, after, flags, mistakes, updates, norm2, _, b, taken, *w = columns[:, k]
        assert (epoch, index, before, after) == (
            step.epoch,
            step.index,
            step.agreement,
            step.agreement_after,
        )
        assert flags == step.mistake + 2 * step.updated
        assert mistakes == sum(s.mistake for s in steps[: k + 1])
        assert updates == sum(s.updated for s in steps[: k + 1])
        assert taken == sum(s.mistake and s.y < 0 for s in steps[: k + 1])
        assert (tuple(w), b) == (step.weights, step.offset)
        assert norm2 == pytest.approx(step.norm_squared)


def test_a_long_run_is_cut_into_chunks_that_join():
    steps = trace(*SEPARABLE, epochs=1200)
    shown = replay(steps)
    assert len(steps) == 4800 > 2 * CHUNK
    assert shown.n_chunks == 3
    assert columns_of(shown).shape == (13, 4800)
    assert columns_of(shown)[1].tolist() == [step.index for step in steps]


points = st.lists(
    st.tuples(st.integers(-8, 8), st.integers(-8, 8), st.sampled_from([-1, 1])), min_size=2, max_size=8
).filter(lambda rows: len({label for *_, label in rows}) == 2)


@given(points, st.booleans())
def test_both_claims_can_be_read_off_the_columns_of_every_run(rows, offset):
    X, y = np.array([row[:2] for row in rows], float), [row[2] for row in rows]
    steps = trace(X, y, offset=offset, until="separated", epochs=50)
    shown = replay(steps)
    proof = shown.head["proof"]
    if proof is None:
        assert "no bound" in shown.head["proof_note"]
        return
    columns = columns_of(shown)
    mistakes, norm2, progress = columns[5], columns[7], columns[8]
    slack = 1e-9 * max(1.0, proof["radius"] ** 2)
    assert (progress >= mistakes * proof["margin"] - slack * (1 + mistakes)).all()
    assert (norm2 <= mistakes * proof["radius"] ** 2 + slack * (1 + mistakes)).all()
    assert mistakes[-1] <= proof["bound"] * (1 + 1e-9)


def test_the_claims_are_made_of_the_rules_that_prove_them_and_of_weighted_rows():
    weights = [1.0, 2.0, 1.0, 1.0]
    assert replay(trace(*SEPARABLE)).head["claims_apply"]
    assert not replay(trace(*SEPARABLE, rule="passive_aggressive")).head["claims_apply"]
    assert "not hold for 'romma'" in replay(trace(*SEPARABLE, rule="romma")).head["proof_note"]
    shown = replay(trace(*SEPARABLE, rule="margin", sample_weight=weights))
    assert shown.head["claims_apply"]
    assert "where c is the weight of the row" in shown.head["proof_note"]
    assert shown.head["proof"]["growth_name"] == "(R² + 2τ)"


# ---------------------------------------------------------------- wide and tiny points


def test_a_trace_too_wide_for_a_page_is_refused_with_a_limit():
    points = np.random.default_rng(0).normal(size=(20, 200_000))
    with pytest.raises(BadInput, match=r"too much for a page; limit them with max_steps=5"):
        replay(trace(points, [1, -1] * 10, epochs=1))


@pytest.mark.parametrize("size", [1e-300, 1e-170, 1e-10, 1e150])
def test_points_of_any_size_have_their_proof(size):
    shown = replay(trace(SEPARABLE[0][[0, 3]] * size, [1, -1], offset=False, epochs=5))
    assert np.hypot(*shown.head["proof"]["weights"]) == pytest.approx(1.0)


# ---------------------------------------------------------------- the plane


def plane_coordinates(plane, points):
    return (points - np.array(plane["origin"])) @ np.array(plane["axes"]).T


def test_a_constant_feature_moves_the_line_and_nothing_else():
    points = np.array([[1.0, 1.0, 2.0], [1.0, 2.0, 1.0]])
    w = np.array([-0.5, -1.0, 1.0])
    plane = plane_of(points, w)
    origin, axes = np.array(plane["origin"]), np.array(plane["axes"])
    assert plane["exact"]
    line = [*(axes @ w), w @ origin]
    for point, (s, t) in zip(points, plane_coordinates(plane, points), strict=True):
        assert line[0] * s + line[1] * t + line[2] == w @ point


@given(st.integers(3, 6), st.integers(0, 10))
def test_a_view_of_more_features_keeps_the_last_line_where_it_is(n_features, seed):
    rng = np.random.default_rng(seed)
    points, w = rng.normal(size=(12, n_features)), rng.normal(size=n_features)
    plane = plane_of(points, w)
    axes = np.array(plane["axes"])
    assert not plane["exact"]
    assert axes @ axes.T == pytest.approx(np.eye(2), abs=1e-9)
    scores = plane_coordinates(plane, points) @ (axes @ w) + w @ np.array(plane["origin"])
    assert scores == pytest.approx(points @ w)
