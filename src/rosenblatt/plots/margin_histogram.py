"""`margins`: a histogram of the distances of rows from the boundary."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.errors import BadInput, bad_value, counted, is_integer
from rosenblatt.plots.canvas import (
    BLUE,
    GREEN,
    VERMILION,
    axes,
    check_axes,
    format_signed,
    ink,
    legend_above,
    open_frame,
)
from rosenblatt.plots.classifiers import predict_rows
from rosenblatt.plots.distances import Distances, distances_of
from rosenblatt.proof.verdict import Verdict, through_origin

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FEWEST, MOST = 5, 60


def margins(
    model: Any,
    X: Any,
    y: ArrayLike,
    ax: Any = None,
    *,
    bins: int | ArrayLike | None = None,
    verdict: Verdict | None = None,
    **bars: Any,
) -> Axes:
    """Plot a histogram of the signed distances y(w·x + b)/‖w‖ of the rows.

    Rows with a positive distance are classified correctly. Rows with a distance of 0 or less are
    misclassified and drawn in another colour. The smallest distance is the margin of the model on these
    rows. With more than two classes, the distance is the smallest (own score − other score)/‖own w − other
    w‖ over the other classes. For a `KernelPerceptron`, distances are measured in feature space. For a
    model without w (a committee, a polynomial, most models of scikit-learn), scores are plotted instead,
    and the axis label says so.

    Parameters
    ----------
    model : classifier
        A fitted classifier from this package, or from scikit-learn if it has scores.
    X : array-like, sparse matrix or table of shape (n_rows, n_features)
        The rows.
    y : array-like of shape (n_rows,)
        Their classes.
    ax : matplotlib.axes.Axes, default=None
        The axes; None creates a figure.
    bins : int, array-like of edges or None, default=None
        The largest number of bars, or the bin edges. None chooses a number from the number of rows. Unless
        edges are given, one of the bars starts at 0.
    verdict : Verdict or None, default=None
        The result of ``separate(X, y)``. If given, the largest margin of any hyperplane (with
        ``offset=False``, of any hyperplane through the origin) is also plotted.
    **bars : dict
        Options of ``ax.hist``, such as ``log=True``.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    BadInput
        If the model is not fitted or has no scores, or the rows do not fit it.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from rosenblatt import Perceptron, separate
    >>> X, y = [[2, 1], [0, 2], [-0.5, -2]], [1, -1, 1]
    >>> ax = margins(Perceptron(random_state=0).fit(X, y), X, y, verdict=separate(X, y))
    >>> [text.get_text() for text in ax.get_legend().texts]
    ['3 rows correct', 'smallest 0.2981 (row 0)', 'largest possible 1.088 (proved)']
    >>> plt.close(ax.figure)
    """
    check_axes(ax)
    if verdict is not None and not isinstance(verdict, Verdict):
        raise bad_value("verdict", verdict, "what separate(X, y) returns, or None")
    seen = predict_rows(model, X, y)
    found = distances_of(model, seen)
    if verdict is not None and not found.is_plain:
        raise BadInput(
            "verdict: it is about a hyperplane between two classes in the space of X, but the values "
            f"here are different ({found.what}); omit it"
        )
    edges = _edges(found.values, bins)

    ax = axes(ax)
    _draw_bars(ax, found.values, edges, bars)
    ax.axvline(0.0, color=ink(), linewidth=1.0)
    least = int(found.values.argmin())
    ax.axvline(found.values[least], color=ink(), linestyle=":", linewidth=1.6,
               label=f"smallest {format_signed(float(found.values[least]))} (row {least})")  # fmt: skip
    if verdict is not None:
        _draw_best(ax, verdict)
    _finish(ax, found)
    return ax


def _edges(values: NDArray[np.float64], bins: Any) -> NDArray[np.float64]:
    """Return bin edges that include 0, so that no bin contains both correct and misclassified rows."""
    if bins is None:
        bins = int(np.clip(2.0 * np.sqrt(len(values)), FEWEST, MOST))
    if is_integer(bins) and bins >= 1:
        low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
        width = (high - low) / bins
        width = width if width >= np.finfo(np.float64).tiny else 1.0  # all values are 0
        edges = np.arange(math.floor(low / width), math.ceil(high / width) + 1, dtype=np.float64) * width
        edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)  # undoes rounding of the product
        return edges
    edges = np.asarray(bins, np.float64) if np.ndim(bins) == 1 else np.empty(0)
    if len(edges) < 2 or not np.isfinite(edges).all() or (np.diff(edges) <= 0.0).any():
        raise bad_value("bins", bins, "a whole number of at least 1, rising edges, or None")
    return edges


def _draw_bars(
    ax: Any, values: NDArray[np.float64], edges: NDArray[np.float64], bars: dict[str, Any]
) -> None:
    is_right = values > 0.0
    groups = [(values[~is_right], VERMILION, "misclassified"), (values[is_right], BLUE, "correct")]
    shown = [
        (part, colour, f"{counted(len(part), 'row')} {side}") for part, colour, side in groups if len(part)
    ]
    parts, colours, names = map(list, zip(*shown, strict=True))
    look = {"stacked": True, "color": colours, "edgecolor": "white", "linewidth": 0.5, **bars}
    ax.hist(parts, bins=edges, label=names, **look)


def _draw_best(ax: Any, verdict: Verdict) -> None:
    low, high = verdict.margin
    place = through_origin(verdict.proof.offset)
    if verdict.separable and math.isfinite(low):
        ends = (
            "proved"
            if format_signed(low) == format_signed(high)
            else f"proved, at most {format_signed(high)}"
        )
        ax.axvline(low, color=GREEN, linestyle="--", linewidth=1.8,
                   label=f"largest possible{place} {format_signed(low)} ({ends})")  # fmt: skip
    else:
        why = {
            False: f"no hyperplane{place} separates them (proved)",
            None: f"not decided whether a hyperplane{place} separates them",
        }
        ax.plot([], [], " ", label=why.get(verdict.separable, "one class: the margin has no limit"))


def _finish(ax: Any, found: Distances) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.set_xlabel(found.what)
    ax.set_ylabel("rows")
    if ax.get_yscale() == "linear":
        ax.yaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    legend_above(ax, 2)
    open_frame(ax)
