"""What a service knows of its answers: the progressive error, of all and of the last thousand, and alarms.

An answer that was given before its label was revealed counts as it was given, however late the label comes;
an example that came with its label counts as the learner answered it on the way.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.serve.drift import PageHinkley

WINDOW = 1000
MOST_POINTS = 400  # of the curve; then every second one is left out
MOST_ALARMS = 20
MINUTES = 60


@dataclass
class Statistics:
    """Counts since the log began, in the order of the log."""

    examples: int = 0
    mistakes: int = 0
    window: list[int] = field(default_factory=list)  # the last answers: 1 for a mistake
    every: int = 1  # examples between two points of the curve
    curve: list[tuple[int, int]] = field(default_factory=list)  # examples and mistakes so far
    minutes: list[list[float]] = field(
        default_factory=list
    )  # the minute, examples, mistakes, updates in it
    alarms: list[dict[str, Any]] = field(default_factory=list)
    drift: PageHinkley = field(default_factory=PageHinkley)

    def count(self, wrong: NDArray[Any], at: float, updates: int) -> None:
        """Some examples more."""
        wrong = np.asarray(wrong, np.uint8)
        self._extend_curve(wrong)
        for place in self.drift.add(wrong):
            self._alarm(wrong, place, at)
        self.examples += len(wrong)
        self.mistakes += int(wrong.sum())
        self.window = (self.window + wrong[-WINDOW:].tolist())[-WINDOW:]
        minute = at // 60
        if not self.minutes or self.minutes[-1][0] != minute:
            self.minutes = [*self.minutes[-MINUTES + 1 :], [minute, 0, 0, 0]]
        for place, more in enumerate((len(wrong), int(wrong.sum()), updates), 1):
            self.minutes[-1][place] += more

    def _extend_curve(self, wrong: NDArray[np.uint8]) -> None:
        first = self.every - self.examples % self.every
        so_far = None
        for place in range(first, len(wrong) + 1, self.every):
            if so_far is None:
                so_far = self.mistakes + np.cumsum(wrong, dtype=np.int64)
            self.curve.append((self.examples + place, int(so_far[place - 1])))
        while len(self.curve) > MOST_POINTS:
            self.every *= 2
            self.curve = [point for point in self.curve if point[0] % self.every == 0]

    def _alarm(self, wrong: NDArray[np.uint8], place: int, at: float) -> None:
        recent = (self.window + wrong[: place + 1].tolist())[-WINDOW:]
        seen = self.examples + place + 1
        found = {
            "position": seen,
            "at": at,
            "recent": sum(recent) / len(recent),
            "long_run": (self.mistakes + int(wrong[: place + 1].sum())) / seen,
        }
        self.alarms = [*self.alarms, found][-MOST_ALARMS:]

    @property
    def error(self) -> float | None:
        return self.mistakes / self.examples if self.examples else None

    @property
    def recent_error(self) -> float | None:
        return sum(self.window) / len(self.window) if self.window else None

    @property
    def is_alarmed(self) -> bool:
        """From an alarm on, until the last thousand are no worse than all were when it was raised."""
        if not self.alarms:
            return False
        last, recent = self.alarms[-1], self.recent_error
        is_over = self.examples >= last["position"] + WINDOW
        return not (is_over and recent is not None and recent <= last["long_run"])

    def shown(self) -> dict[str, Any]:
        return {
            "examples": self.examples,
            "mistakes": self.mistakes,
            "error": self.error,
            "recent_error": self.recent_error,
            "window": WINDOW,
            "curve": self.curve,
            "minutes": self.minutes,
            "drift": {
                "test": self.drift.name, **self.drift.parameters, "alarm": self.is_alarmed,
                "alarms": self.alarms,
            },
        }  # fmt: skip

    def as_text(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))

    @staticmethod
    def of(text: str) -> Statistics:
        told = json.loads(text)
        return Statistics(**{**told, "drift": PageHinkley(**told["drift"])})
