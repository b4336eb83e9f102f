"""`fit` and `fit_files`: train an estimator on data of a cluster."""

from __future__ import annotations

import signal
from collections.abc import Iterable
from typing import Any

import numpy as np

from rosenblatt.cluster import clients
from rosenblatt.cluster.kernel_relay import KernelRelay, refuse_other_ways, take_learned, traveller
from rosenblatt.cluster.mixing import MixingRun
from rosenblatt.cluster.partitions import ArrayParts, is_dask, is_dataframe
from rosenblatt.cluster.parts import FileParts
from rosenblatt.cluster.relay import RelayRun
from rosenblatt.cluster.tasks import Labels
from rosenblatt.data.sources.reading import is_path, read
from rosenblatt.errors import BadInput, bad_choice
from rosenblatt.learning.progress import Progress
from rosenblatt.learning.settings import PERCEPTRON, check
from rosenblatt.learning.streams.stream_run import StreamRun, interruptible
from rosenblatt.models.fit_inputs import as_list
from rosenblatt.models.fit_stream import stream_settings
from rosenblatt.models.kernel_perceptron import KernelPerceptron
from rosenblatt.models.perceptron import Perceptron
from rosenblatt.models.polynomial_threshold import PolynomialThreshold
from rosenblatt.models.saving import take_record
from rosenblatt.storage.checkpoints import Checkpoint, record_of, resume, save_checkpoint
from rosenblatt.storage.perceptrons import LABELS, PerceptronRecord

WAYS = ("relay", "mixing", "columns")
MIXES = ("uniform", "mistakes")


def fit(
    model: Any,
    X: Any,
    y: Any = None,
    how: str = "relay",
    client: Any = None,
    *,
    sample_weight: Any = None,
    classes: Iterable[Any] | None = None,
    mix: str = "uniform",
    shards: int | None = None,
    held_out: Any = None,
    checkpoint: str | None = None,
    every: float = 30.0,
    patience: float = clients.PATIENCE,
) -> Any:
    """Learn from data that live on a Dask cluster.

    Parameters
    ----------
    model : a `Perceptron`, which learns as `fit_stream` would; or, with how="relay", a `KernelPerceptron`
        or `PolynomialThreshold`, which learns as `partial_fit` would from part after part. It is returned.
    X, y : dask arrays or dataframes with the same partitions (y may be a column's name of a dataframe, a
        table of labels, or in memory); or files, as for `fit_files`.
    how : "relay": the weights go from partition to partition, with the bits of `fit` in given order, and of
        `fit_stream` over the same partitions when shuffled. "mixing": all partitions learn at once from the
        same weights, which are then mixed; a pass is a round. "columns": each worker sees all rows, and has
        a share of the classes or labels: again the bits of `fit`.
    client : a client of Dask, or the address of its scheduler; else the current client, else a local
        cluster, which is closed in the end.
    sample_weight : a dask array with a weight for each row.
    classes : all classes, where the first rows of files do not have them.
    mix, shards : with how="mixing" what the weights of a shard count, "uniform" or by its "mistakes"; and
        how many shards there are (by default each partition is one, of files there are sixteen).
    held_out : other rows, (X, y) or files, whose error is measured after each pass.
    checkpoint, every : a file in which the run is saved every so many seconds; the same call goes on from
        it. It is also written when the cluster is lost.
    patience : seconds without any worker after which the run gives up.

    >>> import dask.array as da
    >>> from distributed import Client
    >>> from sklearn.datasets import load_breast_cancer
    >>> from rosenblatt import Perceptron, cluster
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = Perceptron(order="given", epochs=2)
    >>> with Client(processes=False, dashboard_address=":0") as client:
    ...     parts = da.from_array(X, chunks=(100, -1)), da.from_array(y, chunks=100)
    ...     _ = cluster.fit(model, *parts, client=client)
    >>> model.mistakes_ == Perceptron(order="given", epochs=2).fit(X, y).mistakes_
    True
    """
    if is_path(X):
        if y is not None or sample_weight is not None:
            raise BadInput(
                "y: files contain their labels; name the label column with fit_files(…, target=…)"
            )
        return fit_files(
            model, X, how, client, classes=classes, mix=mix, shards=shards, held_out=held_out,
            checkpoint=checkpoint, every=every, patience=patience,
        )  # fmt: skip
    _check(model, how, mix, checkpoint)
    if y is None:
        raise BadInput("y: expected the labels of the rows, as a dask array or the name of a column")
    with clients.client_of(client) as connected:
        parts = ArrayParts(X, y, sample_weight, connected)
        others = None if held_out is None else _held_out(held_out, connected)
        names = [str(name) for name in X.columns if not _is_name(y, name)] if is_dataframe(X) else None
        mixing = {"mix": mix, "shards": shards}
        return _taught(
            model, parts, how, connected, classes, mixing, others, checkpoint, every, patience, names
        )


