"""Test errors on users' files: ``rosenblatt fit FILE --target T`` and the recipes of its peers.

Each learner runs in a process of its own. The peers are given more than it: an experienced user names the
separator, the encoding, IDs, codes and dates (``benchmarks/peers_of_files.py``). Sets without a given test
part are split by five folds, so that every row is held out once. Seconds are CPU seconds of a process.
"""

from __future__ import annotations

import csv
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.data import folder_of, mails, news
from benchmarks.peers_of_files import Files
from benchmarks.results import Measured, Results, record
from benchmarks.tables import tally

FOLDS = 5


@dataclass
class Job:
    """A pair of files; `options` are the options of our command in addition to ``--target``."""

    name: str
    files: Files
    target: str = ""
    options: tuple[str, ...] = ()


@dataclass
class Outcome:
    """The result of one process."""

    error: float
    auc: float | None
    seconds: float
    cpu: float
    megabytes: float


# ---------------------------------------------------------------- the sets

OWN: dict[str, tuple[dict[str, Any], str, tuple[str, ...]]] = {
    "titanic": (
        {"kind": "table", "target": "Survived", "categories": ("Pclass",),
         "drop": ("PassengerId", "Name")}, "Survived", ()),
    "churn": ({"kind": "table", "target": "Exited", "drop": ("RowNumber", "CustomerId", "Surname")},
              "Exited", ()),
    "names": ({"kind": "letters", "target": "sex", "separator": "\t"}, "sex", ()),
    "sst2": ({"kind": "text", "target": 1, "separator": "\t", "header": False, "quoted": False}, "", ()),
    "polarity": ({"kind": "text", "target": "polarity", "separator": "\t", "quoted": False},
                 "polarity", ()),
    "drybean": ({"kind": "table", "target": "Class", "separator": ";", "decimal": ",",
                 "drop": ("Bean ID",)}, "Class", ()),
    "default": ({"kind": "table", "target": -1, "drop": ("ID",),
                 "categories": ("SEX", "EDUCATION", "MARRIAGE")}, "default.payment.next.month", ()),
    "finphrase": ({"kind": "text", "target": "Sentiment", "encoding": "latin-1"}, "Sentiment", ()),
    "noshow": ({"kind": "table", "target": "No-show", "drop": ("PatientId", "AppointmentID"),
                "dates": ("ScheduledDay", "AppointmentDay")}, "No-show", ()),
    "cnae9": ({"kind": "table", "target": "X1"}, "X1", ()),
    "winequality": ({"kind": "table", "header": False}, "", ()),
    "higgs": ({"kind": "table", "target": 0, "header": False, "separator": "\t"}, "0", ()),
}  # fmt: skip


def _own(name: str, place: Path) -> Iterator[Job]:
    known, target, options = OWN[name]
    folder = folder_of("own_files") / name
    train, test = (str(next(folder.glob(f"{part}.*"))) for part in ("train", "test"))
    yield Job(name, Files(train=train, test=test, **known), target, options)


def _split(
    name: str, frame: pd.DataFrame, kind: str, place: Path, split: int | None = None
) -> Iterator[Job]:
    """Yield five folds, or the first `split` rows against the others; the training rows are shuffled."""
    from sklearn.model_selection import StratifiedKFold

    if split is None:
        pairs = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(frame, frame["kind"]))
    else:
        pairs = [(np.arange(split), np.arange(split, len(frame)))]
    text = kind == "text"
    options: dict[str, Any] = {"sep": "\t", "quoting": csv.QUOTE_NONE, "escapechar": " "} if text else {}
    for number, (train, test) in enumerate(pairs):
        train = np.random.RandomState(number).permutation(train)
        paths = [
            str(place / f"{name}{number}-{part}.{'tsv' if text else 'csv'}") for part in ("train", "test")
        ]
        for path, some in zip(paths, (train, test), strict=True):
            frame.iloc[some].to_csv(path, index=False, **options)
        files = Files(kind, *paths, target="kind", separator="\t" if text else ",", quoted=not text)
        yield Job(name, files, "kind")


def _texts(rows: list[tuple[str, str]]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["kind", "text"])
    frame["text"] = frame["text"].str.replace(r"\s+", " ", regex=True)
    return frame


