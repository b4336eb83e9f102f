"""`agreement`: the functional margin of each point over the steps."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.errors import BadInput, bad_value
from rosenblatt.plots.canvas import (
    BLUE,
    VERMILION,
    axes,
    check_axes,
    ink,
    label_counts,
    legend_above,
    open_frame,
)
from rosenblatt.traces.linear_trace import Trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LINES = 12
"""With more points, quantiles are drawn."""
MOST_MOMENTS = 500
"""The most states drawn as quantiles, about as many as a picture has pixels."""
MOST_COUNTED = 100_000_000
"""With more margins, only the margins of the drawn states are computed."""
QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)
MOST_NUMBERS = 2_000_000
"""The most functional margins in memory at a time."""
MOST_PASSES = 30
"""With more passes, no lines are drawn between passes."""
STILL_BESIDE = 0.15
"""Names moved by less than this fraction of a line of text need no leader."""
NARROW = {"columnspacing": 1.2, "handlelength": 1.4}
"""Spacing of the legend."""


class States(NamedTuple):
    """Hold every (w, b) of a run and the number of the step that produced it.

    The first entry is the initial state at step 0; the last state is repeated at the last step.
    """

    steps: NDArray[np.int64]
    weights: NDArray[np.float64]
    offsets: NDArray[np.float64]


def agreement(trace: Trace, points: ArrayLike | None = None, ax: Any = None, **lines: Any) -> Axes:
    """Plot the functional margin y(w·x + b) of each point over the steps of a run.

    A point with a margin of 0 or less is misclassified. An update on a point, marked by a dot, raises the
    margin of that point by ‖x‖² (plus 1 with an offset) and changes the margins of all other points too.
    Points that were classified correctly and later misclassified are drawn in red. With more than 12
    points, quantiles are drawn instead of lines (for a long run, at 500 steps), and the legend counts the
    points that were misclassified again.

    Parameters
    ----------
    trace : Trace
        The result of `rosenblatt.trace`.
    points : sequence of int or None, default=None
        The rows to draw, each as its own line. None draws all rows, as quantiles if there are more than 12.
    ax : matplotlib.axes.Axes, default=None
        The axes; None creates a figure.
    **lines : dict
        Options of ``ax.plot``, which draws the lines.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    BadInput
        If a row does not exist.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from rosenblatt import trace
    >>> steps = trace([[4, 4], [1, 0]], [1, -1], offset=False, until="separated", epochs=None)
    >>> ax = agreement(steps)
    >>> for line in ax.lines[:2]:
    ...     print(line.get_label(), line.get_ydata().tolist())
    row 0 (+) [0.0, 32.0, 28.0, 24.0, 20.0, 16.0, 12.0, 12.0]
    row 1 (−) [0.0, -4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 1.0]
    >>> plt.close(ax.figure)
    """
    check_axes(ax)
    if not isinstance(trace, Trace):
        raise bad_value("trace", trace, "what rosenblatt.trace(X, y) returns without a kernel")
    rows = _rows(points, len(trace.labels))
    states = states_of(trace)
    if points is not None or len(rows) <= MOST_LINES:
        found = agreements(trace, states, rows)
        ax = axes(ax)
        _draw_lines(ax, trace, states, rows, found, lines)
    else:
        moments = np.unique(np.linspace(0, len(states.steps) - 1, MOST_MOMENTS).round().astype(np.int64))
        drawn = States(*(each[moments] for each in states))  # type: ignore[arg-type]
        counts_all = len(states.steps) * len(rows) <= MOST_COUNTED
        again = _count_wrong_again(trace, states if counts_all else drawn, rows)
        levels = _quantiles(trace, drawn, rows)
        ax = axes(ax)
        least = "" if counts_all else "at least "
        _draw_quantiles(ax, drawn.steps, levels, f"{least}{again:,} misclassified again", len(rows), lines)
    _finish(ax, trace)
    return ax


def states_of(trace: Trace) -> States:
    """Return every weight vector of a run and the step at which it arose.

    Examples
    --------
    >>> from rosenblatt import trace
    >>> states_of(trace([[4, 4], [1, 0]], [1, -1], offset=False, epochs=1)).weights.tolist()
    [[0.0, 0.0], [4.0, 4.0], [3.0, 4.0], [3.0, 4.0]]
    """
    start = np.asarray(trace.settings["start"], np.float64)
    changed = [(number, step) for number, step in enumerate(trace, start=1) if step.updated]
    weights = [start[:-1], *(step.weights for _, step in changed)]
    offsets = [start[-1], *(step.offset for _, step in changed)]
    return States(
        np.array([0, *(number for number, _ in changed), len(trace)]),
        np.array([*weights, weights[-1]], np.float64),
        np.array([*offsets, offsets[-1]], np.float64),
    )


def agreements(trace: Trace, states: States, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the functional margins y(w·x + b) under each state, with shape (states, rows)."""
    scores = states.weights @ trace.points[rows].T + states.offsets[:, None]
    return np.asarray(trace.labels[rows] * scores + 0.0, np.float64)  # avoids −0


