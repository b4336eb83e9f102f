"""Timing of two sides in alternation, and one table for all jobs."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from benchmarks.results import Measured, record
from benchmarks.tables import shown, times


@dataclass
class Figure:
    """One job: our figure and that of another program (`against`) or of something else (`beside`).

    `key` begins with the name of the benchmark. A ratio above 1 is in our favour: it is the rate over the
    peer's where the unit is a rate, else the peer's figure over ours. `aim` is what we want it to be.
    """

    key: str
    job: str
    ours: float
    peer: float | None = None
    unit: str = "s"
    aim: float = 1.0
    note: str = ""
    against: str = ""
    beside: str = ""
    errors: tuple[float, float] | None = None  # per cent, ours and the peer's

    @property
    def ratio(self) -> float:
        if self.peer is None:
            return float("nan")
        over, under = (self.ours, self.peer) if self.unit.endswith("/s") else (self.peer, self.ours)
        return over / under

    @property
    def reached(self) -> bool:
        return self.ratio >= self.aim

    def measured(self) -> dict[str, Measured]:
        """Return the figures by key, as results.json has them."""
        found = {f"{self.key}/ours": _with_spread(self.ours, self.unit)}
        if self.peer is None:
            found[f"{self.key}/ours"] = _with_spread(self.ours, self.unit, job=self.job)
        else:
            found[f"{self.key}/peer"] = _with_spread(self.peer, self.unit)
            names = {"job": self.job, "against": self.against, "beside": self.beside}
            found[f"{self.key}/ratio"] = Measured(self.ratio, "×", **names)
        if self.errors:
            found[f"{self.key}/ours-error"] = Measured(self.errors[0], "%")
            found[f"{self.key}/peer-error"] = Measured(self.errors[1], "%")
        return found


class Median(float):
    """The median of several times; `low` and `high` are the shortest and the longest."""

    low: float
    high: float

    @classmethod
    def of(cls, times: list[float]) -> Median:
        median = cls(statistics.median(times))
        median.low, median.high = min(times), max(times)
        return median


def _with_spread(value: float, unit: str, job: str = "") -> Measured:
    spread = {"fastest": value.low, "slowest": value.high} if isinstance(value, Median) else {}
    return Measured(float(value), unit, job=job, **spread)


def seconds(*sides: Callable[[], object], repeats: int = 5) -> list[Median]:
    """Return the median time of each side; the sides alternate, so that noise affects them equally."""
    for side in sides:
        side()  # compiles, fills caches
    taken: list[list[float]] = [[] for _ in sides]
    for _ in range(repeats):
        for side, times_of_it in zip(sides, taken, strict=True):
            began = time.perf_counter()
            side()
            times_of_it.append(time.perf_counter() - began)
    return [Median.of(times_of_it) for times_of_it in taken]


def show(title: str, figures: list[Figure]) -> None:
    """Print the figures, and write them into results.json."""
    for figure in figures:
        record(figure.key.split("/")[0], figure.measured())
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for name in ("job", "ours", "compared with", "ratio", "aim", "", "note"):
        table.add_column(name, justify="right" if name in ("ratio", "aim") else "left")
    for figure in figures:
        found, unit = figure.measured(), figure.unit
        errors = [f", {error:.2f} % error" for error in figure.errors or ()] or ["", ""]
        ours = shown(Measured(figure.ours, unit)) + errors[0]
        beside = ["", "", "", ""]
        if figure.peer is not None:
            mark = "reached" if figure.reached else "[bold]missed[/bold]"
            peer = f"{figure.against or figure.beside} {shown(Measured(figure.peer, unit))}{errors[1]}"
            beside = [peer, times(found[f"{figure.key}/ratio"]), f"{figure.aim:g}", mark]
        table.add_row(figure.job, ours, *beside, figure.note)
    Console(width=150).print(table, "")
