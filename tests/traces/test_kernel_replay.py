"""Replay data of a run with a kernel: steps, proof and boundary curve."""

from __future__ import annotations

import base64
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosenblatt import kernels, mistake_bound, trace
from rosenblatt.errors import BadInput
from rosenblatt.numeric.row_batches import as_rows
from rosenblatt.traces import kernel_replay
from rosenblatt.traces.replay_data import replay
from rosenblatt.traces.viewer.viewer_page import replay_page

XOR, LABELS = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]), [-1, 1, 1, -1]
SQUARE = kernels.Polynomial(2, 1.0, 0.0)
UNTIL = {"epochs": None, "until": "separated"}


def unpack(text, kind="<f8"):
    return np.frombuffer(base64.b64decode(text), kind)


def moons(n=30, seed=0):
    rng = np.random.default_rng(seed)
    angle, side = rng.uniform(0, np.pi, n), rng.choice([-1.0, 1.0], n)
    X = np.column_stack([side * (np.cos(angle) - 0.5), side * np.sin(angle)]) + rng.normal(0, 0.1, (n, 2))
    return X, side.astype(int)


@pytest.mark.parametrize("offset", [False, True])
def test_the_columns_have_the_numbers_of_the_steps(offset):
    X, y = moons()
    steps = trace(X, y, kernel="gaussian", gamma=2.0, offset=offset, epochs=3)
    columns = replay(steps).columns
    support = steps.support.tolist()
    for k, step in enumerate(steps):
        epoch, index, before, after, flags, mistakes, updates, norm2, _, b, taken, *given_ = columns[:, k]
        assert (epoch, index, before, after) == (
            step.epoch,
            step.index,
            step.agreement,
            step.agreement_after,
        )
        assert (flags, norm2, b) == (step.mistake + 2 * step.updated, step.norm_squared, 0.0)
        assert mistakes == sum(s.mistake for s in steps[: k + 1])
        assert updates == sum(s.updated for s in steps[: k + 1])
        assert taken == sum(s.false_positive for s in steps[: k + 1])
        rows, sums = steps.sum_after(k + 1)
        assert {support[j]: c for j, c in enumerate(given_) if c} == dict(
            zip(rows.tolist(), sums, strict=True)
        )


def test_the_points_can_be_judged_at_every_step():
    X, y = moons()
    steps = trace(X, y, kernel="laplacian", gamma=1.5, offset=True, epochs=2)
    shown = replay(steps)
    values = unpack(shown.head["kernel"]["values"]).reshape(len(y), -1)
    for k in range(0, len(steps), 7):
        assert values @ shown.columns[11:, k] == pytest.approx(steps.scores(X, after=k + 1), abs=1e-12)
    assert shown.head["kernel"]["squares"] == [2.0] * len(y)


