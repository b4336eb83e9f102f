"""Shared parts of all plots: the matplotlib import, axes, and a colour and marker for each class."""

from __future__ import annotations

from typing import Any

import numpy as np

from rosenblatt.errors import bad_value, needs_extra
from rosenblatt.traces.viewer.class_colours import CLASSES, NEGATIVE, POSITIVE

# Okabe and Ito's colours, which are suitable for colour-blind readers
BLUE, VERMILION, GREEN, ORANGE = POSITIVE.light, NEGATIVE.light, CLASSES[2].light, NEGATIVE.dark
SMALLEST_IN_LEGEND = 16.0
MANY = 5_000
"""With more points, they are drawn as pixels, even in PDF and SVG files."""


def pyplot() -> Any:
    """Import matplotlib.pyplot, or raise an error that states how to install it."""
    with needs_extra("plots", "a plot"):
        import matplotlib.pyplot as plt
    return plt


def check_axes(ax: Any) -> None:
    """Raise an error for invalid axes before anything is computed."""
    pyplot()
    if ax is not None and not (hasattr(ax, "scatter") and hasattr(ax, "figure")):
        raise bad_value("ax", ax, "the axes of one matplotlib panel, or None")


def axes(ax: Any, width: float = 6.4, height: float = 4.2, layout: str = "constrained") -> Any:
    """Return the given axes, or the axes of a new figure."""
    if ax is None:
        _, ax = pyplot().subplots(figsize=(width, height), layout=layout)
    return ax


def ink() -> Any:
    """Return the colour of lines and text, which is light if the matplotlib style is dark."""
    return pyplot().rcParams["text.color"]


def colour_of(number: int) -> str:
    """Return the colour of a class by its number (with two classes, − is 0 and + is 1).

    The lab and the replay use the same colours.

    Examples
    --------
    >>> (colour_of(0), colour_of(1)) == (CLASSES[0].light, CLASSES[1].light)
    True
    """
    from matplotlib.colors import to_rgb

    look = CLASSES[number % len(CLASSES)]
    is_dark = sum(to_rgb(pyplot().rcParams["axes.facecolor"])) < 1.5
    return look.dark if is_dark else look.light


def marker_of(number: int) -> str:
    """Return the marker of a class by its number; the first 100 classes differ in marker or colour.

    Examples
    --------
    >>> marker_of(0), marker_of(1), marker_of(11)
    ('s', 'o', '^')
    """
    return CLASSES[(number + number // len(CLASSES)) % len(CLASSES)].marker


def beside(ax: Any) -> None:
    """Draw the legend to the right of the axes, so that it covers no points."""
    legend = ax.legend(
        loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, frameon=False, fontsize=9
    )
    for handle in legend.legend_handles:
        if hasattr(handle, "get_sizes") and len(handle.get_sizes()):
            handle.set_sizes(np.maximum(handle.get_sizes(), SMALLEST_IN_LEGEND))


def legend_above(ax: Any, ncols: int, **options: Any) -> None:
    """Draw the legend above the axes, so that it covers no points."""
    place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "frameon": False, "fontsize": 9}
    ax.legend(**place, ncols=ncols, **options)


def label_counts(axis: Any, nbins: int) -> None:
    """Label whole numbers only, with thousands separators."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=nbins, integer=True))
    axis.set_major_formatter(lambda number, _: f"{number:,.0f}")


def open_frame(ax: Any) -> None:
    """Remove the top and right lines of the frame."""
    ax.spines[["top", "right"]].set_visible(False)


def format_signed(number: float) -> str:
    """Return a number as text with four digits and a true minus sign.

    Examples
    --------
    >>> format_signed(-0.123456), format_signed(12345.6)
    ('−0.1235', '12,350')
    """
    shown = f"{float(f'{number:.4g}'):,.0f}" if 1e4 <= abs(number) < 1e15 else f"{number:.4g}"
    return shown.replace("-", "−")