def fit_files(
    model: Any,
    files: Any,
    how: str = "relay",
    client: Any = None,
    *,
    classes: Iterable[Any] | None = None,
    mix: str = "uniform",
    shards: int | None = None,
    held_out: Any = None,
    checkpoint: str | None = None,
    every: float = 30.0,
    patience: float = clients.PATIENCE,
    **reading: Any,
) -> Any:
    """Learn from files that all workers see: paths, folders, patterns, addresses of fsspec, or a list of
    these.

    reading: as for `rosenblatt.read` (format, target, bits, …), or a source that it gave in the place of
    the files. The rest is as for `fit`. Text is cut where a stream would cut it; what is packed comes a
    file at a time, so give many packed files rather than one.
    """
    _check(model, how, mix, checkpoint)
    source = files if hasattr(files, "chunks") and hasattr(files, "settings") else read(files, **reading)
    with clients.client_of(client) as connected:
        others = None if held_out is None else _held_out(held_out, connected, source)
        mixing, parts = {"mix": mix, "shards": shards}, FileParts(source)
        return _taught(model, parts, how, connected, classes, mixing, others, checkpoint, every, patience)


def _is_name(y: Any, column: Any) -> bool:
    return isinstance(y, str) and y == column


def _check(model: Any, how: Any, mix: Any, checkpoint: str | None) -> None:
    if how not in WAYS:
        raise bad_choice("how", how, WAYS)
    if mix not in MIXES:
        raise bad_choice("mix", mix, MIXES)
    if isinstance(model, Perceptron):
        check(PERCEPTRON, vars(model))
    elif isinstance(model, (KernelPerceptron, PolynomialThreshold)):
        refuse_other_ways(model, how, checkpoint)
    else:
        raise BadInput(
            f"model: got {type(model).__name__}, expected a Perceptron, KernelPerceptron or "
            "PolynomialThreshold that is not wrapped in another estimator; of a pipeline give the last "
            "step, and compute the features with dask or read"
        )


def _held_out(held_out: Any, client: Any, like: Any = None) -> Any:
    if isinstance(held_out, tuple) and len(held_out) == 2 and is_dask(held_out[0]):
        return ArrayParts(*held_out, None, client)
    if not is_path(held_out):
        raise BadInput("held_out: expected (X, y) of dask arrays or dataframes, or files")
    return FileParts(read(held_out) if like is None else read(held_out, like=like.settings()))


def run_of(
    how: str, parts: Any, settings: Any, client: Any, mixing: dict[str, Any], **more: Any
) -> RelayRun:
    """Return the run over these parts with the given strategy."""
    if how == "mixing":
        return MixingRun(parts, settings, client, **mixing, **more)
    return RelayRun(parts, settings, client, by_columns=how == "columns", **more)


def _taught(
    model: Any, parts: Any, how: str, client: Any, classes: Any, mixing: dict[str, Any], held_out: Any,
    checkpoint: str | None, every: float, patience: float, names: list[str] | None = None,
) -> Any:  # fmt: skip
    """Return the model after training on the parts. names: of their features, if they have any."""
    more: dict[str, Any] = {"held_out": held_out, "patience": patience}
    if isinstance(model, Perceptron):
        run = run_of(how, parts, stream_settings(model, classes), client, mixing, **more)
        _go(run, model, checkpoint, every)
        record = record_of_run(run)
        record.feature_names = names or record.feature_names
        take_record(model, record)
        return model
    blank, settings = traveller(model)
    if classes is not None:
        settings = settings.but(classes=list(classes))
    relay = KernelRelay(blank, parts, settings, client, **more)
    _go(relay, model, None, every)
    take_learned(model, relay)
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    model.reading_ = parts.settings()
    return model


def _go(run: RelayRun, model: Any, checkpoint: str | None, every: float) -> None:
    """Make the passes of a run, shown and saved as the model and the caller ask for it."""
    parts, epochs = run.parts, run.settings.epochs
    saving = None if checkpoint is None else Checkpoint(checkpoint, every)
    progress = Progress(model.progress, parts.n_parts and epochs and parts.n_parts * epochs, "parts")

    def watch(run: StreamRun) -> None:
        if saving is not None:
            saving(run)
        if run.state is not None:
            done = (parts.n_parts or 0) * len(run.history) + run.position.parts
            progress.at(done, f"pass {len(run.history) + 1}, {run.state.mistakes:,} mistakes")

    run.watch, run.after_pass = watch, as_list(model.callbacks)
    if checkpoint is not None:
        resume(run, checkpoint, any_seed=model.random_state is None)
    with progress, interruptible(run, signal.SIGINT):
        try:
            run.go()
        except (KeyboardInterrupt, clients.ClusterLost) as error:
            if checkpoint is not None and run.state is not None:
                save_checkpoint(run, checkpoint)
            if isinstance(error, KeyboardInterrupt):
                raise
            raise clients.ClusterLost(f"{error}; {_where(checkpoint, run)}") from error
    if saving is not None:
        saving.remove()


def _where(checkpoint: str | None, run: StreamRun) -> str:
    if checkpoint is None or run.state is None:
        return "nothing was saved: give a checkpoint, from which the same call can resume"
    return f"the state is in {checkpoint}, and the same call resumes from it"


def record_of_run(run: Any) -> PerceptronRecord:
    """Return the record of a run, of classes or of labels."""
    record = record_of(run)
    if isinstance(run.teaching, Labels):
        record.target, record.like = LABELS, np.dtype(np.int64)
        record.class_totals = np.zeros((len(run.classes), 2))
    return record
