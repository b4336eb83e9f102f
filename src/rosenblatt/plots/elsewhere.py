"""Pictures that belong to a result, found here too: of many orders, and of a table of margins."""

from __future__ import annotations

from typing import Any

from rosenblatt.certificates.table import SeparabilityTable
from rosenblatt.errors import bad_value
from rosenblatt.models.over_orders import OrderSpread


def order_spread(spread: OrderSpread, ax: Any = None) -> Any:
    """Histograms of accuracy, margin and mistakes over many orders: `OrderSpread.plot`. Returns the array
    of their axes; ax: one for each.

    >>> import matplotlib.pyplot as plt
    >>> from rosenblatt import Perceptron, over_orders
    >>> spread = over_orders(Perceptron(), [[2, 1], [0, 2], [-0.5, -2]], [1, -1, 1], orders=5)
    >>> panels = order_spread(spread)
    >>> len(panels)
    3
    >>> plt.close(panels[0].figure)
    """
    return _known(spread).plot(ax)


def order_lines(spread: OrderSpread, ax: Any = None) -> Any:
    """The lines of all orders over the points, for two features and two classes: `OrderSpread.plot_lines`.

    >>> import matplotlib.pyplot as plt
    >>> from rosenblatt import Perceptron, over_orders
    >>> spread = over_orders(Perceptron(), [[2, 1], [0, 2], [-0.5, -2]], [1, -1, 1], orders=5)
    >>> ax = order_lines(spread)
    >>> plt.close(ax.figure)
    """
    return _known(spread).plot_lines(ax)


def separability(table: SeparabilityTable, ax: Any = None) -> Any:
    """The proved margins of all pairs of classes as a heat map: `SeparabilityTable.plot`. Returns the axes.

    >>> import matplotlib.pyplot as plt
    >>> from rosenblatt import separability_table
    >>> ax = separability(separability_table([[0.0], [1.0], [3.0]], ["a", "b", "c"]))
    >>> ax.get_title()
    'Largest margin of a separating hyperplane (proved)'
    >>> plt.close(ax.figure)
    """
    if not isinstance(table, SeparabilityTable):
        raise bad_value("table", table, "what separability_table(X, y) returns")
    return table.plot(ax)


def _known(spread: Any) -> OrderSpread:
    if not isinstance(spread, OrderSpread):
        raise bad_value("spread", spread, "what over_orders(model, X, y) returns")
    return spread
