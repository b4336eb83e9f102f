"""The machine-checked separability of MNIST: proofs into a folder, figures into docs/mnist.md.

    ROSENBLATT_DATA=... python examples/mnist_proofs.py proofs

Reads mnist/train-*.gz under ROSENBLATT_DATA, writes proofs/mnist.npz and a proof for each of 55 questions;
a second call finds them there and only verifies them again.
"""

from __future__ import annotations

import gzip
import os
import sys
import time
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import numpy as np

from rosenblatt import separability_table
from rosenblatt.sight.separability import REST, Row, SeparabilityTable

DOCS = Path(__file__).parents[1] / "docs"


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "proofs")
    folder.mkdir(exist_ok=True)
    X, y = images_and_labels(Path(os.environ["ROSENBLATT_DATA"]) / "mnist")
    np.savez(folder / "mnist.npz", X=X, y=y)
    began = time.perf_counter()
    table = separability_table(X, y, folder=folder, progress=True)
    seconds = time.perf_counter() - began
    print(table)
    table.plot().figure.savefig(DOCS / "pictures" / "mnist.png", dpi=80)
    page = DOCS / "mnist.md"
    before, _, rest = page.read_text(encoding="utf-8").partition("<!-- figures -->\n")
    _, _, after = rest.partition("<!-- end of figures -->\n")
    figures = "\n".join(lines(table, seconds))
    page.write_text(
        f"{before}<!-- figures -->\n{figures}\n<!-- end of figures -->\n{after}", encoding="utf-8"
    )


def images_and_labels(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    with gzip.open(folder / "train-images-idx3-ubyte.gz") as file:
        X = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784)
    with gzip.open(folder / "train-labels-idx1-ubyte.gz") as file:
        return X, np.frombuffer(file.read(), np.uint8, offset=8)


def lines(table: SeparabilityTable, seconds: float) -> list[str]:
    counts = ", ".join(f"{number} {kind}" for kind, number in table.counts().items())
    searched = sum(row.seconds for row in table.rows)
    checked = sum(row.check_seconds for row in table.rows)
    slowest = max(row.check_seconds for row in table.rows)
    return [
        f"{len(table.rows)} questions: {counts}, none undecided. "
        f"All in {seconds / 60:.1f} minutes on two cores ({searched:.0f} s of search, {checked:.0f} s of "
        f"checking; the slowest check {slowest:.1f} s).",
        "",
        "| question | verdict | margin (pixels 0…255) | rows that decide | search, s | proof, kB "
        "| check, s |",
        "|---|---|---|---|---|---|---|",
        *(line(row) for row in table.rows),
    ]


def line(row: Row) -> str:
    against = "the rest" if row.second == REST else row.second
    verdict = row.kind + (f", {row.separated:,} rows separated" if row.separated else "")
    low, high = row.margin
    margin = f"{low:.5g} to {high:.5g}" if low else "none"
    return (
        f"| {row.first} against {against} | {verdict} | {margin} | {row.support} | {row.seconds:.1f} "
        f"| {row.proof_bytes / 1000:.0f} | {row.check_seconds:.2f} |"
    )


if __name__ == "__main__":
    main()
