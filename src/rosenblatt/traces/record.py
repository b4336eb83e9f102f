"""`Trace`: every step of a run, its table, its claims, and JSON Lines out and in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.errors import BadInput
from rosenblatt.examples import Rows, n_rows, to_dense
from rosenblatt.geometry import most_mistakes

FORMAT = "rosenblatt-trace"
VERSION = 1
WIDE = 50  # vectors of more numbers are shown by those that are not 0


def count(number: float, what: str) -> str:
    """Singular and plural.

    >>> count(1, "pass"), count(2, "pass"), count(0, "mistake")
    ('1 pass', '2 passes', '0 mistakes')
    """
    plural = "" if number == 1 else "es" if what.endswith("s") else "s"
    return f"{number:g} {what}{plural}"


@dataclass(frozen=True, slots=True)
class Step:
    """One look: what was asked, what came of it. Weights and offset are those after the look."""

    epoch: int
    index: int
    x: tuple[float, ...]
    y: int
    score: float
    agreement: float
    mistake: bool
    updated: bool
    weights: tuple[float, ...]
    offset: float
    agreement_after: float
    norm_squared: float


class Cycle(NamedTuple):
    """The run repeats itself: the state after `start` steps comes again every `period` steps."""

    start: int
    period: int
    passes: float
    updates: int

    def __str__(self) -> str:
        return (
            f"the state after step {self.start} comes again every {self.period} steps "
            f"({count(self.passes, 'pass')}, {count(self.updates, 'update')}): this run never ends"
        )


class Claim(NamedTuple):
    """One mistake in the proof of the bound: how far w·w* and ‖w‖² grew."""

    step: int
    progress: float
    growth: float


@dataclass(frozen=True)
class Claims:
    """The two claims behind the mistake bound, checked at every mistake of a run (M13).

    w* has length 1 (lifted with its offset where the run has one). Claim 1: w·w* grows by at least the
    margin. Claim 2: ‖w‖² grows by at most radius². Together: t·margin ≤ w·w* ≤ ‖w‖ ≤ √t·radius.
    """

    margin: float
    radius: float
    claims: list[Claim]
    tolerance: float
    start_progress: float = 0.0
    start_norm2: float = 0.0

    @property
    def progress_holds(self) -> bool:
        return all(c.progress >= self.margin - self.tolerance for c in self.claims)

    @property
    def growth_holds(self) -> bool:
        return all(c.growth <= self.radius**2 + self.tolerance for c in self.claims)

    @property
    def holds(self) -> bool:
        return self.progress_holds and self.growth_holds

    @property
    def bound(self) -> float:
        """(radius/margin)² from w = 0; else the largest t with tγ + w₀·w* ≤ √(‖w₀‖² + tR²). Infinite where
        w* does not separate the points."""
        return most_mistakes(self.radius, self.margin, self.start_progress, self.start_norm2)

    def __str__(self) -> str:
        if self.margin <= 0.0:
            return f"w* does not separate the points (margin {self.margin:.6g}): no bound follows"
        verdict = "both claims hold at every mistake" if self.holds else "a claim fails"
        return (
            f"{len(self.claims)} mistakes, margin {self.margin:.6g}, radius {self.radius:.6g}, "
            f"bound {self.bound:.6g}: {verdict}"
        )


class Trace(Sequence[Step]):
    """The steps of a run, in order, with the points and the settings that made them."""

    def __init__(
        self,
        steps: Sequence[Step],
        points: NDArray[np.float64] | Rows,
        labels: NDArray[np.int8],
        settings: dict[str, Any],
        cycle: Cycle | None = None,
        separated: bool = False,
    ) -> None:
        self.steps = list(steps)
        self._points = points
        self.labels = labels
        self.settings = settings
        self.cycle = cycle
        self.separated = separated

    @property
    def points(self) -> NDArray[np.float64]:
        """Every point as a plain row; made when first asked for."""
        if not isinstance(self._points, np.ndarray):
            self._points = np.array([to_dense(self._points, i) for i in range(n_rows(self._points))])
        return self._points

    @overload
    def __getitem__(self, at: int) -> Step: ...
    @overload
    def __getitem__(self, at: slice) -> list[Step]: ...
    def __getitem__(self, at: int | slice) -> Step | list[Step]:
        return self.steps[at]

    def __len__(self) -> int:
        return len(self.steps)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trace) and self._plain() == other._plain()

    def __hash__(self) -> int:
        return hash(tuple(self.steps))

    @property
    def mistakes(self) -> int:
        return sum(step.mistake for step in self.steps)

    @property
    def updates(self) -> int:
        return sum(step.updated for step in self.steps)

    @property
    def weights(self) -> NDArray[np.float64]:
        """w after the last step (at the start, if there is none)."""
        return np.array(self.steps[-1].weights if self.steps else self.settings["start"][:-1])

    @property
    def offset(self) -> float:
        """b after the last step."""
        return float(self.steps[-1].offset if self.steps else self.settings["start"][-1])

    def path(self) -> list[tuple[float, ...]]:
        """w at the start and after each update."""
        start = tuple(float(weight) for weight in self.settings["start"][:-1])
        return [start, *(step.weights for step in self.steps if step.updated)]

    # ------------------------------------------------------------ the proof, step by step

    def check_claims(self, w_star: ArrayLike, b_star: float = 0.0, tolerance: float = 1e-9) -> Claims:
        """Check both claims of the mistake bound at each mistake, against the separator (w*, b*).

        With an offset everything is about the lifted points (x, 1) and the lifted w* = (w*, b*). The
        tolerance is relative to radius², for the rounding of the weights themselves.
        """
        has_offset = bool(self.settings["offset"])
        star = np.append(np.asarray(w_star, np.float64).ravel(), b_star if has_offset else 0.0)
        if star.size != self.points.shape[1] + 1:
            raise BadInput(f"w_star: {star.size - 1} weights for {self.points.shape[1]} features")
        if not has_offset and b_star != 0.0:
            raise BadInput("b_star: this run has no offset, so the separator must go through the origin")
        if not np.isfinite(star[:-1]).all():
            raise BadInput("w_star: the weights of a separator are finite numbers")
        if not np.isfinite(star[-1]):
            raise BadInput("b_star: the offset of a separator is a finite number")
        if not star.any():
            raise BadInput("w_star: the zero vector separates nothing")
        star /= np.abs(star).max()  # squares of very short vectors are 0
        star /= np.linalg.norm(star)
        lifted = np.column_stack([self.points, np.full(len(self.points), float(has_offset))])
        margin = float((self.labels * (lifted @ star)).min())
        radius = float(np.linalg.norm(lifted, axis=1).max())
        claims = []
        before = np.asarray(self.settings["start"], np.float64)
        for number, step in enumerate(self.steps):
            after = np.array([*step.weights, step.offset])
            if step.mistake:
                growth = float(after @ after - before @ before)
                claims.append(Claim(number, float((after - before) @ star), growth))
            before = after
        start = np.asarray(self.settings["start"], np.float64)
        return Claims(
            margin,
            radius,
            claims,
            tolerance * max(1.0, radius**2),
            float(start @ star),
            float(start @ start),
        )

    # ------------------------------------------------------------ showing and keeping

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return f"<Trace of {len(self)} steps, {self.mistakes} mistakes>"

    def table(self, most: int = 50) -> str:
        """The steps as text, the first `most` of them."""
        length = "‖w‖² + b²" if self.settings["offset"] else "‖w‖²"
        head = ["pass", "row", "x", "y", "score", "agreement", "", "w", "b", "agreement after", length]
        rows = [head, *(_cells(step) for step in self.steps[:most])]
        widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
        lines = ["  ".join(c.rjust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows]
        if len(self) > most:
            lines.append(f"… {len(self) - most} more steps")
        lines.append(self.summary())
        return "\n".join(lines)

    def summary(self) -> str:
        """How the run ended, in one sentence."""
        ending = "the last pass had no mistake" if self.separated else "the last pass had mistakes"
        if not self.separated and len(self) and len(self) == self.settings.get("max_steps"):
            ending = "it was ended at max_steps, before a pass without mistakes"
        elif not self.separated and not any(
            s.mistake for s in self.steps if s.epoch == self.steps[-1].epoch
        ):
            ending = "it was ended in the middle of a pass"
        if self.cycle:
            ending = str(self.cycle)
        counts = (count(len(self), "step"), count(self.mistakes, "mistake"), count(self.updates, "update"))
        return f"{', '.join(counts)}: {ending}"

    def show(self, title: str = "") -> Any:
        """The replay as a widget, for notebooks: every step can be played, stepped through and scrubbed.

        Needs anywidget; without a notebook, `to_html` writes the same as a page.
        """
        from rosenblatt.traces.replay import replay
        from rosenblatt.viewer.widget import replay_widget

        shown = replay(self, title)
        return replay_widget(shown.head, shown.chunks())

    def to_html(self, path: str | Path, title: str = "") -> None:
        """Write the replay as one HTML file that needs nothing else."""
        from rosenblatt.traces.replay import replay
        from rosenblatt.viewer.page import replay_page

        shown = replay(self, title)
        Path(path).write_text(replay_page(shown.head, shown.chunks(), title), encoding="utf-8")

    def to_jsonl(self, path: str | Path) -> None:
        """One line for the run, then one for each step."""
        with Path(path).open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in self._plain())

    @classmethod
    def from_jsonl(cls, path: str | Path) -> Trace:
        """A trace that `to_jsonl` wrote, number for number."""
        with Path(path).open("rb") as file:
            head, *lines = _parsed(file, str(path))
        if not isinstance(head, dict):
            raise BadInput(f"{path} line 1: not a trace")
        if head.get("format") != FORMAT or head.get("version") != VERSION:
            found = f"{head.get('format')!r}, version {head.get('version')!r}"
            raise BadInput(f"{path} line 1: not a trace of version {VERSION} (got {found})")
        steps = []
        for number, line in enumerate(lines, start=2):
            try:
                fields: dict[str, Any] = {
                    name: _number(value) for name, value in line.items() if name not in ("x", "weights")
                }
                fields |= {name: tuple(map(_number, line[name])) for name in ("x", "weights")}
                steps.append(Step(**fields))
            except (AttributeError, KeyError, TypeError) as error:
                raise BadInput(f"{path} line {number}: not a step of a trace: {error}") from error
        try:
            cycle = Cycle(*head["cycle"]) if head["cycle"] else None
            points, labels = np.array(head["points"], np.float64), np.array(head["labels"], np.int8)
            return cls(steps, points, labels, head["settings"], cycle, head["separated"])
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput(f"{path} line 1: not the head of a trace: {error}") from error

    def _plain(self) -> list[dict[str, Any]]:
        head = {
            "format": FORMAT,
            "version": VERSION,
            "settings": self.settings,
            "points": self.points.tolist(),
            "labels": self.labels.tolist(),
            "cycle": self.cycle,
            "separated": self.separated,
        }
        return [head, *(asdict(step) for step in self.steps)]


def _parsed(lines: Iterator[str] | Any, path: str) -> Iterator[dict[str, Any]]:
    empty = True
    for number, line in enumerate(lines, start=1):
        empty = False
        try:
            yield json.loads(line)
        except ValueError as error:
            raise BadInput(f"{path} line {number}: not JSON: {error}") from error
    if empty:
        raise BadInput(f"{path}: the file is empty, expected a trace")


def _number(value: Any) -> Any:
    if not isinstance(value, (int, float)):
        raise TypeError(f"{value!r} is not a number")
    return value


def _cells(step: Step) -> list[str]:
    return [
        str(step.epoch),
        str(step.index),
        _vector(step.x),
        "+" if step.y > 0 else "−",
        f"{step.score + 0.0:g}",
        f"{step.agreement + 0.0:g}",
        "mistake" if step.mistake else "update" if step.updated else "",
        _vector(step.weights),
        f"{step.offset:g}",
        f"{step.agreement_after + 0.0:g}",
        f"{step.norm_squared:g}",
    ]


def _vector(v: Sequence[float], most: int = 4) -> str:
    if len(v) > WIDE:
        present = [j for j, number in enumerate(v) if number]
        shown = ", ".join(f"{j}: {v[j]:g}" for j in present[:most])
        return f"{{{shown}{', …' if len(present) > most else ''}}}"
    shown = ", ".join(f"{number:g}" for number in v[:most])
    return f"({shown}{', …' if len(v) > most else ''})"
