"""The measurements behind docs/cluster.md: ``python -m benchmarks.cluster.scale``.

Rounds of mixing on real rows cut into 1 … 256 shards; bytes of a baton; seconds per hop by the size of the
weights; parsing and learning of one core.
"""

from __future__ import annotations

import os
import tempfile
import time
from typing import Any

import numpy as np

from benchmarks.cluster.fits import FILE_TIMES, write
from benchmarks.data import folder_of
from benchmarks.timing import seconds
from rosenblatt import Perceptron, cluster, read
from rosenblatt.cluster import dask_client
from rosenblatt.cluster.file_parts import FEWEST_LOADS, LOAD_BYTES, FileParts
from rosenblatt.cluster.shard_mixtures import add, begin_shard, mix_state, shard_mixture
from rosenblatt.cluster.worker_tasks import Baton, Hop, learn, load_pair
from rosenblatt.data.sources import read_table
from rosenblatt.rules import as_rule
from rosenblatt.training.settings import StreamSettings
from rosenblatt.training.streams.progressive import Progressive
from rosenblatt.training.streams.stream_targets import Teaching

SHARDS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
MOST_ROUNDS = 30
BEGIN = 0.06  # seconds that a run has of its own: finding the workers and the classes, fetching the weights


def rounds_to_reach(error: float, X: Any, y: Any, test: Any, shards: int) -> tuple[int | None, float]:
    """Rounds of uniform mixing, averaged weights, until the test error is as small; and the least error."""
    chosen = StreamSettings(rule=as_rule("rosenblatt"), keep="averaged", order="shuffled")
    order = np.random.default_rng(0).permutation(len(y))
    loads = [load_pair(X[some], y[some], None, "") for some in np.array_split(order, shards)]
    state, smallest = None, 1.0
    for k in range(MOST_ROUNDS):
        baton = Baton(chosen, Teaching(np.unique(y)), state, Progressive(), k + 1, 0, "rows")
        whole = None
        for s, load in enumerate(loads):
            hop = Hop(shuffle=(0, k, s))
            whole = add(whole, shard_mixture(learn(begin_shard(baton), hop, load), "uniform"))
        assert whole is not None
        state = mix_state(state, whole, chosen, None, k)
        answers = np.unique(y)[
            (test[0] @ state.returned_weights()[:-1] + state.returned_weights()[-1] > 0).astype(int)
        ]
        found = float((answers != test[1]).mean())
        smallest = min(smallest, found)
        if found <= error:
            return k + 1, smallest
    return None, smallest


def table_of_rounds() -> None:
    for name, files in (
        ("a9a", ("a9a.gz", "a9a.t.gz")),
        ("ijcnn1", ("ijcnn1.trn.bz2", "ijcnn1.tst.bz2")),
    ):
        paths = [str(folder_of(name) / file) for file in files]
        X, y, _ = read_table(paths[0], format="svmlight")
        T, t, _ = read_table(paths[1], format="svmlight")
        if T.shape[1] < X.shape[1]:
            T.resize((T.shape[0], X.shape[1]))
        alone = 1.0 - Perceptron(keep="averaged", epochs=3, random_state=0).fit(X, y).score(T, t)
        print(f"{name}: {X.shape[0]:,} rows; error of one machine after 3 passes: {alone:.4f}")
        for shards in SHARDS:
            rounds, least = rounds_to_reach(alone + 0.002, X, y, (T, t), shards)
            print(f"  {shards:4} shards: {rounds or '> 30'} rounds, least error {least:.4f}")


def table_of_hops(client: Any) -> None:
    for size in (10_000, 100_000, 1_000_000, 10_000_000):
        weights = client.submit(np.zeros, size // 8, pure=False)
        workers = sorted(client.scheduler_info()["workers"])
        began = time.perf_counter()
        hops = 20
        for k in range(hops):
            weights = client.submit(np.negative, weights, workers=[workers[k % len(workers)]], pure=False)
        weights = client.submit(len, weights, pure=False)
        weights.result()
        print(f"  weights of {size:>10,} bytes: {(time.perf_counter() - began) / hops * 1e3:6.1f} ms a hop")


def rates() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.svm")
        write(path)
        size = os.path.getsize(path)
        list(read(path, n_jobs=1))
        began = time.perf_counter()
        chunks = list(read(path, n_jobs=1))
        parsing = time.perf_counter() - began
        model = Perceptron(order="given", epochs=1)
        model.fit_stream(chunks)
        began = time.perf_counter()
        model.fit_stream(chunks)
        learning = time.perf_counter() - began
    parsed, learned = size / parsing / 1e6, size / learning / 1e6
    print(f"  one core: parsing {parsed:,.0f} MB/s, learning {learned:,.0f} MB/s of svmlight text")


def model(n_bytes: float, workers: int, parse: float, learn: float, hop: float) -> tuple[float, float]:
    """Return the predicted seconds of a pass of relay and of a round of mixing (docs/cluster.md)."""
    load = min(LOAD_BYTES, n_bytes / FEWEST_LOADS)
    relay = BEGIN + load / parse + max(n_bytes / (workers * parse), n_bytes / learn + n_bytes / load * hop)
    return relay, BEGIN + n_bytes / workers * (1.0 / parse + 1.0 / learn)


def parse_rate(client: Any, path: str) -> float:
    """Return the bytes per second that one worker reads and parses."""
    parts = FileParts(read(path))
    loads = list(parts.loads(None, 0))[:6]
    times = []
    for load in loads:
        began = time.perf_counter()
        dask_client.wait_for(client, [parts.submit(client, load, None)])
        times.append(time.perf_counter() - began)
    share = sum(load.n_parts or 0 for load in loads[1:]) / (parts.n_parts or 1)
    return os.path.getsize(path) * share / sum(times[1:])


def table_of_predictions() -> None:
    """Compare the predicted and the measured times for 1 and 2 workers."""
    from distributed import Client, LocalCluster

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.svm")
        write(path)
        with open(path, "rb") as once, open(path + "8", "wb") as eight:
            text = once.read()
            for _ in range(FILE_TIMES):
                eight.write(text)
        for workers in (1, 2):
            with (
                LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as local,
                Client(local) as client,
            ):
                for name in (path, path + "8"):
                    found = seconds(
                        *(
                            lambda how=how, name=name: cluster.fit_files(
                                Perceptron(order="given", epochs=1), name, how=how, client=client
                            )
                            for how in ("relay", "mixing")
                        ),
                        repeats=3,
                    )
                    rate, size = parse_rate(client, name), os.path.getsize(name)
                    said = model(size, workers, rate, 2900e6, 0.012)
                    print(
                        f"  {workers} workers, {size / 1e6:.0f} MB, parsing {rate / 1e6:.0f} MB/s each: "
                        f"relay {found[0]:.2f} s (model {said[0]:.2f}), mixing {found[1]:.2f} s "
                        f"(model {said[1]:.2f})"
                    )


def measure() -> None:
    from distributed import Client, LocalCluster

    table_of_predictions()

    table_of_rounds()
    rates()
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as workers,
        Client(workers) as client,
    ):
        table_of_hops(client)


if __name__ == "__main__":
    measure()
