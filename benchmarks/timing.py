"""Timing two sides in turn, and one table for all jobs."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from benchmarks.ratios import keep


@dataclass
class Figure:
    """One job: our figure and the peer's, what their ratio is and what it should be at least."""

    job: str
    ours: str
    peer: str
    ratio: float
    wanted: float
    note: str = ""
    against: str = ""  # who the peer is, where it is another program: the job is in the picture then

    @property
    def reached(self) -> bool:
        return self.ratio >= self.wanted


def seconds(*sides: Callable[[], object], repeats: int = 5) -> list[float]:
    """The median time of each side. The sides take turns, so that noise meets all alike."""
    for side in sides:
        side()  # compiles, fills caches
    times: list[list[float]] = [[] for _ in sides]
    for _ in range(repeats):
        for side, taken in zip(sides, times, strict=True):
            began = time.perf_counter()
            side()
            taken.append(time.perf_counter() - began)
    return [statistics.median(taken) for taken in times]


def show(title: str, figures: list[Figure]) -> None:
    keep(figures)
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for name in ("job", "ours", "peer", "ratio", "wanted", "", "note"):
        table.add_column(name, justify="right" if name in ("ratio", "wanted") else "left")
    for figure in figures:
        mark = "reached" if figure.reached else "[bold]missed[/bold]"
        table.add_row(
            figure.job,
            figure.ours,
            figure.peer,
            f"{figure.ratio:.2f}",
            f"{figure.wanted:g}",
            mark,
            figure.note,
        )
    Console(width=150).print(table, "")
