"""`decision_regions`: the predictions of a classifier over the plane of two features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.errors import BadInput, bad_value, counted, whole_number
from rosenblatt.geometry import l2_norm
from rosenblatt.numeric.blocks import native
from rosenblatt.numeric.row_batches import as_rows, n_features, n_rows
from rosenblatt.plots.canvas import MANY, axes, beside, check_axes, colour_of, format_signed, ink, marker_of
from rosenblatt.plots.classifiers import (
    LabelledPredictions,
    answers_of,
    hyperplane_of,
    predict_rows,
    scores_of,
)
from rosenblatt.plots.window import Plane, Vector, plane_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TINT = 0.22
MOST_STRETCHED = 5.0
"""Largest ratio of the axis lengths that are drawn to the same scale."""


def decision_regions(
    model: Any,
    X: Any,
    y: ArrayLike,
    ax: Any = None,
    *,
    features: Sequence[Any] = (0, 1),
    held: ArrayLike | None = None,
    resolution: int = 200,
    boundary: bool = True,
    normal: bool | None = None,
    band: bool | float = False,
    support: bool = True,
    legend: bool = True,
    **points: Any,
) -> Axes:
    """Plot the predictions of a classifier as coloured regions, with the rows of X as points.

    Each class has a colour and a marker. A ring (with more than 5,000 rows, a dot) marks each misclassified
    row. With more than two features, the plot is a slice through the space: all other features have a
    constant value, which the title states. Rows are drawn at the values of the two plotted features, but
    are marked by the prediction for the complete row. So a correctly classified row may lie in the region
    of another class.

    Parameters
    ----------
    model : classifier
        A fitted classifier or pipeline from this package or scikit-learn.
    X : array-like, sparse matrix or table of shape (n_rows, n_features)
        The rows; if X is a table, its column names label the axes.
    y : array-like of shape (n_rows,)
        Their classes.
    ax : matplotlib.axes.Axes, default=None
        The axes; None creates a figure.
    features : sequence of two int or str, default=(0, 1)
        The columns to plot, by number or name.
    held : array-like of shape (n_features,) or None, default=None
        Constant values of the features that are not plotted; None uses their medians in X.
    resolution : int, default=200
        The number of points of the grid along each axis.
    boundary : bool, default=True
        Whether to draw lines between the regions. For a linear model with two classes the line is exact.
    normal : bool or None, default=None
        Whether to draw w as an arrow perpendicular to the line, towards the second class. The length of the
        arrow has no meaning. Both axes then have the same scale. None draws the arrow if the model is
        linear, there are two classes, and equal scales are possible.
    band : bool or float, default=False
        Half the width of the margin band to draw around the boundary of a linear model with two classes.
        True uses the distance of the nearest row, if all rows are classified correctly.
    support : bool, default=True
        Whether to mark the support rows of a kernel model with a dot.
    legend : bool, default=True
        Whether to draw a legend to the right of the axes.
    **points : dict
        Options of ``ax.scatter``, which draws the rows, such as ``s=10`` or ``alpha=0.5``.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    BadInput
        If the model is not fitted, or a parameter or the rows do not fit it.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from rosenblatt import Perceptron
    >>> X, y = [[2, 1], [0, 2], [-0.5, -2], [1, -1]], ["in", "out", "in", "in"]
    >>> ax = decision_regions(Perceptron(random_state=0).fit(X, y), X, y)
    >>> ax.get_xlabel(), [text.get_text() for text in ax.get_legend().texts]
    ('x0', ['in', 'out'])
    >>> plt.close(ax.figure)
    """
    check_axes(ax)
    resolution = whole_number("resolution", resolution, 2, 5000)
    seen = predict_rows(model, X, y)
    plane = plane_of(seen, features, held)
    hyperplane = hyperplane_of(model, seen.classes)
    _check_linear(hyperplane, normal, band)
    numbers = plane.evaluate(lambda rows: answers_of(model, rows, seen.classes), resolution, X)
    scores = _scores(model, plane, numbers, resolution, X) if boundary and hyperplane is None else None
    support_rows = _support_vectors(model, len(seen.names)) if support else None

    reach = plane.high - plane.low
    is_alike = reach.max() <= MOST_STRETCHED * reach.min()
    one_scale = hyperplane is not None and bool(normal or (normal is None and is_alike))
    height = float(np.clip(5.1 * reach[1] / reach[0] + 0.7, 2.2, 6.0))
    ax = axes(ax, 7.0, height, "compressed") if one_scale else axes(ax, 7.0, 4.8)
    _draw_regions(ax, plane, numbers.reshape(resolution, resolution), len(seen.classes))
    if hyperplane is not None:
        line = plane.line(*hyperplane)
        if boundary:
            _draw_line(ax, *line, linewidth=1.6)
        if one_scale:
            _draw_normal(ax, plane, *line)
    elif boundary:
        _draw_contours(ax, plane, numbers, scores, resolution)
    _draw_rows(ax, plane, seen, points)
    if support_rows is not None:
        _draw_support(ax, plane.coordinates(as_rows(support_rows)))
    if hyperplane is not None and band:
        _draw_band(ax, plane.line(*hyperplane), *_half_width(hyperplane, seen, band))
    _finish(ax, plane, seen, held, legend)
    return ax


# ---------------------------------------------------------------- arguments


def _check_linear(hyperplane: Any, normal: bool | None, band: bool | float) -> None:
    for name, requested in (("normal", normal), ("band", band)):
        if requested and hyperplane is None:
            raise BadInput(
                f"{name}: only a linear model for two classes, with a w other than 0, has one; "
                f"leave {name} out"
            )
    if not isinstance(band, (bool, np.bool_)) and not (np.isfinite(band) and band >= 0.0):
        raise bad_value("band", band, "a distance of at least 0, True or False")


def _scores(
    model: Any, plane: Plane, numbers: NDArray[np.int64], resolution: int, like: Any
) -> NDArray[np.float64] | None:
    """Return scores on the grid, or None if predictions are not always the class with the largest score.

    Without scores, boundaries are drawn along the cells of the grid.
    """
    if scores_of(model, like) is None:
        return None
    found = plane.evaluate(lambda rows: scores_of(model, rows), resolution, like)  # type: ignore[arg-type, return-value]
    best = found.argmax(axis=1) if found.ndim == 2 else (found > 0.0).astype(np.int64)
    return found if np.array_equal(best, numbers) else None


def _support_vectors(model: Any, d: int) -> Any:
    vectors = getattr(model, "support_vectors_", None)
    if vectors is None or not vectors.shape[0] or vectors.shape[1] != d:
        return None
    return vectors


def _half_width(
    hyperplane: tuple[Vector, float], seen: LabelledPredictions, band: bool | float
) -> tuple[float, float, int]:
    """Return half the width of the band as a score and as a distance, and the number of mistakes."""
    w, b = hyperplane
    length = l2_norm(w)
    if not isinstance(band, (bool, np.bool_)):
        return float(band) * length, float(band), 0
    nearest = float(np.abs(native(seen.rows) @ w + b).min())
    return nearest, nearest / length, int(seen.is_mistake.sum())


# ---------------------------------------------------------------- drawing


def _draw_regions(ax: Any, plane: Plane, numbers: NDArray[np.int64], n_classes: int) -> None:
    from matplotlib.colors import ListedColormap

    resolution = len(numbers)
    half = (plane.high - plane.low) / (resolution - 1) / 2.0
    left, bottom = plane.low - half  # predictions are for the centres of the pixels
    right, top = plane.high + half
    ax.imshow(
        numbers, extent=(left, right, bottom, top), origin="lower", aspect="auto", interpolation="nearest",
        cmap=ListedColormap([colour_of(c) for c in range(n_classes)]), vmin=-0.5, vmax=n_classes - 0.5,
        alpha=TINT, zorder=0,
    )  # fmt: skip


def _draw_line(ax: Any, w: Vector, b: float, **look: Any) -> None:
    """Draw the line w·x + b = 0, unless w = 0."""
    if not w.any():
        return
    foot = -b * w / float(w @ w)
    along = np.array([-w[1], w[0]]) / l2_norm(w)
    ax.axline(foot, foot + along, color=look.pop("color", ink()), zorder=2, **look)


def _draw_band(ax: Any, line: tuple[Vector, float], level: float, distance: float, mistakes: int) -> None:
    w, b = line
    if mistakes:
        ax.plot([], [], " ", label=f"no margin: {counted(mistakes, 'mistake')}")
        return
    _draw_line(ax, w, b + level, linewidth=1.0, linestyle="--")
    _draw_line(ax, w, b - level, linewidth=1.0, linestyle="--", label=f"margin {format_signed(distance)}")


def _draw_normal(ax: Any, plane: Plane, w: Vector, b: float) -> None:
    """Draw w as an arrow from the middle of the visible part of the line."""
    ax.set_aspect("equal")
    if not w.any():
        return
    unit = w / l2_norm(w)
    centre = (plane.low + plane.high) / 2.0
    foot = centre - (float(unit @ centre) + b / l2_norm(w)) * unit
    along = np.array([-unit[1], unit[0]])
    back, forth = plane.room(foot, along)
    if back >= forth:  # the line is outside the window
        return
    start = foot + (back + forth) / 2.0 * along
    tip = start + min(0.2 * l2_norm(plane.high - plane.low), 0.85 * plane.room(start, unit)[1]) * unit
    arrow = {"arrowstyle": "-|>", "color": ink(), "linewidth": 1.8, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", xy=tip, xytext=start, arrowprops=arrow, zorder=5)
    ax.annotate("w", xy=tip, xytext=6 * along, textcoords="offset points", fontweight="bold",
                ha="center", va="center", zorder=5)  # fmt: skip


def _draw_contours(
    ax: Any, plane: Plane, numbers: NDArray[np.int64], scores: NDArray[np.float64] | None, resolution: int
) -> None:
    """Draw the lines between the regions.

    With scores, a line runs where two classes have equal scores; without scores, lines run along the edges
    of grid cells.
    """
    present = np.unique(numbers)
    if len(present) == 1:
        return
    for c in present[1:] if len(present) == 2 else present:
        level = 0.0
        if scores is None:
            lead, level = (numbers == c).astype(np.float64), 0.5
        elif scores.ndim == 1:
            lead = scores
        else:
            lead = scores[:, c] - np.delete(scores, c, axis=1).max(axis=1)
        ax.contour(*plane.ticks(resolution), lead.reshape(resolution, resolution), levels=[level],
                   colors=[ink()], linewidths=1.4, zorder=2)  # fmt: skip


def _draw_rows(ax: Any, plane: Plane, seen: LabelledPredictions, points: dict[str, Any]) -> None:
    places = plane.coordinates(seen.rows)
    n = n_rows(seen.rows)
    size = float(np.clip(30.0 * (200.0 / n) ** 0.5, 3.0, 30.0))
    look = {"s": size, "edgecolors": "white", "linewidths": min(0.6, size / 30.0), "zorder": 3.0,
            "rasterized": n > MANY, **points}  # fmt: skip
    for c, label in enumerate(seen.classes):
        of_class = places[seen.numbers == c]
        if len(of_class):
            ax.scatter(
                *of_class.T, marker=marker_of(c), label=f"{label}", **{"color": colour_of(c), **look}
            )
    if mistakes := int(seen.is_mistake.sum()):
        # rings around very many points would cover them
        ring = {"s": 3.0 * np.max(look["s"]), "facecolors": "none", "linewidths": 1.1}
        dot = {"s": 0.5 * np.max(look["s"]), "facecolors": ink(), "linewidths": 0.0, "rasterized": True}
        ax.scatter(*places[seen.is_mistake].T, marker="o", edgecolors=ink(), zorder=4,
                   label=counted(mistakes, "mistake"), **(ring if n <= MANY else dot))  # fmt: skip


def _draw_support(ax: Any, places: Vector) -> None:
    ax.scatter(*places.T, s=9.0, marker="o", color="white", edgecolors="black", zorder=4.5, linewidths=0.7,
               rasterized=len(places) > MANY, label=counted(len(places), "support row"))  # fmt: skip


def _finish(ax: Any, plane: Plane, seen: LabelledPredictions, held: Any, legend: bool) -> None:
    ax.set_xlim(plane.low[0], plane.high[0])
    ax.set_ylim(plane.low[1], plane.high[1])
    ax.set_xlabel(seen.names[plane.first])
    ax.set_ylabel(seen.names[plane.second])
    if (others := n_features(seen.rows) - 2) > 0:
        rest = (name for j, name in enumerate(seen.names) if j not in (plane.first, plane.second))
        them = f"the other {others:,} features" if others > 1 else next(rest)
        place = "the values given" if held is not None else "their medians" if others > 1 else "its median"
        ax.set_title(f"{them} held at {place}", fontsize=10)
    if legend:
        beside(ax)