def _sms(name: str, place: Path) -> Iterator[Job]:
    frame = pd.read_csv(
        folder_of("sms_spam") / "SMSSpamCollection.gz", sep="\t", header=None, quoting=csv.QUOTE_NONE
    )
    rows = list(frame.itertuples(index=False, name=None))
    yield from _split(name, _texts(rows), "text", place)


def _mails(name: str, place: Path) -> Iterator[Job]:
    yield from _split(name, _texts(mails()), "text", place)


def _news(name: str, place: Path) -> Iterator[Job]:
    train, test = news("train"), news("test")
    yield from _split(name, _texts(train + test), "text", place, len(train))


def _svmlight(name: str, train: str, test: str) -> Callable[[str, Path], Iterator[Job]]:
    def make(name: str, place: Path) -> Iterator[Job]:
        yield Job(name, Files("svmlight", str(folder_of(name) / train), str(folder_of(name) / test)))

    return make


UCI: dict[str, dict[str, Any]] = {
    "iris": {}, "wine": {}, "sonar": {}, "ionosphere": {}, "pima-indians-diabetes": {},
    "banknote_authentication": {}, "spambase.data": {}, "magic04.data": {},
    "german.data-numeric": {"sep": r"\s+"}, "shuttle.trn": {"sep": r"\s+"}, "optdigits.tra": {},
    "wdbc.data": {"label": 1}, "agaricus-lepiota.data": {"label": 0},
}  # fmt: skip
GIVEN = {"shuttle.trn": "shuttle.tst", "optdigits.tra": "optdigits.tes", "adult-train": "adult-test"}


def _uci_frame(file: str) -> pd.DataFrame:
    options = dict(UCI.get(file.replace(".tst", ".trn").replace(".tes", ".tra"), {}))
    label = options.pop("label", -1)
    path = folder_of("uci_classic") / f"{file}.gz"
    path = path if path.exists() else folder_of("uci_classic") / f"{file}.csv.gz"
    frame = pd.read_csv(path, header=None, na_values=["?"], skipinitialspace=True, **options)
    y = frame.pop(frame.columns[label])
    frame.columns = [f"x{j}" for j in range(frame.shape[1])]
    frame["kind"] = y.to_numpy()
    return frame


def _uci(file: str) -> Callable[[str, Path], Iterator[Job]]:
    def make(name: str, place: Path) -> Iterator[Job]:
        frame = _uci_frame(file)
        if file not in GIVEN:
            yield from _split(name, frame, "table", place)
            return
        both = pd.concat([frame, _uci_frame(GIVEN[file])])
        if file == "adult-train":
            both["kind"] = both["kind"].str.rstrip(".")
        yield from _split(name, both, "table", place, len(frame))

    return make


def _name(file: str) -> str:
    """
    >>> _name("agaricus-lepiota.data"), _name("pima-indians-diabetes"), _name("shuttle.trn")
    ('mushrooms', 'pima', 'shuttle')
    """
    short = file.split(".")[0].split("-")[0].split("_")[0]
    return {"agaricus": "mushrooms", "magic04": "magic"}.get(short, short)


SETS: dict[str, Callable[[str, Path], Iterator[Job]]] = {
    **dict.fromkeys(OWN, _own),
    "20newsgroups": _news, "sms_spam": _sms, "spamassassin": _mails,
    "reuters": _svmlight("reuters", "reuters.trn.bz2", "reuters.tst.bz2"),
    "a9a": _svmlight("a9a", "a9a.gz", "a9a.t.gz"),
    **{_name(file): _uci(file) for file in ("adult-train", *UCI)},
}  # fmt: skip


# ---------------------------------------------------------------- the learners, each in its own process


def ours(job: Job, place: Path, *options: str) -> Outcome:
    target = ["--target", job.target] if job.target else []
    command = [
        *(sys.executable, "-m", "rosenblatt", "fit", job.files.train, *target, *job.options, *options),
        *("--test", job.files.test, "--out", str(place / "model.safetensors"), "--json"),
    ]
    return _run(command, "")


def ours_thorough(job: Job, place: Path) -> Outcome:
    return ours(job, place, "--effort", "thorough")


def peer(which: str) -> Callable[[Job, Path], Outcome]:
    command = [sys.executable, "-m", "benchmarks.peers_of_files", which]
    return lambda job, place: _run(command, job.files.to_json())


