"""Prove which digits of MNIST are separable; write proofs to a folder and figures to docs/case_studies.md.

    ROSENBLATT_DATA=... python examples/mnist_proofs.py proofs

Reads mnist/train-*.gz under ROSENBLATT_DATA, writes proofs/mnist.npz and a proof for each of 55 questions.
A second call finds the proofs and only verifies them.
"""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import numpy as np

from rosenblatt import separability_table
from rosenblatt.comparisons.separability_table import REST, Row, SeparabilityTable

DOCS = Path(__file__).parents[1] / "docs"
BEGIN, END = "<!-- figures of mnist_proofs.py -->\n", "<!-- end of figures of mnist_proofs.py -->\n"


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "proofs")
    folder.mkdir(exist_ok=True)
    X, y = images_and_labels(Path(os.environ["ROSENBLATT_DATA"]) / "mnist")
    np.savez(folder / "mnist.npz", X=X, y=y)
    table = separability_table(X, y, folder=folder, progress=True)
    print(table)
    table.plot().figure.savefig(DOCS / "pictures" / "mnist.png", dpi=80)
    page = DOCS / "case_studies.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    figures = "\n".join(lines(table))
    page.write_text(f"{before}{BEGIN}{figures}\n{END}{after}", encoding="utf-8")


def images_and_labels(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    with gzip.open(folder / "train-images-idx3-ubyte.gz") as file:
        X = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784)
    with gzip.open(folder / "train-labels-idx1-ubyte.gz") as file:
        return X, np.frombuffer(file.read(), np.uint8, offset=8)


def lines(table: SeparabilityTable) -> list[str]:
    """Return the sentence and the matrix of margins for the page."""
    counts = ", ".join(f"{number} {kind}" for kind, number in table.counts().items())
    separable = [row for row in table.rows if row.margin[0]]
    gap = max(row.margin[1] / row.margin[0] - 1 for row in separable)
    digits = sorted({row.first for row in table.rows})
    others = [*digits[1:], REST]
    cells = {(row.first, row.second): cell(row) for row in table.rows}
    matrix = [[str(first), *(cells.get((first, other), "") for other in others)] for first in digits]
    return [
        f"{len(table.rows)} questions: {counts}, none undecided. "
        f"Upper and lower bounds of a margin differ by at most {gap:.1%}. "
        f"A proof of separability takes {sizes(separable)} kB, one of inseparability "
        f"{sizes([row for row in table.rows if not row.margin[0]])} kB.",
        "",
        f"| digit | {' | '.join(map(str, others))} |",
        "|---" * (len(others) + 1) + "|",
        *(f"| {' | '.join(line)} |" for line in matrix),
    ]


def cell(row: Row) -> str:
    if row.margin[0]:
        return f"{row.margin[0]:.4g}"
    return f"no ({row.separated:,})" if row.separated else "no"


def sizes(rows: list[Row]) -> str:
    kilobytes = [row.proof_bytes / 1000 for row in rows]
    return f"{min(kilobytes):.0f} to {max(kilobytes):.0f}"


if __name__ == "__main__":
    main()
