"""Verdicts with proofs, compared with HiGHS, which decides whether a halfspace exists, without a proof."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.timing import Figure, show
from rosenblatt import halfspace_by_lp, separate, verify

SIZES = ((20_000, 50), (100_000, 50), (50_000, 200))
PEER_LIMIT = 60.0  # seconds; a peer that needs more counts as if it needed no more
AIMS = {"separable": (20, 20, 20), "one label flipped": (3, 10, 10), "margin within 1 %": (3, 10, 10)}
KEYS = {"separable": "separable", "one label flipped": "flipped", "margin within 1 %": "margin"}


def main() -> None:
    figures: dict[str, list[Figure]] = {job: [] for job in AIMS}
    separate(*data(500, 5, False))  # compiles
    for k, size in enumerate(SIZES):
        print(f"  {size[0]:,}×{size[1]} …", flush=True)
        X, y = data(*size, False)
        peer = halfspace_by_lp(X, y, time_limit=PEER_LIMIT)
        assert peer.found is not False, "HiGHS found no halfspace"
        for job, tolerance in (("separable", 0.99), ("margin within 1 %", 0.01)):
            figures[job].append(figure(job, k, size, X, y, tolerance, peer.seconds))
        X, y = data(*size, True)
        peer = halfspace_by_lp(X, y, time_limit=PEER_LIMIT)
        assert not peer.found, "HiGHS found a halfspace where there is none"
        job = "one label flipped"
        figures[job].append(figure(job, k, size, X, y, 0.01, peer.seconds))
    show(
        "Proof: verdict with verified proof, ours and HiGHS (feasibility only, no proof)",
        [figure for job in AIMS for figure in figures[job]],
    )
    large()


def figure(
    job: str, k: int, size: tuple[int, int], X: np.ndarray, y: np.ndarray, tolerance: float, peer: float
) -> Figure:
    times = []
    for _ in range(3):
        began = time.perf_counter()
        verdict = separate(X, y, tolerance=tolerance)
        times.append(time.perf_counter() - began)
    ours = sorted(times)[1]
    began = time.perf_counter()
    facts = verify(verdict.proof, X, y)
    checked = time.perf_counter() - began
    assert facts.separable is (job != "one label flipped")
    stopped = "; peer stopped" if peer >= PEER_LIMIT else ""
    key = f"separate/{KEYS[job]}-{size[0]}x{size[1]}"
    return Figure(
        key, f"proof: {job}, {size[0]:,} × {size[1]}", ours, peer, "s", AIMS[job][k],
        f"{facts.kind}; checked in {checked:.2f} s{stopped}", "HiGHS",
    )  # fmt: skip


def data(n: int, d: int, flip: bool, margin: float = 0.05) -> tuple[np.ndarray, np.ndarray]:
    """Return Gaussian points moved away from a hyperplane by the margin, one at its class mean.

    With `flip`, that point has the other label. (In many dimensions most points are at the edge of their
    class; such a point could still be separated after a flip.)
    """
    rng = np.random.default_rng(0)
    w = rng.normal(size=d)
    w /= np.linalg.norm(w)
    X = rng.normal(size=(n, d))
    y = np.where(X @ w > 0, 1, -1)
    X += (margin * y)[:, None] * w
    X[0], y[0] = X[y > 0].mean(axis=0), -1 if flip else 1
    return X, y


def large() -> None:
    """Measure 10,000,000×20 in a new process, so that its memory can be measured."""
    out = subprocess.run(
        [sys.executable, "-m", "benchmarks.proof.separate"],
        capture_output=True,
        text=True,
        check=True,
        env=dict(os.environ),
    ).stdout.split()
    seconds, times = (float(number) for number in out)
    show(
        "Proof: 10,000,000 × 20 separable (float64)",
        [
            Figure("separate/large", "proof: separable, 10,000,000 × 20", seconds, 60, beside="aim"),
            Figure(
                "separate/large-memory",
                "its peak memory, relative to the data",
                times,
                1.2,
                "×",
                beside="aim",
            ),
        ],
    )


def _large_alone() -> None:
    X, y = data(500, 5, False)
    separate(X, y)
    rng = np.random.default_rng(0)
    X = np.empty((10_000_000, 20))
    y = np.empty(len(X), np.int8)
    w = np.full(20, 20**-0.5)
    for part in range(0, len(X), 1_000_000):
        block = rng.normal(size=(1_000_000, 20))
        side = np.where(block @ w > 0, 1, -1).astype(np.int8)
        X[part : part + 1_000_000] = block + (0.05 * side)[:, None] * w
        y[part : part + 1_000_000] = side
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins here (Linux)
    before = kilobytes("VmRSS")
    began = time.perf_counter()
    verdict = separate(X, y)
    seconds = time.perf_counter() - began
    assert verdict.separable
    print(seconds, 1 + (kilobytes("VmHWM") - before) * 1024 / X.nbytes)


def kilobytes(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


if __name__ == "__main__":
    _large_alone()
