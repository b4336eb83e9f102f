"""The picture of README: each job's speed relative to its peer, from results.json, slower ones too."""

from __future__ import annotations

from pathlib import Path

from benchmarks.results import ROOT, Results

PICTURE = ROOT / "docs" / "pictures" / "ratios.png"


def jobs(results: Results) -> list[tuple[str, float]]:
    """Return each job that another program does too, with the ratio of the times, the slowest first."""
    found = [
        (f"{figure.job}, against {figure.against}", figure.value)
        for key, figure in results.figures.items()
        if key.endswith("/ratio") and figure.against
    ]
    return sorted(found, key=lambda job: job[1])


def draw(results: Results, picture: Path = PICTURE) -> None:
    """Draw a point for each job, the fastest at the top; left of the line at 1 the peer is faster."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    labels, ratios = zip(*jobs(results), strict=True)
    places = range(len(ratios))
    figure, ax = plt.subplots(figsize=(7.2, 0.9 + 0.24 * len(ratios)), facecolor="white")
    ax.hlines(places, 1.0, ratios, color="#c3cdd8", linewidth=1.5)
    ax.scatter(
        ratios, places, s=26, zorder=3,
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
    ax.set_ylim(-0.8, len(ratios) - 0.2)
    ax.set_xlim(min([0.7, *ratios]) * 0.75, max([2.0, *ratios]) * 1.7)
    ticks = [tick for tick in (0.1, 0.3, 1, 3, 10, 30, 100) if ax.get_xlim()[0] < tick < ax.get_xlim()[1]]
    ax.set_xticks(ticks, [f"{tick:g}×" for tick in ticks], fontsize=8)
    ax.grid(axis="x", color="#e6e9ed", linewidth=0.6, zorder=0)
    ax.minorticks_off()
    ax.set_yticks(places, labels, fontsize=7)
    ax.set_xlabel(
        "speed relative to the other program (log scale; left of 1 it is faster than rosenblatt)",
        fontsize=8,
    )
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    picture.parent.mkdir(exist_ok=True)
    figure.savefig(picture, dpi=130, bbox_inches="tight", metadata={"Software": None})
    plt.close(figure)


if __name__ == "__main__":
    draw(Results.load())
