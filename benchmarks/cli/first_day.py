"""Compilation on a user's first day: each job in a new process, with one cache that is empty at first.

A specialisation is one compiled loop with all that is put into it, for one kind of each argument. Numba
makes them from nothing on first use; `rosenblatt warm-up` does that beforehand.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.timing import Figure, show

PREPARED = """
import json, sys, time
from numba.core import event

class Compiled(event.Listener):
    def __init__(self):
        self.open, self.kinds, self.functions, self.seconds = [], [], 0, 0.0

    def on_start(self, told):
        self.open.append(time.process_time())

    def on_end(self, told):
        seconds = time.process_time() - self.open.pop()
        self.functions += 1
        if not self.open:  # not on behalf of another
            self.seconds += seconds
            function = told.data["dispatcher"].py_func
            self.kinds.append([function.__qualname__, seconds])

compiled, waited = Compiled(), None
event.register("numba:compile", compiled)
"""
SAID = """
print(json.dumps([compiled.kinds, compiled.functions, compiled.seconds, waited]), file=sys.stderr)
"""
COMMAND = """
sys.argv = ["rosenblatt", *{arguments!r}]
from rosenblatt.cli.main import main
try:
    main()
except SystemExit:
    pass
"""
ARRAYS = """
import numpy as np
from rosenblatt import {name}
X = np.random.default_rng(0).standard_normal((200, 5)).astype(np.{dtype})
began = time.perf_counter()
{name}({settings}).fit(X, X[:, 0] > 0)
waited = time.perf_counter() - began  # for fit alone: imports are waited for each time
"""
LEARNER = """
from rosenblatt import Learner
learner = Learner()
for k in range(100):
    learner.learn({"a": k % 7, "b": k % 3}, k % 7 > k % 3)
"""


def jobs(folder: Path) -> dict[str, str]:
    """Return the jobs of a first day, in order."""
    table, words, sparse = folder / "table.csv", folder / "words.csv", folder / "rows.svm"
    table.write_text("x1,x2,y\n" + "".join(f"{k % 7},{k % 3},{'ab'[k % 7 > k % 3]}\n" for k in range(99)))
    words.write_text(
        "said,y\n" + "".join(f"the word {k % 7} and {k % 3},{'ab'[k % 2]}\n" for k in range(99))
    )
    sparse.write_text("".join(f"{1 if k % 7 > k % 3 else -1} 1:{k % 7} 2:{k % 3}\n" for k in range(99)))
    model = str(folder / "model")

    def command(*arguments: str) -> str:
        return COMMAND.format(arguments=list(arguments))

    return {
        "Perceptron().fit of an array": ARRAYS.format(name="Perceptron", dtype="float64", settings=""),
        "the same, float32": ARRAYS.format(name="Perceptron", dtype="float32", settings=""),
        "the same, averaged": ARRAYS.format(name="Perceptron", dtype="float64", settings="keep='averaged'"),
        "fit a csv of numbers": command("fit", str(table), "--out", model, "--json"),
        "fit a csv with text": command("fit", str(words), "--out", model, "--json"),
        "fit svmlight rows": command("fit", str(sparse), "--out", model, "--json"),
        "predict them": command("predict", model, str(sparse), "--scores"),
        "evaluate on them": command("evaluate", model, str(sparse)),
        "separate the csv": command("separate", str(table)),
        "Learner from dicts": LEARNER,
        "KernelPerceptron().fit": ARRAYS.format(name="KernelPerceptron", dtype="float64", settings=""),
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        surroundings = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")}
        figures, kinds, seconds = [], 0, 0.0
        for job, program in jobs(folder).items():
            began = time.perf_counter()
            done = subprocess.run(
                [sys.executable, "-c", PREPARED + program + SAID], env=surroundings, capture_output=True,
                text=True, check=True,
            )  # fmt: skip
            whole = time.perf_counter() - began
            tops, functions, taken, waited = json.loads(done.stderr.splitlines()[-1])
            kinds, seconds = kinds + len(tops), seconds + taken
            named = ", ".join(f"{name} {spent:.1f}" for name, spent in tops)
            print(f"  {job:30} {len(tops)} loops, {functions} functions, {taken:.1f} s: {named}")
            if limit := LIMITS.get(job):
                note = f"the whole process: {whole:.1f} s"
                key = f"first_day/{KEYS[job]}"
                figures += [Figure(key, job, waited or whole, limit, note=note, beside="aim")]
        print(f"  a first day: {kinds} loops, {seconds:.0f} s")
        show("First use, compiled from nothing", figures)


LIMITS = {"Perceptron().fit of an array": 2.5, "fit a csv with text": 4.0}
KEYS = {"Perceptron().fit of an array": "array", "fit a csv with text": "text"}

if __name__ == "__main__":
    main()
