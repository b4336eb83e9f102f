"""Linear probes for a table of labels: accuracy, margin and verdict of each label.

    ROSENBLATT_DATA=... python examples/probe_labels.py --data mnist --seconds 30
    ROSENBLATT_DATA=... python examples/probe_labels.py --data newsgroups --proofs proofs

To probe embeddings of your own, copy this and write another `Task`. docs/probes.md explains the columns.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
import tarfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.metrics import balanced_accuracy_score

from rosenblatt import Perceptron, Verdict, separate, verify

COLUMNS = 512  # of the hashed posts
TOPICS = ("comp.", "rec.", "sci.", "talk.", "rec.sport.", "comp.sys.")
HEAD = ("label", "rows", "accuracy", "balanced", "control", "selectivity", "reached", "largest margin")


class Task(NamedTuple):
    """Embeddings (rows × columns, float32) and labels (rows × names, bool), to learn from and held out."""

    names: list[str]
    X: np.ndarray
    Y: np.ndarray
    X_test: np.ndarray
    Y_test: np.ndarray


def main() -> None:
    parser = argparse.ArgumentParser(description="Linear probes for a table of labels.")
    parser.add_argument("--data", choices=TASKS, default="mnist")
    parser.add_argument("--seconds", type=float, default=30, help="for the verdict of each label (30)")
    parser.add_argument("--proofs", type=Path, help="a folder to keep the proofs of the verdicts in")
    asked = parser.parse_args()
    if "ROSENBLATT_DATA" not in os.environ:
        parser.error("set ROSENBLATT_DATA to the folder that has mnist/ and 20newsgroups_bydate/")
    task = TASKS[asked.data](Path(os.environ["ROSENBLATT_DATA"]))
    began = time.perf_counter()
    model, figures = probe(task)
    seconds = time.perf_counter() - began
    print(f"{len(task.X):,} rows to learn from, {len(task.X_test):,} held out, {task.X.shape[1]:,} columns")
    print(f"{len(model.classes_)} probes (half of them controls), learned and scored in {seconds:.1f} s")
    print()
    lines = [HEAD]
    for column, name in enumerate(task.names):
        print(f"verdict {column + 1} of {len(task.names)}: {name}", file=sys.stderr)
        y = task.Y[:, column]
        verdict = separate(task.X, y, time_limit=asked.seconds, progress=False)
        verify(verdict.proof, task.X, y)  # exact arithmetic, without the solver; raises where it fails
        if asked.proofs and verdict.separable is not None:
            asked.proofs.mkdir(exist_ok=True)
            verdict.proof.save(asked.proofs / f"{name.replace(' ', '-')}.json")
        cells = [f"{figure[column]:.3f}" for figure in figures]
        lines.append((name, f"{y.mean():.1%}", *cells[:4], f"{figures[4][column]:.4g}", in_words(verdict)))
    widths = [max(len(line[k]) for line in lines) for k in range(len(HEAD) - 1)]
    for name, *cells, last in lines:
        aligned = (cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
        print("  ".join([name.ljust(widths[0]), *aligned, last]))


def probe(task: Task) -> tuple[Perceptron, np.ndarray]:
    """One model for all labels and their controls; of each label the figures accuracy, balanced accuracy,
    accuracy of its control, selectivity, margin reached."""
    shuffle = np.random.default_rng(0).permutation
    labels = np.hstack([task.Y, shuffle(task.Y)])  # a control: labels as frequent, of other rows
    labels_test = np.hstack([task.Y_test, shuffle(task.Y_test)])
    model = Perceptron(keep="averaged", n_jobs=2, random_state=0).fit(task.X, labels)
    answers = model.predict(task.X_test)
    accuracy, control = np.split((answers == labels_test).mean(axis=0), 2)
    n = len(task.names)
    balanced = [balanced_accuracy_score(task.Y_test[:, c], answers[:, c]) for c in range(n)]
    return model, np.array([accuracy, balanced, control, accuracy - control, reached(model, task)])


def reached(model: Perceptron, task: Task) -> np.ndarray:
    """min over the training rows of y(w·x + b)/‖w‖: how far the worst row is on its side, or (below 0) on
    the other."""
    n = len(task.names)
    agreement = np.where(task.Y, 1.0, -1.0) * model.decision_function(task.X)[:, :n]
    return agreement.min(axis=0) / np.linalg.norm(model.coef_[:n], axis=1)


def in_words(verdict: Verdict) -> str:
    low, high = verdict.margin
    if verdict.separable:
        return f"{low:.4g} to {high:.4g}: separable, proved"
    if verdict.separable is None:
        return f"at most {high:.4g}: undecided in the time given"
    return f"none: not separable, proved by {len(verdict.support)} rows"


def mnist(folder: Path) -> Task:
    """Pixels 0…255; the digits, and some of their properties."""

    def read(part: str) -> tuple[np.ndarray, np.ndarray]:
        with gzip.open(folder / "mnist" / f"{part}-images-idx3-ubyte.gz") as file:
            X = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784).astype(np.float32)
        with gzip.open(folder / "mnist" / f"{part}-labels-idx1-ubyte.gz") as file:
            return X, np.frombuffer(file.read(), np.uint8, offset=8)

    names = {str(digit): [digit] for digit in range(10)}
    names |= {"even": [0, 2, 4, 6, 8], "closed loop": [0, 6, 8, 9], "prime": [2, 3, 5, 7]}
    names |= {"at least 5": [5, 6, 7, 8, 9]}
    (X, digits), (X_test, digits_test) = read("train"), read("t10k")
    Y = np.column_stack([np.isin(digits, meant) for meant in names.values()])
    Y_test = np.column_stack([np.isin(digits_test, meant) for meant in names.values()])
    return Task(list(names), X, Y, X_test, Y_test)


def newsgroups(folder: Path) -> Task:
    """Words of the posts (without their headers) hashed to `COLUMNS`; the groups, and their topics."""
    hashing = HashingVectorizer(n_features=COLUMNS, stop_words="english", dtype=np.float32)

    def read(part: str) -> tuple[np.ndarray, np.ndarray]:
        groups, posts = [], []
        with tarfile.open(folder / "20newsgroups_bydate" / f"20news-bydate-{part}.tar.gz") as archive:
            for member in filter(tarfile.TarInfo.isfile, archive):
                groups.append(member.name.split("/")[-2])
                posts.append(archive.extractfile(member).read().decode("latin-1").partition("\n\n")[2])
        X = hashing.transform(posts).toarray()
        has_words = X.any(axis=1)
        return X[has_words], np.array(groups)[has_words]

    (X, groups), (X_test, groups_test) = read("train"), read("test")
    names = [*np.unique(groups).tolist(), *TOPICS]  # a topic is how its groups begin
    Y = np.column_stack([np.char.startswith(groups, name) for name in names])
    Y_test = np.column_stack([np.char.startswith(groups_test, name) for name in names])
    return Task(names, X, Y, X_test, Y_test)


TASKS = {"mnist": mnist, "newsgroups": newsgroups}

if __name__ == "__main__":
    main()