def _rows(points: Any, n: int) -> NDArray[np.int64]:
    if points is None:
        return np.arange(n)
    rows = np.atleast_1d(np.asarray(points))
    if rows.ndim != 1 or not rows.size or rows.dtype.kind not in "iu":
        raise bad_value("points", points, "numbers of rows, or None for all")
    if strange := [row for row in rows.tolist() if not 0 <= row < n]:
        raise BadInput(f"points: there is no row {strange[0]}; the rows of this trace are 0…{n - 1}")
    return rows.astype(np.int64)


def wrong_again(found: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return a mask of the points that were classified correctly in one state and misclassified later.

    Examples
    --------
    >>> wrong_again(np.array([[0.0, 0.0], [1.0, -2.0], [-1.0, 3.0]]))
    array([ True, False])
    """
    was_right = np.logical_or.accumulate(found > 0.0, axis=0)
    return np.asarray((was_right & (found <= 0.0)).any(axis=0))


def _quantiles(trace: Trace, states: States, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the quantiles of the functional margins under each state, with shape (quantiles, states)."""
    return np.concatenate(
        [np.quantile(found, QUANTILES, axis=1) for found in _in_blocks(trace, states, rows)], axis=1
    )


def _count_wrong_again(trace: Trace, states: States, rows: NDArray[np.int64]) -> int:
    was_right, again = np.zeros(len(rows), bool), np.zeros(len(rows), bool)
    for found in _in_blocks(trace, states, rows):
        again |= wrong_again(np.vstack([np.where(was_right, 1.0, -1.0), found]))
        was_right |= (found > 0.0).any(axis=0)
    return int(again.sum())


def _in_blocks(trace: Trace, states: States, rows: NDArray[np.int64]) -> Iterator[NDArray[np.float64]]:
    """Yield the functional margins of the rows, for a block of states at a time."""
    block = max(1, MOST_NUMBERS // len(rows))
    for start in range(0, len(states.steps), block):
        part = slice(start, start + block)
        yield agreements(
            trace, States(states.steps[part], states.weights[part], states.offsets[part]), rows
        )


# ---------------------------------------------------------------- drawing


def _draw_lines(
    ax: Any, trace: Trace, states: States, rows: NDArray[np.int64], found: NDArray[np.float64],
    lines: dict[str, Any],
) -> None:  # fmt: skip
    again = wrong_again(found)
    own = {int(row): ([], []) for row in rows}  # type: dict[int, tuple[list[int], list[float]]]
    for number, step in enumerate(trace, start=1):
        if step.updated and step.index in own:
            own[step.index][0].append(number)
            own[step.index][1].append(step.agreement_after)
    for column, row in enumerate(rows.tolist()):
        sign = "+" if trace.labels[row] > 0 else "−"
        colour, width = (VERMILION, 2.2) if again[column] else (BLUE, 1.2)
        look = {"color": colour, "linewidth": width, "drawstyle": "steps-post", **lines}
        ax.plot(states.steps, found[:, column], label=f"row {row} ({sign})", **look)
        ax.scatter(*own[row], s=20.0, color=colour, zorder=3)
    if len(rows) <= MOST_LINES:
        _name_lines(ax, states.steps[-1], rows, trace.labels, found[-1], again)
    _explain(ax, int(again.sum()), len(rows))


def _explain(ax: Any, again: int, n: int) -> None:
    """Draw a legend of the kinds of lines; single lines are named at their ends."""
    from matplotlib.lines import Line2D

    kinds = [
        Line2D([], [], color=BLUE, marker="o", markersize=4.5, linewidth=0.0, label="update on the row"),
        Line2D([], [], color=VERMILION, linewidth=2.2, label=f"{again} of {n} misclassified again"),
    ]
    legend_above(ax, 2, handles=kinds[: 2 if again else 1], **NARROW)


def _name_lines(
    ax: Any, end: int, rows: NDArray[np.int64], labels: NDArray[np.int8], last: NDArray[np.float64],
    again: NDArray[np.bool_],
) -> None:  # fmt: skip
    """Write the name of each line at its end.

    Overlapping names are moved apart, and each is connected to the end of its line by a thin leader.
    """
    low, high = ax.get_ylim()
    gap = 0.055 * (high - low)
    places = _apart(last, gap)
    away = 22.0 if (np.abs(places - last) > STILL_BESIDE * gap).any() else 5.0
    for column, row in enumerate(rows.tolist()):
        sign = "+" if labels[row] > 0 else "−"
        colour = VERMILION if again[column] else BLUE
        leader = {"arrowstyle": "-", "color": colour, "linewidth": 0.6, "shrinkA": 1.0, "shrinkB": 1.0,
                  "relpos": (0.0, 0.5)}  # fmt: skip
        ax.annotate(f"row {row} ({sign})", xy=(end, last[column]), xytext=(away, places[column]),
                    textcoords=("offset points", "data"), va="center", annotation_clip=False, fontsize=8,
                    color=colour, arrowprops=leader if away > 5.0 else None)  # fmt: skip


def _apart(places: NDArray[np.float64], gap: float) -> NDArray[np.float64]:
    """Return the positions in the same order, moved as little as possible to be at least `gap` apart."""
    order = np.argsort(places, kind="stable")
    moved = places[order].astype(np.float64)
    for _ in range(100):
        short = gap - np.diff(moved)
        if not (short > 1e-9 * gap).any():
            break
        push = np.clip(short, 0.0, None) / 2.0
        moved[:-1] -= push
        moved[1:] += push
    found = np.empty(len(places))
    found[order] = moved
    return found


def _draw_quantiles(
    ax: Any,
    steps: NDArray[np.int64],
    levels: NDArray[np.float64],
    again: str,
    n: int,
    lines: dict[str, Any],
) -> None:
    lowest, lower, middle, upper, highest = levels
    shade = {"color": BLUE, "linewidth": 0.0, "step": "post"}
    ax.fill_between(steps, lowest, highest, alpha=0.18, label="smallest to largest", **shade)
    ax.fill_between(steps, lower, upper, alpha=0.4, label="the middle half", **shade)
    look = {"color": BLUE, "linewidth": 1.6, "drawstyle": "steps-post", **lines}
    ax.plot(steps, middle, label=f"median of {n:,} points", **look)
    ax.plot([], [], " ", label=again)
    legend_above(ax, 2, **NARROW)


def _finish(ax: Any, trace: Trace) -> None:
    ax.axhline(0.0, color=ink(), linewidth=1.0)
    ends = [
        number for number, (step, after) in enumerate(pairwise(trace), start=1) if after.epoch != step.epoch
    ]
    if len(ends) < MOST_PASSES:
        for end in ends:
            ax.axvline(end, color=ink(), linewidth=0.6, linestyle=":", alpha=0.5, zorder=0)
    ax.set_xlabel("step" + " (dotted: the end of a pass)" * (0 < len(ends) < MOST_PASSES))
    ax.set_ylabel("functional margin y(w·x + b)")
    label_counts(ax.xaxis, 8)
    ax.margins(x=0.0)
    open_frame(ax)
