"""Kill cluster workers at random moments: the results must be bit-identical to runs without kills.

python -m fuzz.cluster 50
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

from rosenblatt import Perceptron, cluster

ROWS, PIECE = 40_000, 2_000


def rows() -> tuple[Any, Any]:
    rng = np.random.default_rng(20)
    X = rng.normal(size=(ROWS, 30))
    scores = X @ rng.normal(size=(30, 5)) + rng.normal(size=(ROWS, 5))
    return X, scores.argmax(axis=1)


def write(path: str, X: Any, y: Any) -> None:
    with open(path, "w") as file:
        for row, label in zip(X, y, strict=True):
            file.write(f"{label} " + " ".join(f"{j + 1}:{value:.6g}" for j, value in enumerate(row)) + "\n")


class Workers:
    """Worker processes without a supervisor; a killed worker is replaced by a new one."""

    def __init__(self, address: str, n: int) -> None:
        self._address, self._n = address, n
        self.processes: list[subprocess.Popen[bytes]] = []
        self.fill()

    def fill(self) -> None:
        command = [sys.executable, "-m", "distributed.cli.dask_worker", self._address]
        while len(self.processes) < self._n:
            self.processes.append(
                subprocess.Popen(
                    [*command, "--no-nanny", "--nthreads", "1", "--dashboard-address", ":0"],
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                )
            )  # fmt: skip

    def kill(self, number: int) -> None:
        process = self.processes.pop(number)
        process.send_signal(signal.SIGKILL)
        process.wait()


class Killer(threading.Thread):
    """Kill one worker, sometimes both, at random times, until the given number is reached."""

    def __init__(self, client: Client, workers: Workers, kills: int, seed: int) -> None:
        super().__init__(daemon=True)
        self._client, self._workers = client, workers
        self._left, self._random, self.killed = kills, random.Random(seed), 0

    def run(self) -> None:
        while self._left > 0:
            self._client.wait_for_workers(2)  # they are at work
            time.sleep(self._random.uniform(0.0, 3.0))
            for _ in range(min(self._random.choice((1, 1, 2)), self._left)):
                self._workers.kill(self._random.randrange(len(self._workers.processes)))
                self._left, self.killed = self._left - 1, self.killed + 1
            self._workers.fill()


def main(kills: int) -> None:
    X, y = rows()
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "rows.svm")
    write(path, X[:20_000], y[:20_000])
    parts = da.from_array(X, chunks=(PIECE, -1)), da.from_array(y, chunks=PIECE)
    runs = [
        ("relay", {"order": "given", "keep": "averaged", "epochs": 3}, None),
        ("relay", {"order": "shuffled", "epochs": 3, "random_state": 1}, path),
        ("mixing", {"order": "shuffled", "keep": "averaged", "epochs": 4, "random_state": 1}, None),
        ("mixing", {"order": "given", "epochs": 4}, path),
    ]

    def learned(client: Client, how: str, given: dict[str, Any], file: str | None) -> Any:
        if file is None:
            return cluster.fit(Perceptron(**given), *parts, how=how, client=client, patience=300.0)
        return cluster.fit_files(Perceptron(**given), file, how=how, client=client, patience=300.0)

    with (
        LocalCluster(n_workers=0, dashboard_address=":0") as scheduler,
        Client(scheduler) as client,
    ):
        workers = Workers(scheduler.scheduler_address, 2)
        client.wait_for_workers(2)
        expected = [learned(client, *run) for run in runs]
        killer = Killer(client, workers, kills, seed=kills)
        killer.start()
        made = 0
        while killer.is_alive():
            for run, alone in zip(runs, expected, strict=True):
                before = killer.killed
                model = learned(client, *run)
                made += 1
                same = (model.coef_ == alone.coef_).all() and model.mistakes_ == alone.mistakes_
                print(f"{run[0]:8} {killer.killed - before} kills in it, {killer.killed} so far: "
                      f"{'the same bits' if same else 'OTHER BITS'}", flush=True)  # fmt: skip
                if not same:
                    sys.exit(1)
                if not killer.is_alive():
                    break
        for process in workers.processes:
            process.kill()
    print(f"{made} runs, {killer.killed} kills: the bits are those of runs without kills")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)
