"""Statistics of the answers: progressive error (total and over the last thousand) and drift alarms.

A prediction made before its label arrived is scored as it was made, however late the label arrives. For an
example that arrives with its label, the prediction made just before learning is counted.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput

WINDOW = 1000
MOST_POINTS = 400  # points of the curve; beyond that, every second one is dropped
MOST_ALARMS = 20
MINUTES = 60


@dataclass
class PageHinkley:
    """Use the Page–Hinkley test to detect an increase of the error rate.

    The test statistic is mₜ = Σ (xₛ − x̄ₛ − δ), where x̄ₛ is the mean of the stream up to s. An alarm is
    raised when mₜ − min m > λ, after at least `least` examples, and then the test restarts. δ (`delta`) is
    the increase of the mean that is tolerated. λ (`threshold`) is the number of mistakes beyond the
    expected number that raises an alarm; a larger value means later alarms but fewer false ones. Page 1954
    (Biometrika 41), Hinkley 1971 (Biometrika 58); this form follows Gama et al. 2013 (Machine Learning 90).

    >>> test = PageHinkley(threshold=20.0)
    >>> test.add(np.zeros(1000)), test.add(np.ones(100))
    ([], [20])
    """

    delta: float = 0.005
    threshold: float = 50.0
    least: int = 30
    count: int = 0
    total: float = 0.0
    level: float = 0.0
    lowest: float = 0.0

    def add(self, wrong: NDArray[Any]) -> list[int]:
        """Add answers (1 for a mistake, else 0); return the indices of answers that raised an alarm."""
        alarms: list[int] = []
        first = 0
        while first < len(wrong):
            some = np.asarray(wrong[first:], np.float64)
            counts = self.count + np.arange(1, len(some) + 1)
            totals = self.total + np.cumsum(some)
            steps = some - totals / counts - self.delta
            # a sequential sum from the current level gives the same bits as one example at a time
            levels = np.cumsum(np.concatenate([[self.level], steps]))[1:]
            lows = np.minimum(np.minimum.accumulate(levels), self.lowest)
            above = np.flatnonzero((levels - lows > self.threshold) & (counts >= self.least))
            if not above.size:
                self.count, self.total = int(counts[-1]), float(totals[-1])
                self.level, self.lowest = float(levels[-1]), float(lows[-1])
                break
            alarms.append(first + int(above[0]))
            first = alarms[-1] + 1
            self.count, self.total, self.level, self.lowest = 0, 0.0, 0.0, 0.0
        return alarms


@dataclass
class Statistics:
    """Counts since the start of the log."""

    examples: int = 0
    mistakes: int = 0
    window: list[int] = field(default_factory=list)  # the most recent answers: 1 for a mistake
    every: int = 1  # examples between two points of the curve
    curve: list[tuple[int, int]] = field(default_factory=list)  # examples and mistakes so far
    # the minute, and the examples, mistakes and updates in that minute
    minutes: list[list[float]] = field(default_factory=list)
    alarms: list[dict[str, Any]] = field(default_factory=list)
    drift: PageHinkley = field(default_factory=PageHinkley)

    def count(self, wrong: NDArray[Any], at: float, updates: int) -> None:
        """Count more examples; `wrong` marks mistakes, and `at` is the time of the commit."""
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
        """Whether the recent error is still above the long-run error recorded at the last alarm."""
        if not self.alarms:
            return False
        last, recent = self.alarms[-1], self.recent_error
        is_over = self.examples >= last["position"] + WINDOW
        return not (is_over and recent is not None and recent <= last["long_run"])

    def as_dict(self) -> dict[str, Any]:
        return {
            "examples": self.examples,
            "mistakes": self.mistakes,
            "error": self.error,
            "recent_error": self.recent_error,
            "window": WINDOW,
            "curve": self.curve,
            "minutes": self.minutes,
            "drift": {
                "test": "Page–Hinkley",
                "delta": self.drift.delta,
                "threshold": self.drift.threshold,
                "least": self.drift.least,
                "alarm": self.is_alarmed,
                "alarms": self.alarms,
            },
        }

    def as_text(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))

    @staticmethod
    def parse(text: str) -> Statistics:
        try:
            fields = json.loads(text)
            return Statistics(**{**fields, "drift": PageHinkley(**fields["drift"])})
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput(f"its statistics are damaged ({error})") from error
