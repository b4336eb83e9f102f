"""Compare the rows that `rows_to_remove` names with planted label errors; show it on pairs of MNIST.

    python examples/removed_rows.py
    ROSENBLATT_DATA=... python examples/removed_rows.py mnist

Writes a table to docs/proof.md. The first command measures planted errors, the second the pairs of digits
that no hyperplane separates, from mnist/train-*.gz under ROSENBLATT_DATA.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from rosenblatt import rows_to_remove, verify

PAGE = Path(__file__).parents[1] / "docs" / "proof.md"
SHAPES = ((300, 2, 10), (1000, 10, 30), (1000, 50, 10), (2000, 5, 400), (5000, 20, 100), (20000, 20, 200))
PAIRS = ((2, 3), (2, 8), (3, 5), (3, 8), (4, 9), (5, 8), (7, 9))
HEAD = "removed | at least | seconds | proof | seconds to check |"


def main() -> None:
    if sys.argv[1:] == ["mnist"]:
        write("mnist", [f"| pair | rows | {HEAD}", "|---" * 7 + "|", *map(mnist_row, PAIRS)])
    else:
        head = f"| n × d | planted | {HEAD.replace('removed |', 'removed | planted among them |')}"
        write("planted", [head, "|---" * 8 + "|", *(planted_row(*shape) for shape in SHAPES)])


def planted_row(n: int, d: int, errors: int) -> str:
    """Return the line of the table for Gaussian rows whose labels are wrong in some places."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    y = (X @ rng.normal(size=d) > 0.2).astype(int)
    wrong = rng.permutation(n)[:errors]
    y[wrong] = 1 - y[wrong]
    found, cells = measure(X, y, 60.0)
    among = len(np.intersect1d(found.rows, wrong))
    return f"| {n:,} × {d} | {errors} | {len(found.rows)} | {among} | {cells}"


def mnist_row(pair: tuple[int, int]) -> str:
    """Return the line of the table for two digits."""
    from examples.mnist_proofs import images_and_labels

    X, y = images_and_labels(Path(os.environ["ROSENBLATT_DATA"]) / "mnist")
    X, y = X[np.isin(y, pair)], y[np.isin(y, pair)]
    found, cells = measure(X, y, 110.0)
    return f"| {pair[0]}–{pair[1]} | {len(y):,} | {len(found.rows)} | {cells}"


def measure(X: Any, y: Any, limit: float) -> tuple[Any, str]:
    """Return the result, and the cells with the lower bound, the seconds and the size of the proof."""
    found = rows_to_remove(X, y, time_limit=limit)
    began = time.perf_counter()
    assert verify(found.proof, X, y).errors == (found.least, len(found.rows))
    check = time.perf_counter() - began
    print(found.rows.tolist(), found.ended, flush=True)
    kilobytes = len(found.proof.to_json()) / 1000
    return found, f"{found.least} | {found.seconds:.1f} | {kilobytes:,.0f} kB | {check:.2f} |"


def write(name: str, lines: list[str]) -> None:
    """Replace the table of this name on the page."""
    begin, end = (
        f"<!-- figures of removed_rows.py: {name} -->\n",
        "<!-- end of figures of removed_rows.py -->\n",
    )
    print("\n".join(lines))
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(begin)
    _, _, after = rest.partition(end)
    table = "\n".join(lines)
    PAGE.write_text(f"{before}{begin}{table}\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
