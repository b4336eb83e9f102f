"""The parts of a proof: claims about a data set, each with everything needed to check it.

Each part is an independent claim, and `verify` checks it from the data:

* `Separator`: (w, b) with yᵢ(w·xᵢ+b) > 0 for all rows. The margin is at least minᵢ yᵢ(w·xᵢ+b)/‖w‖.
* `Combination`: integer weights λ on some rows, with the same sum H in each class. The margin is at most ‖Σ
  λᵢyᵢxᵢ‖/(2H). Without an offset, H is the sum over all rows, and the margin is at most ‖Σ λᵢyᵢxᵢ‖/H.
* `Gordan`: integer weights λ > 0 on some rows with Σ λᵢ yᵢ(xᵢ, 1) = 0. No hyperplane separates the classes
  (Gordan 1873).
* `QuasiSeparation`: (w, b) with yᵢ(w·xᵢ+b) ≥ 0 for all rows, and > 0 for some rows.
* `Overlap`: weights as in `Gordan`, on rows whose linear span contains all rows. No (w, b) as in
  `QuasiSeparation` exists (Stiemke 1915).
* `Maximality`: an `Overlap` of the rows on the hyperplane of a `QuasiSeparation`. No (w, b) separates more
  rows.
* `Collinearity`: factors with Σ factorⱼ·column j = 0 in every row. These coefficients are not identified.
* `RestSeparator`: rows, and (w, b) with yᵢ(w·xᵢ+b) > 0 for all other rows. Several `Gordan` parts without a
  common row prove a lower bound on the number of rows to remove.
* `HingeLoss`: (w, b) and weights 0 < αᵢ ≤ 1 on some rows with Σ αᵢyᵢ(xᵢ, 1) = 0. The smallest total hinge
  loss is at most Σ max(0, 1 − yᵢ(w·xᵢ+b)) and at least Σ αᵢ.
* `Growth`: weights that prove that the sign of wⱼ is the same for every (w, b) as in `QuasiSeparation`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Number = float | int
Numbers = tuple[Number, ...]


class Separator(NamedTuple):
    """State a hyperplane with every point strictly on its side; `margin` is a proved lower bound.

    Parameters
    ----------
    w : tuple of float or int
        The weights.
    b : float or int
        The offset.
    margin : float
        The value of minᵢ yᵢ(w·xᵢ+b)/‖w‖, rounded down.

    Examples
    --------
    >>> from rosenblatt import separate
    >>> separate([[0.0], [3.0]], ["a", "b"]).proof.parts[0].margin
    1.5
    """

    w: Numbers
    b: Number
    margin: float


class Combination(NamedTuple):
    """State one point in each class's convex hull; their distance proves an upper bound on the margin.

    Parameters
    ----------
    rows : tuple of int
        The rows combined.
    weights : tuple of int
        Their weights λ; with an offset, the weights of each class have the same sum.
    margin : float
        Half the distance between the two points, rounded up. Without an offset, there is one point in the
        hull of all yᵢxᵢ, and this is its norm, rounded up.

    Examples
    --------
    >>> from rosenblatt import separate
    >>> sorted(separate([[0.0], [3.0]], ["a", "b"]).proof.parts[1].rows)
    [0, 1]
    """

    rows: tuple[int, ...]
    weights: tuple[int, ...]
    margin: float


class Gordan(NamedTuple):
    """State positive weights with Σ λᵢ yᵢ(xᵢ, 1) = 0, which prove that no hyperplane separates the classes.

    Parameters
    ----------
    rows : tuple of int
        The rows combined.
    weights : tuple of int
        Their weights λ > 0.

    References
    ----------
    Gordan (1873).

    Examples
    --------
    >>> from rosenblatt import separate
    >>> separate([[1.0], [1.0]], [0, 1]).proof.parts[0]
    Gordan(rows=(0, 1), weights=(1, 1))
    """

    rows: tuple[int, ...]
    weights: tuple[int, ...]


def contradiction(part: Gordan, labels: NDArray[np.int8]) -> tuple[int, int] | None:
    """Return the two row indices if the combination consists of two equal rows with different labels.

    Such a combination is λ(x₁, 1) − λ(x₂, 1) = 0; for any other combination, return None. `labels` are the
    labels of the rows in the combination.
    """
    if len(part.rows) != 2 or part.weights[0] != part.weights[1] or labels[0] == labels[1]:
        return None
    one, other = sorted(part.rows)
    return one, other


class QuasiSeparation(NamedTuple):
    """State a hyperplane with no point on the wrong side and `separated` points not on the hyperplane.

    Parameters
    ----------
    w : tuple of float or int
        The weights.
    b : float or int
        The offset.
    separated : int
        The number of points that are not on the hyperplane but on the correct side.

    Examples
    --------
    >>> from rosenblatt import separate
    >>> parts = separate([[1.0], [2.0], [2.0]], [0, 0, 1]).proof.parts
    >>> [part.separated for part in parts if isinstance(part, QuasiSeparation)]
    [1]
    """

    w: Numbers
    b: Number
    separated: int


class Overlap(NamedTuple):
    """State that points sum to zero with positive weights and that their linear span contains all points.

    Parameters
    ----------
    rows : tuple of int
        The rows combined.
    weights : tuple of int
        Their weights λ > 0.
    columns : tuple of int
        As many columns as the rank of all points, chosen so that the combined rows have full rank in them.
        Column `n_features` is the offset.
    relations : tuple of dict
        For each remaining column c that is not zero in every row, a linear relation: a dict from column to
        factor with Σ relation[j]·column j = 0 in all rows and relation[c] ≠ 0. The relations prove that all
        points are in the span of the combined rows.

    References
    ----------
    Stiemke (1915).

    Examples
    --------
    >>> from rosenblatt import separate
    >>> xor = [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    >>> parts = separate(xor, [0, 1, 1, 0]).proof.parts
    >>> [part.columns for part in parts if isinstance(part, Overlap)]
    [(0, 1, 2)]
    """

    rows: tuple[int, ...]
    weights: tuple[int, ...]
    columns: tuple[int, ...]
    relations: tuple[dict[int, int], ...]


class Maximality(NamedTuple):
    """State that no hyperplane without a row on its wrong side separates more rows than the last part.

    The rows on the hyperplane of the last `QuasiSeparation` overlap, which is proved as in `Overlap`.

    Parameters
    ----------
    rows, weights, columns : tuple of int
        As in `Overlap`, about the rows on the hyperplane.
    relations : tuple of dict
        As in `Overlap`. The relations hold in these rows only.

    Examples
    --------
    >>> from rosenblatt import overlap
    >>> parts = overlap([[1.0], [2.0], [2.0]], [0, 0, 1]).proof.parts
    >>> [part.relations for part in parts if isinstance(part, Maximality)]
    [({0: -1, 1: 2},)]
    """

    rows: tuple[int, ...]
    weights: tuple[int, ...]
    columns: tuple[int, ...]
    relations: tuple[dict[int, int], ...]


class Collinearity(NamedTuple):
    """State that columns are linearly dependent in every row, so their coefficients are not identified.

    Parameters
    ----------
    relation : dict of int to int
        A dict from column to factor with Σ relation[j]·column j = 0. Column `n_features` is the offset.

    Examples
    --------
    >>> from rosenblatt import overlap
    >>> parts = overlap([[1.0, 1.0], [2.0, 2.0]], [0, 1]).proof.parts
    >>> [len(part.relation) for part in parts if isinstance(part, Collinearity)]
    [2]
    """

    relation: dict[int, int]


class Growth(NamedTuple):
    """State that the estimate of a coefficient is infinite, with this sign.

    Let V be the linear span of all (w, b) with no row on the wrong side. A `Separator`, or a
    `QuasiSeparation` with its `Maximality`, determines V. On V, Σ λᵢyᵢ(xᵢ, 1)·v is `sign` times a positive
    multiple of vⱼ. If v has no row on the wrong side, the sum is at least 0, so vⱼ has this sign or is 0
    (Farkas 1902).

    Parameters
    ----------
    column : int
        The column j of the coefficient; `n_features` is the offset.
    sign : int
        1 or −1.
    rows : tuple of int
        The rows combined.
    weights : tuple of int
        Their weights λ > 0.

    Examples
    --------
    >>> from rosenblatt import overlap
    >>> parts = overlap([[1.0], [2.0], [2.0]], [0, 0, 1]).proof.parts
    >>> [(part.column, part.sign) for part in parts if isinstance(part, Growth)]
    [(0, 1), (1, -1)]
    """

    column: int
    sign: int
    rows: tuple[int, ...]
    weights: tuple[int, ...]


class RestSeparator(NamedTuple):
    """State some rows, and a hyperplane with all other rows strictly on their side.

    Parameters
    ----------
    rows : tuple of int
        The rows to remove.
    w : tuple of float or int
        The weights.
    b : float or int
        The offset.

    Examples
    --------
    >>> from rosenblatt import rows_to_remove
    >>> X, y = [[1.0], [2.0], [3.0], [8.0], [9.0], [1.5]], [0, 0, 0, 1, 1, 1]
    >>> rows_to_remove(X, y).proof.parts[-1].rows
    (5,)
    """

    rows: tuple[int, ...]
    w: Numbers
    b: Number


class HingeLoss(NamedTuple):
    """State a hyperplane and a dual solution, which bound the smallest total hinge loss from both sides.

    With αᵢ = weightᵢ/total in (0, 1] and Σ αᵢyᵢ(xᵢ, 1) = 0, every (w, b) has a total hinge loss of at least
    Σ αᵢ(1 − yᵢ(w·xᵢ+b)) = Σ αᵢ (weak duality).

    Parameters
    ----------
    w : tuple of float or int
        The weights, times `divisor`.
    b : float or int
        The offset, times `divisor`.
    divisor : int
        A positive integer; the hyperplane is (w, b)/divisor.
    rows : tuple of int
        The rows with αᵢ > 0.
    weights : tuple of int
        Their αᵢ, times `total`.
    total : int
        A positive integer, at least as large as every weight.

    References
    ----------
    Bennett & Mangasarian (1992).

    Examples
    --------
    >>> from rosenblatt import least_hinge_loss
    >>> least_hinge_loss([[1.0], [1.0]], [0, 1]).proof.parts[0].weights
    (1, 1)
    """

    w: Numbers
    b: Number
    divisor: int
    rows: tuple[int, ...]
    weights: tuple[int, ...]
    total: int


Part = (
    Separator | Combination | Gordan | QuasiSeparation | Overlap | Maximality | Collinearity | Growth
    | RestSeparator | HingeLoss
)  # fmt: skip
