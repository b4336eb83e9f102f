"""Prediction and evaluation on a cluster, part by part."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.cluster import dask_client, worker_tasks
from rosenblatt.cluster.array_parts import ArrayParts, is_dask, is_dataframe
from rosenblatt.cluster.file_parts import FileParts
from rosenblatt.data.sources.reading import every_row, is_path, read
from rosenblatt.errors import BadInput, bad_choice
from rosenblatt.models.loaded import LoadedEstimator, as_matrix
from rosenblatt.models.perceptron import Perceptron
from rosenblatt.training.linear_state import LinearState
from rosenblatt.training.streams.evaluations import Evaluation
from rosenblatt.training.streams.evaluations import evaluate as evaluate_source
from rosenblatt.training.streams.stream_targets import fit_to

METHODS = ("predict", "decision_function", "predict_proba")


def predict(model: Any, X: Any, method: str = "predict", client: Any = None, **reading: Any) -> Any:
    """Return the predictions of a model for rows on a cluster.

    Parameters
    ----------
    model : classifier
        A fitted model.
    X : dask array, dask dataframe or files
        The rows. All workers must be able to read the files, which are read with the options of the
        training files.
    method : {"predict", "decision_function", "predict_proba"}, default="predict"
        The method of the model to apply.
    client : distributed.Client or str, default=None
        A client of Dask, or the address of its scheduler; by default the current client or, if there is
        none, a local cluster.
    **reading : dict
        Options of `rosenblatt.read` for files.

    Returns
    -------
    dask array or ndarray
        For dask rows a lazy array with the same partitions; for files the predictions of all rows, in
        memory.

    Raises
    ------
    BadInput
        If the model lacks the method, or the rows cannot be used.

    Examples
    --------
    >>> import dask.array as da
    >>> from rosenblatt import Perceptron
    >>> model = Perceptron(order="given").fit([[-1.0], [1.0]], ["no", "yes"])
    >>> predict(model, da.from_array([[-2.0], [3.0]], chunks=(1, 1))).compute().tolist()
    ['no', 'yes']
    """
    if method not in METHODS:
        raise bad_choice("method", method, METHODS)
    if not hasattr(model, method):
        raise BadInput(f"method: this {type(model).__name__} has no {method}; call calibrate first")
    if is_dask(X):
        return _lazily(model, X, method)
    if not is_path(X):
        raise BadInput(f"X: expected a dask array or dataframe, or files, got {type(X).__name__}")
    like = every_row(getattr(model, "reading_", None) or {})
    known: dict[str, Any] = {"like": like, "labelled": False} if like else {}
    source = read(X, **known, **reading)
    with dask_client.client_of(client) as connected:
        dask_client.check_workers(connected, "rosenblatt")
        there = connected.scatter(model, hash=False, broadcast=True)
        found = FileParts(source).map(connected, _answer, there, method)
        answers = [each for each in found if len(each)]
    if not answers:
        raise BadInput(f"{source.name}: there are no rows; give a source with rows")
    return np.concatenate(answers)


def _lazily(model: Any, X: Any, method: str) -> Any:
    """Return a Dask array of the predictions with the partitions of X."""
    import dask.array as da
    from dask import delayed

    answers = getattr(model, method)
    if is_dataframe(X):
        meta = answers(X._meta_nonempty)
        shape = (np.nan, *meta.shape[1:])
        made = [da.from_delayed(delayed(answers)(part), shape, dtype=meta.dtype) for part in X.to_delayed()]
        return da.concatenate(made, allow_unknown_chunksizes=True)
    meta = answers(np.zeros((1, model.n_features_in_)))
    more = {"drop_axis": 1} if meta.ndim == 1 else {"chunks": (X.chunks[0], (meta.shape[1],))}
    return X.map_blocks(answers, dtype=meta.dtype, meta=np.empty((0,) * meta.ndim, meta.dtype), **more)


def _answer(load: Any, model: Any, method: str) -> Any:
    """Return the predictions for the rows of a load."""
    made = [
        getattr(model, method)(as_matrix(worker_tasks.as_read(chunk.rows), model.n_features_in_))
        for chunk in worker_tasks.loaded_of(load).chunks
        if len(chunk)
    ]
    return np.concatenate(made) if made else np.empty(0)


def evaluate(model: Any, X: Any, y: Any = None, client: Any = None, **reading: Any) -> Evaluation:
    """Compare the predictions for all rows with their labels.

    Parameters
    ----------
    model : classifier
        A fitted model.
    X : dask array, dask dataframe or files
        The rows, as for `predict`.
    y : dask array or str, default=None
        Their labels; files contain them.
    client : distributed.Client or str, default=None
        As for `predict`.
    **reading : dict
        Options of `rosenblatt.read` for files.

    Returns
    -------
    Evaluation
        The errors, the confusion matrix and the smallest margin.

    Raises
    ------
    BadInput
        If there are no rows, or they cannot be used.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from rosenblatt import Perceptron
    >>> model = Perceptron(order="given").fit([[-1.0], [1.0]], [0, 1])
    >>> X, y = da.from_array([[-2.0], [3.0]], chunks=(1, 1)), da.from_array([0, 0], chunks=1)
    >>> with Client(processes=False, dashboard_address=":0") as client:
    ...     found = evaluate(model, X, y, client)
    >>> found.confusion.tolist()
    [[1, 1], [0, 0]]
    """
    like = getattr(model, "reading_", None) or {}
    known: dict[str, Any] = {"like": like} if like else {}
    with dask_client.client_of(client) as connected:
        parts = FileParts(read(X, **known, **reading)) if is_path(X) else ArrayParts(X, y, None, connected)
        if isinstance(model, Perceptron):
            return merge(connected, model._state, model.classes_, parts)
        return merge(connected, LoadedEstimator(model), model.classes_, parts)


def merge(client: Any, model: LinearState | LoadedEstimator, classes: Any, parts: Any) -> Evaluation:
    """Evaluate a model on each part, and return the merged evaluation."""
    there = client.scatter(model, hash=False, broadcast=True)
    whole = Evaluation(classes)
    for part in parts.map(client, _evaluate_load, there, classes, parts.name):
        if part is None:
            continue
        whole.confusion += part.confusion
        whole.unknown += part.unknown
        if whole.scored is not None and part.scored is not None:
            whole.scored.add(part.scored.numbers, part.scored.values)
        if part.margin is not None:
            whole.margin = part.margin if whole.margin is None else min(whole.margin, part.margin)
    if not whole.examples:
        raise BadInput(f"{parts.name}: there are no rows; give a source with rows")
    return whole


def error_of(client: Any, state: LinearState, teaching: Any, parts: Any) -> float:
    """Return the fraction of misclassified rows or, for a table of labels, of wrong entries."""
    if teaching.has_classes:
        return merge(client, state, teaching.classes, parts).error
    there = client.scatter(state, hash=False, broadcast=True)
    rows, wrong = np.sum(list(parts.map(client, _count_label_errors, there, teaching)), axis=0)
    return float(wrong / rows)


def _count_label_errors(load: Any, state: LinearState, teaching: Any) -> tuple[int, float]:
    rows, wrong = 0, 0.0
    for chunk in worker_tasks.loaded_of(load).chunks:
        if len(chunk):
            X = fit_to(worker_tasks.as_read(chunk.rows), state.n_features)
            batch = teaching.batch(X, chunk.y, chunk.importance)
            rows, wrong = rows + len(chunk), wrong + state.error(batch) * len(chunk)
    return rows, wrong


def _evaluate_load(
    load: Any, model: LinearState | LoadedEstimator, classes: Any, name: str
) -> Evaluation | None:
    """Return the evaluation of a model on the rows of a load, or None if there are none."""
    source: Any = worker_tasks.LoadedSource(name, worker_tasks.loaded_of(load))
    if not any(len(chunk) for chunk in source.chunks()):
        return None
    if not isinstance(model, LoadedEstimator):
        return evaluate_source(model, classes, source)
    found = Evaluation(classes)
    found.count_source(source, model.n_features, model.best, model.values)
    return found
