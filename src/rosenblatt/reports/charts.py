"""Charts of the report page as numbers; `templates/charts.html` draws them as inline SVG.

A picture fits any width: it has no viewBox. Heights are pixels, places along x are parts of 1 and become
percentages; lines are drawn in an inner picture that is stretched, with strokes that are not. Colours and
fonts are those of the page (`page.css`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from rosenblatt.reports.number_text import count, real

HEIGHT = 200  # pixels between the axis and the top of a chart
MOST_BARS = 40  # more passes than these are a line
MOST_LABELS = 12  # bars that have their numbers above them
MOST_POINTS = 240  # of a line


class Scale(NamedTuple):
    """Hold the ticks of the y axis, the first of them 0, and their labels."""

    ticks: Sequence[float]
    labels: Sequence[str]

    def place(self, value: float) -> float:
        """Return the distance of a value from the top in pixels."""
        return HEIGHT * (1.0 - value / self.ticks[-1])


class Series(NamedTuple):
    """Hold a line: points (x, y) with x a fraction of the width, and a text for each point.

    A reference line has no texts.
    """

    points: Sequence[tuple[float, float]]
    texts: Sequence[str]
    ending: str = ""  # written next to the last point


class LineChart(NamedTuple):
    """Hold one or two lines over the same axes, with a description for screen readers."""

    title: str
    description: str
    series: Sequence[Series]
    places: Sequence[tuple[float, str]]  # of the labels below the x axis
    below: str
    scale: Scale

    @property
    def endings(self) -> list[tuple[int, float, float, str]]:
        """Label of each line right of its last point: number, x, y and text; close ones are moved down."""
        last = sorted(
            (self.scale.place(line.points[-1][1]), number)
            for number, line in enumerate(self.series)
            if line.points
        )
        found, free = [], -math.inf
        for y, number in last:
            y = max(y + 4.0, free)
            free = y + 15.0
            line = self.series[number]
            found.append((number, line.points[-1][0], y, line.ending))
        return found


class BarChart(NamedTuple):
    """Hold a bar from 0 for each whole number."""

    title: str
    description: str
    numbers: Sequence[int]
    names: Sequence[str]
    below: str

    @property
    def scale(self) -> Scale:
        """Scale of the numbers."""
        return whole_scale(max(self.numbers, default=0))

    @property
    def band(self) -> float:
        """Part of the width that a bar has for itself."""
        return 1.0 / max(1, len(self.numbers))

    @property
    def places(self) -> list[tuple[float, str]]:
        """Labels below the x axis."""
        every = math.ceil(len(self.numbers) / MOST_LABELS)
        return [((k + 0.5) * self.band, self.names[k]) for k in range(0, len(self.numbers), every)]


class Ruler(NamedTuple):
    """Hold a number line with 0, the reached value and a band of possible values."""

    title: str
    description: str
    band: tuple[float, float]
    reached: float

    def place(self, value: float) -> float:
        """Return the place of a value as a part of the width."""
        low, high = min(0.0, self.reached), max(self.band[1], self.reached, 0.0)
        return (value - low) / (high - low or 1.0)

    @property
    def thick(self) -> float:
        """Width of the band, which is visible even if it is narrow."""
        return max(self.place(self.band[1]) - self.place(self.band[0]), 0.004)

    @property
    def span(self) -> str:
        """Ends of the band as text."""
        low, high = map(real, self.band)
        return low if low == high else f"{low} to {high}"


def ticks(top: float, most: int = 5) -> list[float]:
    """Return round numbers from 0 to the first that is not below `top`, about `most` of them.

    Examples
    --------
    >>> ticks(30), ticks(0.07), ticks(0)
    ([0.0, 10.0, 20.0, 30.0], [0.0, 0.02, 0.04, 0.06, 0.08], [0.0, 1.0])
    """
    if not top > 0.0:
        return [0.0, 1.0]
    power = 10.0 ** math.floor(math.log10(top / most))
    step = next(
        factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power * most >= top * (1 - 1e-9)
    )
    number = math.ceil(top / step * (1 - 1e-9))
    return [float(f"{step * k:.12g}") for k in range(number + 1)]


def whole_scale(top: int) -> Scale:
    """Return a scale of whole numbers.

    Examples
    --------
    >>> whole_scale(2).ticks, whole_scale(30).labels
    ([0.0, 1.0, 2.0], ['0', '10', '20', '30'])
    """
    whole = [tick for tick in ticks(max(top, 1)) if tick == int(tick)]
    return Scale(whole, [count(round(tick)) for tick in whole])


def percent_scale(top: float) -> Scale:
    """Return a scale of parts of 1, with percentages as labels.

    Examples
    --------
    >>> [label.replace("\u00a0", " ") for label in percent_scale(0.07).labels]
    ['0 %', '2 %', '4 %', '6 %', '8 %']
    """
    parts = ticks(min(1.0, top) or 0.01)
    return Scale(parts, [f"{100 * tick:.6g}\u00a0%" for tick in parts])
