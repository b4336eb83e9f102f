"""A proof over a file of five times the memory that the process may use: ``python -m
benchmarks.proof.beyond_memory [MB]``. Not among those that `make bench` runs: it writes gigabytes."""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time

import numpy as np

FEATURES, GAP = 100, 0.02


def write(path: str, n_bytes: int) -> int:
    """Rows of two classes that a hyperplane separates, as .npy with the label last; how many."""
    n = n_bytes // (8 * (FEATURES + 1))
    array = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=(n, FEATURES + 1))
    rng = np.random.default_rng(0)
    w = rng.normal(size=FEATURES)
    w /= np.linalg.norm(w)
    for first in range(0, n, 50_000):
        X = rng.normal(size=(min(50_000, n - first), FEATURES))
        scores = X @ w
        X += np.outer(np.where(np.abs(scores) < GAP, np.sign(scores) * GAP, 0.0), w)
        array[first : first + len(X), :-1] = X
        array[first : first + len(X), -1] = scores > 0.0
    array.flush()
    return n


def measure(megabytes: int) -> None:
    limit = megabytes << 20
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.npy")
        n = write(path, 5 * limit)
        from rosenblatt import read, separate, verify

        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        print(
            f"{n:,} rows of {FEATURES} features, {os.path.getsize(path) >> 20:,} MB; memory: {megabytes} MB"
        )
        began = time.perf_counter()
        verdict = separate(read(path, n_jobs=1), tolerance=0.1)
        print(f"{verdict}\nseparate: {time.perf_counter() - began:.1f} s, ended {verdict.ended}")
        began = time.perf_counter()
        facts = verify(verdict, read(path, n_jobs=1))
        print(f"{facts}\nverify in pieces: {time.perf_counter() - began:.1f} s")
        resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(f"largest resident: {resident / 1e3:,.0f} MB, with the pages of the file that were mapped")


if __name__ == "__main__":
    measure(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
