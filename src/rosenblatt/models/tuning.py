"""`tune`: use held-out rows to compare settings of `Perceptron` and numbers of passes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline

from rosenblatt import rules
from rosenblatt.data.sources.reading import is_arrow
from rosenblatt.errors import BadInput, bad_value, whole_number
from rosenblatt.loops.threads import n_threads
from rosenblatt.models.features import Features
from rosenblatt.models.perceptron import Perceptron
from rosenblatt.training.compile_time import Stopwatch
from rosenblatt.training.shared_trainer import check_shared

DEFAULT = {"rule": rules.PassiveAggressive1(C=0.1), "keep": "averaged"}
DEFAULT_OF_TEXT = {"rule": rules.Arow(), "keep": "averaged"}
"""The defaults of `rosenblatt fit`."""

MOST_FOR_FOLDS = 2_000_000
"""Limit on (entries of all rows) × (binary classifiers). Up to this limit five folds are used, because a
single held-out fifth of few rows cannot rank nearly equal settings. With more rows, five folds would take
minutes.
"""


class Tried(NamedTuple):
    """Hold settings with their best number of passes and their error on held-out rows.

    Parameters
    ----------
    settings : mapping of str to object
        The parameters of `Perceptron`.
    epochs : int
        The pass after which the error was smallest.
    error : float
        The fraction of held-out rows that are misclassified after that pass.
    deviation : float
        The standard error of `error`.
    seconds : float
        The time that training took.
    of_folds : tuple of float
        The error in each fold.

    Examples
    --------
    >>> print(Tried({"rule": rules.Margin(), "keep": "last"}, 3, 0.1, 0.01, 1.0, (0.1,)))
    margin (tau=1), keep=last
    """

    settings: Mapping[str, Any]
    epochs: int
    error: float
    deviation: float
    seconds: float
    of_folds: tuple[float, ...]

    def __str__(self) -> str:
        rule = self.settings["rule"]
        inside = rules.format_parameters(
            {name: value for name, value in rule._asdict().items() if name != "rate"}
        )
        words = [rules.name_of(rule) + (f" ({inside})" if inside else ""), f"keep={self.settings['keep']}"]
        words += [str(self.settings["multiclass"])] if "multiclass" in self.settings else []
        return ", ".join(words)


@dataclass(frozen=True)
class Tuning:
    """Hold the compared settings, and the model trained on all rows with the chosen settings.

    Parameters
    ----------
    tried : list of Tried
        The chosen settings first, then the others by their error.
    model : Perceptron or Pipeline
        The fitted model.

    Examples
    --------
    >>> best = Tried({"rule": rules.Margin(), "keep": "last"}, 3, 0.1, 0.01, 1.0, (0.1,))
    >>> Tuning([best], model=None).best.epochs
    3
    """

    tried: list[Tried]
    model: Any

    @property
    def best(self) -> Tried:
        """Chosen settings, the first of `tried`."""
        return self.tried[0]

    def __str__(self) -> str:
        return table_of(self.tried)


def table_of(tried: Iterable[Tried]) -> str:
    """Return one line of text for each setting."""
    lines = [f"{'error':>8} {'±':>7} {'passes':>7} {'seconds':>8}  settings"]
    lines += [
        f"{one.error:8.4f} {one.deviation:7.4f} {one.epochs:7} {one.seconds:8.2f}  {one}" for one in tried
    ]
    return "\n".join(lines)


def settings_to_try(n_classes: int, has_text: bool = False) -> list[dict[str, Any]]:
    """Return the settings that `tune` compares by default, starting with the default of `rosenblatt fit`.

    Parameters
    ----------
    n_classes : int
        The number of classes.
    has_text : bool, default=False
        Whether the features come from text.

    Returns
    -------
    list of dict
        Parameters of `Perceptron`.

    Examples
    --------
    >>> len(settings_to_try(2)), len(settings_to_try(3))
    (14, 28)
    """
    passive = [rules.PassiveAggressive1(C=C) for C in (0.1, 1.0, 0.01, 0.001)]
    others = [
        rules.Rosenblatt(), rules.PassiveAggressive2(C=1.0), rules.PassiveAggressive2(C=0.01),
        rules.Margin(), rules.Alma(),
    ]  # fmt: skip
    averaged = [{"rule": rule, "keep": "averaged"} for rule in (*passive, *others)]
    kept = [
        {"rule": rule, "keep": keep}
        for rule in (passive[0], rules.Rosenblatt())
        for keep in ("last", "pocket")
    ]
    every: list[dict[str, Any]] = [*averaged, *kept]
    every.insert(0 if has_text else len(every), DEFAULT_OF_TEXT)
    if n_classes == 2:
        return every
    return [each | {"multiclass": way} for way in ("ultraconservative", "one_vs_rest") for each in every]


def suits(settings: Mapping[str, Any]) -> bool:
    """Return whether the settings can be combined.

    Some rules and averaging strategies do not support multiclass="ultraconservative".
    """
    if settings.get("multiclass") != "ultraconservative":
        return True
    try:
        check_shared(settings["rule"], settings["keep"], "mistake", "shuffled")
    except BadInput:
        return False
    return True


def tune(
    X: Any,
    y: Any,
    *,
    settings: Sequence[Mapping[str, Any]] | None = None,
    epochs: int = 20,
    hold_out: float | None = None,
    folds: int | None = None,
    random_state: int = 0,
    n_jobs: int | None = -1,
) -> Tuning:
    """Use held-out rows to compare settings, and train on all rows with the best settings.

    Each setting makes `epochs` passes over the same rows, and the error on the held-out rows is measured
    after every pass, so that the number of passes is chosen too. The chosen setting is the first one whose
    error exceeds the smallest error by at most one standard error of the difference over the folds. Its
    error on the held-out rows is never larger than the error of the first element of `settings`, which is
    the default of the command line.

    Parameters
    ----------
    X : array-like, sparse matrix or table of shape (n_rows, n_features)
        The rows. A table is encoded by `Features`.
    y : array-like of shape (n_rows,)
        The classes of the rows.
    settings : sequence of mapping, default=None
        Parameters of `Perceptron` to compare; None for `settings_to_try`.
    epochs : int, default=20
        The largest number of passes.
    hold_out : float or None, default=None
        The fraction of the rows to hold out. None means five folds, or a fifth of the rows if they contain
        more than two million numbers (with more than two classes: numbers times classes).
    folds : int or None, default=None
        The number of folds to use instead of a single split; each row is then held out once.
    random_state : int, default=0
        The seed of the split and of the shuffles.
    n_jobs : int or None, default=-1
        The number of threads: −1 for one per core, None for a single thread.

    Returns
    -------
    Tuning
        The settings compared, and the trained model.

    Raises
    ------
    BadInput
        If a parameter or the data cannot be used.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]] * 10)
    >>> tuning = tune(X, X.ravel() > 1.5)
    >>> tuning.best.error, tuning.model.score(X, X.ravel() > 1.5)
    (0.0, 1.0)
    """
    y = np.asarray(y)
    whole_number("epochs", epochs, 1)
    features = Features().fit(X, y) if is_arrow(X) else None
    rows = features.transform(X) if features is not None else X
    n_classes = len(np.unique(y))
    has_text = features is not None and bool(features.fields_.names("text"))
    if settings is None:
        candidates = settings_to_try(n_classes, has_text)
    else:
        candidates = [DEFAULT | {**one} for one in settings]
    tried = rank_results(
        compare_settings(
            rows,
            y,
            [each for each in candidates if suits(each)],
            epochs,
            hold_out,
            folds,
            random_state,
            n_jobs,
        )
    )
    model = Perceptron(**tried[0].settings, epochs=tried[0].epochs, random_state=random_state)
    whole = model if features is None else make_pipeline(features, model)
    model.fit(rows, y)
    return Tuning(tried, whole)


def compare_settings(
    X: Any,
    y: NDArray[Any],
    settings: Sequence[Mapping[str, Any]],
    epochs: int,
    hold_out: float | None,
    folds: int | None,
    random_state: int,
    n_jobs: int | None,
) -> list[Tried]:
    """Return the results of all settings on held-out rows."""
    X = X.tocsr() if hasattr(X, "tocsr") else np.asarray(X)
    if hold_out is None and folds is None:
        n_classes = len(np.unique(y))
        work = (X.nnz if hasattr(X, "nnz") else X.size) * (1 if n_classes == 2 else n_classes)
        is_few = work <= MOST_FOR_FOLDS
        hold_out, folds = (None, min(5, len(y))) if is_few else (0.2, None)
    splits = _splits(y, hold_out, folds, random_state)
    parts = [(X[train], y[train], (X[held], y[held])) for train, held in splits]

    def errors(each: Mapping[str, Any]) -> tuple[NDArray[np.float64], float]:
        watch = Stopwatch()
        found = []
        for rows, labels, held in parts:
            model = Perceptron(**each, epochs=epochs, random_state=random_state, validation=held)
            history = model.fit(rows, labels).history_
            found.append([record.validation_error for record in history])
        shortest = min(map(len, found))  # a run may end early, after a pass without mistakes
        return np.array([one[:shortest] for one in found]), watch.learning

    with ThreadPoolExecutor(n_threads(n_jobs)) as threads:
        results = list(threads.map(errors, settings))
    n_held = [len(held[1]) for _, _, held in parts]
    return [_best_pass(each, *result, n_held) for each, result in zip(settings, results, strict=True)]


def rank_results(tried: Sequence[Tried]) -> list[Tried]:
    """Return the results with the chosen one first and the others sorted by error.

    The first element of `tried` is the default. The chosen result is the first one whose error is within
    one standard error of the smallest error and is not larger than the error of the default.

    Examples
    --------
    >>> rule = {"rule": rules.Rosenblatt(), "keep": "last"}
    >>> ones = [Tried(rule, 1, sum(e) / 2, 0.0, 0.0, e) for e in [(0.5, 0.5), (0.3, 0.32), (0.25, 0.34)]]
    >>> [round(one.error, 3) for one in rank_results(ones)]
    [0.31, 0.295, 0.5]
    """
    least = min(tried, key=lambda one: one.error)

    def is_as_good(one: Tried) -> bool:
        apart = np.subtract(one.of_folds, least.of_folds)
        noise = apart.std(ddof=1) / np.sqrt(len(apart)) if len(apart) > 1 else 0.0
        return one.error - least.error <= noise and one.error <= tried[0].error

    choice = next(filter(is_as_good, tried))
    return [choice, *sorted((one for one in tried if one is not choice), key=lambda one: one.error)]


def _best_pass(
    settings: Mapping[str, Any], errors: NDArray[np.float64], seconds: float, n_held: list[int]
) -> Tried:
    """Return the settings with their best pass, the one with the smallest mean error over the folds."""
    means = np.average(errors, axis=0, weights=n_held)
    at = int(means.argmin())
    if len(errors) > 1:
        deviation = float(errors[:, at].std(ddof=1) / np.sqrt(len(errors)))
    else:
        deviation = float(np.sqrt(means[at] * (1.0 - means[at]) / sum(n_held)))
    return Tried(
        dict(settings), at + 1, float(means[at]), deviation, seconds, tuple(errors[:, at].tolist())
    )


def _splits(
    y: NDArray[Any], hold_out: float | None, folds: int | None, seed: int
) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Return pairs of training and held-out rows with the same class proportions."""
    fewest = np.unique(y, return_counts=True)[1].min()
    if fewest < 2 or (folds is not None and fewest < folds):
        y = np.zeros(len(y))  # a class with fewer rows cannot occur in every part
    if folds is not None:
        whole_number("folds", folds, 2, len(y))
        return list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(y, y))
    if hold_out is None or not 0.0 < hold_out < 1.0:
        raise bad_value("hold_out", hold_out, "a fraction of the rows, between 0 and 1")
    try:
        return list(StratifiedShuffleSplit(1, test_size=hold_out, random_state=seed).split(y, y))
    except ValueError as error:
        raise BadInput(f"hold_out: {hold_out} of {len(y)} rows cannot be held out ({error})") from error
