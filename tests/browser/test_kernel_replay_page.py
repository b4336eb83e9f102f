"""The replay of a run with a kernel in a real browser: the curve, the support, the numbers of each step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rosenblatt import kernels, trace
from rosenblatt.traces.replay_data import replay
from tests.browser.replays import Viewer

XOR, LABELS = [[-1, -1], [-1, 1], [1, -1], [1, 1]], [-1, 1, 1, -1]
SQUARE = kernels.Polynomial(2, 1.0, 0.0)
UNTIL = {"epochs": None, "until": "separated"}


@pytest.fixture
def show_run(alone: Callable[..., Any]) -> Callable[..., Viewer]:
    """show_run(trace, how to open): the viewer of a run with a kernel, which can be asked for its plane."""

    def show(steps: Any, **how: Any) -> Viewer:
        made = replay(steps)
        return Viewer(alone(made.head, made.chunks(), **how))

    return show


def test_the_two_mistakes_of_xor_can_be_watched(show_run: Callable[..., Viewer]) -> None:
    viewer = show_run(trace(XOR, LABELS, kernel=SQUARE, **UNTIL))
    assert "Start: w = 0" in viewer.caption.inner_text()
    assert viewer.note.inner_text() == "w = 0: every point is a tie"
    viewer.goto(1)
    assert "Its coefficient becomes −1; w is a sum over 1 point" in viewer.caption.inner_text()
    assert viewer.counter("functional margin") == "0 → 4 | increased by 4 = K(x, x)"
    assert (
        viewer.note.inner_text()
        == "the score has one sign in the whole picture · 2 of 4 points misclassified"
    )
    viewer.goto(2)
    assert viewer.state[1] == [-1, 1]
    assert viewer.counter("support") == "2 | of 4 points"
    assert viewer.counter("mistakes m") == "2 | at most 2"
    assert viewer.counter("‖w‖²") == "8 | at most 2 · R² = 8"
    assert viewer.note.inner_text() == "all points correct, with margin 1.4142 in feature space"


def test_every_step_has_the_coefficients_and_the_wrong_points_of_the_trace(
    show_run: Callable[..., Viewer],
) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(14, 2)).round(2)
    y = np.where(X[:, 0] * X[:, 1] > 0, 1, -1)
    steps = trace(X, y, kernel="gaussian", gamma=0.8, offset=True, epochs=3)
    viewer = show_run(steps)
    for step in range(1, len(steps) + 1, 5):
        viewer.goto(step)
        rows, sums = steps.sum_after(step)
        found = dict.fromkeys(steps.support.tolist(), 0.0) | dict(zip(rows.tolist(), sums, strict=True))
        assert viewer.state[1] == list(found.values())
        wrong = int((y * steps.scores(X, after=step) <= 0).sum())
        note = viewer.note.inner_text()
        assert f"{wrong} of 14 points misclassified" in note if wrong else "all points correct" in note


def test_the_page_has_no_barriers_and_fits_a_phone(
    show_run: Callable[..., Viewer], serious: Callable[..., Any]
) -> None:
    steps = trace(XOR, LABELS, kernel="gaussian", gamma=0.5, **UNTIL)
    for how in ({}, {"dark": True}, {"width": 360, "height": 700}):
        viewer = show_run(steps, **how)
        viewer.goto(3)
        assert serious(viewer.page) == []
        width = viewer.page.viewport_size["width"]
        assert viewer.page.evaluate("document.documentElement.scrollWidth") <= width
