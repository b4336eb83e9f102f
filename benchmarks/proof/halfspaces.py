"""Three methods to find a halfspace, for growing n and d and shrinking margins: linear program, perceptron,
and `separate`. ``python -m benchmarks halfspaces`` prints the table of docs/proof.md and draws its picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.proof.separate import data
from benchmarks.results import Measured, Results, record
from benchmarks.tables import halfspaces
from benchmarks.timing import seconds
from rosenblatt import Perceptron, halfspace_by_lp, separate

PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "halfspaces.svg"
N, D, MARGIN = 5_000, 20, 0.05
GROWING = {
    "rows n": [(n, D, MARGIN) for n in (1_000, 3_000, 10_000, 30_000)],
    "features d": [(N, d, MARGIN) for d in (5, 10, 20, 50, 100)],
    "margin γ": [(N, D, margin) for margin in (0.1, 0.03, 0.01, 0.003)],
}
WAYS = {"linear program": "#d55e00", "perceptron": "#0072b2", "separate": "#009e73"}


@dataclass
class Row:
    """One data set: the seconds of each way, and the margin each reached as a part of the largest."""

    size: tuple[int, int, float]
    seconds: list[float]
    reached: list[float]
    mistakes: int


def main() -> None:
    data_row((500, 5, MARGIN))  # compiles
    table = {what: [data_row(size) for size in sizes] for what, sizes in GROWING.items()}
    figures: dict[str, Measured] = {}
    for row in (row for rows in table.values() for row in rows):
        figures |= measured(row)
    record("halfspaces", figures)
    print(halfspaces(Results(figures)))
    draw(table)
    print(f"\n{PICTURE.name} is drawn.\n")


def data_row(size: tuple[int, int, float]) -> Row:
    n, d, margin = size
    X, y = data(n, d, flip=False, margin=margin)
    model = Perceptron(until="separated", epochs=None, random_state=0)
    answers: dict[str, Any] = {}

    def program() -> None:
        answers["program"] = halfspace_by_lp(X, y)

    def proof() -> None:
        answers["proof"] = separate(X, y)

    taken = seconds(program, lambda: model.fit(X, y), proof, repeats=3)
    found, verdict = answers["program"], answers["proof"]
    assert found.consistent
    assert verdict.separable
    lines = [(found.w, found.b), (model.coef_[0], model.intercept_[0]), verdict.hyperplane]
    reached = [(y * (X @ w + b)).min() / np.linalg.norm(w) / verdict.margin[1] for w, b in lines]
    return Row(size, taken, reached, model.mistakes_)


def measured(row: Row) -> dict[str, Measured]:
    """Return the figures of a row by key."""
    n, d, margin = row.size
    key, job = f"halfspaces/{n}x{d}-{margin:g}", f"{n:,} × {d}, {margin:g}"
    found = {f"{key}/mistakes": Measured(row.mistakes)}
    for way, taken, share in zip(("lp", "perceptron", "separate"), row.seconds, row.reached, strict=True):
        found[f"{key}/{way}/seconds"] = Measured(taken, "s", job=job)
        found[f"{key}/{way}/margin"] = Measured(100 * share, "%")
    return found


def draw(table: dict[str, list[Row]]) -> None:
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"svg.hashsalt": "rosenblatt", "svg.fonttype": "none", "font.size": 9})
    figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.4), layout="constrained", sharey=True)
    for place, (ax, (what, rows)) in enumerate(zip(axes, table.items(), strict=True)):
        xs = [row.size[place] for row in rows]
        for way, (name, colour) in enumerate(WAYS.items()):
            ax.plot(xs, [row.seconds[way] for row in rows], "osD"[way] + "-", color=colour, label=name)
        ax.set_xscale("log")
        ax.set_yscale("log")
        fixed = {"n": f"{N:,} rows", "d": f"{D} features", "γ": f"margin {MARGIN:g}"}
        ax.set_title(", ".join(text for key, text in fixed.items() if key != what[-1]), fontsize=9)
        ax.set_xlabel(what)
        ax.grid(alpha=0.3)
    axes[-1].invert_xaxis()
    axes[0].set_ylabel("seconds")
    axes[0].legend(frameon=False)
    figure.savefig(PICTURE, metadata={"Date": None})
