"""The chart of the speed of each job relative to its peer, from results.json."""

from __future__ import annotations

from pathlib import Path

from benchmarks.results import ROOT, Results

PICTURE = ROOT / "docs" / "pictures" / "ratios.png"


WORDS = {
    "separate/separable-100000x50": "prove 100,000 × 50 separable (HiGHS, without a proof)",
    "separate/flipped-100000x50": "prove 100,000 × 50 not separable (HiGHS, without a proof)",
    "many/thousand-labels": "1,000 labels of 200,000 × 256 dense rows (scikit-learn)",
    "many/mnist": "MNIST, ten classes, averaged (scikit-learn)",
    "many/sector-last": "sector, 105 classes, sparse rows (scikit-learn)",
    "kernel_sets/mnist-fit": "MNIST, polynomial kernel, training (SVC)",
    "kernel/26-classes": "26 classes, Gaussian kernel, training (SVC)",
    "dense/2000000x128": "2,000,000 × 128 dense rows, one pass (scikit-learn)",
    "dense/8000000x28-noise-shuffled": "8,000,000 × 28 noisy rows, shuffled pass (scikit-learn)",
    "text/20newsgroups-20-given": "20newsgroups, hashed words, ten passes (scikit-learn)",
    "text/20newsgroups-22-given": "20newsgroups, hashed words and pairs, ten passes (scikit-learn)",
    "sparse/zipf-shuffled-1": "sparse rows, Zipf, shuffled pass (scikit-learn)",
    "sparse/zipf-given-10": "sparse rows, Zipf, ten passes in order (scikit-learn)",
    "sparse/uniform-given-1": "sparse rows, uniform, one pass (scikit-learn)",
    "sparse/uniform-given-1-averaged": "sparse rows, uniform, one averaged pass (scikit-learn)",
    "streams/csv": "csv with categories, read and learn (polars + scikit-learn)",
    "streams/load-and-fit": "svmlight text, load and fit (scikit-learn)",
    "streams/svmlight-large": "svmlight text of 1.25 GB, read and learn (Vowpal Wabbit)",
    "streams/cache": "cached rows, read and learn (Vowpal Wabbit's cache)",
    "online/dict": "one example at a time, from a dict (River)",
    "load/learn-json/river": "service, batches of 100 as JSON, durable (River + FastAPI, not durable)",
    "load/learn-json/vowpal": "service, batches of 100 (Vowpal Wabbit by socket, not durable)",
    "load/learn-one/vowpal": "service, one example at a time (Vowpal Wabbit by socket, not durable)",
    "startup/fit": "start Python and fit a small array (scikit-learn)",
    "startup/command-fit": "start, read and fit three rows (Vowpal Wabbit)",
}
"""The jobs that are pictured; those in which we are slower are pictured always."""


def jobs(results: Results) -> list[tuple[str, float]]:
    """Return the jobs of the picture and how many times as fast we are, the slowest first."""
    found = []
    for key, figure in results.figures.items():
        job, _, last = key.rpartition("/")
        if last == "ratio" and figure.against and (job in WORDS or figure.value < 1.0):
            found.append((WORDS.get(job, f"{figure.job} ({figure.against})"), figure.value))
    return sorted(found, key=lambda each: each[1])


def stated(results: Results) -> str:
    """Return the ratios as text; the picture contains it, so that a test can tell whether it is current."""
    return "\n".join(f"{label}: {ratio:.3g}" for label, ratio in jobs(results))


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
    ax.set_xlim(min([0.7, *ratios]) * 0.6, max([2.0, *ratios]) * 1.7)
    ticks = [tick for tick in (0.1, 0.3, 1, 3, 10, 30, 100) if ax.get_xlim()[0] < tick < ax.get_xlim()[1]]
    ax.set_xticks(ticks, [f"{tick:g}×" for tick in ticks], fontsize=8)
    ax.grid(axis="x", color="#e6e9ed", linewidth=0.6, zorder=0)
    ax.minorticks_off()
    ax.set_yticks(places, labels, fontsize=7)
    ax.set_xlabel("speed of rosenblatt divided by that of the program in brackets (log scale)", fontsize=8)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    picture.parent.mkdir(exist_ok=True)
    facts = {"Software": None, "Description": stated(results)}
    figure.savefig(picture, dpi=130, bbox_inches="tight", metadata=facts)
    plt.close(figure)


if __name__ == "__main__":
    draw(Results.load())
