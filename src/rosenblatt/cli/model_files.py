"""Model files as the commands use them, for every kind of model."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rosenblatt.data.sources.chunk import Chunk
from rosenblatt.errors import BadInput
from rosenblatt.numeric.examples import Rows
from rosenblatt.storage.container import read_document
from rosenblatt.storage.perceptrons import KIND, LABELS, PerceptronRecord, load_perceptron
from rosenblatt.training.calibration import Calibration
from rosenblatt.training.streams.stream_targets import fit_to


class Model(Protocol):
    """Hold a model file opened for prediction."""

    classes: NDArray[Any]
    reading: dict[str, Any] | None
    calibration: Calibration | None
    threshold: float | None

    def answers(self, chunk: Chunk) -> NDArray[np.int64]:
        """Return the number of the class of each row."""

    def values(self, chunk: Chunk) -> NDArray[np.float64]:
        """Return the decision value of each row; with many columns, one per column."""

    def decision(self, chunk: Chunk) -> NDArray[np.float64]:
        """Return the decision values: for two classes one per row, even with two weight vectors."""


def open_model(path: str) -> Model:
    """Return the model in a file.

    Linear models predict without scikit-learn, whose import takes a second.
    """
    if read_document(path).get("kind") == KIND:
        return LinearModel(path, load_perceptron(path))
    from rosenblatt.models.saving import load

    return AnyModel(path, load(path))


class LinearModel:
    """Predict by the record of a perceptron."""

    def __init__(self, path: str, record: PerceptronRecord) -> None:
        if record.run is not None:
            raise BadInput(
                f"{path}: is the checkpoint of an unfinished run; resume it with the command that started "
                "it, and use the model that it writes"
            )
        if record.target == LABELS:
            raise BadInput(
                f"{path}: the model predicts several labels for each row; use it from Python: "
                "rosenblatt.load"
            )
        self.record, self.classes, self.reading = record, record.classes, record.reading
        self._answers = record.answers()
        self.calibration, self.threshold = record.calibration, record.threshold

    def _rows(self, chunk: Chunk) -> Rows:
        return fit_to(chunk.rows, self.record.n_features)

    def answers(self, chunk: Chunk) -> NDArray[np.int64]:
        return self._answers.best(self._rows(chunk))

    def values(self, chunk: Chunk) -> NDArray[np.float64]:
        return self._answers.values(self._rows(chunk))

    def decision(self, chunk: Chunk) -> NDArray[np.float64]:
        values = self.values(chunk)
        if values.ndim == 2 and len(self.classes) == 2:  # each has a column, because more may come
            answers: Any = self._answers
            lead: NDArray[np.float64] = answers.lead(self._rows(chunk), values)
            return lead
        return values


class AnyModel:
    """Predict by any other estimator."""

    reading: dict[str, Any] | None = None
    threshold: float | None = None

    def __init__(self, path: str, estimator: Any) -> None:
        if not hasattr(estimator, "predict") or not hasattr(estimator, "classes_"):
            raise BadInput(
                f"{path}: a {type(estimator).__name__} learns one example at a time; use it from Python: "
                "rosenblatt.load"
            )
        self.estimator, self.classes = estimator, estimator.classes_
        self.calibration = getattr(estimator, "calibration_", None)

    def _X(self, chunk: Chunk) -> Any:  # noqa: N802
        width = self.estimator.n_features_in_
        return Chunk(fit_to(chunk.rows, width), chunk.y).X

    def answers(self, chunk: Chunk) -> NDArray[np.int64]:
        order = np.argsort(self.classes, kind="stable")
        answered = self.estimator.predict(self._X(chunk))
        return order[np.searchsorted(self.classes[order], answered)].astype(np.int64)

    def values(self, chunk: Chunk) -> NDArray[np.float64]:
        values: NDArray[np.float64] = self.estimator.decision_function(self._X(chunk))
        return values

    decision = values
