"""Recipes that an experienced user of scikit-learn, Vowpal Wabbit or LightGBM would write for a file.

``python -m benchmarks.peers_of_files WHICH`` reads a description of the files from standard input (`Files`
as JSON) and prints the error on the test file, and the area under the ROC curve of two classes.
"""

from __future__ import annotations

import csv
import json
import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

NO_WORD = re.compile(r"[^\w.-]")
COSTS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
FOLDS = 3
SMALL = 2000  # rows
RATES = (0.5, 2.0)  # Vowpal Wabbit's default, and a faster one


@dataclass
class Files:
    """A training and a test file, and what an experienced user knows about their columns.

    `kind` is text (one text), letters (one word), table or svmlight. `drop` names the columns that identify
    a row, `categories` the numbers that are codes, `dates` the times.
    """

    kind: str
    train: str
    test: str
    target: Any = -1
    header: bool = True
    separator: str = ","
    decimal: str = "."
    encoding: str = "utf-8"
    quoted: bool = True
    drop: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()

    def to_json(self) -> str:
        return json.dumps(asdict(self))


def read(files: Files) -> list[tuple[Any, Any]]:
    """Return (X, y) of both files: texts, a data frame, or sparse rows."""
    if files.kind == "svmlight":
        from sklearn.datasets import load_svmlight_files

        X, y, X_test, y_test = load_svmlight_files((files.train, files.test))
        for rows in (X, X_test):  # the solvers take 32-bit indices
            rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
        return [(X, y), (X_test, y_test)]
    return [_table(files, path) for path in (files.train, files.test)]


def _table(files: Files, path: str) -> tuple[Any, Any]:
    import pandas as pd

    frame = pd.read_csv(
        path, sep=files.separator, decimal=files.decimal, encoding=files.encoding, na_values=["?"],
        header=0 if files.header else None, quoting=csv.QUOTE_MINIMAL if files.quoted else csv.QUOTE_NONE,
    )  # fmt: skip
    frame.columns = [str(name) for name in frame.columns]
    target = frame.columns[files.target] if isinstance(files.target, int) else files.target
    y = frame.pop(target).astype(str)
    if files.kind != "table":
        return frame[frame.columns[-1]].fillna("").astype(str), y
    frame = frame.drop(columns=list(files.drop))
    for name in files.categories:
        frame[name] = frame[name].astype(str)
    times = {name: pd.to_datetime(frame.pop(name)).dt.tz_localize(None) for name in files.dates}
    days = {name: (time - pd.Timestamp(1970, 1, 1)) / pd.Timedelta(days=1) for name, time in times.items()}
    for name, time in times.items():
        frame[name], frame[f"{name} hour"] = days[name], time.dt.hour
        frame[f"{name} weekday"] = time.dt.dayofweek.astype(str)
    for first, second in zip(files.dates, files.dates[1:], strict=False):
        frame[f"{second} - {first}"] = np.floor(days[second]) - np.floor(days[first])
    return frame, y


def scikit_learn(files: Files) -> dict[str, float | None]:
    """Tf-idf of words and pairs with LinearSVC, C by cross-validation; tables: LogisticRegressionCV."""
    from sklearn.compose import ColumnTransformer, make_column_selector
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegressionCV
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
    from sklearn.svm import LinearSVC

    (X, y), (X_test, y_test) = read(files)
    support_vectors = GridSearchCV(LinearSVC(random_state=0), {"C": COSTS}, cv=FOLDS)
    if files.kind == "table":
        numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
        others = make_pipeline(
            SimpleImputer(strategy="constant", fill_value="missing"), OneHotEncoder(handle_unknown="ignore")
        )
        columns = ColumnTransformer(
            [
                ("numbers", numbers, make_column_selector(dtype_include="number")),
                ("others", others, make_column_selector(dtype_exclude="number")),
            ]
        )
        model = make_pipeline(columns, LogisticRegressionCV(cv=FOLDS, max_iter=1000))
    elif files.kind == "text":
        model = make_pipeline(TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2)), support_vectors)
    elif files.kind == "letters":
        letters = TfidfVectorizer(analyzer="char_wb", sublinear_tf=True, ngram_range=(1, 5))
        model = make_pipeline(letters, support_vectors)
    else:
        model = support_vectors
    model.fit(X, y)
    scores = model.decision_function(X_test) if len(model.classes_) == 2 else None
    return quality(model.predict(X_test), y_test, scores, model.classes_)


def lightgbm(files: Files) -> dict[str, float | None]:
    """Train LightGBM with default settings and its own handling of categories and missing values."""
    import pandas as pd
    from lightgbm import LGBMClassifier

    (X, y), (X_test, y_test) = read(files)
    for name in X.columns:
        if not pd.api.types.is_numeric_dtype(X[name]):
            X[name] = X[name].astype("category")
            X_test[name] = pd.Categorical(X_test[name], categories=X[name].cat.categories)
    for rows in (X, X_test):
        rows.columns = [f"column_{j}" for j in range(X.shape[1])]  # it refuses some characters in names
    model = LGBMClassifier(random_state=0, verbose=-1).fit(X, y)
    probabilities = model.predict_proba(X_test)
    scores = probabilities[:, 1] if len(model.classes_) == 2 else None
    return quality(model.classes_[probabilities.argmax(axis=1)], y_test, scores, model.classes_)


