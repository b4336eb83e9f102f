"""The cost of names of features and of recorded updates: `rosenblatt fit` with and without them.

    python -m benchmarks.cli.feature_names [20newsgroups] [stream]

The stream is 100 MB of Vowpal Wabbit text: rows of 60 words from a vocabulary of 200,000, the k-th word
with a frequency proportional to 1/k. The runs alternate; each is a new process, whose processor time and
peak memory count.
"""

from __future__ import annotations

import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.data import news
from benchmarks.timing import Figure, Median, show

REPEATS = 2
STREAM_BYTES, WORDS, WORDS_OF_A_ROW, AT_ONCE = 100_000_000, 200_000, 60, 20_000
PROGRAM = "from rosenblatt.cli.main import run; run()"
SIDES = {
    "none": ("--names", "none"),
    "all": ("--names", "all"),
    "record": ("--names", "none", "--record", "updates"),
}


def write_news(path: Path) -> None:
    """Write the postings of the training part and their groups as csv."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "group"])
        writer.writerows((text, group) for group, text in news("train"))


def write_stream(path: Path) -> None:
    """Write rows of words as Vowpal Wabbit text; half of the first thousand words decide the label."""
    r = np.random.default_rng(0)
    words = np.array([f"word{k}" for k in range(WORDS)], object)
    with path.open("w") as file:
        while file.tell() < STREAM_BYTES:
            ranks = (WORDS ** r.random((AT_ONCE, WORDS_OF_A_ROW))).astype(int)
            signs = np.where(ranks % 2 > 0, 1, -1) * (ranks < 1000)
            for label, row in zip(np.where(signs.sum(axis=1) > 0, 1, -1), words[ranks - 1], strict=True):
                file.write(f"{label} | {' '.join(row)}\n")


SETS = {
    "20newsgroups": ("20newsgroups, words and pairs, one pass", "news.csv", write_news,
                     ("--target", "group", "--text", "text", "--epochs", "1")),
    "stream": ("100 MB of Vowpal Wabbit text, one pass", "rows.vw", write_stream,
               ("--bits", "24", "--epochs", "1")),
}  # fmt: skip


def measure(folder: Path, *arguments: str) -> tuple[float, float]:
    """Return the seconds of processor time and the peak memory in MB of one `rosenblatt fit`."""
    words = [sys.executable, "-c", PROGRAM, "fit", *arguments, "--effort", "none", "--quiet", "--out", "m"]
    process = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"fit {' '.join(arguments)}: exit status {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def figures_of(name: str, folder: Path) -> list[Figure]:
    """Return the times, peaks and file sizes of one set."""
    title, file, write, options = SETS[name]
    write(folder / file)
    taken: dict[str, list[tuple[float, float]]] = {side: [] for side in SIDES}
    sizes = {}
    for turn in range(REPEATS + 1):
        for side, more in SIDES.items():
            found = measure(folder, file, *options, *more)
            sizes[side] = (folder / "m").stat().st_size / 1e6
            if turn:  # the first run compiles
                taken[side].append(found)
    times = {side: Median.of([seconds for seconds, _ in runs]) for side, runs in taken.items()}
    peaks = {side: Median.of([peak for _, peak in runs]) for side, runs in taken.items()}
    sizes["record"] += (folder / "updates").stat().st_size / 1e6
    without = "`--names none`"
    found = []
    for side, what in (("all", "`--names all`"), ("record", "`--record`")):
        for measured, words, values, unit in (
            ("time", "processor time", times, "s"),
            ("peak", "peak memory", peaks, "MB"),
            ("file", "size of the files", sizes, "MB"),
        ):
            key, job = f"feature_names/{name}/{side}/{measured}", f"{title}: {what}, {words}"
            aim = 0.9 if measured == "time" else 0.0
            found.append(Figure(key, job, values[side], values["none"], unit, aim, beside=without))
    return found


def main(names: list[str] | None = None) -> None:
    for name in names or SETS:
        with tempfile.TemporaryDirectory() as folder:
            show(f"Names of features: {name}", figures_of(name, Path(folder)))


if __name__ == "__main__":
    main(sys.argv[1:])
