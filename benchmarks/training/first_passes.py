"""Errors on held-out rows after one pass and after five, for each rule and for scikit-learn."""

from __future__ import annotations

import gzip
import math
import tarfile
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.svm import LinearSVC

from benchmarks.data import folder_of
from benchmarks.results import Measured, record, slug
from rosenblatt import Perceptron, rules
from rosenblatt.data.sources import read_table
from rosenblatt.errors import BadInput

SEEDS = 5


class Parts(NamedTuple):
    """Rows to learn from and rows held out."""

    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray


def in_parts(X: Any, y: np.ndarray, share: float = 0.25) -> Parts:
    """A part of the rows held out, drawn once."""
    rows = np.random.default_rng(0).permutation(len(y))
    held, kept = np.split(rows, [int(share * len(y))])
    return Parts(X[kept], y[kept], X[held], y[held])


def given(name: str, train: str, test: str) -> Callable[[], Parts]:
    """Both files of a data set that comes in two parts."""

    def read() -> Parts:
        first = read_table(folder_of(name) / train)
        other = read_table(folder_of(name) / test, n_features=first.X.shape[1])
        return Parts(first.X, np.asarray(first.y), other.X, np.asarray(other.y))

    return read


def hashed(texts: list[str]) -> Any:
    return HashingVectorizer(n_features=2**18, decode_error="replace", alternate_sign=False).transform(
        texts
    )


def sms() -> Parts:
    lines = gzip.decompress((folder_of("sms_spam") / "SMSSpamCollection.gz").read_bytes()).decode("utf-8")
    pairs = [line.split("\t", 1) for line in lines.splitlines() if "\t" in line]
    return in_parts(hashed([text for _, text in pairs]), np.array([label for label, _ in pairs]))


def news() -> Parts:
    found: list[Any] = []
    for part in ("train", "test"):
        texts, labels = [], []
        with tarfile.open(folder_of("20newsgroups_bydate") / f"20news-bydate-{part}.tar.gz") as archive:
            for member in archive:
                if member.isfile() and (file := archive.extractfile(member)):
                    texts.append(file.read().decode("latin-1"))
                    labels.append(member.name.split("/")[-2])
        found += [hashed(texts), np.array(labels)]
    return Parts(*found)


def skin() -> Parts:
    table = np.loadtxt(folder_of("skin_segmentation") / "Skin_NonSkin.txt.gz")
    return in_parts(table[:, :3] / 255.0, table[:, 3].astype(int))


DATA: dict[str, Callable[[], Parts]] = {
    "a9a": given("a9a", "a9a.gz", "a9a.t.gz"),
    "reuters": given("reuters", "reuters.trn.bz2", "reuters.tst.bz2"),
    "sms_spam": sms,
    "20newsgroups": news,
    "skin_segmentation": skin,
}

OURS: dict[str, dict[str, Any]] = {
    "`rosenblatt`, averaged": {"rule": "rosenblatt", "keep": "averaged"},
    "`passive_aggressive_1`, C = 0.1, averaged": {
        "rule": rules.PassiveAggressive1(C=0.1), "keep": "averaged",
    },
    "`arow`": {"rule": "arow"},
    "`arow`, r = 0.1": {"rule": rules.Arow(0.1)},
    "`arow`, averaged": {"rule": "arow", "keep": "averaged"},
    "`narow`": {"rule": "narow"},
    "`normal_herd`, C = 0.1": {"rule": rules.NormalHerd(C=0.1)},
    "`scw1`": {"rule": "scw1"},
    "`scw2`": {"rule": "scw2"},
    "`confidence_weighted`": {"rule": "confidence_weighted"},
    "`second_order`, averaged": {"rule": "second_order", "keep": "averaged"},
    "`adagrad`, averaged": {"rule": "adagrad", "keep": "averaged"},
}  # fmt: skip


def ours(parts: Parts, settings: dict[str, Any], epochs: int) -> list[float]:
    """The error in each order; NaN where the weights overflow."""

    def error(seed: int) -> float:
        try:
            model = Perceptron(**settings, epochs=epochs, random_state=seed).fit(parts.X, parts.y)
        except BadInput:
            return math.nan
        return 1.0 - float(model.score(parts.X_test, parts.y_test))

    return [error(seed) for seed in range(SEEDS)]


def descent(parts: Parts, average: bool, epochs: int) -> list[float]:
    """Train scikit-learn's SGDClassifier with hinge loss and default settings."""
    return [
        1.0 - SGDClassifier(average=average, max_iter=epochs, tol=None, random_state=seed)
        .fit(parts.X, parts.y).score(parts.X_test, parts.y_test)
        for seed in range(SEEDS)
    ]  # fmt: skip


def batch(parts: Parts) -> float:
    """LIBLINEAR, the best of three C on the held-out rows: the target to approach."""
    return min(
        1.0 - LinearSVC(C=C, dual=parts.X.shape[1] > 1000)
        .fit(parts.X, parts.y).score(parts.X_test, parts.y_test)
        for C in (0.1, 1.0, 10.0)
    )  # fmt: skip


def compared(parts: Parts) -> dict[str, tuple[float, float]]:
    """Errors after one pass and after five, in per cent: means over seeds."""
    found = {
        name: (np.mean(ours(parts, settings, 1)), np.mean(ours(parts, settings, 5)))
        for name, settings in OURS.items()
    }
    for average in (False, True):
        name = "SGDClassifier, averaged" if average else "SGDClassifier"
        found[name] = np.mean(descent(parts, average, 1)), np.mean(descent(parts, average, 5))
    target = batch(parts)
    found["LIBLINEAR (batch, best of three C)"] = target, target
    return {name: (100.0 * float(one), 100.0 * float(five)) for name, (one, five) in found.items()}


def main() -> None:
    errors = {name: compared(make()) for name, make in DATA.items()}
    record(
        "first_passes",
        {
            f"first_passes/{set_}/{slug(learner)}/{passes}": Measured(error, "%", job=learner)
            for set_, found in errors.items()
            for learner, pair in found.items()
            for passes, error in zip((1, 5), pair, strict=True)
        },
    )
    table = Table(
        title=f"Errors on held-out rows in per cent, after one pass / five; means of {SEEDS} orders",
        title_justify="left", box=None, pad_edge=False,
    )  # fmt: skip
    for title in ("", *errors):
        table.add_column(title, justify="right" if title else "left")
    for learner in next(iter(errors.values())):
        table.add_row(learner, *("{:.2f} / {:.2f}".format(*found[learner]) for found in errors.values()))
    Console(width=150).print(table, "")


if __name__ == "__main__":
    main()
