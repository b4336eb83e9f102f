"""Every path that learns the same rows in the same order, as functions that return the outcome.

The first path, `at_once`, is the reference for the others; a naive implementation is the reference for it.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from rosenblatt import Learner, Perceptron, load, read, save, trace

COUNTERS = ("mistakes", "false_positives", "false_negatives", "updates", "examples_seen")


class Task(NamedTuple):
    """Rows to learn from in their order, rows to score afterwards, and the settings of the learner."""

    X: Any
    y: NDArray[np.int64]
    Z: Any
    settings: dict[str, Any]
    epochs: int
    folder: Path
    weight: NDArray[np.float64] | None = None

    @property
    def classes(self) -> list[int]:
        return np.unique(self.y).tolist()

    @property
    def n(self) -> int:
        return len(self.y)

    def part(self, chosen: slice) -> tuple[Any, ...]:
        """Rows and labels, and the weights if there are any."""
        parts = (self.X[chosen], self.y[chosen])
        return parts if self.weight is None else (*parts, self.weight[chosen])


class Outcome(NamedTuple):
    """The outcome of a run: its counters, (w, b) after the last step, and decision values of other rows."""

    counters: tuple[int, ...]
    weights: NDArray[np.float64]
    values: NDArray[np.float64]


def outcome(model: Any, Z: Any) -> Outcome:
    """Return what an estimator has learned."""
    counters = tuple(getattr(model, f"{name}_") for name in COUNTERS)
    return Outcome(counters, np.ravel(model._state.current()), model.decision_function(Z))


def row_of(X: Any, i: int) -> Any:
    return X[i : i + 1] if sp.issparse(X) else X[i]


def stream(task: Task, model: Perceptron, cuts: list[int]) -> Perceptron:
    """Learn by `partial_fit` in the parts between the cuts."""
    for _ in range(task.epochs):
        for begin, end in zip([0, *cuts], [*cuts, task.n], strict=True):
            X, y, *weight = task.part(slice(begin, end))
            model.partial_fit(X, y, classes=task.classes, sample_weight=weight[0] if weight else None)
    return model


# ---------------------------------------------------------------- estimators


def at_once(task):
    return stream(task, Perceptron(**task.settings), [])


def row_by_row(task):
    return stream(task, Perceptron(**task.settings), list(range(1, task.n)))


def in_blocks(task):
    return stream(task, Perceptron(**task.settings), sorted({1, task.n // 3, task.n - 1} - {0}))


def by_fit(task):
    model = Perceptron(order="given", epochs=task.epochs, **task.settings)
    return model.fit(task.X, task.y, sample_weight=task.weight)


def by_warm_fits(task):
    model = Perceptron(order="given", epochs=1, warm_start=True, **task.settings)
    for _ in range(task.epochs):
        model.fit(task.X, task.y, sample_weight=task.weight)
    return model


def by_an_order(task):
    model = Perceptron(order=list(range(task.n)), epochs=task.epochs, **task.settings)
    return model.fit(task.X, task.y, sample_weight=task.weight)


def in_threads(task):
    """Several models at once over one copy of the rows, each with two threads for its classes."""
    jobs = task._replace(settings={**task.settings, "n_jobs": 2})
    with ThreadPoolExecutor(3) as pool:
        first, *others = pool.map(lambda _: by_fit(jobs), range(3))
    assert all(other._state.current().tobytes() == first._state.current().tobytes() for other in others)
    return first


def from_chunks(task):
    chunks = [task.part(slice(begin, begin + 7)) for begin in range(0, task.n, 7)]
    model = Perceptron(order="given", epochs=task.epochs, **task.settings)
    return model.fit_stream(chunks, classes=task.classes)


def saved_between(task):
    """Saved and loaded after each pass."""
    model, path = Perceptron(**task.settings), task.folder / "model"
    for _ in range(task.epochs):
        save(stream(task._replace(epochs=1), model, [task.n // 2]), path)
        model = load(path)
    return model


def copied_between(task):
    """Copied after each pass; what the original learns later must not change the copy."""
    model, once = Perceptron(**task.settings), task._replace(epochs=1)
    for k in range(task.epochs):
        left = stream(once, model, [])
        model = copy.deepcopy(left) if k % 2 else pickle.loads(pickle.dumps(left))
        stream(once, left, [])
    return model


def on_a_device(task):
    """Train by the code of a GPU, run by torch on the CPU."""
    pytest.importorskip("torch", reason="the code of a GPU runs on torch")
    return by_fit(task._replace(settings={**task.settings, "device": "torch:cpu"}))


# ---------------------------------------------------------------- files


def as_text(task) -> str:
    """The rows as a file in svmlight's format."""
    path = task.folder / "rows.svm"
    lines = []
    for row, label in zip(dense(task.X).astype(float).tolist(), task.y.tolist(), strict=True):
        entries = [f"{j}:{value!r}" for j, value in enumerate(row, 1) if value or j == len(row)]
        lines.append(f"{label:+d} {' '.join(entries)}\n")
    path.write_text("".join(lines))
    return str(path)


def dense(X: Any) -> NDArray[Any]:
    return X.toarray() if sp.issparse(X) else X


def from_a_file(task):
    model = Perceptron(order="given", epochs=task.epochs, **task.settings)
    return model.fit_stream(read(as_text(task)), classes=map(str, task.classes))


