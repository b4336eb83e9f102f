"""Data of the charts on the report page; `templates/charts.html` draws them as inline SVG.

Charts fit any width, because they have no viewBox: heights are in pixels, and horizontal positions are
fractions that become percentages. Lines are in an inner SVG that is stretched, with strokes of constant
width. Colours and fonts come from the page (`page.css`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from rosenblatt.reports.number_text import count, real

HEIGHT = 200  # pixels between the axis and the top of a chart
MOST_BARS = 40  # more passes are drawn as a line
MOST_LABELS = 12  # with at most this many bars, numbers are written above them
MOST_POINTS = 240  # points of a line


class Scale(NamedTuple):
    """The ticks of the y axis, starting at 0, and their labels."""

    ticks: Sequence[float]
    labels: Sequence[str]

    def place(self, value: float) -> float:
        """Return the distance of a value from the top of the chart in pixels."""
        return HEIGHT * (1.0 - value / self.ticks[-1])


class Series(NamedTuple):
    """A line: points (x, y), where x is a fraction of the width, and a tooltip for each point.

    A reference line has no tooltips.
    """

    points: Sequence[tuple[float, float]]
    texts: Sequence[str]
    ending: str = ""  # the label at the end of the line


class LineChart(NamedTuple):
    """One or two lines on the same axes, with a description for screen readers."""

    title: str
    description: str
    series: Sequence[Series]
    places: Sequence[tuple[float, str]]  # position and text of the labels below the x axis
    below: str
    scale: Scale

    @property
    def endings(self) -> list[tuple[int, float, float, str]]:
        """Labels at the ends of the lines, moved apart if necessary: line number, x, y and text."""
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
    """One bar for each number, starting at 0."""

    title: str
    description: str
    numbers: Sequence[int]
    names: Sequence[str]
    below: str

    @property
    def scale(self) -> Scale:
        """Scale of the y axis."""
        return whole_scale(max(self.numbers, default=0))

    @property
    def band(self) -> float:
        """Fraction of the width for each bar."""
        return 1.0 / max(1, len(self.numbers))

    @property
    def places(self) -> list[tuple[float, str]]:
        """Position and text of each label below the x axis."""
        every = math.ceil(len(self.numbers) / MOST_LABELS)
        return [((k + 0.5) * self.band, self.names[k]) for k in range(0, len(self.numbers), every)]


class Ruler(NamedTuple):
    """A number line with 0, the value reached and the interval of possible values."""

    title: str
    description: str
    band: tuple[float, float]
    reached: float

    def place(self, value: float) -> float:
        """Return the position of a value as a fraction of the width."""
        low, high = min(0.0, self.reached), max(self.band[1], self.reached, 0.0)
        return (value - low) / (high - low or 1.0)

    @property
    def thick(self) -> float:
        """Width of the interval as a fraction, large enough to be visible."""
        return max(self.place(self.band[1]) - self.place(self.band[0]), 0.004)

    @property
    def span(self) -> str:
        """Ends of the interval as text."""
        low, high = map(real, self.band)
        return low if low == high else f"{low} to {high}"


def ticks(top: float, most: int = 5) -> list[float]:
    """Return about `most` round numbers, from 0 to the first that is at least `top`.

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
    """Return a scale with integer ticks.

    Examples
    --------
    >>> whole_scale(2).ticks, whole_scale(30).labels
    ([0.0, 1.0, 2.0], ['0', '10', '20', '30'])
    """
    whole = [tick for tick in ticks(max(top, 1)) if tick == int(tick)]
    return Scale(whole, [count(round(tick)) for tick in whole])


def percent_scale(top: float) -> Scale:
    """Return a scale for fractions, with percentages as labels.

    Examples
    --------
    >>> [label.replace("\u00a0", " ") for label in percent_scale(0.07).labels]
    ['0 %', '2 %', '4 %', '6 %', '8 %']
    """
    parts = ticks(min(1.0, top) or 0.01)
    return Scale(parts, [f"{100 * tick:.6g}\u00a0%" for tick in parts])
