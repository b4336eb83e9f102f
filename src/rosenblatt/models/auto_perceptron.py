"""`AutoPerceptron`: the estimator that `rosenblatt fit` trains, for tables and texts in Python."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d

from rosenblatt.data.labels import refuse_real_labels
from rosenblatt.data.sources.encoding import Encoding
from rosenblatt.data.sources.feature_names import check_names
from rosenblatt.data.sources.numbered_features import number_features
from rosenblatt.data.sources.reading import every_row, is_arrow, read
from rosenblatt.errors import BadInput, bad_choice
from rosenblatt.loops.threads import n_threads
from rosenblatt.models.calibrating import Probable, fit_calibration
from rosenblatt.models.callbacks import HasCallbacks, closes_callbacks
from rosenblatt.models.default_settings import (
    EFFORTS,
    ENCODING,
    METRICS,
    READING,
    by_classes,
    default_rule,
    has_text,
    passes_over,
    select_for,
    use_selection,
)
from rosenblatt.models.features import batches_of
from rosenblatt.models.fit_stream import record_so_far
from rosenblatt.models.html_summary import ShowsRun, summary
from rosenblatt.models.loaded import LoadedPerceptron
from rosenblatt.rules import as_rule
from rosenblatt.storage.checkpoints import record_of
from rosenblatt.storage.perceptrons import PerceptronRecord
from rosenblatt.training.settings import StreamSettings
from rosenblatt.training.streams.class_weights import WeightedClasses
from rosenblatt.training.streams.rows_in_memory import for_passes
from rosenblatt.training.streams.stream_run import StreamRun, shuffle_seed


class AutoPerceptron(ShowsRun, HasCallbacks, Probable, ClassifierMixin, BaseEstimator):
    """Classify the rows of a table, or texts, with settings chosen by cross-validation.

    `fit` infers the kind of each column, compares a few encodings, rules and values of C on held-out folds,
    and trains on all rows. The model is the one that ``rosenblatt fit`` trains from a file with the same
    rows: the same weights, bit for bit, if the table takes at most 32 MB.

    Parameters
    ----------
    effort : {"none", "quick", "thorough"}, default="quick"
        How many settings are compared: none, a few, or up to thirty.
    metric : {"error", "balanced", "auc", "f1", "log_loss"}, default="error"
        The measure to compare by: the fraction of errors, its mean over the classes, 1 − area under the ROC
        curve, 1 − F1 of the rarer class, or the logarithmic loss of calibrated probabilities.
    rule : str, rule or None, default=None
        The update rule; None chooses it.
    keep : {"last", "averaged", "voted", "pocket"}, default="averaged"
        Which weight vectors of the run are returned.
    epochs : int or None, default=None
        The number of passes; None means 10, or fewer over more than 128 MB.
    class_weight : dict, "balanced" or None, default=None
        The weight of the rows of each class; "balanced" gives all classes the same total weight.
    text, categories, dates, leave_out : sequence of str, default=()
        Columns to treat as text, as categories or as dates, or to drop, whatever their values suggest.
    names : {"all", "none"} or int, default="all"
        How many words and categories the model stores to name its features: all, at most 1,048,576; none;
        or this number, those with the largest weights.
    random_state : int, default=0
        The seed of the folds and of the order of the rows.
    n_jobs : int or None, default=-1
        The number of threads: −1 for one per core, None for a single thread.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    selection_ : Selection or None
        The settings that were compared, with their errors; ``print(model.selection_)`` describes them.
    columns_ : dict of str to (str, str)
        The kind of each column, and the reason for it.
    n_features_in_, feature_names_in_ : int and ndarray
        The number and the names of the columns.

    See Also
    --------
    Perceptron : Learns from arrays of numbers, with settings that you choose.
    Features : The encoding of columns as a separate step of a pipeline.

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [20, 30, None, 41] * 5, "city": ["Rome", "Oslo", "Rome", "Bern"] * 5})
    >>> model = AutoPerceptron().fit(people, ["no", "yes", "no", "yes"] * 5)
    >>> model.predict(people[:4]).tolist(), model.predict_proba(people[:1]).shape
    (['no', 'yes', 'no', 'yes'], (1, 2))
    >>> AutoPerceptron().fit(["good film", "bad film"] * 5, [1, 0] * 5).predict(["a good one"])
    array([1])
    """

    _record: PerceptronRecord

    def __init__(
        self,
        *,
        effort: Literal["none", "quick", "thorough"] = "quick",
        metric: Literal["error", "balanced", "auc", "f1", "log_loss"] = "error",
        rule: Any = None,
        keep: Literal["last", "averaged", "voted", "pocket"] = "averaged",
        epochs: int | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        text: Sequence[str] = (),
        categories: Sequence[str] = (),
        dates: Sequence[str] = (),
        leave_out: Sequence[str] = (),
        names: Literal["all", "none"] | int = "all",
        random_state: int = 0,
        n_jobs: int | None = -1,
    ) -> None:
        self.effort = effort
        self.metric = metric
        self.rule = rule
        self.keep = keep
        self.epochs = epochs
        self.class_weight = class_weight
        self.text = text
        self.categories = categories
        self.dates = dates
        self.leave_out = leave_out
        self.names = names
        self.random_state = random_state
        self.n_jobs = n_jobs

    @closes_callbacks
    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Choose the settings, and train on all rows.

        Parameters
        ----------
        X : table, Series, or sequence of str or of rows
            The rows: a pandas, polars or pyarrow table, an array of numbers, or texts.
        y : array-like of shape (n_rows,)
            Their classes.

        Returns
        -------
        AutoPerceptron
            The estimator itself.

        Raises
        ------
        BadInput
            If the rows, the classes or a parameter cannot be used.
        """
        if self.effort not in EFFORTS:
            raise bad_choice("effort", self.effort, EFFORTS)
        check_names(self.names)
        if self.metric not in METRICS:
            raise bad_choice("metric", self.metric, METRICS)
        batches = batches_of(X)
        table, target = _with_labels(batches, y)
        roles = {name: getattr(self, name) for name in ("text", "categories", "dates", "leave_out")}
        source: Any = read(
            table, target=target, encoding=Encoding(**ENCODING), n_jobs=self.n_jobs, statistics=False,
            **roles, **READING,
        )  # fmt: skip
        rule = default_rule(has_text(source), self.keep) if self.rule is None else as_rule(self.rule)
        settings = StreamSettings(
            rule=rule, keep=self.keep, order="shuffled", seed=shuffle_seed(self.random_state)
        )
        given = {"rule": self.rule is not None, "leave_out": bool(self.leave_out)}
        fixed = [name for name, is_given in given.items() if is_given]
        found = select_for(
            source,
            settings,
            self.effort,
            self.metric,
            self.random_state,
            fixed,
            always=True,
            class_weight=self.class_weight,
        )
        settings = use_selection(source, settings, found)
        if hasattr(source, "learn_statistics"):
            source.learn_statistics()
        epochs = passes_over(source) if self.epochs is None else self.epochs
        rows = for_passes(source, max(2, epochs), None)
        if self.class_weight is not None:
            rows = WeightedClasses(rows, self.class_weight)
        run = StreamRun(
            number_features(rows, reads_all_first=True, names=self.names),
            settings.but(epochs=epochs),
            n_threads(self.n_jobs),
            by_classes=lambda settings, n_classes: by_classes(settings, n_classes, None),
        )

        def store(model: AutoPerceptron, record: PerceptronRecord) -> None:
            reasons = getattr(source.columns, "reasons", {})
            model.columns_ = {name: (role, reasons.get(name, "")) for name, role in source.columns.columns}
            model.selection_ = found
            if found is not None and found.numbers is not None:
                assert found.scores is not None
                record.calibration = fit_calibration(found.numbers, found.scores, "platt")
            classes = record.classes.astype(bool) if np.asarray(y).dtype.kind == "b" else record.classes
            model._take(record, batches[0].schema.names, classes)

        tasks = self._begin_tasks(epochs, lambda model, run: store(model, record_so_far(run)), X, y)
        run.observer = tasks
        run.go()
        store(self, record_of(run))
        for note in source.notes:
            warnings.warn(note, stacklevel=2)
        if tasks is not None:
            tasks.end()
        return self

    def _take(self, record: PerceptronRecord, names: Sequence[str], classes: NDArray[Any]) -> None:
        """Set the fitted attributes from a record, the names of the columns, and the classes."""
        self._record, self.classes_ = record, classes
        self.n_features_in_, self.feature_names_in_ = len(names), np.array(names, object)
        self.__dict__.pop("calibration_", None)
        if record.calibration is not None:
            self.calibration_ = record.calibration

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row.

        Parameters
        ----------
        X : table, Series, or sequence of str or of rows
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_rows,)
            The classes.

        Raises
        ------
        BadInput
            If a column is missing, or a cell cannot be read.
        """
        numbers = self._per_row(X, LoadedPerceptron.best)
        return self.classes_[numbers]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the decision values of each row: one for two classes, otherwise one for each class.

        Parameters
        ----------
        X : table, Series, or sequence of str or of rows
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            The decision values.

        Raises
        ------
        BadInput
            If a column is missing, or a cell cannot be read.
        """
        return self._per_row(X, LoadedPerceptron.decision)

    def _per_row(self, X: Any, answer: Any) -> Any:
        """Return the results of a method of `LoadedPerceptron` for all rows."""
        check_is_fitted(self)
        known = LoadedPerceptron(self._record)
        source = read(
            self.table_of(X), like=every_row(self._record.reading or {}), labelled=False, n_jobs=self.n_jobs
        )
        return np.concatenate([answer(known, chunk.rows) for chunk in source.chunks()])

    def table_of(self, X: Any) -> Any:
        """Return rows as a pyarrow table with the columns seen in `fit`.

        Parameters
        ----------
        X : table, Series, or sequence of str or of rows
            The rows.

        Returns
        -------
        pyarrow.Table
            The table.
        """
        import pyarrow as pa

        batches = batches_of(X)
        width = len(batches[0].schema.names)
        if width != self.n_features_in_ and not is_arrow(X):
            raise BadInput(
                f"X has {width} features, but AutoPerceptron is expecting {self.n_features_in_} features "
                "as input; give the columns that it was fitted to"
            )
        if not hasattr(X, "columns") and width == self.n_features_in_:
            # the columns have no names
            batches = [batch.rename_columns(self.feature_names_in_.tolist()) for batch in batches]
        return pa.Table.from_batches(batches)

    def _summary(self) -> str:
        if not self.__sklearn_is_fitted__():
            return ""
        run = self._record
        return summary(run.parameters["rule"], run.mistakes, run.updates, run.examples_seen, run.history)

    def __sklearn_is_fitted__(self) -> bool:
        return "_record" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = tags.input_tags.string = True
        return tags


def _with_labels(batches: list[Any], y: ArrayLike) -> tuple[Any, str]:
    """Return the table with the labels as its last column, and the name of this column."""
    import pyarrow as pa

    table = pa.Table.from_batches(batches).combine_chunks()
    given = column_or_1d(y, dtype=None, warn=True)
    labels = pa.array(given, from_pandas=True)
    if len(labels) != table.num_rows:
        raise BadInput(
            f"y: {len(labels):,} labels for {table.num_rows:,} rows of X; give one label for each row"
        )
    if labels.null_count:
        raise BadInput(f"y: {labels.null_count:,} labels are missing; label these rows, or drop them")
    if given.dtype.kind == "f":
        refuse_real_labels(given)
    name = getattr(y, "name", None)
    target = name if isinstance(name, str) else "label"
    while target in table.schema.names:
        target += "_"
    return table.append_column(target, labels), target
