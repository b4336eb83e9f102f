"""The separability table as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.comparisons.separability_table import SeparabilityTable, columns_of, mark_of, row_at
from rosenblatt.errors import bad_value
from rosenblatt.numeric.row_batches import class_name
from rosenblatt.plots.canvas import axes, pyplot
from rosenblatt.proof.verdict import through_origin

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def separability(table: SeparabilityTable, ax: Any = None) -> Axes:
    """Plot a heat map of the proved margins of all pairs of classes, and of each class against the rest.

    `SeparabilityTable.plot` draws the same plot.

    Parameters
    ----------
    table : SeparabilityTable
        The result of `separability_table`.
    ax : matplotlib.axes.Axes, default=None
        The axes; None creates a figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    BadInput
        If `table` is not a `SeparabilityTable`.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from rosenblatt import separability_table
    >>> ax = separability(separability_table([[0.0], [1.0], [3.0]], ["a", "b", "c"]))
    >>> ax.get_title()
    'Largest margin of a separating hyperplane (proved)'
    >>> plt.close(ax.figure)
    """
    if not isinstance(table, SeparabilityTable):
        raise bad_value("table", table, "what separability_table(X, y) returns")
    pyplot()
    from matplotlib.colors import LogNorm

    columns = columns_of(table)
    rows = [[row_at(table, a, b) for b in columns] for a in table.classes]
    margins = np.array(
        [[row.margin[0] if row and row.kind == "separable" else np.nan for row in line] for line in rows]
    )
    size = 2.0 + 0.55 * len(columns)
    ax = axes(ax, size + 1.0, size)
    shown = np.ma.masked_invalid(margins)
    spread = shown.count() and shown.max() > 20.0 * shown.min() > 0.0
    image = ax.imshow(shown, cmap="viridis", norm=LogNorm() if spread else None, aspect="equal")
    for (i, j), margin in np.ndenumerate(margins):
        if rows[i][j] is not None:
            colour = "0.35" if np.isnan(margin) else "white" if float(image.norm(margin)) < 0.5 else "black"
            ax.text(j, i, mark_of(rows[i][j], 3), ha="center", va="center", color=colour, fontsize=8)
    ax.set_xticks(range(len(columns)), [class_name(label) for label in columns])
    ax.set_yticks(range(len(table.classes)), [class_name(label) for label in table.classes])
    ax.tick_params(axis="x", labelrotation=0 if len(columns) <= 12 else 90)
    place = through_origin(table.offset)
    ax.set_title(f"Largest margin of a separating hyperplane{place} (proved)", fontsize=10)
    if shown.count():
        ax.figure.colorbar(image, ax=ax, label="lower bound of the margin", shrink=0.8)
    return ax
