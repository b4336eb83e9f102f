"""`StepSequence`: the steps of a run in order, with a table, a summary and JSON Lines files."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput, counted
from rosenblatt.numeric.row_batches import Rows, n_rows, to_dense
from rosenblatt.text_table import aligned_lines
from rosenblatt.traces.claims import Claims

VERSION = 1
MOST_IN_NOTEBOOK = 20  # steps in the table of a notebook
KINDS = {
    "rosenblatt-trace": "a run without a kernel; read it with Trace.from_jsonl",
    "rosenblatt-kernel-trace": "a run with a kernel; read it with KernelTrace.from_jsonl",
}
PATIENCE = 5.0  # time limit of the search for w* in seconds
FULL = 10  # numbers of a vector that are all shown
WIDE = 50  # longer vectors are shown by their nonzero entries


class Cycle(NamedTuple):
    """State that a run repeats itself: the state after `start` steps recurs every `period` steps.

    Parameters
    ----------
    start : int
        The number of steps before the cycle.
    period : int
        The number of steps in the cycle.
    passes : float
        The number of passes in the cycle.
    updates : int
        The number of updates in the cycle.

    Examples
    --------
    >>> print(Cycle(0, 4, 1.0, 4))
    the state after step 0 recurs every 4 steps (1 pass, 4 updates): this run never ends
    """

    start: int
    period: int
    passes: float
    updates: int

    def __str__(self) -> str:
        return self.sentence()

    def sentence(self, epochs: int | None = None) -> str:
        """Describe the cycle of a run.

        Parameters
        ----------
        epochs : int or None, default=None
            The limit on the passes of the run; None for no limit.

        Returns
        -------
        str
            A sentence.
        """
        never = "this run never ends" if epochs is None else "more passes would not end it"
        return (
            f"the state after step {self.start} recurs every {counted(self.period, 'step')} "
            f"({counted(self.passes, 'pass')}, {counted(self.updates, 'update')}): {never}"
        )


@dataclass(frozen=True, slots=True)
class RunStep:
    """Hold the fields common to all steps; `Step` and `KernelStep` document them."""

    epoch: int
    index: int
    x: tuple[float, ...]
    y: int
    score: float
    agreement: float
    mistake: bool
    updated: bool

    @property
    def false_positive(self) -> bool:
        """Whether the step is a mistake on a negative point."""
        return self.mistake and self.y < 0

    @property
    def false_negative(self) -> bool:
        """Whether the step is a mistake on a positive point."""
        return self.mistake and self.y > 0


Kind = TypeVar("Kind", bound=RunStep)


class StepSequence(Sequence[Kind]):
    """Hold the steps of a run in order, and the points and settings of the run.

    A subclass defines the class of its steps, which of their fields are vectors, and the last columns of
    the table.
    """

    FORMAT: ClassVar[str]
    STEP: ClassVar[type[RunStep]]
    VECTORS: ClassVar[tuple[str, ...]]
    TITLES: ClassVar[tuple[str, ...]]

    def __init__(
        self,
        steps: Sequence[Kind],
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

    def _cells(self, step: Kind) -> list[str]:
        """Return the table cells of a step."""
        raise NotImplementedError

    @property
    def points(self) -> NDArray[np.float64]:
        """Points of the run as a matrix, created on first use."""
        if not isinstance(self._points, np.ndarray):
            self._points = np.array([to_dense(self._points, i) for i in range(n_rows(self._points))])
        return self._points

    @overload
    def __getitem__(self, at: int) -> Kind: ...
    @overload
    def __getitem__(self, at: slice) -> list[Kind]: ...
    def __getitem__(self, at: int | slice) -> Kind | list[Kind]:
        return self.steps[at]

    def __len__(self) -> int:
        return len(self.steps)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StepSequence) and self._plain() == other._plain()

    def __hash__(self) -> int:
        return hash(tuple(self.steps))

    @property
    def mistakes(self) -> int:
        """Number of mistakes."""
        return sum(step.mistake for step in self.steps)

    @property
    def false_positives(self) -> int:
        """Number of mistakes on negative points."""
        return sum(step.mistake and step.y < 0 for step in self.steps)

    @property
    def false_negatives(self) -> int:
        """Number of mistakes on positive points."""
        return sum(step.mistake and step.y > 0 for step in self.steps)

    @property
    def updates(self) -> int:
        """Number of updates."""
        return sum(step.updated for step in self.steps)

    # ------------------------------------------------------------ display and storage

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} steps, {self.mistakes} mistakes>"

    def table(self, most: int = 50, first_row: int = 0, claims: Claims | None = None) -> str:
        """Return the first steps as a text table, and the summary.

        Parameters
        ----------
        most : int, default=50
            The number of steps to show; with 0 the summary alone.
        first_row : int, default=0
            The number of the first row; the title of the column states it.
        claims : Claims or None, default=None
            The result of `check_claims`, which adds a column with w·w* after each step.

        Returns
        -------
        str
            The table.
        """
        if most == 0:
            return self.summary()
        lines = [
            line.rstrip() for line in aligned_lines(self._rows(most, first_row, claims), names_rows=False)
        ]
        if len(self) > most:
            lines.append(f"… {counted(len(self) - most, 'more step')}")
        lines.append(self.summary())
        return "\n".join(lines)

    def report(self, most: int = 50, first_row: int = 0, time_limit: float | None = PATIENCE) -> str:
        """Return the table, and a comparison of the mistakes with their bound if the rule has one.

        Parameters
        ----------
        most : int, default=50
            The number of steps to show.
        first_row : int, default=0
            The number of the first row.
        time_limit : float or None, default=5.0
            The time limit of the search for w* in seconds.

        Returns
        -------
        str
            The text.

        Examples
        --------
        >>> from rosenblatt import trace
        >>> print(trace([[2, 1], [0, 2]], [1, -1], offset=False, epochs=1).report(first_row=1))
        pass  row from 1       x  y  score  margin                 w  b  margin after  ‖w‖²    w·w*
           1           1  (2, 1)  +      0       0  mistake   (2, 1)  0             5     5  1.1094
           1           2  (0, 2)  −      2      -2  mistake  (2, -1)  0             2     5  2.2188
        2 steps, 2 mistakes, 2 updates: the last pass had mistakes
        Largest margin γ = 1.1094, with w* = (0.83205, -0.5547); largest norm of x: R = 2.23607.
        At most (R/γ)² = 4.0625 mistakes in any order of the points; this run made 2.
        """
        claims, sentence = self._bound(time_limit)
        return "\n".join(filter(None, [self.table(most, first_row, claims), sentence]))

    def _bound(self, time_limit: float | None) -> tuple[Claims | None, str]:
        """Return the claims for the table, if any, and text on the mistakes and their bound."""
        raise NotImplementedError

    def _more_columns(self, most: int, claims: Claims | None) -> list[list[str]]:
        """Return columns, each with its title, that depend on all earlier steps."""
        if claims is None:
            return []
        changes = {claim.step: claim.progress for claim in claims.claims}
        products = accumulate(
            (changes.get(number, 0.0) for number in range(len(self.steps[:most]))),
            initial=claims.start_progress,
        )
        return [["w·w*", *(f"{product:g}" for product in list(products)[1:])]]

    def _rows(self, most: int, first_row: int = 0, claims: Claims | None = None) -> list[list[str]]:
        """Return the titles and the cells of the first steps."""
        length = "‖w‖² + b²" if self.settings["offset"] else "‖w‖²"
        row = f"row from {first_row}"
        titles = ["pass", row, "x", "y", "score", "margin", "", *self.TITLES, "margin after", length]
        rows = [titles, *(self._row(step, first_row) for step in self.steps[:most])]
        more = self._more_columns(most, claims)
        return [[*row, *cells] for row, *cells in zip(rows, *more, strict=True)]

    def _repr_html_(self) -> str:
        """Return the first steps as an HTML table, and the summary, for notebooks."""
        rows = self._rows(MOST_IN_NOTEBOOK)
        cells = (
            "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in row)
            for row, tag in zip(rows, ["th", *["td"] * len(rows)], strict=False)
        )
        table = "\n".join(f"<tr>{row}</tr>" for row in cells)
        left = len(self) - MOST_IN_NOTEBOOK
        more = f"<p>… {counted(left, 'more step')}</p>" if left > 0 else ""
        return f"<table>\n{table}\n</table>{more}\n<p>{html.escape(self.summary())}</p>"

    def summary(self) -> str:
        """Return one sentence on the length and the end of the run.

        Returns
        -------
        str
            The sentence.
        """
        ending = "the last pass had no mistake" if self.separated else "the last pass had mistakes"
        if not self.separated and len(self) and len(self) == self.settings.get("max_steps"):
            ending = "the run stopped at max_steps, before a pass without mistakes"
        elif not self.separated and not any(
            s.mistake for s in self.steps if s.epoch == self.steps[-1].epoch
        ):
            ending = "the run stopped in the middle of a pass"
            if isinstance(self.settings.get("order"), list):
                ending = "the last pass had no mistake, but its order omits rows"
        if self.cycle:
            ending = self.cycle.sentence(self.settings.get("epochs"))
        counts = (
            counted(len(self), "step"),
            counted(self.mistakes, "mistake"),
            counted(self.updates, "update"),
        )
        return f"{', '.join(counts)}: {ending}"

    def show(self, title: str = "") -> Any:
        """Return the replay as a widget for notebooks.

        The replay can be played, stepped through and scrubbed. The widget needs anywidget; `to_html` writes
        the same replay as an HTML page.

        Parameters
        ----------
        title : str, default=""
            The title above the replay.

        Returns
        -------
        anywidget.AnyWidget
            The widget.
        """
        from rosenblatt.traces.viewer.widget import replay_widget

        shown = self._replay(title)
        return replay_widget(shown.head, shown.chunks())

    def to_html(self, path: str | Path, title: str = "") -> None:
        """Write the replay as one self-contained HTML file.

        Parameters
        ----------
        path : str or Path
            The file to write.
        title : str, default=""
            The title of the page.
        """
        from rosenblatt.traces.viewer.viewer_page import replay_page

        shown = self._replay(title)
        Path(path).write_text(replay_page(shown.head, shown.chunks(), title), encoding="utf-8")

    def to_jsonl(self, path: str | Path) -> None:
        """Write the run as JSON Lines: one line for the run, then one for each step.

        Parameters
        ----------
        path : str or Path
            The file to write.
        """
        with Path(path).open("w", encoding="utf-8") as file:
            file.writelines(self.json_lines())

    def json_lines(self) -> Iterator[str]:
        """Return the lines that `to_jsonl` writes.

        Returns
        -------
        iterator of str
            The lines of JSON, each with its line end.
        """
        return (json.dumps(line) + "\n" for line in self._plain())

    @classmethod
    def from_jsonl(cls, path: str | Path) -> Self:
        """Return the run in a file written by `to_jsonl`, with exactly the same numbers.

        Parameters
        ----------
        path : str or Path
            The file to read.

        Returns
        -------
        Trace or KernelTrace
            The run, an instance of the class on which the method is called.

        Raises
        ------
        BadInput
            If the file does not contain such a run; the message names the line.
        """
        with Path(path).open("rb") as file:
            head, *lines = _parse_lines(file, str(path))
        if not isinstance(head, dict):
            raise BadInput(f"{path} line 1: not a trace")
        for other, what in KINDS.items():
            if head.get("format") == other != cls.FORMAT:
                raise BadInput(f"{path} line 1: {what}")
        if head.get("format") != cls.FORMAT or head.get("version") != VERSION:
            found = f"{head.get('format')!r}, version {head.get('version')!r}"
            raise BadInput(f"{path} line 1: not a trace of version {VERSION} (got {found})")
        steps: list[Any] = []
        for number, line in enumerate(lines, start=2):
            try:
                fields: dict[str, Any] = {
                    name: _number(value) for name, value in line.items() if name not in cls.VECTORS
                }
                fields |= {
                    name: tuple(map(_number, line[name]))
                    for name in cls.VECTORS
                    if name in line or name not in SELDOM
                }
                steps.append(cls.STEP(**fields))
            except (AttributeError, KeyError, TypeError) as error:
                raise BadInput(f"{path} line {number}: not a step of a trace: {error}") from error
        try:
            cycle = Cycle(*head["cycle"]) if head["cycle"] else None
            points, labels = np.array(head["points"], np.float64), np.array(head["labels"], np.int8)
            return cls(steps, points, labels, head["settings"], cycle, head["separated"])
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput(f"{path} line 1: not the head of a trace: {error}") from error

    def _replay(self, title: str) -> Any:
        from rosenblatt.traces.replay_data import replay

        return replay(self, title)

    def _row(self, step: Any, first_row: int) -> list[str]:
        return [
            str(step.epoch),
            str(step.index + first_row),
            vector_text(step.x),
            "+" if step.y > 0 else "−",
            f"{step.score + 0.0:g}",
            f"{step.agreement + 0.0:g}",
            "mistake" if step.mistake else "update" if step.updated else "",
            *self._cells(step),
            f"{step.agreement_after + 0.0:g}",
            f"{step.norm_squared:g}",
        ]

    def _plain(self) -> list[dict[str, Any]]:
        head = {
            "format": self.FORMAT,
            "version": VERSION,
            "settings": self.settings,
            "points": self.points.tolist(),
            "labels": self.labels.tolist(),
            "cycle": self.cycle,
            "separated": self.separated,
        }
        return [head, *map(_as_dict, self.steps)]


SELDOM = ("covariance",)
"""Fields that few runs have; omitted from a line if empty."""


def _as_dict(step: Any) -> dict[str, Any]:
    return {name: value for name, value in asdict(step).items() if name not in SELDOM or value}


def _parse_lines(lines: Iterator[str] | Any, path: str) -> Iterator[dict[str, Any]]:
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


def vector_text(v: Sequence[float], most: int = 4) -> str:
    """Return a vector as text; a vector of more than ten numbers is shortened."""
    if len(v) <= FULL:
        return f"({', '.join(f'{number:g}' for number in v)})"
    if len(v) > WIDE:
        present = [j for j, number in enumerate(v) if number]
        shown = ", ".join(f"{j}: {v[j]:g}" for j in present[:most])
        return f"{{{shown}{', …' if len(present) > most else ''}}}"
    return f"({', '.join(f'{number:g}' for number in v[:most])}, …)"
