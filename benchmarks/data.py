"""Real data that several benchmarks read, under ROSENBLATT_DATA."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np


def mnist(folder: Path, part: str) -> tuple[np.ndarray, np.ndarray]:
    """Pixels 0…255 as float32, and digits; part is "train" or "t10k"."""
    with gzip.open(folder / f"{part}-images-idx3-ubyte.gz") as file:
        X = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784).astype(np.float32)
    with gzip.open(folder / f"{part}-labels-idx1-ubyte.gz") as file:
        return X, np.frombuffer(file.read(), np.uint8, offset=8)


def folder_of(name: str) -> Path:
    """The folder of a data set; says what is missing where there is none."""
    folder = Path(os.environ.get("ROSENBLATT_DATA", "")) / name
    if not os.environ.get("ROSENBLATT_DATA") or not folder.is_dir():
        raise SystemExit(f"{name}: no such data; set ROSENBLATT_DATA to the folder that has it")
    return folder