def vowpal_wabbit(files: Files) -> dict[str, float | None]:
    """Logistic loss; words and pairs, or letters up to fives, in 2^24 weights; settings by held-out rows.

    A tenth of the training rows chooses the number of passes (at most ten; three passes without a lower
    error end the search, as in its command line) and, for tables, the learning rate and whether numbers are
    standardised. Of fewer than 2,000 rows, a third chooses, from up to a hundred passes. The model then
    learns from all training rows.
    """
    (X, y), (X_test, y_test) = read(files)
    classes = np.unique(y)
    options = "--quiet -b 24 --loss_function logistic" + {
        "text": " --ngram 2",
        "letters": " --ngram 5",
    }.get(files.kind, "")
    options += "" if len(classes) == 2 else f" --oaa {len(classes)}"
    labels = np.searchsorted(classes, np.asarray(y))
    order = np.random.default_rng(0).permutation(len(labels))
    is_small = len(order) < SMALL
    held, kept = np.split(order, [len(order) // (3 if is_small else 10)])
    tried: list[tuple[float, int, str, list[str], list[str]]] = []
    for scaled in (True, False) if files.kind == "table" else (False,):
        pair = standardised(X, X_test) if scaled else (X, X_test)
        rows, test = (list(lines(files.kind, part)) for part in pair)
        for rate in RATES if files.kind == "table" else RATES[:1]:
            given = f"{options} -l {rate}"
            errors: list[float] = []
            for model in passes(
                given, [rows[i] for i in kept], labels[kept], len(classes), 100 if is_small else 10
            ):
                errors.append(float(np.mean(answers(model, [rows[i] for i in held])[0] != labels[held])))
                if not is_small and len(errors) - int(np.argmin(errors)) > 3:
                    break
            tried.append((min(errors), int(np.argmin(errors)) + 1, given, rows, test))
    _, most, given, rows, test = min(tried, key=lambda each: each[0])
    *_, model = passes(given, [rows[i] for i in order], labels[order], len(classes), most)
    predicted, scores = answers(model, test)
    return quality(classes[predicted], y_test, scores, classes)


def standardised(X: Any, X_test: Any) -> tuple[Any, Any]:
    """Return copies in which the numbers of X have mean 0 and deviation 1; X_test gets the same scale.

    >>> import pandas as pd
    >>> X, X_test = pd.DataFrame({"a": [1.0, 3.0], "b": ["x", "y"]}), pd.DataFrame({"a": [5.0], "b": ["x"]})
    >>> [rows.to_dict("list") for rows in standardised(X, X_test)]
    [{'a': [-1.0, 1.0], 'b': ['x', 'y']}, {'a': [3.0], 'b': ['x']}]
    """
    numbers = X.select_dtypes("number").columns
    centre, spread = X[numbers].mean(), X[numbers].std(ddof=0)
    spread[~(spread > 0.0)] = 1.0
    X, X_test = X.copy(), X_test.copy()
    for rows in (X, X_test):
        rows[numbers] = (rows[numbers] - centre) / spread
    return X, X_test


def passes(options: str, rows: list[str], labels: np.ndarray, n_classes: int, most: int) -> Iterator[Any]:
    """Yield the model after each pass, in a new order each time."""
    import vowpalwabbit

    model = vowpalwabbit.Workspace(options)
    names = (-1, 1) if n_classes == 2 else range(1, n_classes + 1)
    examples = [f"{names[label]} | {row}" for row, label in zip(rows, labels, strict=True)]
    for number in range(most):
        for i in np.random.default_rng(number).permutation(len(examples)):
            model.learn(examples[i])
        yield model


def answers(model: Any, rows: list[str]) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the number of each row's class, and the scores of two classes."""
    predicted = np.array([model.predict(f"| {row}") for row in rows])
    if predicted.dtype.kind == "f":
        return (predicted > 0).astype(int), predicted
    return predicted - 1, None


def lines(kind: str, X: Any) -> Iterator[str]:
    """Yield rows as Vowpal Wabbit reads them."""
    if kind == "text":
        return (" ".join(re.findall(r"\w+", text.lower())) for text in X)
    if kind == "letters":
        return (" ".join(["start", *re.findall(r"\w", text.lower()), "end"]) for text in X)
    if kind == "svmlight":
        rows = X.tocsr()
        return (
            " ".join(f"f{j}:{x:.9g}" for j, x in zip(rows[i].indices, rows[i].data, strict=True))
            for i in range(rows.shape[0])
        )
    return (
        " ".join(
            f"c{j}:{cell:.9g}" if isinstance(cell, (int, float)) else f"c{j}={NO_WORD.sub('_', str(cell))}"
            for j, cell in enumerate(row)
            if cell == cell
        )
        for row in X.itertuples(index=False)
    )


def quality(predicted: Any, y: Any, scores: Any, classes: Any) -> dict[str, float | None]:
    from sklearn.metrics import roc_auc_score

    y = np.asarray(y)
    auc = None if scores is None else float(roc_auc_score(y == classes[1], scores))
    return {"error": float(np.mean(np.asarray(predicted) != y)), "auc": auc}


WAYS = {"scikit-learn": scikit_learn, "lightgbm": lightgbm, "vowpal_wabbit": vowpal_wabbit}


def main() -> None:
    warnings.simplefilter("ignore")
    print(json.dumps(WAYS[sys.argv[1]](Files(**json.load(sys.stdin)))))


if __name__ == "__main__":
    main()
