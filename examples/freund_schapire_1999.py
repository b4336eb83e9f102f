"""Freund & Schapire's experiment of 1999 on MNIST: kernel perceptrons, four averaging strategies.

    ROSENBLATT_DATA=... python examples/freund_schapire_1999.py [--device cuda] [--degrees 1 2 3 4 5 6]

Ten classifiers, one digit against the rest, with the kernel (1 + x·z)^d on the pixels as they are; up to 30
passes in shuffled order; the error on the test set after 0.1, 1, 2, 3, 4, 10 and 30 of them. One run per
degree is enough, since its record of updates contains every earlier moment and every strategy. With --write
the table for 1, 3, 10 and 30 passes is written to docs/case_studies.md.

Freund & Schapire, "Large margin classification using the perceptron algorithm", Machine Learning 37 (1999).
"""

from __future__ import annotations

import argparse
import gzip
import os
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from rosenblatt import KernelPerceptron, kernels

DOCS = Path(__file__).parents[1] / "docs"
BEGIN, END = (
    "<!-- figures of freund_schapire_1999.py -->\n",
    "<!-- end of figures of freund_schapire_1999.py -->\n",
)
PASSES = (0.1, 1, 2, 3, 4, 10, 30)
PASSES_ON_THE_PAGE = (1, 3, 10, 30)
KEEPERS = ("last", "averaged", "voted", "random")
THEIRS = {
    (1, 1): 8.5,
    (1, 10): 8.1,
    (2, 1): 2.8,
    (2, 10): 1.8,
    (3, 1): 2.3,
    (3, 10): 1.6,
    (4, 1): 2.2,
    (4, 10): 1.6,
}
"""Their voted error in per cent, by degree and passes, where it is known."""


class Moment(NamedTuple):
    """One line of the table: errors in per cent, by averaging strategy."""

    degree: int
    passes: float
    errors: dict[str, float]
    mistakes: int
    support: int


class Timed(NamedTuple):
    moments: list[Moment]
    fit_seconds: float
    test_seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="auto")
    parser.add_argument("--degrees", type=int, nargs="+", default=[1, 2, 3, 4, 5, 6])
    parser.add_argument("--cache", default="10GB", help="memory for kernel values (default: 10GB)")
    parser.add_argument("--write", action="store_true", help="write the table into docs/case_studies.md")
    chosen = parser.parse_args()
    folder = Path(os.environ["ROSENBLATT_DATA"]) / "mnist"
    train, test = images_and_labels(folder, "train"), images_and_labels(folder, "t10k")
    runs = []
    for degree in chosen.degrees:
        runs.append(experiment(degree, train, test, chosen.device, chosen.cache))
        Console().print(
            shown(runs[-1]), f"fit {runs[-1].fit_seconds:.1f} s, test {runs[-1].test_seconds:.1f} s\n"
        )
    total = sum(run.fit_seconds + run.test_seconds for run in runs)
    print(f"{len(runs)} degrees, training and evaluation: {total:.1f} s")
    if chosen.write:
        write(runs)


def images_and_labels(folder: Path, part: str) -> tuple[np.ndarray, np.ndarray]:
    """Read pixels 0…255 as float32: whole numbers, whose float32 products are exact."""
    with gzip.open(folder / f"{part}-images-idx3-ubyte.gz") as file:
        X = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784).astype(np.float32)
    with gzip.open(folder / f"{part}-labels-idx1-ubyte.gz") as file:
        return X, np.frombuffer(file.read(), np.uint8, offset=8)


def experiment(degree: int, train, test, device: str = "auto", cache: str = "10GB", passes=PASSES) -> Timed:
    """Fit for the largest number of passes and measure the error at each earlier moment."""
    model = KernelPerceptron(
        kernel=kernels.Polynomial(degree),
        epochs=int(max(passes)),
        random_state=0,
        device=device,
        cache_size=cache,
    )
    began = time.perf_counter()
    model.fit(*train)
    fitted = time.perf_counter()
    looks = [round(part * len(train[1])) for part in passes]
    asked = [(keep, look) for look in looks for keep in KEEPERS]
    errors = [100 * float((answer != test[1]).mean()) for answer in model.staged_predict(test[0], asked)]
    tested = time.perf_counter()
    moments = []
    for part, look in zip(passes, looks, strict=True):
        then = model.as_of(look)
        by_keeper = {keep: error for (keep, at), error in zip(asked, errors, strict=True) if at == look}
        moments.append(Moment(degree, part, by_keeper, then.updates_, len(then.support_)))
    return Timed(moments, fitted - began, tested - fitted)


def shown(run: Timed) -> Table:
    table = Table(box=None, title=f"degree {run.moments[0].degree}", title_justify="left")
    for name in ("passes", *KEEPERS, "mistakes", "support"):
        table.add_column(name, justify="right")
    for m in run.moments:
        errors = [f"{m.errors[keep]:.2f}" for keep in KEEPERS]
        table.add_row(f"{m.passes:g}", *errors, f"{m.mistakes:,}", f"{m.support:,}")
    return table


def write(runs: list[Timed]) -> None:
    """Write the table of docs/case_studies.md."""
    lines = [
        "| d | passes | last | averaged | voted | voted, 1999 | random | mistakes | support rows |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for m in (m for run in runs for m in run.moments if m.passes in PASSES_ON_THE_PAGE):
        theirs = THEIRS.get((m.degree, m.passes))  # type: ignore[arg-type]
        e = m.errors
        lines.append(
            f"| {m.degree} | {m.passes:g} | {e['last']:.2f} | {e['averaged']:.2f} | {e['voted']:.2f} | "
            f"{'' if theirs is None else theirs} | {e['random']:.2f} | {m.mistakes:,} | {m.support:,} |"
        )
    page = DOCS / "case_studies.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    figures = "\n".join(lines)
    page.write_text(f"{before}{BEGIN}{figures}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
