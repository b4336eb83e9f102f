"""What the plan in docs/scale.md is made of: ``python -m benchmarks.cluster.scale``.

Rounds of mixing on real rows cut into 1 … 256 shards; bytes of a baton; seconds per hop by the size of the
weights; parsing and learning of one core.
"""

from __future__ import annotations

import os
import tempfile
import time
from typing import Any

import numpy as np

from benchmarks.cluster.fits import write
from benchmarks.data import folder_of
from rosenblatt import Perceptron, read
from rosenblatt.cluster.mixtures import added, begin_shard, mixed, shard_mixture
from rosenblatt.cluster.tasks import Baton, Hop, learn, load_pair
from rosenblatt.data.sources import read_table
from rosenblatt.learning.settings import StreamSettings
from rosenblatt.learning.streams.progressive import Progressive
from rosenblatt.learning.streams.stream_targets import Teaching
from rosenblatt.rules import as_rule

SHARDS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
MOST_ROUNDS = 30


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
            whole = added(whole, shard_mixture(learn(begin_shard(baton), hop, load), "uniform"))
        assert whole is not None
        state = mixed(state, whole, chosen, None, k)
        answers = np.unique(y)[(test[0] @ state.kept()[:-1] + state.kept()[-1] > 0).astype(int)]
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


def measure() -> None:
    from distributed import Client, LocalCluster

    table_of_rounds()
    rates()
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as workers,
        Client(workers) as client,
    ):
        table_of_hops(client)


if __name__ == "__main__":
    measure()
