"""What is served: any saved model, as something that reads examples, answers, learns and can be saved.

A linear `Perceptron` is learned on by a `Learner` that has its state, so its file stays that of a
`Perceptron`, and reads tables, texts and hashed rows as it did when it was fitted. Kernel perceptrons learn
by their own `partial_fit`, one example at a time.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.loops.one_by_one import NOT_LEARNED, RIGHT, WRONG
from rosenblatt.numeric.examples import Dense, Rows, Sparse, n_rows, plain
from rosenblatt.serve.reading import Read, reader_of
from rosenblatt.storage import learners
from rosenblatt.storage.container import read_document
from rosenblatt.storage.fields import load_as
from rosenblatt.storage.perceptrons import (
    KIND,
    LABELS,
    TWO_CLASSES,
    PerceptronRecord,
    load_perceptron,
    save_perceptron,
)
from rosenblatt.training.online.learner import Learner, LearnerRecord
from rosenblatt.training.settings import LEARNER, settings_of

MOST_WEIGHTS = 1 << 22  # of which the heaviest are looked for


class Served(Protocol):
    """What the service asks of a model. Rows are those of the log; names have numbers in their order."""

    def read(self, examples: Sequence[Any], grows: bool) -> Rows:
        """Examples as rows. grows: they will be learned from, so new names get numbers."""

    @property
    def n_names(self) -> int: ...

    def names_from(self, n: int) -> list[str]:
        """Return the names of the features from number n on."""

    def expect_names(self, names: Sequence[str]) -> None: ...

    def forget_names(self, n: int) -> None:
        """Those from number n on will not be learned from."""

    def check_labels(self, labels: Sequence[Any]) -> None: ...

    def learn(self, rows: Rows, labels: Sequence[Any]) -> NDArray[np.int8]:
        """RIGHT, WRONG or NOT_LEARNED for each row."""

    def answer(self, rows: Rows) -> tuple[list[Any], NDArray[np.float64]]: ...

    def save(self, path: str) -> None: ...

    def copy(self) -> Served: ...

    @property
    def classes(self) -> list[Any]: ...

    def counters(self) -> dict[str, int]: ...

    def weights(self) -> NDArray[np.float64] | None:
        """(w, b), one row for each column, where there are any and not too many."""

    def feature_name(self, j: int) -> str: ...


def open_served(path: str) -> Served:
    """Return the model in a file."""
    kind = read_document(path).get("kind")
    if kind == learners.KIND:  # without scikit-learn, whose import takes a second
        return OfLearner(load_as({kind: learners.decode_learner}, path))
    if kind == KIND:
        record = load_perceptron(path)
        if record.run is not None:
            raise BadInput(
                f"{path}: is the checkpoint of a run that is not over; go on with the command it began "
                "with, and serve the model that comes out"
            )
        if record.target == LABELS:
            raise BadInput(
                f"{path}: the model answers with several labels for each row, and a service with one; use "
                "it from Python: rosenblatt.load"
            )
        if record.parameters.get("class_weight") is None:
            return OfPerceptron(record)
    from rosenblatt.models.saving import load

    return OfEstimator(load(path))


class _LearnsByLearner:
    learner: Learner

    @property
    def n_names(self) -> int:
        return len(self.learner.trainer.features)

    def names_from(self, n: int) -> list[str]:
        return self.learner.feature_names[n:]

    def expect_names(self, names: Sequence[str]) -> None:
        self.learner.trainer.features.extend(names)

    def forget_names(self, n: int) -> None:
        self.learner.trainer.features.forget(n)

    def check_labels(self, labels: Sequence[Any]) -> None:
        self.learner.trainer.check_labels(labels)

    @property
    def classes(self) -> list[Any]:
        return self.learner.classes

    def counters(self) -> dict[str, int]:
        return {name: getattr(self.learner, name) for name in ("examples_seen", "mistakes", "updates")}

    def weights(self) -> NDArray[np.float64] | None:
        learner = self.learner
        if not learner.examples_seen or learner.kernel is not None:
            return None
        if learner.state.n_features * max(1, len(learner.classes) - 1) > MOST_WEIGHTS:
            return None
        return np.atleast_2d(learner.state.current())


class OfLearner(_LearnsByLearner):
    """A `Learner`: features have names or numbers, as the first example says."""

    def __init__(self, learner: Learner) -> None:
        self.learner = learner
        self._answering: Learner | None = None

    def read(self, examples: Sequence[Any], grows: bool) -> Rows:
        if grows or self.learner.kernel is None:
            return self.learner.trainer.rows_of(examples, may_grow=grows)
        # names that were only asked about count in a kernel, and must have no number in what is learned
        self._answering = self._answering or copy.deepcopy(self.learner)
        return self._answering.trainer.rows_of(examples, may_grow=True)

    def learn(self, rows: Rows, labels: Sequence[Any]) -> NDArray[np.int8]:
        self._answering = None
        if isinstance(rows, Sparse):
            self.learner.trainer.features.expect(named=True)
        return self.learner.trainer.learn_rows(rows, labels)

    def answer(self, rows: Rows) -> tuple[list[Any], NDArray[np.float64]]:
        return (self._answering or self.learner).trainer.answer_rows(rows)

    def save(self, path: str) -> None:
        learners.save_learner(self.learner, path)

    def copy(self) -> OfLearner:
        return OfLearner(copy.deepcopy(self.learner))

    def feature_name(self, j: int) -> str:
        names = self.learner.feature_names
        return names[j] if j < len(names) else f"feature {j}"


class OfPerceptron(_LearnsByLearner):
    """A linear `Perceptron`: rows are read as they were when it was fitted."""

    def __init__(self, record: PerceptronRecord) -> None:
        self.record = record
        self.learner = _learner_of(record)
        self._read: Read = reader_of(record)

    def read(self, examples: Sequence[Any], grows: bool) -> Rows:
        return self._read.rows(examples)

    def learn(self, rows: Rows, labels: Sequence[Any]) -> NDArray[np.int8]:
        rows = self._read.known(rows, meets=True)
        state = self.record.state
        if isinstance(rows, Sparse) and rows.n_features > state.n_features:
            self.learner.trainer.grow_to(rows.n_features)
        self.record.calibration = self.record.threshold = None  # they were of other weights
        return self.learner.trainer.learn_rows(rows, labels)

    def answer(self, rows: Rows) -> tuple[list[Any], NDArray[np.float64]]:
        rows = self._read.known(rows, meets=False)
        answers, values = self.learner.trainer.answer_rows(rows)
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
        taken, missed = state.kinds_per_column()
        record.mistakes_per_class = state.clock("mistakes").astype(np.int64)
        record.false_positives_per_class, record.false_negatives_per_class = taken, missed
        record.exact_decisions, record.epochs = state.exact_decisions, state.epochs
        for name, value in state.counters()._asdict().items():
            setattr(record, name, value)
        if record.reading is not None:
            record.reading = self._read.settings(record.reading)
        if record.feature_names is not None and len(record.feature_names) != state.n_features:
            record.feature_names = None
        save_perceptron(record, path)

    def copy(self) -> OfPerceptron:
        return copy.deepcopy(self)

    def feature_name(self, j: int) -> str:
        from rosenblatt.data.sources.naming import feature_names

        if self.record.feature_names is None and self.record.reading is None:
            return f"feature {j}"
        reading = self._read.settings(self.record.reading or {})
        return feature_names(reading, self.record.feature_names, [j], None)[j].name


def _learner_of(record: PerceptronRecord) -> Learner:
    """Return a learner that shares and changes the state of the record."""
    given = {name: record.parameters[name] for name in settings_of(LEARNER) if name in record.parameters}
    parameters = {
        **{name: setting.default for name, setting in settings_of(LEARNER).items() if setting.kinds},
        **given, "kernel": None, "budget": None,
    }  # fmt: skip
    start = record.parameters.get("init", "zeros")
    parameters["init"] = start if isinstance(start, str) else "zeros"  # of classes to come
    parameters["offset"] = bool(record.state.offset)
    classes = [plain(label) for label in record.classes]
    if record.target == TWO_CLASSES:
        parameters["multiclass"] = None
    return Learner.of(
        LearnerRecord(parameters, classes, [], False, record.state, record.n_features, classes)
    )


class OfEstimator:
    """Any other estimator, by its own `partial_fit`."""

    def __init__(self, model: Any) -> None:
        if not hasattr(model, "partial_fit"):
            raise BadInput(f"a {type(model).__name__} cannot learn on; serve a Perceptron or a Learner")
        self.model = model
        names = getattr(model, "feature_names_in_", None)
        self._read = Read(model.n_features_in_, None if names is None else list(names))

    def read(self, examples: Sequence[Any], grows: bool) -> Rows:
        return self._read.rows(examples)

    n_names = 0

    def names_from(self, n: int) -> list[str]:
        return []

    def expect_names(self, names: Sequence[str]) -> None: ...

    def forget_names(self, n: int) -> None: ...

    def check_labels(self, labels: Sequence[Any]) -> None:
        known = self.classes
        for label in labels:
            if label not in known:
                raise BadInput(f"y: got {label!r}, where this model has the classes {known!r:.200}")

    def learn(self, rows: Rows, labels: Sequence[Any]) -> NDArray[np.int8]:
        X, outcomes = _matrix(rows), np.empty(len(labels), np.int8)
        classes = self.model.classes_
        for i, label in enumerate(labels):
            try:
                outcomes[i] = RIGHT if plain(self.model.predict(X[i : i + 1])[0]) == label else WRONG
                self.model.partial_fit(X[i : i + 1], np.array([label], classes.dtype))
            except BadInput:
                outcomes[i] = NOT_LEARNED
        return outcomes

    def answer(self, rows: Rows) -> tuple[list[Any], NDArray[np.float64]]:
        X = _matrix(rows)
        return self.model.predict(X).tolist(), self.model.decision_function(X)

    def save(self, path: str) -> None:
        from rosenblatt.models.saving import save

        save(self.model, path)

    def copy(self) -> OfEstimator:
        return OfEstimator(copy.deepcopy(self.model))

    @property
    def classes(self) -> list[Any]:
        return self.model.classes_.tolist()

    def counters(self) -> dict[str, int]:
        return {name: getattr(self.model, f"{name}_") for name in ("examples_seen", "mistakes", "updates")}

    def weights(self) -> NDArray[np.float64] | None:
        return None

    def feature_name(self, j: int) -> str:
        return f"feature {j}"


def _matrix(rows: Rows) -> Any:
    if isinstance(rows, Dense):
        return np.array(rows.values)
    from scipy.sparse import csr_array

    parts = rows.values, rows.indices.astype(np.int64), rows.starts.astype(np.int64)
    X = csr_array(parts, shape=(n_rows(rows), rows.n_features))
    X.sum_duplicates()
    return X
