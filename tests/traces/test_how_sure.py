"""Traces of rules with a covariance record Σ of two weights, and replays draw it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from rosenblatt import Trace, rules, trace
from rosenblatt.traces.replay_data import BEFORE_WEIGHTS, replay

X = np.array([[2.0, 1.0], [0.5, 2.0], [-1.0, 0.5], [1.0, -2.0], [-0.5, -1.0]])
Y = np.array([1, 1, -1, 1, -1])


@pytest.fixture(scope="module", params=["diagonal", "full"])
def steps(request):
    return trace(X, Y, rule=rules.Arow(0.5, request.param), epochs=2)


def test_the_recorded_covariance_follows_its_formula(steps):
    form, sigma = steps.settings["rule_parameters"]["covariance"], np.eye(3)
    for step in steps:
        x = np.array([*step.x, 1.0])
        if step.updated:
            along = sigma @ x
            sigma = sigma - np.outer(along, along) / (x @ along + 0.5)
            sigma = sigma if form == "full" else np.diag(np.diag(sigma))
        np.testing.assert_allclose(step.covariance, sigma[[0, 0, 1], [0, 1, 1]], rtol=1e-12, atol=1e-15)


def test_a_file_stores_it_and_a_run_without_it_does_not_mention_it(steps, tmp_path):
    path = tmp_path / "steps.jsonl"
    steps.to_jsonl(path)
    assert Trace.from_jsonl(path) == steps
    trace(X, Y).to_jsonl(path)
    head, *lines = map(json.loads, path.read_text("utf-8").splitlines())
    assert not any("covariance" in line for line in lines)
    assert "start_covariance" not in head["settings"]


def test_a_replay_has_its_three_numbers_after_the_weights(steps):
    shown = replay(steps)
    assert shown.head["covariance"] == [1.0, 0.0, 1.0]
    np.testing.assert_array_equal(
        shown.columns[BEFORE_WEIGHTS + 2 :].T, [step.covariance for step in steps]
    )
    plain = replay(trace(X, Y))
    assert plain.head["covariance"] is None
    assert len(plain.columns) == BEFORE_WEIGHTS + 2


def test_more_than_two_weights_have_no_ellipse():
    run = trace(np.column_stack([X, X[:, 0]]), Y, rule="arow")
    assert all(step.covariance == () for step in run)
    assert replay(run).head["covariance"] is None
