"""Choose the columns, their encoding, the update rule and its parameters by cross-validation on a sample.

The comparison has stages: the columns, the features of texts, the features of numbers, and with
effort="thorough" the rule. Each stage compares the choice so far with a few candidates: each is trained on
two thirds of the sample and measured on the other third, three times. Means, quantiles, document
frequencies and pairs of columns come from the training part alone. The choice is the first candidate whose
error exceeds the smallest error by at most one standard error of the difference, or two if the smallest is
that of character n-grams. So the simplest are listed first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rosenblatt.data.sources.encoding import AUTO, Encoding
from rosenblatt.data.sources.row_samples import Effort
from rosenblatt.data.sources.table_fields import FieldFeatures
from rosenblatt.data.targets import read_target
from rosenblatt.models.fit_inputs import begin_run, make_examples, make_plan
from rosenblatt.models.prediction_metrics import METRICS, fit_probabilities, standard_error
from rosenblatt.models.setting_candidates import Candidate, Stages
from rosenblatt.numeric.feature_numbers import FeatureNumbers
from rosenblatt.numeric.row_batches import as_rows, n_rows
from rosenblatt.training.run import run
from rosenblatt.training.settings import PERCEPTRON, settings_of
from rosenblatt.training.streams.stream_run import shuffle_seed


@dataclass(frozen=True)
class Selection:
    """Hold the candidates, their errors with standard errors, and the number of the chosen candidate."""

    candidates: Sequence[Candidate]
    errors: Sequence[float]
    deviations: Sequence[float]
    chosen: int
    n_rows: int
    n_folds: int
    metric: str = "error"
    encoding: Encoding | None = None
    """The encoding of the chosen candidate; its pairs are named."""
    numbers: NDArray[np.int64] | None = None
    scores: NDArray[np.float64] | None = None
    """The class number of each row, and its decision values by the chosen candidate without its fold."""

    def __str__(self) -> str:
        """Return text about the settings that were compared and the choice.

        >>> tried = [Candidate(Encoding(), None), Candidate(Encoding(), None, ("--numbers", "piecewise"))]
        >>> print(Selection(tried, [0.2, 0.15], [0.01, 0.01], 1, 900, 3))
        Compared 2 settings by 3-fold cross-validation on 900 rows.
        Chose --numbers piecewise: error 0.1500, with the default settings 0.2000.
        """
        values, metric = self.errors, self.metric.replace("_", " ")
        usual = next(k for k, candidate in enumerate(self.candidates) if not candidate.options)
        where = f"{self.n_folds}-fold cross-validation on {self.n_rows:,} rows"
        if len(values) == 1:
            return f"Measured the default settings by {where}: {metric} {values[0]:.4f}."
        first = f"Compared {len(values)} settings by {where}."
        if self.chosen != usual:
            simpler = values[self.chosen] > values[usual]
            why = ", as simpler settings that are not worse by more than chance" if simpler else ""
            return (
                f"{first}\nChose {self.best}{why}: {metric} {values[self.chosen]:.4f}, "
                f"with the default settings {values[usual]:.4f}."
            )
        kept = f"{first}\nKept the default settings: {metric} {values[usual]:.4f}"
        return f"{kept}{self.reason or ', the lowest'}."

    @property
    def reason(self) -> str:
        """Reason for the choice if another candidate has a smaller error, as the end of a sentence.

        >>> tried = [Candidate(Encoding(), None), Candidate(Encoding(), None, ("--numbers", "piecewise"))]
        >>> print(Selection(tried, [0.2, 0.15], [0.01, 0.01], 0, 900, 3).reason)
        ; the lowest error, 0.1500, may be chance
        """
        if self.errors[self.chosen] == min(self.errors):
            return ""
        return f"; the lowest {self.metric.replace('_', ' ')}, {min(self.errors):.4f}, may be chance"

    @property
    def best(self) -> Candidate:
        """The chosen candidate."""
        return self.candidates[self.chosen]

    def table(self) -> str:
        """Return one line of text for each candidate, the smallest error first.

        >>> tried = [Candidate(Encoding(), None), Candidate(Encoding(), None, ("--numbers", "piecewise"))]
        >>> print(Selection(tried, [0.2, 0.15], [0.01, 0.01], 1, 900, 3).table())
           error       ±  settings
          0.1500  0.0100  --numbers piecewise
          0.2000  0.0100  the default settings
        """
        order = sorted(range(len(self.errors)), key=lambda k: (self.errors[k], k))
        lines = [f"{self.errors[k]:8.4f} {self.deviations[k]:7.4f}  {self.candidates[k]}" for k in order]
        return "\n".join([f"{self.metric.replace('_', ' '):>8} {'±':>7}  settings", *lines])

    def as_dict(self) -> dict[str, Any]:
        """Return the selection for JSON."""
        tried = zip(self.candidates, self.errors, self.deviations, strict=True)
        return {
            "rows": self.n_rows, "folds": self.n_folds, "metric": self.metric, "chosen": str(self.best),
            "compared": [
                {"settings": str(one), "value": error, "standard_error": deviation}
                for one, error, deviation in tried
            ],
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Trial:
    """Hold a candidate, the out-of-fold decision values of all rows, and the measure computed from them.

    `scores` are the decision values, or probabilities if the measure is the log loss.
    """

    candidate: Candidate
    decisions: NDArray[np.float64]
    scores: NDArray[np.float64]
    value: float


class Comparison:
    """Measure candidates by cross-validation on a table; `numbers` are the class numbers of its rows."""

    def __init__(
        self,
        table: Any,
        numbers: NDArray[np.int64],
        fields: FieldFeatures,
        effort: Effort,
        settings: Mapping[str, Any],
        metric: str,
        seed: int,
    ) -> None:
        self.fields = replace(
            fields, missing=fields.missing if fields.missing == "mark" else "zero", labelled=False,
            bits=min(fields.bits, effort.bits),
        )  # fmt: skip
        self._table, self._numbers = table, numbers
        self._metric, self._measure = metric, METRICS[metric]
        self._settings, self._seed = {**settings, "epochs": effort.epochs}, seed
        fold = stratified_folds(numbers, effort.folds, seed)
        self._folds = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(effort.folds)]

    def try_all(self, candidates: Sequence[Candidate]) -> list[Trial]:
        """Measure each candidate; neighbours with the same features share their rows."""
        n, n_classes = len(self._numbers), int(self._numbers.max()) + 1
        decisions = [np.zeros(n if n_classes == 2 else (n, n_classes)) for _ in candidates]
        for train, held in self._folds:
            features = rows = None
            for each, candidate in zip(decisions, candidates, strict=True):
                if (candidate.encoding, candidate.left_out) != features:
                    features = candidate.encoding, candidate.left_out
                    fields = candidate.fields_of(self.fields)
                    rows = _encode(self._table, self._numbers, fields, train, held)
                assert rows is not None
                classes, found = self._decide(candidate.rule, rows[0], self._numbers[train], rows[1])
                each[held] = _with_all_classes(found, classes, each.shape[1:])
        return [self._trial(*each) for each in zip(candidates, decisions, strict=True)]

    def _decide(
        self, rule: Any, X: Any, y: NDArray[np.int64], others: Any
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the classes, and the decision values of other rows, as `Perceptron` does."""
        usual = {name: setting.default for name, setting in settings_of(PERCEPTRON).items()}
        model = SimpleNamespace(**{**usual, **self._settings, "rule": rule})
        rows = as_rows(X)
        target = read_target(y, len(y))
        batch = make_examples(rows, target, None, model.class_weight, target.no_totals())
        state = begin_run(model, batch, target.n_columns)
        outcome = run(state, batch, make_plan(model, n_rows(rows), shuffle_seed(self._seed), None))
        return target.classes, outcome.state.answers().values(as_rows(others))

    def _trial(self, candidate: Candidate, decisions: NDArray[np.float64]) -> Trial:
        scores = decisions
        if self._metric == "log_loss":
            scores = fit_probabilities(self._numbers, decisions)
        return Trial(candidate, decisions, scores, self._measure(self._numbers, scores))

    def choose(self, trials: Sequence[Trial]) -> Trial:
        """Return the first trial that is worse than the best by at most its margin."""
        best = min(trials, key=lambda trial: trial.value)
        margin = best.candidate.margin
        return next(
            trial
            for trial in trials
            if trial is best or trial.value - best.value <= margin * self.deviation(trial, best)
        )

    def deviation(self, trial: Trial, other: Trial | None = None) -> float:
        """Return the standard error of the measure, or of its difference from another trial."""
        scores = None if other is None else other.scores
        return standard_error(self._measure, self._numbers, trial.scores, scores)


