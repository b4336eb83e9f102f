"""One pass over partitions on a local cluster of two worker processes: ours and dask-ml's.

The rows are in the memory of the workers (persisted), created on demand, or in files, as users have them.
The time that Dask needs for empty tasks is measured too.
"""

from __future__ import annotations

import logging
import os
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.timing import Figure, seconds, show

ROWS, FEATURES, PARTITIONS = 1_000_000, 20, 8
SPARSE_ROWS, SPARSE_FEATURES, ENTRIES = 200_000, 20_000, 50
FILE_ROWS, FILE_TIMES = 300_000, 8
SIZE = ROWS // PARTITIONS


def dense() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, FEATURES))
    return X, (X @ rng.normal(size=FEATURES) + rng.normal(size=ROWS) > 0.0).astype(np.int64)


def sparse() -> tuple[Any, Any]:
    from scipy.sparse import csr_array

    rng = np.random.default_rng(1)
    indices = np.sort(rng.integers(0, SPARSE_FEATURES, (SPARSE_ROWS, ENTRIES)), axis=1).ravel()
    values = rng.normal(size=indices.size)
    starts = np.arange(0, indices.size + 1, ENTRIES)
    X = csr_array((values, indices, starts), shape=(SPARSE_ROWS, SPARSE_FEATURES))
    X.sum_duplicates()
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # as the peer requires
    return X, (X @ rng.normal(size=SPARSE_FEATURES) > 0.0).astype(np.int64)


