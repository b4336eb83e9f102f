"""Time limits are kept within a second, and interrupted searches return what they have proved."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from rosenblatt import separate, verify
from rosenblatt.proof.clock import Clock
from tests.patience import HANGS


@pytest.fixture(scope="module")
def coin_flips():
    """Labels at random: a long search that ends with a large support."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(3000, 300)), rng.integers(0, 2, 3000)


def consistent(verdict, X, y):
    facts = verify(verdict.proof.to_json(), X, y)
    assert (facts.separable, facts.kind, facts.margin) == (verdict.separable, verdict.kind, verdict.margin)
    assert verdict.margin[0] <= verdict.margin[1]
    assert (verdict.hyperplane is not None) == (verdict.separable is True)
    if verdict.ended != "proved":
        assert "ended early" in str(verdict)
    return facts


@pytest.mark.parametrize("limit", [0, 0.05, 0.3, 0.8, 1.5])
def test_a_time_limit_is_kept_within_a_second(coin_flips, limit):
    X, y = coin_flips
    began = time.thread_time()
    verdict = separate(X, y, time_limit=limit)
    assert time.thread_time() - began < limit + 1.0
    if verdict.ended == "proved":  # on a fast machine
        assert (verdict.kind, limit > 0.3) == ("overlapping", True)
    else:
        assert verdict.ended == "time"
    consistent(verdict, X, y)


def nearly_flat(gap):
    """Two classes on either side of a plane, `gap` from it, in a hundred dimensions: long work."""
    rng = np.random.default_rng(1)
    X, w = rng.normal(size=(500, 100)), rng.normal(size=100)
    y = rng.integers(0, 2, 500)
    X -= np.outer(X @ w, w) / (w @ w)
    return X + gap * np.outer(2 * y - 1, w), y


def test_a_time_limit_is_kept_in_whole_numbers():
    X, y = nearly_flat(0.0)
    began = time.thread_time()
    verdict = separate(X, y, time_limit=1)
    assert time.thread_time() - began < 4.0
    consistent(verdict, X, y)


def test_what_was_proved_before_the_time_is_over_is_returned():
    """The margin is asked for exactly, which takes long; that it is separable is known at once."""
    X, y = nearly_flat(1e-4)
    verdict = separate(X, y, tolerance=0, time_limit=1)
    assert (verdict.separable, verdict.ended) == (True, "time")
    facts = consistent(verdict, X, y)
    assert 0 < facts.margin[0] <= facts.margin[1] <= 1.01 * facts.margin[0]


PROBLEMS = {
    "separable": lambda X, rng: (X @ rng.normal(size=X.shape[1]) > 0).astype(int),
    "overlapping": lambda X, rng: rng.integers(0, 2, len(X)),
}


@pytest.mark.parametrize("kind", PROBLEMS)
def test_an_interruption_at_any_step_loses_nothing(monkeypatch, kind):
    """Ctrl-C after each number of steps: consistent, and never less than one step before."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 10))
    y = PROBLEMS[kind](X, rng)
    plain_tick, endings, decided = Clock.tick, set(), False
    for steps in range(1, 400):

        def tick(self, message, steps=steps):
            plain_tick(self, message)
            if self.steps == steps:
                raise KeyboardInterrupt

        monkeypatch.setattr(Clock, "tick", tick)
        verdict = separate(X, y, tolerance=0)
        consistent(verdict, X, y)
        endings.add((verdict.ended, verdict.kind))
        assert verdict.kind in (kind, "not separable", "undecided")
        assert not (decided and verdict.separable is None), "what was decided one step before is lost"
        decided = verdict.separable is not None
        if verdict.ended == "proved":
            break
        assert verdict.ended == "interrupted"
        assert "interrupted" in str(verdict)
    assert ("proved", kind) in endings
    assert any(ended == "interrupted" for ended, _ in endings)


@pytest.mark.parametrize("offset", [True, False])
def test_the_rows_of_an_undecided_verdict_prove_its_limit_and_do_not_determine_a_margin(
    monkeypatch, offset
):
    X, y = nearly_flat(0.0)
    plain_tick = Clock.tick

    def tick(self, message):
        plain_tick(self, message)
        if self.steps == 130:
            raise KeyboardInterrupt

    monkeypatch.setattr(Clock, "tick", tick)
    verdict = separate(X, y, offset=offset)
    assert (verdict.separable, verdict.ended) == (None, "interrupted")
    place = "" if offset else " through the origin"
    assert f"If a hyperplane{place} separates them, its margin is at most" in str(verdict)
    assert f"\n{len(verdict.support)} rows prove this limit: " in str(verdict)
    assert "the margin" not in str(verdict)


def test_an_interruption_while_the_kind_is_sought_leaves_the_refutation(monkeypatch):
    X, y = [[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [3.0, 2.0]], [0, 0, 1, 1, 0, 1]
    from rosenblatt.proof import faces

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(faces, "in_floats", interrupt)
    verdict = separate(X, y)
    assert (verdict.separable, verdict.kind, verdict.ended) == (False, "not separable", "interrupted")
    assert verdict.quasi_separable is None
    consistent(verdict, X, y)


@pytest.mark.usefixtures("interruptible")
def test_a_real_ctrl_c_ends_the_search_with_what_is_proved():
    program = """
import numpy as np
from rosenblatt import separate, verify
from rosenblatt.proof.clock import Clock

plain_tick = Clock.tick

def tick(self, message):
    if self.steps == 102:
        print("that they are separable is known; the margin is not", flush=True)
    plain_tick(self, message)

Clock.tick = tick
rng = np.random.default_rng(1)
X, w = rng.normal(size=(500, 100)), rng.normal(size=100)
y = rng.integers(0, 2, 500)
X += np.outer(1e-4 * (2 * y - 1) - X @ w / (w @ w), w)
verdict = separate(X, y, tolerance=0)
print(verdict.ended, verdict.separable, verify(verdict.proof, X, y).separable, flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline().startswith("that they are separable is known")
            child.send_signal(signal.SIGINT)
            out, _ = child.communicate(timeout=HANGS)
        finally:
            child.kill()
    assert out.split() == ["interrupted", "True", "True"]
    assert child.returncode == 0


def test_columns_that_no_row_uses_cost_next_to_nothing():
    """Thirty columns are used, three thousand are there: words of a dictionary that no text has."""
    from scipy.sparse import csr_array

    rng = np.random.default_rng(5)
    columns = np.array([np.sort(rng.permutation(30)[:10]) * 100 for _ in range(300)])
    entries = rng.integers(1, 4, columns.shape).astype(float)
    X = csr_array((entries.ravel(), columns.ravel(), np.arange(0, 3001, 10)), shape=(300, 3000))
    y = rng.integers(0, 2, 300)
    began = time.thread_time()
    verdict = separate(X, y, time_limit=2)
    assert time.thread_time() - began < 3.0
    began = time.thread_time()
    consistent(verdict, X, y)
    assert time.thread_time() - began < 3.0
    assert verdict.kind == "overlapping"
