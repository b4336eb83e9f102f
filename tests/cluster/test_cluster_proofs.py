"""Proofs about rows on a cluster equal those about the same rows in memory."""

from __future__ import annotations

import dask.array as da
import numpy as np

from rosenblatt import cluster, mistake_bound, read, separate, verify
from rosenblatt.proof import labelled_rows


def test_each_search_step_is_a_map_over_blocks(client, monkeypatch, tmp_path):
    monkeypatch.setattr(labelled_rows, "BLOCK_ROWS", 128)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 3))
    X = X[np.abs(X @ [1.0, 2.0, 3.0]) > 0.2]
    y = (X @ [1.0, 2.0, 3.0] > 0).astype(int)
    there = [
        cluster.rows(da.from_array(X, chunks=(size, -1)), da.from_array(y, chunks=size), client)
        for size in (90, 300)
    ]
    np.save(tmp_path / "rows.npy", np.column_stack([X, y]))
    here = read(str(tmp_path / "rows.npy"))
    proofs = [separate(each).proof for each in (*there, here)]
    assert proofs[0].to_json() == proofs[1].to_json() == proofs[2].to_json()
    assert verify(proofs[0], there[1]).margin == verify(proofs[0], X, y).margin
    assert mistake_bound(there[0]).mistakes == mistake_bound(X, y).mistakes
    files = cluster.rows(str(tmp_path / "rows.npy"), client=client)
    assert verify(proofs[0], files).separable
