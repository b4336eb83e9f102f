"""Saved models, opened to predict rows of files, or to answer requests and learn from them.

A linear `Perceptron` does both tasks without scikit-learn, whose import takes a second. A `Learner` that
shares its state does the training, so its file remains a `Perceptron` file, and tables, text and hashed
rows are encoded as in the original training. Kernel perceptrons learn one example at a time with their own
`partial_fit`.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.errors import BadInput
from rosenblatt.loops.one_by_one import NOT_LEARNED, RIGHT, WRONG
from rosenblatt.models.request_rows import RequestRows, request_rows_of
from rosenblatt.numeric.row_batches import Rows, Sparse, plain
from rosenblatt.storage import learners, perceptrons
from rosenblatt.storage.container import read_document
from rosenblatt.storage.fields import load_as
from rosenblatt.storage.perceptrons import PerceptronRecord
from rosenblatt.training.online.learner import Learner, LearnerRecord
from rosenblatt.training.settings import LEARNER, settings_of
from rosenblatt.training.streams.stream_targets import fit_to

LoadedModel: TypeAlias = "LoadedLearner | LoadedEstimator"
"""A model that answers and learns from requests."""

COUNTERS = ("examples_seen", "mistakes", "updates")


def open_predictor(path: str) -> LoadedPerceptron | LoadedEstimator:
    """Return the model in a file, opened to predict rows of files."""
    if (kind := read_document(path).get("kind")) == perceptrons.KIND:
        return LoadedPerceptron(_load_finished(path))
    if kind == learners.KIND:
        raise BadInput(
            f"{path}: a Learner learns one example at a time; use it from Python: rosenblatt.load"
        )
    return _estimator(path)


def open_learner(path: str) -> LoadedModel:
    """Return the model in a file, opened to answer and learn examples one at a time."""
    kind = read_document(path).get("kind")
    if kind == learners.KIND:
        return LoadedLearner(load_as({kind: learners.decode_learner}, path))
    if kind == perceptrons.KIND:
        record = _load_finished(path)
        if record.parameters.get("class_weight") is None:
            return LoadedPerceptron(record)
    return _estimator(path)


def _load_finished(path: str) -> PerceptronRecord:
    record = perceptrons.load_perceptron(path)
    if record.run is not None:
        raise BadInput(
            f"{path}: is the checkpoint of an unfinished run; resume it with the command that started it, "
            "and use the model that it writes"
        )
    if record.estimator is not None and record.reading is None:
        raise BadInput(
            f"{path}: the model is a pipeline with Features; use it from Python: rosenblatt.load"
        )
    if record.target == perceptrons.LABELS:
        raise BadInput(
            f"{path}: the model predicts several labels for each row; use it from Python: rosenblatt.load"
        )
    return record


def _estimator(path: str) -> LoadedEstimator:
    from rosenblatt.models.saving import load

    return LoadedEstimator(load(path))


class LoadedLearner:
    """Answer and learn with a `Learner`; its features have names or numbers, as in its first example.

    Named features are numbered in order of first appearance. A service stores these names in its log, apart
    from the rows; it reads new names with `names_from` and restores them with `expect_names`.
    """

    def __init__(self, learner: Learner) -> None:
        self.learner = learner
        self._answering: Learner | None = None

    # ------------------------------------------------------------ examples of requests

    def read(self, examples: Sequence[Any], grows: bool) -> Rows:
        """Return examples as rows; new feature names get numbers only if `grows` is true (for learning)."""
        learner = self.learner
        if not grows and learner.kernel is not None:
            # a kernel needs the unknown features of a question, but they get no number in the learner
            learner = self._answering = self._answering or copy.deepcopy(self.learner)
            grows = True
        features = learner.trainer.features
        were_named = features.are_named
        try:
            return learner.trainer.rows_of(examples, may_grow=grows)
        finally:  # only a learned example determines whether features have names
            features.are_named = were_named

    @property
    def n_names(self) -> int:
        return len(self.learner.trainer.features)

    def names_from(self, n: int) -> list[str]:
        """Return the names of all features from number n on."""
        return self.learner.feature_names[n:]

    def expect_names(self, names: Sequence[str]) -> None:
        """Assign the next feature numbers to these names."""
        self.learner.trainer.features.extend(names)

    def forget_names(self, n: int) -> None:
        """Drop the features from number n on; the examples that contain them will not be learned."""
        self.learner.trainer.features.forget(n)

    def check_labels(self, labels: Sequence[Any]) -> None:
        """Raise an error if a label cannot be learned."""
        self.learner.trainer.check_labels(labels)

    # ------------------------------------------------------------ learning and answering

    def learn(self, rows: Rows, labels: Sequence[Any]) -> NDArray[np.int8]:
        """Learn rows one by one; return RIGHT, WRONG or NOT_LEARNED for each."""
        self._answering = None
        if isinstance(rows, Sparse):
            self.learner.trainer.features.expect(named=True)
        return self.learner.trainer.learn_rows(rows, labels)

    def answer(self, rows: Rows) -> tuple[list[Any], NDArray[np.float64]]:
        """Return the class and the decision value of each row."""
        return (self._answering or self.learner).trainer.answer_rows(rows)

    def save(self, path: str) -> None:
        learners.save_learner(self.learner, path)

    def copy(self) -> LoadedLearner:
        return copy.deepcopy(self)

    # ------------------------------------------------------------ information about the model

    @property
    def classes(self) -> list[Any]:
        return self.learner.classes

    def counters(self) -> dict[str, int]:
        return {name: getattr(self.learner, name) for name in COUNTERS}


class LoadedPerceptron(LoadedLearner):
    """Predict and learn with the record of a linear `Perceptron`."""

    def __init__(self, record: PerceptronRecord) -> None:
        self.record = record
        self.labels, self.reading = record.classes, record.reading
        self.calibration, self.threshold = record.calibration, record.threshold

    # ------------------------------------------------------------ rows of files

    @property
    def n_features(self) -> int:
        return self.record.n_features

    @cached_property
    def _answers(self) -> Any:
        return self.record.answers()

    def best(self, rows: Rows) -> NDArray[np.int64]:
        """Return the class number of each row."""
        return self._answers.best(fit_to(rows, self.n_features))

    def values(self, rows: Rows) -> NDArray[np.float64]:
        """Return the decision value of each row; with several binary classifiers, one value for each."""
        return self._answers.values(fit_to(rows, self.n_features))

    def decision(self, rows: Rows) -> NDArray[np.float64]:
        """Return the decision values; for two classes always one per row."""
        values = self.values(rows)
        if values.ndim == 2 and len(self.labels) == 2:  # one w per class, because more classes may follow
            return self._answers.lead(fit_to(rows, self.n_features), values)
        return values

    # ------------------------------------------------------------ examples of requests

    @cached_property
    def learner(self) -> Learner:  # type: ignore[override]
        """Learner that shares and changes the state of the record."""
        record = self.record
        settings, given = settings_of(LEARNER), record.parameters
        parameters = {name: setting.default for name, setting in settings.items() if setting.kinds}
        parameters |= {name: given[name] for name in settings if name in given}
        parameters |= {"kernel": None, "budget": None}
        start = given.get("init", "zeros")
        parameters["init"] = start if isinstance(start, str) else "zeros"  # for future classes
        parameters["offset"] = bool(record.state.offset)
        classes = [plain(label) for label in record.classes]
        if record.target == perceptrons.TWO_CLASSES:
            parameters["multiclass"] = None
        return Learner.of(
            LearnerRecord(parameters, classes, [], False, record.state, record.n_features, classes)
        )

    @cached_property
    def _request_rows(self) -> RequestRows:
        return request_rows_of(self.record)

    def read(self, examples: Sequence[Any], grows: bool) -> Rows:
        return self._request_rows.parse(examples)

    def learn(self, rows: Rows, labels: Sequence[Any]) -> NDArray[np.int8]:
        rows = self._request_rows.renumber(rows, grows=True)
        if isinstance(rows, Sparse) and rows.n_features > self.n_features:
            self.learner.trainer.grow_to(rows.n_features)
        self.record.calibration = self.record.threshold = None  # they were computed for other weights
        return self.learner.trainer.learn_rows(rows, labels)

    def answer(self, rows: Rows) -> tuple[list[Any], NDArray[np.float64]]:
        answers, values = self.learner.trainer.answer_rows(self._request_rows.renumber(rows, grows=False))
        if self.record.threshold is not None:
            above = values > self.record.threshold
            answers = [self.classes[is_above] for is_above in above.tolist()]
        return answers, values

    def save(self, path: str) -> None:
        record, state = self.record, self.record.state
        classes = self.classes
        if len(classes) > len(record.classes):
            record.class_totals = None
            record.classes = np.array(classes, None if record.classes.dtype.kind in "US" else object)
            if all(type(label) is int for label in classes):
                record.classes = np.array(classes)
        for name, value in state.summary().items():
            setattr(record, name, value)
        if record.reading is not None:
            record.reading = self._request_rows.settings(record.reading)
        if record.feature_names is not None and len(record.feature_names) != state.n_features:
            record.feature_names = None
        perceptrons.save_perceptron(record, path)


class LoadedEstimator:
    """Answer with any other estimator, and learn with its `partial_fit`; features have no names."""

    reading: dict[str, Any] | None = None
    threshold: float | None = None
    n_names = 0

    def __init__(self, model: Any) -> None:
        self.model, self.labels, self.n_features = model, model.classes_, model.n_features_in_
        self.calibration = getattr(model, "calibration_", None)
        names = getattr(model, "feature_names_in_", None)
        self._request_rows = RequestRows(self.n_features, None if names is None else list(names))

    # ------------------------------------------------------------ rows of files

    def best(self, rows: Rows) -> NDArray[np.int64]:
        """Return the class number of each row."""
        order = np.argsort(self.labels, kind="stable")
        answered = self.model.predict(as_matrix(rows, self.n_features))
        return order[np.searchsorted(self.labels[order], answered)].astype(np.int64)

    def values(self, rows: Rows) -> NDArray[np.float64]:
        """Return the decision value of each row; with more than two classes, one value per class."""
        values: NDArray[np.float64] = self.model.decision_function(as_matrix(rows, self.n_features))
        return values

    decision = values

    # ------------------------------------------------------------ examples of requests

    def read(self, examples: Sequence[Any], grows: bool) -> Rows:
        return self._request_rows.parse(examples)

    def names_from(self, n: int) -> list[str]:
        return []

    def expect_names(self, names: Sequence[str]) -> None: ...

    def forget_names(self, n: int) -> None: ...

    def check_labels(self, labels: Sequence[Any]) -> None:
        for label in labels:
            if label not in self.classes:
                raise BadInput(f"y: got {label!r}, where this model has the classes {self.classes!r:.200}")

    def learn(self, rows: Rows, labels: Sequence[Any]) -> NDArray[np.int8]:
        X, outcomes = self._in_order(rows), np.empty(len(labels), np.int8)
        for i, label in enumerate(labels):
            try:
                outcomes[i] = RIGHT if plain(self.model.predict(X[i : i + 1])[0]) == label else WRONG
                self.model.partial_fit(X[i : i + 1], np.array([label], self.labels.dtype))
            except BadInput:
                outcomes[i] = NOT_LEARNED
        return outcomes

    def answer(self, rows: Rows) -> tuple[list[Any], NDArray[np.float64]]:
        X = self._in_order(rows)
        return self.model.predict(X).tolist(), self.model.decision_function(X)

    def _in_order(self, rows: Rows) -> Any:
        """Return a copy of the rows as a matrix with sorted features in each row."""
        X = as_matrix(rows, self.n_features, is_sorted=False).copy()
        if isinstance(rows, Sparse):
            X.sum_duplicates()
        return X

    def save(self, path: str) -> None:
        from rosenblatt.models.saving import save

        save(self.model, path)

    def copy(self) -> LoadedEstimator:
        return copy.deepcopy(self)

    @property
    def classes(self) -> list[Any]:
        return self.labels.tolist()

    def counters(self) -> dict[str, int]:
        return {name: getattr(self.model, f"{name}_") for name in COUNTERS}


def as_matrix(rows: Rows, n_features: int, is_sorted: bool = True) -> Any:
    """Return rows as an array or sparse array with `n_features` columns; further features are dropped."""
    return Chunk(fit_to(rows, n_features), None, is_sorted=is_sorted).X