def select_settings(
    table: Any,
    y: NDArray[Any],
    first: Candidate,
    stages: Stages,
    effort: Effort,
    settings: Mapping[str, Any],
    metric: str = "error",
    seed: int = 0,
    always: bool = False,
) -> Selection | None:
    """Return the chosen candidate and the errors of all, or None if there are too few rows.

    `first` has the default settings. If there is no other candidate, it is measured only if `always`.
    `settings` holds the other parameters of `Perceptron`.
    """
    plain = replace(stages.fields, encoding=Encoding(), missing="zero", statistics=None, labelled=False)
    bad = [fault.line for fault in plain.chunk(table).bad]  # such rows stop the training, or are skipped
    kept = np.setdiff1d(np.arange(len(y)), bad)
    table, y = table.take(kept), y[kept]
    classes, numbers, counts = np.unique(y, return_inverse=True, return_counts=True)
    if len(classes) < 2 or np.sort(counts)[-2] < effort.folds or (len(classes) == 2 and counts.min() < 2):
        return None
    comparison = Comparison(table, numbers, stages.fields, effort, settings, metric, seed)
    trials: list[Trial] = []
    best: Trial | None = None
    for stage in stages:
        usual = first if best is None else best.candidate
        known = {trial.candidate.options for trial in trials}
        candidates = [each for each in stage(usual) if each is usual or each.options not in known]
        if len(candidates) < 2:
            continue
        new = comparison.try_all([each for each in candidates if best is None or each is not usual])
        trials += new
        if best is not None:
            new.insert(next(k for k, each in enumerate(candidates) if each is usual), best)
        best = comparison.choose(new)
    if best is None:
        if not always:
            return None
        trials = comparison.try_all([first])
        best = trials[0]
    encoding = best.candidate.encoding
    if encoding.pairs == AUTO:  # chosen from the sample, without the rows that are held out
        fields = replace(best.candidate.fields_of(comparison.fields), statistics=None)
        encoding = replace(encoding, pairs=fields.with_statistics([table], y=numbers).pairs)
    return Selection(
        [trial.candidate for trial in trials],
        [trial.value for trial in trials],
        [comparison.deviation(trial) for trial in trials],
        trials.index(best), len(y), effort.folds, metric, encoding, numbers, best.decisions,
    )  # fmt: skip


