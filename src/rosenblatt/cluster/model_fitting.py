"""`fit` and `fit_files`: train an estimator on data of a cluster."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np

from rosenblatt.cluster import dask_client
from rosenblatt.cluster.array_parts import ArrayParts, is_dask, is_dataframe
from rosenblatt.cluster.file_parts import FileParts
from rosenblatt.cluster.mixing_run import MixingRun
from rosenblatt.cluster.relay_run import RelayRun
from rosenblatt.cluster.worker_tasks import Labels
from rosenblatt.data.sources.feature_names import ALL
from rosenblatt.data.sources.reading import is_path, read
from rosenblatt.data.sources.recorded_names import name_features
from rosenblatt.errors import BadInput, bad_choice
from rosenblatt.models.fit_stream import complete_run, stream_settings
from rosenblatt.models.kernel_perceptron import KernelPerceptron
from rosenblatt.models.perceptron import Perceptron
from rosenblatt.models.polynomial_threshold import PolynomialThreshold
from rosenblatt.models.saving import take_record
from rosenblatt.storage.checkpoints import record_of, save_checkpoint
from rosenblatt.storage.perceptrons import LABELS
from rosenblatt.training.settings import PERCEPTRON, check

WAYS = ("relay", "mixing")
MIXES = ("uniform", "mistakes")

Estimator = TypeVar("Estimator")


def fit(
    model: Estimator,
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
    patience: float = dask_client.PATIENCE,
) -> Estimator:
    """Train an estimator on data of a Dask cluster.

    Parameters
    ----------
    model : Perceptron
        The estimator, which learns as `fit_stream` would.
    X : dask array, dask dataframe or files
        The rows; files as for `fit_files`.
    y : dask array, str or array-like, default=None
        Their labels, with the same partitions: a dask array, the name of a column of a dataframe, a table
        of labels, or labels in memory.
    how : {"relay", "mixing"}, default="relay"
        "relay": the weights move from partition to partition. The result is bit for bit the same as that of
        `fit` if the order is "given", or that of `fit_stream` over the same partitions if the order is
        "shuffled". "mixing": in each pass, all partitions learn in parallel from the same weights, and the
        results are averaged.
    client : distributed.Client or str, default=None
        A client of Dask, or the address of its scheduler; by default the current client or, if there is
        none, a local cluster, which is closed at the end.
    sample_weight : dask array, default=None
        A weight for each row.
    classes : iterable, default=None
        All classes; needed for files whose first rows do not contain all classes.
    mix : {"uniform", "mistakes"}, default="uniform"
        With how="mixing", the weight of a shard in the average: the same for all, or proportional to its
        number of mistakes.
    shards : int or None, default=None
        With how="mixing", the number of shards; by default each partition is a shard, and files are divided
        into sixteen shards.
    held_out : (X, y) or files, default=None
        Separate rows on which the error is measured after each pass.
    checkpoint : str, default=None
        A file to which the run is saved regularly, and also when the cluster is lost. Repeating the same
        call continues the run from this file.
    every : float, default=30.0
        Seconds between checkpoints.
    patience : float
        Seconds without any worker after which the run gives up.

    Returns
    -------
    estimator
        The estimator itself.

    Raises
    ------
    BadInput
        If a parameter or the data cannot be used.

    Examples
    --------
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
    _check(model, how, mix)
    if y is None:
        raise BadInput("y: expected the labels of the rows, as a dask array or the name of a column")
    with dask_client.client_of(client) as connected:
        parts = ArrayParts(X, y, sample_weight, connected)
        others = None if held_out is None else _held_out_parts(held_out, connected)
        target = y if isinstance(y, str) else None
        names = [str(name) for name in X.columns if name != target] if is_dataframe(X) else None
        mixing = {"mix": mix, "shards": shards}
        return _fit_parts(
            model, parts, how, connected, classes, mixing, others, checkpoint, every, patience, names
        )


