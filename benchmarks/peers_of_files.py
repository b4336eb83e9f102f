"""What users of scikit-learn and Vowpal Wabbit write for a file. Arguments: WHICH KIND TRAIN TEST."""

from __future__ import annotations

import csv
import json
import re
import sys
import warnings
from typing import Any

import numpy as np

NO_WORD = re.compile(r"[^\w.-]")


def tables(kind: str, *paths: str) -> list[tuple[Any, Any]]:
    """(X, y) of each file."""
    import pandas as pd

    if kind == "svmlight":
        from sklearn.datasets import load_svmlight_files

        X, y, X_test, y_test = load_svmlight_files(paths)
        for rows in (X, X_test):  # the solvers want 32 bits
            rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
        return [(X, y), (X_test, y_test)]
    options: dict[str, Any] = {"sep": "\t", "quoting": csv.QUOTE_NONE} if kind == "text" else {}
    frames = [pd.read_csv(path, **options) for path in paths]
    parts = [(frame.drop(columns="kind"), frame["kind"].astype(str)) for frame in frames]
    return [(X["text"].fillna(""), y) for X, y in parts] if kind == "text" else parts


def scikit_learn(which: str, kind: str, *paths: str) -> float:
    from sklearn.compose import ColumnTransformer, make_column_selector
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression, SGDClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    (X, y), (X_test, y_test) = tables(kind, *paths)
    last = (
        SGDClassifier(average=True, random_state=0) if which == "sgd" else LogisticRegression(max_iter=300)
    )
    steps: list[Any] = []
    if kind == "text":
        many = which == "logistic" and y.nunique() > 2  # 2^20 weights for each of twenty classes take hours
        steps = [HashingVectorizer(n_features=2**17 if many else 2**20)]
    if kind == "table":
        numbers = make_pipeline(SimpleImputer(), StandardScaler())
        others = OneHotEncoder(handle_unknown="ignore")
        steps = [
            ColumnTransformer(
                [
                    ("numbers", numbers, make_column_selector(dtype_include="number")),
                    ("others", others, make_column_selector(dtype_exclude="number")),
                ]
            )
        ]
    model = make_pipeline(*steps, last).fit(X, y)
    return float(np.mean(model.predict(X_test) != y_test))


def vowpal_wabbit(ngram: int, kind: str, *paths: str) -> float:
    import vowpalwabbit

    (X, y), (X_test, y_test) = tables(kind, *paths)
    classes = sorted(set(y))
    numbers = {label: number for number, label in enumerate(classes, 1)}
    two = len(classes) == 2
    arguments = (
        f"--quiet -b 22 {f'--ngram {ngram}' if ngram > 1 else ''} {'' if two else f'--oaa {len(classes)}'}"
    )
    model = vowpalwabbit.Workspace(arguments)
    for line, label in zip(lines(kind, X), y, strict=True):
        known = (1 if label == classes[1] else -1) if two else numbers[label]
        model.learn(f"{known} | {line}")
    answers = [model.predict(f"| {line}") for line in lines(kind, X_test)]
    model.finish()
    truth = [(label == classes[1]) if two else numbers.get(label, 0) for label in y_test]
    given = [answer > 0 for answer in answers] if two else answers
    return float(np.mean([answer != label for answer, label in zip(given, truth, strict=True)]))


def lines(kind: str, X: Any) -> Any:
    """Rows as Vowpal Wabbit reads them."""
    if kind == "text":
        return (" ".join(re.findall(r"\w+", text.lower())) for text in X)
    if kind == "svmlight":
        X = X.tocsr()
        return (
            " ".join(f"f{j}:{x:.9g}" for j, x in zip(X[i].indices, X[i].data, strict=True))
            for i in range(X.shape[0])
        )
    return (
        " ".join(
            f"{name}:{cell:.9g}"
            if isinstance(cell, (int, float))
            else f"{name}={NO_WORD.sub('_', str(cell))}"
            for name, cell in zip(X.columns, row, strict=True)
            if cell == cell
        )
        for row in X.itertuples(index=False)
    )


def main() -> None:
    warnings.simplefilter("ignore")
    which, kind, *paths = sys.argv[1:]
    error = (
        vowpal_wabbit(int(which[2:]), kind, *paths)
        if which.startswith("vw")
        else scikit_learn(which, kind, *paths)
    )
    print(json.dumps({"test": {"error": error}}))


if __name__ == "__main__":
    main()
