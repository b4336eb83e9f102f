"""Draw the picture of the README, a replay in chromium.

``python examples/picture_of_replay.py docs/pictures/replay.png``
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

from rosenblatt import Trace, trace

MISTAKE = 2  # the third mistake is shown


def run() -> Trace:
    """Return the run on the first random points that makes four to six mistakes in at most 100 steps."""
    for seed in range(200):
        X = np.random.default_rng(seed).normal(size=(24, 2)) * 1.6
        scores = X @ [1.0, 0.7] + 0.4
        away = abs(scores) > 0.9
        steps = trace(X[away].round(2), np.where(scores[away] > 0, 1, -1), epochs=None, until="separated")
        if 4 <= steps.mistakes <= 6 and len(steps) < 100:
            return steps
    raise AssertionError("no such run")


def main(path: str) -> None:
    steps = run()
    shown = [number for number, step in enumerate(steps) if step.mistake][MISTAKE]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "run.html"
        steps.to_html(str(page_file), title="Replay of a run")
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1100, "height": 720})
        page.goto(page_file.as_uri())
        page.locator("input[type=range]").first.focus()
        for _ in range(shown + 1):
            page.keyboard.press("ArrowRight")
        page.evaluate("document.activeElement.blur()")
        page.wait_for_timeout(500)
        page.screenshot(path=path)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1])
