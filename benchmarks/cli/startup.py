"""The time before training starts: imports, and a second process."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

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
COMMAND = """
import sys
sys.argv = ["rosenblatt", *{arguments!r}]
from rosenblatt.cli.main import run
run()
"""
WABBIT = """
import vowpalwabbit
vowpalwabbit.Workspace("--quiet -d {rows}").finish()
"""
PEER_FIT = """
import numpy as np
from sklearn.linear_model import Perceptron
generator = np.random.default_rng(0)
X = generator.standard_normal((200, 5))
Perceptron().fit(X, X[:, 0] > 0)
"""


def wall(*programs: str) -> list[float]:
    """Return the median wall time of each program, run alternately in new processes."""
    times: list[list[float]] = [[] for _ in programs]
    as_users_are = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}  # modules are compiled once
    for turn in range(REPEATS + 1):
        for program, taken in zip(programs, times, strict=True):
            began = time.perf_counter()
            subprocess.run(
                [sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL, env=as_users_are
            )
            if turn:  # the first run compiles
                taken.append(time.perf_counter() - began)
    return [statistics.median(taken) for taken in times]


def main() -> None:
    bare, ours, learner, fit, peer = wall("pass", "import rosenblatt", LEARNER, FIT, PEER_FIT)
    with tempfile.TemporaryDirectory() as folder:
        rows, model = Path(folder, "three.svm"), Path(folder, "model")
        rows.write_text("+1 1:1 2:2\n-1 1:3 2:1\n+1 2:4\n")
        for_wabbit = Path(folder, "three.vw")
        for_wabbit.write_text("1 | a:1 b:2\n-1 | a:3 b:1\n1 | b:4\n")
        fit_three, predict_three, wabbit = wall(
            COMMAND.format(arguments=["fit", str(rows), "--out", str(model), "--json"]),
            COMMAND.format(arguments=["predict", str(model), str(rows)]),
            WABBIT.format(rows=for_wabbit),
        )
    show(
        "Start-up",
        [
            Figure(
                "startup/import",
                "import rosenblatt (without the start of Python)",
                ours - bare,
                0.060,
                beside="aim",
            ),
            Figure(
                "startup/learner",
                "process that learns 1,000 examples with Learner",
                learner,
                0.9,
                beside="aim",
            ),
            Figure(
                "startup/fit",
                "process that fits a small Perceptron",
                fit,
                peer,
                aim=0.7,
                against="scikit-learn",
            ),
            Figure(
                "startup/command-fit",
                "rosenblatt fit of three rows",
                fit_three,
                wabbit,
                aim=0.1,
                against="Vowpal Wabbit",
            ),
            Figure(
                "startup/command-predict",
                "rosenblatt predict of three rows",
                predict_three,
                0.5,
                beside="aim",
            ),
        ],
    )


if __name__ == "__main__":
    main()
