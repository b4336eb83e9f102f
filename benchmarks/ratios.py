"""The picture of README: how many times as fast as the peer, for each job that has one, slower ones too.

Each ratio is of two medians of one run. A run writes its own into build/ratios.json, where those of jobs
that it did not do stay, and draws all of them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.timing import Figure

ROOT = Path(__file__).parents[1]
RATIOS = ROOT / "build" / "ratios.json"
PICTURE = ROOT / "docs" / "pictures" / "ratios.png"


def keep(figures: list[Figure], path: Path = RATIOS) -> None:
    """Remember the jobs that were done beside a peer."""
    known = json.loads(path.read_text()) if path.exists() else {}
    known |= {
        f"{figure.job}   against {figure.against}": figure.ratio for figure in figures if figure.against
    }
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n")


def draw(path: Path = RATIOS, picture: Path = PICTURE) -> None:
    """A point for each job, the fastest first; left of the line at 1 the peer is faster."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    jobs = sorted(json.loads(path.read_text()).items(), key=lambda each: each[1])
    figure, ax = plt.subplots(figsize=(7.2, 0.9 + 0.24 * len(jobs)), facecolor="white")
    ratios = [ratio for _, ratio in jobs]
    ax.hlines(range(len(jobs)), 1.0, ratios, color="#c3cdd8", linewidth=1.5)
    ax.scatter(
        ratios, range(len(jobs)), s=26, zorder=3,
        c=["#1f5fa8" if ratio >= 1.0 else "#c2571a" for ratio in ratios],
    )  # fmt: skip
    for place, ratio in enumerate(ratios):
        ax.annotate(
            f"{ratio:.{0 if ratio >= 10 else 1 if ratio >= 1 else 2}f}", (ratio, place), fontsize=7,
            xytext=(5 if ratio >= 1.0 else -5, 0), textcoords="offset points", va="center",
            ha="left" if ratio >= 1.0 else "right",
        )  # fmt: skip
    ax.axvline(1.0, color="black", linewidth=0.8)
    ax.set_xscale("log")
    ax.set_ylim(-0.8, len(jobs) - 0.2)
    ax.set_xlim(min([0.7, *ratios]) * 0.75, max([2.0, *ratios]) * 1.7)
    ticks = [tick for tick in (0.1, 0.3, 1, 3, 10, 30, 100) if ax.get_xlim()[0] < tick < ax.get_xlim()[1]]
    ax.set_xticks(ticks, [f"{tick:g}×" for tick in ticks], fontsize=8)
    ax.grid(axis="x", color="#e6e9ed", linewidth=0.6, zorder=0)
    ax.minorticks_off()
    ax.set_yticks(range(len(jobs)), [job for job, _ in jobs], fontsize=7)
    ax.set_xlabel("how many times as fast as the peer, each pair in one run (log scale)", fontsize=8)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    picture.parent.mkdir(exist_ok=True)
    figure.savefig(picture, dpi=130, bbox_inches="tight", metadata={"Software": None})
    plt.close(figure)
