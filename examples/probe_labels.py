"""Linear probes for a table of labels: accuracy, margin and verdict of each label.

    ROSENBLATT_DATA=... python examples/probe_labels.py --data newsgroups --seconds 30 --proofs proofs

To probe your own embeddings, copy this file and write another `Task`. docs/case_studies.md explains the
columns.
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
TOPICS = ("comp.", "comp.sys.", "rec.", "rec.sport.", "sci.", "talk.")


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
    print(f"{len(task.X):,} rows to learn from, {len(task.X_test):,} held out, {task.X.shape[1]:,} columns")
    began = time.perf_counter()
    figures = probe(task)
    print(f"{len(task.names)} labels and as many controls: {time.perf_counter() - began:.1f} s\n")
    lines = [["label", "prevalence", *figures, "largest margin", "verdict"]]
    for column, name in enumerate(task.names):
        print(f"verdict {column + 1} of {len(task.names)}: {name}", file=sys.stderr)
        verdict = judge(task, column, asked.seconds, asked.proofs)
        measured = [f"{figure[column]:.3f}" for figure in figures.values()]
        measured[-1] = f"{figures['reached'][column]:.4g}"  # in units of the embeddings, of any size
        lines.append([name, f"{task.Y[:, column].mean():.1%}", *measured, *in_words(verdict)])
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    for name, *cells, verdict in lines:
        aligned = [cell.rjust(width) for cell, width in zip(cells, widths[1:-1], strict=True)]
        print("  ".join([name.ljust(widths[0]), *aligned, verdict]))


def probe(task: Task) -> dict[str, np.ndarray]:
    """The figures of each label, from one reading of the rows for all of them and for their controls: the
    same labels shuffled among the rows, so that they have nothing to do with the embeddings."""
    shuffle = np.random.default_rng(0).permutation
    labels = np.hstack([task.Y, shuffle(task.Y)])
    labels_test = np.hstack([task.Y_test, shuffle(task.Y_test)])
    model = Perceptron(keep="averaged", n_jobs=2, random_state=0).fit(task.X, labels)
    answers = model.predict(task.X_test)
    accuracy, _ = np.split((answers == labels_test).mean(axis=0), 2)
    each = [balanced_accuracy_score(*column) for column in zip(labels_test.T, answers.T, strict=True)]
    balanced, control = np.split(np.array(each), 2)
    return {
        "accuracy": accuracy, "balanced": balanced, "control": control,
        "selectivity": balanced - control, "reached": margins(model, task),
    }  # fmt: skip


def margins(model: Perceptron, task: Task) -> np.ndarray:
    """Return min y(w·x + b)/‖w‖ over the training rows, negative if a row is misclassified."""
    n = len(task.names)
    agreement = np.where(task.Y, 1.0, -1.0) * model.decision_function(task.X)[:, :n]
    return agreement.min(axis=0) / np.linalg.norm(model.coef_[:n], axis=1)


def judge(task: Task, column: int, seconds: float, folder: Path | None = None) -> Verdict:
    """Decide whether a hyperplane separates the rows with this label from the other rows."""
    y = task.Y[:, column]
    verdict = separate(task.X, y, time_limit=seconds, progress=False)
    verify(verdict.proof, task.X, y)  # in exact arithmetic, without the solver; raises an error if it fails
    if folder is not None and verdict.separable is not None:
        folder.mkdir(parents=True, exist_ok=True)
        verdict.proof.save(folder / f"{task.names[column].replace(' ', '-')}.json")
    return verdict


def in_words(verdict: Verdict) -> tuple[str, str]:
    low, high = verdict.margin
    if verdict.separable:
        return f"{low:.4g} to {high:.4g}", "separable"
    if verdict.separable is None:
        return f"at most {high:.4g}", "undecided"
    return "none", f"not separable: {len(verdict.support)} rows cancel"


def mnist(folder: Path) -> Task:
    """Pixels 0…255; the digits, and some of their properties."""

    def read(part: str) -> tuple[np.ndarray, np.ndarray]:
        with gzip.open(folder / "mnist" / f"{part}-images-idx3-ubyte.gz") as file:
            X = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784).astype(np.float32)
        with gzip.open(folder / "mnist" / f"{part}-labels-idx1-ubyte.gz") as file:
            return X, np.frombuffer(file.read(), np.uint8, offset=8)

    names = {str(digit): [digit] for digit in range(10)}  # a label, and the digits that have it
    names |= {"even": [0, 2, 4, 6, 8], "at least 5": [5, 6, 7, 8, 9]}
    names |= {"prime": [2, 3, 5, 7], "closed loop": [0, 6, 8, 9]}
    (X, digits), (X_test, digits_test) = read("train"), read("t10k")
    Y, Y_test = (np.column_stack([np.isin(y, n) for n in names.values()]) for y in (digits, digits_test))
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
    Y, Y_test = (np.column_stack([np.char.startswith(y, n) for n in names]) for y in (groups, groups_test))
    return Task(names, X, Y, X_test, Y_test)


TASKS = {"mnist": mnist, "newsgroups": newsgroups}

if __name__ == "__main__":
    main()
