"""Distinguish quasi-separation from overlap once it is proved that no hyperplane separates the classes.

Write aᵢ = yᵢ(xᵢ, 1). A direction w̃ = (w, b) gives row i the functional margin aᵢ·w̃. Suppose that some
rows sum to zero with positive weights. With these weights, their functional margins also sum to zero, so a
direction that puts no row on the wrong side gives each of them the functional margin 0. The same holds for
all rows in their linear span. Facial reduction therefore looks for a direction perpendicular to the span
that gives every row outside the span a positive functional margin. If there is one, the classes are
*quasi-separable*, and the rows in the span lie on the hyperplane of this direction. If there is none, some
rows outside the span sum with positive weights to a vector in the span. They are added to the span, and the
search is repeated. Once the span contains all rows, every row lies on the hyperplane of every such
direction: the classes *overlap*.

`in_floats` searches in floating point and then makes the result exact. `in_integers` is exact from the
start and decides the cases that floating point cannot.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import ProofRejected
from rosenblatt.numeric.agreements import agreement_signs, empty_columns
from rosenblatt.numeric.blocks import blocks
from rosenblatt.numeric.integers import divide_by_gcd
from rosenblatt.numeric.row_batches import Batch, take
from rosenblatt.proof.clock import Clock, TooLarge
from rosenblatt.proof.flat_rows import FlatRows
from rosenblatt.proof.integer_nearest import Corral, Integers
from rosenblatt.proof.nearest_points import OPTIMUM, ZERO, Nearest, Search, Vector
from rosenblatt.proof.nullspace import (
    independent,
    lifted_integers,
    null_vectors,
    product,
    solve,
)
from rosenblatt.proof.part_numbers import whole_hyperplane
from rosenblatt.proof.parts import Gordan, Maximality, Overlap, QuasiSeparation
from rosenblatt.proof.reshaped_search import search_reshaped
from rosenblatt.proof.verify import check_overlap

ZEROS = (1e-7, None, 1e-10, 1e-5)  # norms that count as 0 for unit vectors; None adapts the basis
NEGLIGIBLE = 1e-8  # relative weight that may be rounding
DEPENDENT = 1e-12  # relative singular value of linearly dependent unit vectors
MOST_NUMBERS = 1 << 28  # most entries of a working set for the floating-point search
MOST_EXACT_NUMBERS = 1 << 20  # most entries of all rows for the search in integers
DIRECTION_BITS = (30, 52)
Kind = QuasiSeparation | Overlap


class Face(NamedTuple):
    """Hold the proof of a quasi-separation or of overlap, and the rows found to be on every hyperplane.

    The rows of each list in `supports` sum, with positive weights, to a vector in the span of the lists
    before it. For a quasi-separation whose `supports` span all rows on its hyperplane, `maximality` proves
    that no direction separates more rows.
    """

    kind: Kind
    supports: list[list[int]]


def overlap_or_not(
    batch: Batch, offset: bool, exponents: NDArray[np.int64], gordan: Gordan, clock: Clock
) -> Face:
    """Prove quasi-separation or overlap, given the proof `gordan` that the classes are not separable."""
    for zero in ZEROS if fits_memory(batch, offset) else ():
        with suppress(np.linalg.LinAlgError):
            face = in_floats(batch, offset, exponents, gordan, zero, clock)
            if face is not None:
                return face
    if batch.n_rows * batch.n_features <= MOST_EXACT_NUMBERS:
        return in_integers(batch, offset, gordan, clock)
    by_column = by_one_column(batch)
    if by_column is None:
        raise TooLarge
    return Face(by_column, [list(gordan.rows)])


def fits_memory(batch: Batch, offset: bool) -> bool:
    """Return whether a dense working set fits into memory."""
    dimension = batch.n_features + offset
    return min(batch.n_rows, 2 * dimension) * dimension <= MOST_NUMBERS


def by_one_column(batch: Batch) -> QuasiSeparation | None:
    """Return a quasi-separation by one column (≥ 0 in one class and ≤ 0 in the other), or None."""
    signs = one_sided_columns(batch)
    columns = np.flatnonzero(signs)
    if not len(columns):
        return None
    direction = [0] * (batch.n_features + 1)
    direction[columns[0]] = int(signs[columns[0]])
    return quasi_separation(batch, direction)


def one_sided_columns(batch: Batch) -> NDArray[np.int8]:
    """Return 1 for each column with yᵢxᵢⱼ ≥ 0 in all rows, −1 with ≤ 0, and 0 for all other columns.

    Columns that are 0 in every row count as other columns.
    """
    positive, negative = np.zeros(batch.n_features, np.bool_), np.zeros(batch.n_features, np.bool_)
    for part, matrix in blocks(batch.rows):
        labels = batch.labels[part]
        if isinstance(matrix, np.ndarray):
            signed = matrix * labels[:, None]
            positive |= (signed > 0.0).any(axis=0)
            negative |= (signed < 0.0).any(axis=0)
        else:
            signed = matrix.data * np.repeat(labels, np.diff(matrix.indptr))
            positive[matrix.indices[signed > 0.0]] = True
            negative[matrix.indices[signed < 0.0]] = True
    return positive.astype(np.int8) - negative.astype(np.int8)


def in_floats(
    batch: Batch,
    offset: bool,
    exponents: NDArray[np.int64],
    gordan: Gordan,
    zero: float | None,
    clock: Clock,
) -> Face | None:
    """Search in floating point and return an exact proof, or None if the search fails.

    `zero` is the norm that counts as 0; None adapts the basis during the search.
    """
    cloud = FlatRows(batch, offset, exponents, clock)
    supports = [list(gordan.rows)]
    cloud.flatten(supports[0])
    while cloud.has_points():
        found = search_reshaped(cloud, clock) if zero is None else _search_plainly(cloud, zero, clock)
        if found is None or (found.status not in (OPTIMUM, ZERO) and not (found.lowest > 0.0).all()):
            return None
        if found.status != ZERO:
            direction = _exact_direction(batch, offset, exponents, supports, found.z, clock)
            return None if direction is None else Face(direction, supports)
        supports.append(_members(cloud, found))
        if not cloud.flatten(supports[-1]):
            return None
    overlap = _exact_overlap(batch, offset, supports, clock)
    return None if overlap is None else Face(overlap, supports)


def _members(cloud: FlatRows, found: Nearest) -> list[int]:
    """Return the rows of a combination that sums to 0, without rows whose weight is 0 up to rounding.

    A row with a small weight is needed if the other rows are linearly independent.
    """
    clear = found.weights > NEGLIGIBLE * found.weights.max()
    if not clear.all() and clear.sum() > 1:
        sizes = np.linalg.svd(cloud.points(found.rows[clear]), compute_uv=False)
        if len(sizes) < clear.sum() or sizes[-1] <= DEPENDENT * sizes[0]:
            return [int(row) for row in found.rows[clear]]
    return [int(row) for row in found.rows]


def _search_plainly(cloud: FlatRows, zero: float, clock: Clock) -> Nearest | None:
    found: Nearest | None = None
    for found in Search(cloud, clock).run(tolerance=0.5, zero=zero):
        if found.status == ZERO or (found.lowest > 0.0).all():
            break
    return found


def maximality(
    batch: Batch, offset: bool, part: QuasiSeparation, supports: list[list[int]], clock: Clock
) -> Maximality | None:
    """Return a proof that no direction separates more rows than the part, or None.

    The proof is the overlap of the rows on its hyperplane, which `supports` must span.
    """
    direction = whole_hyperplane(batch.n_features, offset, part.w, part.b)
    on = np.flatnonzero(agreement_signs(batch, direction) == 0)
    rows_on = Batch(take(batch.rows, on), batch.labels[on], np.empty(0))
    places = [np.searchsorted(on, support).tolist() for support in supports]
    overlap = _exact_overlap(rows_on, offset, places, clock)
    if overlap is None:
        return None
    return Maximality(tuple(on[list(overlap.rows)].tolist()), *overlap[1:])


def _exact_direction(
    batch: Batch,
    offset: bool,
    exponents: NDArray[np.int64],
    supports: list[list[int]],
    z: Vector,
    clock: Clock,
) -> QuasiSeparation | None:
    """Return an exact direction close to z with all rows of `supports` on its hyperplane, or None."""
    vectors = lifted_integers(batch, offset, [row for support in supports for row in support])
    rows, columns = independent(vectors)
    free = [c for c in range(len(vectors[0])) if c not in set(columns)]
    powers = [*(-exponents).tolist(), 0][: len(z)]
    lowest = min(powers)
    for bits in DIRECTION_BITS:
        fraction = np.round(z / np.abs(z).max() * 2.0**bits)
        wanted = [int(f) << (power - lowest) for f, power in zip(fraction, powers, strict=True)]
        matrix = [[vectors[r][c] for c in columns] for r in rows]
        right = [-sum(vectors[r][c] * wanted[c] for c in free) for r in rows]
        answer = solve(matrix, [right], clock)
        if answer is None:
            return None
        (numbers,), denominator = answer
        direction = [0] * (batch.n_features + 1)
        for c in free:
            direction[c] = wanted[c] * denominator
        for c, number in zip(columns, numbers, strict=True):
            direction[c] = number
        part = quasi_separation(batch, divide_by_gcd(direction))
        if part is not None:
            return part
    return None


def quasi_separation(batch: Batch, direction: Integers) -> QuasiSeparation | None:
    """Return the proof for this direction, or None if it is not a quasi-separation."""
    signs = agreement_signs(batch, direction)
    if (signs < 0).any() or not signs.any():
        return None
    return QuasiSeparation(tuple(direction[:-1]), direction[-1], int((signs > 0).sum()))


def _exact_overlap(batch: Batch, offset: bool, supports: list[list[int]], clock: Clock) -> Overlap | None:
    """Return a proof with positive integer weights on the rows of all supports, or None."""
    rows = list(dict.fromkeys(chain.from_iterable(supports)))
    sizes = [len(set(support).difference(*supports[:k])) for k, support in enumerate(supports)]
    weights = _joint_weights(lifted_integers(batch, offset, rows), sizes, clock)
    if weights is None:
        return None
    kept = [k for k, weight in enumerate(weights) if weight]
    return overlap_part(batch, offset, [rows[k] for k in kept], [weights[k] for k in kept], clock)


def _joint_weights(vectors: list[Integers], sizes: list[int], clock: Clock) -> Integers | None:
    """Return weights ≥ 0 under which all vectors sum to zero, or None.

    The vectors come in groups of these sizes. With positive weights, each group sums to a vector in the
    span of the groups before it. So some vector of the group depends on the vectors before it, and their
    relation has positive factors in the group. In the groups before, factors may be negative; a large
    enough multiple of the relations of those groups makes their sum positive.
    """
    basis, columns = independent(vectors)
    dependent = sorted(set(range(len(vectors))) - set(basis))
    matrix = [[vectors[r][c] for r in basis] for c in columns]
    answer = solve(matrix, [[-vectors[d][c] for c in columns] for d in dependent], clock)
    if answer is None:
        return None
    relations = {}
    for d, numbers in zip(dependent, answer[0], strict=True):
        relations[d] = [0] * len(vectors)
        for r, number in zip([d, *basis], [answer[1], *numbers], strict=True):
            relations[d][r] = number if answer[1] > 0 else -number
    total, end = [0] * len(vectors), len(vectors)
    for size in reversed(sizes):
        group = range(end - size, end)
        for d in group:
            if d in relations:
                relation = relations[d]
                m = max(1, *(-total[k] // relation[k] + 1 for k in group if relation[k] > 0))
                total = [t + m * factor for t, factor in zip(total, relation, strict=True)]
        if any(total[k] < 0 for k in group):
            return None
        end -= size
    return divide_by_gcd(total)


def _balance(
    rows: list[int], weights: Integers, balance: Integers, support: list[int], fresh: Integers
) -> tuple[list[int], Integers]:
    """Return all rows and their weights: m·weights + balance for `rows`, and `fresh` for `support`.

    Here m is the smallest positive integer that makes all weights of `rows` positive.
    """
    m = max(1, *(-b // w + 1 for w, b in zip(weights, balance, strict=True)))
    total = [m * w + b for w, b in zip(weights, balance, strict=True)]
    kept = [k for k, weight in enumerate(fresh) if weight]
    return [*rows, *(support[k] for k in kept)], divide_by_gcd([*total, *(fresh[k] for k in kept)])


def overlap_part(
    batch: Batch, offset: bool, rows: list[int], weights: Integers, clock: Clock, exactly: bool = False
) -> Overlap | None:
    """Return a proof of overlap built from these rows, or None if their span does not contain all rows."""
    vectors = lifted_integers(batch, offset, rows)
    independent_rows, columns = independent(vectors, exactly)
    # a column of zeros needs no relation
    empty = empty_columns(batch)
    others = [c for c in range(len(vectors[0])) if c not in set(columns) and c not in empty]
    # in these rows, every column in `others` is a linear combination of the independent columns
    matrix = [[vectors[r][j] for j in columns] for r in independent_rows]
    answer = solve(matrix, [[-vectors[r][c] for r in independent_rows] for c in others], clock)
    if answer is None:
        return None
    relations = []
    for c, factors in zip(others, answer[0], strict=True):
        *numbers, own = divide_by_gcd([*factors, answer[1]])
        relations.append({**{j: k for j, k in zip(columns, numbers, strict=True) if k}, c: own})
    part = Overlap(tuple(rows), tuple(weights), tuple(columns), tuple(relations))
    try:
        check_overlap(batch, offset, part)
    except ProofRejected:
        return None
    return part


# ---------------------------------------------------------------- in exact integers


def in_integers(batch: Batch, offset: bool, gordan: Gordan, clock: Clock) -> Face:
    """Prove quasi-separation or overlap by facial reduction in exact integer arithmetic."""
    everybody = lifted_integers(batch, offset, np.arange(batch.n_rows))
    distinct = {tuple(vector): i for i, vector in reversed(list(enumerate(everybody)))}
    candidates = sorted(distinct.values())
    rows, weights, supports = list(gordan.rows), list(gordan.weights), [list(gordan.rows)]
    while True:
        # a basis of the directions perpendicular to the span of the rows
        span = [everybody[i] for i in rows]
        face = null_vectors([list(column) for column in zip(*span, strict=True)], clock)
        if face:
            projected = product(
                [everybody[i] for i in candidates], [list(column) for column in zip(*face, strict=True)]
            )
            outside = [k for k, vector in enumerate(projected) if any(vector)]
        if not face or not outside:
            part = overlap_part(batch, offset, rows, weights, clock, exactly=True)
            assert part is not None, "rows that leave no face span all rows"
            return Face(part, supports)
        corral = Corral([projected[k] for k in outside], [0] * len(outside), 1, clock)
        corral.begin([0], [1])
        corral.descend()
        if any(corral.z):
            direction = [sum(z * f for z, f in zip(corral.z, column, strict=True))
                         for column in zip(*face, strict=True)]  # fmt: skip
            direction += [0] * (batch.n_features + 1 - len(direction))
            part_of_it = quasi_separation(batch, divide_by_gcd(direction))
            assert part_of_it is not None
            return Face(part_of_it, supports)
        supports.append([candidates[outside[k]] for k in corral.members])
        rows, weights = _join_exactly(everybody, rows, weights, supports[-1], corral.weights, clock)


def _join_exactly(
    everybody: list[Integers],
    rows: list[int],
    weights: Integers,
    support: list[int],
    fresh: Integers,
    clock: Clock,
) -> tuple[list[int], Integers]:
    """Return the rows and the support, whose exact weights are known, with weights that sum to zero."""
    columns = zip(*(everybody[i] for i in support), strict=True)
    debt = [sum(f * x for f, x in zip(fresh, column, strict=True)) for column in columns]
    span = [everybody[i] for i in rows]
    basis, pivot_columns = independent(span, exactly=True)
    matrix = [[span[r][c] for r in basis] for c in pivot_columns]
    answer = solve(matrix, [[-debt[c] for c in pivot_columns]], clock)
    assert answer is not None, "the pivots are independent"
    (numbers,), denominator = answer
    balance = [0] * len(rows)
    for r, number in zip(basis, numbers, strict=True):
        balance[r] = number
    return _balance(rows, weights, balance, support, [f * denominator for f in fresh])
