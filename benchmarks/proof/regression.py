"""Infinite coefficients of logistic regressions, with proofs, compared with firthmodels (one program).

firthmodels (HiGHS) returns the signs of one direction without a proof. Where all coefficients are infinite,
`overlap` proves the sign of each of them, which needs as many proofs as there are coefficients.
"""

from __future__ import annotations

import time

import numpy as np

from benchmarks.timing import Figure, show
from rosenblatt import overlap, verify

SIZES = ((20_000, 50), (100_000, 50))
KINDS = {"overlap": "all estimates finite", "cell": "an empty cell", "complete": "complete separation"}
AIM = 10


def main() -> None:
    from firthmodels import detect_separation

    for kind in KINDS:
        overlap(*data(kind, 500, 5))  # compiles
    figures = []
    for n, d in SIZES:
        for kind, title in KINDS.items():
            print(f"  {n:,}×{d}, {title} …", flush=True)
            X, y = data(kind, n, d)
            began = time.perf_counter()
            theirs = detect_separation(X, y)
            peer = time.perf_counter() - began
            times = []
            for _ in range(3):
                began = time.perf_counter()
                found = overlap(X, y)
                times.append(time.perf_counter() - began)
            assert theirs.separation == (not found.finite)
            began = time.perf_counter()
            verify(found.proof, X, y)
            checked = time.perf_counter() - began
            size = len(found.proof.to_json())
            about = f"{limits_of(found)}; a proof of {size / 1000:,.0f} kB, checked in {checked:.2f} s"
            key = f"regression/{kind}-{n}x{d}"
            named = f"proof: coefficients, {title}, {n:,} × {d}"
            figures.append(Figure(key, named, sorted(times)[1], peer, "s", AIM, about, "firthmodels"))
    show("Proof: infinite coefficients, ours with proofs and firthmodels without", figures)


def limits_of(found: object) -> str:
    """Return how many coefficients have each limit."""
    limits = [each.limit for each in found.coefficients]  # type: ignore[attr-defined]
    return ", ".join(f"{limits.count(limit)} {limit}" for limit in sorted(set(limits)))


def data(kind: str, n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Return Gaussian rows with logistic noise, with a level without failures, or without noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    scores = X @ rng.normal(size=d) / np.sqrt(d)
    if kind == "complete":
        return X, (scores > 0).astype(int)
    y = (scores + rng.logistic(size=n) > 0).astype(int)
    if kind == "cell":
        rare = rng.random(n) < 0.02
        X[:, -1] = rare
        y[rare] = 1
    return X, y


if __name__ == "__main__":
    main()
