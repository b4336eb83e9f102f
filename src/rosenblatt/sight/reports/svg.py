"""Pictures as inline SVG that fit any width: text keeps its size, only the distances along x grow.

A picture has no viewBox. Heights are pixels, places along x are parts of 1 and become percentages; lines
are drawn in an inner picture that is stretched, with strokes that are not. Colours and fonts are those of
the page (`page.css`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from rosenblatt.sight.reports.markup import count, escaped, real

HEIGHT = 200  # pixels between the axis and the top of a chart
MOST_BARS = 40  # more passes than these are a line
MOST_LABELS = 12  # bars that have their numbers above them
MOST_POINTS = 240  # of a line


class Series(NamedTuple):
    """A line: (x, y) with x a fraction of the width, and a text for each point; no texts for a reference
    line."""

    points: Sequence[tuple[float, float]]
    told: Sequence[str]
    ending: str = ""  # written next to the last point


def ticks(top: float, most: int = 5) -> list[float]:
    """Round numbers from 0 to the first that is not below `top`, about `most` of them.

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


def picture(title: str, description: str, body: str, height: int = HEIGHT, kind: str = "") -> str:
    """Return the frame of a picture, with its description for screen readers."""
    return (
        f'<svg class="plot {kind}" role="img" width="100%" height="{height}">'
        f"<title>{escaped(title)}</title><desc>{escaped(description)}</desc>\n{body}</svg>\n"
    )


# ---------------------------------------------------------------- charts


def bars(title: str, description: str, numbers: Sequence[int], names: Sequence[str], below: str) -> str:
    """Return a bar for each whole number, from 0; the numbers are above the bars if there is space."""
    scale = whole_ticks(max(numbers, default=0))
    band = 1.0 / max(1, len(numbers))
    width = min(0.7 * band, 0.07)
    drawn = []
    for k, number in enumerate(numbers):
        middle, height = (k + 0.5) * band, HEIGHT * number / scale[-1]
        drawn.append(
            f'<rect class="bar" x="{_x(middle - width / 2)}" y="{_y(HEIGHT - height)}" width="{_x(width)}" '
            f'height="{_y(height)}"><title>{escaped(names[k])}: {count(number)}</title></rect>'
        )
        if len(numbers) <= MOST_LABELS:
            drawn.append(_text(middle, HEIGHT - height - 6, count(number), "value"))
    every = math.ceil(len(numbers) / MOST_LABELS)
    places = [((k + 0.5) * band, names[k]) for k in range(0, len(numbers), every)]
    axes = _y_axis(scale, [count(round(tick)) for tick in scale]) + _x_axis(places, below)
    crowded = "crowded" if len(numbers) > 6 else ""
    return picture(title, description, axes + "".join(drawn), kind=crowded)


def lines(
    title: str,
    description: str,
    series: Sequence[Series],
    places: Sequence[tuple[float, str]],
    below: str,
    scale: Sequence[float],
    named: Sequence[str],
) -> str:
    """Return lines over the same axes; `scale` has the ticks of y, `named` their labels."""
    top = scale[-1]
    drawn = [_y_axis(scale, named), _x_axis(places, below)]
    for number, line in enumerate(series):
        at = [(x, HEIGHT * (1.0 - y / top)) for x, y in line.points]
        path = " ".join(f"{100 * x:.2f},{_y(y)}" for x, y in at)
        drawn.append(
            f'<svg viewBox="0 0 100 {HEIGHT}" preserveAspectRatio="none" width="100%" height="{HEIGHT}" '
            f'overflow="visible" class="line line{number}"><polyline points="{path}"/></svg>\n'
        )
        if line.told and len(at) <= MOST_BARS:
            told = zip(at, line.told, strict=True)
            drawn += [_mark(number, x, y, words) for (x, y), words in told]
    drawn += _endings(series, top)
    return picture(title, description, "".join(drawn))


def _endings(series: Sequence[Series], top: float) -> list[str]:
    """Return labels with the last value of each line to the right of its point, the lower moved down if
    they are close."""
    last = sorted(
        (HEIGHT * (1.0 - line.points[-1][1] / top), number)
        for number, line in enumerate(series)
        if line.points
    )
    drawn, free = [], -math.inf
    for y, number in last:
        y = max(y + 4.0, free)
        free = y + 15.0
        x = series[number].points[-1][0]
        words = escaped(series[number].ending)
        drawn.append(f'<text class="ending ending{number}" x="{_x(x)}" dx="9" y="{_y(y)}">{words}</text>')
    return drawn