LEARNERS: dict[str, Callable[[Job, Path], Outcome]] = {
    "rosenblatt": ours,
    "thorough": ours_thorough,
    "scikit-learn": peer("scikit-learn"),
    "vowpal_wabbit": peer("vowpal_wabbit"),
    "lightgbm": peer("lightgbm"),
}


def applies(learner: str, job: Job) -> bool:
    if learner == "thorough":  # nothing is compared for rows without named columns
        return job.files.kind != "svmlight"
    return learner != "lightgbm" or job.files.kind == "table"


LAUNCHER = """
import json, os, subprocess, sys, time
began = time.perf_counter()
process = subprocess.Popen(sys.argv[1:])
_, status, used = os.wait4(process.pid, 0)
used = [time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]
print(json.dumps([os.waitstatus_to_exitcode(status), *used]))
"""
"""A small process starts the command, which would otherwise inherit the peak memory of the benchmark."""


def _run(command: list[str], given: str) -> Outcome:
    done = subprocess.run(
        [sys.executable, "-S", "-c", LAUNCHER, *command],
        input=given,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )
    *_, printed, launched = ["", *done.stdout.strip().splitlines()]
    status, seconds, cpu, megabytes = json.loads(launched)
    if status:
        raise RuntimeError(f"{' '.join(command)} {given}\n{done.stderr[-2000:]}")
    found = json.loads(printed)
    found = found.get("test", found)
    return Outcome(found["error"], found["auc"], seconds, cpu, megabytes)


# ---------------------------------------------------------------- comparing


def main() -> None:
    compare(list(SETS), list(LEARNERS))


def compare(sets: list[str], learners: list[str]) -> None:
    print("From a file to a test error: per cent ± standard error, CPU seconds, memory")
    for name in sets:
        found: dict[str, list[Outcome]] = {}
        rows, options = 0, ""
        with tempfile.TemporaryDirectory() as folder:
            for job in SETS[name](name, Path(folder)):
                rows, options = rows + _rows(job), " ".join(job.options)
                for learner in learners:
                    if applies(learner, job):
                        found.setdefault(learner, []).append(LEARNERS[learner](job, Path(folder)))
        figures: dict[str, Measured] = {}
        for learner, outcomes in found.items():
            figures |= summary(f"own_files/{name}/{learner}", outcomes, rows)
        if options and "rosenblatt" in found:  # the options of our command for this file
            key = f"own_files/{name}/rosenblatt/error"
            figures[key] = replace(figures[key], job=options)
        record("own_files", figures)
        record("own_files", tally(Results.load()))
        cells = [
            f"{learner} {figures[f'own_files/{name}/{learner}/error'].value:.2f} % "
            f"{figures[f'own_files/{name}/{learner}/cpu'].value:.1f} s"
            for learner in found
        ]
        print(f"{name:16} {rows:6} rows held out   " + "   ".join(cells), flush=True)


def _rows(job: Job) -> int:
    """Return the number of test rows."""
    from benchmarks.peers_of_files import read

    return len(read(replace(job.files, train=job.files.test))[1][1])


def summary(key: str, outcomes: list[Outcome], rows: int) -> dict[str, Measured]:
    """Return the error over all held-out rows, and means over the folds of the others."""
    error = float(np.mean([outcome.error for outcome in outcomes]))
    spread = math.sqrt(error * (1 - error) / rows)
    figures = {
        f"{key}/error": Measured(100 * error, "%", n=rows, standard_error=100 * spread),
        f"{key}/cpu": Measured(float(np.mean([each.cpu for each in outcomes])), "s", n=len(outcomes)),
        f"{key}/memory": Measured(max(each.megabytes for each in outcomes), "MB", n=len(outcomes)),
    }
    if outcomes[0].auc is not None:
        auc = float(np.mean([each.auc for each in outcomes if each.auc is not None]))
        figures[f"{key}/auc"] = Measured(auc, "", n=rows)
    return figures


if __name__ == "__main__":
    asked = sys.argv[1:]
    compare(
        [n for n in SETS if n in asked] or list(SETS), [n for n in LEARNERS if n in asked] or list(LEARNERS)
    )