def stratified_folds(numbers: NDArray[np.int64], n_folds: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of each row: the folds of scikit-learn's ``StratifiedKFold(shuffle=True)``.

    >>> stratified_folds(np.array([0, 1, 0, 1, 0, 0]), 2, seed=0)
    array([1, 0, 1, 1, 0, 0])
    """
    _, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    numbers = np.argsort(np.argsort(first))[inverse]  # classes in order of appearance
    ordered, n_classes = np.sort(numbers), len(first)
    sizes = np.array([np.bincount(ordered[k::n_folds], minlength=n_classes) for k in range(n_folds)])
    random, folds = np.random.RandomState(seed), np.empty(len(numbers), np.int64)
    for k in range(n_classes):
        own = np.arange(n_folds).repeat(sizes[:, k])
        random.shuffle(own)
        folds[numbers == k] = own
    return folds


def _with_all_classes(
    found: NDArray[np.float64], known: NDArray[np.int64], shape: tuple[int, ...]
) -> NDArray[np.float64]:
    """Return decision values with a column for each class; classes without training rows get the least.

    >>> _with_all_classes(np.array([[1.0, 2.0, 0.5]]), np.array([0, 1, 3]), (4,))
    array([[ 1. ,  2. , -0.5,  0.5]])
    """
    if found.shape[1:] == shape:
        return found
    if found.ndim == 1:  # one value for two of the classes
        found = np.column_stack([-found, found])
    every = np.repeat(found.min(axis=1, keepdims=True) - 1.0, shape[0], axis=1)
    every[:, known] = found
    return every


def _encode(
    table: Any,
    y: NDArray[Any],
    fields: FieldFeatures,
    train: NDArray[np.int64],
    held: NDArray[np.int64],
) -> tuple[Any, Any]:
    """Return the rows of both parts; hashed features that the training part lacks are omitted."""
    known = replace(fields, statistics=None)
    some = table.take(train)
    if known.needs_statistics:
        known = known.with_statistics([some], y=y[train])
    X, others = known.chunk(some).X, known.chunk(table.take(held)).X
    if not known.n_features:  # all columns are constant
        X, others = (np.zeros((rows.shape[0], 1)) for rows in (X, others))
    if not known.is_hashed:
        return X, others
    numbers = FeatureNumbers(known.n_features)
    at = numbers.learn(X.indices)
    width = len(numbers)
    there = numbers.learn(others.indices)
    values = np.where(there < width, others.data, 0.0)
    return (
        csr_array((X.data, at, X.indptr), shape=(X.shape[0], width)),
        csr_array((values, np.minimum(there, width - 1), others.indptr), shape=(others.shape[0], width)),
    )