def test_the_grid_has_the_score_of_its_nodes_up_to_a_factor():
    X, y = moons()
    steps = trace(X, y, kernel="polynomial", degree=3, gamma=0.7, **UNTIL)
    shown = replay(steps)
    grid = shown.head["kernel"]["grid"]
    across = np.linspace(*grid["x"], grid["columns"])
    down = np.linspace(*grid["y"][::-1], grid["rows"])
    nodes = np.array([[s, t] for t in down for s in across])
    fields = unpack(grid["values"], "<f4").reshape(len(steps.support), -1).astype(float)
    for k in (1, len(steps) // 2, len(steps) - 1):
        found, true = shown.columns[11:, k] @ fields, steps.scores(nodes, after=k + 1)
        factor = (true @ found) / (found @ found)
        assert factor > 0
        assert found * factor == pytest.approx(true, abs=1e-4 * np.abs(true).max())
    star = unpack(grid["star"], "<f4")
    widest = steps.widest()
    exact = steps.products(as_rows(nodes), widest.rows) @ widest.coefficients
    assert star == pytest.approx(exact / np.abs(exact).max(), abs=1e-5)


def test_the_proof_equals_that_of_the_margin_in_feature_space():
    X, y = moons(seed=3)
    steps = trace(X, y, kernel="gaussian", gamma=3.0, **UNTIL)
    shown = replay(steps)
    proof, columns = shown.head["proof"], shown.columns
    low, high = mistake_bound(X, y, kernel="gaussian", gamma=3.0, tolerance=1e-6).bound
    assert low * (1 - 1e-6) <= proof["bound"] <= high * (1 + 1e-6)
    mistakes, norm2, progress = columns[5], columns[7], columns[8]
    assert (progress >= mistakes * proof["margin"] - 1e-9).all()
    assert (norm2 <= mistakes * proof["radius"] ** 2 + 1e-9).all()
    assert (progress <= np.sqrt(norm2) + 1e-9).all()
    assert "The largest margin through the origin in feature space is" in shown.head["proof_note"]


def test_if_no_line_separates_or_the_kernel_is_no_inner_product_there_is_no_proof():
    bits = (XOR + 1) / 2
    shown = replay(trace(bits, LABELS, kernel=SQUARE, **UNTIL)).head
    assert (shown["proof"], shown["overview"]["progress"]) == (None, None)
    assert "Proved: no hyperplane through the origin separates these points" in shown["proof_note"]
    assert "this run never ends" in shown["cycle"]["sentence"]
    odd = replay(trace(XOR, LABELS, kernel=lambda X, Z: -(X @ Z.T) - 5.0, epochs=2)).head
    assert odd["proof"] is None
    assert "not positive semi-definite" in odd["proof_note"]


# ---------------------------------------------------------------- what is too much


def test_a_run_that_is_too_long_for_a_page_is_refused_with_the_limit_that_helps(monkeypatch):
    monkeypatch.setattr(kernel_replay, "MOST_NUMBERS", 250)
    X, y = moons()
    with pytest.raises(
        BadInput, match=r"replay: 300 steps with .* limit them with max_steps=(\d+)"
    ) as refusal:
        replay(trace(X, y, kernel="gaussian"))
    most = int(re.search(r"max_steps=(\d+)", str(refusal.value))[1])
    assert most > 0
    replay(trace(X, y, kernel="gaussian", max_steps=most))
    with pytest.raises(BadInput, match="too much for a page"):
        replay(trace(X, y, kernel="gaussian", max_steps=most + 1))


points = st.lists(
    st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.sampled_from([-1, 1])), min_size=2, max_size=8
).filter(lambda rows: len({label for *_, label in rows}) == 2)


@given(points, st.sampled_from(["linear", "polynomial", "gaussian", "laplacian"]), st.booleans())
def test_every_small_run_becomes_a_page(rows, kernel, offset):
    X, y = np.array([row[:2] for row in rows], float), [row[2] for row in rows]
    shown = replay(trace(X, y, kernel=kernel, offset=offset, until="separated", epochs=20))
    assert replay_page(shown.head, shown.chunks()).startswith("<!DOCTYPE html>")


def test_anything_but_a_run_is_refused():
    with pytest.raises(BadInput, match=r"trace: expected what rosenblatt\.trace returns"):
        replay([1, 2])


def test_more_than_two_features_are_seen_from_the_side_without_a_curve():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 4))
    shown = replay(trace(X, np.sign(X[:, 0] * X[:, 1]).astype(int), kernel="gaussian")).head
    assert shown["kernel"]["grid"] is None
    assert "A view of 4 features" in shown["plane"]["note"]
    assert "no curve is drawn" in shown["plane"]["note"]
    axes = np.array(shown["plane"]["axes"])
    assert axes @ axes.T == pytest.approx(np.eye(2))


def test_many_support_rows_have_a_coarser_grid_and_then_none(monkeypatch):
    X, y = moons(40)
    steps = trace(X, y, kernel="gaussian", gamma=50.0, epochs=1)
    fine = replay(steps).head["kernel"]["grid"]
    monkeypatch.setattr(kernel_replay, "MOST_NODES", 2 * 30**2 * len(steps.support))
    coarse = replay(steps).head["kernel"]["grid"]
    assert (fine["rows"], coarse["rows"]) == (kernel_replay.FINEST, 30)
    monkeypatch.setattr(kernel_replay, "MOST_NODES", 1000)
    shown = replay(steps).head["kernel"]
    assert shown["grid"] is None
    assert shown["note"] == (
        f"w is a sum over {len(steps.support)} points; the curve would be too large for a page."
    )


def test_a_kernel_that_is_not_defined_between_the_points_has_no_curve():
    def roots(X, Z):
        with np.errstate(invalid="ignore"):
            return np.sqrt(X) @ np.sqrt(Z).T

    shown = replay(trace([[0.0, 1.0], [1.0, 0.0]], [1, -1], kernel=roots)).head["kernel"]
    assert shown["grid"] is None
    assert "No curve is drawn: kernel: K is nan for one pair of rows" in shown["note"]
