"""One pass over partitions on a local cluster of two worker processes: ours and dask-ml's."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np

from benchmarks.timing import Figure, seconds, show

ROWS, FEATURES, PARTITIONS = 1_000_000, 20, 8
SPARSE_ROWS, SPARSE_FEATURES, ENTRIES = 200_000, 20_000, 50
FILE_ROWS = 300_000


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
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # the peer takes no others
    return X, (X @ rng.normal(size=SPARSE_FEATURES) > 0.0).astype(np.int64)


def on_cluster(client: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """Both in as many partitions, which lie in the memory of the workers."""
    import dask.array as da
    from dask import delayed
    from distributed import wait

    size = -(-len(y) // PARTITIONS)
    blocks = [
        da.from_delayed(
            delayed(X[k : k + size]), (len(y[k : k + size]), X.shape[1]), meta=X[:0], dtype=X.dtype
        )
        for k in range(0, len(y), size)
    ]
    parts = client.persist([da.concatenate(blocks), da.from_array(y, chunks=size)])
    wait(parts)
    return parts[0], parts[1]


def peer(X: Any, y: Any) -> Any:
    """dask-ml's chain of `partial_fit`; by hand where dask-ml does not take sparse blocks."""
    from sklearn.linear_model import SGDClassifier

    model = SGDClassifier(loss="perceptron", penalty=None, shuffle=False)
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

    from rosenblatt import Perceptron, cluster

    figures = []
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as workers,
        Client(workers) as client,
    ):
        for name, rows in (
            ("1,000,000 × 20 dense", dense()),
            ("200,000 × 20,000 sparse, 50 a row", sparse()),
        ):
            X, y = on_cluster(client, *rows)

            def fit(how: str, X: Any = X, y: Any = y) -> Any:
                return cluster.fit(Perceptron(order="given", epochs=1), X, y, how=how, client=client)

            relay, mixing, theirs = seconds(
                lambda fit=fit: fit("relay"),
                lambda fit=fit: fit("mixing"),
                lambda X=X, y=y: peer(X, y),
                repeats=3,
            )
            for how, ours in (("relay", relay), ("mixing", mixing)):
                figures.append(
                    Figure(
                        f"{how}, {name}, {PARTITIONS} partitions", f"{ours:.3f} s", f"{theirs:.3f} s",
                        theirs / ours, 10.0, "one pass, two workers", against="dask-ml",
                    )
                )  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rows.svm")
            write(path)
            size = os.path.getsize(path) / 1e6
            relay, alone = seconds(
                lambda: cluster.fit_files(Perceptron(order="given", epochs=1), path, client=client),
                lambda: Perceptron(order="given", epochs=1, n_jobs=-1).fit_stream(path),
                repeats=3,
            )
            figures.append(
                Figure(
                    f"relay over a file of {size:.0f} MB, two workers parse", f"{relay:.2f} s",
                    f"{alone:.2f} s",
                    alone / relay, 0.8, "the peer is fit_stream on both cores: at most 25 % more",
                )
            )  # fmt: skip
    show("On a local cluster of two worker processes", figures)


if __name__ == "__main__":
    main()
