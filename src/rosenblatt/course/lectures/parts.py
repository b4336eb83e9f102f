"""The kinds of worked examples: a run, a line with points on either side, a sum of vectors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput, bad_choice, is_integer
from rosenblatt.traces import Trace, trace

Point = tuple[float, ...]
SIDES = {1: "+", -1: "−", 0: "on the line"}


def number_text(value: float, within: bool = False) -> str:
    """Return a number with a true minus sign; within a sum, negative numbers are in parentheses.

    Examples
    --------
    >>> number_text(-2.0), number_text(-2.0, within=True)
    ('−2', '(−2)')
    """
    text = f"{value:g}".replace("-", "−")
    return f"({text})" if within and value < 0 else text


def vector_text(v: Point) -> str:
    """Return a vector as text.

    Examples
    --------
    >>> vector_text((1.0, -0.5))
    '(1, −0.5)'
    """
    return f"({', '.join(number_text(number) for number in v)})"


@dataclass(frozen=True)
class Run:
    """Hold points with labels, and the settings of a run over them.

    Parameters
    ----------
    points : tuple of tuple of float
        The points.
    labels : tuple of int
        Their labels, −1 or +1.
    settings : mapping
        Arguments of `rosenblatt.trace`.

    Examples
    --------
    >>> Run(((2.0, 1.0),), (1,), {"epochs": 1}).run().mistakes
    1
    """

    kind: ClassVar[str] = "a run"

    points: tuple[Point, ...]
    labels: tuple[int, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def run(self, **changes: Any) -> Trace:
        """Return every step, as `rosenblatt.trace` records it.

        Parameters
        ----------
        **changes : dict
            Settings to change.

        Returns
        -------
        Trace
            The steps.
        """
        steps: Trace = trace(np.array(self.points), np.array(self.labels), **{**self.settings, **changes})
        return steps


class Sides(NamedTuple):
    """Hold the scores w·x + b of some points, and the predictions: +1, −1, or 0 on the line."""

    scores: NDArray[np.float64]
    answers: NDArray[np.int64]

    def __str__(self) -> str:
        return ", ".join(
            f"{number_text(score)} → {SIDES[int(side)]}"
            for score, side in zip(self.scores, self.answers, strict=True)
        )


@dataclass(frozen=True)
class Line:
    """Hold the line w·x + b = 0, and points to classify with it.

    Parameters
    ----------
    w : tuple of float
        The normal vector.
    b : float
        The offset.
    points : tuple of tuple of float, default=()
        The points.

    Examples
    --------
    >>> print(Line((1.0, 1.0), -1.0, ((2.0, 0.0),)))
    (2, 0): 1·2 + 1·0 + (−1) = 1 → +
    """

    kind: ClassVar[str] = "a line with points beside it, not a run"

    w: Point
    b: float
    points: tuple[Point, ...] = ()

    def __str__(self) -> str:
        return "\n".join(
            f"{vector_text(x)}: {self._sum(x)} = {number_text(score)} → {SIDES[int(side)]}"
            for x, score, side in zip(self.points, *self.run(), strict=True)
        )

    def _sum(self, x: Point) -> str:
        terms = [f"{number_text(w)}·{number_text(v, True)}" for w, v in zip(self.w, x, strict=True)]
        return " + ".join([*terms, number_text(self.b, True)])

    def run(self) -> Sides:
        """Return the score and the prediction of each point.

        Returns
        -------
        Sides
            The scores and the predictions.
        """
        scores = np.array(self.points).reshape(-1, len(self.w)) @ np.array(self.w) + self.b
        return Sides(scores, np.sign(scores).astype(np.int64))


@dataclass(frozen=True)
class Addition:
    """Hold two vectors to be added, θ + x, which are drawn as one arrow after the other.

    Parameters
    ----------
    theta : tuple of float
        The first vector θ.
    x : tuple of float
        The vector x to add.

    Examples
    --------
    >>> print(Addition((1.0, 2.0), (3.0, -1.0)))
    (1, 2) + (3, −1) = (4, 1)
    """

    kind: ClassVar[str] = "a sum of two vectors, not a run"

    theta: Point
    x: Point

    def __str__(self) -> str:
        return f"{vector_text(self.theta)} + {vector_text(self.x)} = {vector_text(tuple(self.run()))}"

    def run(self) -> NDArray[np.float64]:
        """Return the sum.

        Returns
        -------
        ndarray of float64
            The vector θ + x.
        """
        return np.add(self.theta, self.x)

    def as_run(self) -> Run:
        """Return the sum as a run: one step of a perceptron that starts at θ, with x as a positive example.

        Returns
        -------
        Run
            The run.
        """
        return Run((self.x,), (1,), {"offset": False, "init": list(self.theta), "epochs": 1})


@dataclass(frozen=True)
class Example:
    """Hold one worked example of the notes with its source, its title and its parts by name.

    Parameters
    ----------
    key : str
        The key of the example.
    notes : str
        The part of the notes that the example is from.
    title : str
        A description.
    parts : mapping of str to Run, Line or Addition
        Its parts.
    slip : str, default=""
        A correction of the notes.

    Examples
    --------
    >>> from rosenblatt.lectures import EXAMPLES
    >>> list(EXAMPLES["003-cycle"].parts)
    ['without offset', 'with offset']
    """

    key: str
    notes: str
    title: str
    parts: Mapping[str, Run | Line | Addition]
    slip: str = ""

    def name_of(self, part: int | str) -> str:
        """Return the name of a part, given its name or its number.

        Parameters
        ----------
        part : int or str
            The name, or the number counted from 1 (also as text).

        Returns
        -------
        str
            The name.

        Raises
        ------
        BadInput
            If there is no such part.

        Examples
        --------
        >>> from rosenblatt.lectures import EXAMPLES
        >>> EXAMPLES["003-cycle"].name_of(2), EXAMPLES["003-cycle"].name_of("1")
        ('with offset', 'without offset')
        """
        names = list(self.parts)
        by_number = {str(number): name for number, name in enumerate(names, start=1)}
        if isinstance(part, str) and part in self.parts:
            return part
        if (isinstance(part, str) or is_integer(part)) and str(part) in by_number:
            return by_number[str(part)]
        raise BadInput(f"{bad_choice('part', part, names)}, or its number, 1 to {len(names)}")

    def run(self, part: int | str | None = None, **changes: Any) -> Any:
        """Run one part of the example.

        Parameters
        ----------
        part : int, str or None, default=None
            The name or number of the part; None for the first.
        **changes : dict
            Settings of a run to change.

        Returns
        -------
        Trace, Sides or ndarray
            The result of the part.

        Raises
        ------
        BadInput
            If there is no such part, or settings are given for a part that is not a run.
        """
        name = self.name_of(1 if part is None else part)
        found = self.parts[name]
        if changes and not isinstance(found, Run):
            raise BadInput(
                f"{next(iter(changes))}: a setting of a run, and {name!r} of {self.key!r} is "
                f"{found.kind}; parts that are runs: {', '.join(map(repr, self.runs())) or 'none'}"
            )
        return found.run(**changes)

    def runs(self) -> dict[str, Run]:
        """Return the parts that can be replayed step by step, by name.

        Returns
        -------
        dict of str to Run
            The parts; a line alone is not a run.
        """
        parts = {
            name: part.as_run() if isinstance(part, Addition) else part for name, part in self.parts.items()
        }
        return {name: part for name, part in parts.items() if isinstance(part, Run)}

    def __str__(self) -> str:
        return self.describe()

    def describe(self, rows: int = 50, max_steps: int | None = None, first_row: int = 0) -> str:
        """Return every part as text, and the mistake bound of each run.

        Parameters
        ----------
        rows : int, default=50
            The largest number of steps to show for each run.
        max_steps : int or None, default=None
            The largest number of steps of a run.
        first_row : int, default=0
            The number of the first row.

        Returns
        -------
        str
            The text.
        """
        lines = [f"{self.key} (notes {self.notes}): {self.title}"]
        for name, part in self.parts.items():
            lines += ["", f"[{name}]"]
            if isinstance(part, Run):
                lines.append(part.run(max_steps=max_steps).report(rows, first_row))
            else:
                lines.append(str(part))
        if self.slip:
            lines += ["", f"An error in the notes: {self.slip}"]
        return "\n".join(lines)
