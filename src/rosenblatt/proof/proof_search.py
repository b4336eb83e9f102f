"""Search for a proof about rows in memory.

Searches propose and exact arithmetic decides: the result of a search counts only once `verify`'s functions
have established it, so rounding errors can cost time but never correctness. The searches, in order of
cost:

1. trivial cases: a single class, or the same point with both labels;
2. Wolfe's method in floating point (`nearest_points`) on the original points, which also gives the margin;
3. if the hulls are close and many rows determine their distance, Wolfe's method in a basis that is adapted
   to the points found so far (`reshaped_search`), which does not give the margin;
4. step 2 again, with all columns scaled to similar size, which decides some cases that step 2 cannot;
5. Wolfe's method in exact integers (`integer_nearest`), which always decides.

If no hyperplane separates the classes, facial reduction distinguishes quasi-separation from overlap
(`faces`). Without an offset, `ties` also determines whether some w makes no mistake if a score of 0 counts
as a prediction.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.blocks import with_columns
from rosenblatt.numeric.integers import as_doubles
from rosenblatt.numeric.row_batches import Batch, Sparse, take
from rosenblatt.proof import faces
from rosenblatt.proof.clock import Clock, TimeIsUp
from rosenblatt.proof.clouds import Framed, column_exponents, unscale
from rosenblatt.proof.duplicates import refuted_at_a_glance
from rosenblatt.proof.findings import Findings
from rosenblatt.proof.flat_rows import FlatRows
from rosenblatt.proof.integer_nearest import nearest_exactly
from rosenblatt.proof.nearest_points import ZERO, Nearest, Search
from rosenblatt.proof.nullspace import cancelling_weights, lifted_integers
from rosenblatt.proof.parts import Gordan, QuasiSeparation
from rosenblatt.proof.reshaped_search import search_reshaped
from rosenblatt.proof.ties import common_label, weakly_separable

SMALL, HARD = 1e-6, 100
"""The search with an adapted basis starts if ‖z‖ is at most SMALL times the longest point's norm and the
corral has at least HARD rows."""


ZEROS = (SMALL, 1e-9, 1e-11, 1e-13)
"""If ‖z‖ is at most one of these fractions of the longest point's norm, except for the first, exact
arithmetic checks whether z = 0."""


BLACKBOARD = 256
"""The exact margin is always computed for data with at most this many entries, since it is cheap."""


def search_rows(findings: Findings, tolerance: float, clock: Clock) -> None:
    """Search for the margin; for inseparable classes, distinguish quasi-separation from overlap.

    Facts that the findings already contain are not searched for again.
    """
    if findings.gordan is None and (findings.separable is None or findings.is_wider_than(tolerance)):
        search_margin(findings, tolerance, clock)
    if findings.gordan is not None:
        _search_kind(findings, findings.gordan, clock)


def search_margin(findings: Findings, tolerance: float, clock: Clock) -> None:
    """Search for a separating hyperplane and its margin, or for a proof that there is none."""
    batch, offset = findings.batch, findings.offset
    if offset and (batch.labels == batch.labels[0]).all():
        findings.add_separator((0.0,) * batch.n_features, float(batch.labels[0]))
        return
    glance = refuted_at_a_glance(batch, offset)
    if glance is not None:
        findings.add_gordan(glance)
        return
    clock.check()
    columns = column_exponents(batch)
    same = np.full_like(columns, columns.max())
    _float_search(findings, Framed(batch, offset, same), tolerance, clock, is_metric=True)
    if findings.separable is None and (columns != same).any():
        _float_search(findings, Framed(batch, offset, columns), tolerance, clock, is_metric=False)
    is_needed = findings.separable is None or findings.is_wider_than(tolerance)
    is_cheap = batch.n_rows * batch.n_features <= BLACKBOARD and findings.is_wider_than(0.0)
    if is_needed or is_cheap:
        _exact_search(findings, is_needed, clock)


def _search_kind(findings: Findings, gordan: Gordan, clock: Clock) -> None:
    batch, offset = findings.batch, findings.offset
    if findings.kind_part is None or findings.most_separated > findings.n_separated:
        findings.kind_part, supports = faces.overlap_or_not(
            batch, offset, column_exponents(batch), gordan, clock
        )
        if isinstance(findings.kind_part, QuasiSeparation):
            findings.maximality = faces.maximality(batch, offset, findings.kind_part, supports, clock)
    if not offset and common_label(findings.gordan_labels) is not None:
        findings.is_weak = weakly_separable(batch, gordan, findings.kind_part, clock)


def _float_search(
    findings: Findings, cloud: Framed, tolerance: float, clock: Clock, is_metric: bool
) -> None:
    """Run Wolfe's method in floating point on scaled points.

    `is_metric` states whether all columns have the same scale; only then does the search give the margin.
    """
    search = Search(cloud, clock, start=findings.start)
    found: Nearest | None = None
    try:
        for zero in ZEROS:
            for found in search.run(max(tolerance, 1e-6), zero):
                findings.propose(found, cloud, is_metric)
            if found is None or found.status != ZERO:
                break
            if zero == SMALL:
                if (
                    is_metric
                    and len(found.rows) >= HARD
                    and found.upper > ZEROS[1] * search.scale
                    and _reshaped_search(findings, found, search.rows, clock)
                ):
                    return
                continue
            gordan = cancelling(findings.batch, findings.offset, found.rows, clock)
            if gordan is not None:
                findings.add_gordan(gordan)
                return
    except TimeIsUp:
        findings.propose(search.current_result(), cloud, is_metric)
        raise
    finally:
        findings.settle_proposals()


def _reshaped_search(findings: Findings, nearest: Nearest, rows: NDArray[np.int64], clock: Clock) -> bool:
    """Search with an adapted basis; return whether it proves that the classes are not separable.

    `nearest` and `rows` are the result and the working set of the search so far.
    """
    batch, offset, exponents = findings.batch, findings.offset, column_exponents(findings.batch)
    if not faces.fits_memory(batch, offset):
        return False
    points = FlatRows(batch, offset, exponents, clock)
    start = nearest.rows, nearest.weights * points.lengths(nearest.rows)
    found = search_reshaped(points, clock, start, rows)
    if found is None:
        return False
    if found.status != ZERO:
        *z, b = found.z.tolist() if offset else [*found.z.tolist(), 0.0]
        findings.add_separator(*unscale(np.array(z), b, exponents))
        return False
    gordan = cancelling(batch, offset, found.rows, clock)
    if gordan is not None:
        findings.add_gordan(gordan)
    return gordan is not None


def cancelling(batch: Batch, offset: bool, rows: NDArray[np.int64], clock: Clock) -> Gordan | None:
    """Return a proof that these rows sum exactly to zero with positive weights, or None."""
    those = Batch(take(batch.rows, rows), batch.labels[rows], batch.importance)
    if isinstance(those.rows, Sparse):
        those = with_columns(those, np.unique(those.rows.indices).astype(np.int64))
    weights = cancelling_weights(lifted_integers(those, offset, np.arange(len(rows))), clock)
    if weights is None:
        return None
    kept = [(int(i), weight) for i, weight in zip(rows, weights, strict=True) if weight]
    return Gordan(tuple(i for i, _ in kept), tuple(weight for _, weight in kept))


def _exact_search(findings: Findings, is_needed: bool, clock: Clock) -> None:
    """Find the exact nearest points, and add the proof parts that follow from them.

    If the result is not needed (the margin is already known within the tolerance), a hyperplane is added
    only if doubles represent it exactly.
    """
    batch, offset = findings.batch, findings.offset
    found = nearest_exactly(batch, offset, findings.last_rows, findings.last_weights, clock)
    if found.is_zero:
        findings.add_gordan(Gordan(tuple(found.rows.tolist()), tuple(found.weights)))
        return
    up, down = max(0, found.exponent), max(0, -found.exponent)
    level = sum(found.levels[1:], -found.levels[0]) if len(found.levels) == 2 else 0
    # the hyperplane with w = 2z/2^exponent and b = μ₋ − μ₊ is midway between the classes
    whole = [*(2 * number << down for number in found.z), level << up]
    numbers = as_doubles(whole)
    if numbers is not None or is_needed:
        *w, b = numbers or whole
        findings.add_separator(tuple(w), b)
    findings.add_combination(found.rows, found.weights)