def fit_files(
    model: Estimator,
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
    patience: float = dask_client.PATIENCE,
    names: str | int = ALL,
    **reading: Any,
) -> Estimator:
    r"""Train an estimator on files that all workers can read.

    Text files are split into parts as in a stream. A compressed file is a single part, so several
    compressed files are better than one.

    Parameters
    ----------
    model : Perceptron
        The estimator, as for `fit`.
    files : str, Path, list or source
        Paths, folders, patterns, fsspec URLs, or a list of these; or a source from `rosenblatt.read`.
    how, client, classes, mix, shards, held_out, checkpoint, every, patience : as in fit
        See `fit`.
    names : {"all", "none"} or int, default="all"
        How many names of hashed features the model stores, as in `Perceptron.fit_stream`. To record them,
        the workers read the files once more.
    **reading : dict
        Options of `rosenblatt.read` (format, target, bits, …).

    Returns
    -------
    estimator
        The estimator itself.

    Raises
    ------
    BadInput
        If a parameter or the files cannot be used.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from distributed import Client
    >>> from rosenblatt import Perceptron
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "rows.csv"
    >>> _ = path.write_text("x,y\n1,yes\n-1,no\n")
    >>> with Client(processes=False, dashboard_address=":0") as client:
    ...     model = fit_files(Perceptron(), str(path), client=client)
    >>> model.classes_.tolist()
    ['no', 'yes']
    >>> folder.cleanup()
    """
    _check(model, how, mix)
    source = files if hasattr(files, "chunks") and hasattr(files, "settings") else read(files, **reading)
    with dask_client.client_of(client) as connected:
        others = None if held_out is None else _held_out_parts(held_out, connected, source)
        mixing, parts = {"mix": mix, "shards": shards}, FileParts(name_features(source, names))
        return _fit_parts(
            model, parts, how, connected, classes, mixing, others, checkpoint, every, patience
        )


def _check(model: Any, how: Any, mix: Any) -> None:
    if how not in WAYS:
        raise bad_choice("how", how, WAYS)
    if mix not in MIXES:
        raise bad_choice("mix", mix, MIXES)
    if isinstance(model, KernelPerceptron | PolynomialThreshold):
        raise BadInput(
            f"model: got {type(model).__name__}, whose support rows cannot be passed between workers; fit "
            "it on one machine, with a budget if memory is short, or use Perceptron"
        )
    if not isinstance(model, Perceptron):
        raise BadInput(
            f"model: got {type(model).__name__}, expected a Perceptron; of a pipeline give the last step, "
            "and features made by dask or by read"
        )
    check(PERCEPTRON, vars(model))


def _held_out_parts(held_out: Any, client: Any, like: Any = None) -> Any:
    if isinstance(held_out, tuple) and len(held_out) == 2 and is_dask(held_out[0]):
        return ArrayParts(*held_out, None, client)
    if not is_path(held_out):
        raise BadInput("held_out: expected (X, y) of dask arrays or dataframes, or files")
    return FileParts(read(held_out) if like is None else read(held_out, like=like.settings()))


def run_of(
    how: str, parts: Any, settings: Any, client: Any, mixing: dict[str, Any], **more: Any
) -> RelayRun:
    """Return a relay run or a mixing run over these parts."""
    if how == "mixing":
        return MixingRun(parts, settings, client, **mixing, **more)
    return RelayRun(parts, settings, client, **more)


def _fit_parts(
    model: Any, parts: Any, how: str, client: Any, classes: Any, mixing: dict[str, Any], held_out: Any,
    checkpoint: str | None, every: float, patience: float, names: list[str] | None = None,
) -> Any:  # fmt: skip
    """Fit the model to the parts and return it; `names` are the feature names, if known."""
    settings = stream_settings(model, classes)
    run: Any = run_of(how, parts, settings, client, mixing, held_out=held_out, patience=patience)
    try:
        complete_run(run, model, checkpoint, every, parts.n_parts, lambda: run.position.parts, unit="parts")
    except dask_client.ClusterLost as error:
        where = "nothing was saved: give a checkpoint, from which the same call can resume"
        if checkpoint is not None and run.state is not None:
            save_checkpoint(run, checkpoint)
            where = f"the state is in {checkpoint}, and the same call resumes from it"
        raise dask_client.ClusterLost(f"{error}; {where}") from error
    record = record_of(run)
    if isinstance(run.teaching, Labels):
        record.target, record.like = LABELS, np.dtype(np.int64)
        record.class_totals = np.zeros((len(run.classes), 2))
    record.feature_names = names or record.feature_names
    take_record(model, record)
    return model
