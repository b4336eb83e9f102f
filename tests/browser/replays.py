"""A replay on a page, as a person at it uses it, and runs to show there."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

NOTES = {"points": [[2, 1], [0, 2], [-0.5, -2]], "labels": [1, -1, 1], "offset": False, "tie": "negative"}

CYCLES = {
    "start": 3,
    "period": 3,
    "passes": 1,
    "updates": 2,
    "sentence": "the state after step 3 recurs every 3 steps (1 pass, 2 updates): this run never ends",
}

Opened = Callable[..., Any]


class Viewer:
    """The viewer on a page, as a person uses it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.root = page.locator(".replay")
        self.slider = page.get_by_role("slider", name="Step")
        self.caption = page.locator(".replay .caption")
        self.note = page.locator(".replay .stage > .note")
        self.point = page.get_by_role("spinbutton", name="Point")
        self.of_point = page.locator(".replay .chosen .note")
        page.wait_for_selector(".replay[data-step]")

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def goto(self, step: int) -> None:
        self.slider.fill(str(step))
        self.at(step)

    def at(self, step: int) -> None:
        """Wait until this step is drawn."""
        self.page.wait_for_selector(f".replay[data-step='{step}']")

    def until(self, condition: str) -> None:
        """Wait for a condition; the page's policy allows no eval, so it is asked from outside."""
        for _ in range(400):
            if self.page.evaluate(condition):
                return
            self.page.wait_for_timeout(25)
        raise AssertionError(f"this never came true: {condition}")

    @property
    def state(self) -> tuple[int, list[float], float]:
        given = self.root.evaluate("root => ({...root.dataset})")
        return int(given["step"]), json.loads(given["w"]), float(given["b"])

    def counter(self, name: str) -> str:
        box = self.page.locator(
            ".counters div", has=self.page.locator("dt", has_text=re.compile(f"^{re.escape(name)}$"))
        )
        return box.locator("dd").inner_text().replace("\n", " | ")


def cloud(n: int, *, noise: float = 0.0, seed: int = 0) -> dict[str, Any]:
    chance = random.Random(seed)
    points = [[chance.gauss(0, 2), chance.gauss(0, 2)] for _ in range(n)]
    labels = [1 if x + 0.6 * y + 0.7 + chance.gauss(0, noise) > 0 else -1 for x, y in points]
    return {"points": points, "labels": labels}
