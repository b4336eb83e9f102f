"""Find flipped labels: `rosenblatt suspects` beside cleanlab around a logistic regression.

    python -m benchmarks.label_suspects [NAME ...]

In each set, 5 and 10 % of the labels are replaced by another class at random, three times (thirty times in
the small set titanic, where the first 1 % are seven rows). Both sides rank
all rows with five folds, in one process. Printed and recorded are the precision among the first 1 %, the
first 5 % and as many rows as labels were flipped, and the CPU time: the mean of all. cleanlab ranks
by the self-confidence of scikit-learn's LogisticRegression, on tf-idf features of words and word pairs, or
on standardised numbers and one-hot categories.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.results import Measured, record

SETS: dict[str, tuple[str, int, bool, dict[str, Any]]] = {  # file, label column, is text, how to read it
    "finphrase": ("own_files/finphrase/train.csv.gz", 0, True, {"encoding": "latin-1"}),
    "polarity": ("own_files/polarity/train.tsv.gz", 1, True, {"sep": "\t", "quoting": 3}),
    "sst2": ("own_files/sst2/train.tsv.gz", 1, True, {"sep": "\t", "quoting": 3, "header": None}),
    "drybean": ("own_files/drybean/train.csv.gz", -1, False, {"sep": ";", "decimal": ",", "index_col": 0}),
    "churn": ("own_files/churn/train.csv.gz", -1, False, {"usecols": range(3, 14)}),
    "digits": ("digits/digits.csv.gz", -1, False, {"header": None}),
    "sms_spam": (
        "sms_spam/SMSSpamCollection.gz", 0, True, {"sep": "\t", "quoting": 3, "header": None},
    ),
    "titanic": ("own_files/titanic/train.csv.gz", 1, False, {}),
}  # fmt: skip
FOLDS = 5
SEEDS = range(10, 13)  # of the flips; the settings of find_suspects were chosen with seed 0
SMALL, SEEDS_OF_SMALL = 1000, range(10, 40)
MEASURES = ("first-1", "first-5", "planted", "cpu")


def flipped(y: Any, part: float, seed: int) -> tuple[Any, Any]:
    """Return labels of which a part is replaced by another class, and whether each was."""
    r = np.random.default_rng(seed)
    classes, numbers = np.unique(y, return_inverse=True)
    is_wrong = np.zeros(len(y), bool)
    is_wrong[r.permutation(len(y))[: round(part * len(y))]] = True
    shift = r.integers(1, len(classes), len(y))
    return classes[np.where(is_wrong, (numbers + shift) % len(classes), numbers)], is_wrong


def by_cleanlab(X: pd.DataFrame, y: Any, is_text: bool) -> Any:
    """Return the rows in the order of cleanlab's label quality, the worst first."""
    from cleanlab.rank import get_label_quality_scores
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    features: Any = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    if not is_text:
        features = make_column_transformer(
            (
                make_pipeline(SimpleImputer(), StandardScaler()),
                make_column_selector(dtype_include="number"),
            ),
            (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")),
        )
    model = make_pipeline(features, LogisticRegression(max_iter=1000))
    numbers = np.unique(y, return_inverse=True)[1]
    rows = X.iloc[:, 0].astype(str) if is_text else X
    found = cross_val_predict(model, rows, numbers, cv=FOLDS, method="predict_proba")
    return np.argsort(get_label_quality_scores(numbers, found), kind="stable")


def by_rosenblatt(X: pd.DataFrame, y: Any, is_text: bool) -> Any:
    """Return the rows in the order of rosenblatt's score, the worst first."""
    from rosenblatt.data.sources.encoding import Encoding
    from rosenblatt.data.sources.reading import read
    from rosenblatt.explanations.label_suspects import find_suspects
    from rosenblatt.models.default_settings import ENCODING, READING

    text = [str(X.columns[0])] if is_text else []
    source = read(X.assign(label_=y), target="label_", text=text, encoding=Encoding(**ENCODING), **READING)
    return np.array([suspect.row for suspect in find_suspects(source, FOLDS, every_row=True)[0]])


def main(names: list[str]) -> None:
    """Print the precision of both sides on each set."""
    warnings.simplefilter("ignore")
    folder = Path(os.environ["ROSENBLATT_DATA"])
    print(f"{'set':10} {'flipped':>7} {'side':12} {'1 %':>6} {'5 %':>6} {'planted':>7} {'CPU s':>8}")
    warm = pd.DataFrame({"a": np.sin(np.arange(40.0)), "b": ["x y z", "u v w"] * 20})
    for columns, is_text in ((["a"], False), (["b"], True)):  # compile before the clock starts
        for n_classes in (2, 3):
            by_rosenblatt(warm[columns], np.arange(40) % n_classes, is_text)
    for name in names or SETS:
        path, label, is_text, how = SETS[name]
        frame = pd.read_csv(folder / path, **how).rename(columns=str)
        target = frame.columns[label]
        X, y = frame.drop(columns=target), frame[target].astype(str).to_numpy()
        for part in (0.05, 0.10):
            seeds = SEEDS_OF_SMALL if len(y) < SMALL else SEEDS
            found = np.array([_measured(X, y, is_text, part, seed) for seed in seeds])
            for side, runs in zip(("rosenblatt", "cleanlab"), found.swapaxes(0, 1), strict=True):
                values = runs.mean(axis=0)
                print(
                    f"{name:10} {part:7.0%} {side:12} {values[0]:6.1f} {values[1]:6.1f} {values[2]:7.1f} "
                    f"{values[3]:8.2f}",
                    flush=True,
                )
                figures = {
                    f"label_suspects/{name}/{100 * part:.0f}/{side}/{what}": Measured(
                        float(value), "s" if what == "cpu" else "%", n=len(seeds),
                        low=float(low), high=float(high), standard_error=float(error),
                    )
                    for what, value, low, high, error in zip(
                        MEASURES, values, runs.min(axis=0), runs.max(axis=0),
                        runs.std(axis=0, ddof=1) / len(seeds) ** 0.5, strict=True,
                    )
                }  # fmt: skip
                record("label_suspects", figures)


def _measured(X: pd.DataFrame, y: Any, is_text: bool, part: float, seed: int) -> list[list[float]]:
    """Return the precisions in percent and the CPU time of both sides for one choice of flipped labels."""
    given, is_wrong = flipped(y, part, seed)
    results = []
    for side in (by_rosenblatt, by_cleanlab):
        begun = time.process_time()
        order = side(X, given, is_text)
        seconds = time.process_time() - begun
        sizes = (0.01 * len(y), 0.05 * len(y), is_wrong.sum())
        results.append([100.0 * is_wrong[order[: max(1, round(k))]].mean() for k in sizes] + [seconds])
    return results


if __name__ == "__main__":
    main(sys.argv[1:])
