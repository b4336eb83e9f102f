"""The report replays a run only if the repeated run ends in the bits of the model."""

from __future__ import annotations

import html
import re

import numpy as np
import pytest

from rosenblatt import read
from rosenblatt.reports import retracing
from rosenblatt.reports.facts import Facts
from rosenblatt.reports.report_page import POLICY, page
from rosenblatt.reports.retracing import replay_run
from rosenblatt.storage.checkpoints import record_of
from rosenblatt.training.settings import StreamSettings
from rosenblatt.training.streams.stream_run import StreamRun, shuffle_seed

RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 3)).round(2)
Y = np.where(X @ [1.0, -1.0, 0.5] > 0.05, "spam", "ham")


def finished_run(X=X, y=Y, seed=3, **settings):
    run = StreamRun(read([(X, y)]), StreamSettings(seed=shuffle_seed(seed), **settings))
    run.go()
    return run


def facts_of(run, replay):
    return Facts(record_of(run), "mails", 32, 0, 0.1, run.progressive, replay=replay)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"epochs": 4, "order": "shuffled"},
        {"epochs": 4, "order": "shuffled", "keep": "averaged"},
        {"epochs": 3, "rule": "passive_aggressive", "offset": False},
        {"epochs": 50, "until": "separated", "tie": "negative"},
    ],
)
def test_the_replay_ends_in_the_weights_of_the_model(settings):
    run = finished_run(**settings)
    shown = replay_run(run, 3)
    assert shown is not None
    d = shown.head["n_features"]
    assert np.append(shown.columns[-d:, -1], shown.columns[9, -1]).tolist() == run.state.current().tolist()
    assert shown.columns[5, -1] == run.state.mistakes
    assert shown.head["classes"] == ["ham", "spam"]


def test_a_run_that_was_not_this_one_is_not_shown():
    assert replay_run(finished_run(epochs=2, order="shuffled"), 4) is None


@pytest.mark.parametrize("limit", ["MOST_ROWS", "MOST_LOOKS", "MOST_FEATURES"])
def test_a_run_that_is_too_large_for_a_replay_is_not_shown(monkeypatch, limit):
    run = finished_run()
    assert replay_run(run, 3) is not None
    monkeypatch.setattr(retracing, limit, 2)
    assert replay_run(run, 3) is None


def test_the_page_allows_the_viewer_and_nothing_else():
    run = finished_run()
    text = page(facts_of(run, replay_run(run, 3)))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text).group(1)
    policy = html.unescape(policy)
    assert re.fullmatch(re.escape(POLICY) + r"; script-src 'sha256-[^']+'", policy)
    assert "Replay</h2>" in text


def test_more_than_two_classes_are_not_replayed():
    assert replay_run(finished_run(y=RNG.choice(["a", "b", "c"], len(X))), 3) is None
