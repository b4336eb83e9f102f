"""The replay in a real browser: every control, every number, by pointer, by keys and on a phone.

The runs come from a perceptron of ten lines (tests/traces/viewer/naive_replay.py), so what the page
shows is compared with numbers that neither the viewer nor the package has computed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.replays import NOTES, Viewer, cloud

# ---------------------------------------------------------------- steps


def test_every_step_shows_the_weights_of_the_naive_run(naive: Any, show_run: Callable[..., Viewer]) -> None:
    run = {**cloud(12, noise=1.0), "passes": 4}
    viewer = show_run({**run, "chunk": 7})
    for number, look in enumerate(naive.looks(run["points"], run["labels"], 4, True, "mistake"), start=1):
        viewer.press("One step forward")
        viewer.at(number)
        assert viewer.state == (number, look["w"], look["b"])
        mistake = re.search(r"a mistake|correct", viewer.caption.inner_text())
        assert mistake is not None
        assert (mistake[0] == "a mistake") == look["mistake"]


def test_each_step_of_the_notes_is_described_by_a_sentence(show_run: Callable[..., Viewer]) -> None:
    viewer = show_run({**NOTES, "passes": 2})
    said = [viewer.caption.inner_text()]
    for step in range(1, 7):
        viewer.press("One step forward")
        viewer.at(step)
        said.append(viewer.caption.inner_text())
    idle = "correct, nothing changes."
    assert said == [
        "Start: w = (0, 0). No step has been made yet.",
        "Step 1 of 6, pass 1: point 1 of 3 (+) at (2, 1) has functional margin 0: a tie, which counts as a "
        "mistake. w becomes (2, 1); functional margin now 5.",
        "Step 2 of 6, pass 1: point 2 of 3 (−) at (0, 2) has functional margin −2: a mistake. "
        "w becomes (2, −1); functional margin now 2.",
        f"Step 3 of 6, pass 1: point 3 of 3 (+) at (−0.5, −2) has functional margin 1: {idle}",
        f"Step 4 of 6, pass 2: point 1 of 3 (+) at (2, 1) has functional margin 3: {idle}",
        f"Step 5 of 6, pass 2: point 2 of 3 (−) at (0, 2) has functional margin 2: {idle}",
        f"Step 6 of 6, pass 2: point 3 of 3 (+) at (−0.5, −2) has functional margin 1: {idle} "
        "End of the run: 6 steps, 2 mistakes.",
    ]


def test_the_counters_show_the_proof(show_run: Callable[..., Viewer]) -> None:
    viewer = show_run({**NOTES, "passes": 2, "star": (1.2, -1, 0)})
    viewer.goto(2)
    assert viewer.counter("step") == "2 | of 6"
    assert viewer.counter("mistakes m") == "2 | at most 6.2245"
    assert viewer.counter("false positives") == "1 | 1 false negative"
    assert viewer.counter("‖w‖²") == "5 | at most 2 · R² = 10"
    assert viewer.counter("w·w*") == "2.1766 | at least 2 · γ = 1.7925"
    letters = "R = 2.2361 is the length of the longest point, γ = 0.89626 is the margin of w*."
    assert letters in viewer.page.locator(".notes").inner_text()
    assert viewer.counter("functional margin") == "−2 → 2 | increased by 4 = ‖x‖²"


@pytest.mark.parametrize("size", [1e-300, 1e-9, 1e9, 1e200, 1.7e308])
def test_points_of_any_size_are_drawn(size: float, show_run: Callable[..., Viewer]) -> None:
    run = {
        "points": [[size, size / 2], [-size / 2, size / 4]],
        "labels": [1, -1],
        "passes": 1,
        "offset": False,
    }
    viewer = show_run(run)
    viewer.press("Last step")
    viewer.at(2)
    assert viewer.state[1][0] != 0


# ---------------------------------------------------------------- going far


def test_the_slider_goes_to_any_step_and_back(naive: Any, show_run: Callable[..., Viewer]) -> None:
    run = {**cloud(30, noise=1.5), "passes": 10}
    viewer = show_run({**run, "chunk": 16})
    looks = naive.looks(run["points"], run["labels"], 10, True, "mistake")
    for step in (300, 17, 16, 33, 1, 299):
        viewer.goto(step)
        assert viewer.state == (step, looks[step - 1]["w"], looks[step - 1]["b"])
    viewer.goto(0)
    assert viewer.state == (0, [0, 0], 0)


def test_next_and_previous_mistake_visit_each_of_them_once(
    naive: Any, show_run: Callable[..., Viewer]
) -> None:
    run = {**cloud(60), "passes": 12}
    looks = naive.looks(run["points"], run["labels"], 12, True, "mistake")
    mistakes = [number for number, look in enumerate(looks, start=1) if look["mistake"]]
    viewer = show_run({**run, "chunk": 50})
    for step in [*mistakes, 720]:
        viewer.press("Next mistake")
        viewer.at(step)
    for step in [*reversed(mistakes), 0]:
        viewer.press("Previous mistake")
        viewer.at(step)


# ---------------------------------------------------------------- keys


def test_keys_alone_do_everything(show_run: Callable[..., Viewer]) -> None:
    viewer = show_run({**cloud(40), "passes": 5})
    keyboard = viewer.page.keyboard
    keyboard.press("Tab")
    assert viewer.page.evaluate("document.activeElement.className") == "rosenblatt replay"
    outline = viewer.root.evaluate("root => getComputedStyle(root).outlineStyle")
    assert outline == "solid", "the focus can be seen"
    for key, step in [
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", 200),
        ("Home", 0),
        ("PageDown", 1),
    ]:
        keyboard.press(key)
        viewer.at(step)
    keyboard.press("PageUp")
    viewer.at(0)
    speed = viewer.page.get_by_label("Speed")
    for key, steps in [("+", "5"), ("+", "10"), ("-", "5"), ("+", "10"), ("+", "30"), ("+", "100")]:
        keyboard.press(key)
        assert speed.input_value() == steps
    keyboard.press("Space")
    viewer.until("Number(document.querySelector('.replay').dataset.step) > 5")
    keyboard.press("Space")
    viewer.page.get_by_role("button", name="Play", exact=True).wait_for()