def lazily(X: Any, y: Any) -> tuple[Any, Any]:
    """Return both in the same number of partitions, created lazily from memory."""
    import dask.array as da
    from dask import delayed

    size = -(-len(y) // PARTITIONS)
    blocks = [
        da.from_delayed(
            delayed(X[k : k + size]), (len(y[k : k + size]), X.shape[1]), meta=X[:0], dtype=X.dtype
        )
        for k in range(0, len(y), size)
    ]
    return da.concatenate(blocks), da.from_array(y, chunks=size)


def on_cluster(client: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """Return the same collections in the memory of the workers."""
    from distributed import wait

    parts = client.persist(lazily(X, y))
    wait(parts)
    return parts[0], parts[1]


def random_rows() -> tuple[Any, Any]:
    """Return rows that the workers draw, with labels computed from them."""
    import dask.array as da

    X = da.random.default_rng(0).normal(size=(ROWS, FEATURES), chunks=(SIZE, FEATURES))
    return X, (X.sum(axis=1) > 0.0).astype(np.int64)


def from_files(folder: str) -> tuple[Any, Any]:
    """Return rows that the workers load from files."""
    import dask.array as da
    from dask import delayed

    X, y = dense()
    for k in range(PARTITIONS):
        np.save(f"{folder}/rows{k}.npy", X[k * SIZE : (k + 1) * SIZE])
    loaded = [delayed(np.load)(f"{folder}/rows{k}.npy") for k in range(PARTITIONS)]
    rows = da.concatenate([da.from_delayed(block, (SIZE, FEATURES), dtype=X.dtype) for block in loaded])
    return rows, da.from_array(y, chunks=SIZE)


def peer(X: Any, y: Any, **parameters: Any) -> Any:
    """dask-ml's chain of `partial_fit`; by hand where dask-ml does not take sparse blocks."""
    from sklearn.linear_model import SGDClassifier

    model = SGDClassifier(loss="perceptron", **parameters)
    if isinstance(X._meta, np.ndarray):
        from dask_ml.wrappers import Incremental

        return Incremental(model).fit(X, y, classes=[0, 1])
    from dask import delayed

    chain = delayed(model)
    for block, labels in zip(X.to_delayed().ravel(), y.to_delayed().ravel(), strict=True):
        chain = delayed(_partial_fit)(chain, block, labels)
    return chain.compute()


def _partial_fit(model: Any, X: Any, y: Any) -> Any:
    from sklearn.base import clone

    own = clone(model) if not hasattr(model, "coef_") else model
    return own.partial_fit(X, y, classes=[0, 1])


def write(path: str) -> None:
    rng = np.random.default_rng(2)
    X = np.round(rng.normal(size=(FILE_ROWS, 30)), 4)
    y = np.where(X @ rng.normal(size=30) > 0.0, 1, -1)
    names = [f"{j + 1}:" for j in range(30)]
    with open(path, "w") as file:
        for row, label in zip(X.tolist(), y.tolist(), strict=True):
            file.write(
                f"{label} "
                + " ".join(f"{name}{value}" for name, value in zip(names, row, strict=True))
                + "\n"
            )


def main() -> None:
    from distributed import Client, LocalCluster

    # both sides compute the same collections by different graphs, about which the scheduler warns
    logging.getLogger("distributed.scheduler").setLevel(logging.ERROR)
    figures: list[Figure] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as workers,
        Client(workers) as client,
    ):
        kinds: dict[str, Callable[[], tuple[Any, Any]]] = {
            "dense, persisted": lambda: on_cluster(client, *dense()),
            "sparse, persisted": lambda: on_cluster(client, *sparse()),
            "dense, drawn by the workers": random_rows,
            "dense, from .npy files": lambda: from_files(folder),
        }
        print("what Dask takes for tasks that do nothing:")
        for name, took in limits(client).items():
            print(f"  {name}: {took * 1e3:.0f} ms")
        for name, made in kinds.items():
            X, y = made()
            figures += against_peer(client, name, X, y)
            del X, y
        path = os.path.join(folder, "rows.svm")
        write(path)
        figures.append(over_files(client, path))
        with open(path, "rb") as once, open(path + "8", "wb") as eight:
            text = once.read()
            for _ in range(FILE_TIMES):
                eight.write(text)
        figures.append(over_files(client, path + "8"))
    show("On a local cluster of two worker processes", figures)


def against_peer(client: Any, name: str, X: Any, y: Any) -> list[Figure]:
    """Compare relay and mixing with the peer, by default and with equal work (no penalty, no shuffle).

    All runs get the classes, because the peer requires them.
    """
    from rosenblatt import Perceptron, cluster

    def fit(how: str) -> Any:
        return cluster.fit(
            Perceptron(order="given", epochs=1), X, y, how=how, client=client, classes=[0, 1]
        )

    relay, mixing, theirs, same_work = seconds(
        lambda: fit("relay"),
        lambda: fit("mixing"),
        lambda: peer(X, y),
        lambda: peer(X, y, penalty=None, shuffle=False),
        repeats=5,
    )
    who = "dask-ml" if "sparse" not in name else "partial_fit by hand"
    return [
        Figure(
            f"fits/{how}-{name.replace(', ', '-').replace(' ', '-')}",
            f"cluster, {how}, {name}",
            ours,
            theirs,
            "s",
            10.0,
            f"one pass, 8 partitions, two workers; the same work took the peer {same_work:.3f} s "
            f"({same_work / ours:.1f} ×)",
            who,
        )
        for how, ours in (("relay", relay), ("mixing", mixing))
    ]


def over_files(client: Any, path: str) -> Figure:
    from rosenblatt import Perceptron, cluster

    size = os.path.getsize(path) / 1e6
    relay, alone = seconds(
        lambda: cluster.fit_files(Perceptron(order="given", epochs=1), path, client=client),
        lambda: Perceptron(order="given", epochs=1, n_jobs=-1).fit_stream(path),
        repeats=5,
    )
    return Figure(
        f"fits/file-{'large' if path.endswith('8') else 'small'}",
        f"cluster, relay over a file of {size:.0f} MB",
        relay,
        alone,
        "s",
        0.8,
        beside="fit_stream on both cores",
    )


def limits(client: Any) -> dict[str, float]:
    """Measure an empty Dask task, a chain of eight tasks over both workers, and one task on each worker."""
    at = sorted(client.scheduler_info()["workers"])

    def chain() -> None:
        task = client.submit(abs, -1, pure=False, workers=[at[0]])
        for k in range(1, PARTITIONS):
            task = client.submit(abs, task, pure=False, workers=[at[k % len(at)]])
        task.result()

    def round_() -> None:
        client.gather([client.submit(abs, -1, pure=False, workers=[worker]) for worker in at])

    def one() -> None:
        client.submit(abs, -1, pure=False).result()

    found = {}
    for name, job in (
        ("one task", one),
        ("one task on each worker", round_),
        (f"a chain of {PARTITIONS} from worker to worker", chain),
    ):
        times = []
        for _ in range(10):
            began = time.perf_counter()
            job()
            times.append(time.perf_counter() - began)
        found[name] = float(np.median(times))
    return found


if __name__ == "__main__":
    main()
