"""Plots of an `OrderSpread`: histograms of its measurements, and the lines of all runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.comparisons.over_orders import OrderSpread
from rosenblatt.errors import BadInput, bad_value
from rosenblatt.numeric.row_batches import as_rows, column_names
from rosenblatt.plots.canvas import BLUE, GREEN, ORANGE, axes, open_frame, pyplot
from rosenblatt.plots.window import ends_of_view, two_columns
from rosenblatt.traces.viewer.class_colours import NEGATIVE, POSITIVE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BINS = 25
TITLES = {
    "accuracy": "accuracy on the training rows (%)",
    "test accuracy": "accuracy on the test rows (%)",
    "margin": "margin (distance of the worst row)",
    "mistakes": "mistakes during training",
}


def order_spread(spread: OrderSpread, ax: Any = None) -> NDArray[Any]:
    """Plot histograms of accuracy, margin and mistakes over many orders.

    In each bar, runs from the first start are at the bottom and runs from other starts on top.
    `OrderSpread.plot` draws the same plot.

    Parameters
    ----------
    spread : OrderSpread
        The result of `over_orders`.
    ax : array of matplotlib.axes.Axes, default=None
        One axes for each histogram; None creates a figure.

    Returns
    -------
    ndarray of matplotlib.axes.Axes
        The axes.

    Raises
    ------
    BadInput
        If `spread` is not an `OrderSpread`.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from rosenblatt import Perceptron, over_orders
    >>> spread = over_orders(Perceptron(), [[2, 1], [0, 2], [-0.5, -2]], [1, -1, 1], orders=5)
    >>> panels = order_spread(spread)
    >>> len(panels)
    3
    >>> plt.close(panels[0].figure)
    """
    _check(spread)
    plt = pyplot()
    from matplotlib.ticker import MaxNLocator

    figures = {name: values for name, values in spread.figures().items() if name in TITLES}
    panels = _panels(plt, ax, list(figures))
    is_first = spread.start == 0
    of_accuracy: list[Any] = []
    for panel, (name, values) in zip(panels, figures.items(), strict=True):
        known = ~np.isnan(values)
        groups = [values[known & is_first], values[known & ~is_first]][: 1 if is_first.all() else 2]
        edges = _edges(name, values[known].astype(np.float64))
        panel.hist(
            groups, bins=edges, stacked=True, color=[BLUE, ORANGE][: len(groups)],
            edgecolor="white", linewidth=0.5, label=["first start", "other starts"][: len(groups)],
        )  # fmt: skip
        middle = float(np.median(values[known]))
        panel.axvline(middle, color="black", linestyle="--", linewidth=1.2, label="median")
        panel.set_title(f"median {_number(name, middle)}", fontsize=10)
        panel.set_xlabel(TITLES[name])
        panel.yaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
        panel.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=name == "mistakes"))
        if "accuracy" in name:
            panel.xaxis.set_major_formatter(lambda part, _: f"{100 * part:.4g}")
            panel.set_xlim(right=min([panel.get_xlim()[1], *edges[edges > 1.0]]))  # accuracies end at 100 %
            of_accuracy.append(panel)
        if name == "margin" and panel.get_xlim()[0] < 0.0 < panel.get_xlim()[1]:
            panel.axvline(0.0, color="0.5", linewidth=1.0)  # runs to the right separate the classes
        open_frame(panel)
    limits = np.array([panel.get_xlim() for panel in of_accuracy])
    for panel in of_accuracy:  # a common scale makes both panels comparable
        panel.set_xlim(limits.min(), limits.max())
    panels[0].set_ylabel("runs")
    if len(groups) == 2 and ax is None:
        handles, names = panels[0].get_legend_handles_labels()
        panels[0].figure.legend(handles, names, loc="outside upper center", ncols=3, frameon=False)
    elif len(groups) == 2:
        panels[0].legend(frameon=False, fontsize=9)
    return panels


def order_lines(spread: OrderSpread, ax: Any = None) -> Axes:
    """Plot the points and the final line of each run, for two features and two classes.

    The line with the largest margin is thick. `OrderSpread.plot_lines` draws the same plot.

    Parameters
    ----------
    spread : OrderSpread
        The result of `over_orders`.
    ax : matplotlib.axes.Axes, default=None
        The axes; None creates a figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    BadInput
        If the runs have no lines.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from rosenblatt import Perceptron, over_orders
    >>> spread = over_orders(Perceptron(), [[2, 1], [0, 2], [-0.5, -2]], [1, -1, 1], orders=5)
    >>> ax = order_lines(spread)
    >>> plt.close(ax.figure)
    """
    _check(spread)
    if spread.lines is None:
        raise BadInput(
            "plot_lines: lines are drawn for two features, two classes and a model with one w; "
            "use plot, which draws the figures of any runs"
        )
    pyplot()
    from matplotlib.collections import LineCollection

    ax = axes(ax, 6.4, 5.2)
    points = two_columns(as_rows(spread._inputs.X), 0, 1)
    classes = np.unique(spread._inputs.y)
    for label, look in zip(classes, (NEGATIVE, POSITIVE), strict=True):
        of_class = points[spread._inputs.y == label]
        ax.scatter(
            *of_class.T, s=26, marker=look.marker, color=look.light, edgecolors="white", linewidths=0.5,
            zorder=3, label=f"class {label}",
        )  # fmt: skip
    low, high = ends_of_view(points)
    segments = _segments(spread.lines, low, high)
    faint = float(np.clip(15.0 / len(spread), 0.08, 0.6))
    ax.add_collection(
        LineCollection(
            list(segments), colors="black", alpha=faint, linewidths=0.8, label=f"{len(spread)} runs"
        ),
        autolim=False,
    )
    if not np.isnan(spread.margin).all():
        best = int(np.nanargmax(spread.margin))
        ax.plot(*segments[best].T, color=GREEN, linewidth=2.4, zorder=2,
                label=f"largest margin, {spread.margin[best]:.3g}")  # fmt: skip
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    names = column_names(spread._inputs.X) or ["x0", "x1"]
    ax.set_xlabel(names[0])
    ax.set_ylabel(names[1])
    legend = ax.legend(loc="upper center", bbox_to_anchor=(0.5, 1.1), ncols=4, frameon=False, fontsize=9)
    for handle in legend.legend_handles:
        handle.set_alpha(1.0)
    return ax


def _check(spread: Any) -> None:
    if not isinstance(spread, OrderSpread):
        raise bad_value("spread", spread, "what over_orders(model, X, y) returns")


def _panels(plt: Any, ax: Any, names: list[str]) -> NDArray[Any]:
    if ax is None:
        _, new = plt.subplots(
            1, len(names), figsize=(3.1 * len(names), 2.9), layout="constrained", squeeze=False
        )
        return np.asarray(new).ravel()
    panels = np.asarray(ax, dtype=object).ravel()
    if len(panels) != len(names):
        raise BadInput(
            f"ax: {len(panels)} axes for {len(names)} figures ({', '.join(names)}); give one for each"
        )
    return panels


def _edges(name: str, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the bin edges for the values of a measurement."""
    low, high = float(values.min()), float(values.max())
    if high - low <= 1e-9 * max(abs(low), abs(high)):  # all values equal: one bar in the middle
        half = {"mistakes": 0.5, "margin": 0.05 * abs(low) or 0.5}.get(name, 0.0025)
        return np.array([low - 5 * half, low - half, low + half, low + 5 * half])
    width = (high - low) / np.clip(2 * np.sqrt(len(values)), 5, MOST_BINS)
    if name == "margin":
        start = low
    else:  # counts: bins narrower than one row or mistake would leave gaps
        width = max(width, float(np.diff(np.unique(values)).min()))
        width = float(np.ceil(width)) if name == "mistakes" else width
        start = low - (0.5 if name == "mistakes" else width / 2)
    return start + width * np.arange(np.floor((high - start) / width) + 2)


def _number(name: str, value: float) -> str:
    if "accuracy" in name:
        return f"{100 * value:.1f} %"
    return f"{value:,.1f}".removesuffix(".0") if name == "mistakes" else f"{value:.3g}".replace("-", "−")


def _segments(
    lines: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return two points of each line w·x + b = 0, on either side of the view; NaN for w = 0.

    The shape is (lines, 2, 2).
    """
    w, b = lines[:, :2], lines[:, 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        length = np.hypot(*w.T)
        normal, shift = w / length[:, None], b / length
    centre, reach = (low + high) / 2.0, float(np.hypot(*(high - low)))
    nearest = centre - (normal @ centre + shift)[:, None] * normal
    along = np.column_stack([-normal[:, 1], normal[:, 0]]) * reach
    return np.stack([nearest - along, nearest + along], axis=1)
