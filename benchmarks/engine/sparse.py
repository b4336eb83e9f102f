"""Sparse rows, one pass in the given order, against scikit-learn."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from benchmarks.engine.dense import one_pass, peer_pass
from benchmarks.timing import Figure, seconds, show

ROWS, ENTRIES = 400_000, 75


def data(n_features: int, zipf: bool):
    """Rows with 75 features each, drawn by Zipf's law or evenly; labels by a hyperplane."""
    generator = np.random.default_rng(0)
    if zipf:
        # the density of rank r is about 1/r: its logarithm is uniform
        ranks = np.exp(generator.random((ROWS, ENTRIES)) * np.log(n_features)) - 1
        columns = generator.permutation(n_features).astype(np.int32)[ranks.astype(np.int32)]
    else:
        columns = generator.integers(0, n_features, (ROWS, ENTRIES), dtype=np.int32)
    columns.sort(axis=1)
    values = generator.random(ROWS * ENTRIES, dtype=np.float32)
    starts = np.arange(0, ROWS * ENTRIES + 1, ENTRIES, dtype=np.int32)
    X = sp.csr_matrix((values, columns.ravel(), starts), shape=(ROWS, n_features))
    X.sum_duplicates()
    w = generator.standard_normal(n_features).astype(np.float32)
    return X, np.where(X @ w > 0, 1, -1)


def main() -> None:
    figures = []
    for power, zipf, wanted in ((20, True, 2.0), (24, False, 1.3)):
        X, y = data(2**power, zipf)
        ours, peer = seconds(lambda X=X, y=y: one_pass().fit(X, y), lambda X=X, y=y: peer_pass().fit(X, y))
        made = one_pass().fit(X, y)
        figures.append(
            Figure(
                f"sparse {ROWS:,} × {ENTRIES} of 2^{power}, {'Zipf' if zipf else 'uniform'}",
                f"{X.nnz / ours / 1e6:.0f} M entries/s",
                f"{X.nnz / peer / 1e6:.0f} M entries/s",
                peer / ours,
                wanted,
                f"{made.mistakes_:,} mistakes, {made.exact_decisions_:,} decided exactly",
                "scikit-learn",
            )
        )
    show("Sparse rows, one pass, against scikit-learn's Perceptron", figures)


if __name__ == "__main__":
    main()
