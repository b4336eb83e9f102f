"""The runs of `over_orders`: one lesson learned many times over one copy of the rows, and measured."""

from __future__ import annotations

import copy
import hashlib
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Event
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from rosenblatt.arithmetic.examples import Dense, Rows, n_rows
from rosenblatt.geometry import l2_norm
from rosenblatt.learning.progress import Progress
from rosenblatt.models.input_checks import as_list


class Run(NamedTuple):
    """What is the run's own."""

    seed: int
    order: NDArray[np.uint64] | None
    init: Any


class Record(NamedTuple):
    """What is measured of a run."""

    accuracy: float
    test_accuracy: float | None
    margin: float
    mistakes: int
    updates: int
    epochs: int
    converged: bool
    fingerprint: bytes | None
    line: tuple[float, float, float] | None


class Lesson(NamedTuple):
    """Who learns, and from what."""

    estimator: Any
    X: Any
    y: NDArray[Any]
    sample_weight: ArrayLike | None

    def model(self, run: Run) -> Any:
        """A clone set for the run, not fitted yet."""
        bare = copy.copy(self.estimator)
        own: dict[str, Any] = {"random_state": run.seed}
        if "validation" in bare.get_params(deep=False):
            own["validation"], bare.validation = bare.validation, None  # clone would copy its rows
        model = clone(bare)
        if "init" in bare.get_params(deep=False):
            own["init"] = run.init
        if run.order is not None:
            own["order"] = run.order
        return model.set_params(**own)


class Study(NamedTuple):
    """A lesson, and the rows to measure on."""

    lesson: Lesson
    seen: tuple[Any, NDArray[Any]]
    test: tuple[Any, NDArray[Any]] | None

    def record(self, k: int, run: Run, stop: Event | None = None) -> Record:
        """Make the run and measure it. Where `stop` is set it ends after the pass that it is in."""
        lesson = self.lesson
        model = lesson.model(run).set_params(progress=False)
        if stop is not None:
            callbacks = [*as_list(model.callbacks), lambda _: stop.is_set()]
            model.set_params(callbacks=callbacks)
        try:
            model.fit(lesson.X, lesson.y, sample_weight=lesson.sample_weight)
            test_accuracy = None if self.test is None else accuracy(model, *self.test)
        except Exception as error:
            error.add_note(f"in run {k} of over_orders, with random_state={run.seed}")
            raise
        coef: Any = getattr(model, "coef_", None)
        intercept: Any = None if coef is None else model.intercept_
        return Record(
            accuracy(model, *self.seen), test_accuracy,
            np.nan if coef is None else smallest_margin(model, coef, *self.seen),
            int(model.mistakes_), int(model.updates_), int(model.epochs_), bool(model.converged_),
            None if coef is None else _fingerprint(coef, intercept),
            None if coef is None or coef.shape != (1, 2) else (*coef[0].tolist(), float(intercept[0])),
        )  # fmt: skip


def accuracy(model: Any, X: Any, y: NDArray[Any]) -> float:
    """The part of the rows that `predict` gets right, with several labels all of them."""
    right = model.predict(X) == y
    return float((right if right.ndim == 1 else right.all(axis=1)).mean())


def smallest_margin(model: Any, coef: NDArray[np.float64], X: Any, y: NDArray[Any]) -> float:
    """The smallest signed distance of a row from the boundary of its class: y(w·x + b)/‖w‖; with more than
    two classes (own score − other score)/‖own w − other w‖. NaN where some w has no direction."""
    scores = model.decision_function(X)
    if y.ndim == 2:  # a hyperplane for each label
        gaps, lengths = np.where(y > 0, scores, -scores), _lengths(coef)
    elif scores.ndim == 1:
        gaps, lengths = np.where(y == model.classes_[1], scores, -scores)[:, None], _lengths(coef)
    else:
        distances = [_from_others(model, coef, c, scores[y == of_class])
                     for c, of_class in enumerate(model.classes_)]  # fmt: skip
        return float(np.min(distances))
    return float((gaps / lengths).min()) if lengths.all() else np.nan


def _from_others(model: Any, coef: NDArray[np.float64], c: int, scores: NDArray[np.float64]) -> float:
    """The smallest margin of rows of class number c, against any other class."""
    others = np.delete(np.arange(len(model.classes_)), c)
    lengths = _lengths(coef[c] - coef[others])
    if not lengths.all():
        return np.nan
    return float(((scores[:, [c]] - scores[:, others]) / lengths).min(initial=np.inf))


def _lengths(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([l2_norm(w) for w in vectors])


def _fingerprint(coef: NDArray[np.float64], intercept: NDArray[np.float64]) -> bytes:
    # by digest: to keep the weights of every run could take more memory than the data
    weights = np.column_stack([coef, intercept]) + 0.0  # −0 becomes 0
    return hashlib.blake2b(weights.tobytes(), digest_size=16).digest()


# ---------------------------------------------------------------- all runs


def all_records(study: Study, runs: list[Run], threads: int, bar: Progress) -> list[Record]:
    if threads == 1:
        records = []
        for k, run in enumerate(runs):
            records.append(study.record(k, run))
            bar.at(k + 1, f"{len(runs) - k - 1:,} to go")
        return records
    stop = Event()
    pool = ThreadPoolExecutor(min(threads, len(runs)))
    try:
        futures = [pool.submit(study.record, k, run, stop) for k, run in enumerate(runs)]
        for done, future in enumerate(as_completed(futures), start=1):
            future.result()
            bar.at(done, f"{len(runs) - done:,} to go")
        return [future.result() for future in futures]
    finally:
        # after an error or Ctrl-C: runs not begun are dropped, the others end after the pass they are in
        stop.set()
        pool.shutdown(cancel_futures=True)


def columns_of(records: list[Record]) -> dict[str, Any]:
    columns: dict[str, Any] = {
        name: None if values[0] is None else np.array(values)
        for name, values in zip(Record._fields, zip(*records, strict=True), strict=True)
        if name not in ("fingerprint", "line")
    }
    prints = {record.fingerprint for record in records}
    columns["distinct_weights"] = None if None in prints else len(prints)
    lines = [record.line for record in records]
    columns["lines"] = None if None in lines else np.array(lines)
    return columns


def shared(rows: Rows) -> Any:
    """Rows as an array, or a CSR array, that `as_rows` takes as it is: no run makes a copy."""
    if isinstance(rows, Dense):
        return rows.values
    from scipy.sparse import csr_array

    signed = np.dtype(rows.indices.dtype.str.replace("u", "i"))
    matrix = csr_array(
        (rows.values, rows.indices.view(signed), rows.starts.view(signed)),
        shape=(n_rows(rows), rows.n_features),
    )
    matrix.has_canonical_format = True  # as_rows has seen to it
    return matrix
