"""Real data that several benchmarks read, under ROSENBLATT_DATA."""

from __future__ import annotations

import gzip
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import numpy as np


def mnist(folder: Path, part: str) -> tuple[np.ndarray, np.ndarray]:
    """Pixels 0…255 as float32, and digits; part is "train" or "t10k"."""
    with gzip.open(folder / f"{part}-images-idx3-ubyte.gz") as file:
        X = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784).astype(np.float32)
    with gzip.open(folder / f"{part}-labels-idx1-ubyte.gz") as file:
        return X, np.frombuffer(file.read(), np.uint8, offset=8)


def folder_of(name: str) -> Path:
    """Return the folder of a data set; raise an error that names it if it is missing."""
    folder = Path(os.environ.get("ROSENBLATT_DATA", "")) / name
    if not os.environ.get("ROSENBLATT_DATA") or not folder.is_dir():
        raise SystemExit(f"{name}: no such data; set ROSENBLATT_DATA to the folder that has it")
    return folder


def tarred(path: Path, label: Callable[[str], str]) -> list[tuple[str, str]]:
    """The label of each file of an archive, by its path, and its text."""
    with tarfile.open(path) as file:
        members = [member for member in file if member.isfile()]
        return [(label(m.name), file.extractfile(m).read().decode("latin-1")) for m in members]  # type: ignore[union-attr]


def folder_in(path: str) -> str:
    """The folder that a file of an archive is in.

    >>> folder_in("20news-bydate-train/sci.med/58045")
    'sci.med'
    """
    return path.split("/")[-2]


def mails() -> list[tuple[str, str]]:
    """Mails of spamassassin, each "spam" or "ham"."""
    return tarred(
        folder_of("spamassassin") / "spamassassin.tar.gz",
        lambda path: "spam" if "spam" in folder_in(path) else "ham",
    )


def news(part: str) -> list[tuple[str, str]]:
    """Postings to twenty newsgroups, each with its group; part is "train" or "test"."""
    return tarred(folder_of("20newsgroups_bydate") / f"20news-bydate-{part}.tar.gz", folder_in)
