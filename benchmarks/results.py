"""The measured figures: benchmarks write them into results.json, and texts quote them from there.

A figure has a stable key, such as ``own_files/sms_spam/rosenblatt/error``, whose first part is the
benchmark. It names the run that measured it: benchmark, date, commit of the measured source and machine.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).with_name("results.json")


@dataclass(frozen=True)
class Measured:
    """One figure.

    `n` is the number of held-out rows or of repetitions, `low` and `high` the range of several runs,
    `fastest` and `slowest` the spread of the times within a run, of which the value is the median.
    A ratio has the job in words, and what is compared: another program (`against`) or not (`beside`).
    """

    value: float
    unit: str = ""
    n: int | None = None
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None
    fastest: float | None = None
    slowest: float | None = None
    job: str = ""
    against: str = ""
    beside: str = ""
    run: str = ""

    def to_json(self) -> dict[str, Any]:
        found = {name: _rounded(value) for name, value in asdict(self).items()}
        return {name: value for name, value in found.items() if name == "value" or value not in ("", None)}


@dataclass
class Results:
    """All figures by key, and the runs that measured them."""

    figures: dict[str, Measured] = field(default_factory=dict)
    runs: dict[str, dict[str, str]] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path = RESULTS) -> Results:
        if not path.exists():
            return cls()
        found = json.loads(path.read_text(encoding="utf-8"))
        return cls({key: Measured(**figure) for key, figure in found["figures"].items()}, found["runs"])

    def update(self, figures: Mapping[str, Measured], run: Mapping[str, str]) -> None:
        """Replace the figures of these keys; drop runs that no figure names any more."""
        name = f"{run['benchmark']} {run['date']}"
        while name in self.runs and self.runs[name] != dict(run):
            name += "+"
        self.runs[name] = dict(run)
        self.figures |= {
            key: Measured(**{**asdict(figure), "run": name}) for key, figure in figures.items()
        }
        used = {figure.run for figure in self.figures.values()}
        self.runs = {name: found for name, found in self.runs.items() if name in used}

    def save(self, path: Path = RESULTS) -> None:
        """Write one line for each figure, grouped by benchmark, so that a diff shows what changed."""
        benchmarks = list(dict.fromkeys(key.split("/")[0] for key in self.figures))
        keys = sorted(self.figures, key=lambda key: benchmarks.index(key.split("/")[0]))
        parts = {
            "runs": {name: self.runs[name] for name in sorted(self.runs)},
            "figures": {key: self.figures[key].to_json() for key in keys},
        }
        text = ",\n".join(
            f'"{part}": {{\n'
            + ",\n".join(f"{_json(name)}: {_json(each)}" for name, each in found.items())
            + "\n}"
            for part, found in parts.items()
        )
        path.write_text(f"{{\n{text}\n}}\n", encoding="utf-8")


def record(benchmark: str, figures: Mapping[str, Measured], path: Path = RESULTS) -> None:
    """Add the figures of a run that has just ended."""
    results = Results.load(path)
    results.update(figures, this_run(benchmark))
    results.save(path)


def this_run(benchmark: str) -> dict[str, str]:
    return {
        "benchmark": benchmark,
        "date": datetime.date.today().isoformat(),
        "commit": measured_commit(),
        "machine": machine(),
    }


def measured_commit() -> str:
    """Return the last commit that changed the package, with a plus where it has uncommitted changes."""

    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
        return done.stdout.strip()

    return git("log", "-1", "--format=%h", "--", "src") + "+" * bool(git("status", "--short", "--", "src"))


def machine() -> str:
    """Describe processor, cores and load in words."""
    cores = os.cpu_count() or 1
    shared = ", shared with other work" if os.getloadavg()[0] > 1.5 else ""
    info = Path("/proc/cpuinfo")
    names = [
        line.partition(":")[2] for line in info.read_text().splitlines() if line.startswith("model name")
    ]
    model = names[0].strip() if names else platform.machine()
    return f"{cores} cores of {model}{shared}; Python {platform.python_version()}"


def slug(words: str) -> str:
    """Return the words as part of a key.

    >>> slug("`passive_aggressive_1`, C = 0.1, averaged"), slug("LIBLINEAR (batch)")
    ('passive_aggressive_1-C=0.1-averaged', 'LIBLINEAR')
    """
    plain = words.partition(" (")[0].replace("`", "").replace(" = ", "=")
    return plain.replace(", ", "-").replace(" ", "-")


def _rounded(value: Any) -> Any:
    return float(f"{value:.5g}") if isinstance(value, float) else value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
