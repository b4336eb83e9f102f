"""Choose the encoding of columns, the update rule and its parameters by cross-validation on a sample.

Each candidate is trained on two thirds of the sample and measured on the other third, three times. Means,
quantiles, document frequencies and pairs of columns come from the training part alone. The chosen candidate
is the first whose error exceeds the smallest error by at most one standard error of the difference, so the
candidates are listed with the simplest first.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.model_selection import StratifiedKFold

from rosenblatt import rules
from rosenblatt.data.sources.encoding import AUTO, Encoding
from rosenblatt.data.sources.field_roles import CATEGORY, NUMBER, TEXT
from rosenblatt.data.sources.row_samples import Effort
from rosenblatt.data.sources.table_fields import FieldFeatures
from rosenblatt.models.perceptron import Perceptron
from rosenblatt.models.prediction_metrics import METRICS, fit_probabilities, standard_error
from rosenblatt.numeric.feature_numbers import FeatureNumbers


@dataclass(frozen=True)
class Candidate:
    """Hold an encoding and a rule, and the options of the command line that request them."""

    encoding: Encoding
    rule: Any
    options: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join(self.options) or "the default settings"


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
        where = f"{self.n_folds}-fold cross-validation on {self.n_rows:,} rows"
        if len(values) == 1:
            return f"Measured the default settings by {where}: {metric} {values[0]:.4f}."
        first = f"Compared {len(values)} settings by {where}."
        if self.chosen:
            return (
                f"{first}\nChose {self.best}: {metric} {values[self.chosen]:.4f}, "
                f"with the default settings {values[0]:.4f}."
            )
        return (
            f"{first}\nKept the default settings: {metric} {values[0]:.4f}; no other is better by more "
            f"than chance (the smallest is {min(values):.4f})."
        )

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


# ---------------------------------------------------------------- what is compared


def candidates_for(
    fields: FieldFeatures, default_rule: Any, fixed: Collection[str] = (), effort: str = "quick"
) -> list[Candidate]:
    """Return the candidates for a table, the simplest first.

    `fixed` holds the names of the options that are not to be compared.

    >>> import pyarrow as pa
    >>> from rosenblatt.data.sources.field_inference import infer_fields
    >>> fields = infer_fields(pa.table({"a": [1.5], "b": [2.5], "y": ["no"]}))
    >>> for candidate in candidates_for(fields, rules.PassiveAggressive1(C=0.1)):
    ...     print(candidate)
    the default settings
    --rule passive_aggressive_1 --set C=0.01
    --numbers piecewise
    --numbers piecewise --rule passive_aggressive_1 --set C=0.01
    --numbers piecewise --pairs auto
    --numbers piecewise --pairs auto --rule passive_aggressive_1 --set C=0.01
    """
    is_thorough = effort == "thorough"
    encoding = fields.encoding
    encodings: list[tuple[Encoding, tuple[str, ...]]] = [(encoding, ())]
    has_text = bool(fields.names(TEXT))
    is_open = encoding.characters is None and not {"characters", "ngrams", "words"} & set(fixed)
    if has_text and is_open and is_thorough:  # slow, and seldom better
        encodings.append((replace(encoding, characters=(2, 5)), ("--characters", "2-5")))
    if fields.names(NUMBER) and "numbers" not in fixed:
        for numbers in ("piecewise", "bins", "rank")[: 3 if is_thorough else 1]:
            encodings.append((replace(encoding, numbers=numbers), ("--numbers", numbers)))
    if len(fields.names(NUMBER, CATEGORY)) > 1 and "pairs" not in fixed and not encoding.pairs:
        given = encodings if is_thorough else encodings[-1:]
        encodings += [(replace(each, pairs=AUTO), (*options, "--pairs", "auto")) for each, options in given]
    if "rule" in fixed:
        return [Candidate(encoding, default_rule, options) for encoding, options in encodings]
    passive = [] if has_text else [rules.PassiveAggressive1(C=0.01)]
    if is_thorough:
        passive = [rules.PassiveAggressive1(C=C) for C in (0.1, 1.0, 0.01, 0.001)]
    every = [default_rule, *passive, *(rules.Arow(r=r) for r in ((1.0, 10.0, 0.1) if is_thorough else ()))]
    distinct = {(type(rule), rule): rule for rule in every}.values()
    return [
        Candidate(encoding, rule, options + (() if rule is default_rule else _words_of(rule)))
        for encoding, options in encodings
        for rule in distinct
    ]


def _words_of(rule: Any) -> tuple[str, ...]:
    """Return the options that request a rule.

    >>> _words_of(rules.PassiveAggressive1(C=0.01))
    ('--rule', 'passive_aggressive_1', '--set', 'C=0.01')
    """
    usual = type(rule)()._asdict()
    given = {name: value for name, value in rule._asdict().items() if value != usual[name]}
    words = ["--rule", rules.name_of(rule)]
    return (*words, *(word for name, value in given.items() for word in ("--set", f"{name}={value:g}")))


# ---------------------------------------------------------------- comparison


def select_settings(
    table: Any,
    y: NDArray[Any],
    fields: FieldFeatures,
    candidates: Sequence[Candidate],
    effort: Effort,
    settings: Mapping[str, Any],
    metric: str = "error",
    seed: int = 0,
) -> Selection | None:
    """Return the chosen candidate and the errors of all, or None if there are too few rows.

    `settings` holds the other parameters of `Perceptron`.
    """
    classes, numbers, counts = np.unique(y, return_inverse=True, return_counts=True)
    fields = replace(fields, missing=fields.missing if fields.missing == "mark" else "zero", labelled=False)
    if replace(fields, encoding=Encoding(), missing="zero", statistics=None).chunk(table).bad:
        return None  # such rows stop the training, or are skipped
    if len(classes) < 2 or counts.min() < effort.folds:
        return None
    measure = METRICS[metric]
    shape = (len(y),) if len(classes) == 2 else (len(y), len(classes))
    scores = [np.zeros(shape) for _ in candidates]
    folds = StratifiedKFold(effort.folds, shuffle=True, random_state=seed)
    for train, held in folds.split(numbers, numbers):
        encoding = rows = None
        for k, candidate in enumerate(candidates):
            if candidate.encoding != encoding:
                encoding = candidate.encoding
                rows = _encode(table, y, fields, encoding, train, held)
            assert rows is not None
            model = Perceptron(
                rule=candidate.rule, **settings, epochs=effort.epochs, random_state=seed, n_jobs=None
            )
            scores[k][held] = model.fit(rows[0], numbers[train]).decision_function(rows[1])
    decided = scores
    if metric == "log_loss":
        scores = [fit_probabilities(numbers, each) for each in scores]
    values = [measure(numbers, each) for each in scores]
    best = int(np.argmin(values))
    apart = [
        0.0 if k == best else standard_error(measure, numbers, each, scores[best])
        for k, each in enumerate(scores)
    ]
    chosen = next(k for k, value in enumerate(values) if value - values[best] <= apart[k])
    own = [standard_error(measure, numbers, each) for each in scores]
    encoding = candidates[chosen].encoding
    if encoding.pairs == AUTO:  # chosen from the sample, without the rows that are held out
        known = replace(fields, encoding=encoding, statistics=None).with_statistics([table], y=numbers)
        encoding = replace(encoding, pairs=known.pairs)
    return Selection(
        candidates, values, own, chosen, len(y), effort.folds, metric, encoding, numbers, decided[chosen]
    )


def _encode(
    table: Any,
    y: NDArray[Any],
    fields: FieldFeatures,
    encoding: Encoding,
    train: NDArray[np.int64],
    held: NDArray[np.int64],
) -> tuple[Any, Any]:
    """Return the rows of both parts; hashed features that the training part lacks are omitted."""
    known = replace(fields, encoding=encoding, statistics=None)
    some = table.take(train)
    if known.needs_statistics:
        known = known.with_statistics([some], y=y[train])
    X, others = known.chunk(some).X, known.chunk(table.take(held)).X
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
