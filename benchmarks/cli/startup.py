"""What a user waits for before anything is learned: imports, and a second process."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from benchmarks.timing import Figure, show

REPEATS = 7
LEARNER = """
import numpy as np
from rosenblatt import Learner
generator = np.random.default_rng(0)
learner = Learner()
for x in generator.standard_normal((1000, 35)):
    learner.learn(x, 1 if x[0] > 0 else -1)
"""
FIT = """
import numpy as np
from rosenblatt import Perceptron
generator = np.random.default_rng(0)
X = generator.standard_normal((200, 5))
Perceptron().fit(X, X[:, 0] > 0)
"""
PEER_FIT = """
import numpy as np
from sklearn.linear_model import Perceptron
generator = np.random.default_rng(0)
X = generator.standard_normal((200, 5))
Perceptron().fit(X, X[:, 0] > 0)
"""


def wall(*programs: str) -> list[float]:
    """Median wall time of each program in a process of its own, taken in turn."""
    times: list[list[float]] = [[] for _ in programs]
    for turn in range(REPEATS + 1):
        for program, taken in zip(programs, times, strict=True):
            began = time.perf_counter()
            subprocess.run([sys.executable, "-c", program], check=True)
            if turn:  # the first turn compiles
                taken.append(time.perf_counter() - began)
    return [statistics.median(taken) for taken in times]


def main() -> None:
    bare, ours, learner, fit, peer = wall("pass", "import rosenblatt", LEARNER, FIT, PEER_FIT)
    show(
        "Start-up: limit over our time (1 or more is within the limit)",
        [
            Figure("import rosenblatt, beyond bare Python", f"{1000 * (ours - bare):.0f} ms", "limit 60 ms",
                   0.060 / max(ours - bare, 1e-6), 1.0),
            Figure("second process: 1,000 examples through Learner", f"{learner:.2f} s", "limit 0.9 s",
                   0.9 / learner, 1.0),
            Figure("second process: a small Perceptron.fit", f"{fit:.2f} s", "limit 1.9 s", 1.9 / fit, 1.0,
                   f"scikit-learn's own: {peer:.2f} s"),
        ],
    )  # fmt: skip


if __name__ == "__main__":
    main()
