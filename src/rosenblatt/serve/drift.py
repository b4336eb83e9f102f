"""When errors become more than they were: the test of Page and Hinkley on the stream of mistakes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass
class PageHinkley:
    """mₜ = Σ (xₛ − x̄ₛ − δ) over the stream, x̄ₛ the mean up to s; an alarm when mₜ − min m > λ.

    δ (delta): a rise of the mean that is of no account. λ (threshold): how many mistakes more than
    expected, in sum, raise the alarm; larger is slower and surer. least: examples that it waits for. After
    an alarm the test begins anew. Page 1954 (Biometrika 41), Hinkley 1971 (Biometrika 58); the form
    for rising means of Gama et al. 2013 (Machine Learning 90).

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

    name = "Page–Hinkley"

    @property
    def parameters(self) -> dict[str, float]:
        return {"delta": self.delta, "threshold": self.threshold, "least": self.least}

    def add(self, wrong: NDArray[Any]) -> list[int]:
        """Which of these examples raised an alarm. wrong: 1 for a mistake, 0 for none."""
        alarms: list[int] = []
        first = 0
        while first < len(wrong):
            some = np.asarray(wrong[first:], np.float64)
            counts = self.count + np.arange(1, len(some) + 1)
            totals = self.total + np.cumsum(some)
            steps = some - totals / counts - self.delta
            # one after the other, from where it stands: the sum is that of one at a time
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