def _mark(number: int, x: float, y: float, words: str) -> str:
    """Return the mark of a point: round for the first line, square for the second, so that colour is not
    the only difference."""
    title = f"<title>{escaped(words)}</title>"
    if number == 0:
        return f'<circle class="mark mark0" cx="{_x(x)}" cy="{_y(y)}" r="3.5">{title}</circle>'
    return (
        f'<rect class="mark mark1" x="{_x(x)}" y="{_y(y - 3.5)}" width="7" height="7" '
        f'transform="translate(-3.5 0)">{title}</rect>'
    )


def ruler(title: str, description: str, band: tuple[float, float], reached: float) -> str:
    """Return a number line with 0, the reached value and a band of possible values."""
    low, high = min(0.0, reached), max(band[1], reached, 0.0)
    zero, first, last, at = ((value - low) / (high - low or 1.0) for value in (0.0, *band, reached))
    thick = max(last - first, 0.004)
    is_near_zero = abs(at - zero) < 0.12  # the words need a line of their own
    drawn = [
        '<line class="axis" x1="0" x2="100%" y1="40" y2="40"/>',
        f'<line class="axis" x1="{_x(zero)}" x2="{_x(zero)}" y1="34" y2="46"/>',
        _text(zero, 64, "0", "tick"),
        f'<rect class="band" x="{_x(min(first, 1.0 - thick))}" width="{_x(thick)}" y="28" height="24">'
        f"<title>best possible: {_span(band)}</title></rect>",
        _text(last, 18, f"best possible {_span(band)}", "value", "end" if last > 0.5 else "start"),
        f'<circle class="mark mark1" cx="{_x(at)}" cy="40" r="6">'
        f"<title>reached: {real(reached)}</title></circle>",
        _text(at, 84 if is_near_zero else 70, f"reached {real(reached)}", "ending ending1", _anchor(at)),
    ]
    return picture(title, description, "".join(drawn), height=90, kind="ruler")


def weight_bar(weight: float, low: float, high: float) -> str:
    """Return a bar from 0 to the weight on a line from low ≤ 0 to high ≥ 0. The number stands next to it in
    words, so the picture is not read aloud."""
    length = (high - low) or 1.0
    zero, end = -low / length, (weight - low) / length
    kind = "for" if weight > 0.0 else "against"
    return (
        '<svg class="weight" aria-hidden="true" width="100%" height="14">'
        f'<rect class="{kind}" x="{_x(min(zero, end))}" width="{_x(abs(end - zero))}" y="1" height="12"/>'
        f'<line class="axis" x1="{_x(zero)}" x2="{_x(zero)}" y1="0" y2="14"/></svg>'
    )


# ---------------------------------------------------------------- axes


def whole_ticks(top: int) -> list[float]:
    """Ticks that are whole numbers.

    >>> whole_ticks(2), whole_ticks(30)
    ([0.0, 1.0, 2.0], [0.0, 10.0, 20.0, 30.0])
    """
    return [tick for tick in ticks(max(top, 1)) if tick == int(tick)]


def percent_ticks(top: float) -> tuple[list[float], list[str]]:
    """Ticks for parts of 1, none above 1, and their names.

    >>> percent_ticks(0.19)[0], percent_ticks(0.97)[0][-1]
    ([0.0, 0.05, 0.1, 0.15, 0.2], 1.0)
    """
    scale = ticks(min(1.0, top) or 0.01)
    return scale, [f"{100 * tick:.6g}\u00a0%" for tick in scale]


def _y_axis(scale: Sequence[float], named: Sequence[str]) -> str:
    drawn = []
    for tick, label in zip(scale, named, strict=True):
        y = HEIGHT * (1.0 - tick / scale[-1])
        kind = "grid" if tick else "axis"
        drawn.append(f'<line class="{kind}" x1="0" x2="100%" y1="{_y(y)}" y2="{_y(y)}"/>')
        drawn.append(f'<text class="tick" x="-8" y="{_y(y + 4)}" text-anchor="end">{escaped(label)}</text>')
    return "".join(drawn) + "\n"


def _x_axis(places: Sequence[tuple[float, str]], below: str) -> str:
    labels = "".join(_text(x, HEIGHT + 18, label, "tick") for x, label in places)
    return labels + _text(1.0, HEIGHT + 36, below, "below", "end") + "\n"


def _text(x: float, y: float, words: str, kind: str, anchor: str = "middle") -> str:
    return f'<text class="{kind}" x="{_x(x)}" y="{_y(y)}" text-anchor="{anchor}">{escaped(words)}</text>'


def _anchor(x: float) -> str:
    return "start" if x < 0.15 else "end" if x > 0.85 else "middle"


def _span(band: tuple[float, float]) -> str:
    low, high = real(band[0]), real(band[1])
    return low if low == high else f"{low} to {high}"


def _x(part: float) -> str:
    return f"{100.0 * part:.2f}%"


def _y(pixels: float) -> str:
    return f"{pixels:.1f}"
