"""From a user's file to a test error with one command and no knobs, beside what its peers make of the file.

Ours is `rosenblatt fit FILE --test FILE`, and `tune` in the place of `fit`. scikit-learn's is the pipeline
that its users write: texts by HashingVectorizer, tables by a ColumnTransformer with scaling and one-hot
columns, then averaged SGDClassifier and LogisticRegression. Vowpal Wabbit's is the better of one
and two words, given words. Each runs in a process of its own; its time is what it takes beyond three rows
of the same kind.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks.data import folder_of, mails, news
from benchmarks.ratios import keep
from benchmarks.timing import Figure

FOLDS = 5


class Job(NamedTuple):
    """A train and a test file, of a kind: text (a tsv of label and text), table (a csv) or svmlight."""

    name: str
    kind: str
    train: str
    test: str


# ---------------------------------------------------------------- the files


def texts(name: str, rows: list[tuple[str, str]], place: Path, split: int | None = None) -> Iterator[Job]:
    frame = pd.DataFrame(rows, columns=["kind", "text"])
    frame["text"] = frame["text"].str.replace(r"\s+", " ", regex=True)
    yield from _split(name, "text", frame, "kind", place, split)


def _split(
    name: str, kind: str, frame: pd.DataFrame, label: str, place: Path, split: int | None = None
) -> Iterator[Job]:
    """Five folds, or the first `split` rows against the others; the rows of the train file are shuffled."""
    from sklearn.model_selection import StratifiedKFold

    if split is None:
        pairs = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(frame, frame[label]))
    else:
        pairs = [(np.arange(split), np.arange(split, len(frame)))]
    ending, options = (
        ("tsv", {"sep": "\t", "quoting": csv.QUOTE_NONE, "escapechar": " "})
        if kind == "text"
        else ("csv", {})
    )
    for number, (train, test) in enumerate(pairs):
        train = np.random.RandomState(number).permutation(train)
        paths = [str(place / f"{name}{number}-{part}.{ending}") for part in ("train", "test")]
        for path, some in zip(paths, (train, test), strict=True):
            frame.iloc[some].to_csv(path, index=False, **options)
        yield Job(name, kind, *paths)


def jobs(place: Path, wanted: list[str]) -> Iterator[Job]:
    for name, make in SETS.items():
        if name in wanted:
            yield from make(name, place)


def _sms(name: str, place: Path) -> Iterator[Job]:
    frame = pd.read_csv(
        folder_of("sms_spam") / "SMSSpamCollection.gz", sep="\t", header=None, quoting=csv.QUOTE_NONE
    )
    yield from texts(name, list(frame.itertuples(index=False, name=None)), place)


def _mails(name: str, place: Path) -> Iterator[Job]:
    yield from texts(name, mails(), place)


def _news(name: str, place: Path) -> Iterator[Job]:
    train, test = news("train"), news("test")
    yield from texts(name, train + test, place, len(train))


UCI = {
    "iris": {}, "wine": {}, "sonar": {}, "ionosphere": {}, "pima-indians-diabetes": {},
    "banknote_authentication": {}, "spambase.data": {}, "magic04.data": {},
    "german.data-numeric": {"sep": r"\s+"}, "shuttle.trn": {"sep": r"\s+"}, "optdigits.tra": {},
    "adult-train": {}, "wdbc.data": {"label": 1}, "agaricus-lepiota.data": {"label": 0},
}  # fmt: skip


def _uci(name: str, place: Path) -> Iterator[Job]:
    for file, asked in UCI.items():
        options: dict[str, Any] = dict(asked)
        label = options.pop("label", -1)
        path = folder_of("uci_classic") / f"{file}.gz"
        path = path if path.exists() else folder_of("uci_classic") / f"{file}.csv.gz"
        frame = pd.read_csv(path, header=None, na_values=["?"], skipinitialspace=True, **options)
        y = frame.pop(frame.columns[label])
        frame.columns = [f"x{j}" for j in range(frame.shape[1])]
        frame["kind"] = y.to_numpy()
        yield from _split(f"{name} {file.split('.')[0]}", "table", frame, "kind", place)


def _kdd(name: str, place: Path) -> Iterator[Job]:
    frame = pd.read_csv(folder_of("kddcup99_10pct") / "kddcup.data_10_percent.gz", header=None)
    frame = frame.sample(frac=1.0, random_state=0)
    frame.columns = [*(f"x{j}" for j in range(41)), "kind"]
    yield from _split(name, "table", frame, "kind", place, len(frame) * 4 // 5)


def _svmlight(name: str, place: Path) -> Iterator[Job]:
    files = {
        "reuters": ("reuters.trn.bz2", "reuters.tst.bz2"),
        "agaricus": ("agaricus.txt.train.gz", "agaricus.txt.test.gz"),
    }
    yield Job(name, "svmlight", *(str(folder_of(name) / file) for file in files[name]))


SETS: dict[str, Callable[[str, Path], Iterator[Job]]] = {
    "sms_spam": _sms, "spamassassin": _mails, "20newsgroups": _news, "uci": _uci, "kddcup99": _kdd,
    "reuters": _svmlight, "agaricus": _svmlight,
}  # fmt: skip


# ---------------------------------------------------------------- the learners, each in its own process


def ours(command: str) -> Callable[[Job], list[str]]:
    script = "import sys; from rosenblatt.cli.main import main; main(sys.argv[1:])"
    return lambda job: [
        *(sys.executable, "-c", script, command, job.train, "--test", job.test, "--json"),
        *([] if job.kind == "svmlight" else ["--target", "kind"]),
    ]


def peer(which: str) -> Callable[[Job], list[str]]:
    return lambda job: [
        sys.executable,
        "-m",
        "benchmarks.peers_of_files",
        which,
        job.kind,
        job.train,
        job.test,
    ]


LEARNERS: dict[str, Callable[[Job], list[str]]] = {
    "ours": ours("fit"), "tuned": ours("tune"), "SGD": peer("sgd"), "LogisticRegression": peer("logistic"),
    "VW": peer("vw1"), "VW 2": peer("vw2"),
}  # fmt: skip


PEERS = {
    "SGD": "scikit-learn's SGD",
    "LogisticRegression": "its LogisticRegression",
    "VW 2": "Vowpal Wabbit",
}
"""Whose times are in the picture beside ours, where ours is not lost in the start of the process."""
LEAST_SECONDS = 0.3


def run(command: list[str]) -> tuple[float, float]:
    """(error on the test file, seconds)."""
    began = time.perf_counter()
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, "PYTHONWARNINGS": "ignore"}
    )
    seconds = time.perf_counter() - began
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stderr[-2000:]}")
    told = json.loads(done.stdout.strip().splitlines()[-1])
    return (told["test"] or {"error": float("nan")})["error"], seconds


def start(learner: str, kind: str, place: Path) -> float:
    """Seconds that three rows take: the start of the process."""
    few = {
        "text": "kind\ttext\nham\tsee you at home\nspam\tbuy this now please\nham\tcall me when you can\n",
        "table": "x0,x1,kind\n1,2,a\n3,4,b\n5,7,a\n",
        "svmlight": "1 1:1\n-1 2:1\n1 1:2\n",
    }
    path = place / f"few.{ {'text': 'tsv', 'table': 'csv', 'svmlight': 'svm'}[kind] }".replace(" ", "")
    path.write_text(few[kind])
    command = LEARNERS[learner](Job("few", kind, str(path), str(path)))
    return min(run(command)[1] for _ in range(2))


def main() -> None:
    compare(list(SETS), list(LEARNERS))


def compare(wanted: list[str], names: list[str]) -> None:
    print("From a file to a test error: per cent ± standard error, and seconds beyond the start")
    print(f"{'':30}" + "".join(f"{name:>24}" for name in names))
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        begun: dict[tuple[str, str], float] = {}
        found: dict[str, dict[str, list[tuple[float, float]]]] = {}
        for job in [*jobs(place, wanted), None]:
            if job is None or (found and job.name not in found):
                _say(found.popitem(), names)
            if job is None:
                break
            row = found.setdefault(job.name, {})
            for name in names:
                if (name, job.kind) not in begun:
                    begun[name, job.kind] = start(name, job.kind, place)
                error, seconds = run(LEARNERS[name](job))
                row.setdefault(name, []).append((error, max(0.0, seconds - begun[name, job.kind])))


def _say(found: tuple[str, dict[str, list[tuple[float, float]]]], names: list[str]) -> None:
    name, row = found
    taken = {learner: float(np.median([seconds for _, seconds in row[learner]])) for learner in names}
    keep(
        [
            Figure(
                f"{name}, from file to test error", "", "", taken[peer] / taken["ours"], 1.0, "", against
            )
            for peer, against in PEERS.items()
            if peer in row and taken.get("ours", 0.0) > LEAST_SECONDS
        ]
    )
    cells = []
    for learner in names:
        errors, seconds = np.array(row[learner]).T
        apart = errors.std(ddof=1) / np.sqrt(len(errors)) if len(errors) > 1 else 0.0
        cells.append(f"{100 * errors.mean():7.2f} ± {100 * apart:4.2f} {np.median(seconds):7.2f} s")
    print(f"{name:30}" + "".join(f"{cell:>24}" for cell in cells), flush=True)


if __name__ == "__main__":
    asked = sys.argv[1:]
    compare(
        [n for n in SETS if n in asked] or list(SETS), [n for n in LEARNERS if n in asked] or list(LEARNERS)
    )