class Interrupted(Exception):
    pass


class Interrupting:
    """A source that stops after some parts, as if the process had been interrupted."""

    def __init__(self, source: Any, after: int) -> None:
        self._source, self._after = source, after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)

    def chunks(self, order: Any = None, skip: int = 0) -> Iterator[Any]:
        for number, chunk in enumerate(self._source.chunks(order, skip)):
            if number == self._after:
                raise Interrupted
            yield chunk


def by_resuming(task):
    """Stopped after every part of a file, and resumed from the checkpoint."""
    path, stops = as_text(task), 0
    while True:
        model = Perceptron(order="given", epochs=1, **task.settings)
        source = Interrupting(read(path), after=1)
        try:
            model.fit_stream(
                source, classes=map(str, task.classes), checkpoint=str(task.folder / "run"), every=0.0
            )
        except Interrupted:
            stops += 1
        else:
            assert stops > 1, "the file has only a few parts"
            return model


# ---------------------------------------------------------------- online


def by_a_learner(task):
    learner = begin_learner(task)
    for _ in range(task.epochs):
        for i, label in enumerate(task.y.tolist()):
            learner.learn(row_of(task.X, i), label)
    return train(learner, [row_of(task.Z, i) for i in range(task.Z.shape[0])])


def by_names(task):
    """From named features, with the learner saved and loaded after each pass."""
    learner, path = begin_learner(task), task.folder / "learner"
    for _ in range(task.epochs):
        for x, label in zip(rows_as_dicts(task.X), task.y.tolist(), strict=True):
            learner.learn(x, label)
        save(learner, path)
        learner = load(path)
    return train(learner, rows_as_dicts(task.Z))


def many_at_once(task):
    """By `Learner.learn_many`, from named features, in parts."""
    learner, rows = begin_learner(task), rows_as_dicts(task.X)
    for _ in range(task.epochs):
        for begin in range(0, task.n, 11):
            learner.learn_many(rows[begin : begin + 11], task.y[begin : begin + 11].tolist())
    return train(learner, rows_as_dicts(task.Z))


def begin_learner(task) -> Learner:
    return Learner(**task.settings, classes=task.classes)


def rows_as_dicts(X: Any) -> list[dict[str, float]]:
    return [{f"x{j}": float(value) for j, value in enumerate(x)} for x in dense(X)]


def train(learner: Learner, rows: list[Any]) -> Outcome:
    """Return the outcome of a Learner, which has dicts if there are several classes."""
    counters = tuple(getattr(learner, name) for name in COUNTERS)
    values = [learner.decide(z) for z in rows]
    weights, offset = learner.weights, learner.offset_weight
    if not isinstance(offset, dict):
        return Outcome(counters, with_offset(weights, offset), np.array(values))
    columns = [with_offset(weights[c], offset[c]) for c in learner.classes]
    return Outcome(counters, np.concatenate(columns), np.array([[*each.values()] for each in values]))


def with_offset(weights: Any, offset: float) -> NDArray[np.float64]:
    return np.append([*weights.values()] if isinstance(weights, dict) else weights, offset)


# ---------------------------------------------------------------- traces


def by_tracing(task):
    record = trace(task.X, task.y, epochs=task.epochs, sample_weight=task.weight, **task.settings)
    counters = (
        record.mistakes,
        record.false_positives,
        record.false_negatives,
        record.updates,
        len(record),
    )
    return Outcome(counters, np.append(record.weights, record.offset), np.empty(0))


class Way(NamedTuple):
    """A path and its properties.

    reads_anew: it turns the rows into another layout, so sums may be rounded in another order.
    weighs: its rows may have weights. one_pass: it makes one pass only.
    """

    run: Callable[[Task], Any]
    keeps: tuple[str, ...] = ("last", "averaged", "voted", "pocket")
    reads_anew: bool = False
    weighs: bool = True
    one_pass: bool = False
    two_classes_only: bool = False
    many_classes_only: bool = False


WAYS = {
    "row by row": Way(row_by_row),
    "in blocks": Way(in_blocks),
    "fit": Way(by_fit, ("last", "averaged", "voted")),  # the pocket of fit compares errors on all rows
    "warm fits": Way(by_warm_fits, ("last", "averaged", "voted")),
    "a listed order": Way(by_an_order, ("last", "averaged", "voted")),
    "threads": Way(in_threads, ("last", "averaged", "voted")),
    "chunks": Way(from_chunks),
    "saved and loaded": Way(saved_between),
    "copied": Way(copied_between),
    "file": Way(from_a_file, reads_anew=True, weighs=False),
    "resumed from a checkpoint": Way(by_resuming, reads_anew=True, weighs=False, one_pass=True),
    "Learner": Way(by_a_learner, weighs=False),
    "Learner, named": Way(by_names, reads_anew=True, weighs=False),
    "Learner, many at once": Way(many_at_once, reads_anew=True, weighs=False),
    "trace": Way(by_tracing, ("last",), two_classes_only=True),
    "device": Way(on_a_device, ("last", "averaged"), many_classes_only=True),
}


def run(way: Way, task: Task) -> Outcome:
    """Learn by this path and return what came out."""
    made = way.run(task)
    return made if isinstance(made, Outcome) else outcome(made, task.Z)
