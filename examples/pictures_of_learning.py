"""Draw the pictures of docs/traces.md: python examples/pictures_of_learning.py"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer, load_iris, make_moons
from sklearn.preprocessing import scale

from rosenblatt import KernelPerceptron, Perceptron, over_orders, plots, separate, trace

PLACE = Path(__file__).parents[1] / "docs" / "pictures"
LARGEST = 60_000  # bytes


def main() -> None:
    PLACE.mkdir(exist_ok=True)
    plt.rcParams.update({"font.size": 9, "savefig.dpi": 100})
    flowers = load_iris(as_frame=True)
    X, y = flowers.data, flowers.target_names[flowers.target]
    petals, two = X.iloc[:100, 2:], y[:100]
    lines(petals, two)
    curves(X, y)
    passes()
    mistakes(petals, two)
    agreements(X.iloc[50:], y[50:])
    spread = over_orders(Perceptron(epochs=5), X.iloc[50:], y[50:], orders=100)
    keep("plots-orders", plots.order_spread(spread)[0])


def lines(X: Any, y: Any) -> None:
    model = Perceptron(order="given", until="separated", epochs=None).fit(X, y)
    keep("plots-regions", plots.decision_regions(model, X, y, band=True))
    keep("plots-margins", plots.margins(model, X, y, verdict=separate(X, y)))


def curves(X: Any, y: Any) -> None:
    moons, side = make_moons(200, noise=0.2, random_state=0)
    curved = KernelPerceptron(gamma=2.0, random_state=0).fit(moons, side)
    keep("plots-kernel", plots.decision_regions(curved, moons, side))
    three = KernelPerceptron(gamma=0.5, random_state=0).fit(X, y)
    ax = plots.decision_regions(
        three, X, y, features=["petal length (cm)", "petal width (cm)"], support=False
    )
    keep("plots-classes", ax)


def passes() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    model = Perceptron(epochs=20, validation=0.25, track_error=True, random_state=0).fit(scale(X), y)
    keep("plots-passes", plots.errors_by_pass(model))


def mistakes(X: Any, y: Any) -> None:
    _, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.4), layout="constrained")
    plots.mistakes_and_bound(trace(X, y, until="separated", epochs=None), ax=left)
    xor = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    plots.mistakes_and_bound(trace(xor, [0, 1, 1, 0], epochs=10), ax=right)
    keep("plots-mistakes", left)


def agreements(X: Any, y: Any) -> None:
    _, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.6), layout="constrained")
    points, labels = [[3, 1], [3, -1], [-2, -3], [-3, 3], [1, 1]], [1, 1, 1, -1, -1]
    plots.agreement(trace(points, labels, until="separated", epochs=None), ax=left)
    plots.agreement(trace(scale(X), y, order="shuffled", epochs=3), ax=right)
    keep("plots-agreement", left)


def keep(name: str, ax: Any) -> None:
    """Save the figure and close it; check that it is not too large for a page."""
    path = PLACE / f"{name}.png"
    ax.figure.savefig(path, metadata={"Software": None})
    plt.close(ax.figure)
    assert path.stat().st_size < LARGEST, path


if __name__ == "__main__":
    main()
