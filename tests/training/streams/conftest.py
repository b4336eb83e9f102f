from __future__ import annotations

import numpy as np
import pytest

from rosenblatt.data.sources import text_blocks
from rosenblatt.training.streams import shuffling


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of 300 bytes and buffers of 1,500, so that small files have many of them."""
    monkeypatch.setattr(text_blocks, "BLOCK", 300)
    monkeypatch.setattr(text_blocks, "READ_MORE", 7)
    monkeypatch.setattr(shuffling, "BUFFER_BYTES", 1500)


@pytest.fixture
def svm(tmp_path):
    """Writes rows as svmlight text and returns the path."""

    def write(X, y, name="train.svm"):
        lines = [
            f"{label:g} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row) if v) + "\n"
            for row, label in zip(X.tolist(), y.tolist(), strict=True)
        ]
        path = tmp_path / name
        path.write_text("".join(lines))
        return str(path)

    return write


@pytest.fixture
def problem():
    """Rows with gaps and labels that a hyperplane nearly has."""

    def make(n=200, d=9, k=2, seed=0):
        r = np.random.default_rng(seed)
        X = np.where(r.random((n, d)) < 0.6, np.round(r.normal(size=(n, d)), 3), 0.0)
        X[0, -1] = 1.0  # all columns occur
        y = np.argmax(X @ r.normal(size=(d, k)) + 0.3 * r.normal(size=(n, k)), axis=1)
        y[:k] = np.arange(k)
        return X, (2 * y - 1 if k == 2 else y)

    return make
