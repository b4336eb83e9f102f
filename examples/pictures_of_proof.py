"""The pictures of docs/proof.md, every figure in them computed: python examples/pictures_of_proof.py"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial import ConvexHull, QhullError

from rosenblatt import Verdict, separate
from rosenblatt.proof.parts import Combination, Gordan
from rosenblatt.traces.viewer.class_colours import NEGATIVE, POSITIVE

PLACE = Path(__file__).parents[1] / "docs" / "pictures"
BLUE, ORANGE, GREY = POSITIVE.light, NEGATIVE.light, "#666666"  # distinguishable by colour-blind readers

SEPARABLE = (
    [(0, 0), (1, 2), (-0.5, 1.5), (0.2, -1), (3, 0.5), (4, 2), (4.2, -0.5), (3.4, 1.4)],
    [0] * 4 + [1] * 4,
)
QUASI = [(0, 0), (-0.5, 1), (2, -0.5), (2, 1.6), (2, 2.2), (2, 0.8), (3.5, 1.5), (4, 0)], [0] * 4 + [1] * 4
XOR = [(-1, -1), (1, 1), (-1, 1), (1, -1)], [0, 0, 1, 1]
OVERLAPPING = (
    [(0, 0), (1, 2), (-0.5, 1), (2.6, 0.4), (3, 2), (3.5, -0.5), (1.2, 0.7), (4, 1)],
    [0] * 4 + [1] * 4,
)


def main() -> None:
    PLACE.mkdir(exist_ok=True)
    plt.rcParams.update({"svg.hashsalt": "rosenblatt", "svg.fonttype": "none", "font.size": 9})
    figure, axes = plt.subplots(2, 2, figsize=(9, 7.4), layout="constrained")
    panels = [("Separable", SEPARABLE), ("Quasi-separable", QUASI), ("XOR: overlapping", XOR)]
    for ax, (title, (points, labels)) in zip(
        axes.flat, [*panels, ("Overlapping", OVERLAPPING)], strict=True
    ):
        draw(ax, title, np.array(points, float), np.array(labels))
    figure.savefig(PLACE / "alternatives.svg", metadata={"Date": None})


def draw(ax: plt.Axes, title: str, X: np.ndarray, y: np.ndarray) -> None:
    verdict = separate(X, y, tolerance=0.0)
    for label, look in enumerate((NEGATIVE, POSITIVE)):
        hull(ax, X[y == label], look.light)
        ax.scatter(*X[y == label].T, color=look.light, marker=look.marker, s=42, zorder=3)
    ax.set_aspect("equal")
    ax.margins(0.15, 0.3)
    ax.set_title(f"{title}\n{sentence(verdict)}", fontsize=9)
    line = verdict.hyperplane or verdict.direction
    if line is not None:
        straight(ax, *line, verdict.margin[0])
    for part in verdict.proof.parts:
        if isinstance(part, Combination):
            meeting(ax, X, y, part, "nearest points of the hulls")
        elif isinstance(part, Gordan):
            meeting(ax, X, y, part, "one point of both hulls")
    if len(verdict.separated):
        ax.scatter(
            *X[verdict.separated].T, s=150, facecolors="none", edgecolors="black", label="separated rows"
        )
    ax.legend(loc="upper left", fontsize=7)


def sentence(verdict: Verdict) -> str:
    if verdict.separable:
        return f"margin {verdict.margin[0]:.4g}, proved; a regression diverges"
    if verdict.kind == "quasi-separable":
        return f"no point on the wrong side, {len(verdict.separated)} off the line; a regression diverges"
    return f"{len(verdict.support)} points cancel; a regression has a finite estimate"


def hull(ax: plt.Axes, points: np.ndarray, colour: str) -> None:
    try:
        corners = points[ConvexHull(points).vertices]
    except QhullError:
        corners = points
    ax.fill(*corners.T, color=colour, alpha=0.15, linewidth=1.0)
    if len(corners) == 2:
        ax.plot(*corners.T, color=colour, alpha=0.5)


def straight(ax: plt.Axes, w: np.ndarray, b: float, margin: float) -> None:
    norm = np.linalg.norm(w)
    foot, along = -b * w / norm**2, np.array([-w[1], w[0]]) / norm
    for shift, style in ((0.0, "-"), (margin, ":"), (-margin, ":")) if margin else ((0.0, "-"),):
        ax.axline(
            foot + shift * w / norm, foot + shift * w / norm + along, color=GREY, linestyle=style, lw=1
        )


def meeting(ax: plt.Axes, X: np.ndarray, y: np.ndarray, part: Combination | Gordan, label: str) -> None:
    """The convex combination of each class that a proof names."""
    rows, weights = np.array(part.rows), np.array(part.weights, float)
    ends = [np.average(X[rows[y[rows] == c]], axis=0, weights=weights[y[rows] == c]) for c in (0, 1)]
    ax.plot(*np.array(ends).T, color="black", marker="x", markersize=8, lw=1.5, label=label, zorder=4)


if __name__ == "__main__":
    main()
